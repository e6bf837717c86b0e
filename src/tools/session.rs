//! What lasts from one call to the next: the selected device and the refs of snapshots.

use std::sync::{Arc, Mutex, PoisonError};

use super::refs::Book;
use crate::driver::Driver;

/// One caller's session: an agent's connection, or a case of a run.
#[derive(Default)]
pub struct Session {
    selected: Mutex<Option<Arc<dyn Driver>>>,
    /// The refs of all snapshots, of whichever device.
    refs: Mutex<Arc<Book>>,
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
    }

    pub(super) fn refs(&self) -> Arc<Book> {
        self.refs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the refs; calls that run at the same time change them one after the other.
    pub(super) fn change_refs<T>(&self, change: impl FnOnce(&mut Book) -> T) -> T {
        change(Arc::make_mut(&mut self.refs.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}
