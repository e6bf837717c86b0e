//! The WDA of one iPhone: what its routes share.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::OwnedMutexGuard;
use tokio_util::sync::CancellationToken;

use super::super::counts::Counts;
use super::super::handset::Handset;
use super::super::launcher;
use super::super::switches::Switches;
use super::super::system::System;
use super::answer::{Outcome, Refusal};
use super::counts::NAMES;
use super::faults::KNOWN;
use super::options::{IphoneOptions, Manners};
use super::settings::{Session, default_of};

/// What the home screen, the lock screen and the system's own alerts belong to.
pub(super) const SPRINGBOARD: &str = "com.apple.springboard";
/// The name that the settings have on an iPhone, beside their own.
const PREFERENCES: (&str, &str) = ("com.apple.Preferences", "com.uixt.settings");
/// How long an app that does nothing is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// The WDA of one iPhone.
pub(super) struct Agent {
    pub(super) handset: Arc<Handset>,
    pub(super) options: IphoneOptions,
    pub(super) session: Mutex<Option<Session>>,
    pub(super) faults: Switches,
    pub(super) counts: Counts,
    /// Held by the request that is carried out.
    pub(super) turn: tokio::sync::Mutex<()>,
    pub(super) device: Mutex<DeviceState>,
    /// Whether WDA ends once what it answers is sent.
    pub(super) is_ending: AtomicBool,
    /// Cancelled once it ends.
    pub(super) off: CancellationToken,
}

/// What the device was told, and tells again.
#[derive(Default)]
pub(super) struct DeviceState {
    pub(super) is_dark: bool,
    /// Whether the settings were launched by the name that iPhones have for them.
    pub(super) is_preferences: bool,
    /// Latitude and longitude that somebody made up.
    pub(super) location: Option<(f64, f64)>,
    /// Arguments and environment that apps were launched with.
    pub(super) launched: BTreeMap<String, (Value, Value)>,
    /// The screenshot that is told again and again.
    pub(super) stale_picture: Option<String>,
}

impl Agent {
    pub(super) fn new(handset: Arc<Handset>, options: IphoneOptions, off: CancellationToken) -> Self {
        Self {
            handset,
            options,
            session: Mutex::default(),
            faults: Switches::new(KNOWN),
            counts: Counts::new(&NAMES),
            turn: tokio::sync::Mutex::default(),
            device: Mutex::default(),
            is_ending: AtomicBool::new(false),
            off,
        }
    }

    pub(super) fn is_old(&self) -> bool {
        self.options.manners == Manners::Old
    }

    /// Lets `act` use the phone to its end.
    pub(super) async fn act<A, F, T>(&self, act: A) -> Result<T, Refusal>
    where
        A: FnOnce(OwnedMutexGuard<System>) -> F + Send + 'static,
        F: Future<Output = T> + Send,
        T: Send + 'static,
    {
        self.handset.act(act).await.map_err(|error| Refusal::unknown(error.to_string()))
    }

    /// Returns a setting of the session, or what it is without one.
    pub(super) fn setting(&self, name: &str) -> Value {
        let of_session = self.session.lock().as_ref().and_then(|session| session.settings.get(name).cloned());
        of_session.unwrap_or_else(|| default_of(name))
    }

    pub(super) fn number_setting(&self, name: &str) -> f64 {
        super::words::number(&self.setting(name)).unwrap_or(0.0)
    }

    pub(super) fn is_set(&self, name: &str) -> bool {
        super::words::truth(&self.setting(name)).unwrap_or(false)
    }

    /// Waits until the app is idle, as commands on apps do.
    pub(super) async fn until_idle(&self) {
        let limit = self.number_setting("waitForIdleTimeout");
        if let Some(seconds) = self.faults.number("never_idle_s").filter(|_| limit > 0.0) {
            tokio::time::sleep(Duration::from_secs_f64(seconds.clamp(0.0, limit))).await;
        }
        // One that hangs takes nothing in; whoever asks is told so.
        self.handset.until_it_answers(PATIENCE).await;
    }
}

/// Returns the phone's own name of an app.
pub(super) fn package(bundle: &str) -> &str {
    match bundle {
        SPRINGBOARD => launcher::PACKAGE,
        name if name == PREFERENCES.0 => PREFERENCES.1,
        other => other,
    }
}

impl Agent {
    /// Returns the name that an iPhone gives an app of the phone; the settings have the one that they were launched by last.
    pub(super) fn bundle<'a>(&self, package: &'a str) -> &'a str {
        match package {
            launcher::PACKAGE => SPRINGBOARD,
            name if name == PREFERENCES.1 && self.device.lock().is_preferences => PREFERENCES.0,
            other => other,
        }
    }

    /// Takes in by which name an app is launched.
    pub(super) fn note_name(&self, bundle: &str) {
        if package(bundle) == PREFERENCES.1 {
            self.device.lock().is_preferences = bundle == PREFERENCES.0;
        }
    }
}

/// An outcome that holds nothing.
pub(super) const DONE: Outcome = Ok(Value::Null);
