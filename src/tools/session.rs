//! What lasts from one call to the next: the selected device, the refs of the last snapshot, where files lie.

use std::sync::{Arc, Mutex, PoisonError};

use super::host::Folders;
use super::snapshot::Refs;
use crate::driver::Driver;

/// One caller's session: an agent's connection, or a case of a run.
#[derive(Default)]
pub struct Session {
    selected: Mutex<Option<Arc<dyn Driver>>>,
    /// The refs of the last snapshot, whichever device it was of.
    refs: Mutex<Option<Refs>>,
    folders: Folders,
}

impl Session {
    /// Starts a session in which a device is already selected.
    pub fn on(device: Arc<dyn Driver>) -> Self {
        Self { selected: Mutex::new(Some(device)), ..Self::default() }
    }

    /// Says where files of the host lie; the current folder where nobody does.
    #[must_use]
    pub fn in_folders(mut self, folders: Folders) -> Self {
        self.folders = folders;
        self
    }

    pub(super) fn folders(&self) -> &Folders {
        &self.folders
    }

    /// Returns the device that calls without `serial` go to.
    pub fn selected(&self) -> Option<Arc<dyn Driver>> {
        self.selected.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn select(&self, device: Arc<dyn Driver>) {
        *self.selected.lock().unwrap_or_else(PoisonError::into_inner) = Some(device);
        self.keep_refs(None);
    }

    pub(super) fn refs(&self) -> Option<Refs> {
        self.refs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn keep_refs(&self, refs: Option<Refs>) {
        *self.refs.lock().unwrap_or_else(PoisonError::into_inner) = refs;
    }
}
