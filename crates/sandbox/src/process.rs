//! A Python behind its walls: started, asked, ended.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdStream;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, waitid};
use serde_json::{Value, json};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};

use super::capture::Capture;
use super::folder::Folder;
use super::frame::{self, Lost};
use super::python::{Python, python};
use super::stage::Stage;
use super::{Error, bubblewrap, process_tree, spawner, walls};

/// How long it may take to start.
const STARTING: Duration = Duration::from_secs(30);
/// How long a process may take to end that has closed its socket.
const ENDING: Duration = Duration::from_secs(2);
/// What Python runs.
const DRIVER: &str = include_str!("driver.py");

/// A Python that is ready to be asked. Dropped, it is killed.
pub(crate) struct Process {
    child: Child,
    pub(crate) socket: UnixStream,
    pub(crate) stdout: Capture,
    pub(crate) stderr: Capture,
    /// The walls that stand, as it said itself when they stood.
    pub(crate) walls: Vec<String>,
}

impl Process {
    /// Starts a Python in a session's folder, and waits until it can be asked.
    pub(crate) async fn start(folder: &Folder) -> Result<Self, Error> {
        if let Some(why) = walls::MISSING {
            return Err(Error::Unsupported(why.to_owned()));
        }
        let python = python().await?;
        let mut process = Self::spawn(python, folder).await.map_err(|error| Error::Start(error.to_string()))?;
        let ready = tokio::time::timeout(STARTING, process.ready()).await;
        match ready.unwrap_or_else(|_| Err("it is not ready in time".to_owned())) {
            Ok(()) => Ok(process),
            Err(why) if why.starts_with("nothing keeps it") => Err(Error::Unsupported(why)),
            Err(why) => Err(Error::Start(process.blamed(&why))),
        }
    }

    async fn spawn(python: &Python, folder: &Folder) -> std::io::Result<Self> {
        let wrapper = bubblewrap::bubblewrap(python).await;
        let stage = stage(python, folder, wrapper.is_some());
        let mut command = match wrapper {
            Some(program) => bubblewrap::around(program, &stage)?,
            None => stage.command()?,
        };
        let (own, other) = StdStream::pair()?;
        own.set_nonblocking(true)?;
        let (stdout, stderr) = (piped(&mut command, Command::stdout)?, piped(&mut command, Command::stderr)?);
        command.stdin(OwnedFd::from(other)).current_dir(folder.work()).kill_on_drop(true);
        let child = spawner::spawn(command).await?;
        Ok(Self { child, socket: UnixStream::from_std(own)?, stdout, stderr, walls: Vec::new() })
    }

    /// Waits until the walls stand and Python runs behind them.
    async fn ready(&mut self) -> Result<(), String> {
        let told = self.told().await?;
        if let Some(why) = told["failed"].as_str() {
            return Err(why.to_owned());
        }
        self.walls =
            told["walls"].as_array().into_iter().flatten().filter_map(|wall| Some(wall.as_str()?.to_owned())).collect();
        self.told().await?["ready"].as_bool().map(|_| ()).ok_or_else(|| "it says something else first".to_owned())
    }

    async fn told(&mut self) -> Result<Value, String> {
        frame::receive(&mut self.socket).await.map_err(|lost| match lost {
            Lost::Closed => "it ended".to_owned(),
            Lost::Garbled(why) => why,
        })
    }

    /// Adds what a process that did not start has printed.
    fn blamed(&mut self, why: &str) -> String {
        let printed = self.stderr.finish().text;
        let last: Vec<&str> = printed.trim().lines().rev().take(3).collect();
        let last: Vec<&str> = last.into_iter().rev().collect();
        if last.is_empty() { why.to_owned() } else { format!("{why}: {}", last.join(" ")) }
    }

    /// Stops it until it is asked again: threads that go on take nobody's processor meanwhile.
    pub(crate) fn pause(&self) {
        self.pid().into_iter().for_each(|pid| process_tree::signal(pid, Signal::STOP));
    }

    pub(crate) fn go_on(&self) {
        self.pid().into_iter().for_each(|pid| process_tree::signal(pid, Signal::CONT));
    }

    pub(crate) fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// Returns how it ended, once its socket is closed; none where it goes on.
    pub(crate) async fn ended(&mut self) -> Option<ExitStatus> {
        tokio::time::timeout(ENDING, self.child.wait()).await.ok()?.ok()
    }

    /// Kills it and waits until it is dead.
    pub(crate) fn kill(&mut self) {
        let Some(pid) = self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw) else { return };
        let _ = self.child.start_kill();
        // It is left to the runtime to collect it.
        let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn piped(command: &mut Command, stream: fn(&mut Command, Stdio) -> &mut Command) -> std::io::Result<Capture> {
    let (writer, reader) = pipe::pipe()?;
    stream(command, writer.into_blocking_fd()?.into());
    Ok(Capture::new(reader))
}

/// Returns what becomes the Python of a session.
fn stage(python: &Python, folder: &Folder, is_wrapped: bool) -> Stage {
    let site: Vec<_> = python.site.iter().map(|path| path.to_string_lossy()).collect();
    let settings = json!({"folder": folder.work().to_string_lossy(), "packages": folder.packages().to_string_lossy(), "site": site});
    // Nothing of the environment, nothing of `site`, whose files name folders of the host; no files beside modules.
    let args = ["-I", "-S", "-B", "-X", "utf8", "-c", DRIVER, &settings.to_string()].map(str::to_owned);
    let mut read = python.read.clone();
    read.push(folder.packages());
    Stage {
        phase: "python",
        program: python.program.clone(),
        args: args.to_vec(),
        read,
        write: vec![folder.work()],
        is_wrapped,
    }
}
