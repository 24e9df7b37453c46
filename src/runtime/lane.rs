//! Jobs on plain threads, a lane for each kind: one running, one next, newer replaces older.
//!
//! Invariant: a job that panics ends its own work only, and says so.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::text::SafeText;

/// Asks a job to stop.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What to do, and what to say should it panic.
pub(super) struct Job {
    pub(super) work: Box<dyn FnOnce(&Stop) + Send>,
    pub(super) broken: Box<dyn FnOnce(SafeText) + Send>,
}

/// What a new job means for the one that is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Running {
    /// It is asked to stop: its answer is of no use any more.
    Stops,
    /// It goes on to its end.
    GoesOn,
}

/// One kind of job.
#[derive(Clone, Default)]
pub(super) struct Lane(Arc<(Mutex<State>, Condvar)>);

#[derive(Default)]
struct State {
    running: Option<Stop>,
    next: Option<(Job, Stop)>,
}

impl Lane {
    /// Runs a job as soon as the one before is over. One that waited already never runs.
    pub(super) fn submit(&self, job: Job, running: Running) {
        let mut state = self.lock();
        state.next = Some((job, Stop::default()));
        match &state.running {
            Some(stop) if running == Running::Stops => stop.ask(),
            Some(_) => {}
            None => {
                state.running = Some(Stop::default());
                let lane = self.clone();
                thread::spawn(move || lane.work());
            }
        }
    }

    /// Asks the running job to stop, and the one that waits; both still answer.
    pub(super) fn stop(&self) {
        let state = self.lock();
        let next = state.next.as_ref().map(|(_, stop)| stop);
        state.running.iter().chain(next).for_each(Stop::ask);
    }

    /// Whether a job is running.
    pub(super) fn is_busy(&self) -> bool {
        self.lock().running.is_some()
    }

    /// Stops the running job, forgets the next, and waits for the end.
    pub(super) fn finish(&self) {
        let mut state = self.lock();
        state.next = None;
        while let Some(stop) = &state.running {
            stop.ask();
            let woken = self.0.1.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn work(&self) {
        while let Some((job, stop)) = self.next() {
            let outcome = catch_unwind(AssertUnwindSafe(|| (job.work)(&stop)));
            if let Err(panic) = outcome {
                // What it says may fail as well, when the screen is gone.
                let _ = catch_unwind(AssertUnwindSafe(|| (job.broken)(what_panicked(&*panic))));
            }
        }
    }

    fn next(&self) -> Option<(Job, Stop)> {
        let mut state = self.lock();
        let next = state.next.take();
        state.running = next.as_ref().map(|(_, stop)| stop.clone());
        self.0.1.notify_all();
        next
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn what_panicked(panic: &(dyn Any + Send)) -> SafeText {
    let text = match panic.downcast_ref::<String>() {
        Some(text) => text,
        None => panic.downcast_ref().copied().unwrap_or("no reason given"),
    };
    SafeText::line(&format!("a bug in sesstree: {text}"))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    fn job(told: &Sender<&'static str>, what: &'static str) -> Job {
        let (told, broken) = (told.clone(), told.clone());
        Job {
            work: Box::new(move |_| told.send(what).unwrap()),
            broken: Box::new(move |_| broken.send("broken").unwrap()),
        }
    }

    fn until_stopped(told: &Sender<&'static str>) -> Job {
        let mut job = job(told, "");
        let told = told.clone();
        job.work = Box::new(move |stop| {
            told.send("begun").unwrap();
            while !stop.asked() {
                thread::yield_now();
            }
            told.send("stopped").unwrap();
        });
        job
    }

    #[test]
    fn the_newest_waiting_job_replaces_the_older_ones() {
        let (told, heard) = channel();
        let lane = Lane::default();
        lane.submit(until_stopped(&told), Running::GoesOn);
        assert_eq!(heard.recv(), Ok("begun"));
        assert!(lane.is_busy());
        lane.submit(job(&told, "older"), Running::GoesOn);
        lane.submit(job(&told, "newer"), Running::GoesOn);
        lane.stop();
        assert_eq!(heard.recv(), Ok("stopped"));
        assert_eq!(heard.recv(), Ok("newer"));
        lane.finish();
        assert!(heard.try_recv().is_err());
    }

    #[test]
    fn a_job_that_replaces_a_running_one_stops_it() {
        let (told, heard) = channel();
        let lane = Lane::default();
        lane.submit(until_stopped(&told), Running::Stops);
        assert_eq!(heard.recv(), Ok("begun"));
        lane.submit(until_stopped(&told), Running::Stops);
        assert_eq!(heard.recv(), Ok("stopped"));
        assert_eq!(heard.recv(), Ok("begun"));
        lane.finish();
        assert_eq!(heard.recv(), Ok("stopped"));
    }

    #[test]
    fn a_panic_is_told_and_the_lane_goes_on() {
        let (told, heard) = channel();
        let lane = Lane::default();
        let mut bad = job(&told, "");
        bad.work = Box::new(|_| panic!("expected in this test"));
        lane.submit(bad, Running::GoesOn);
        assert_eq!(heard.recv(), Ok("broken"));
        lane.submit(job(&told, "next"), Running::GoesOn);
        assert_eq!(heard.recv(), Ok("next"));
    }
}
