use std::cell::RefCell;

use super::super::fake::{Fake, id};
use super::*;
use crate::app::msg::Asker;
use crate::transcript::{View, Window};

/// What an effect comes to; it is stopped once `enough` was told.
fn told(effect: Effect, sessions: usize, enough: usize) -> Vec<Msg> {
    let fake = Fake {
        sessions,
        broken: false,
    };
    let tools = fake.tools();
    let (heard, stop) = (RefCell::new(Vec::new()), Stop::default());
    perform(effect, tools.keeper.ticket(), &tools, &stop, &|msg| {
        heard.borrow_mut().push(msg);
        if heard.borrow().len() >= enough {
            stop.ask();
        }
    });
    heard.into_inner()
}

#[test]
fn a_scan_tells_a_small_part_first_and_every_session_once() {
    let msgs = told(
        Effect::Scan {
            generation: 7,
            seen: Vec::new(),
        },
        10_000,
        usize::MAX,
    );
    let mut ids = Vec::new();
    for (place, msg) in msgs.iter().enumerate() {
        match msg {
            Msg::Scanned {
                generation: 7,
                sessions,
                ..
            } => {
                assert!(sessions.len() <= if place == 1 { 64 } else { 1_000 });
                ids.extend(sessions.iter().map(|session| session.id.clone()));
            }
            Msg::ScanEnded {
                generation: 7,
                outcome: Ok(()),
            } => assert_eq!(place, msgs.len() - 1),
            // Before any key can be pressed on what is found.
            Msg::Changeable(Err(Refusal::AllUnseen)) => assert_eq!(place, 0),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(ids, (0..10_000).map(id).collect::<Vec<_>>());
}

#[test]
fn a_stopped_scan_still_answers() {
    let msgs = told(
        Effect::Scan {
            generation: 1,
            seen: Vec::new(),
        },
        10_000,
        1,
    );
    assert!(msgs.len() <= 2, "{}", msgs.len());
    assert!(matches!(msgs.last(), Some(Msg::ScanEnded { .. })));
}

#[test]
fn sizes_are_told_for_all_that_was_asked() {
    let ids: Vec<SessionId> = (0..500).map(id).collect();
    let msgs = told(Effect::Size(ids.clone()), 0, usize::MAX);
    let sizes = msgs.into_iter().flat_map(|msg| match msg {
        Msg::Sized(part) => part,
        other => panic!("{other:?}"),
    });
    let expected: Vec<_> = ids.into_iter().map(|id| (id, 4096)).collect();
    assert_eq!(sizes.collect::<Vec<_>>(), expected);
}

#[test]
fn trouble_is_told_as_safe_text() {
    let read = Effect::Read {
        generation: 3,
        asker: Asker::Reader,
        id: id(1),
        view: View::Raw,
        window: Window::Tail,
    };
    match told(read, 0, usize::MAX).as_slice() {
        [Msg::Read { page: Err(why), .. }] => assert!(!why.as_str().contains('\x1b')),
        other => panic!("{other:?}"),
    }
    let trash = told(Effect::ListTrash, 0, usize::MAX);
    assert!(matches!(
        trash.as_slice(),
        [Msg::Trouble(_), Msg::Trash(Ok(_))]
    ));
}

#[test]
fn a_hold_tells_what_a_resume_would_meet() {
    let hold = Effect::Hold {
        generation: 1,
        id: id(1),
        folder: None,
    };
    match told(hold, 0, usize::MAX).as_slice() {
        [
            Msg::Held {
                outcome: Ok(met), ..
            },
        ] => {
            assert!(met.unprotected.is_some());
            assert!(met.missing_folder.is_some());
            assert!(met.missing_program.is_some());
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_removal_asks_soon_again_whether_to_stop() {
    let (stop, deaf) = (Stop::default(), |_| {});
    let looker = Looker::new(1, &stop, &deaf);
    assert!(looker.batch_limit() <= 200);
    assert!(!looker.stopped());
    stop.ask();
    assert!(looker.stopped());
}

#[test]
fn progress_is_told_no_more_often_than_can_be_seen() {
    let (stop, told) = (Stop::default(), Cell::new(0));
    let count = |_| told.set(told.get() + 1);
    let looker = Looker::new(1, &stop, &count);
    let begun = Instant::now();
    for done in 0..10_000 {
        let total = 10_000;
        looker.progress(Progress { done, total });
    }
    let parts = begun.elapsed().as_millis() / PART.as_millis();
    assert!((1..=parts + 1).contains(&told.get()), "{told:?} in {parts}");
}
