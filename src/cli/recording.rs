//! `--record FILE`: what agents do, written down as testcases.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;

use super::exit::{Done, Exit, Failure};
use crate::caller::Caller;
use crate::recorder::{Recorder, Recording};

/// Options of commands whose calls may be recorded.
#[derive(Args, Debug, Default)]
pub(super) struct RecordingArgs {
    /// Testcase to write: every call that succeeds becomes a step. Further sessions write FILE-2, FILE-3, …
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Overwrite the testcase of --record.
    #[arg(long, requires = "record")]
    force: bool,
}

/// What is recorded while a command runs.
pub(super) struct Recorded {
    recording: Option<Arc<Recording>>,
    sessions: Mutex<Vec<Arc<Recorder>>>,
}

impl RecordingArgs {
    /// Prepares the file, before any device is opened.
    pub(super) fn open(&self) -> Result<Recorded, Failure> {
        let recording = self.record.clone().map(|path| Recording::open(path, self.force)).transpose();
        let recording = recording.map_err(Failure::usage)?.map(Arc::new);
        Ok(Recorded { recording, sessions: Mutex::default() })
    }
}

impl Recorded {
    /// Records what goes to a session's caller, where that was asked for; each session has a file of its own.
    pub(super) fn around(&self, caller: Arc<dyn Caller>) -> Arc<dyn Caller> {
        let Some(recording) = &self.recording else { return caller };
        let recorder = Arc::new(Recorder::new(caller, Arc::clone(recording)));
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&recorder));
        recorder
    }

    /// Says which files were written; an error where one could not be.
    pub(super) fn close(&self) -> Done {
        for recorder in self.sessions.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            if let Some(trouble) = recorder.trouble() {
                return Err(Failure::errored(trouble));
            }
            if let Some(path) = recorder.path() {
                eprintln!("recorded {}", path.display());
            }
        }
        Ok(Exit::Passed)
    }
}
