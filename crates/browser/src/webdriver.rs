//! A page in front that is acted on by W3C WebDriver.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use chrono::Utc;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::PLATFORM;
use super::backend::{AccessibilityNode, Act, Backend, World};
use super::capabilities::is_scaled;
use super::cdp::{ONLY_STATUS, decoded};
use super::cdp_errors::{no_page, not_taken};
use super::engine::Engine;
use super::faults::one_line;
use super::keyboard::{MODIFIERS, Stroke};
use super::page;
use super::settings::{Settings, Viewport};
use super::typing::NOTE;
use super::webdriver_protocol::{Session, open_dialog};
use crate::driver::{DIALOG_OPEN, Error, PageDialog, Point};

/// How long a page may take to load, as the session is asked.
pub(super) const LOADING: Duration = Duration::from_secs(30);

/// How often the window is made as large as it should be, and the time between two looks.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(50);

/// Scrolls what lies at a point, as far as it goes: `WebKit`'s driver turns the wheel less far than it is told, and says nothing.
const SCROLL: &str = "const [x, y, right, down] = arguments; let at = document.elementFromPoint(x, y); \
                      while (at && at.shadowRoot && at.shadowRoot.elementFromPoint(x, y) !== at) at = at.shadowRoot.elementFromPoint(x, y); \
                      for (; at; at = at.parentElement || (at.getRootNode().host ?? null)) { \
                      const was = [at.scrollLeft, at.scrollTop]; const how = getComputedStyle(at); \
                      const goes = /auto|scroll/.test(how.overflowX + how.overflowY) || at === document.scrollingElement; \
                      if (goes) { at.scrollBy({left: right, top: down, behavior: 'instant'}); \
                      if (at.scrollLeft !== was[0] || at.scrollTop !== was[1]) break; } } \
                      return new Promise((done) => requestAnimationFrame(() => done(true)));";

/// Tells whether what lies at a point is dragged by the browser rather than by the page.
const DRAGGABLE: &str = "const at = document.elementFromPoint(arguments[0], arguments[1]); return !!(at && at.closest('[draggable=true]'));";

/// Returns what the server of the page answered, as browsers tell pages since 2023; 0 where no server did.
const STATUS: &str = "const [it] = performance.getEntriesByType('navigation'); return it && it.responseStatus || 0;";

/// How much longer than a script itself its answer may take to come.
const SLACK: Duration = Duration::from_millis(500);

/// How long a picture may take of a page whose script has just kept us waiting.
const GLIMPSE: Duration = Duration::from_secs(1);

/// How long a picture may take else.
const PICTURE: Duration = Duration::from_mins(1);

/// How long the console may take to be told.
const CONSOLE: Duration = Duration::from_secs(2);

/// Puts text where the cursor is, as typing does; tells whether there is such a place, whether that is in a frame of another site,
/// and whether the page took it.
const INSERT: &str = concat!(
    "(text, note) => { ",
    deepest_active!(),
    "if (!e || e === e.ownerDocument.body || e === e.ownerDocument.documentElement) return \"nowhere\"; \
                      if (e.localName === \"iframe\" && !e.contentDocument) return e; \
                      if (e.readOnly === true) return \"locked\"; note(e); \
                      if (!e.ownerDocument.execCommand(\"insertText\", false, text)) return \"refused\"; \
                      e.dispatchEvent(new KeyboardEvent(\"keyup\", { key: \"Process\", keyCode: 229, bubbles: true, cancelable: true, \
                      composed: true })); return \"done\"; }"
);

/// The pages of one session.
pub(super) struct WebDriver {
    pub(super) session: Session,
    pub(super) engine: Engine,
    pub(super) touches: bool,
    pub(super) view: Viewport,
    is_scaled: bool,
    /// The tabs' handles in the order in which they were seen first, which is all that the protocol lets one know.
    pub(super) seen: Mutex<Vec<String>>,
    /// Whether the page's own script kept the last of ours from an answer.
    is_busy: AtomicBool,
    /// When the page was acted on last, which nothing but a look tells it.
    acted: Mutex<Option<Instant>>,
    /// What went wrong since a step opened the page, as far as it was asked for, and when, in milliseconds since 1970.
    faults: Mutex<Vec<(i64, String)>>,
    /// Whether scripts run in a frame just now; who holds it may change that.
    pub(super) inside: tokio::sync::Mutex<bool>,
}

impl WebDriver {
    pub(super) fn new(session: Session, settings: &Settings) -> Self {
        let engine = Engine::of_session(&session.capabilities).unwrap_or(settings.launch.engine);
        let (view, is_scaled) = (settings.viewport.clone(), is_scaled(settings));
        Self {
            session,
            engine,
            touches: view.mobile,
            view,
            is_scaled,
            seen: Mutex::default(),
            is_busy: AtomicBool::new(false),
            acted: Mutex::default(),
            faults: Mutex::default(),
            inside: tokio::sync::Mutex::default(),
        }
    }

    /// Makes the first page as it should be, and takes it for the first of the tabs: some remote ends list them in no order.
    pub(super) async fn ready(&self) -> Result<(), Error> {
        // One that does not tell is found out by whoever asks for its tabs.
        if let Ok(first) = self.session.get("window").await {
            self.seen.lock().extend(first.as_str().map(str::to_owned));
        }
        // The size of a phone's page is its emulation's.
        if self.touches { Ok(()) } else { self.fit(&self.view).await }
    }

    /// Returns what the console says went wrong, which `Chromium`'s `WebDriver` tells once: since a step opened the page, or for some time
    /// by the browser's own clock.
    pub(super) async fn told_faults(&self, within: Option<Duration>) -> Result<Vec<String>, Error> {
        if self.is_busy.load(Ordering::Relaxed) {
            return Err(Error::Device {
                message: "the page's own script keeps its console from being told".to_owned(),
            });
        }
        let lines = self.session.post_within("se/log", &json!({"type": "browser"}), CONSOLE).await?;
        let is_grave =
            |line: &&Value| line["level"] == "SEVERE" && !line["message"].to_string().contains("/favicon.ico ");
        let new = lines.as_array().into_iter().flatten().filter(is_grave).map(|line| (at(line), fault(line)));
        let mut faults = self.faults.lock();
        faults.extend(new);
        let since = within
            .map_or(0, |within| Utc::now().timestamp_millis() - i64::try_from(within.as_millis()).unwrap_or(i64::MAX));
        Ok(faults.iter().filter(|(at, _)| *at >= since).map(|(_, fault)| fault.clone()).collect())
    }

    /// Forgets what went wrong, for another page. Other browsers tell none of it.
    async fn forget_faults(&self) {
        let told = self.told_faults(None).await;
        self.faults.lock().clear();
        if let Err(error) = told {
            tracing::debug!("the console is not told: {error}");
        }
    }

    /// Makes the viewport as large as it is asked for, whatever the window takes for itself; fails where it cannot be had.
    pub(super) async fn fit(&self, view: &Viewport) -> Result<(), Error> {
        if self.is_scaled {
            let had = self.run("return devicePixelRatio", &[], LOADING).await?.as_f64().unwrap_or_default();
            if (had - view.scale).abs() > 0.01 {
                let operation = format!("make `scale` {} in {} by WebDriver: it is {had}", view.scale, self.engine);
                return Err(Error::Unsupported { driver: PLATFORM, operation });
            }
        }
        let wanted = (f64::from(view.width), f64::from(view.height));
        let mut had = (0.0, 0.0);
        for attempt in 0..TRIES {
            let seen = self.run("return [innerWidth, innerHeight, outerWidth, outerHeight]", &[], LOADING).await?;
            let side = |index: usize| seen[index].as_f64().unwrap_or_default();
            had = (side(0), side(1));
            if had == wanted {
                return Ok(());
            }
            let rect = json!({"width": side(2) + wanted.0 - had.0, "height": side(3) + wanted.1 - had.1});
            self.session.post("window/rect", &rect).await?;
            // A window manager, and WebKit, do it a little later than they say.
            if attempt > 0 {
                tokio::time::sleep(PAUSE).await;
            }
        }
        let message = format!("the viewport is {}×{} and cannot be made {}×{}", had.0, had.1, wanted.0, wanted.1);
        Err(Error::Device { message })
    }

    /// Returns to the page itself where a call that was dropped has stayed in a frame, and keeps others from leaving it.
    pub(super) async fn at_top(&self) -> Result<tokio::sync::MutexGuard<'_, bool>, Error> {
        let mut inside = self.inside.lock().await;
        if *inside {
            self.session.post("frame", &json!({"id": null})).await?;
            *inside = false;
        }
        Ok(inside)
    }

    /// Enters frames, from the outermost on; whoever holds the answer is there, and the next who is not returns.
    pub(super) async fn enter(&self, frames: &[u64]) -> Result<tokio::sync::MutexGuard<'_, bool>, Error> {
        let mut inside = self.at_top().await?;
        for key in frames {
            let holder = format!("return ({}).apply(null, arguments)", page::found("(element) => element"));
            let element = self.run_here(&holder, &[page::wanted_node(*key)], LOADING).await?;
            if element.is_null() {
                return Err(Error::NotFound { what: "the frame, which the page has replaced meanwhile,".to_owned() });
            }
            *inside = true;
            self.session.post("frame", &json!({"id": element})).await?;
        }
        Ok(inside)
    }

    async fn run(&self, script: &str, arguments: &[Value], timeout: Duration) -> Result<Value, Error> {
        let _top = self.at_top().await?;
        self.run_here(script, arguments, timeout).await
    }

    /// Runs a script in the page or the frame that was entered.
    pub(super) async fn run_here(&self, script: &str, arguments: &[Value], timeout: Duration) -> Result<Value, Error> {
        let body = json!({"script": script, "args": arguments});
        let done = self.session.post_within("execute/sync", &body, timeout + SLACK).await;
        self.is_busy.store(matches!(done, Err(Error::Device { .. })), Ordering::Relaxed);
        done
    }

    /// Refuses what other drivers than Chromium's would leave undone in silence: their events begin no drag of the browser's own.
    async fn refuse_drag(&self, acts: &[Act]) -> Result<(), Error> {
        let (mut at, mut pressed) = (None, None);
        for act in acts.iter().filter(|_| self.engine != Engine::Chrome) {
            match (act, pressed) {
                (Act::Press(_), _) => pressed = at,
                (Act::Release, _) => pressed = None,
                (Act::Move(to), Some(Point { x, y })) if at != Some(*to) => {
                    let is = self.run(DRAGGABLE, &[x.into(), y.into()], LOADING).await? == true;
                    let operation = format!("drag in {} by WebDriver what a page marks as `draggable`", self.engine);
                    return if is { Err(Error::Unsupported { driver: PLATFORM, operation }) } else { Ok(()) };
                }
                (Act::Move(to), _) => at = Some(*to),
                (Act::Rest(_) | Act::Held(_), _) => {}
            }
        }
        Ok(())
    }

    /// Refuses to load a page over a dialog of the one before: a dialog that comes from here on is one of the page that is loaded.
    async fn refuse_dialog(&self) -> Result<(), Error> {
        // Some remote ends do not tell dialogs.
        match self.session.get("alert/text").await {
            Ok(Value::String(text)) => Err(open_dialog(&text)),
            _ => Ok(()),
        }
    }

    pub(super) async fn perform(&self, source: Value) -> Result<(), Error> {
        self.perform_all(vec![source]).await
    }

    /// Has several sources act at the same time.
    pub(super) async fn perform_all(&self, sources: Vec<Value>) -> Result<(), Error> {
        let _top = self.at_top().await?;
        let done = self.session.post("actions", &json!({"actions": sources})).await.map(drop);
        self.note_act();
        done
    }

    fn note_act(&self) {
        *self.acted.lock() = Some(Instant::now());
    }

    /// Returns how long ago the page was acted on, in milliseconds.
    fn since_act(&self) -> Option<u64> {
        let acted = *self.acted.lock();
        acted.map(|acted| u64::try_from(acted.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}

/// Takes a dialog that a page opens while it is loaded for a page that has come.
fn arrived(done: Result<Value, Error>) -> Result<Value, Error> {
    match done {
        Err(Error::Rejected { code, .. }) if code == DIALOG_OPEN => Ok(Value::Null),
        other => other,
    }
}

/// Reads the status in what Chromium's console says of a page that did not come.
fn status_in(said: &str) -> Option<u16> {
    said.split("responded with a status of ").nth(1)?.split(' ').next()?.parse().ok()
}

/// Returns when a line of the console was written.
fn at(line: &Value) -> i64 {
    line["timestamp"].as_i64().unwrap_or_default()
}

/// Returns a line of the console as a fault is told.
fn fault(line: &Value) -> String {
    let what = match line["source"].as_str() {
        Some("network") => "request",
        Some("javascript") => "script",
        _ => "console",
    };
    one_line(&format!("{what}: {}", line["message"].as_str().unwrap_or_default()))
}

pub(super) fn moved(at: Point) -> Value {
    // Whole pixels: not every remote end takes parts of them.
    json!({"type": "pointerMove", "duration": 0, "x": whole(at.x), "y": whole(at.y), "origin": "viewport"})
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a float becomes the nearest number there is, which no screen reaches"
)]
fn whole(value: f64) -> i64 {
    value.floor() as i64
}

fn pause(rest: Duration) -> Value {
    json!({"type": "pause", "duration": u64::try_from(rest.as_millis()).unwrap_or(u64::MAX)})
}

fn pointer(act: Act) -> Value {
    match act {
        Act::Move(at) => moved(at),
        Act::Press(_) => json!({"type": "pointerDown", "button": 0}),
        Act::Release => json!({"type": "pointerUp", "button": 0}),
        Act::Rest(rest) => pause(rest),
        Act::Held(_) => pause(Duration::ZERO),
    }
}

fn keys(strokes: &[Stroke]) -> Vec<Value> {
    let key = |kind: &str, sign: char| json!({"type": kind, "value": sign.to_string()});
    let mut acts = Vec::new();
    for Stroke { key: pressed, held } in strokes {
        let held = held.iter().map(|held| MODIFIERS[*held].sign);
        acts.extend(held.clone().map(|sign| key("keyDown", sign)));
        acts.extend([key("keyDown", pressed.sign), key("keyUp", pressed.sign)]);
        acts.extend(held.rev().map(|sign| key("keyUp", sign)));
    }
    acts
}

#[async_trait]
impl Backend for WebDriver {
    async fn call(&self, world: World, function: &str, arguments: &[Value], timeout: Duration) -> Result<Value, Error> {
        let mut arguments = arguments.to_vec();
        if let (World::Own, Some(Value::Object(wanted)), Some(ms)) = (world, arguments.first_mut(), self.since_act()) {
            wanted.insert("acted".to_owned(), ms.into());
        }
        let done = self.run(&format!("return ({function}).apply(null, arguments)"), &arguments, timeout).await;
        if world == World::Page {
            self.note_act();
        }
        done
    }

    async fn call_within(
        &self,
        frames: &[u64],
        function: &str,
        arguments: &[Value],
        timeout: Duration,
    ) -> Result<Value, Error> {
        let _inside = self.enter(frames).await?;
        self.run_here(&format!("return ({function}).apply(null, arguments)"), arguments, timeout).await
    }

    async fn find_closed_roots(&self, frames: &[u64]) -> Result<usize, Error> {
        let _inside = self.enter(frames).await?;
        let hosts = self.run_here(&format!("return ({})()", page::HOSTS), &[], LOADING).await?;
        let mut found = 0;
        for host in hosts.as_array().into_iter().flatten() {
            let Some(id) = host.as_object().and_then(|host| host.values().next()?.as_str()) else { continue };
            match self.session.get(&format!("element/{id}/shadow")).await {
                Ok(root) => {
                    let script = format!("({}).apply(null, arguments)", page::CLOSED_ROOT);
                    self.run_here(&script, &[host.clone(), root], LOADING).await?;
                    found += 1;
                }
                Err(Error::Rejected { code, .. })
                    if code == "no such shadow root" || code == "stale element reference" => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    async fn accessibility(&self, frames: &[u64], keys: &[u64]) -> Result<Vec<AccessibilityNode>, Error> {
        let _inside = self.enter(frames).await?;
        let numbers: Vec<u32> = keys.iter().map(|key| page::number(*key).0).collect();
        let script = format!("return ({}).apply(null, arguments)", page::ELEMENTS);
        let elements = self.run_here(&script, &[json!(numbers)], LOADING).await?;
        let mut told = Vec::new();
        for element in elements.as_array().into_iter().flatten() {
            let id = element.as_object().and_then(|element| element.values().next()?.as_str()).unwrap_or_default();
            let text = |answer: Value| answer.as_str().unwrap_or_default().to_owned();
            let role = text(self.session.get(&format!("element/{id}/computedrole")).await?);
            let name = text(self.session.get(&format!("element/{id}/computedlabel")).await?);
            told.push(AccessibilityNode { role, name, ..AccessibilityNode::default() });
        }
        Ok(told)
    }

    async fn open(&self, url: &str) -> Result<Option<u16>, Error> {
        self.refuse_dialog().await?;
        self.forget_faults().await;
        let _top = self.at_top().await?;
        match arrived(self.session.post("url", &json!({"url": url})).await) {
            Err(Error::Rejected { code, message }) => {
                let told = self.told_faults(None).await.unwrap_or_default();
                let only_status =
                    message.contains(ONLY_STATUS).then(|| told.iter().rev().find_map(|said| status_in(said)));
                match only_status.flatten() {
                    Some(status) => Ok(Some(status)),
                    None if message.starts_with(url) => Err(Error::Rejected { message, code }),
                    None => Err(Error::Rejected { message: format!("{url} cannot be opened: {message}"), code }),
                }
            }
            // While a dialog is open, the page cannot be asked; nor can it be where it does not tell.
            Ok(_) => {
                let told = self.run_here(STATUS, &[], LOADING).await.ok();
                Ok(told.and_then(|status| status.as_u64()?.try_into().ok()).filter(|status| *status > 0))
            }
            Err(error) => Err(error),
        }
    }

    async fn go(&self, delta: i32) -> Result<(), Error> {
        // The protocol does not tell whether there was anywhere to go; the page does, as far as it can.
        let place = "return [location.href, history.length, performance.timeOrigin]";
        let before = self.run(place, &[], LOADING).await?;
        arrived(self.session.post(if delta < 0 { "back" } else { "forward" }, &json!({})).await)?;
        let after = arrived(self.run(place, &[], LOADING).await)?;
        if before == after || after[0] == "about:blank" {
            return Err(no_page(delta));
        }
        Ok(())
    }

    async fn reload(&self) -> Result<(), Error> {
        self.refuse_dialog().await?;
        arrived(self.session.post("refresh", &json!({})).await).map(drop)
    }

    async fn has_page(&self) -> bool {
        // Whether the session is over, or only its window, is told by what needs none.
        let is_closed = matches!(self.session.get("window").await, Err(Error::Disconnected { .. }));
        !is_closed || self.session.get("window/handles").await.is_err()
    }

    async fn held(&self) -> Result<(), Error> {
        self.run("return true", &[], LOADING).await.map(drop)
    }

    async fn point(&self, acts: &[Act]) -> Result<(), Error> {
        self.refuse_drag(acts).await?;
        let kind = if self.touches { "touch" } else { "mouse" };
        let acts: Vec<Value> = acts.iter().map(|act| pointer(*act)).collect();
        self.perform(json!({"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": acts})).await
    }

    async fn scroll(&self, at: Point, x: f64, y: f64) -> Result<(), Error> {
        if self.engine == Engine::WebKit {
            return self.run(SCROLL, &[at.x.into(), at.y.into(), x.into(), y.into()], LOADING).await.map(drop);
        }
        let act = json!({
            "type": "scroll", "x": whole(at.x), "y": whole(at.y), "deltaX": whole(x), "deltaY": whole(y), "duration": 0,
            "origin": "viewport",
        });
        self.perform(json!({"type": "wheel", "id": "wheel", "actions": [act]})).await
    }

    async fn insert(&self, text: &str, is_first: bool) -> Result<(), Error> {
        // Its own way of typing knows no characters beyond the first 65,536, and leaves out what a page's keys cannot type.
        let note = if is_first { NOTE } else { "() => {}" };
        let script = format!("return ({INSERT})(arguments[0], {note})");
        self.note_act();
        let mut inside = self.at_top().await?;
        let mut came = self.run_here(&script, &[text.into()], LOADING).await?;
        while came.is_object() {
            *inside = true;
            self.session.post("frame", &json!({"id": came})).await?;
            came = self.run_here(&script, &[text.into()], LOADING).await?;
        }
        match came.as_str() {
            Some("done") => Ok(()),
            Some("locked") => {
                Err(not_taken("the field that has the focus is only to be read (readonly): it takes no text"))
            }
            Some("refused") => {
                let element = self.session.get("element/active").await?;
                let id = element.as_object().and_then(|element| element.values().next()?.as_str()).unwrap_or_default();
                self.session.post(&format!("element/{id}/value"), &json!({"text": text})).await.map(drop)
            }
            _ => Err(not_taken("no element of the page has the focus: tap a field first")),
        }
    }

    async fn strokes(&self, strokes: &[Stroke]) -> Result<(), Error> {
        self.perform(json!({"type": "key", "id": "keys", "actions": keys(strokes)})).await
    }

    async fn picture(&self) -> Result<Vec<u8>, Error> {
        let timeout = if self.is_busy.load(Ordering::Relaxed) { GLIMPSE } else { PICTURE };
        decoded(&self.session.get_within("screenshot", timeout).await?)
    }

    fn untold(&self) -> &'static str {
        "whether the page waits for requests is not known by plain WebDriver"
    }

    async fn dialog(&self) -> Result<Option<PageDialog>, Error> {
        match self.session.get("alert/text").await {
            Ok(text) => Ok(Some(PageDialog {
                // The protocol does not tell which it is.
                kind: "dialog".to_owned(),
                message: text.as_str().unwrap_or_default().to_owned(),
                initial: String::new(),
            })),
            Err(Error::Rejected { code, .. }) if code == "no such alert" => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn answer(&self, accept: bool, text: Option<&str>) -> Result<(), Error> {
        if let Some(text) = text {
            self.session.post("alert/text", &json!({"text": text})).await?;
        }
        self.session.post(if accept { "alert/accept" } else { "alert/dismiss" }, &json!({})).await.map(drop)
    }

    async fn resize(&self, view: &Viewport) -> Result<(), Error> {
        self.fit(view).await
    }

    async fn permit(&self, name: &str, state: &str) -> Result<(), Error> {
        let params = json!({"descriptor": {"name": name}, "state": state});
        self.session.post("permissions", &params).await.map(drop)
    }

    fn touches(&self) -> bool {
        self.touches
    }

    async fn close(&self) {
        if let Err(error) = self.session.end().await {
            tracing::debug!("a session was not ended: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::keyboard::of_press;
    use super::*;
    use crate::driver::KeyPress;

    #[test]
    fn what_is_held_is_let_go_in_turn() {
        let press = KeyPress { code: 29, held: vec![113, 59], long: false };
        let acts = keys(&[of_press(&press).expect("a key")]);
        let shown: Vec<_> = acts.iter().map(|act| format!("{} {}", act["type"], act["value"])).collect();
        assert_eq!(shown.len(), 6);
        assert_eq!((shown[0].replace("Down", "Up"), shown[2].as_str()), (shown[5].clone(), "\"keyDown\" \"A\""));
    }
}
