//! `--record FILE`: what agents do, written down as testcases.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use super::exit::Failure;
use crate::caller::Caller;
use crate::recorder::{Recorder, Recording};

/// Options of commands whose calls may be recorded.
#[derive(Args, Debug, Default)]
pub(super) struct RecordingArgs {
    /// Testcase to write: every call that succeeds becomes a step. Further sessions write FILE-2, FILE-3, …
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Overwrite the testcase of --record
    #[arg(long, requires = "record")]
    force: bool,
}

/// What is recorded while a command runs: nothing, if that was not asked for.
#[derive(Clone)]
pub(super) struct Recorded(Option<Arc<Recording>>);

impl RecordingArgs {
    /// Prepares the file, before any device is opened.
    pub(super) fn open(&self) -> Result<Recorded, Failure> {
        let recording = self.record.clone().map(|path| Recording::open(path, self.force)).transpose();
        Ok(Recorded(recording.map_err(Failure::usage)?.map(Arc::new)))
    }
}

impl Recorded {
    /// Records what goes to a session's caller, where that was asked for; each session has a file of its own.
    pub(super) fn around(&self, caller: Arc<dyn Caller>) -> Arc<dyn Caller> {
        match &self.0 {
            Some(recording) => Arc::new(Recorder::new(caller, Arc::clone(recording))),
            None => caller,
        }
    }

    /// Says which files were written; an error where one could not be.
    pub(super) fn close(&self) -> Result<(), Failure> {
        let Some(recording) = &self.0 else { return Ok(()) };
        if let Some(trouble) = recording.trouble() {
            return Err(Failure::errored(trouble));
        }
        recording.files().iter().for_each(|path| eprintln!("recorded {}", path.display()));
        Ok(())
    }
}
