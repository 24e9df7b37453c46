//! Opens the screen: `sesstree [--root DIR]`.

use std::path::PathBuf;
use std::sync::Arc;

use color_eyre::eyre::OptionExt as _;
use sesstree::config::{Env, Settings, zero_command, zero_config, zero_retention, zero_root};
use sesstree::runtime;
use sesstree::store::zero::Zero;
use sesstree::text::SafeText;

fn main() -> color_eyre::Result<()> {
    color_eyre::install()?;
    let env = Env::of_process();
    let mut args = std::env::args_os().skip(1);
    let given = args.find(|arg| arg == "--root").and_then(|_| args.next());
    let root = given.map(PathBuf::from).or_else(|| zero_root(&env));
    let root = root.ok_or_eyre("no sessions folder: set HOME or give --root DIR")?;
    let retention = zero_config(&env).map_or(Ok(None), |file| zero_retention(&file));
    let settings = Settings {
        root: root.clone(),
        here: std::env::current_dir().ok(),
        home: env.folder("HOME"),
        retention: retention.map_err(|e| SafeText::line(&e.to_string())),
        command: zero_command(&env),
        path: env.get("PATH").map(Into::into),
        no_color: env.get("NO_COLOR").is_some(),
    };
    runtime::run(settings, Arc::new(Zero::new(root)), None)
}
