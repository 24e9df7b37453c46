//! The command line: the same engine as the screen's, for scripts.
//!
//! Data goes to stdout, all else to stderr. Exit codes: 0 done, 1 something failed, 2 usage.
//! Invariant: no text of a session or a file's name is printed before it is a [`SafeText`].

mod agents;
pub mod demo;
mod export;
mod failure;
mod list;
mod prune;
mod rename;
mod search;
mod terminal;
mod trash;

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use clap::{Parser, Subcommand};
use serde::Serialize;

pub(crate) use failure::Failure;
use failure::Told;
use failure::report;
use terminal::say;

use crate::config::{self, Env, Settings};
use crate::lineage::Lineage;
use crate::session::{Agent, Fault, Seen};
use crate::store::filesystem::Locks;
use crate::store::open::{open, recognise};
use crate::store::removals::Removals;
use crate::store::{Found, ScanError, Store, zero::Zero};
use crate::text::{SafeText, Secrets};

/// Browse, resume and prune the saved sessions of coding agents.
#[derive(Debug, Parser)]
#[command(name = "sesstree", version, about, max_term_width = 100)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Cli {
    /// Start with the list filtered by this
    query: Option<String>,

    /// Whose sessions: zero or magi; without it what is in --root tells, else the first that there are
    #[arg(long, global = true, value_name = "NAME", value_parser = agent)]
    agent: Option<Agent>,

    /// The sessions folder, instead of the agent's own
    #[arg(long, global = true, value_name = "DIR")]
    root: Option<PathBuf>,

    /// Print data as JSON
    #[arg(long, global = true)]
    json: bool,

    /// Remove and bring back sessions also on a filesystem where locks are not known to work: on a
    /// network, say, where a session that is open on another machine may not be seen
    #[arg(long, global = true)]
    trust_locks: bool,

    /// Show secrets that titles, folders and transcripts hold, instead of taking them out
    #[arg(long, global = true)]
    no_redact: bool,

    /// Try everything on invented sessions in a temporary folder
    #[arg(long)]
    demo: bool,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List sessions, latest activity first
    List(list::List),
    /// Show who descends from whom
    Tree(list::Tree),
    /// Search inside transcripts, latest activity first
    Search(search::Search),
    /// Write a whole transcript as Markdown, as text, or as it is
    Export(export::Export),
    /// Give a session another title
    Rename(rename::Rename),
    /// Move old sessions to the trash
    Prune(prune::Prune),
    /// Show which agents' sessions there are, and where
    Agents(agents::Agents),
    /// See what is in the trash, bring it back, or empty it
    Trash {
        #[command(subcommand)]
        command: Option<trash::Trash>,
    },
    /// The demo's second process
    #[command(hide = true)]
    DemoHold { id: String, sessions: PathBuf },
    /// The demo's stand-in for an agent
    #[command(hide = true)]
    DemoAgent {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
}

/// What every command works with.
pub(crate) struct Context {
    locks: Locks,
    settings: Settings,
    store: Arc<dyn Store>,
    now: DateTime<Utc>,
    json: bool,
}

/// What is to be done with the arguments.
pub enum Invocation {
    /// Open the screen.
    Screen(Box<Settings>, Arc<dyn Store>, Option<String>),
    /// Open the screen on invented sessions.
    Demo(Option<String>, Secrets),
    /// A command has run.
    Done(ExitCode),
}

/// Reads the arguments, and runs the command if they name one.
pub fn run(cli: Cli, env: &Env, here: Option<PathBuf>, now: DateTime<Utc>) -> Invocation {
    if cli.demo {
        return match cli.command {
            None if cli.root.is_none() => match on_a_terminal() {
                Ok(()) => Invocation::Demo(cli.query.clone(), cli.secrets()),
                Err(failure) => Invocation::Done(report(&failure)),
            },
            _ => Invocation::Done(report(&Failure::Usage(
                "--demo opens the screen on its own sessions; it takes no command and no --root"
                    .to_owned(),
            ))),
        };
    }
    let settings = match settings(&cli, env, here) {
        Ok(settings) => settings,
        Err(failure) => return Invocation::Done(report(&failure)),
    };
    let locks = if cli.trust_locks {
        Locks::Trusted
    } else {
        Locks::Known
    };
    let (root, state) = (&settings.root, settings.state.as_deref());
    let store = open(settings.agent, root, state, (locks, settings.secrets));
    let json = cli.json;
    if let (Some(word), Some(_)) = (&cli.query, &cli.command) {
        let word = SafeText::line(word);
        let what = format!("unexpected \"{word}\" before the command; see sesstree --help");
        return Invocation::Done(report(&Failure::Usage(what)));
    }
    let Some(command) = cli.command else {
        return match on_a_terminal() {
            Ok(()) => Invocation::Screen(Box::new(settings), store, cli.query),
            Err(failure) => Invocation::Done(report(&failure)),
        };
    };
    let roots = roots(cli.agent, env);
    if cli.root.is_some() && matches!(command, Command::Agents(_)) {
        let what = "agents tells of the places of all; it takes no --root".to_owned();
        return Invocation::Done(report(&Failure::Usage(what)));
    }
    let context = Context {
        locks,
        settings,
        store,
        now,
        json,
    };
    let outcome = match command {
        Command::List(list) => list.run(&context),
        Command::Tree(tree) => tree.run(&context),
        Command::Search(search) => search.run(&context),
        Command::Export(export) => export.run(&context),
        Command::Rename(rename) => rename.run(&context),
        Command::Agents(_) => agents::Agents::run(roots, &context),
        Command::Prune(prune) => prune.run(&context),
        Command::Trash { command } => command.unwrap_or(trash::Trash::List).run(&context),
        Command::DemoHold { id, sessions } => demo::hold(&sessions, &id).map_err(Failure::from),
        Command::DemoAgent { words } => demo::agent(&words).map_err(Failure::from),
    };
    Invocation::Done(match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => report(&failure),
    })
}

fn on_a_terminal() -> Result<(), Failure> {
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        return Ok(());
    }
    let what = "the screen needs a terminal; for scripts there is `sesstree list`, see --help";
    Err(Failure::Usage(what.to_owned()))
}

/// The store that the settings name; what is removed from it is written down.
pub fn store(settings: &Settings) -> Zero {
    let removals = Removals::in_folder(settings.state.as_deref(), Utc::now);
    Zero::new(settings.root.clone())
        .with_secrets(settings.secrets)
        .recorded(removals)
}

fn settings(cli: &Cli, env: &Env, here: Option<PathBuf>) -> Result<Settings, Failure> {
    let agent = match (cli.agent, &cli.root) {
        (Some(agent), _) => agent,
        (None, Some(root)) => recognise(root),
        (None, None) => {
            let mut roots = roots(None, env).into_iter();
            let there = roots.find(|(_, root)| root.is_dir());
            there.map_or(Agent::Zero, |(agent, _)| agent)
        }
    };
    let root = cli.root.clone().or_else(|| config::root(agent, env));
    let Some(root) = root else {
        let what =
            "cannot tell where sessions are: HOME is not set; name the folder with --root DIR";
        return Err(Failure::Usage(what.to_owned()));
    };
    Ok(Settings {
        secrets: cli.secrets(),
        ..Settings::new(agent, root, env, here)
    })
}

/// Where each agent keeps its sessions, or only that one.
fn roots(only: Option<Agent>, env: &Env) -> Vec<(Agent, PathBuf)> {
    let wanted = |agent: &Agent| only.is_none_or(|only| only == *agent);
    let root = |agent| Some((agent, config::root(agent, env)?));
    Agent::ALL
        .into_iter()
        .filter(wanted)
        .filter_map(root)
        .collect()
}

/// The agent of that name.
fn agent(name: &str) -> Result<Agent, String> {
    Agent::parse(name).ok_or_else(|| {
        let names = Agent::ALL.map(Agent::name).join(", ");
        format!("expected one of {names}")
    })
}

impl Cli {
    fn secrets(&self) -> Secrets {
        if self.no_redact {
            Secrets::Shown
        } else {
            Secrets::Hidden
        }
    }
}

impl Context {
    /// The whole store: its sessions as a forest, and what is in it besides.
    fn scan(&self) -> Result<(Lineage, Vec<Fault>), Failure> {
        gather(|found| self.store.scan(&Seen::new(), found))
    }

    /// The same, only to be shown.
    fn list(&self) -> Result<(Lineage, Vec<Fault>), Failure> {
        gather(|found| self.store.list(found))
    }
}

/// Puts together what a scan tells.
fn gather(
    scan: impl FnOnce(&mut dyn FnMut(Found) -> ControlFlow<()>) -> Result<(), ScanError>,
) -> Result<(Lineage, Vec<Fault>), Failure> {
    let mut sessions = Vec::new();
    let mut faults = Vec::new();
    scan(&mut |found| {
        match found {
            Found::Session(session) => sessions.push(session),
            Found::Fault(fault) => faults.push(fault),
            // Nothing was seen before.
            Found::Same(..) => {}
        }
        ControlFlow::Continue(())
    })?;
    faults.sort_by(|a, b| a.path.cmp(&b.path));
    Ok((Lineage::unsorted(sessions), faults))
}

/// `1 session`, `2 sessions`.
/// Several begin so; these are their names.
fn ambiguous<'a>(
    text: &str,
    count: usize,
    what: &str,
    names: impl Iterator<Item = &'a str>,
) -> Failure {
    let shown = names.take(10).map(|name| format!("\n  {name}"));
    Failure::Usage(format!(
        "\"{}\" is the beginning of {count} {what}:{}",
        SafeText::line(text),
        shown.collect::<String>()
    ))
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Prints a line.
fn print_line(line: std::fmt::Arguments<'_>) -> Result<(), Failure> {
    Ok(writeln!(io::stdout().lock(), "{line}")?)
}

/// Prints one JSON value and a newline.
fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    serde_json::to_writer(&mut out, value)?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
}

/// Tells on stderr what is in the store besides sessions.
fn tell_faults(faults: &[Fault]) {
    for fault in faults {
        say(format_args!(
            "{}: {}",
            SafeText::path(&fault.path),
            fault.what
        ));
    }
}

/// A fault as JSON tells it.
#[derive(Serialize)]
struct FaultJson<'a> {
    path: SafeText,
    what: &'a SafeText,
}

impl<'a> FaultJson<'a> {
    fn new(fault: &'a Fault) -> Self {
        Self {
            path: SafeText::path(&fault.path),
            what: &fault.what,
        }
    }
}
