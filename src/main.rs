//! sesstree's one binary: reads the arguments, opens the screen or runs one command.

use std::process::ExitCode;

use chrono::Utc;
use clap::Parser as _;
use sesstree::command::{self, Cli, Invocation};
use sesstree::config::Env;

fn main() -> color_eyre::Result<ExitCode> {
    color_eyre::install()?;
    let env = Env::of_process();
    let here = std::env::current_dir().ok();
    match command::run(Cli::parse(), &env, here, Utc::now()) {
        Invocation::Done(code) => Ok(code),
        Invocation::Screen(..) | Invocation::Demo(_) => {
            color_eyre::eyre::bail!("the screen is not here yet; see `sesstree --help`")
        }
    }
}
