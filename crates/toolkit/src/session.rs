//! What lasts from one call to the next: the selected device, the refs of snapshots, and what groups of tools keep, by its type.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use uixt_core::functions::Functions;
use uixt_core::host::Files;
use uixt_driver::Driver;
use uixt_locate::refs::Book;

/// What a group of tools keeps of a session, which begins empty. The session knows none of them.
pub trait State: Default + Send + Sync + 'static {
    /// Closes what is open once the session ends; what is needed again begins anew.
    fn end(&self) {}
}

/// What one group keeps, its type forgotten.
struct Kept {
    value: Arc<dyn Any + Send + Sync>,
    end: fn(&(dyn Any + Send + Sync)),
}

/// What calls leave behind for those that follow.
#[derive(Default)]
pub struct SessionState {
    selected: Mutex<Option<Arc<dyn Driver>>>,
    /// The refs of all snapshots, of whichever device.
    refs: Mutex<Arc<Book>>,
    kept: Mutex<HashMap<TypeId, Kept>>,
}

/// One caller's session: an agent's connection, or a case of a run.
#[derive(Default)]
pub struct Session {
    files: Files,
    functions: Option<Functions>,
    /// Those of testcases that steps refer to.
    referred: Vec<Functions>,
    /// Address of the site that the project serves, without a slash behind it.
    site: Option<String>,
    /// What groups of tools were told for this session, by its type.
    settings: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
    state: Arc<SessionState>,
}

impl Session {
    /// Starts a session in which a device is already selected.
    pub fn on(device: Arc<dyn Driver>) -> Self {
        let session = Self::default();
        session.select(device);
        session
    }

    /// Goes on where an earlier session is: with its device, its refs, its cookies and connections.
    #[must_use]
    pub fn going_on(self, state: Arc<SessionState>) -> Self {
        Self { state, ..self }
    }

    /// Returns what a later session needs to go on where this one is.
    pub fn carried(&self) -> Arc<SessionState> {
        Arc::clone(&self.state)
    }

    /// Sets the folder in which host files are named and commands are run: the project's.
    #[must_use]
    pub fn in_folder(self, folder: impl Into<PathBuf>) -> Self {
        Self { files: self.files.in_project(folder), ..self }
    }

    /// Sets the report's folder, for files that nobody names a place for.
    #[must_use]
    pub fn with_reports(self, folder: impl Into<PathBuf>) -> Self {
        Self { files: self.files.with_reports(folder), ..self }
    }

    /// Sets the Python functions that `call_function` reaches.
    #[must_use]
    pub fn with_functions(self, functions: Option<Functions>) -> Self {
        Self { functions, ..self }
    }

    /// Adds the Python functions that `call_function` reaches from testcases that steps refer to.
    #[must_use]
    pub fn with_referred(self, referred: Vec<Functions>) -> Self {
        Self { referred, ..self }
    }

    /// Sets the address of the site that the project serves.
    #[must_use]
    pub fn with_site(self, site: Option<String>) -> Self {
        Self { site, ..self }
    }

    /// Returns the address of the site that the project serves, without a slash behind it.
    pub(super) fn site(&self) -> Option<&str> {
        self.site.as_deref()
    }

    /// Sets what a group of tools is told for this session.
    #[must_use]
    pub fn with<T: Send + Sync + 'static>(self, setting: T) -> Self {
        self.settings.lock().insert(TypeId::of::<T>(), Arc::new(setting));
        self
    }

    /// Returns what a group of tools was told for this session, or what holds where it was told nothing.
    pub fn setting<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut settings = self.settings.lock();
        let one = settings.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        Arc::clone(one).downcast().unwrap_or_default()
    }

    /// Returns what a group of tools keeps, which calls that run at the same time share.
    pub fn state<T: State>(&self) -> Arc<T> {
        let mut kept = self.state.kept.lock();
        let one = kept.entry(TypeId::of::<T>()).or_insert_with(|| Kept {
            value: Arc::new(T::default()),
            end: |value| value.downcast_ref::<T>().into_iter().for_each(T::end),
        });
        Arc::clone(&one.value).downcast().unwrap_or_default()
    }

    /// Lets every group close what it has open; what is needed again begins anew.
    pub fn end(&self) {
        let kept = self.state.kept.lock();
        let kept: Vec<_> = kept.values().map(|kept| (Arc::clone(&kept.value), kept.end)).collect();
        kept.into_iter().for_each(|(value, end)| end(value.as_ref()));
    }

    /// Returns the functions of a Python file, or those of the session.
    pub fn functions(&self, file: Option<&Path>) -> Option<&Functions> {
        let Some(file) = file else { return self.functions.as_ref() };
        self.functions.iter().chain(&self.referred).find(|functions| functions.path() == file)
    }

    /// Returns where files of the host are read and written.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Returns the folder in which commands are run, where it is not the working directory.
    pub fn folder(&self) -> Option<&Path> {
        Some(self.files.root()).filter(|folder| !folder.as_os_str().is_empty())
    }

    /// Returns the device that calls without `serial` go to.
    pub fn selected(&self) -> Option<Arc<dyn Driver>> {
        self.state.selected.lock().clone()
    }

    /// Has calls without `serial` go to a device.
    pub fn select(&self, device: Arc<dyn Driver>) {
        *self.state.selected.lock() = Some(device);
    }

    pub(super) fn refs(&self) -> Arc<Book> {
        self.state.refs.lock().clone()
    }

    /// Changes the refs; calls that run at the same time change them one after the other.
    pub fn change_refs<T>(&self, change: impl FnOnce(&mut Book) -> T) -> T {
        change(Arc::make_mut(&mut self.state.refs.lock()))
    }
}
