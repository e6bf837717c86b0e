//! Calls of Python functions → their results, as `HttpRunner` calls those of `debugtalk.py`. Knows nothing else of the crate.
//!
//! A file's functions run in one process that is started at the first call and stays open; calls and answers are lines of
//! JSON over its pipes. Every call has a deadline: a process that hangs, dies or answers nonsense is killed with all that it
//! started, and the next call starts a fresh one.

mod asker;
mod names;
mod process;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Map, Value};

pub use asker::{Asked, Asker};
pub use names::{Names, names};
use process::Process;

/// How long a call may take that is not asked to last.
pub const TIMEOUT: Duration = Duration::from_secs(30);

/// The name of the file that is looked for in a project's folder.
pub const FILE: &str = "debugtalk.py";

/// Why a call has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("cannot read {path}: {message}")]
    Unreadable { path: String, message: String },
    #[error("cannot start python3: {message}; functions need Python 3 on the PATH")]
    NoPython { message: String },
    /// The file itself cannot be run.
    #[error("{file} cannot be loaded: {message}{}", at(.lines))]
    Broken { file: String, message: String, lines: Vec<String> },
    #[error("{file} has no function `{name}`")]
    Unknown { file: String, name: String },
    /// The function raised an exception.
    #[error("{name}: {message}{}", at(.lines))]
    Raised {
        name: String,
        message: String,
        /// `file:line in function`, the innermost last.
        lines: Vec<String>,
    },
    #[error("{name} returns a value that JSON cannot hold: {message}")]
    Unfit { name: String, message: String },
    #[error("{name}: timed out after {timeout:?}; its Python process was killed")]
    Hung { name: String, timeout: Duration },
    #[error("{name}: its Python process ended before it answered{message}")]
    Died { name: String, message: String },
    #[error("{name}: its Python process sent an invalid answer and was killed: {message}")]
    Garbled { name: String, message: String },
    #[error("{name}: ended from outside")]
    Ended { name: String },
}

fn at(lines: &[String]) -> String {
    match lines {
        [] => String::new(),
        _ => format!(" (at {})", lines.join(", ")),
    }
}

/// One call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub name: String,
    pub args: Vec<Value>,
    pub kwargs: Map<String, Value>,
    /// How long it may take once it has its turn, a start of the process included.
    pub timeout: Duration,
}

impl Call {
    pub fn new(name: impl Into<String>, args: Vec<Value>) -> Self {
        Self { name: name.into(), args, kwargs: Map::new(), timeout: TIMEOUT }
    }

    /// Adds arguments that are given by name.
    #[must_use]
    pub fn with_kwargs(mut self, kwargs: Map<String, Value>) -> Self {
        self.kwargs = kwargs;
        self
    }

    #[must_use]
    pub fn within(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }
}

/// The functions of one file. Clones share its process, which ends with the last of them.
#[derive(Clone)]
pub struct Functions {
    shared: Arc<Shared>,
}

struct Shared {
    path: PathBuf,
    /// The working directory of the process.
    root: PathBuf,
    /// Held for a whole call: one at a time.
    process: Mutex<Option<Process>>,
}

impl std::fmt::Debug for Functions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Functions").field("path", &self.shared.path).finish_non_exhaustive()
    }
}

impl Functions {
    /// Makes a handle; nothing is started before the first call. The process runs in the file's folder.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let root =
            path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_path_buf();
        Self::in_folder(path, root)
    }

    /// Makes a handle whose process runs in `root`.
    pub fn in_folder(path: impl Into<PathBuf>, root: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let path = std::path::absolute(&path).unwrap_or(path);
        Self { shared: Arc::new(Shared { path, root: root.into(), process: Mutex::default() }) }
    }

    /// Makes a handle for the functions of a project's folder; none where it has none.
    pub fn of_project(folder: &Path) -> Option<Self> {
        let path = folder.join(FILE);
        path.is_file().then(|| Self::new(path))
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// Calls a function and waits for its result on this thread, at most for the call's timeout and those before it.
    ///
    /// Within tokio's multi-threaded runtime other tasks go on meanwhile.
    pub fn call_blocking(&self, call: &Call) -> Result<Value, Error> {
        self.call_for(&Asked::default(), call)
    }

    /// Does the same for somebody who may stop to wait: the call then ends with its process, or never begins.
    pub fn call_for(&self, asked: &Asked, call: &Call) -> Result<Value, Error> {
        blocking(|| self.shared.call(call, asked))
    }

    /// Calls a function. Dropping the future ends the call, and its process where it had begun.
    pub async fn call(&self, call: Call) -> Result<Value, Error> {
        let (name, asker) = (call.name.clone(), Asker::default());
        let (shared, asked) = (Arc::clone(&self.shared), asker.asked());
        let done = tokio::task::spawn_blocking(move || shared.call(&call, &asked)).await;
        done.unwrap_or(Err(Error::Ended { name }))
    }
}

/// Tells the runtime, where there is one that can be told, that this thread is about to wait.
fn blocking<T>(work: impl FnOnce() -> T) -> T {
    use tokio::runtime::{Handle, RuntimeFlavor};
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

impl Shared {
    fn call(&self, call: &Call, asked: &Asked) -> Result<Value, Error> {
        let mut held = self.process.lock();
        let ended = || Error::Ended { name: call.name.clone() };
        // Its turn may come when nobody waits any more: then nothing is started for it.
        if !asked.is_awaited() {
            return Err(ended());
        }
        let deadline = std::time::Instant::now() + call.timeout;
        if held.as_mut().is_some_and(|process| !process.is_alive()) {
            *held = None;
        }
        let mut process = match held.take() {
            Some(process) => process,
            None => Process::start(&self.path, &self.root)?,
        };
        if !asked.begin(process.leader()) {
            *held = Some(process);
            return Err(ended());
        }
        let done = process.answer(&self.path, call, deadline);
        if !asked.end() {
            return Err(ended());
        }
        if !matches!(done, Err(Error::Broken { .. } | Error::Hung { .. } | Error::Died { .. } | Error::Garbled { .. }))
        {
            *held = Some(process);
        }
        done
    }
}
