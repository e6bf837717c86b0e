//! What every client of the virtual phone shares: the system behind its lock, the files, the properties and the log.
//!
//! The system's lock is held for as long as the phone itself needs, never while a client is waited for.

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{OwnedMutexGuard, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::automator::Automator;
use super::evdev::Evdev;
use super::files::SharedFiles;
use super::films::Films;
use super::harmony::unit::Unit;
use super::log::Log;
use super::options::Options;
use super::properties;
use super::reverse::Reverses;
use super::settings::add_defaults;
use super::system::System;

/// How often a hang is looked at.
const GLANCE: Duration = Duration::from_millis(10);

/// What is done with the system.
type Act = Box<dyn FnOnce(OwnedMutexGuard<System>) -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// The phone as its commands and services see it.
pub(super) struct Handset {
    pub(super) system: Arc<tokio::sync::Mutex<System>>,
    pub(super) files: SharedFiles,
    pub(super) properties: Mutex<BTreeMap<String, String>>,
    pub(super) log: Mutex<Log>,
    /// Told whenever the log has a new line.
    log_changes: watch::Sender<()>,
    pub(super) options: Options,
    pub(super) reverses: Reverses,
    pub(super) automator: Automator,
    pub(super) films: Films,
    pub(super) evdev: Evdev,
    /// What only HarmonyOS has.
    pub(super) harmony: Unit,
    /// When the phone started anew last.
    restarts: watch::Sender<Option<Instant>>,
    /// Cancelled when the phone is switched off.
    off: CancellationToken,
}

impl Handset {
    pub(super) fn new(mut system: System, off: CancellationToken) -> Self {
        add_defaults(&mut system.settings);
        let options = system.options().clone();
        Self {
            files: SharedFiles::new(seconds(system.now_ms())),
            properties: Mutex::new(properties::defaults(&options)),
            log: Mutex::new(Log::default()),
            log_changes: watch::Sender::new(()),
            system: Arc::new(tokio::sync::Mutex::new(system)),
            options,
            reverses: Reverses::default(),
            automator: Automator::default(),
            films: Films::default(),
            evdev: Evdev::default(),
            harmony: Unit::default(),
            restarts: watch::Sender::new(None),
            off,
        }
    }

    /// Returns what is cancelled when the phone is switched off.
    pub(super) fn off(&self) -> &CancellationToken {
        &self.off
    }

    /// Writes a line into the phone's log.
    pub(super) async fn note(&self, tag: &'static str, message: String) {
        let date = self.date_ms().await;
        self.take_events().await;
        self.log.lock().add(date, tag, &message);
        self.log_changes.send_replace(());
    }

    /// Returns what tells of new lines in the log.
    pub(super) fn log_changes(&self) -> watch::Receiver<()> {
        self.log_changes.subscribe()
    }

    /// Starts the phone anew: its apps end, and so do connections to it.
    pub(super) async fn reboot(&self) -> io::Result<()> {
        self.act(async |mut system| system.reboot()).await?;
        self.note("SystemServer", "Started anew".to_owned()).await;
        self.reverses.clear();
        self.automator.kill();
        self.harmony.restart();
        self.restarts.send_replace(Some(Instant::now()));
        Ok(())
    }

    /// When the phone started anew last, and what tells of the next time.
    pub(super) fn restarts(&self) -> watch::Receiver<Option<Instant>> {
        self.restarts.subscribe()
    }

    /// Now, by the phone's clock, in milliseconds since 1970; files that change from here on get this time.
    pub(super) async fn now_ms(&self) -> u64 {
        let (now, date) = {
            let mut system = self.system.lock().await;
            system.catch_up();
            (system.now_ms(), system.date_ms())
        };
        self.files.lock().set_now(seconds(date));
        now
    }

    /// Now, as the phone's date says, in milliseconds since 1970.
    pub(super) async fn date_ms(&self) -> u64 {
        self.now_ms().await;
        self.system.lock().await.date_ms()
    }

    /// Waits until the window in front is served by its app again, at most for `patience`; whether it is, and nothing of the
    /// system's own has come before it meanwhile.
    pub(super) async fn until_it_answers(&self, timeout: Duration) -> bool {
        let (end, mut has_waited) = (Instant::now() + timeout, false);
        loop {
            let (is_hung, has_alert) = {
                let mut system = self.system.lock().await;
                system.catch_up();
                (system.is_hung(), system.has_alert())
            };
            if !is_hung {
                return !(has_waited && has_alert);
            }
            if Instant::now() >= end {
                return false;
            }
            has_waited = true;
            tokio::time::sleep(GLANCE).await;
        }
    }

    /// Lets `act` use the system to its end, even where the caller is given up: no finger stays on the screen. Only the
    /// phone's own end ends it.
    pub(super) async fn act<A, F, T>(&self, act: A) -> io::Result<T>
    where
        A: FnOnce(OwnedMutexGuard<System>) -> F + Send + 'static,
        F: Future<Output = T> + Send,
        T: Send + 'static,
    {
        let (tell, told) = oneshot::channel();
        self.set_going(Box::new(move |system| {
            Box::pin(async move {
                // A caller that is gone wants no answer.
                let _ = tell.send(act(system).await);
            })
        }));
        let outcome = told.await.map_err(io::Error::other);
        self.take_events().await;
        outcome
    }

    /// Has a task of its own do something with the system. The compiler makes the task once, whatever is done.
    fn set_going(&self, act: Act) {
        let (system, off) = (self.system.clone(), self.off.clone());
        tokio::spawn(async move {
            off.run_until_cancelled(async {
                let mut system = system.lock_owned().await;
                system.catch_up();
                act(system).await;
            })
            .await
        });
    }

    /// Returns the messages of the log, a line each.
    pub(super) async fn messages(&self) -> String {
        self.take_events().await;
        self.log.lock().since(0).into_iter().map(|line| line.message + "\n").collect()
    }

    /// Writes what happened on the phone into its log.
    async fn take_events(&self) {
        let events = self.system.lock().await.take_events();
        if events.is_empty() {
            return;
        }
        for (at, tag, message) in events {
            self.log.lock().add(at, tag, &message);
        }
        self.log_changes.send_replace(());
    }

    /// Lets the gallery forget files that are not there any more.
    pub(super) async fn forget_missing_media(&self) {
        let mut system = self.system.lock().await;
        let is_gone = |path: &&str| self.files.lock().get(path).is_err();
        let gone: Vec<String> = system.media().filter(is_gone).map(str::to_owned).collect();
        system.forget_media(&gone);
    }
}

/// Milliseconds → whole seconds.
pub(super) fn seconds(milliseconds: u64) -> i64 {
    i64::try_from(milliseconds / 1000).unwrap_or(i64::MAX)
}
