//! What all pages share: the devices, the testcase that is shown, what is recorded and what runs; and what pages are told of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uixt_call::Table;
use uixt_locate::{Error, Kind, Object};

use crate::act::merge;
use crate::agent::Turns;
use crate::drafts::{Drafts, version_of};
use crate::record::Recording;
use crate::run::{Running, Shared};
use crate::stage::Stage;
use crate::{changes, frames, results, stage};

/// Events on their way to a page; one that lags further behind is told everything anew.
const WAITING: usize = 1024;

/// What the program hands over.
pub struct Setup {
    pub stages: Vec<Arc<Stage>>,
    pub workshop: Shared,
    pub table: &'static Table,
    /// The project's folder.
    pub root: PathBuf,
    /// The folder for drafts, which need not be there yet.
    pub drafts: PathBuf,
    /// The testcase that is shown first.
    pub file: Option<String>,
    /// The folder of the run that is shown first.
    pub run: Option<String>,
    /// `en` or `zh`.
    pub language: &'static str,
    /// Whether an agent has the first device, by a [`crate::Watched`].
    pub agent: bool,
}

/// The studio: what pages of it see, and what is done for them.
pub struct Studio {
    pub(crate) stages: Vec<Arc<Stage>>,
    pub(crate) workshop: Shared,
    pub(crate) table: &'static Table,
    pub(crate) root: PathBuf,
    pub(crate) drafts: Drafts,
    pub(crate) recording: Mutex<Recording>,
    pub(crate) running: Mutex<Option<Running>>,
    pub(crate) sockets: TaskTracker,
    pub(crate) closing: CancellationToken,
    events: broadcast::Sender<Arc<Value>>,
    shown: Mutex<Option<String>>,
    run: Option<String>,
    language: &'static str,
    agent: bool,
    pub(crate) turns: Turns,
    /// The page that something was done on last; 0 where that is gone.
    page: AtomicU64,
    /// The run that is shown first, which is read before a page asks for it.
    ahead: Mutex<Option<(String, Reading)>>,
    tasks: Vec<JoinHandle<()>>,
}

/// A report that is being read.
type Reading = JoinHandle<Result<Value, String>>;

impl Studio {
    /// Begins to show devices.
    pub fn new(setup: Setup) -> Arc<Self> {
        let drafts = Drafts::new(setup.root.clone(), setup.drafts);
        let shown = setup.file.or_else(|| drafts.shown());
        let show = |stage: &Arc<Stage>| {
            let (taking, reading) = (frames::take(Arc::clone(stage)), stage::read(Arc::clone(stage)));
            [tokio::spawn(taking), tokio::spawn(reading)]
        };
        let ahead = setup.run.clone().map(|folder| (folder.clone(), read(&setup.root, folder)));
        let tasks: Vec<JoinHandle<()>> = setup.stages.iter().flat_map(show).collect();
        Arc::new_cyclic(|studio| Self {
            tasks: tasks.into_iter().chain([tokio::spawn(changes::watch(studio.clone()))]).collect(),
            recording: Mutex::new(Recording::new(setup.table)),
            running: Mutex::default(),
            sockets: TaskTracker::new(),
            closing: CancellationToken::new(),
            events: broadcast::Sender::new(WAITING),
            shown: Mutex::new(shown),
            stages: setup.stages,
            workshop: setup.workshop,
            table: setup.table,
            root: setup.root,
            drafts,
            run: setup.run,
            language: setup.language,
            agent: setup.agent,
            turns: Turns::new(),
            page: AtomicU64::default(),
            ahead: Mutex::new(ahead),
        })
    }

    /// Ends what runs, and says goodbye to pages.
    pub async fn close(&self) {
        if let Some(running) = &*self.running.lock() {
            running.stop.cancel();
        }
        self.tell(json!({"event": "gone", "message": "the studio was closed"}));
        self.closing.cancel();
        self.sockets.close();
        let _ = tokio::time::timeout(std::time::Duration::from_secs(2), self.sockets.wait()).await;
    }

    pub(crate) fn events(&self) -> broadcast::Receiver<Arc<Value>> {
        self.events.subscribe()
    }

    /// Tells every page.
    pub(crate) fn tell(&self, event: Value) {
        // There need not be any.
        let _ = self.events.send(Arc::new(event));
    }

    /// Says that something is done on a page, into whose testcase it is to come where it is recorded.
    pub(crate) fn turn_to(&self, page: u64) {
        self.page.store(page, Ordering::Relaxed);
    }

    /// Tells whether a page is the one that something was done on last; every page is where that one is gone.
    pub(crate) fn is_turned_to(&self, page: u64) -> bool {
        let last = self.page.load(Ordering::Relaxed);
        last == page || last == 0
    }

    /// Says that a page is gone.
    pub(crate) fn turn_from(&self, page: u64) {
        let _ = self.page.compare_exchange(page, 0, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Returns all of a finished run; the error says why there is nothing.
    pub(crate) async fn result(&self, folder: String) -> Result<Value, String> {
        let ahead = self.ahead.lock().take_if(|(known, _)| *known == folder);
        let reading = ahead.map_or_else(|| read(&self.root, folder), |(_, reading)| reading);
        reading.await.unwrap_or_else(|error| Err(error.to_string()))
    }

    pub(crate) fn show_file(&self, path: &str) {
        self.drafts.remember(path);
        *self.shown.lock() = Some(path.to_owned());
    }

    /// Writes a testcase into its file, and tells pages; returns the version that it holds then.
    pub(crate) fn save(&self, path: &str, text: &str) -> Result<String, String> {
        self.drafts.save(path, text)?;
        let version = self.drafts.version(path);
        self.tell(json!({"event": "file_changed", "path": path, "version": version}));
        Ok(version)
    }

    /// Does the same where the file still holds the version that the text was written from, or the same text.
    pub(crate) fn save_over(&self, path: &str, text: &str, version: Option<&str>) -> Result<String, Error> {
        let told = |why: String| Error::new(Kind::Service, why);
        let saved = self.drafts.saved(path);
        let is_same = |version: &str| version == version_of(&saved) || saved.as_deref() == Ok(text);
        if !version.is_none_or(is_same) {
            let message = match saved {
                Ok(_) => format!("{path} was changed on the disk since it was loaded: nothing was written"),
                Err(_) => format!("{path} is not there any more, it was moved or deleted: nothing was written"),
            };
            let details = Object::from_iter([("changed".to_owned(), true.into())]);
            return Err(Error { details, ..told(message) });
        }
        self.save(path, text).map_err(told)
    }

    pub(crate) fn shown_file(&self) -> Option<String> {
        self.shown.lock().clone()
    }

    /// Refuses what would come between the calls of an agent.
    pub(crate) fn is_ours(&self) -> Result<(), String> {
        match self.agent && !self.turns.are_taken() {
            true => Err("an agent has the device: take it over first".to_owned()),
            false => Ok(()),
        }
    }

    pub(crate) fn stage(&self, device: usize) -> Result<&Arc<Stage>, String> {
        self.stages.get(device).ok_or_else(|| format!("there is no device {device}"))
    }

    /// Writes what a page begins with.
    pub(crate) fn hello(&self) -> Value {
        let device = |(index, stage): (usize, &Arc<Stage>)| {
            let info = stage.driver.info();
            let can: &[&str] = match info.platform {
                "browser" => &["back", "url", "tabs", "double_click", "right_click"],
                "ios" => &["home", "rotate", "url"],
                _ => &["back", "home", "app_switch", "rotate", "url"],
            };
            json!({"index": index, "name": info.name, "platform": info.platform, "serial": info.serial, "can": can})
        };
        let devices: Vec<Value> = self.stages.iter().enumerate().map(device).collect();
        let name = self.root.file_name().unwrap_or_default().to_string_lossy();
        let recording = self.recording.lock();
        let running = self.running.lock().as_ref().map(|running| json!({"file": running.file}));
        let mut hello = json!({
            "event": "hello", "project": name, "root": self.root, "version": env!("CARGO_PKG_VERSION"),
            "language": self.language, "devices": devices, "recording": recording.is_on, "recorded": recording.told(),
            "file": *self.shown.lock(), "run": self.run, "running": running,
        });
        if self.agent {
            merge(&mut hello, json!({"agent": true, "taken": self.turns.are_taken()}));
        }
        hello
    }
}

/// Reads a finished run beside all else: it may be long.
fn read(root: &Path, folder: String) -> Reading {
    let root = root.to_owned();
    tokio::task::spawn_blocking(move || results::whole(&root, &folder))
}

impl Drop for Studio {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}
