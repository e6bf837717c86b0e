//! One session: a Python that is kept open from call to call, and begun anew where it ended.

use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use parking_lot::Mutex as Lock;
use serde_json::{Value, json};
use tokio::sync::{Mutex, watch};

use super::answer::{Answer, Code};
use super::folder::{Folder, Root};
use super::frame::{self, Lost};
use super::process::Process;
use super::{Ended, Error};

/// How often a folder is measured while a code runs.
const MEASURED: Duration = Duration::from_millis(200);

pub(crate) struct Session {
    pub(crate) created: DateTime<Utc>,
    /// Held for a whole call: one at a time.
    python: Mutex<Kept>,
    usage: Lock<Usage>,
    closed: watch::Sender<bool>,
}

/// What is kept from call to call.
pub(crate) struct Kept {
    process: Option<Process>,
    pub(crate) folder: Arc<Folder>,
    /// How the Python ended that there was, which the next call is told.
    ended: Option<String>,
    /// Number of the last call.
    last: u64,
}

/// How a session was used.
#[derive(Clone, Copy)]
pub(crate) struct Usage {
    pub(crate) last: Instant,
    pub(crate) accessed: DateTime<Utc>,
    pub(crate) calls: u64,
    /// Calls that are under way or wait.
    pub(crate) running: usize,
}

/// A call that is under way; dropped, it is not any more.
struct Running<'a>(&'a Session);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut usage = self.0.usage.lock();
        usage.running -= 1;
        (usage.last, usage.accessed) = (Instant::now(), Utc::now());
    }
}

impl Session {
    pub(crate) fn new(root: &Arc<Root>) -> std::io::Result<Self> {
        let folder = Arc::new(root.folder()?);
        let kept = Kept { process: None, folder, ended: None, last: 0 };
        let usage = Usage { last: Instant::now(), accessed: Utc::now(), calls: 0, running: 0 };
        let closed = watch::channel(false).0;
        Ok(Self { created: Utc::now(), python: Mutex::new(kept), usage: Lock::new(usage), closed })
    }

    pub(crate) fn usage(&self) -> Usage {
        *self.usage.lock()
    }

    /// Ends the call that is under way.
    pub(crate) fn close(&self) {
        self.closed.send_replace(true);
    }

    fn begin(&self) -> Running<'_> {
        let mut usage = self.usage.lock();
        usage.running += 1;
        usage.calls += 1;
        (usage.last, usage.accessed) = (Instant::now(), Utc::now());
        Running(self)
    }

    /// Runs a code. Dropping the future ends its Python.
    pub(crate) async fn execute(&self, code: &Code) -> Result<Answer, Error> {
        let _running = self.begin();
        let mut kept = self.python.lock().await;
        let (id, mut answer) = (kept.next(), Answer::default());
        let frame = code.frame(id);
        let done = self.ask(&mut kept, frame, code.limit, &mut answer).await?;
        if let Some(why) = done["refused"].as_str() {
            return Err(Error::BadArgument(why.to_owned()));
        }
        answer.take(done);
        Ok(answer)
    }

    /// Has a package's modules imported; returns its version and their names.
    pub(crate) async fn import(
        &self,
        kept: &mut Kept,
        name: &str,
        limit: Duration,
    ) -> Result<Value, (Answer, Option<Error>)> {
        let (frame, mut answer) = (json!({"id": kept.next(), "distribution": name}), Answer::default());
        let done = match self.ask(kept, frame, limit, &mut answer).await {
            Ok(done) => done,
            Err(error) => return Err((answer, Some(error))),
        };
        answer.take(done);
        if answer.raised.is_some() { Err((answer, None)) } else { Ok(answer.result) }
    }

    /// Waits for the session's turn, for what is done to its folder.
    pub(crate) async fn turn<T>(&self, work: impl AsyncFnOnce(&mut Kept) -> Result<T, Error>) -> Result<T, Error> {
        let _running = self.begin();
        let mut kept = self.python.lock().await;
        let mut closed = self.closed.subscribe();
        tokio::select! {
            done = work(&mut kept) => done,
            _ = closed.wait_for(|closed| *closed) => Err(Error::BadArgument("the session was closed meanwhile".to_owned())),
        }
    }

    /// Asks the Python, which is started where there is none, and takes what it prints until it answers.
    async fn ask(&self, kept: &mut Kept, frame: Value, limit: Duration, answer: &mut Answer) -> Result<Value, Error> {
        let mut process = kept.ready(answer).await?;
        answer.walls.clone_from(&process.walls);
        let began = Instant::now();
        let (folder, mut closed) = (Arc::clone(&kept.folder), self.closed.subscribe());
        let id = frame["id"].clone();
        let pid = process.pid();
        let over = {
            let Process { socket, stdout, stderr, .. } = &mut process;
            let asking = async {
                frame::send(socket, &frame).await.map_err(|_| Lost::Closed)?;
                let done = frame::receive(socket).await?;
                if done["id"] == id { Ok(done) } else { Err(Lost::Garbled("an answer to something else".to_owned())) }
            };
            tokio::select! {
                biased;
                done = asking => Over::Answered(done),
                _ = closed.wait_for(|closed| *closed) => Over::Closed,
                () = tokio::time::sleep(limit) => Over::Late,
                why = filled(&folder, pid) => Over::Filled(why),
                // Last: what prints without end would keep the others from being looked at.
                () = stdout.follow() => Over::Late,
                () = stderr.follow() => Over::Late,
            }
        };
        answer.time = began.elapsed();
        let how = match over {
            Over::Answered(Ok(done)) => match folder.excess(pid) {
                None => {
                    (answer.stdout, answer.stderr) = (process.stdout.finish(), process.stderr.finish());
                    process.pause();
                    kept.process = Some(process);
                    kept.ended = None;
                    return Ok(done);
                }
                Some(why) => (Ended::Disk, why),
            },
            Over::Answered(Err(Lost::Garbled(why))) => {
                (Ended::Channel, format!("it wrote to the channel on which its answers come: {why}"))
            }
            Over::Answered(Err(Lost::Closed)) => match process.ended().await {
                Some(status) => (Ended::Crash, described(status)),
                None => (Ended::Channel, "it closed the channel on which its answers come".to_owned()),
            },
            Over::Filled(why) => (Ended::Disk, why),
            Over::Closed => (Ended::Closed, "the session was closed during the call".to_owned()),
            Over::Late => (Ended::Time, format!("it took longer than {} s", limit.as_secs_f64())),
        };
        process.kill();
        (answer.stdout, answer.stderr) = (process.stdout.finish(), process.stderr.finish());
        kept.ended = Some(how.1.clone());
        Err(gone(how, answer))
    }
}

/// How a call is over.
enum Over {
    Answered(Result<Value, Lost>),
    Filled(String),
    Closed,
    Late,
}

/// Says what has become of the session's Python, and what that means.
fn gone((how, why): (Ended, String), answer: &Answer) -> Error {
    let message = format!(
        "Python was ended: {why}; its variables and files are gone, and the next call of this session begins a new one"
    );
    Error::Ended { how, message, answer: Box::new(answer.clone()) }
}

/// Waits until a folder holds more than it may; says what.
async fn filled(folder: &Arc<Folder>, pid: Option<u32>) -> String {
    loop {
        tokio::time::sleep(MEASURED).await;
        let folder = Arc::clone(folder);
        if let Ok(Some(why)) = tokio::task::spawn_blocking(move || folder.excess(pid)).await {
            return why;
        }
    }
}

fn described(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt as _;
    // Bubblewrap ends as what it runs did, with 128 added to a signal.
    let signal =
        status.signal().or_else(|| status.code().filter(|code| (129..=192).contains(code)).map(|code| code - 128));
    let name = match signal {
        Some(6) => "it aborted (SIGABRT)",
        Some(7) => "it crashed (SIGBUS)",
        Some(8) => "it crashed (SIGFPE)",
        Some(9) => "it was killed (SIGKILL)",
        Some(11) => "it crashed (SIGSEGV), as a bug in a library or endless recursion makes it",
        Some(24) => "it used up its processor time (SIGXCPU)",
        Some(signal) => return format!("it was ended by signal {signal}"),
        None => return format!("it ended itself with exit code {}", status.code().unwrap_or_default()),
    };
    name.to_owned()
}

impl Kept {
    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Returns the walls that stand around the Python.
    pub(crate) fn walls(&self) -> Vec<String> {
        self.process.as_ref().map(|process| process.walls.clone()).unwrap_or_default()
    }

    /// Takes the Python out, so that whoever gives the call up ends it; starts one where there is none.
    async fn ready(&mut self, answer: &mut Answer) -> Result<Process, Error> {
        if let Some(process) = self.process.take() {
            self.ended = Some("its last call was given up".to_owned());
            process.go_on();
            return Ok(process);
        }
        if let Some(why) = self.ended.take() {
            answer.notes.push(format!("a new Python was begun for this session; the one before was ended: {why}"));
            let folder = Arc::clone(&self.folder);
            // There may be much of it.
            let cleared =
                tokio::task::spawn_blocking(move || folder.clear()).await.unwrap_or_else(|error| Err(error.into()));
            cleared.map_err(|error| Error::Start(error.to_string()))?;
        }
        let process = Process::start(&self.folder).await?;
        self.ended = Some("its last call was given up".to_owned());
        Ok(process)
    }
}
