//! Runs: what the program does for the page, and what pages are told of it meanwhile.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use uixt_call::{Boxed, CallRecord};
use uixt_core::result::{Entry, Event, Outcome};
use uixt_locate::{Error, Kind};
use uixt_testcase::TestCase;

use crate::studio::Studio;

/// Hears what happens in a run.
pub type Observer = Box<dyn FnMut(&Entry) + Send>;

/// What is to be run.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// Testcases, from the project's folder.
    pub paths: Vec<PathBuf>,
    /// The number of the device to run on.
    pub device: usize,
    /// Of one testcase only the steps that stand in these lines, on the device as it is; all of it, on a device that is made ready, where none.
    pub lines: Option<(u32, u32)>,
    /// The folder for its report.
    pub folder: PathBuf,
    /// What was typed secretly while it was recorded, by the names of the environment.
    pub secrets: Vec<(String, String)>,
}

/// What a model is to reach.
pub struct Goal {
    pub words: String,
    /// The number of the device.
    pub device: usize,
    /// Hears what each call on the way did.
    pub hears: Box<dyn Fn(&CallRecord) + Send + Sync>,
}

/// What somebody decides about a run that is over.
#[derive(Clone, Debug)]
pub enum Decision {
    /// Takes what it saw as what the picture of this file is compared with from now on.
    Accept(String),
    /// Asks what could be mended.
    Offer,
    /// Mends what stands at a place by one of the choices.
    Mend { place: String, choice: usize },
}

/// Reads testcases and runs them.
pub trait Workshop: Send + Sync {
    /// Reads a text as if it stood in a file.
    fn read(&self, path: &std::path::Path, text: &str) -> Result<TestCase, Vec<uixt_testcase::Error>>;

    /// Returns what is to be said of a testcase that can run.
    fn warnings(&self, case: &TestCase) -> Vec<String>;

    /// Makes the folder for the report of a run that begins now.
    fn folder(&self) -> Result<PathBuf, String>;

    /// Runs; the error says why nothing could be run.
    fn run(&self, wish: Wish, observer: Observer, stop: CancellationToken) -> Boxed<'_, Result<Outcome, String>>;

    /// Has a model reach a goal in words on a device, and tells what each call on the way did. Returns what came of it; the error says why
    /// nothing did.
    fn reach(&self, goal: Goal, stop: CancellationToken) -> Boxed<'_, Result<String, String>>;

    /// Leaves a part of the screen, in fractions of it, out of the comparison that the step at a line of a text makes; returns the new text.
    fn mask(&self, text: &str, line: u32, rect: [f64; 4]) -> Result<String, String>;

    /// Does what somebody decided about the run of a folder.
    fn decide(&self, folder: PathBuf, decision: Decision) -> Boxed<'_, Result<Value, String>>;

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

/// Something runs on a device as long as this is held.
pub(crate) struct Busy {
    studio: Arc<Studio>,
    device: usize,
}

impl Drop for Busy {
    fn drop(&mut self) {
        *self.studio.running.lock() = None;
        self.studio.occupy(self.device, false);
    }
}

pub(crate) type Shared = Arc<dyn Workshop>;

impl Studio {
    /// Runs a testcase, or the steps from a line on, or the one of a line.
    pub(crate) fn run_file(
        self: &Arc<Self>,
        device: usize,
        path: &str,
        (text, version): (Option<String>, Option<String>),
        (from, only): (Option<u32>, Option<u32>),
    ) -> Result<Value, Error> {
        let told = |why: String| Error::new(Kind::Service, why);
        self.drafts.place(path).map_err(told)?;
        // What runs is what the file holds.
        let saved = text.map(|text| self.save_over(path, &text, version.as_deref())).transpose()?;
        let lines = match (from, only) {
            (_, Some(line)) => Some((line, line)),
            (Some(line), None) => Some((line, u32::MAX)),
            (None, None) => None,
        };
        let secrets = self.recording.lock().secrets();
        self.begin(path, Wish { paths: vec![PathBuf::from(path)], device, lines, secrets, ..Wish::default() })
            .map_err(told)?;
        Ok(json!({"version": saved}))
    }

    pub(crate) fn run_cases(self: &Arc<Self>, device: usize, paths: &[String]) -> Result<(), String> {
        paths.iter().try_for_each(|path| self.drafts.place(path).map(drop))?;
        if let Some(path) = paths.iter().find(|path| self.drafts.has_draft(path)) {
            return Err(format!("{path} has edits that are not saved: open it, and save or take them back, then run"));
        }
        let secrets = self.recording.lock().secrets();
        let paths = paths.iter().map(PathBuf::from).collect();
        self.begin("", Wish { paths, device, secrets, ..Wish::default() })
    }

    fn begin(self: &Arc<Self>, file: &str, wish: Wish) -> Result<(), String> {
        let device = wish.device;
        let (busy, stop) = self.claim(device, file)?;
        let folder = self.workshop.folder()?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let wish = Wish { folder: folder.clone(), ..wish };
        self.tell(json!({"event": "run", "state": "started", "file": file, "folder": name}));
        let studio = Arc::clone(self);
        let file = file.to_owned();
        tokio::spawn(async move {
            let observing = Arc::clone(&studio);
            let kept = folder.clone();
            let observer = Box::new(move |entry: &Entry| {
                if let Event::ActionFinished { screenshot: Some(picture), .. } = &entry.event {
                    observing.give(device, kept.join(picture));
                }
                if let Some(event) = told(entry) {
                    observing.tell(event);
                }
            });
            let ended = studio.workshop.run(wish, observer, stop).await;
            if ended.is_err() {
                // Only a folder into which nothing was written goes.
                let _ = std::fs::remove_dir(&folder);
            }
            drop(busy);
            studio.tell(match ended {
                Ok(outcome) => {
                    json!({"event": "run", "state": "ended", "file": file, "folder": name, "outcome": outcome})
                }
                Err(message) => {
                    json!({"event": "run", "state": "ended", "file": file, "outcome": "errored", "message": message})
                }
            });
        });
        Ok(())
    }

    /// Begins what nothing else may run beside, until what is returned is dropped, or asked to stop.
    pub(crate) fn claim(self: &Arc<Self>, device: usize, what: &str) -> Result<(Busy, CancellationToken), String> {
        self.is_ours()?;
        let stop = CancellationToken::new();
        let mut running = self.running.lock();
        if let Some(running) = &*running {
            return Err(format!("{} runs; stop it first", running.file));
        }
        *running = Some(Running { file: what.to_owned(), stop: stop.clone() });
        self.occupy(device, true);
        Ok((Busy { studio: Arc::clone(self), device }, stop))
    }

    /// Shows a picture that a run kept, where somebody looks at a device that sends none by itself.
    fn give(&self, device: usize, picture: PathBuf) {
        let Ok(stage) = self.stage(device).map(Arc::clone) else { return };
        if stage.is_looked_at() && !stage.films() {
            tokio::task::spawn_blocking(move || std::fs::read(picture).map(|png| stage.give(png)));
        }
    }

    /// Says that a run begins with a device, or ends.
    fn occupy(&self, device: usize, is_busy: bool) {
        if let Ok(stage) = self.stage(device) {
            stage.occupy(is_busy);
        }
    }

    pub(crate) fn stop(&self) {
        if let Some(running) = &*self.running.lock() {
            running.stop.cancel();
        }
    }
}
