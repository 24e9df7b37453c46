//! The processes of a run: started once, told of each round by a line, heard by a line.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::roles::Role;

/// Tells a process of the test's own binary what it is.
const ROLE: &str = "SESSTREE_STRESS_ROLE";
const ENTRY: &str = "stress::plays_a_role";
const REPORT: &str = "report ";
/// How long any round may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// Where the pruner that can be looked into waits for somebody to meet it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Meet {
    Nowhere,
    /// With all leases taken: holders are refused.
    Claimed,
    /// With the batch moved and the second look still to come: forks are born under moved parents.
    Moved,
}

/// How hard the agents go for the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Pace {
    /// So hard that a prune hardly ever gets it; some keep it until the end.
    Eager,
    /// So that a prune gets it in one of their pauses.
    Calm,
}

/// What every process is told of a round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Round {
    pub(super) number: u64,
    pub(super) root: PathBuf,
    /// The session that all go for.
    pub(super) hot: String,
    /// The others, for a change.
    pub(super) others: Vec<String>,
    pub(super) meet: Meet,
    pub(super) pace: Pace,
}

impl Round {
    /// A file beside the store by which processes of this round find each other.
    pub(super) fn mark(&self, name: &str) -> PathBuf {
        self.root.with_file_name(format!("{name}-{}", self.number))
    }
}

/// A session was made, its parent, and when it was certainly there.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Birth {
    pub(super) id: String,
    pub(super) parent: String,
    pub(super) at: Duration,
    /// No prune takes it.
    pub(super) young: bool,
}

/// Sessions that lay in the trash together before the store was looked at once more.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Moved {
    pub(super) ids: Vec<String>,
    pub(super) at: Duration,
}

/// What a process did in a round.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Report {
    /// How often it went for the session that all go for.
    pub(super) tried_hot: u64,
    pub(super) granted: u64,
    pub(super) refused: u64,
    pub(super) gone: u64,
    pub(super) removed: Vec<String>,
    /// Moved, and back before the leases were let go.
    pub(super) put_back: Vec<String>,
    pub(super) restored: Vec<String>,
    pub(super) born: Vec<Birth>,
    pub(super) moved: Vec<Moved>,
    /// How many events a session has at least.
    pub(super) wrote: BTreeMap<String, u64>,
    /// Folders without metadata that were made where a session had been.
    pub(super) stubs: Vec<String>,
    /// What must not be.
    pub(super) wrong: Vec<String>,
}

/// Time that all processes agree on.
pub(super) fn clock() -> Duration {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.unwrap_or_default()
}

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
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", ENTRY, "--ignored", "--nocapture"])
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
        let silent = matches!(self.told.try_recv(), Err(TryRecvError::Empty));
        let goes_on = silent && !self.over.get();
        self.over.set(!goes_on);
        goes_on
    }
}

/// A process of the run: plays its role round after round until nobody tells it of another.
pub(super) fn member() {
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
