//! Looks from time to time at what changes without a call: testcase files that somebody subscribed to, which files and devices
//! there are; hears what other sessions do with devices, and of devices that come and go where somebody tells. Begun when a client first shows that it wants to know; ends with the server.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use serde_json::json;
use tokio::sync::Mutex;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::changes::{Change, Origin};
use super::connection::{Connection, Gravity};
use super::files::{self, Folder, Stamp};
use super::screens::{self, Screens};

/// The time between two looks at files.
const APART: Duration = Duration::from_secs(1);
/// How many looks at files there are for one at the devices.
const PER_DEVICES: u32 = 3;

/// Counts of the changes of devices, begun by the first who asks for them.
pub type Comings = Arc<dyn Fn() -> Vec<tokio::sync::watch::Receiver<u64>> + Send + Sync>;

/// Looks at files and devices for one client.
pub(super) struct Watch {
    connection: Arc<Connection>,
    screens: Arc<Screens>,
    folder: Arc<OnceLock<Arc<Folder>>>,
    origin: Arc<Origin>,
    comings: OnceLock<Comings>,
    begun: OnceLock<()>,
    seen: Mutex<ScreenText>,
}

/// What was seen last.
#[derive(Default)]
struct ScreenText {
    /// The files that there are.
    paths: BTreeSet<String>,
    /// The files that somebody subscribed to, by their URIs, and how they stood.
    stamps: BTreeMap<String, Option<Stamp>>,
    devices: Vec<[String; 3]>,
}

impl Watch {
    pub(super) fn new(
        connection: Arc<Connection>,
        screens: Arc<Screens>,
        folder: Arc<OnceLock<Arc<Folder>>>,
        origin: Arc<Origin>,
    ) -> Self {
        let (comings, begun) = (OnceLock::new(), OnceLock::new());
        Self { connection, screens, folder, origin, comings, begun, seen: Mutex::default() }
    }

    pub(super) fn hear_of_devices(&self, comings: Comings) {
        let _ = self.comings.set(comings);
    }

    /// Begins to look, unless that was begun.
    pub(super) async fn begin(self: &Arc<Self>) {
        if self.begun.set(()).is_ok() {
            let mut seen = self.seen.lock().await;
            seen.paths = self.paths().await;
            seen.devices = self.screens.devices().await;
            tokio::spawn(look(Arc::downgrade(self)));
            for changes in self.comings.get().map(|comings| comings()).into_iter().flatten() {
                tokio::spawn(follow(Arc::downgrade(self), changes));
            }
            if let Some((changes, own)) = self.origin.follow() {
                tokio::spawn(hear(Arc::downgrade(self), changes, own));
            }
        }
    }

    /// Tells what another session's call may have changed; where some were missed, all that may be.
    async fn heard(&self, change: Option<&Change>) {
        let uris = match change {
            Some(change) => screens::changed(Some(&change.device), &self.screens.session_log),
            None => self.connection.subscribed().into_iter().filter(|uri| screens::is_part(uri)).collect(),
        };
        for uri in uris {
            self.connection.updated(&uri).await;
        }
    }

    /// Returns the error of a subscription to what is not there.
    pub(super) async fn check(&self, uri: &str) -> Result<(), rmcp::ErrorData> {
        self.screens.check(uri).await
    }

    /// Notes how a file stands that somebody subscribes to.
    pub(super) async fn note(&self, uri: &str) {
        if files::path_of(uri).is_some() {
            self.seen.lock().await.stamps.entry(uri.to_owned()).or_insert_with(|| self.stamp(uri));
        }
    }

    /// Returns how a file stands; none where it is not there.
    fn stamp(&self, uri: &str) -> Option<Stamp> {
        self.folder.get()?.stamp(&files::path_of(uri)?)
    }

    /// Returns the files that there are; a folder of many takes a while.
    async fn paths(&self) -> BTreeSet<String> {
        let Some(folder) = self.folder.get().map(Arc::clone) else { return BTreeSet::new() };
        let listed = tokio::task::spawn_blocking(move || folder.files().into_keys().collect());
        listed.await.unwrap_or_default()
    }

    /// Tells who subscribed to a file that it is another one now, and who listed files that there are others.
    async fn files(&self) {
        let mut seen = self.seen.lock().await;
        let subscribed = self.connection.subscribed();
        seen.stamps.retain(|uri, _| subscribed.contains(uri));
        for (uri, before) in &mut seen.stamps {
            let now = self.stamp(uri);
            if now != *before {
                *before = now;
                self.connection.updated(uri).await;
            }
        }
        let paths = self.paths().await;
        if paths != seen.paths {
            seen.paths = paths;
            self.connection.resources_changed().await;
        }
    }

    /// Tells that devices came or went.
    async fn devices(&self) {
        let mut seen = self.seen.lock().await;
        let now = self.screens.devices().await;
        if now == seen.devices {
            return;
        }
        let before = std::mem::replace(&mut seen.devices, now);
        for [platform, serial, name] in before.iter().filter(|device| !seen.devices.contains(device)) {
            let data = json!({"message": format!("device {platform}:{serial} ({name}) is gone")});
            self.connection.log(Gravity::Warning, data).await;
        }
        for [platform, serial, name] in seen.devices.iter().filter(|device| !before.contains(device)) {
            let data = json!({"message": format!("device {platform}:{serial} ({name}) is there")});
            self.connection.log(Gravity::Info, data).await;
        }
        let changed = before.iter().filter(|device| !seen.devices.contains(device));
        let changed = changed.chain(seen.devices.iter().filter(|device| !before.contains(device)));
        for [platform, serial, _] in changed {
            for uri in screens::changed(Some(&(platform.clone(), serial.clone())), &self.screens.session_log) {
                self.connection.updated(&uri).await;
            }
        }
        self.connection.resources_changed().await;
    }
}

/// Looks at the devices whenever they may be others, until the session is gone.
async fn follow(watch: Weak<Watch>, mut changes: tokio::sync::watch::Receiver<u64>) {
    loop {
        let changed = tokio::time::timeout(APART, changes.changed()).await;
        let Some(watch) = watch.upgrade() else { return };
        match changed {
            Ok(Ok(())) => watch.devices().await,
            Ok(Err(_)) => return,
            Err(_) => {}
        }
    }
}

/// Hears of changes until the session is gone.
async fn hear(watch: Weak<Watch>, mut changes: Receiver<Change>, own: u64) {
    loop {
        let heard = tokio::time::timeout(APART, changes.recv()).await;
        let Some(watch) = watch.upgrade() else { return };
        match heard {
            Ok(Ok(change)) if change.by != own => watch.heard(Some(&change)).await,
            Ok(Err(RecvError::Lagged(_))) => watch.heard(None).await,
            Ok(Err(RecvError::Closed)) => return,
            _ => {}
        }
    }
}

async fn look(watch: Weak<Watch>) {
    for round in 1_u32.. {
        tokio::time::sleep(APART).await;
        let Some(watch) = watch.upgrade() else { return };
        watch.files().await;
        if round % PER_DEVICES == 0 {
            watch.devices().await;
        }
    }
}
