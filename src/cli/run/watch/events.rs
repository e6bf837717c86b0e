//! Folders that are watched → a moment at which something in them was written, and came to rest.
//!
//! Folders rather than files: many editors write a new file and give it the old one's name. What was written is told by what stands in
//! the files, so that no event is missed or believed too much.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use crate::cli::exit::Failure;

/// How long nothing is written before what was written counts as whole, and how long that is waited for at most.
const QUIET: Duration = Duration::from_millis(60);
const LONGEST: Duration = Duration::from_secs(1);

/// Whoever tells of what is written.
pub(super) struct Events {
    watcher: RecommendedWatcher,
    watched: BTreeSet<PathBuf>,
    written: mpsc::Receiver<()>,
}

impl Events {
    pub(super) fn new() -> Result<Self, Failure> {
        // That something was written is all there is to tell: one note is as good as many.
        let (note, written) = mpsc::channel(1);
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // What nobody but us reads is read without an end otherwise.
            if event.is_ok_and(|event| !event.kind.is_access()) {
                let _ = note.try_send(());
            }
        });
        let watcher = watcher.map_err(|error| Failure::errored(format!("cannot watch files: {error}")))?;
        Ok(Self { watcher, watched: BTreeSet::new(), written })
    }

    /// Watches what is in a folder, and what is below it where `is_deep`.
    pub(super) fn watch(&mut self, folder: &Path, is_deep: bool) -> Result<(), Failure> {
        let is_watched = self.watched.contains(folder);
        if is_watched || !folder.is_dir() {
            return Ok(());
        }
        let mode = if is_deep { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        let watched = self.watcher.watch(folder, mode);
        watched.map_err(|error| Failure::errored(format!("cannot watch {}: {error}", folder.display())))?;
        self.watched.insert(folder.to_path_buf());
        Ok(())
    }

    /// Returns once something was written.
    pub(super) async fn written(&mut self) {
        if self.written.recv().await.is_none() {
            // The watcher lives as long as this does.
            std::future::pending::<()>().await;
        }
    }

    /// Returns once more was written and nothing more is, or nothing was for long.
    pub(super) async fn more(&mut self) {
        if timeout(LONGEST, self.written()).await.is_ok() {
            self.quiet().await;
        }
    }

    /// Returns once nothing more is written for a moment.
    pub(super) async fn quiet(&mut self) {
        let last = Instant::now() + LONGEST;
        while Instant::now() < last {
            if timeout(QUIET, self.written.recv()).await.is_err() {
                return;
            }
        }
    }
}
