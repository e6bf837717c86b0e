//! Android phones over adb: device words → shell commands of every Android since 5, and what they print → device words.
//!
//! Starts no process on the host and keeps nothing in mind that the device may change: every look is a look.

use uixt_driver as driver;

mod answer;
mod apps;
mod backend;
mod baseline;
mod clipboard;
mod details;
mod display;
mod displays;
mod files;
mod film;
mod gesture;
mod hierarchy;
mod input_method;
mod keyboard;
mod keys;
mod leftover;
mod link;
mod lock;
mod log;
mod media;
mod packages;
mod person;
mod picture;
mod platform;
mod record;
mod role;
mod rotation;
mod screenshot;
mod shell_backend;
mod started;
mod text;
mod toolkits;
pub mod uia2;
mod uiautomator;
mod until;
mod windows;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;

use self::answer::{checked, not_understood};
use self::apps::Launcher;
use self::backend::Backend;
use self::baseline::Baseline;
pub use self::hierarchy::parse as parse_hierarchy;
use self::keyboard::Keyboard;
pub use self::platform::Platform;
use self::shell_backend::{ShellBackend, type_lines};
use self::until::until;
use crate::driver::{
    AppInfo, Details, DeviceInfo, Display, Driver, Error, Foreground, Gesture, InputMethods, Install, Key, KeyPress,
    Keystrokes, Lock, LogQuery, Orientation, Pixels, Reel, Reset, Screen, Screenshot, Size, Told, Turned,
};
use uixt_adb::{self as adb, Device, Listed, Output, Transport};

/// How long a screen may turn, or have nothing of an app on it, before that is what it shows.
const DOUBTED: Duration = Duration::from_secs(3);

const PLATFORM: &str = "android";
/// How long a screen that cannot be read is tried again.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The same where somebody has less time, or none: between two pages a screen gives no tree for a moment.
const MOMENT: Duration = Duration::from_secs(1);

/// How long a device may take to tell its name.
const NAMING: Duration = Duration::from_secs(5);
/// How long an app's processes may take to go that was ended.
const DYING: Duration = Duration::from_secs(10);

/// An Android device that adb reaches.
#[derive(Clone, Debug)]
pub struct Android {
    device: Device,
    info: DeviceInfo,
    /// How its screen is looked at and touched.
    backend: Arc<dyn Backend>,
    timeout: Duration,
    /// What is known of it since the run began, whoever drives it.
    baseline: Arc<Baseline>,
}

/// Lists what a way leads to, in whatever state: `online`, or adb's own word.
pub async fn list(way: &dyn Transport) -> Result<Vec<DeviceInfo>, Error> {
    Ok(described(&way.devices().await?))
}

fn described(listed: &[Listed]) -> Vec<DeviceInfo> {
    listed.iter().map(|device| describe(device, name_of(device))).collect()
}

impl Android {
    /// Opens a device that is online; its name is `name`, or else its model.
    ///
    /// Fails with `Disconnected` where it is not there, offline or unauthorized; the message says what to do.
    pub async fn open(way: impl Transport, serial: &str, name: Option<&str>) -> Result<Self, Error> {
        let listed = find(&way, serial).await?;
        let device = Device::new(way, serial);
        let name = match name {
            Some(name) => name.to_owned(),
            None if !listed.model.is_empty() => name_of(&listed),
            None => ask_model(&device).await?.unwrap_or_else(|| serial.to_owned()),
        };
        let backend = Arc::new(ShellBackend::new(device.clone()));
        Ok(Self { device, info: describe(&listed, name), backend, timeout: TIMEOUT, baseline: Arc::default() })
    }

    /// Returns this device with a screen that is looked at and touched by Appium's UiAutomator2 server, which is installed
    /// where it is not, and started.
    pub async fn by_server(self, options: &uia2::Options) -> Result<Self, Error> {
        let backend = uia2::ServerBackend::start(self.device.clone(), options.clone()).await?;
        Ok(Self { backend: Arc::new(backend), ..self })
    }

    /// Returns the way to the device, for what is no driver's business: files, its own commands.
    pub fn device(&self) -> &Device {
        &self.device
    }

    async fn run(&self, what: &str, command: &str) -> Result<String, Error> {
        checked(what, &self.device.shell(command).await?)
    }

    /// Runs a command that does something, which is sent once.
    async fn act(&self, what: &str, command: &str) -> Result<(), Error> {
        let output = self.device.shell(command).await.map_err(answer::unsure)?;
        checked(what, &output).map(drop)
    }

    /// Runs commands of which some may fail; returns what all of them said.
    async fn look(&self, command: &str) -> Result<String, Error> {
        let Output { stdout, stderr, .. } = self.device.shell(command).await?;
        Ok(format!("{}\n{}", answer::text(&stdout), answer::text(&stderr)))
    }

    /// Waits until none of an app's processes is there any more.
    async fn see_gone(&self, package: &str, left: Vec<u32>) -> Result<(), Error> {
        if left.is_empty() {
            return Ok(());
        }
        let look = || async { Ok(apps::processes(&self.look(&apps::running_command(package)).await?)) };
        let among = |now: &Vec<u32>| left.iter().copied().find(|pid| now.contains(pid));
        match among(&until(DYING, look, |now| among(now).is_none()).await?.look) {
            None => Ok(()),
            Some(pid) => {
                let message = format!("`am force-stop` did not end {package}: process {pid} is still there");
                Err(Error::Device { message })
            }
        }
    }

    async fn look_at_screen(&self, timeout: Duration) -> Result<Screen, Error> {
        let dump = self.backend.tree(display::LOOK, timeout).await?;
        let (size, lit) = (self.size_of(&dump.rest).await?, self.is_lit(&dump.rest).await);
        // Behind a dark screen, Android may still tell of the app that would be there.
        let mut roots = if lit { hierarchy::parse(&dump.xml)? } else { Vec::new() };
        if lit && roots.is_empty() {
            return Err(uiautomator::failed("the device", uiautomator::EMPTY));
        }
        let keyboard = display::keyboard(&dump.rest, size);
        if let Some(keyboard) = keyboard {
            windows::without_keyboard(&mut roots, keyboard);
        }
        let package = windows::front(&roots).to_owned();
        let cut = roots.iter().any(hierarchy::holds_cut_text);
        Ok(Screen { package, size, lit, roots, keyboard, cut, ..Screen::default() })
    }

    async fn size_of(&self, look: &str) -> Result<Size, Error> {
        if let Some(size) = display::current_size(look) {
            return Ok(size);
        }
        // What is told of no display stands before what is told of several.
        let look = format!("{}\n{look}", self.look(display::LOOK_AT_INPUT).await?);
        let untold = || not_understood("dumpsys", "the device does not tell how its screen is turned", &look);
        display::parse(&look)?.ok_or_else(untold)
    }

    /// Tells whether the screen is lit; one of which nothing is told counts as lit.
    async fn is_lit(&self, look: &str) -> bool {
        match display::awake(look) {
            Some(true) => true,
            told => lock::state(self).await.map_or(told != Some(false), |lock| lock.awake),
        }
    }

    /// Runs a command that presses keys if the screen is lit, and tells whether it is: in one call where the device says so
    /// by itself, which it does from Android 10 on, with one display.
    async fn type_where_lit(&self, what: &str, command: &str) -> Result<bool, Error> {
        let output = self.device.shell(&keys::where_lit(command)).await.map_err(answer::unsure)?;
        if keys::was_lit(&answer::text(&output.stdout)) {
            return checked(what, &output).map(|_| true);
        }
        let lit = self.display().await?.lit;
        if lit {
            self.act(what, command).await?;
        }
        Ok(lit)
    }

    async fn start(&self, component: &str) -> Result<(), Error> {
        started::by_am(&self.run("am start", &apps::start_command(component)).await?)
    }
}

#[async_trait]
impl Driver for Android {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    async fn screen_size(&self) -> Result<Size, Error> {
        let look = self.look(display::LOOK).await?;
        self.size_of(&look).await
    }

    async fn display(&self) -> Result<Display, Error> {
        let look = self.look(display::LOOK).await?;
        Ok(Display { size: self.size_of(&look).await?, lit: self.is_lit(&look).await })
    }

    async fn perform(&self, gesture: Gesture) -> Result<(), Error> {
        self.backend.perform(&gesture).await
    }

    async fn type_text(&self, text: &str) -> Result<(), Error> {
        self.type_in_turn(&[Keystrokes { text: text.to_owned(), pause: Duration::ZERO }]).await
    }

    async fn type_in_turn(&self, pieces: &[Keystrokes]) -> Result<(), Error> {
        if pieces.iter().all(|piece| text::is_plain(&piece.text)) {
            return self.backend.type_plain(pieces).await;
        }
        let keyboard = Keyboard::take(&self.device).await?;
        type_lines(&self.device, text::broadcast_lines(pieces)).await?;
        keyboard.give_back().await
    }

    async fn press(&self, key: Key) -> Result<(), Error> {
        self.backend.press(&[keys::code(key)]).await
    }

    async fn press_where_lit(&self, key: Key) -> Result<bool, Error> {
        self.press_code_where_lit(&KeyPress { code: keys::code(key), ..KeyPress::default() }).await
    }

    async fn press_all(&self, keys: &[Key]) -> Result<(), Error> {
        let codes: Vec<u32> = keys.iter().map(|key| keys::code(*key)).collect();
        self.backend.press(&codes).await
    }

    async fn press_code(&self, press: &KeyPress) -> Result<(), Error> {
        if press.held.is_empty() && !press.long {
            return self.backend.press(&[press.code]).await;
        }
        self.act(keys::tool(press), &keys::press_command(press)).await
    }

    async fn press_code_where_lit(&self, press: &KeyPress) -> Result<bool, Error> {
        if self.backend.is_shell() {
            return self.type_where_lit(keys::tool(press), &keys::press_command(press)).await;
        }
        let lit = self.display().await?.lit;
        if lit {
            self.press_code(press).await?;
        }
        Ok(lit)
    }

    async fn input_methods(&self) -> Result<InputMethods, Error> {
        input_method::list(&self.device).await
    }

    async fn set_input_method(&self, id: &str) -> Result<(), Error> {
        input_method::set(&self.device, id).await
    }

    async fn clipboard(&self) -> Result<String, Error> {
        clipboard::get(&self.device).await
    }

    async fn set_clipboard(&self, text: &str) -> Result<(), Error> {
        self.backend.set_clipboard(text).await
    }

    async fn open_url(&self, url: &str, package: Option<&str>) -> Result<Option<String>, Error> {
        link::parse(url, &self.device.shell(&link::command(url, package)).await?)
    }

    async fn lock_state(&self) -> Result<Lock, Error> {
        lock::state(self).await
    }

    async fn lock(&self) -> Result<Lock, Error> {
        lock::lock(self).await
    }

    async fn unlock(&self) -> Result<Lock, Error> {
        lock::unlock(self).await
    }

    async fn orientation(&self) -> Result<Turned, Error> {
        rotation::turned(self).await
    }

    async fn set_orientation(&self, orientation: Option<Orientation>) -> Result<(), Error> {
        rotation::set(self, orientation).await
    }

    async fn details(&self) -> Result<Details, Error> {
        details::of(self).await
    }

    async fn launch(&self, package: &str) -> Result<(), Error> {
        self.baseline.note_start(package);
        let look = self.look(&apps::resolve_command(package)).await?;
        match apps::parse_resolved(package, &look)? {
            Launcher::Component(component) => self.start(&component).await,
            Launcher::Untold => started::by_monkey(&self.run("monkey", &apps::monkey_command(package)).await?),
        }
    }

    async fn terminate(&self, package: &str) -> Result<bool, Error> {
        let look = self.look(&apps::stop_command(package)).await?;
        let stopped = apps::parse_stopped(package, &look)?;
        self.see_gone(package, stopped.left).await?;
        Ok(stopped.was_running)
    }

    async fn packages(&self) -> Result<Vec<String>, Error> {
        apps::packages(&self.device).await
    }

    async fn foreground(&self) -> Result<Foreground, Error> {
        let windows = self.look(apps::FRONT).await?;
        if let Some(front) = apps::parse_front(&windows) {
            return Ok(front);
        }
        let more = self.look(apps::FRONT_ACTIVITY).await?;
        let untold = || not_understood("dumpsys", "it names no app in front", &format!("{windows}\n{more}"));
        apps::parse_front(&more).ok_or_else(untold)
    }

    async fn screenshot(&self) -> Result<Screenshot, Error> {
        screenshot::parse(picture::take(&self.device, screenshot::COMMAND).await?)
    }

    async fn pixels(&self) -> Result<Option<Pixels>, Error> {
        if !screenshot::is_near(&self.info.serial) {
            return Ok(None);
        }
        Ok(screenshot::raw(picture::take(&self.device, screenshot::RAW).await?))
    }

    async fn screen(&self) -> Result<Screen, Error> {
        self.screen_within(self.timeout).await
    }

    async fn screen_within(&self, timeout: Duration) -> Result<Screen, Error> {
        let timeout = timeout.max(MOMENT).min(self.timeout);
        let before = Instant::now();
        let look = || self.look_at_screen(timeout.saturating_sub(before.elapsed()));
        let screen = until(timeout.min(DOUBTED), look, |screen| hierarchy::doubt(screen).is_none()).await?.look;
        match hierarchy::doubt(&screen) {
            None => Ok(screen),
            Some(reason) => Err(uiautomator::failed("the device", reason)),
        }
    }

    async fn untold(&self, screen: &Screen) -> Result<&'static str, Error> {
        Ok(windows::untold(screen, &self.look(windows::LIST).await?))
    }

    async fn source(&self) -> Result<(String, Option<Foreground>), Error> {
        let dump = self.backend.tree(apps::FRONT, self.timeout).await?;
        let xml = windows::of_windows(dump.xml)?;
        Ok((hierarchy::without_passwords(hierarchy::of_nodes(xml)), apps::parse_front(&dump.rest)))
    }

    async fn is_running(&self, package: &str) -> Result<bool, Error> {
        apps::parse_running(package, &self.look(&apps::running_command(package)).await?)
    }

    async fn install(&self, file: &Path, how: Install) -> Result<(), Error> {
        packages::install(&self.device, file, how).await
    }

    async fn uninstall(&self, package: &str) -> Result<(), Error> {
        packages::uninstall(&self.device, package).await
    }

    async fn clear_app(&self, package: &str) -> Result<(), Error> {
        packages::clear(&self.device, package).await
    }

    async fn app_info(&self, package: &str) -> Result<AppInfo, Error> {
        packages::info(&self.device, package).await
    }

    async fn set_permission(&self, package: &str, permission: &str, granted: bool) -> Result<(), Error> {
        packages::permit(&self.device, package, permission, granted).await
    }

    async fn push_file(&self, from: &Path, to: &str) -> Result<u64, Error> {
        files::push(&self.device, from, to).await
    }

    async fn pull_file(&self, from: &str, to: &Path) -> Result<u64, Error> {
        files::pull(&self.device, from, to).await
    }

    async fn is_folder(&self, path: &str) -> Result<bool, Error> {
        files::leads_to_folder(&self.device, path).await
    }

    async fn add_media(&self, file: &Path, name: &str) -> Result<String, Error> {
        media::add(&self.device, file, name).await
    }

    async fn clear_media(&self) -> Result<usize, Error> {
        media::clear(&self.device).await
    }

    async fn log(&self, query: &LogQuery) -> Result<Vec<String>, Error> {
        log::read(&self.device, query).await
    }

    async fn clock(&self) -> Result<String, Error> {
        log::clock(&self.device).await
    }

    async fn clear_log(&self) -> Result<(), Error> {
        log::clear(&self.device).await
    }

    async fn record(&self, duration: Duration, to: &Path) -> Result<(), Error> {
        record::record(&self.device, duration, to).await
    }

    async fn film(&self, reel: &dyn Reel) -> Result<(), Error> {
        film::film(&self.device, reel).await
    }

    async fn follow_person(&self, told: Told<'_>) -> Result<(), Error> {
        person::follow(self, told).await
    }

    async fn renew(&self, reset: Reset) -> Result<Vec<String>, Error> {
        baseline::renew(self, reset).await
    }

    async fn close(&self) {
        self.backend.close().await;
    }
}

async fn find(way: &dyn Transport, serial: &str) -> Result<Listed, Error> {
    let (mut present, serial) = (Vec::new(), serial.to_owned());
    for listed in way.devices().await? {
        if listed.serial == serial {
            return online(listed);
        }
        present.push(listed.serial);
    }
    Err(adb::Error::NoDevice { serial, present }.into())
}

fn online(listed: Listed) -> Result<Listed, Error> {
    let serial = listed.serial.clone();
    match listed.state.as_str() {
        "device" => Ok(listed),
        "unauthorized" | "authorizing" => Err(adb::Error::Unauthorized { serial }.into()),
        "offline" | "connecting" => Err(adb::Error::Offline { serial }.into()),
        state => Err(Error::Disconnected { message: format!("device `{serial}` cannot be used; adb says: {state}") }),
    }
}

fn describe(listed: &Listed, name: String) -> DeviceInfo {
    let status = if listed.is_online() { "online".to_owned() } else { listed.state.clone() };
    DeviceInfo { platform: PLATFORM, serial: listed.serial.clone(), name, status }
}

fn name_of(listed: &Listed) -> String {
    if listed.model.is_empty() { listed.serial.clone() } else { listed.model.replace('_', " ") }
}

/// Asks what a person calls the device; one that does not say so soon has none.
async fn ask_model(device: &Device) -> Result<Option<String>, Error> {
    let output = match device.with_deadline(NAMING).shell("getprop ro.product.model").await {
        Err(adb::Error::Silent { .. }) => return Ok(None),
        output => output?,
    };
    let model = answer::text(&output.stdout).trim().to_owned();
    Ok((output.exit == 0 && !model.is_empty()).then_some(model))
}

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod recordings;
#[cfg(test)]
mod state_tests;
#[cfg(test)]
mod tests;
