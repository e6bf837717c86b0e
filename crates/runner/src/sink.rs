//! Where a run's events go: into the journal first, then to whoever watches.

use std::io;
use std::path::PathBuf;

use parking_lot::Mutex;

use super::early::EarlyFailures;
use super::journal::Journal;
use crate::result::{Entry, Event};

/// Whoever watches a run: the terminal, a dashboard.
pub type Observer = Box<dyn FnMut(&Entry) + Send>;

/// The way out for events; shared by everything that runs.
pub struct Sink {
    inner: Mutex<Inner>,
}

struct Inner {
    journal: Journal,
    observers: Vec<Observer>,
    early: EarlyFailures,
}

impl Sink {
    pub fn new(journal: Journal, observers: Vec<Observer>) -> Self {
        Self { inner: Mutex::new(Inner { journal, observers, early: EarlyFailures::default() }) }
    }

    /// Writes an event down, then shows it around.
    pub fn emit(&self, event: Event) -> io::Result<()> {
        let mut inner = self.inner.lock();
        let entry = inner.journal.write(event)?;
        inner.early.note(&entry.event);
        for observer in &mut inner.observers {
            observer(&entry);
        }
        Ok(())
    }

    /// Returns why the cases on a device fail, once it is time to examine that.
    pub(super) fn due(&self, serial: &str) -> Option<String> {
        self.inner.lock().early.due(serial)
    }

    /// Keeps a picture, under a name where one is wished; returns its path in the report folder.
    pub fn picture(&self, png: &[u8], name: Option<&str>) -> io::Result<String> {
        self.inner.lock().journal.picture(png, name)
    }

    /// Keeps a file of evidence under a path in the report folder.
    pub fn evidence(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.inner.lock().journal.evidence(path, bytes)
    }

    /// Returns the report folder.
    pub fn folder(&self) -> PathBuf {
        self.inner.lock().journal.folder().to_owned()
    }
}
