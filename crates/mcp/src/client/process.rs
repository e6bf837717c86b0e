//! The process of a server: its start in a group of its own, and the end of the whole group.
//!
//! A guard in the group, a shell that waits for a pipe to close, ends what is left of it also where this program was killed.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// How long a server may take to end by itself: once its standard input is closed, and again once it is asked to.
const TIMEOUT: Duration = Duration::from_secs(1);

/// What the guard runs: it waits for the end of its input, gives the others a moment, and kills its own group.
const GUARD: &str = "trap '' TERM INT HUP; read -r _; sleep 1; kill -9 0";

/// A server's process, and all that it starts.
pub(super) struct Process {
    child: Child,
    group: Pid,
    /// The first of the group; its input is open as long as this program lives.
    guard: Option<Child>,
}

/// The ends of a process's pipes.
pub(super) struct Pipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl Process {
    /// Starts a program; the error says what the system said.
    pub(super) fn start(
        program: &str,
        args: &[String],
        env: &[(String, String)],
        cwd: Option<&Path>,
    ) -> Result<(Self, Pipes), String> {
        // The guard is there before the server is, so that there is no moment at which nobody would end it.
        let guard = guard();
        let group = guard.as_ref().and_then(number);
        let mut command = Command::new(located(program, cwd));
        // What lets clients in at our own server is nobody else's, unless the file of servers hands it on.
        command.env_remove("UIXT_MCP_TOKEN");
        command.args(args).envs(env.iter().map(|(name, value)| (name, value))).kill_on_drop(true);
        command.process_group(group.map_or(0, |group| group.as_raw_nonzero().get()));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(cwd) = cwd {
            command.current_dir(cwd);
        }
        let mut child = command.spawn().map_err(|error| cannot_start(program, cwd, &error))?;
        let group = group.or_else(|| number(&child)).ok_or_else(|| format!("`{program}` ended at once"))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let process = Self { child, group, guard };
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else { return Err("it has no pipes".to_owned()) };
        Ok((process, Pipes { stdin, stdout, stderr }))
    }

    /// Waits a little for how it ended.
    pub(super) async fn status(&mut self, timeout: Duration) -> Option<ExitStatus> {
        tokio::time::timeout(timeout, self.child.wait()).await.ok()?.ok()
    }

    fn signal(&self, signal: Signal) {
        // There may be nobody left.
        let _ = kill_process_group(self.group, signal);
    }

    /// Ends it, once its input is closed: waits, asks, and kills what is left of its group.
    pub(super) async fn end(mut self) {
        if self.status(TIMEOUT).await.is_none() {
            self.signal(Signal::TERM);
            self.status(TIMEOUT).await;
        }
        self.kill().await;
    }

    /// Kills the group, and waits for what must not stay behind as a zombie.
    pub(super) async fn kill(mut self) {
        self.signal(Signal::KILL);
        self.status(TIMEOUT).await;
        if let Some(mut guard) = self.guard.take() {
            let _ = tokio::time::timeout(TIMEOUT, guard.wait()).await;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // After an end, only where the guard or the leader is still there does the group's number mean this group.
        if self.child.id().is_some() || self.guard.is_some() {
            self.signal(Signal::KILL);
        }
    }
}

/// Starts the guard of a new group; without one, a server may outlive a program that was killed.
fn guard() -> Option<Child> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", GUARD]).process_group(0).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().ok()
}

fn number(child: &Child) -> Option<Pid> {
    Pid::from_raw(i32::try_from(child.id()?).ok()?)
}

/// Returns a program's path: a relative one with a folder in it is relative to the folder that it runs in.
fn located(program: &str, cwd: Option<&Path>) -> std::path::PathBuf {
    match cwd {
        Some(cwd) if program.contains('/') => cwd.join(program),
        _ => program.into(),
    }
}

fn cannot_start(program: &str, cwd: Option<&Path>, error: &std::io::Error) -> String {
    if let Some(cwd) = cwd.filter(|cwd| !cwd.is_dir()) {
        return format!("its folder {} does not exist", cwd.display());
    }
    if let (std::io::ErrorKind::NotFound, Some((first, rest))) = (error.kind(), program.split_once(' ')) {
        let rest: Vec<&str> = rest.split_whitespace().collect();
        let args = serde_json::json!(rest);
        return format!(
            "there is no program `{program}`; `command` is the program alone, and the rest goes into `args`: \"command\": \"{first}\", \"args\": {args}"
        );
    }
    match error.kind() {
        std::io::ErrorKind::NotFound if program.contains('/') => format!("there is no program {program}"),
        std::io::ErrorKind::NotFound => {
            format!("there is no program `{program}` on the PATH; install it, or name its path")
        }
        _ => format!("`{program}` cannot be started: {error}"),
    }
}
