//! What a tool has at hand while it runs.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;
use uixt_call::{Progress, Table, Waiting};
use uixt_core::host::Files;
use uixt_driver::{Driver, Element, Registry, Screen};
use uixt_locate::finder::Purpose;
use uixt_locate::refs::Refs;
use uixt_locate::{Error, Kind, Object};

use crate::Engines;
use crate::pages::addresses::Addresses;
use crate::traces::seen_apps::SeenApps;
use crate::{ActiveOptions, Reply, Session};

/// Calls other tools of the table, for those that are made of tools: on the same device, whose turn the caller has already.
pub trait Invoke: Send + Sync {
    /// Calls a tool by its name; fails as the tool does, and where nobody is offered it.
    fn invoke<'a>(
        &'a self,
        tool: &'a str,
        arguments: Object,
        cx: &'a Context,
    ) -> Pin<Box<dyn Future<Output = Result<Reply, Error>> + Send + 'a>>;
}

/// The context of one call.
pub struct Context {
    /// The tools that there are.
    pub table: &'static Table,
    /// What lasts from one call to the next.
    pub session: Arc<Session>,
    /// All the devices there are.
    pub registry: Arc<Registry>,
    /// The device that the call is for; none for tools that need none.
    pub device: Option<Arc<dyn Driver>>,
    /// What is asked beside the arguments.
    pub options: ActiveOptions,
    /// How to call other tools; none where there is nobody to ask.
    pub invoke: Option<Arc<dyn Invoke>>,
    /// Whom to tell how far the call is.
    pub progress: Progress,
    /// Where its caller may open pages.
    pub addresses: Addresses,
    /// What recognizes things on the screen.
    pub engines: Engines,
}

impl Context {
    /// Returns where the files lie that the call names: beside the testcase that it stands in, else below the project's folder.
    pub fn files(&self) -> Files {
        let files = self.session.files().clone();
        match self.options.testcase.as_deref().and_then(Path::parent) {
            Some(folder) => files.seen_from(folder),
            None => files,
        }
    }

    /// Returns where files may be read, and the folder: of a testcase below the project's, of an agent below the one that it is offered.
    pub fn readable(&self) -> Result<(Files, PathBuf), Error> {
        let here = |root: &Path| if root.as_os_str().is_empty() { PathBuf::from(".") } else { root.to_owned() };
        match &self.addresses {
            Addresses::Any => Ok((self.files(), here(self.session.files().root()))),
            Addresses::Web { folder: Some(folder), .. } => {
                Ok((Files::of_project(folder).seen_from(folder), folder.clone()))
            }
            Addresses::Web { folder: None, .. } => {
                let message = "no files are read for agents and texts here; start with `--allow-dir DIR` to have those below DIR read";
                Err(Error::new(Kind::BadArgument, message))
            }
        }
    }

    /// Returns what calls other tools.
    pub fn invoker(&self) -> Result<&dyn Invoke, Error> {
        let nobody = || Error::new(Kind::Unsupported, "nested tool calls are not available here");
        self.invoke.as_deref().ok_or_else(nobody)
    }

    /// Returns the device that the call is for.
    pub fn driver(&self) -> Result<&dyn Driver, Error> {
        self.device.as_deref().ok_or_else(|| Error::new(Kind::Device, "no device is selected"))
    }

    /// Prepares a wait, whose time is told apart from that of work.
    pub fn waiting(&self) -> Waiting {
        self.options.times.waiting()
    }

    /// Takes in that the call found its target on a screen.
    pub fn found(&self, element: &Element, screen: &Screen, purpose: Purpose) {
        self.session.state::<SeenApps>().found();
        self.options.trace.see(element, screen, purpose);
    }

    /// Takes in that a call names an app, which is under test from then on.
    pub(super) fn note_app(&self, arguments: &Object) {
        let named = arguments.get("package_name").or_else(|| arguments.get("package"));
        named.and_then(Value::as_str).into_iter().for_each(|package| self.session.state::<SeenApps>().note(package));
    }

    /// Returns what the refs of snapshots stand for.
    pub fn refs(&self) -> Option<Refs> {
        let device = self.device.as_deref()?;
        Some(self.session.refs().on(device.info()).seen_by(Arc::new(self.options.trace.clone())))
    }
}
