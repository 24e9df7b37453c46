//! In tmux, which takes some sequences otherwise than most terminals: to leave an alternate screen that
//! is not there moves its cursor.

use std::process::{Command, Output};

use super::{SESSTREE, Stage};
use crate::support::terminal::until;

/// A tmux server of its own, with one pane of 80 by 15.
struct Tmux<'a> {
    stage: &'a Stage,
}

impl<'a> Tmux<'a> {
    /// Starts a shell's script in the pane.
    fn start(stage: &'a Stage, script: &str) -> Self {
        let tmux = Self { stage };
        let size = ["-x", "80", "-y", "15"];
        let mut start = tmux.command(&["-f", "/dev/null", "new-session", "-d"]);
        start.args(size).args(["sh", "-c", script]);
        let started = start.output().unwrap();
        assert!(started.status.success(), "{started:?}");
        tmux
    }

    /// Without any other server being seen, and nothing of the real home.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.env_clear().envs(self.stage.env());
        command.arg("-S").arg(self.stage.store.beside("sock"));
        command.arg("-u").args(words);
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    fn keys(&self, keys: &[&str]) {
        let sent = self.run(&[&["send-keys"], keys].concat());
        assert!(sent.status.success(), "{sent:?}");
    }

    /// What is in the pane, without what is empty at the end.
    fn pane(&self) -> String {
        let pane = self.run(&["capture-pane", "-p"]);
        String::from_utf8(pane.stdout)
            .unwrap()
            .trim_end()
            .to_owned()
    }

    #[track_caller]
    fn wait_for(&self, text: &str) -> String {
        let mut pane = String::new();
        until(text, || {
            pane = self.pane();
            pane.contains(text)
        });
        pane
    }
}

impl Drop for Tmux<'_> {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

/// Resumes `s1` once, after `above` was printed by a shell; gives what is in the pane when the agent has
/// ended, and again when sesstree has.
fn one_reply(agent: &str, above: &str) -> (String, String) {
    let stage = Stage::with_agent(agent);
    let root = stage.store.root();
    let script = format!(
        "{above}; {SESSTREE} --root {}; echo over; exec cat",
        root.display()
    );
    let tmux = Tmux::start(&stage, &script);
    tmux.wait_for("title of s1");
    tmux.keys(&["Enter"]);
    tmux.wait_for("Continue with");
    tmux.keys(&["go", "Enter"]);
    let ended = tmux.wait_for("Press Enter to return");
    tmux.keys(&["Enter"]);
    tmux.wait_for("title of s1");
    tmux.keys(&["q"]);
    (ended, tmux.wait_for("over"))
}

#[test]
fn the_output_of_one_reply_and_our_prompt_do_not_overlap() {
    let (ended, over) = one_reply(r"printf 'line one\nline two'", "seq 3");
    let output = "1\n2\n3\nline one\nline two\nPress Enter to return to sesstree";
    assert_eq!(ended, output);
    assert_eq!(over, format!("{output}\nover"));
}

#[test]
fn output_that_scrolls_keeps_its_last_lines() {
    let (ended, over) = one_reply("seq 40", "seq 3");
    let last: Vec<String> = (28..=40).map(|line| line.to_string()).collect();
    let last = last.join("\n");
    assert!(
        ended.ends_with(&format!("{last}\n\nPress Enter to return to sesstree")),
        "{ended}"
    );
    assert!(
        over.ends_with("40\n\nPress Enter to return to sesstree\nover"),
        "{over}"
    );
}

/// From a line of its own screen where the main one has output, and from one where it has none.
#[test]
fn an_agent_that_dies_on_a_screen_of_its_own_is_cleaned_up_after() {
    for line in [2, 10] {
        let agent = format!(r"printf 'line one\n\033[?1049h\033[2J\033[{line};10Hinside'; exit 3");
        let (ended, over) = one_reply(&agent, "seq 3");
        let prompt = "The agent ended with exit code 3. Press Enter to return to sesstree";
        assert!(ended.starts_with("1\n2\n3\nline one\n\n"), "{ended}");
        assert!(ended.ends_with(&format!("\n\n{prompt}")), "{ended}");
        assert!(over.contains("3\nline one\n\n"), "{over}");
        assert!(over.ends_with(&format!("\n\n{prompt}\nover")), "{over}");
    }
}
