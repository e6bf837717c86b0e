//! A HarmonyOS phone that an hdc server reaches, as a [`Driver`].

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::time::{Instant, sleep};
use uixt_hdc::Server;

use crate::agent::Agent;
use crate::answer::{beginning, text};
use crate::baseline::Baseline;
use crate::driver::{
    self, AppInfo, Details, DeviceInfo, Display, Driver, Error, Foreground, Gesture, InputMethods, Install, Key,
    KeyPress, Keystrokes, Lock, LogQuery, Orientation, Reel, Reset, Screen, Screenshot, Size, Stop, Turned,
};
use crate::keys::{self, Press};
use crate::shell::{Line, Shell};
use crate::windows::SYSTEM;
use crate::{apps, baseline, details, dump, files, film, gesture, log, picture, power, typing, unsupported, windows};

/// How long a screen that cannot be read is tried again; and the same where somebody has less time, or none.
const TIMEOUT: Duration = Duration::from_secs(20);
const MOMENT: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(100);
/// How long a dump may take on a slow phone, and at the least where somebody has less time.
const DUMP: Duration = Duration::from_secs(30);
const QUICK_DUMP: Duration = Duration::from_secs(8);
/// How long keys may take.
const KEYS: Duration = Duration::from_secs(15);
/// Keys of one line.
const MOST_KEYS: usize = 20;

/// A HarmonyOS phone.
#[derive(Debug)]
pub struct Phone {
    info: DeviceInfo,
    pub(crate) shell: Shell,
    baseline: Baseline,
    agent: Option<Agent>,
    /// The app that was started last, and that nothing has ended or left since.
    expected: Mutex<Option<String>>,
    /// The size in the last look, so that no touch ends on an edge.
    size: Mutex<Option<Size>>,
}

/// A look: the dump as it came, and what it shows.
struct Looked {
    json: String,
    screen: Screen,
    is_lock: bool,
}

impl Looked {
    fn of(json: &str, lit: bool) -> Result<Self, String> {
        let dump = dump::parse(json)?;
        let mut screen = windows::screen(&dump);
        screen.lit = lit;
        if !lit {
            screen.roots.clear();
        }
        Ok(Self { json: json.to_owned(), screen, is_lock: windows::is_lock(&dump) })
    }

    fn front(&self) -> Result<Foreground, Error> {
        Ok(windows::front(&dump::parse(&self.json).map_err(|how| unreadable(&how))?))
    }
}

impl Phone {
    pub(crate) fn new(server: Server, info: DeviceInfo, agent: Option<&Path>) -> Self {
        Self {
            shell: Shell::new(server, &info.serial),
            info,
            baseline: Baseline::default(),
            agent: agent.map(Agent::new),
            expected: Mutex::default(),
            size: Mutex::default(),
        }
    }

    /// Tells whether the screen is lit; one of which nothing is told counts as lit.
    pub(crate) async fn is_lit(&self) -> Result<bool, Error> {
        Ok(power::is_lit(&self.shell.look("hidumper", power::LOOK).await?).unwrap_or(true))
    }

    /// Presses keys together.
    pub(crate) async fn keys(&self, together: &[u32]) -> Result<(), Error> {
        self.shell.input("uitest uiInput keyEvent", &keys::input(together), 1, KEYS).await
    }

    /// Takes the screen's dump, and whether it is lit, until there is one or the time is over.
    async fn dump(&self, patience: Duration) -> Result<Looked, Error> {
        let began = Instant::now();
        let limit = if patience < TIMEOUT { QUICK_DUMP.max(patience) } else { DUMP };
        loop {
            let file = files::temporary(".json");
            // What an earlier look left there would be the screen of then.
            let line = format!(
                "rm -f {file}; uitest dumpLayout -p {file}; cat {file}; rm -f {file}; echo; echo {BEHIND}; {}",
                power::LOOK
            );
            let line = Line::look("uitest dumpLayout", &line).by_uitest().within(limit);
            let said = text(&self.shell.run(line).await?);
            let (dumped, power) = said.rsplit_once(BEHIND).unwrap_or((&said, ""));
            let lit = power::is_lit(power).unwrap_or(true);
            let how = match dumped.split_once("saved to:").and_then(|(_, rest)| rest.split_once('\n')) {
                Some((_, json)) if json.trim().is_empty() => EMPTY.to_owned(),
                Some((_, json)) => match Looked::of(json.trim(), lit) {
                    Ok(looked) => return Ok(looked),
                    Err(how) => how,
                },
                None => beginning(dumped),
            };
            // A dark screen may have no tree.
            if !lit {
                return Looked::of(DARK, lit).map_err(|how| unreadable(&how));
            }
            if began.elapsed() >= patience {
                return Err(unreadable(&how));
            }
            tracing::debug!(how, "the screen could not be read");
            sleep(PAUSE).await;
        }
    }

    /// Reads the screen once, with what it takes.
    pub(crate) async fn glance(&self) -> Result<Screen, Error> {
        self.screen_within(TIMEOUT).await
    }

    /// Tells whether the lock screen is what is shown.
    pub(crate) async fn shows_lock(&self) -> Result<bool, Error> {
        Ok(self.dump(TIMEOUT).await?.is_lock)
    }

    async fn pressed(&self, press: &Press) -> Result<(), Error> {
        match press {
            Press::Keys(together) => {
                if matches!(together[..], [1 | 18 | 10_011]) {
                    self.left();
                }
                self.keys(together).await
            }
            Press::Power(word) => {
                self.left();
                self.shell.act("power-shell", &format!("power-shell {word}")).await.map(drop)
            }
        }
    }

    /// Takes in that another app may be in front, as it should.
    fn left(&self) {
        *self.expected.lock() = None;
    }

    /// Tells whether the app that was started last is gone, though nothing has ended it.
    async fn has_crashed(&self, screen: &Screen) -> Result<bool, Error> {
        let is_home = screen.package == SYSTEM && screen.lit;
        Ok(is_home && self.crashed().await?.is_some())
    }
}

/// What stands between a dump and what the power service says.
const BEHIND: &str = "@uixt-behind-the-dump";
/// Says what a tree without anything in it means.
const EMPTY: &str = "uitest saved an empty file: is there room left on the phone (`df -h /data` in its shell)?";
/// The dump of a screen that is off and has none.
const DARK: &str = r#"{"attributes":{},"children":[{}]}"#;

fn unreadable(how: &str) -> Error {
    Error::Device { message: format!("the screen's element tree cannot be read: {}", beginning(how)) }
}

#[async_trait]
impl Driver for Phone {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    async fn screen_size(&self) -> Result<Size, Error> {
        Ok(self.display().await?.size)
    }

    async fn display(&self) -> Result<Display, Error> {
        Ok(self.glance().await?.display())
    }

    async fn perform(&self, gesture: Gesture) -> Result<(), Error> {
        let size = *self.size.lock();
        match (&self.agent, &gesture) {
            (Some(agent), Gesture::Pinch { at, from, to, duration }) => {
                return agent.pinch(&self.shell, size, (*at, *from, *to), *duration).await;
            }
            (Some(agent), Gesture::Path(stops)) if !stops.is_empty() => {
                return agent.path(&self.shell, size, stops).await;
            }
            (Some(agent), Gesture::Tap { at, hold }) if *hold > gesture::LONGEST => {
                let (held, lifted) = (Stop { at: *at, rest: *hold }, Stop { at: *at, rest: Duration::ZERO });
                return agent.path(&self.shell, size, &[held, lifted]).await;
            }
            _ => {}
        }
        let (arguments, limit) = gesture::arguments(&gesture, size)?;
        let word = arguments.split(' ').next().unwrap_or_default();
        let what = format!("uitest uiInput {word}");
        self.shell.input(&what, &format!("uitest uiInput {arguments}"), 1, limit).await
    }

    async fn type_text(&self, text: &str) -> Result<(), Error> {
        self.type_in_turn(&[Keystrokes { text: text.to_owned(), pause: Duration::ZERO }]).await
    }

    async fn type_in_turn(&self, pieces: &[Keystrokes]) -> Result<(), Error> {
        typing::pieces(self, pieces).await
    }

    async fn press(&self, key: Key) -> Result<(), Error> {
        self.pressed(&Press::Keys(vec![keys::number(key)])).await
    }

    async fn press_where_lit(&self, key: Key) -> Result<bool, Error> {
        let lit = self.is_lit().await?;
        if lit {
            self.press(key).await?;
        }
        Ok(lit)
    }

    async fn press_all(&self, keys: &[Key]) -> Result<(), Error> {
        // As many that delete before as behind the cursor empty a field: all in it is chosen and deleted at once.
        let (before, behind) = keys.split_at(keys.len() / 2);
        let is_all = |keys: &[Key], key: Key| !keys.is_empty() && keys.iter().all(|one| *one == key);
        if keys.len() > 2 && is_all(before, Key::Delete) && is_all(behind, Key::ForwardDelete) {
            let line = format!("{}; {}", keys::input(&[2072, 2017]), keys::input(&[keys::DELETE]));
            return self.shell.input("uitest uiInput keyEvent", &line, 2, KEYS).await;
        }
        if keys.iter().any(|key| matches!(key, Key::Home | Key::Power | Key::AppSwitch)) {
            self.left();
        }
        for some in keys.chunks(MOST_KEYS) {
            let inputs: Vec<String> = some.iter().map(|key| keys::input(&[keys::number(*key)])).collect();
            self.shell.input("uitest uiInput keyEvent", &inputs.join("; "), some.len(), KEYS * 2).await?;
        }
        Ok(())
    }

    async fn press_code(&self, press: &KeyPress) -> Result<(), Error> {
        self.pressed(&keys::press(press)?).await
    }

    async fn press_code_where_lit(&self, press: &KeyPress) -> Result<bool, Error> {
        let press = keys::press(press)?;
        let lit = self.is_lit().await?;
        if lit {
            self.pressed(&press).await?;
        }
        Ok(lit)
    }

    async fn input_methods(&self) -> Result<InputMethods, Error> {
        Err(unsupported::error(unsupported::IME))
    }

    async fn set_input_method(&self, _id: &str) -> Result<(), Error> {
        Err(unsupported::error(unsupported::IME))
    }

    async fn clipboard(&self) -> Result<String, Error> {
        Err(unsupported::error(unsupported::CLIPBOARD))
    }

    async fn set_clipboard(&self, _text: &str) -> Result<(), Error> {
        Err(unsupported::error(unsupported::SET_CLIPBOARD))
    }

    async fn open_url(&self, url: &str, package: Option<&str>) -> Result<Option<String>, Error> {
        self.left();
        let shown = apps::open_url(self, url, package).await?;
        self.expected.lock().clone_from(&shown);
        Ok(shown)
    }

    async fn lock_state(&self) -> Result<Lock, Error> {
        power::state(self).await
    }

    async fn lock(&self) -> Result<Lock, Error> {
        self.left();
        power::lock(self).await
    }

    async fn unlock(&self) -> Result<Lock, Error> {
        power::unlock(self).await
    }

    async fn orientation(&self) -> Result<Turned, Error> {
        let Some(agent) = &self.agent else { return Err(unsupported::error(unsupported::TURN)) };
        let orientation = match agent.rotation(&self.shell).await? {
            0 => Orientation::Portrait,
            1 => Orientation::Landscape,
            2 => Orientation::ReversePortrait,
            _ => Orientation::ReverseLandscape,
        };
        Ok(Turned { orientation, auto: false })
    }

    async fn set_orientation(&self, orientation: Option<Orientation>) -> Result<(), Error> {
        let Some(agent) = &self.agent else { return Err(unsupported::error(unsupported::TURN)) };
        let quarters = match orientation {
            Some(Orientation::Portrait) => 0,
            Some(Orientation::Landscape) => 1,
            Some(Orientation::ReversePortrait) => 2,
            Some(Orientation::ReverseLandscape) => 3,
            None => return Err(unsupported::error(unsupported::SENSOR)),
        };
        *self.size.lock() = None;
        agent.rotate(&self.shell, quarters).await
    }

    async fn details(&self) -> Result<Details, Error> {
        Ok(Details { screen: self.screen_size().await?, ..details::of(&self.shell).await? })
    }

    async fn launch(&self, package: &str) -> Result<(), Error> {
        self.baseline.note_start(package);
        self.left();
        apps::launch(self, package).await?;
        *self.expected.lock() = Some(package.to_owned());
        Ok(())
    }

    async fn terminate(&self, package: &str) -> Result<bool, Error> {
        self.left();
        apps::terminate(&self.shell, package).await
    }

    async fn packages(&self) -> Result<Vec<String>, Error> {
        apps::packages(&self.shell).await
    }

    async fn foreground(&self) -> Result<Foreground, Error> {
        let looked = self.dump(TIMEOUT).await?;
        // What is behind a dark screen is in front to nobody.
        if looked.screen.lit {
            looked.front()
        } else {
            Ok(Foreground { package: SYSTEM.to_owned(), ..Foreground::default() })
        }
    }

    async fn screenshot(&self) -> Result<Screenshot, Error> {
        picture::take(&self.shell).await
    }

    async fn screen(&self) -> Result<Screen, Error> {
        self.screen_within(TIMEOUT).await
    }

    async fn screen_within(&self, patience: Duration) -> Result<Screen, Error> {
        let mut screen = self.dump(patience.clamp(MOMENT, TIMEOUT)).await?.screen;
        if screen.size == Size::default() {
            screen.size = power::size(self).await?;
        }
        *self.size.lock() = Some(screen.size);
        Ok(screen)
    }

    async fn untold(&self, screen: &Screen) -> Result<&'static str, Error> {
        if self.has_crashed(screen).await? {
            return Ok(driver::CRASHED);
        }
        Ok(windows::untold(screen))
    }

    async fn source(&self) -> Result<(String, Option<Foreground>), Error> {
        let looked = self.dump(TIMEOUT).await?;
        let front = looked.front()?;
        Ok((looked.json, Some(front)))
    }

    async fn is_running(&self, package: &str) -> Result<bool, Error> {
        apps::is_running(&self.shell, package).await
    }

    async fn crashed(&self) -> Result<Option<String>, Error> {
        let Some(package) = self.expected.lock().clone() else { return Ok(None) };
        Ok(if apps::is_running(&self.shell, &package).await? { None } else { Some(package) })
    }

    async fn install(&self, file: &Path, how: Install) -> Result<(), Error> {
        apps::install(&self.shell, file, how).await
    }

    async fn uninstall(&self, package: &str) -> Result<(), Error> {
        self.left();
        apps::uninstall(&self.shell, package).await
    }

    async fn clear_app(&self, package: &str) -> Result<(), Error> {
        self.left();
        apps::clear(&self.shell, package).await
    }

    async fn app_info(&self, package: &str) -> Result<AppInfo, Error> {
        apps::info(&self.shell, package).await
    }

    async fn set_permission(&self, _package: &str, _permission: &str, _granted: bool) -> Result<(), Error> {
        Err(unsupported::error(unsupported::PERMIT))
    }

    async fn push_file(&self, from: &Path, to: &str) -> Result<u64, Error> {
        files::push(&self.shell, from, to).await
    }

    async fn pull_file(&self, from: &str, to: &Path) -> Result<u64, Error> {
        files::pull(&self.shell, from, to).await
    }

    async fn is_folder(&self, path: &str) -> Result<bool, Error> {
        files::is_folder(&self.shell, path).await
    }

    async fn add_media(&self, _file: &Path, _name: &str) -> Result<String, Error> {
        Err(unsupported::error(unsupported::MEDIA))
    }

    async fn clear_media(&self) -> Result<usize, Error> {
        Err(unsupported::error(unsupported::MEDIA))
    }

    async fn log(&self, query: &LogQuery) -> Result<Vec<String>, Error> {
        log::read(&self.shell, query).await
    }

    async fn clock(&self) -> Result<String, Error> {
        log::clock(&self.shell).await
    }

    async fn clear_log(&self) -> Result<(), Error> {
        log::clear(&self.shell).await
    }

    async fn record(&self, duration: Duration, to: &Path) -> Result<(), Error> {
        film::record(&self.shell, duration, to).await
    }

    async fn film(&self, reel: &dyn Reel) -> Result<(), Error> {
        film::film(&self.shell, reel).await
    }

    async fn renew(&self, reset: Reset) -> Result<Vec<String>, Error> {
        baseline::renew(self, &self.baseline, reset).await
    }

    async fn close(&self) {
        if let Some(agent) = &self.agent {
            agent.close(&self.shell).await;
        }
    }
}
