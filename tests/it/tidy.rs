//! What the compiler does not check: who may import whom, how long files are, what lies where.

use std::fs;
use std::path::{Path, PathBuf};

/// Rooms, and what of ours each may use. A room is named by its path's beginning; the longest match counts.
const MAY_USE: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("session", &["text"]),
    ("transcript", &["text"]),
    ("lineage", &["session"]),
    ("filter", &["session", "lineage", "text"]),
    ("config", &["prune::policy", "session", "text"]),
    ("prune", &["session", "lineage", "text"]),
    ("prune::ahead", &["prune", "store"]),
    (
        "prune::check",
        &["prune", "store", "lineage", "session", "text"],
    ),
    (
        "prune::execute",
        &["prune", "store", "lineage", "session", "text"],
    ),
    (
        "prune::examine",
        &["prune", "store", "lineage", "session", "text"],
    ),
    (
        "prune::purge",
        &["prune", "store", "lineage", "session", "text"],
    ),
    (
        "prune::removal",
        &["prune", "store", "lineage", "session", "text"],
    ),
    (
        "prune::shelf",
        &["prune", "store", "lineage", "session", "text"],
    ),
    ("store", &["session", "transcript", "text", "prune::report"]),
    (
        "search",
        &["store", "transcript", "session", "filter", "text"],
    ),
    ("search::found", &["transcript", "text"]),
    ("search::query", &["search", "text"]),
    (
        "export",
        &["store", "transcript", "session", "filter", "text"],
    ),
    ("export::format", &[]),
    ("resume", &["store", "session", "config", "text"]),
    ("resume::choice", &["text"]),
    (
        "app",
        &[
            "session",
            "transcript",
            "lineage",
            "filter",
            "text",
            "prune::policy",
            "prune::expiry",
            "prune::plan",
            "prune::report",
            "prune::warning",
            "resume::choice",
            "search::found",
            "search::query",
            "export::format",
            "config",
        ],
    ),
    (
        "view",
        &[
            "app",
            "session",
            "transcript",
            "lineage",
            "filter",
            "text",
            "prune::policy",
            "prune::expiry",
            "prune::plan",
            "prune::report",
            "prune::warning",
            "search::found",
            "export::format",
        ],
    ),
    (
        "command",
        &[
            "session",
            "transcript",
            "lineage",
            "filter",
            "text",
            "config",
            "prune",
            "store",
            "search",
            "export",
            "resume",
        ],
    ),
    (
        "runtime",
        &[
            "app",
            "view",
            "session",
            "transcript",
            "lineage",
            "filter",
            "text",
            "config",
            "prune",
            "store",
            "search",
            "export",
            "resume",
        ],
    ),
];

/// The only files that may lift the ban on locks, renames, unlinks and spawning.
const HOMES: &[&str] = &[
    "src/store/lease.rs",
    "src/store/trash",
    "src/store/zero/rename.rs",
    "src/runtime/handover",
    "src/command/demo",
];

/// The longest a file may be; at this length it wants to be two.
const LONGEST: usize = 400;

fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below `folder`, as a path from the project's root and its text.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut open = vec![project().join(folder)];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                files.push((path.strip_prefix(project()).unwrap().to_owned(), text));
            }
        }
    }
    assert!(!files.is_empty(), "nothing below {folder}");
    files
}

/// `src/prune/plan.rs` → `prune::plan`; `src/prune/mod.rs` → `prune`.
fn room(path: &Path) -> String {
    let path = path.strip_prefix("src").unwrap().with_extension("");
    let parts: Vec<_> = path.iter().map(|part| part.to_str().unwrap()).collect();
    parts.join("::").trim_end_matches("::mod").to_owned()
}

fn within(room: &str, wall: &str) -> bool {
    room == wall
        || room
            .strip_prefix(wall)
            .is_some_and(|rest| rest.starts_with("::"))
}

/// Every path of ours that a file names: `use crate::a::{b, c}` gives `a::b` and `a::c`.
fn imports(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let rest = &text[at + "crate::".len()..];
        let path: String = rest
            .chars()
            .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':'))
            .collect();
        let tail = rest[path.len()..].chars().next();
        match (path.strip_suffix("::"), tail) {
            (Some(path), Some('{')) => {
                let group = &rest[path.len() + 3..];
                let group = &group[..group.find('}').unwrap_or(group.len())];
                found.extend(
                    group
                        .split(',')
                        .map(|item| format!("{path}::{}", item.trim())),
                );
            }
            _ => found.push(path),
        }
    }
    found
}

#[test]
fn arrows_go_one_way() {
    let mut wrong = Vec::new();
    for (path, text) in sources("src") {
        let room = room(&path);
        if matches!(room.as_str(), "main" | "lib") {
            continue;
        }
        let allowed = MAY_USE
            .iter()
            .filter(|(wall, _)| within(&room, wall))
            .max_by_key(|(wall, _)| wall.len());
        let (own, allowed) = allowed.unwrap_or_else(|| panic!("{room} is in no room of the table"));
        let own = own.split("::").next().unwrap();
        // Tests beside the code may use whatever they need.
        let code = text.split("#[cfg(test)]").next().unwrap();
        let code: Vec<&str> = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        for import in imports(&code.join("\n")) {
            let ok = within(&import, own) || allowed.iter().any(|wall| within(&import, wall));
            let test_file = room.ends_with("::tests");
            if !ok && !test_file {
                wrong.push(format!("{} uses {import}", path.display()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "arrows that are not in the table:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn plan_policy_and_report_know_no_disk_and_no_clock() {
    for (path, text) in sources("src") {
        let pure = [
            "src/prune/plan",
            "src/prune/policy",
            "src/prune/expiry",
            "src/prune/warning",
            "src/prune/report",
            "src/lineage",
            "src/app",
            "src/view",
        ];
        if !pure
            .iter()
            .any(|pure| path.starts_with(pure) || path.starts_with(format!("{pure}.rs")))
        {
            continue;
        }
        for banned in [
            "std::fs",
            "rustix",
            "Utc::now",
            "SystemTime::now",
            "Instant::now",
            "crate::store",
        ] {
            assert!(!text.contains(banned), "{} names {banned}", path.display());
        }
    }
}

#[test]
fn the_view_knows_no_terminal() {
    for (path, text) in sources("src") {
        if path.starts_with("src/view") {
            assert!(
                !text.contains("crossterm"),
                "{} names crossterm",
                path.display()
            );
        }
    }
}

#[test]
fn files_stay_short() {
    let mut long = Vec::new();
    for (path, text) in sources("src").into_iter().chain(sources("tests")) {
        let lines = text.lines().count();
        if lines > LONGEST {
            long.push(format!("{} has {lines} lines", path.display()));
        }
    }
    assert!(
        long.is_empty(),
        "over {LONGEST} lines, each wants to be two:\n{}",
        long.join("\n")
    );
}

#[test]
fn dangerous_calls_have_one_home() {
    for (path, text) in sources("src") {
        let name = path.to_str().unwrap();
        let home = HOMES.iter().any(|home| name.starts_with(home));
        let code = text.split("#[cfg(test)]").next().unwrap();
        // lib.rs lifts it for tests alone.
        if code.contains("clippy::disallowed_methods")
            && name != "src/lib.rs"
            && !name.ends_with("/tests.rs")
        {
            assert!(home, "{name} lifts the ban but is no home");
        }
    }
}

/// By type a title, a path's words or an error's are a `SafeText`; these are the ways around that.
#[test]
fn no_path_and_no_output_goes_around_safe_text() {
    let around = [
        ".display()",
        "eprint!(",
        "eprintln!(",
        "print!(",
        "println!(",
        "dbg!(",
    ];
    let fine = [
        // What shows the order of a tree, and bytes.
        "lineage.display()",
        ".display().iec()",
        // The demo's second process tells the first.
        "println!(\"held\")",
    ];
    let mut wrong = Vec::new();
    for (path, text) in sources("src") {
        if path.ends_with("tests.rs") {
            continue;
        }
        for line in text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
        {
            let rest = fine
                .iter()
                .fold(line.to_owned(), |rest, fine| rest.replace(fine, ""));
            if around.iter().any(|way| rest.contains(way)) {
                wrong.push(format!("{}: {line}", path.display()));
            }
            let made = line.contains("SafeText(") && !path.ends_with("src/text.rs");
            if made {
                wrong.push(format!(
                    "{} makes text safe by saying so: {line}",
                    path.display()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_exception_has_a_reason_and_nothing_is_left_undone() {
    for (path, text) in sources("src") {
        for (number, line) in text.lines().enumerate() {
            let place = format!("{}:{}", path.display(), number + 1);
            let lifted = line.contains("[allow(") || line.contains("[expect(");
            let nearby: String = text.lines().skip(number).take(5).collect();
            assert!(
                !lifted || nearby.contains("reason = "),
                "{place}: an exception without a reason"
            );
            for left in ["todo!(", "unimplemented!(", "TODO", "FIXME", "dbg!("] {
                assert!(!line.contains(left), "{place}: {left}");
            }
        }
    }
}

#[test]
fn the_top_level_is_as_agreed() {
    let agreed = [
        "Cargo.toml",
        "Cargo.lock",
        "src",
        "assets",
        "tests",
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "target",
    ];
    for entry in fs::read_dir(project()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let fine = name.starts_with('.') || agreed.contains(&name.as_str());
        assert!(fine, "{name} does not belong on the top level");
    }
}
