//! What lasts from one call to the next: the selected device and the refs of the last snapshot.

use std::sync::{Arc, Mutex, PoisonError};

use super::snapshot::Refs;
use crate::driver::Driver;

/// One caller's session: an agent's connection, or a case of a run.
#[derive(Default)]
pub struct Session {
    selected: Mutex<Option<Arc<dyn Driver>>>,
    /// The refs of the last snapshot, whichever device it was of.
    refs: Mutex<Option<Refs>>,
}

impl Session {
    /// Starts a session in which a device is already selected.
    pub fn on(device: Arc<dyn Driver>) -> Self {
        Self { selected: Mutex::new(Some(device)), refs: Mutex::default() }
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
