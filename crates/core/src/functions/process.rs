//! One Python process: its start, a question and its answer, its end.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use super::{Call, Error};

/// What is run in front of the file: it reads calls and writes answers.
const SERVE: &str = include_str!("serve.py");

/// Longest answer, in bytes.
const MAX_LEN: u64 = 10 << 20;

/// How much of what the functions printed last an error shows, in bytes.
const TAIL: usize = 2000;

/// How long the threads may take to bring the last words of a process that died.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// The first process of a group, which is killed as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leader(Pid);

impl Leader {
    pub(super) fn kill(self) {
        // There may be nobody left to kill.
        let _ = kill_process_group(self.0, Signal::KILL);
    }
}

pub(super) struct Process {
    child: Child,
    leader: Leader,
    questions: Sender<Vec<u8>>,
    answers: Receiver<io::Result<Vec<u8>>>,
    printed: Arc<Mutex<VecDeque<u8>>>,
    asked: u64,
    is_ready: bool,
}

impl Drop for Process {
    fn drop(&mut self) {
        self.leader.kill();
        // A process that left its group would be waited for in vain.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Process {
    pub(super) fn start(path: &Path, root: &Path) -> Result<Self, Error> {
        if let Err(error) = std::fs::metadata(path) {
            return Err(Error::Unreadable { path: path.display().to_string(), message: error.to_string() });
        }
        let no_python = |message: String| Error::NoPython { message };
        let mut command = Command::new("python3");
        command.args(["-u", "-c", SERVE]).arg(path).current_dir(root).process_group(0);
        command.env("PYTHONDONTWRITEBYTECODE", "1").env("PYTHONIOENCODING", "utf-8");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| no_python(error.to_string()))?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let leader = Leader(pid.ok_or_else(|| no_python("it has no process number".to_owned()))?);
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(no_python("it has no pipes".to_owned()));
        };
        let printed = Arc::default();
        keep_last(stderr, Arc::clone(&printed));
        let (questions, answers) = (write_to(stdin), lines_of(stdout));
        Ok(Self { child, leader, questions, answers, printed, asked: 0, is_ready: false })
    }

    pub(super) fn leader(&self) -> Leader {
        self.leader
    }

    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Makes a call and waits for its answer.
    pub(super) fn answer(&mut self, path: &Path, call: &Call, deadline: Instant) -> Result<Value, Error> {
        let file = || path.display().to_string();
        if !self.is_ready {
            let ready = self.receive(call, deadline)?;
            if ready["ready"] != true {
                return Err(Error::Broken { file: file(), message: text(&ready["error"]), lines: lines(&ready) });
            }
            self.is_ready = true;
        }
        self.asked += 1;
        let question = json!({"id": self.asked, "name": call.name, "args": call.args, "kwargs": call.kwargs});
        // Where nobody reads any more, nobody answers either, which is told below.
        let _ = self.questions.send(format!("{question}\n").into_bytes());
        let mut answer = self.receive(call, deadline)?;
        let name = || call.name.clone();
        if answer["id"] != self.asked {
            return Err(garbled(call, "an answer that nobody asked for"));
        }
        if answer.get("unknown").is_some() {
            return Err(Error::Unknown { file: file(), name: name() });
        }
        if let Some(message) = answer.get("unfit") {
            return Err(Error::Unfit { name: name(), message: text(message) });
        }
        if let Some(message) = answer.get("error") {
            return Err(Error::Raised { name: name(), message: text(message), lines: lines(&answer) });
        }
        answer.get_mut("result").map(Value::take).ok_or_else(|| garbled(call, "neither a result nor an error"))
    }

    fn receive(&mut self, call: &Call, deadline: Instant) -> Result<Value, Error> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.answers.recv_timeout(left) {
            Ok(Ok(line)) => serde_json::from_slice(&line).map_err(|_| garbled(call, &clip(&line))),
            Ok(Err(error)) => Err(garbled(call, &error.to_string())),
            Err(RecvTimeoutError::Timeout) => Err(Error::Hung { name: call.name.clone(), timeout: call.timeout }),
            Err(RecvTimeoutError::Disconnected) => Err(self.death(call)),
        }
    }

    /// Says how the process ended, and what it printed last.
    fn death(&mut self, call: &Call) -> Error {
        thread::sleep(LAST_WORDS);
        let how = match self.child.try_wait() {
            Ok(Some(status)) => format!(" ({status})"),
            _ => String::new(),
        };
        let printed = self.printed.lock();
        let bytes: Vec<u8> = printed.iter().copied().collect();
        let said = String::from_utf8_lossy(&bytes).trim().to_owned();
        let said = if said.is_empty() { String::new() } else { format!("; it printed last: {said}") };
        Error::Died { name: call.name.clone(), message: how + &said }
    }
}

fn garbled(call: &Call, message: &str) -> Error {
    Error::Garbled { name: call.name.clone(), message: message.to_owned() }
}

fn clip(line: &[u8]) -> String {
    String::from_utf8_lossy(line).chars().take(80).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn lines(answer: &Value) -> Vec<String> {
    answer["lines"].as_array().into_iter().flatten().map(text).collect()
}

/// Writes on a thread of its own: a process that does not read must hold nobody up.
fn write_to(mut stdin: ChildStdin) -> Sender<Vec<u8>> {
    let (sender, receiver) = mpsc::channel::<Vec<u8>>();
    thread::spawn(move || {
        while let Ok(bytes) = receiver.recv() {
            if stdin.write_all(&bytes).and_then(|()| stdin.flush()).is_err() {
                return;
            }
        }
    });
    sender
}

/// Reads lines on a thread of its own, so that whoever waits for one can stop to.
fn lines_of(stdout: impl Read + Send + 'static) -> Receiver<io::Result<Vec<u8>>> {
    // More than one line at a time is nonsense that need not be kept.
    let (sender, receiver) = mpsc::sync_channel(4);
    thread::spawn(move || {
        let mut stdout = BufReader::new(stdout);
        loop {
            let mut line = Vec::new();
            let read = stdout.by_ref().take(MAX_LEN).read_until(b'\n', &mut line);
            let sent = match read {
                Ok(0) => return,
                Ok(_) if line.last() != Some(&b'\n') && line.len() as u64 >= MAX_LEN => {
                    let message = format!("the answer is longer than {} MiB", MAX_LEN >> 20);
                    let _ = sender.send(Err(io::Error::other(message)));
                    return;
                }
                done => sender.send(done.map(|_| line)),
            };
            if sent.is_err() {
                return;
            }
        }
    });
    receiver
}

/// Reads what the functions print; passes it to the log and keeps the end of it.
fn keep_last(stderr: impl Read + Send + 'static, printed: Arc<Mutex<VecDeque<u8>>>) {
    thread::spawn(move || {
        let mut stderr = stderr;
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = stderr.read(&mut buffer) {
            let bytes = &buffer[..read];
            tracing::debug!(target: "uixt::functions", "{}", String::from_utf8_lossy(bytes).trim_end());
            let mut kept = printed.lock();
            kept.extend(bytes);
            let excess = kept.len().saturating_sub(TAIL);
            kept.drain(..excess);
        }
    });
}
