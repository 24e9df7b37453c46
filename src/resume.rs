//! Holding a session, and looking at what a resume of it would meet.
//!
//! Invariants: nothing is started here; no folder is chosen in silence (a missing one is told,
//! with what could stand in); no text of the user can be taken for a flag.

pub mod choice;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use choice::{Action, Held, MissingFolder};
use rustix::fs::{Access, access};
use thiserror::Error;

use crate::config::Settings;
use crate::session::{Launch, Refusal, SessionId};
use crate::store::{Hold, Store};
use crate::text::SafeText;

/// Holds a session, then looks whether its folder and the agent's program are there; `program` is what
/// [`find_program`] said. The session is held for as long as the [`Hold`] lives.
pub fn prepare(
    store: &dyn Store,
    id: &SessionId,
    folder: Option<&Path>,
    settings: &Settings,
    program: &Result<PathBuf, MissingProgram>,
) -> Result<(Hold, Held), Refusal> {
    let hold = store.hold(id)?;
    let met = Held {
        unprotected: match &hold {
            Hold::Leased(_) => None,
            Hold::Unprotected(why) => Some(why.clone()),
        },
        missing_folder: missing_folder(folder, settings.home.as_deref()),
        missing_program: program.as_ref().err().map(|missing| missing.name.clone()),
    };
    Ok((hold, met))
}

/// What a resume runs: the agent's `program` with its leading arguments, then what `action` asks for.
///
/// The text always follows `--`: Zero takes everything behind it as the prompt, so neither
/// `--model` nor a plain `help` is understood as anything else.
pub fn command(
    action: &Action,
    id: &SessionId,
    launch: Launch,
    program: &[OsString],
) -> Vec<OsString> {
    let mut line = program.to_vec();
    let (flag, text) = match action {
        _ if launch == Launch::Screen => {
            line.extend(["--resume", id.as_str()].map(OsString::from));
            return line;
        }
        Action::OpenScreen => return line,
        Action::Continue(text) => ("--resume", text),
        Action::Fork(text) => ("--fork", text),
    };
    // A NUL cannot be passed to a program at all.
    let text = text.replace('\0', " ");
    line.extend(["exec", flag, id.as_str(), "--", &text].map(OsString::from));
    line
}

/// What to type into the agent's own screen to go on with a session.
pub fn typed_command(id: &SessionId) -> SafeText {
    SafeText::line(&format!("/resume {id}"))
}

/// The agent's program cannot be found, or cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{name} {}; {setting} says how to start it", self.what())]
pub struct MissingProgram {
    /// What it is called.
    pub name: SafeText,
    /// The environment variable that names it.
    setting: &'static str,
    sought: Sought,
}

/// Where it was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sought {
    OnPath,
    Itself,
}

impl MissingProgram {
    fn what(&self) -> &'static str {
        match self.sought {
            Sought::OnPath => "cannot be found on PATH",
            Sought::Itself => "is not there, or cannot be run",
        }
    }
}

/// Where the agent's program is: this looks at the disk. A name with a slash is taken as it is; others are looked for on `PATH`.
pub fn find_program(settings: &Settings) -> Result<PathBuf, MissingProgram> {
    let name = settings.command.first().map(OsString::as_os_str);
    let name = name.unwrap_or_default();
    let missing = |sought| MissingProgram {
        name: SafeText::path(Path::new(name)),
        setting: settings.agent.setting(),
        sought,
    };
    if has_slash(name) {
        let base = settings.here.as_deref().unwrap_or(Path::new("/"));
        let path = Some(base.join(name)).filter(|path| runnable(path));
        return path.ok_or_else(|| missing(Sought::Itself));
    }
    let path = settings.path.as_deref().unwrap_or_default();
    // An empty or relative entry would mean another folder once the agent's folder is entered.
    let mut found = std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name));
    found
        .find(|path| runnable(path))
        .ok_or_else(|| missing(Sought::OnPath))
}

fn has_slash(name: &OsStr) -> bool {
    name.as_encoded_bytes().contains(&b'/')
}

fn runnable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|at| at.is_file()) && access(path, Access::EXEC_OK).is_ok()
}

/// What could stand in for a session's folder, unless that is there.
fn missing_folder(folder: Option<&Path>, home: Option<&Path>) -> Option<MissingFolder> {
    if folder.is_some_and(|folder| folder.is_absolute() && folder.is_dir()) {
        return None;
    }
    // "/" always exists, and is not where anybody wants an agent to work.
    let usable = |path: &&Path| path.is_absolute() && path.parent().is_some() && path.is_dir();
    Some(MissingFolder {
        folder: folder.map(Path::to_owned),
        home: home.filter(usable).map(Path::to_owned),
        nearest: folder
            .and_then(|folder| folder.ancestors().skip(1).find(usable))
            .map(Path::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::session::Agent;

    fn settings(command: &[&str], path: &Path) -> Settings {
        Settings {
            agent: Agent::Zero,
            root: PathBuf::new(),
            label: None,
            here: None,
            home: None,
            state: None,
            retention: Ok(None),
            command: command.iter().map(OsString::from).collect(),
            path: Some(path.as_os_str().to_owned()),
            no_color: false,
            secrets: crate::text::Secrets::Hidden,
        }
    }

    fn program(path: &Path, mode: u32) {
        fs::write(path, "#!/bin/sh\n").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_text_is_never_taken_for_a_flag() {
        let id = SessionId::parse("s1").unwrap();
        let zero = [OsString::from("zero")];
        for text in ["fix it", "--model x", "-h", "help", ""] {
            let line = command(
                &Action::Continue(text.to_owned()),
                &id,
                Launch::Replies,
                &zero,
            );
            assert_eq!(line, ["zero", "exec", "--resume", "s1", "--", text]);
            let line = command(&Action::Fork(text.to_owned()), &id, Launch::Replies, &zero);
            assert_eq!(line, ["zero", "exec", "--fork", "s1", "--", text]);
        }
        assert_eq!(
            command(&Action::OpenScreen, &id, Launch::Replies, &zero),
            ["zero"]
        );
        assert_eq!(typed_command(&id).as_str(), "/resume s1");
    }

    #[test]
    fn the_program_is_the_first_on_path_that_can_be_run() {
        let dir = tempfile::tempdir().unwrap();
        let bin = dir.path();
        let of = |name: &str| find_program(&settings(&[name], bin));
        program(&bin.join("zero"), 0o755);
        program(&bin.join("text"), 0o644);
        fs::create_dir(bin.join("folder")).unwrap();
        assert_eq!(of("zero").unwrap(), bin.join("zero"));
        for name in ["text", "folder", "nothing"] {
            assert_eq!(
                of(name).unwrap_err().to_string(),
                format!(
                    "{name} cannot be found on PATH; SESSTREE_ZERO_COMMAND says how to start it"
                )
            );
        }
        let whole = bin.join("zero");
        assert_eq!(of(whole.to_str().unwrap()).unwrap(), whole);
        let missing = of("/nowhere/zero").unwrap_err().to_string();
        assert!(
            missing.starts_with("/nowhere/zero is not there"),
            "{missing}"
        );
        let mut relative = settings(&["./zero"], Path::new(""));
        relative.here = Some(bin.to_owned());
        assert_eq!(find_program(&relative).unwrap(), bin.join("./zero"));
    }

    #[test]
    fn a_missing_folder_is_told_with_what_could_stand_in() {
        let dir = tempfile::tempdir().unwrap();
        let (home, file) = (dir.path(), dir.path().join("file"));
        fs::write(&file, "").unwrap();
        assert_eq!(missing_folder(Some(home), Some(home)), None);
        for gone in [home.join("a/b"), file] {
            let missing = missing_folder(Some(&gone), Some(home)).unwrap();
            assert_eq!(missing.folder.as_deref(), Some(gone.as_path()));
            assert_eq!(missing.home.as_deref(), Some(home));
            assert_eq!(missing.nearest.as_deref(), Some(home));
        }
        let unnamed = missing_folder(None, Some(Path::new("/nowhere/at/all"))).unwrap();
        assert_eq!((unnamed.home, unnamed.nearest), (None, None));
        let far = missing_folder(Some(Path::new("/nowhere/at/all")), None).unwrap();
        assert_eq!(far.nearest, None);
        assert!(missing_folder(Some(Path::new("relative")), None).is_some());
    }
}
