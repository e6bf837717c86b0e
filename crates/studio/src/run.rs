//! What the program does for the page: it reads testcases, and runs them on the device that is on show.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use uixt_call::Boxed;
use uixt_core::result::{Entry, Event, Outcome};
use uixt_testcase::{Error, TestCase};

/// Hears what happens in a run.
pub type Observer = Box<dyn FnMut(&Entry) + Send>;

/// What is to be run.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// Testcases, from the project's folder.
    pub paths: Vec<PathBuf>,
    /// Of one testcase only the steps that stand in these lines, on the device as it is; all of it, on a device that is made ready, where none.
    pub lines: Option<(u32, u32)>,
    /// The folder for its report.
    pub folder: PathBuf,
    /// What was typed secretly while it was recorded, by the names of the environment.
    pub secrets: Vec<(String, String)>,
}

/// Reads testcases and runs them.
pub trait Workshop: Send + Sync {
    /// Reads a text as if it stood in a file.
    fn read(&self, path: &std::path::Path, text: &str) -> Result<TestCase, Vec<Error>>;

    /// Returns what is to be said of a testcase that can run.
    fn warnings(&self, case: &TestCase) -> Vec<String>;

    /// Makes the folder for the report of a run that begins now.
    fn folder(&self) -> Result<PathBuf, String>;

    /// Runs; the error says why nothing could be run.
    fn run(&self, wish: Wish, observer: Observer, stop: CancellationToken) -> Boxed<'_, Result<Outcome, String>>;

    /// Returns every testcase of the project, with how it ended last.
    fn cases(&self) -> Boxed<'_, Vec<Value>>;
}

/// Writes what pages are told of an event of a run; none of what they do not show.
pub(crate) fn told(entry: &Entry) -> Option<Value> {
    Some(match &entry.event {
        Event::StepStarted { step, name, place, .. } => {
            json!({"event": "step_started", "file": place.file, "line": place.line, "step": step, "name": name})
        }
        Event::ActionFinished { step, tool, place, screenshot, mark, message, elapsed_ms, .. } => json!({
            "event": "action", "file": place.file, "line": place.line, "step": step, "tool": tool, "ms": elapsed_ms,
            "message": message, "picture": screenshot, "mark": mark,
        }),
        Event::StepFinished { step, name, place, outcome, elapsed_ms, error, .. } => json!({
            "event": "step", "file": place.file, "line": place.line, "step": step, "name": name, "outcome": outcome,
            "ms": elapsed_ms, "message": error.as_ref().map_or("", |error| error.message.as_str()), "error": error,
        }),
        Event::CaseStarted { case, name, file, steps, .. } => {
            json!({"event": "case_started", "case": case, "file": file, "name": name, "steps": steps})
        }
        Event::CaseFinished { case, outcome, elapsed_ms, error, .. } => {
            json!({"event": "case", "case": case, "outcome": outcome, "ms": elapsed_ms, "error": error})
        }
        Event::Log { level, message, .. } if !message.starts_with("evidence of") => {
            json!({"event": "log", "lines": [{"at": entry.at.to_rfc3339(), "level": level, "text": message}]})
        }
        _ => return None,
    })
}

/// A run that goes on.
pub(crate) struct Running {
    pub(crate) file: String,
    pub(crate) stop: CancellationToken,
}

pub(crate) type Shared = Arc<dyn Workshop>;
