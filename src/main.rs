//! sesstree's one binary: reads the arguments, opens the screen or runs one command.

use std::process::ExitCode;
use std::sync::Arc;

use chrono::Utc;
use clap::Parser as _;
use sesstree::command::demo::Demo;
use sesstree::command::{self, Cli, Invocation};
use sesstree::config::{Env, Settings};
use sesstree::runtime;
use sesstree::store::filesystem::Locks;

fn main() -> color_eyre::Result<ExitCode> {
    color_eyre::install()?;
    let env = Env::of_process();
    let here = std::env::current_dir().ok();
    let end = match command::run(Cli::parse(), &env, here, Utc::now()) {
        Invocation::Done(code) => return Ok(code),
        Invocation::Screen(settings, store, query) => runtime::run(*settings, store, query)?,
        Invocation::Demo(query, secrets) => {
            let demo = Demo::unpack(Utc::now())?;
            let settings = Settings {
                secrets,
                ..demo.settings()?
            };
            // Nobody but we come to it.
            let store = command::store(&settings).with_locks(Locks::Trusted);
            let store = Arc::new(store);
            runtime::run(settings, store, query)?
        }
    };
    end.conclude();
    Ok(ExitCode::SUCCESS)
}
