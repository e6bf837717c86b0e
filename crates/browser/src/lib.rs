//! Pages in a browser: device words → what a mouse, a keyboard and scripts do in Chromium or Chrome, or by any WebDriver.
//!
//! Begins when it is first called; a fresh profile per case. Pixels are CSS pixels of the viewport.

use uixt_core::http;
use uixt_driver as driver;

/// Statements that leave in `e` what has the focus in a document, through shadow roots and frames of the same site; in `inner`, nothing.
macro_rules! deepest_active {
    () => {
        r#"let e = document.activeElement, inner; while (e && (inner = ((e.shadowRoot || (window[Symbol.for("uixt page memory")] || {closed: new WeakMap()}).closed.get(e)) || {}).activeElement || (e.contentDocument && e.contentDocument.activeElement))) e = inner; "#
    };
}

mod after_act;
mod backend;
mod capabilities;
mod cdp;
mod cdp_errors;
mod cdp_setup;
mod chrome;
mod connection;
mod device;
mod display;
mod downloads;
mod engine;
mod faults;
mod film;
pub mod find;
mod flags;
mod frames;
mod frames_cdp;
mod gesture;
mod input_cdp;
mod keyboard;
mod network_log;
mod page;
mod page_setup;
mod pages;
mod pending_requests;
mod person;
mod person_cdp;
mod platform;
mod process;
mod profile;
mod proxy;
mod remote;
mod running;
mod settings;
mod state;
mod tabs;
mod typing;
mod web;
mod web_cdp;
mod web_webdriver;
mod webdriver;
mod webdriver_protocol;

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures_util::future::join;
use parking_lot::Mutex;
use serde_json::Value;

use self::backend::{Act, Backend, Line, World};
pub use self::engine::Engine;
use self::frames::Frames;
use self::gesture::Motion;
pub use self::page::screen as parse_page;
pub use self::platform::{Platform, found, missing, serial_of};
use self::running::Running;
pub use self::settings::{Launch, Settings, Viewport};
use crate::driver::{
    AppInfo, Details, DeviceInfo, Driver, Emptied, Error, FieldSet, Foreground, Gesture, Key, KeyPress, Keystrokes,
    LogLevel, LogQuery, Look, Orientation, PageDialog, Pages, Point, Reel, Screen, Screenshot, Size, Told, Turned,
    Typed, Typing,
};

const PLATFORM: &str = "browser";

/// How long a page's own script may keep ours from an answer.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How long a look at it may take at the least, however little time is left: of a large page, with much else to do here, it takes seconds.
const LEAST: Duration = Duration::from_secs(3);

/// How long it may take to tell what a touch met: it has arrived by then.
const TOLD: Duration = Duration::from_secs(1);

/// How often what a drag is dropped on is gone after.
const FOLLOWED: usize = 3;

/// Returns what a page is: its address and its title.
const WHERE: &str = "() => [location.href, document.title]";

/// How long a page may take to show what was typed.
const DRAWN: Duration = Duration::from_millis(400);

const SIZE: &str = "() => [innerWidth, innerHeight]";

/// Writes the page as it is now.
const SOURCE: &str = "() => { const kind = document.doctype; const head = kind ? new XMLSerializer().serializeToString(kind) + \"\\n\" : \"\"; \
                      return head + (document.documentElement ? document.documentElement.outerHTML : \"\"); }";

/// A browser. Its serial is also the app that all pages are of.
pub struct Browser {
    info: DeviceInfo,
    /// Which case it is, and what that asks for.
    wanted: Mutex<(u64, Arc<Settings>)>,
    /// The case in which somebody turned the viewport.
    held: Mutex<Option<u64>>,
    running: tokio::sync::Mutex<Running>,
    /// Told whenever there are pages that may be new.
    begun: tokio::sync::Notify,
    frames: Frames,
    /// The case in which a text has arrived that nothing was done after, and when.
    typed: Mutex<typing::Noted>,
    /// What the server of the page that was opened last answered, by HTTP.
    status: Mutex<Option<u16>>,
}

impl Browser {
    /// Makes one of an engine: the usual one, or a further one of a name.
    fn new(engine: Engine, name: Option<&str>) -> Self {
        let called = find::called(engine, None);
        let (name, serial) = match name {
            None => (called, engine.serial().to_owned()),
            Some(name) => (format!("{called} ({name})"), serial_of(engine, name)),
        };
        let info = DeviceInfo { platform: PLATFORM, serial, name, status: "online".to_owned() };
        let settings = Settings { launch: Launch { engine, ..Launch::default() }, ..Settings::default() };
        Self {
            info,
            wanted: Mutex::new((0, Arc::new(settings))),
            held: Mutex::default(),
            running: tokio::sync::Mutex::default(),
            begun: tokio::sync::Notify::new(),
            frames: Frames::default(),
            typed: Mutex::default(),
            status: Mutex::default(),
        }
    }

    fn serial(&self) -> &str {
        &self.info.serial
    }

    /// Has the next call begin with a fresh profile, and with these settings.
    fn begin(&self, settings: Settings) {
        let mut wanted = self.wanted.lock();
        *wanted = (wanted.0 + 1, Arc::new(settings));
    }

    fn wanted(&self) -> (u64, Arc<Settings>) {
        self.wanted.lock().clone()
    }

    fn settings(&self) -> Arc<Settings> {
        self.wanted().1
    }

    async fn backend(&self) -> Result<Arc<dyn Backend>, Error> {
        let (case, settings) = self.wanted();
        let mut running = self.running.lock().await;
        let is_new = running.begun_for(case).is_none();
        let backend = running.backend(case, &settings).await;
        if is_new {
            self.begun.notify_waiters();
        }
        backend
    }

    /// Says more of an error where it is that the browser ended.
    async fn told<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        match result {
            Ok(value) => Ok(value),
            Err(error) => Err(self.running.lock().await.explained(error).await),
        }
    }

    /// Calls a function of our own in the page.
    async fn ask(&self, function: &str, arguments: &[Value], timeout: Duration) -> Result<Value, Error> {
        let backend = self.backend().await?;
        self.told(backend.call(World::Own, function, arguments, timeout).await).await
    }

    /// Calls a function of our own in a frame of the page.
    async fn ask_within(
        &self,
        frames: &[u64],
        function: &str,
        arguments: &[Value],
        timeout: Duration,
    ) -> Result<Value, Error> {
        if frames.is_empty() {
            return self.ask(function, arguments, timeout).await;
        }
        let backend = self.backend().await?;
        self.told(backend.call_within(frames, function, arguments, timeout).await).await
    }

    /// Calls the script that looks at pages, which stays in a document once it was there.
    async fn ask_script(&self, frames: &[u64], wanted: Value, timeout: Duration) -> Result<Value, Error> {
        let wanted = [wanted];
        match self.ask_within(frames, page::AGAIN, &wanted, timeout).await? {
            Value::Null => self.ask_within(frames, page::SCRIPT, &wanted, timeout).await,
            answer => Ok(answer),
        }
    }

    /// Asks the same where an element is.
    async fn ask_about(&self, key: u64, wanted: Value) -> Result<Value, Error> {
        self.ask_script(&self.frames.of(key), wanted, TIMEOUT).await
    }

    async fn go_to(&self, url: &str) -> Result<(), Error> {
        self.verify_typed().await?;
        // Whoever opens a page knows that nothing is left of the one before.
        self.running.lock().await.bury().await;
        let backend = self.backend().await?;
        let status = self.told(backend.open(url).await).await?;
        *self.status.lock() = status;
        Ok(())
    }
}

impl Browser {
    /// Carries something to a point, goes after what is met there where that moves meanwhile, and lets go.
    async fn drag(&self, backend: &dyn Backend, acts: &[Act], to: Point) -> Result<(), Error> {
        let is_aimed = self.ask_script(&[], page::aimed(to), TIMEOUT).await? == true;
        let carried = self.told(backend.point(acts).await).await;
        let mut at = to;
        for _ in 0..FOLLOWED {
            if !is_aimed || carried.is_err() {
                break;
            }
            // A page that is left by a drag tells nothing more.
            let now = self.ask_script(&[], page::followed(at), TIMEOUT).await.unwrap_or_default();
            let (Some(x), Some(y)) = (now[0].as_f64(), now[1].as_f64()) else { break };
            let moved = Point { x, y };
            self.told(backend.point(&gesture::follow(at, moved)).await).await?;
            at = moved;
        }
        let let_go = self.told(backend.point(&[Act::Held(at), Act::Release]).await).await;
        carried.and(let_go)
    }

    /// Does what touches an element; where something else got the touch in the element's place and was kept from it, returns what.
    async fn watched(
        &self,
        key: u64,
        touch: impl Future<Output = Result<(), Error>> + Send,
    ) -> Result<Option<String>, Error> {
        let frames = self.frames.of(key);
        let (still, is_watched) =
            join(self.verify_typed_before(key), self.ask_script(&frames, page::guarded(key), TIMEOUT)).await;
        still?;
        let is_watched = is_watched? == true;
        let touched = touch.await;
        if !is_watched {
            return touched.map(|()| None);
        }
        // A page that is left, or that shows a dialog, was touched.
        let took = self.ask_within(&frames, page::TOOK, &[], TOLD).await.unwrap_or_default();
        touched?;
        Ok(took.as_str().filter(|took| !took.is_empty()).map(str::to_owned))
    }
}

#[async_trait]
impl Driver for Browser {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    async fn screen_size(&self) -> Result<Size, Error> {
        let size = self.ask(SIZE, &[], TIMEOUT).await?;
        let side = |index: usize| size[index].as_u64().and_then(|side| u32::try_from(side).ok());
        match (side(0), side(1)) {
            (Some(width), Some(height)) => Ok(Size { width, height }),
            _ => Err(Error::Device { message: format!("the page does not tell its size: {size}") }),
        }
    }

    async fn perform(&self, gesture: Gesture) -> Result<(), Error> {
        self.verify_typed().await?;
        let backend = self.backend().await?;
        if let Some((acts, to)) = gesture::drag(gesture.clone(), backend.touches()) {
            return self.drag(backend.as_ref(), &acts, to).await;
        }
        let done = match gesture::motion(gesture, backend.touches()) {
            Motion::Acts(acts) => backend.point(&acts).await,
            Motion::Scroll { at, x, y } => backend.scroll(at, x, y).await,
            Motion::Fingers => return Err(self.unsupported("perform gestures of two fingers")),
        };
        self.told(done).await
    }

    async fn perform_on(&self, key: u64, gesture: Gesture) -> Result<Option<String>, Error> {
        self.watched(key, self.perform(gesture)).await
    }

    async fn type_text(&self, text: &str) -> Result<(), Error> {
        self.verify_typed_before_typing().await?;
        let backend = self.backend().await?;
        self.told(backend.insert(text, true).await).await
    }

    async fn type_in_turn(&self, pieces: &[Keystrokes]) -> Result<(), Error> {
        self.verify_typed_before_typing().await?;
        for (at, piece) in pieces.iter().enumerate() {
            let backend = self.backend().await?;
            self.told(backend.type_sign(&piece.text, at == 0).await).await?;
            tokio::time::sleep(piece.pause).await;
        }
        Ok(())
    }

    async fn press(&self, key: Key) -> Result<(), Error> {
        self.press_all(&[key]).await
    }

    async fn press_where_lit(&self, key: Key) -> Result<bool, Error> {
        self.press(key).await.map(|()| true)
    }

    async fn press_all(&self, keys: &[Key]) -> Result<(), Error> {
        if let [Key::Back] = keys {
            return self.go(-1).await;
        }
        let known = |key: &Key| keyboard::stroke(*key).ok_or_else(|| self.unsupported(&format!("press {key:?}")));
        let strokes = keys.iter().map(known).collect::<Result<Vec<_>, _>>()?;
        self.strike(&strokes).await
    }

    async fn press_code(&self, press: &KeyPress) -> Result<(), Error> {
        let stroke = keyboard::of_press(press).filter(|_| !press.long);
        let stroke = stroke.ok_or_else(|| self.unsupported(&format!("press key {} in this way", press.code)))?;
        self.strike(&[stroke]).await
    }

    async fn press_code_where_lit(&self, press: &KeyPress) -> Result<bool, Error> {
        self.press_code(press).await.map(|()| true)
    }

    async fn go(&self, delta: i32) -> Result<(), Error> {
        self.verify_typed().await?;
        let backend = self.backend().await?;
        self.told(backend.go(delta).await).await
    }

    async fn reload(&self) -> Result<(), Error> {
        self.verify_typed().await?;
        let backend = self.backend().await?;
        self.told(backend.reload().await).await
    }

    async fn evaluate(&self, function: &str, arguments: &[Value], timeout: Duration) -> Result<Value, Error> {
        self.verify_all_typed().await?;
        let backend = self.backend().await?;
        self.told(backend.call(World::Page, function, arguments, timeout).await).await
    }

    fn pages(&self, _: &str) -> Result<&dyn Pages, Error> {
        Ok(self)
    }

    async fn page_dialog(&self) -> Result<Option<PageDialog>, Error> {
        let backend = self.backend().await?;
        self.told(backend.dialog().await).await
    }

    async fn answer_page_dialog(&self, accept: bool, text: Option<&str>) -> Result<(), Error> {
        let backend = self.backend().await?;
        self.told(backend.answer(accept, text).await).await
    }

    async fn storage_state(&self) -> Result<Value, Error> {
        let backend = self.backend().await?;
        self.told(backend.state().await).await
    }

    async fn open_url(&self, url: &str, package: Option<&str>) -> Result<Option<String>, Error> {
        if let Some(other) = package.filter(|package| *package != self.serial()) {
            return Err(Error::NotFound { what: format!("the app {other}") });
        }
        self.go_to(url).await?;
        Ok(Some(self.serial().to_owned()))
    }

    async fn clipboard(&self) -> Result<String, Error> {
        self.pasted().await
    }

    async fn set_clipboard(&self, text: &str) -> Result<(), Error> {
        self.copy(text).await
    }

    async fn orientation(&self) -> Result<Turned, Error> {
        self.turned().await
    }

    async fn set_orientation(&self, orientation: Option<Orientation>) -> Result<(), Error> {
        self.turn(orientation).await
    }

    async fn clear_app(&self, package: &str) -> Result<(), Error> {
        self.clear(package)
    }

    async fn app_info(&self, package: &str) -> Result<AppInfo, Error> {
        self.told_of(package).await
    }

    async fn set_permission(&self, _: &str, _: &str, _: bool) -> Result<(), Error> {
        Err(self.unsupported("change permissions: name them in the config, `browser: {permissions: [geolocation]}`"))
    }

    async fn details(&self) -> Result<Details, Error> {
        let agent = self.ask("() => navigator.userAgent", &[], TIMEOUT).await?;
        let after = |word| agent.as_str()?.split(word).nth(1)?.split(' ').next();
        let version = ["Chrome/", "Firefox/", "Version/"].into_iter().find_map(after);
        let version = version.unwrap_or_default().to_owned();
        Ok(Details { model: self.info.name.clone(), version, screen: self.screen_size().await?, ..Details::default() })
    }

    /// Starts the browser; what is no app's name but an address is opened.
    async fn launch(&self, package: &str) -> Result<(), Error> {
        match package {
            own if own == self.serial() => self.backend().await.map(drop),
            url if url.contains(':') => {
                self.go_to(url).await?;
                match Pages::status(self).filter(|status| *status >= 400) {
                    Some(status) => Err(cdp_errors::not_taken(format!("the server answered {status} for {url}"))),
                    None => Ok(()),
                }
            }
            other => Err(Error::NotFound { what: format!("the app {other}") }),
        }
    }

    async fn terminate(&self, package: &str) -> Result<bool, Error> {
        if package != self.serial() {
            return Err(Error::NotFound { what: format!("the app {package}") });
        }
        let mut running = self.running.lock().await;
        let was_running = running.is_begun();
        running.leave().await;
        Ok(was_running)
    }

    async fn packages(&self) -> Result<Vec<String>, Error> {
        Ok(vec![self.serial().to_owned()])
    }

    async fn foreground(&self) -> Result<Foreground, Error> {
        let place = self.ask(WHERE, &[], TIMEOUT).await?;
        let text = |index: usize| place[index].as_str().unwrap_or_default().to_owned();
        Ok(Foreground { package: self.serial().to_owned(), activity: text(0), name: text(1) })
    }

    async fn screenshot(&self) -> Result<Screenshot, Error> {
        let backend = self.backend().await?;
        let png = self.told(backend.picture().await).await?;
        let size = Size::of_png(&png)
            .ok_or_else(|| Error::Device { message: "the browser's picture is no PNG".to_owned() })?;
        Ok(Screenshot { png, size })
    }

    async fn screen(&self) -> Result<Screen, Error> {
        self.screen_within(TIMEOUT).await
    }

    async fn screen_within(&self, timeout: Duration) -> Result<Screen, Error> {
        self.look(&Look { timeout: Some(timeout), ..Look::default() }).await
    }

    async fn look(&self, look: &Look<'_>) -> Result<Screen, Error> {
        let timeout = look.timeout.unwrap_or(TIMEOUT).clamp(LEAST, TIMEOUT);
        let mut screen = self.look_through(look, timeout).await?;
        if look.settled && self.backend().await?.fetched().await {
            screen = self.look_through(look, timeout).await?;
        }
        self.serial().clone_into(&mut screen.package);
        let backend = self.backend().await?;
        screen.notes.untold = backend.untold();
        if screen.notes.loading.is_empty()
            && let Some(why) = backend.awaited()
        {
            screen.notes.loading = why;
        }
        Ok(screen)
    }

    async fn reveal(&self, key: u64) -> Result<bool, Error> {
        let frames = self.frames.of(key);
        for (depth, frame) in frames.iter().enumerate() {
            self.ask_script(&frames[..depth], page::shown(*frame), TIMEOUT).await?;
        }
        let is_shown = self.ask_script(&frames, page::shown(key), TIMEOUT).await? == true;
        if !frames.is_empty() {
            // What is around a frame of another site hears of it a little later.
            self.ask(cdp::TWO_FRAMES, &[], TIMEOUT).await?;
        }
        Ok(is_shown)
    }

    async fn focus(&self, key: u64, selects: bool) -> Result<bool, Error> {
        let (still, focused) =
            join(self.verify_typed_before(key), self.ask_about(key, page::focused(key, selects))).await;
        still?;
        Ok(focused? == true)
    }

    async fn set_field(&self, key: u64, text: &str) -> Result<FieldSet, Error> {
        let answer = self.ask_about(key, page::set(key, text)).await?;
        if let Some(limits) = answer.as_str().and_then(|answer| answer.strip_prefix("outside ")) {
            return Ok(FieldSet::Outside(limits.to_owned()));
        }
        Ok(match answer.as_str() {
            Some("done") => FieldSet::Done,
            Some("typed") => FieldSet::Typed,
            Some("malformed") => FieldSet::Malformed,
            Some("locked") => FieldSet::Locked,
            _ => return Err(pages::replaced()),
        })
    }

    async fn typed(&self, key: u64, typing: &Typing<'_>) -> Result<Typed, Error> {
        let (arguments, began) = (typing::arguments(typing), Instant::now());
        loop {
            // Where a dialog or another page came of it, the next step hears of that.
            let came = match self.ask_element(key, typing::LEFT, &arguments).await {
                Ok(answer) => typing::came(answer),
                Err(error @ Error::Rejected { .. }) => return Err(error),
                Err(_) => return Ok(Typed::Arrived),
            };
            if !matches!(came, Typed::Refused(_) | Typed::Beside(_)) || began.elapsed() > DRAWN {
                // What stands in a frame of another site is not looked at again.
                self.note_typed(came == Typed::Arrived && self.frames.of(key).is_empty());
                return Ok(came);
            }
            // Editors may take a moment to draw what they were given.
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    async fn empty_field(&self, key: u64) -> Result<Emptied, Error> {
        let lengths = async || {
            let held = self.ask_about(key, page::length(key)).await?;
            let count = |at: usize| held[at].as_u64().and_then(|held| usize::try_from(held).ok());
            count(0).zip(count(1)).ok_or_else(pages::replaced)
        };
        let (before, filled) = lengths().await?;
        if before == 0 {
            return Ok(Emptied::Of(0));
        }
        match self.set_field(key, "").await? {
            FieldSet::Typed if self.focus(key, true).await? => self.press(Key::Delete).await?,
            FieldSet::Typed => return Ok(Emptied::Touched),
            FieldSet::Locked => return Ok(Emptied::Locked),
            FieldSet::Done | FieldSet::Malformed | FieldSet::Outside(_) => {}
        }
        let (left, still_filled) = lengths().await?;
        let is_empty = left == 0 || (filled > 0 && still_filled == 0);
        Ok(if is_empty { Emptied::Of(before) } else { Emptied::Kept(left) })
    }

    async fn source(&self) -> Result<(String, Option<Foreground>), Error> {
        let source = self.ask(SOURCE, &[], TIMEOUT).await?;
        Ok((source.as_str().unwrap_or_default().to_owned(), None))
    }

    async fn is_running(&self, package: &str) -> Result<bool, Error> {
        Ok(package == self.serial() && self.running.lock().await.is_begun())
    }

    async fn log(&self, query: &LogQuery) -> Result<Vec<String>, Error> {
        if query.tag.is_some() {
            return Err(self.unsupported("tell the tags of lines"));
        }
        let lines = self.backend().await?.lines()?;
        Ok(lines.iter().filter(|line| level(line) >= rank(query.level)).map(written).collect())
    }

    async fn clear_log(&self) -> Result<(), Error> {
        self.backend().await?.forget_lines()
    }

    async fn film(&self, reel: &dyn Reel) -> Result<(), Error> {
        self.filmed(reel).await
    }

    async fn follow_person(&self, told: Told<'_>) -> Result<(), Error> {
        let backend = self.backend().await?;
        self.told(backend.follow_person(told).await).await
    }

    async fn close(&self) {
        self.running.lock().await.end().await;
    }
}

/// How grave a line is; the order is that of [`rank`].
fn level(line: &Line) -> u8 {
    match line.level.as_str() {
        "error" | "assert" => rank(LogLevel::Error),
        "warning" => rank(LogLevel::Warning),
        "debug" | "verbose" => rank(LogLevel::Debug),
        _ => rank(LogLevel::Info),
    }
}

fn rank(level: LogLevel) -> u8 {
    match level {
        LogLevel::Verbose => 0,
        LogLevel::Debug => 1,
        LogLevel::Info => 2,
        LogLevel::Warning => 3,
        LogLevel::Error => 4,
        LogLevel::Fatal => 5,
    }
}

fn written(line: &Line) -> String {
    format!("{}: {}", line.level, line.text)
}
