use super::*;
use crate::search::found::Hit;
use crate::transcript::Role;

fn run(sessions: usize) -> Run {
    let id = |at| SessionId::parse(&format!("s{at}")).unwrap();
    Run {
        generation: 1,
        text: "x".to_owned(),
        query: Query::parse("x").unwrap(),
        ids: (0..sessions).map(id).collect(),
        searched: 0,
        state: State::Running,
        results: Results::default(),
        scroll: Scroll::default(),
        drawn: None,
        moved: false,
        missed: Missed::default(),
    }
}

fn news(session: usize, hits: usize, count: Option<u64>) -> News {
    let hit = |offset: usize| Hit {
        offset: offset as u64,
        role: Role::User,
        at: None,
        context: SafeText::line(&format!("{session}.{offset}")),
        marks: Vec::new(),
    };
    News {
        session,
        hits: (0..hits).map(hit).collect(),
        end: count.map(|count| End {
            count,
            ..End::default()
        }),
    }
}

fn lines(run: &Run, from: usize) -> Vec<String> {
    let lines = run.results.lines(from);
    let line = |line: Line| match line {
        Line::Session(found) => found.id.to_string(),
        Line::Hit(_, hit) => hit.context.to_string(),
    };
    lines.map(line).collect()
}

#[test]
fn what_is_found_is_in_the_order_of_the_search() {
    let mut run = run(10);
    run.take(vec![news(5, 1, None), news(2, 0, Some(0))], 10);
    run.take(vec![news(1, 2, Some(7)), news(5, 1, Some(2))], 10);
    assert_eq!(lines(&run, 0), ["s1", "1.0", "1.1", "s5", "5.0", "5.0"]);
    for from in 0..=7 {
        assert_eq!(lines(&run, from), lines(&run, 0)[from.min(6)..]);
    }
    let results = &run.results;
    assert_eq!(
        (results.len(), results.sessions(), results.matches),
        (6, 2, 9)
    );
    assert_eq!(run.searched, 3);
}

#[test]
fn the_cursor_stays_on_its_line() {
    let mut run = run(10);
    run.take(vec![news(5, 2, Some(2))], 3);
    run.go(Step::Down, 3);
    assert_eq!(lines(&run, run.scroll.at)[0], "5.0");
    run.take(vec![news(3, 3, Some(3)), news(7, 1, Some(1))], 3);
    assert_eq!(lines(&run, run.scroll.at)[0], "5.0");
    assert_eq!(run.scroll, Scroll { at: 5, top: 3 });
}

#[test]
fn until_it_is_moved_it_stays_on_top_but_acts_on_what_was_drawn() {
    let mut run = run(10);
    run.take(vec![news(5, 2, Some(2))], 3);
    run.seen();
    run.take(vec![news(3, 3, Some(3))], 3);
    assert_eq!(run.scroll, Scroll { at: 0, top: 0 });
    run.hold_on();
    assert_eq!(lines(&run, run.scroll.at)[0], "s5");
}

#[test]
fn brackets_go_from_session_to_session() {
    let mut run = run(3);
    run.take((0..3).map(|at| news(at, 2, Some(2))).collect(), 10);
    let results = &run.results;
    let after: Vec<usize> = (0..9).map(|line| results.session_after(line)).collect();
    assert_eq!(after, [3, 3, 3, 6, 6, 6, 6, 7, 8]);
    let before: Vec<usize> = (0..9).map(|line| results.session_before(line)).collect();
    assert_eq!(before, [0, 0, 0, 0, 3, 3, 3, 6, 6]);
}

/// Whatever is found, memory has a bound.
#[test]
fn of_very_much_only_the_first_is_kept_and_the_rest_counted() {
    let mut run = run(30_000);
    run.take((0..30_000).map(|at| news(at, 1, Some(3))).collect(), 10);
    assert_eq!(run.results.len(), 30_000 + 20_000);
    assert_eq!(run.results.matches, 90_000);
}
