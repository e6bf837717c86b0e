//! `--record FILE`: what agents do, written down as testcases.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use parking_lot::Mutex;
use uixt_call::Caller;

use crate::cli::exit::Failure;
use crate::recorder::{Named, Recorder, Recording};
use crate::testcase;
use crate::tools;

/// Options of commands whose calls may be recorded.
#[derive(Args, Clone, Debug, Default)]
pub(in crate::cli) struct RecordingArgs {
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
pub(in crate::cli) struct Recorded(Option<Arc<Recording>>, Sessions);

/// The sessions that are recorded.
type Sessions = Arc<Mutex<Vec<Arc<Recorder>>>>;

impl RecordingArgs {
    /// Names the file from the root, for a process that goes to other folders.
    pub(in crate::cli) fn absolute(mut self) -> Self {
        self.record = self.record.map(|path| std::path::absolute(&path).unwrap_or(path));
        self
    }

    /// Prepares the file, before any device is opened; calls of other servers are those of the file `with`.
    pub(in crate::cli) fn open(&self, with: Option<&Path>) -> Result<Recorded, Failure> {
        let Some(path) = &self.record else { return Ok(Recorded(None, Sessions::default())) };
        let open = |path| if self.force { Recording::open(path, true) } else { Recording::open_next(path) };
        let recording = open(path.clone()).map_err(Failure::usage)?;
        let named = with.map_or(Named::Nowhere, |with| named(with, path));
        Ok(Recorded(Some(Arc::new(recording.calling(named))), Sessions::default()))
    }
}

/// Says how a testcase names a file of servers: by the path from its project's folder or from its own, where that finds it.
fn named(servers: &Path, case: &Path) -> Named {
    let elsewhere = || Named::Elsewhere(servers.display().to_string());
    let folder = case.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (Ok(file), Ok(folder)) = (servers.canonicalize(), folder.canonicalize()) else { return elsewhere() };
    let root = testcase::root(&folder);
    let below = |folder: &Path| file.strip_prefix(folder).ok().and_then(Path::to_str).map(str::to_owned);
    let is_found = |path: &String| !root.join(path).is_file() || root.join(path) == file;
    let path = below(&root).or_else(|| below(&folder).filter(is_found));
    path.filter(|path| !path.contains('$')).map_or_else(elsewhere, Named::Below)
}

impl Recorded {
    /// Records what goes to a session's caller, where that was asked for; each session has a file of its own.
    pub(in crate::cli) fn around(&self, caller: Arc<dyn Caller>) -> Arc<dyn Caller> {
        match &self.0 {
            Some(recording) => {
                let recorder = Arc::new(Recorder::new(tools::table(), caller, Arc::clone(recording)));
                let mut sessions = self.1.lock();
                if sessions.len() < SEVERAL {
                    sessions.push(Arc::clone(&recorder));
                }
                recorder
            }
            None => caller,
        }
    }

    /// Looks at what came of the last step of the only session; of several, the screen may be any other's.
    pub(in crate::cli) async fn conclude(&self) {
        let sessions = std::mem::take(&mut *self.1.lock());
        if let [only] = &sessions[..] {
            only.conclude().await;
        }
    }

    /// Returns the files that were written.
    pub(in crate::cli) fn files(&self) -> Vec<PathBuf> {
        self.0.as_ref().map(|recording| recording.files()).unwrap_or_default()
    }

    /// Returns why the last step could not be written, if so.
    pub(in crate::cli) fn trouble(&self) -> Option<String> {
        self.0.as_ref()?.trouble()
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
