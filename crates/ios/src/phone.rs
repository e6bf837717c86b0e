//! An iPhone whose `WebDriverAgent` answers, as a [`Driver`].

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::baseline::Baseline;
use crate::driver::{
    self, AppStart, Appearance, Details, DeviceInfo, Display, Driver, Error, Foreground, Gesture, Install, Key,
    KeyPress, Keystrokes, Location, Lock, LogQuery, Orientation, Reel, Reset, Screen, Screenshot, Size, Turned,
};
use crate::eyes::{Eyes, SPRINGBOARD};
use crate::fault::Miss;
use crate::keys::{self, Press};
use crate::options::Options;
use crate::simctl::Simulator;
use crate::starter::Started;
use crate::stream::Way;
use crate::wda::{Ask, LONG, TAKEN, TOUCH, Wda};
use crate::{alert, apps, baseline, film, gesture, installed, picture, state, surroundings, typing, unsupported};

/// How long a screen that cannot be read is tried again.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The same where somebody has less time, or none.
const MOMENT: Duration = Duration::from_secs(1);

/// An iPhone.
#[derive(Debug)]
pub struct Phone {
    info: DeviceInfo,
    wda: Arc<Wda>,
    eyes: Eyes,
    baseline: Baseline,
    /// The app that was started last, and that nothing has ended or left since.
    expected: Mutex<Option<String>>,
    /// What it is where it is no phone, but made by a Mac.
    simulator: Option<Simulator>,
    /// What runs `WebDriverAgent`, where it was started for this.
    started: Mutex<Option<Started>>,
}

impl Phone {
    pub(crate) fn new(info: DeviceInfo, way: Way, options: Options, simulator: Option<Simulator>) -> Self {
        let wda = Arc::new(Wda::new(way, options));
        let (eyes, baseline) = (Eyes::new(Arc::clone(&wda)), Baseline::default());
        let (expected, started) = (Mutex::default(), Mutex::default());
        Self { info, wda, eyes, baseline, expected, simulator, started }
    }

    /// Ends what runs `WebDriverAgent` when the phone is closed.
    pub(crate) fn keep(&mut self, started: Started) {
        *self.started.get_mut() = Some(started);
    }

    /// Returns the simulator that it is, for what only those can.
    fn simulator(&self, operation: &str) -> Result<&Simulator, Error> {
        self.simulator.as_ref().ok_or_else(|| unsupported::error(operation))
    }

    pub(crate) fn wda(&self) -> &Wda {
        &self.wda
    }

    pub(crate) fn eyes(&self) -> &Eyes {
        &self.eyes
    }

    async fn scale(&self) -> Result<crate::scale::Scale, Error> {
        Ok(self.eyes.scales.now(&self.wda).await?)
    }

    /// Does something that is sent once, after which a look is a new one.
    async fn act(&self, ask: Ask<'_>) -> Result<Value, Miss> {
        let done = self.wda.ask(ask).await;
        self.eyes.acted(None);
        done
    }

    /// Takes in that an app was started, or was not.
    fn launched(&self, package: &str, launched: Result<(), Error>) -> Result<(), Error> {
        self.left();
        if launched.is_ok() {
            *self.expected.lock() = Some(package.to_owned());
        }
        launched
    }

    async fn press_button(&self, name: &str) -> Result<(), Miss> {
        self.act(Ask::act("press a button", "/wda/pressButton", &json!({"name": name}))).await.map(drop)
    }

    async fn pressed(&self, press: &Press) -> Result<(), Error> {
        let done = match press {
            Press::Back => return surroundings::back(self).await,
            Press::Home => match self.act(Ask::act("press home", "/wda/homescreen", &json!({})).bare()).await {
                Err(Miss::Refused(fault)) if fault.is_unknown() => self.press_button("home").await,
                pressed => pressed.map(drop),
            },
            Press::Button(name) => self.press_button(name).await,
            Press::Power => state::press_power(&self.wda).await,
            Press::Letter(text) => typing::press(&self.wda, text).await,
            Press::Keyboard(body) => {
                self.act(Ask::act("press a key", "/wda/element/0/keyboardInput", body)).await.map(drop)
            }
        };
        match press {
            Press::Home | Press::Power => self.left(),
            Press::Letter(_) | Press::Keyboard(_) => self.eyes.acted(None),
            Press::Button(_) | Press::Back => {}
        }
        Ok(done?)
    }

    /// Takes in that another app may be in front, as it should.
    fn left(&self) {
        *self.expected.lock() = None;
        self.eyes.moved();
    }

    /// Tells whether the app that was started last is gone, though nothing has ended it.
    async fn has_crashed(&self, screen: &Screen) -> Result<bool, Error> {
        let is_home = screen.package == SPRINGBOARD && screen.lit;
        Ok(is_home && self.crashed().await?.is_some())
    }

    async fn unless_locked(&self) -> Result<bool, Error> {
        Ok(!self.eyes.is_locked().await?)
    }
}

#[async_trait]
impl Driver for Phone {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    async fn screen_size(&self) -> Result<Size, Error> {
        Ok(self.scale().await?.size)
    }

    async fn display(&self) -> Result<Display, Error> {
        let size = self.scale().await?.size;
        Ok(Display { size, lit: self.unless_locked().await? })
    }

    async fn perform(&self, gesture: Gesture) -> Result<(), Error> {
        if let Gesture::Tap { at, .. } = gesture {
            let button = self.eyes.alerts.lock().button(at);
            if let Some(button) = button {
                let pressed = alert::press(&self.wda, &button).await;
                self.eyes.moved();
                return Ok(pressed?);
            }
        }
        let scale = match self.eyes.scales.last() {
            Some(scale) => scale,
            None => self.scale().await?,
        };
        let actions = gesture::actions(&gesture, &scale)?;
        let ask = Ask::act("perform the gesture", "/actions", &actions.body).within(TOUCH + actions.duration);
        let done = self.wda.ask(ask).await;
        self.eyes.acted(match gesture {
            Gesture::Tap { at, .. } | Gesture::DoubleTap { at } => Some(at),
            _ => None,
        });
        Ok(done.map(drop)?)
    }

    async fn type_text(&self, text: &str) -> Result<(), Error> {
        self.type_in_turn(&[Keystrokes { text: text.to_owned(), pause: Duration::ZERO }]).await
    }

    async fn type_in_turn(&self, pieces: &[Keystrokes]) -> Result<(), Error> {
        typing::pieces(&self.wda, &self.eyes, pieces).await
    }

    async fn press(&self, key: Key) -> Result<(), Error> {
        self.pressed(&keys::press(key)?).await
    }

    async fn press_where_lit(&self, key: Key) -> Result<bool, Error> {
        let press = keys::press(key)?;
        let lit = self.unless_locked().await?;
        if lit {
            self.pressed(&press).await?;
        }
        Ok(lit)
    }

    async fn press_all(&self, keys: &[Key]) -> Result<(), Error> {
        let mut letters = String::new();
        for key in keys {
            match keys::press(*key)? {
                Press::Letter(letter) => letters.push_str(&letter),
                other => {
                    if !letters.is_empty() {
                        self.pressed(&Press::Letter(std::mem::take(&mut letters))).await?;
                    }
                    self.pressed(&other).await?;
                }
            }
        }
        if letters.is_empty() { Ok(()) } else { self.pressed(&Press::Letter(letters)).await }
    }

    async fn press_code(&self, press: &KeyPress) -> Result<(), Error> {
        self.pressed(&keys::press_code(press)?).await
    }

    async fn press_code_where_lit(&self, press: &KeyPress) -> Result<bool, Error> {
        let press = keys::press_code(press)?;
        let lit = self.unless_locked().await?;
        if lit {
            self.pressed(&press).await?;
        }
        Ok(lit)
    }

    async fn clipboard(&self) -> Result<String, Error> {
        if let Some(simulator) = &self.simulator {
            return simulator.clipboard().await;
        }
        state::clipboard(&self.wda).await
    }

    async fn set_clipboard(&self, text: &str) -> Result<(), Error> {
        if let Some(simulator) = &self.simulator {
            return simulator.set_clipboard(text).await;
        }
        state::set_clipboard(&self.wda, text).await
    }

    async fn open_url(&self, url: &str, package: Option<&str>) -> Result<Option<String>, Error> {
        let before = self.foreground().await?.package;
        let opened = match (&self.simulator, package) {
            (Some(simulator), None) => simulator.open_url(url).await,
            _ => apps::open_url(&self.wda, url, package).await,
        };
        self.left();
        opened?;
        let shown = match package {
            Some(package) => Some(package.to_owned()),
            None => apps::another_than(&self.wda, &before).await?,
        };
        *self.expected.lock() = shown.clone().or(Some(before).filter(|before| before != SPRINGBOARD));
        Ok(shown)
    }

    async fn lock_state(&self) -> Result<Lock, Error> {
        Ok(state::lock(self.eyes.is_locked().await?))
    }

    async fn lock(&self) -> Result<Lock, Error> {
        state::put_lock(&self.wda).await?;
        self.left();
        self.lock_state().await
    }

    async fn unlock(&self) -> Result<Lock, Error> {
        if self.eyes.is_locked().await? {
            state::take_lock(&self.wda).await?;
            self.eyes.moved();
        }
        let lock = self.lock_state().await?;
        if lock.locked { Err(state::held()) } else { Ok(lock) }
    }

    async fn orientation(&self) -> Result<Turned, Error> {
        state::turned(&self.wda).await
    }

    async fn set_orientation(&self, orientation: Option<Orientation>) -> Result<(), Error> {
        let Some(orientation) = orientation else {
            return Err(unsupported::error(unsupported::SENSOR));
        };
        let turned = state::turn(&self.wda, orientation).await;
        self.eyes.moved();
        turned
    }

    async fn set_appearance(&self, appearance: Appearance) -> Result<(), Error> {
        match &self.simulator {
            Some(simulator) => simulator.set_appearance(surroundings::appearance_name(appearance)).await,
            None => surroundings::set_appearance(&self.wda, appearance).await,
        }
    }

    async fn set_location(&self, location: Option<Location>) -> Result<(), Error> {
        match &self.simulator {
            Some(simulator) => simulator.set_location(location).await,
            None => surroundings::set_location(&self.wda, location).await,
        }
    }

    async fn ask_assistant(&self, text: &str) -> Result<(), Error> {
        let asked = surroundings::ask_siri(&self.wda, text).await;
        self.left();
        asked
    }

    async fn details(&self) -> Result<Details, Error> {
        let details = state::details(&self.wda).await?;
        Ok(Details { screen: self.screen_size().await?, ..details })
    }

    async fn launch(&self, package: &str) -> Result<(), Error> {
        self.baseline.note_start(package);
        let launched = apps::launch(&self.wda, package, json!({})).await;
        self.launched(package, launched)
    }

    async fn launch_with(&self, package: &str, start: &AppStart) -> Result<(), Error> {
        self.baseline.note_start(package);
        let launched = surroundings::launch_with(self, package, start).await;
        self.launched(package, launched)
    }

    async fn terminate(&self, package: &str) -> Result<bool, Error> {
        let ended = apps::terminate(&self.wda, package).await;
        self.left();
        ended
    }

    async fn packages(&self) -> Result<Vec<String>, Error> {
        self.simulator(unsupported::LIST)?.packages().await
    }

    async fn foreground(&self) -> Result<Foreground, Error> {
        apps::front(&self.wda).await
    }

    async fn screenshot(&self) -> Result<Screenshot, Error> {
        Ok(picture::take(&self.wda).await?)
    }

    async fn screen(&self) -> Result<Screen, Error> {
        self.screen_within(TIMEOUT).await
    }

    async fn screen_within(&self, patience: Duration) -> Result<Screen, Error> {
        self.eyes.look(patience.clamp(MOMENT, TIMEOUT)).await
    }

    async fn untold(&self, screen: &Screen) -> Result<&'static str, Error> {
        if self.has_crashed(screen).await? {
            return Ok(driver::CRASHED);
        }
        Ok(match self.eyes.untold(screen).await? {
            "" if self.wda.was_taken() => TAKEN,
            untold => untold,
        })
    }

    async fn source(&self) -> Result<(String, Option<Foreground>), Error> {
        let ask = Ask::look("tell the screen's elements", "/source?format=xml").within(LONG);
        let told = self.wda.ask(ask).await?;
        let xml = told.as_str().map(str::to_owned);
        let xml =
            xml.ok_or_else(|| Error::Device { message: "WebDriverAgent told no XML of the screen".to_owned() })?;
        Ok((xml, Some(self.foreground().await?)))
    }

    async fn is_running(&self, package: &str) -> Result<bool, Error> {
        apps::is_running(&self.wda, package).await
    }

    async fn crashed(&self) -> Result<Option<String>, Error> {
        let Some(package) = self.expected.lock().clone() else { return Ok(None) };
        Ok(if apps::is_running(&self.wda, &package).await? { None } else { Some(package) })
    }

    async fn install(&self, file: &Path, how: Install) -> Result<(), Error> {
        installed::install(self.simulator(unsupported::INSTALL)?, file, how).await
    }

    async fn uninstall(&self, package: &str) -> Result<(), Error> {
        self.simulator(unsupported::UNINSTALL)?.uninstall(package).await
    }

    async fn clear_app(&self, package: &str) -> Result<(), Error> {
        let simulator = self.simulator(unsupported::CLEAR)?;
        simulator.require(package).await?;
        self.terminate(package).await?;
        installed::clear(simulator, package).await
    }

    async fn set_permission(&self, package: &str, permission: &str, granted: bool) -> Result<(), Error> {
        installed::permit(self.simulator(unsupported::PERMIT)?, package, permission, granted).await
    }

    async fn add_media(&self, file: &Path, name: &str) -> Result<String, Error> {
        installed::add_media(self.simulator(unsupported::MEDIA)?, file, name).await
    }

    async fn log(&self, _query: &LogQuery) -> Result<Vec<String>, Error> {
        Err(unsupported::error(unsupported::LOG))
    }

    async fn record(&self, duration: Duration, to: &Path) -> Result<(), Error> {
        self.simulator(unsupported::RECORD)?.record(duration, to).await
    }

    async fn film(&self, reel: &dyn Reel) -> Result<(), Error> {
        film::film(&self.wda, reel).await
    }

    async fn renew(&self, reset: Reset) -> Result<Vec<String>, Error> {
        baseline::renew(self, &self.baseline, reset).await
    }

    async fn close(&self) {
        self.wda.close().await;
        drop(self.started.lock().take());
    }
}
