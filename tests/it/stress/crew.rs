//! The processes of a run: started once, told of each round by a line, heard by a line.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::roles::Role;
use super::round::{Report, Round};

/// Tells a process of the test's own binary what it is.
const ROLE: &str = "SESSTREE_STRESS_ROLE";
/// Tells one that is to be killed of its round.
const DOOMED: &str = "SESSTREE_STRESS_DOOMED";
const ENTRY: &str = "stress::plays_a_role";
const REPORT: &str = "report ";
/// How long any round may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// What a process hears.
#[derive(Clone, Serialize, Deserialize)]
enum Told {
    Round(Round),
    Over,
}

/// The processes.
pub(super) struct Crew {
    members: Vec<Member>,
    heard: Receiver<(usize, String)>,
}

struct Member {
    role: Role,
    child: Child,
}

impl Crew {
    pub(super) fn start(roles: &[Role]) -> Self {
        let (tell, heard) = mpsc::channel();
        let start = |(at, &role): (usize, &Role)| {
            let mut child = itself()
                .env(ROLE, to_line(&role))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let lines = BufReader::new(child.stdout.take().unwrap()).lines();
            let tell = tell.clone();
            thread::spawn(move || {
                for line in lines.map_while(Result::ok) {
                    if let Some(report) = line.strip_prefix(REPORT) {
                        // Nobody listens any more once the test has failed.
                        let _ = tell.send((at, report.to_owned()));
                    }
                }
            });
            Member { role, child }
        };
        let members = roles.iter().enumerate().map(start).collect();
        Self { members, heard }
    }

    /// Lets all of them go at once, waits for those that have an end of their own, and then calls
    /// the others back.
    pub(super) fn play(&mut self, round: &Round) -> Vec<(Role, Report)> {
        let deadline = Instant::now() + PATIENCE;
        let mut reports = BTreeMap::new();
        self.tell(|_| true, &Told::Round(round.clone()));
        let ends = |role: Role| !role.goes_on();
        let short = self.members.iter().filter(|m| ends(m.role)).count();
        while reports.len() < short {
            self.hear(&mut reports, deadline);
        }
        self.tell(|role| !ends(role), &Told::Over);
        while reports.len() < self.members.len() {
            self.hear(&mut reports, deadline);
        }
        let role = |at: usize| self.members[at].role;
        reports.into_iter().map(|(at, r)| (role(at), r)).collect()
    }

    fn tell(&mut self, who: impl Fn(Role) -> bool, told: &Told) {
        let line = to_line(told);
        for member in self.members.iter_mut().filter(|member| who(member.role)) {
            let to = member.child.stdin.as_mut().unwrap();
            writeln!(to, "{line}").unwrap_or_else(|e| panic!("{:?} is dead: {e}", member.role));
        }
    }

    fn hear(&self, reports: &mut BTreeMap<usize, Report>, deadline: Instant) {
        let left = deadline.saturating_duration_since(Instant::now());
        let Ok((at, line)) = self.heard.recv_timeout(left) else {
            let silent = |at: &usize| !reports.contains_key(at);
            let silent = (0..self.members.len()).filter(silent);
            let silent: Vec<_> = silent.map(|at| self.members[at].role).collect();
            panic!("no word from {silent:?}");
        };
        let again = reports.insert(at, serde_json::from_str(&line).unwrap());
        assert!(
            again.is_none(),
            "two reports of {:?}",
            self.members[at].role
        );
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        for member in &mut self.members {
            drop(member.child.stdin.take());
            // Whatever it is at, the test is over.
            let _ = member.child.kill();
            let _ = member.child.wait();
        }
    }
}

fn to_line(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

fn of_line<T: DeserializeOwned>(line: &str) -> T {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

/// What a process hears, read by a thread so that it can be asked for without waiting.
pub(super) struct Inbox {
    told: Receiver<Told>,
    over: Cell<bool>,
}

impl Inbox {
    fn open() -> Self {
        let (tell, told) = mpsc::channel();
        thread::spawn(move || {
            for line in io::stdin().lines().map_while(Result::ok) {
                if tell.send(of_line(&line)).is_err() {
                    return;
                }
            }
        });
        let over = Cell::new(false);
        Self { told, over }
    }

    /// The next round; `None`: there is none.
    fn round(&self) -> Option<Round> {
        loop {
            if let Told::Round(round) = self.told.recv().ok()? {
                self.over.set(false);
                return Some(round);
            }
        }
    }

    /// Whether the round goes on.
    pub(super) fn goes_on(&self) -> bool {
        self.wait(Duration::ZERO);
        !self.over.get()
    }

    /// Waits that long, or until the round is over.
    pub(super) fn wait(&self, most: Duration) {
        let silent = RecvTimeoutError::Timeout;
        if !self.over.get() && self.told.recv_timeout(most).err() != Some(silent) {
            self.over.set(true);
        }
    }
}

/// The test's own binary, to play a role.
fn itself() -> Command {
    let mut itself = Command::new(std::env::current_exe().unwrap());
    itself.args(["--exact", ENTRY, "--ignored", "--nocapture"]);
    itself
}

/// A process that is killed in the middle of a round.
pub(super) fn another(round: &Round) -> Command {
    let mut another = itself();
    another.env_remove(ROLE).env(DOOMED, to_line(round));
    another
}

/// A process of the run: plays its role round after round until nobody tells it of another.
pub(super) fn member() {
    if let Ok(round) = std::env::var(DOOMED) {
        return super::roles::to_the_death(&of_line(&round));
    }
    // Run by somebody else, by hand for instance, it is none.
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    let mut actor = super::roles::Actor::new(of_line(&role));
    let inbox = Inbox::open();
    while let Some(round) = inbox.round() {
        let report = actor.play(&round, &inbox);
        // The harness has begun a line of its own.
        println!("\n{REPORT}{}", to_line(&report));
    }
}
