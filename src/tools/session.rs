//! What lasts from one call to the next: the selected device, the refs of the last snapshot, cookies and connections.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::request::Clients;
use super::snapshot::Refs;
use super::websocket::Sockets;
use crate::driver::Driver;
use crate::functions::Functions;

/// One caller's session: an agent's connection, or a case of a run.
#[derive(Default)]
pub struct Session {
    selected: Mutex<Option<Arc<dyn Driver>>>,
    /// The refs of the last snapshot, whichever device it was of.
    refs: Mutex<Option<Refs>>,
    /// Where the names of host files begin; the working directory where there is none.
    folder: Option<PathBuf>,
    functions: Option<Functions>,
    pub(super) clients: Clients,
    pub(super) sockets: Sockets,
}

impl Session {
    /// Starts a session in which a device is already selected.
    pub fn on(device: Arc<dyn Driver>) -> Self {
        Self { selected: Mutex::new(Some(device)), ..Self::default() }
    }

    /// Sets the folder in which host files are named and commands are run: the project's.
    #[must_use]
    pub fn in_folder(self, folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()), ..self }
    }

    /// Sets the Python functions that `call_function` reaches.
    #[must_use]
    pub fn with_functions(self, functions: Option<Functions>) -> Self {
        Self { functions, ..self }
    }

    pub(super) fn functions(&self) -> Option<&Functions> {
        self.functions.as_ref()
    }

    pub(super) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref().filter(|folder| !folder.as_os_str().is_empty())
    }

    /// Returns the path of a host file that a testcase names.
    pub(super) fn host_path(&self, name: &str) -> PathBuf {
        self.folder().map_or_else(|| PathBuf::from(name), |folder| folder.join(name))
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
