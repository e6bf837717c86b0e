//! The phone itself: screen, apps, back stack, keyboard, settings. Knows nothing of adb or shells.
//!
//! Every method that takes time in a person's eyes is driven by the phone's own clock.

mod running;

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use chrono::DateTime;
use tokio::sync::oneshot;

use crate::adb::service::Trust;
use crate::instance::Services;

pub use super::app::{App, Release};
use super::apps::{self, AppDefinition, BackendKind, shop};
use super::cap::Layer;
use super::dialog::Dialog;
use super::launcher;
pub use super::options::{Face, Options};
use super::process::{Installed, Process};
pub use super::refused::Refused;
use super::stroke::{LastTap, Stroke};

/// The phone.
pub struct System {
    options: Options,
    /// `settings get|put NAMESPACE KEY`: `secure/default_input_method` → value.
    pub settings: BTreeMap<String, String>,
    size_override: Option<(u32, u32)>,
    /// Milliseconds by which the date was set forward, or back.
    date_shift: i64,
    density_override: Option<u32>,
    rotation: u8,
    pub(super) screen_on: bool,
    /// Whether the lock screen lies over everything.
    pub(super) locked: bool,
    /// Every app; the launcher stands last.
    pub(super) apps: Vec<App>,
    pub(super) installed: BTreeMap<String, Arc<Installed>>,
    /// What is installed of the stand-in for the UiAutomator2 server, by package.
    pub(super) automators: BTreeMap<&'static str, Release>,
    pub(super) running: BTreeMap<String, Process>,
    /// The app in front; none is the launcher.
    pub(super) front: Option<String>,
    /// The page that the launcher shows, from 0.
    pub(super) home_page: usize,
    /// The finger that is on the screen.
    pub(super) stroke: Option<Stroke>,
    pub(super) last_tap: Option<LastTap>,
    next_pid: u32,
    /// The keyboard's layer while it is shown.
    pub(super) keyboard: Option<Layer>,
    clipboard: String,
    /// Package and permission → whether it was granted.
    pub(super) permissions: BTreeMap<(String, String), bool>,
    /// What the system itself asks, over everything but the lock screen.
    pub(super) alert: Option<Alert>,
    pub(super) services: Services,
    pub(super) shop: Option<shop::Backend>,
    /// What the gallery shows: path → data URI, or nothing for what is only named.
    pub(super) media: BTreeMap<String, String>,
    /// What happened, as tag and message; whoever keeps the log takes it.
    events: Vec<(u64, &'static str, String)>,
    /// How many pages have opened one another without anybody touching the phone.
    pub(super) hops: u8,
}

/// What the system asks of an app that is in trouble.
pub(super) struct Alert {
    pub(super) package: String,
    /// The package of its window, and the window's name.
    pub(super) owner: &'static str,
    pub(super) window: String,
    pub(super) dialog: Dialog,
    /// Who waits for the answer beside the phone.
    pub(super) asked: Option<oneshot::Sender<Trust>>,
}

/// Events that wait to be taken into the log at most.
const EVENTS: usize = 200;
/// Bounds of a screen's side, in pixels, and of its density.
const SIDES: std::ops::RangeInclusive<u32> = 200..=8192;
const DENSITIES: std::ops::RangeInclusive<u32> = 72..=1000;

/// Apps as they were read, or why one cannot be.
type Read = Result<Vec<Arc<Installed>>, String>;

fn read(definitions: &[AppDefinition]) -> Read {
    definitions.iter().map(|definition| Installed::read(definition).map(Arc::new)).collect()
}

fn refuse(reason: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

impl System {
    /// Starts a phone with the apps that it comes with.
    pub async fn start(options: Options) -> io::Result<Self> {
        /// Read once, whatever the number of phones.
        static READ: LazyLock<(Vec<AppDefinition>, Read)> = LazyLock::new(|| {
            let definitions = apps::all();
            let installed = read(&definitions);
            (definitions, installed)
        });
        let (definitions, installed) = &*READ;
        Self::assemble(options, definitions, installed.clone().map_err(refuse)?).await
    }

    /// Starts a phone with apps of one's own. Errors: an app that cannot be read; the message names it and the place.
    pub async fn with_apps(options: Options, definitions: &[AppDefinition]) -> io::Result<Self> {
        Self::assemble(options, definitions, read(definitions).map_err(refuse)?).await
    }

    async fn assemble(
        options: Options,
        definitions: &[AppDefinition],
        mut installed: Vec<Arc<Installed>>,
    ) -> io::Result<Self> {
        let mut apps: Vec<App> = installed.iter().map(|installed| installed.app.clone()).collect();
        if options.keeper.is_some() {
            installed.push(Arc::new(Installed::read(&apps::instances::app()).map_err(refuse)?));
        }
        apps.push(launcher::app());
        let has_shop = definitions.iter().any(|definition| definition.backend == Some(BackendKind::Shop));
        let shop = if has_shop { Some(shop::Backend::start().await?) } else { None };
        let clock = options.clock.clone();
        let now =
            move || DateTime::from_timestamp_millis(i64::try_from(clock.now_ms()).unwrap_or(0)).unwrap_or_default();
        let services = Services::new()?.with_clock(now);
        let mut services = match &shop {
            Some(shop) => services.with_host(shop::HOST, shop.address()),
            None => services,
        };
        for definition in definitions {
            if let Some(BackendKind::At(host, address)) = definition.backend {
                services = services.with_host(host, address);
            }
        }
        Ok(Self {
            options,
            settings: BTreeMap::new(),
            size_override: None,
            date_shift: 0,
            density_override: None,
            rotation: 0,
            screen_on: true,
            locked: false,
            apps,
            installed: installed.into_iter().map(|installed| (installed.app.package.clone(), installed)).collect(),
            automators: BTreeMap::new(),
            running: BTreeMap::new(),
            front: None,
            home_page: 0,
            stroke: None,
            last_tap: None,
            next_pid: 4211,
            keyboard: None,
            clipboard: String::new(),
            permissions: BTreeMap::new(),
            alert: None,
            services,
            shop,
            media: BTreeMap::new(),
            events: Vec::new(),
            hops: 0,
        })
    }

    pub fn options(&self) -> &Options {
        &self.options
    }

    pub(super) fn is_iphone(&self) -> bool {
        self.options.face == Face::Iphone
    }

    /// `wm size` override; None resets. Sides are held within 200 to 8192 pixels.
    pub fn set_size_override(&mut self, size: Option<(u32, u32)>) {
        let held = |side: u32| side.clamp(*SIDES.start(), *SIDES.end());
        self.size_override = size.map(|(width, height)| (held(width), held(height)));
        self.relayout();
    }

    pub fn size_override(&self) -> Option<(u32, u32)> {
        self.size_override
    }

    /// `wm density` override; None resets. Held within 72 to 1000 dots per inch.
    pub fn set_density_override(&mut self, density: Option<u32>) {
        self.density_override = density.map(|density| density.clamp(*DENSITIES.start(), *DENSITIES.end()));
        self.relayout();
    }

    pub fn density_override(&self) -> Option<u32> {
        self.density_override
    }

    /// 0, 1, 2, 3: quarter turns, as `user_rotation`.
    pub fn set_rotation(&mut self, rotation: u8) {
        self.rotation = rotation % 4;
        self.relayout();
    }

    pub fn rotation(&self) -> u8 {
        self.rotation
    }

    /// Width and height as the screen is turned now, overrides applied.
    pub fn size(&self) -> (u32, u32) {
        let (width, height) = self.size_override.unwrap_or(self.options.size);
        if self.rotation % 2 == 1 { (height, width) } else { (width, height) }
    }

    /// Keeps the field in use in sight after the screen's measures have changed.
    fn relayout(&mut self) {
        if self.keyboard.is_some() {
            self.reveal();
        }
    }

    /// One finger from one point to another (the same point for a tap), in pixels of the turned screen. Returns when the
    /// screen has taken it in, its app's backend included. The finger's time is the phone's own: nobody waits for `duration`.
    /// A long press on what knows none does what a tap does, and content follows the finger without a fling.
    pub async fn touch(&mut self, from: (f64, f64), to: (f64, f64), duration: Duration) {
        let now = self.now_ms();
        self.draw(from, to, (Duration::ZERO, duration), now).await;
    }

    /// `input keyevent CODE`, Android's numbers.
    pub async fn key(&mut self, code: u32) {
        self.press(code).await;
    }

    /// Puts text into the focused field, as a keyboard would: a line end is the Enter key. Ignored where nothing has the focus.
    pub async fn type_text(&mut self, text: &str) {
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.key(66).await;
            }
            if self.screen_on && !self.locked {
                self.edit(|edit| edit.insert(line));
            }
        }
    }

    /// Notes that something happened, for the log.
    pub(super) fn note(&mut self, tag: &'static str, message: String) {
        if self.events.len() < EVENTS {
            self.events.push((self.date_ms(), tag, message));
        }
    }

    /// Takes what happened since this was called last, with the dates in milliseconds since 1970.
    pub(super) fn take_events(&mut self) -> Vec<(u64, &'static str, String)> {
        std::mem::take(&mut self.events)
    }

    pub fn keyboard_shown(&self) -> bool {
        self.keyboard.is_some()
    }

    /// Whether the screen is lit.
    pub fn is_screen_on(&self) -> bool {
        self.screen_on
    }

    /// Whether the lock screen is up, or will be once the screen is lit.
    pub fn is_locked(&self) -> bool {
        self.locked
    }

    /// `wm dismiss-keyguard`: takes the lock screen away; a dark screen keeps it.
    pub fn dismiss_lock(&mut self) {
        self.locked &= !self.screen_on;
    }

    pub fn clipboard(&self) -> &str {
        &self.clipboard
    }

    pub fn set_clipboard(&mut self, text: &str) {
        text.clone_into(&mut self.clipboard);
    }

    /// Now, by the phone's clock, in milliseconds since 1970; nothing but time moves it.
    pub fn now_ms(&self) -> u64 {
        self.options.clock.now_ms()
    }

    /// Now, as the phone shows it and writes it down, in milliseconds since 1970: what somebody may have set.
    pub(super) fn date_ms(&self) -> u64 {
        self.now_ms().saturating_add_signed(self.date_shift)
    }

    /// Sets the date, in milliseconds since 1970; what is under way on the phone goes on.
    pub(super) fn set_date(&mut self, to_ms: u64) {
        let signed = |ms: u64| i64::try_from(ms).unwrap_or(i64::MAX);
        self.date_shift = signed(to_ms).saturating_sub(signed(self.now_ms()));
    }
}
