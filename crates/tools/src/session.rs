//! What lasts from one call to the next: the selected device, the refs of snapshots, cookies and connections.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use super::ai::{Goals, Guard, Models};
use super::baseline::Snapshots;
use super::call_trace::Swiped;
use super::drawn::Drawn;
use super::drawn_text::DrawnText;
use super::fail_on::CheckedUntil;
use super::images::Images;
use super::last_acts::{LastAct, LastActs};
use super::last_touch::LastTouch;
use super::link::Leaving;
use super::refs::Book;
use super::request::Clients;
use super::seen_apps::SeenApps;
use super::servers::Servers;
use super::typed_text::TypedText;
use super::websocket::Sockets;
use super::{Error, Kind};
use uixt_ui::Ui;

use crate::driver::Driver;
use crate::functions::Functions;
use crate::host::Files;

/// What calls leave behind for those that follow.
#[derive(Default)]
pub struct SessionState {
    selected: Mutex<Option<Arc<dyn Driver>>>,
    /// The refs of all snapshots, of whichever device.
    refs: Mutex<Arc<Book>>,
    pub(super) clients: Clients,
    pub(super) sockets: Sockets,
    pub(super) last_touch: LastTouch,
    pub(super) seen_apps: SeenApps,
    pub(super) drawn: Drawn,
    pub(super) drawn_text: DrawnText,
    pub(super) images: Images,
    pub(super) last_acts: LastActs,
    pub(super) checked_until: CheckedUntil,
    pub(super) leaving: Leaving,
    pub(super) typed_text: TypedText,
    pub(super) swiped: Swiped,
    /// Whether the server that is told of touches was given up.
    pub(super) touches_untold: AtomicBool,
}

/// One caller's session: an agent's connection, or a case of a run.
#[derive(Default)]
pub struct Session {
    files: Files,
    functions: Option<Functions>,
    /// Those of testcases that steps refer to.
    referred: Vec<Functions>,
    servers: Option<Arc<dyn Servers>>,
    /// Address of the site that the project serves, without a slash behind it.
    site: Option<String>,
    snapshots: Snapshots,
    /// Where UI instances are kept.
    data: Option<PathBuf>,
    models: Models,
    goals: Option<Arc<dyn Goals>>,
    guard: Guard,
    pub(super) state: Arc<SessionState>,
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
    pub fn state(&self) -> Arc<SessionState> {
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

    /// Sets the other MCP servers that `mcp` reaches.
    #[must_use]
    pub fn with_servers(self, servers: Option<Arc<dyn Servers>>) -> Self {
        Self { servers, ..self }
    }

    /// Sets the address of the site that the project serves.
    #[must_use]
    pub fn with_site(self, site: Option<String>) -> Self {
        Self { site, ..self }
    }

    /// Sets what becomes of pictures that nothing is there to compare with, or that differ.
    #[must_use]
    pub fn with_snapshots(self, snapshots: Snapshots) -> Self {
        Self { snapshots, ..self }
    }

    /// Sets the file in which UI instances are kept.
    #[must_use]
    pub fn with_data(self, data: Option<PathBuf>) -> Self {
        Self { data, ..self }
    }

    /// Sets the models that steps in words are for.
    #[must_use]
    pub fn with_models(self, models: Models) -> Self {
        Self { models, ..self }
    }

    /// Sets where goals are stored that were reached.
    #[must_use]
    pub fn with_goals(self, goals: Option<Arc<dyn Goals>>) -> Self {
        Self { goals, ..self }
    }

    /// Sets what models may do.
    #[must_use]
    pub fn with_guard(self, guard: Guard) -> Self {
        Self { guard, ..self }
    }

    pub(super) fn guard(&self) -> &Guard {
        &self.guard
    }

    pub(super) fn goals(&self) -> Option<&dyn Goals> {
        self.goals.as_deref()
    }

    pub(super) fn models(&self) -> &Models {
        &self.models
    }

    /// Returns the UI instances, which all sessions of this process with the same file share.
    pub(super) fn ui(&self) -> Result<Arc<Ui>, Error> {
        let nowhere = "UI instances have no place to be kept: set UIXT_DATA_DIR to a folder for them";
        let data = self.data.as_deref().ok_or_else(|| Error::new(Kind::Service, nowhere))?;
        Ui::shared(data).map_err(|error| Error::new(Kind::Service, error.to_string()).with("code", error.code()))
    }

    pub(super) fn snapshots(&self) -> Snapshots {
        self.snapshots
    }

    /// Returns the address of the site that the project serves, without a slash behind it.
    pub(super) fn site(&self) -> Option<&str> {
        self.site.as_deref()
    }

    /// Returns the other MCP servers.
    pub(super) fn servers(&self) -> Option<&dyn Servers> {
        self.servers.as_deref()
    }

    /// Closes connections and forgets cookies; what is needed again begins anew.
    pub fn end(&self) {
        self.state.clients.forget();
        self.state.sockets.forget();
    }

    /// Takes out the devices whose pages were acted on since this was last asked.
    pub fn take_last_acts(&self) -> Vec<LastAct> {
        self.state.last_acts.take()
    }

    /// Returns the functions of a Python file, or those of the session.
    pub(super) fn functions(&self, file: Option<&Path>) -> Option<&Functions> {
        let Some(file) = file else { return self.functions.as_ref() };
        self.functions.iter().chain(&self.referred).find(|functions| functions.path() == file)
    }

    /// Returns where files of the host are read and written.
    pub(super) fn files(&self) -> &Files {
        &self.files
    }

    /// Returns the folder in which commands are run, where it is not the working directory.
    pub(super) fn folder(&self) -> Option<&Path> {
        Some(self.files.root()).filter(|folder| !folder.as_os_str().is_empty())
    }

    /// Returns the device that calls without `serial` go to.
    pub fn selected(&self) -> Option<Arc<dyn Driver>> {
        self.state.selected.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn select(&self, device: Arc<dyn Driver>) {
        *self.state.selected.lock().unwrap_or_else(PoisonError::into_inner) = Some(device);
    }

    pub(super) fn refs(&self) -> Arc<Book> {
        self.state.refs.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Changes the refs; calls that run at the same time change them one after the other.
    pub(super) fn change_refs<T>(&self, change: impl FnOnce(&mut Book) -> T) -> T {
        change(Arc::make_mut(&mut self.state.refs.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}
