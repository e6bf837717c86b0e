//! Commands of the host.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};
use uixt_call::{Exposure, Shape, TRUNCATED, ToolKind, Toolset};
use uixt_locate::{Error, Kind, Object};
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

use crate::guard::Guarded;

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<Shell>()];

/// Most of each stream that is kept, in bytes: half of it from the beginning, half from the end.
const KEPT: usize = 1 << 20;

/// How much of each stream an error shows, in characters.
const SHOWN: usize = 400;

/// How long the streams may stay open after the command's processes were killed: one of them may have left their group.
const DRAIN: Duration = Duration::from_secs(1);

/// What a command is run by: it begins when this program has told the guard of its group, so that nothing of it outlives this
/// program. Where this program ended before, it never begins.
const BEGIN: &str = "read -r go && exec sh -c \"$0\" </dev/null";

/// Run a command in the host's shell, and wait for it; what it leaves in the background is ended with it.
#[derive(Deserialize, JsonSchema)]
struct Shell {
    /// Command line for `sh -c`.
    #[schemars(length(min = 1))]
    string: String,
    /// Exit code that counts as success; 0 by default.
    #[serde(default)]
    #[schemars(range(min = 0, max = 255))]
    expect_exit_code: i32,
    /// Seconds; 60 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
    /// Folder to run it in; the project's by default.
    #[serde(default)]
    cwd: Option<String>,
    /// Environment variables to set.
    #[serde(default)]
    env: Object,
}

impl Shell {
    fn patience(&self) -> Duration {
        Duration::from_secs_f64(self.timeout.unwrap_or(60.0).clamp(0.0, 3600.0))
    }

    fn command(&self, cx: &Context) -> Result<Command, Error> {
        let mut command = Command::new("sh");
        command.args(["-c", BEGIN]).arg(&self.string).process_group(0).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for (name, value) in &self.env {
            command.env(name, variable(value).ok_or_else(|| no_variable(name))?);
        }
        let folder = match &self.cwd {
            Some(name) => Some(cx.files().named(name)),
            None => cx.session.folder().map(ToOwned::to_owned),
        };
        if let Some(folder) = folder {
            if !folder.is_dir() {
                return Err(Error::new(Kind::BadArgument, format!("shell: {} is not a folder", folder.display())));
            }
            command.current_dir(folder);
        }
        Ok(command)
    }
}

impl Tool for Shell {
    const NAME: &'static str = "shell";
    const SET: Option<Toolset> = None;
    const KIND: ToolKind = ToolKind::Other;
    const NAMES_FILES: bool = true;
    const PARAMS: Shape = Shape::Fields(&["string"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("command", "string")];
    const EXPOSURE: Exposure = Exposure::Testcase;
    const NEEDS_DEVICE: bool = false;
    const MAIN: Option<&'static str> = Some("stdout");

    fn check(&self) -> Result<(), String> {
        if self.string.trim().is_empty() {
            return Err("`string` is empty, which does nothing".to_owned());
        }
        for (name, value) in &self.env {
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(format!("env: `{name}` is not a name for a variable"));
            }
            if variable(value).is_none() {
                return Err(no_variable(name).message);
            }
        }
        Ok(())
    }

    fn limit(&self) -> Duration {
        self.patience() + DRAIN + Duration::from_secs(5)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let broken = |error: io::Error| Error::new(Kind::Service, format!("shell: cannot run `sh`: {error}"));
        let mut child = self.command(cx)?.spawn().map_err(broken)?;
        let group = Group::of(&child);
        if let Some(mut stdin) = child.stdin.take() {
            // A shell that is gone already has its end told below.
            let _ = stdin.write_all(b"\n").await;
        }
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (mut out, mut err) = (Capture::default(), Capture::default());
        let ended = {
            let reading = async { tokio::join!(out.read(stdout), err.read(stderr)) };
            let waiting = tokio::time::timeout(self.patience(), child.wait());
            tokio::pin!(reading, waiting);
            let mut drained = false;
            let ended = loop {
                tokio::select! {
                    ended = &mut waiting => break ended,
                    // A command may close its streams and go on.
                    _ = &mut reading, if !drained => drained = true,
                }
            };
            drop(group);
            if !drained {
                let _ = tokio::time::timeout(DRAIN, reading).await;
            }
            ended
        };
        let Ok(status) = ended else {
            let message = format!("shell: timed out after {} s; the command was killed", self.patience().as_secs_f64());
            return Err(with_output(Error::new(Kind::Service, message), &out, &err));
        };
        self.judge(status.map_err(broken)?, &out, &err)
    }
}

impl Shell {
    fn judge(&self, status: ExitStatus, out: &Capture, err: &Capture) -> Result<Reply, Error> {
        let Some(code) = status.code() else {
            let message = format!("shell: the command was killed: {status}");
            return Err(with_output(Error::new(Kind::Assertion, message), out, err));
        };
        if code != self.expect_exit_code {
            let message = format!("shell: expected exit code {} but was {code}", self.expect_exit_code);
            return Err(with_output(Error::new(Kind::Assertion, message), out, err).with("exit_code", code));
        }
        let reply = Reply::new(format!("Exit code {code}")).with("exit_code", code);
        let reply = reply.with("stdout", out.text()).with("stderr", err.text());
        let cut: Object = [("stdout", out), ("stderr", err)].into_iter().filter_map(Capture::cut).collect();
        Ok(if cut.is_empty() { reply } else { reply.with(TRUNCATED, cut) })
    }
}

fn variable(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.contains('\0') => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

fn no_variable(name: &str) -> Error {
    Error::new(Kind::BadArgument, format!("env: the value of `{name}` must be a text or a number"))
}

/// Adds what the command said last.
fn with_output(mut error: Error, out: &Capture, err: &Capture) -> Error {
    for (name, capture) in [("stderr", err), ("stdout", out)] {
        let text = capture.text();
        let tail = tail(text.trim_end());
        if !tail.is_empty() {
            error.message.push_str(&format!("\n{name}: {tail}"));
            error = error.with(name, tail);
        }
    }
    error
}

fn tail(text: &str) -> String {
    match text.char_indices().nth_back(SHOWN - 1) {
        Some((start, _)) if start > 0 => format!("…{}", &text[start..]),
        _ => text.to_owned(),
    }
}

/// A command and all that it started; whoever drops it kills them.
struct Group(Option<Guarded>);

impl Group {
    fn of(child: &Child) -> Self {
        let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        Self(pid.map(Guarded::new))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // There may be nobody left to kill.
        let _ = self.0.as_ref().map(|group| kill_process_group(group.pid, Signal::KILL));
    }
}

/// The beginning and the end of a stream.
#[derive(Default)]
struct Capture {
    head: Vec<u8>,
    tail: Vec<u8>,
    total: u64,
}

impl Capture {
    /// Reads a stream to its end, in bounded memory.
    async fn read(&mut self, stream: Option<impl AsyncRead + Unpin>) {
        let Some(mut stream) = stream else { return };
        let mut buffer = vec![0; 16 << 10];
        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
            self.take(&buffer[..read]);
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(KEPT / 2 - self.head.len()));
        self.head.extend_from_slice(first);
        self.tail.extend_from_slice(rest);
        // Half of it is moved rarely rather than a little of it always.
        if self.tail.len() > KEPT {
            self.tail.drain(..self.tail.len() - KEPT / 2);
        }
    }

    fn last(&self) -> &[u8] {
        &self.tail[self.tail.len().saturating_sub(KEPT / 2)..]
    }

    fn is_cut(&self) -> bool {
        self.total > (self.head.len() + self.last().len()) as u64
    }

    /// Returns what an answer says of a stream that was cut: its bytes, and how many of them are kept at most.
    fn cut((name, capture): (&str, &Self)) -> Option<(String, Value)> {
        capture.is_cut().then(|| (name.to_owned(), json!({"printed": capture.total, "kept": KEPT})))
    }

    /// Returns the stream without the line ends that it closes with, as `$(…)` gives it.
    fn text(&self) -> String {
        let last = self.last();
        if !self.is_cut() {
            let text = String::from_utf8_lossy(&[&self.head, last].concat()).into_owned();
            return text.trim_end_matches(['\n', '\r']).to_owned();
        }
        let missing = self.total - (self.head.len() + last.len()) as u64;
        let (head, last) = (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(last));
        format!("{head}\n… {missing} bytes are left out …\n{last}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_a_long_stream_are_kept() {
        let mut capture = Capture::default();
        let line = vec![b'x'; 10_000];
        capture.take(b"first ");
        (0..1000).for_each(|_| capture.take(&line));
        capture.take(b" last");
        assert!(capture.head.len() + capture.tail.capacity() <= 4 * KEPT);
        let text = capture.text();
        assert!(capture.is_cut() && text.starts_with("first ") && text.ends_with(" last"));
        assert!(text.contains(&format!("{} bytes are left out", 10_000_011 - KEPT as u64)));
    }

    #[test]
    fn a_short_stream_is_kept_whole() {
        let mut capture = Capture::default();
        ["登".as_bytes(), "录\n".as_bytes()].iter().for_each(|bytes| capture.take(bytes));
        assert!(!capture.is_cut());
        assert_eq!(capture.text(), "登录");
        let mut capture = Capture::default();
        capture.take(b"\n a \n\r\n\n");
        assert_eq!(capture.text(), "\n a ");
        assert_eq!(tail(&"录".repeat(401)), format!("…{}", "录".repeat(400)));
    }
}
