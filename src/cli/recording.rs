//! `--record FILE`: what agents do, written down as testcases.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;

use super::exit::Failure;
use crate::caller::Caller;
use crate::recorder::{Recorder, Recording};

/// Options of commands whose calls may be recorded.
#[derive(Args, Debug, Default)]
pub(super) struct RecordingArgs {
    /// Testcase to write: every call that succeeds becomes a step. Where it is there already, and for further sessions, FILE-2, FILE-3, …
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Overwrite the testcase of --record
    #[arg(long, requires = "record")]
    force: bool,
}

/// As many sessions are several.
const SEVERAL: usize = 2;

/// What is recorded while a command runs: nothing, if that was not asked for.
#[derive(Clone)]
pub(super) struct Recorded(Option<Arc<Recording>>, Sessions);

/// The sessions that are recorded.
type Sessions = Arc<Mutex<Vec<Arc<Recorder>>>>;

impl RecordingArgs {
    /// Prepares the file, before any device is opened.
    pub(super) fn open(&self) -> Result<Recorded, Failure> {
        let open = |path| if self.force { Recording::open(path, true) } else { Recording::open_next(path) };
        let recording = self.record.clone().map(open).transpose();
        Ok(Recorded(recording.map_err(Failure::usage)?.map(Arc::new), Sessions::default()))
    }
}

impl Recorded {
    /// Records what goes to a session's caller, where that was asked for; each session has a file of its own.
    pub(super) fn around(&self, caller: Arc<dyn Caller>) -> Arc<dyn Caller> {
        match &self.0 {
            Some(recording) => {
                let recorder = Arc::new(Recorder::new(caller, Arc::clone(recording)));
                let mut sessions = self.1.lock().unwrap_or_else(PoisonError::into_inner);
                if sessions.len() < SEVERAL {
                    sessions.push(Arc::clone(&recorder));
                }
                recorder
            }
            None => caller,
        }
    }

    /// Looks at what came of the last step of the only session; of several, the screen may be any other's.
    pub(super) async fn conclude(&self) {
        let sessions = std::mem::take(&mut *self.1.lock().unwrap_or_else(PoisonError::into_inner));
        if let [only] = &sessions[..] {
            only.conclude().await;
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
