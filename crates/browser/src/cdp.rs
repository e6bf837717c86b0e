//! A page in front that is acted on by the Chrome DevTools Protocol.

use std::time::{Duration, Instant};

use async_trait::async_trait;
use base64::Engine as _;
use serde_json::{Value, json};

use super::backend::{AccessibilityNode, Act, Backend, LEAVING, Line, World};
use super::cdp_errors::{
    closed, crashed, failed, gone, in_the_way, is_about_leaving, leave_asked, no_page, thrown, unopened,
};
use super::cdp_setup;
use super::connection::{Connection, Refusal, Reply};
use super::frames_cdp::Known;
use super::keyboard::{Stroke, typing_of};
use super::network_log;
use super::pending_requests::FETCHING;
use super::settings::Viewport;
use super::state;
use super::tabs::{Tab, Tabs, WORLD};
use super::web::Found;
use crate::driver::pages::Transcript;
use crate::driver::{Error, PageDialog, Point, Reel, Told};

/// How long the browser may take to answer a command that depends on no page's script.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How long a picture may take of a page whose script has just kept us waiting.
const GLIMPSE: Duration = Duration::from_secs(1);

/// How long the end of a page may take to be told that gave none.
const CRASHING: Duration = Duration::from_millis(500);

/// How long a page may take to come, and then what it refers to.
const LOADING: Duration = Duration::from_secs(30);
const REST: Duration = Duration::from_secs(10);

/// The time between two looks at a tab's history or requests.
const GLANCE: Duration = Duration::from_millis(10);

/// How long a page in front may take to be drawn, before it is taken to be behind another.
const DRAWN: Duration = Duration::from_secs(2);

/// How long a page that is on its way is waited for before the one that is there is looked at.
pub(super) const SETTLING: Duration = Duration::from_secs(5);

/// Why no page came where its server answered with no more than a status.
pub(super) const ONLY_STATUS: &str = "ERR_HTTP_RESPONSE_CODE_FAILURE";

/// Most lines of the consoles that are told of a failure, the newest.
const SAID: usize = 200;

/// Waits until what was scrolled is drawn where it is now.
pub(super) const TWO_FRAMES: &str =
    "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))";

/// The pages of one fresh profile.
pub(super) struct Cdp {
    pub(super) connection: Connection,
    pub(super) tabs: Tabs,
    /// The profile, which is all of the browser's own where it has but one.
    pub(super) context: Option<String>,
    /// Whether pages are touched by a finger.
    pub(super) touches: bool,
    /// Pixels of a picture in one CSS pixel.
    pub(super) scale: f64,
    pub(super) frames: Known,
}

/// How a command that a page's script hears of came back.
pub(super) enum CallEnd {
    Answer(Result<Value, Refusal>),
    /// The page showed a dialog meanwhile, and nothing comes back before that is answered.
    Dialog,
    Crashed,
}

impl Cdp {
    /// Returns the page in front: the newest of this profile, or an older one that was chosen since that came.
    pub(super) fn tab(&self) -> Result<Tab, Error> {
        let tab = self.tabs.look(|state| state.front(self.context.as_deref()).cloned());
        match tab {
            Some(tab) if !self.connection.is_gone() => Ok(tab),
            None if !self.connection.is_gone() => Err(closed()),
            _ => Err(gone()),
        }
    }

    /// Returns the page in front, or where that shows no dialog, another that does: pages that opened each other share a thread, so
    /// that the dialog of one holds up all of them.
    fn asking(&self) -> Result<Tab, Error> {
        let front = self.tab()?;
        if front.dialog.is_some() {
            return Ok(front);
        }
        let context = self.context.as_deref();
        let other = self.tabs.look(|state| state.of(context).rfind(|tab| tab.dialog.is_some()).cloned());
        Ok(other.unwrap_or(front))
    }

    /// Has the browser itself do something.
    pub(super) async fn ask(&self, method: &str, params: &Value) -> Result<Value, Error> {
        self.connection.send(None, method, params).within(TIMEOUT).await.map_err(|refusal| failed(method, &refusal))
    }

    /// Has the page in front do something.
    pub(super) async fn tell(&self, method: &str, params: &Value) -> Result<Value, Error> {
        self.command(&self.tab()?, method, params).await
    }

    /// Returns the part of the page that is seen, for a picture in CSS pixels.
    async fn clip(&self, tab: &Tab) -> Result<Value, Error> {
        let metrics = self.command(tab, "Page.getLayoutMetrics", &json!({})).await?;
        let view = &metrics["cssVisualViewport"];
        Ok(json!({
            "x": view["pageX"], "y": view["pageY"], "width": view["clientWidth"], "height": view["clientHeight"],
            "scale": 1.0 / self.scale,
        }))
    }

    /// Tells whether a page gave nothing since it crashed, of which may be told a little later.
    async fn crashes(&self, tab: &Tab, url: &str, reason: &str) -> bool {
        let has_crashed = self.tabs.until(|state| state.tab(&tab.session).is_some_and(|tab| tab.has_crashed));
        let timeout = match reason.contains("ERR_ABORTED") {
            // Whoever opens these wants the browser to do something odd, and downloads nothing.
            true if url.starts_with("chrome:") => CRASHING * 10,
            true => CRASHING,
            false => Duration::ZERO,
        };
        tokio::time::timeout(timeout, has_crashed).await.is_ok()
    }

    fn has_no_page(&self) -> bool {
        !self.connection.is_gone() && self.tab().is_err()
    }

    /// Returns the page in front where it can be acted on.
    pub(super) fn usable(&self) -> Result<Tab, Error> {
        let tab = self.tab()?;
        match &tab.dialog {
            _ if tab.has_crashed => Err(crashed()),
            Some(dialog) => Err(in_the_way(dialog)),
            None => Ok(tab),
        }
    }

    /// Opens an empty page, and waits until it is as the settings ask.
    pub(super) async fn new_tab(&self) -> Result<(), Error> {
        let mut params = json!({"url": "about:blank"});
        if let Some(context) = &self.context {
            params["browserContextId"] = context.as_str().into();
        }
        let made = self.connection.send(None, "Target.createTarget", &params).within(TIMEOUT).await;
        let made = made.map_err(|refusal| failed("Target.createTarget", &refusal))?;
        let tab = self.prepared(made["targetId"].as_str().unwrap_or_default(), TIMEOUT).await?;
        self.tabs.change(&tab.session, |tab| tab.is_ours = true);
        Ok(())
    }

    /// Waits until a page is as the settings ask, and returns it.
    pub(super) async fn prepared(&self, target: &str, timeout: Duration) -> Result<Tab, Error> {
        let is_ready = self.tabs.until(|state| state.tabs.iter().any(|tab| tab.target == target && tab.is_prepared));
        let _ = tokio::time::timeout(timeout, is_ready).await;
        let tab = self.tabs.look(|state| state.tabs.iter().find(|tab| tab.target == target).cloned());
        match tab.filter(|tab| tab.is_prepared) {
            Some(Tab { unprepared: Some(why), .. }) => Err(Error::Device { message: why }),
            Some(tab) => Ok(tab),
            None => Err(Error::Device { message: "the browser made no page".to_owned() }),
        }
    }

    /// Closes the page in front; the one that came before it is in front then.
    pub(super) async fn close_tab(&self) -> Result<(), Error> {
        let tab = self.tab()?;
        self.ask("Target.closeTarget", &json!({"targetId": tab.target})).await?;
        let is_gone = self.tabs.until(|state| state.tab(&tab.session).is_none());
        let _ = tokio::time::timeout(TIMEOUT, is_gone).await;
        Ok(())
    }

    pub(super) fn send(&self, tab: &Tab, method: &str, params: &Value) -> Reply {
        self.connection.send(Some(&tab.session), method, params)
    }

    pub(super) async fn command_to(&self, session: &str, method: &str, params: &Value) -> Result<Value, Error> {
        let sent = self.connection.send(Some(session), method, params);
        sent.within(TIMEOUT).await.map_err(|refusal| failed(method, &refusal))
    }

    pub(super) async fn command(&self, tab: &Tab, method: &str, params: &Value) -> Result<Value, Error> {
        self.command_to(&tab.session, method, params).await
    }

    /// Waits for an answer, and for what keeps a page from giving it.
    pub(super) async fn came(&self, session: &str, answer: impl Future<Output = Result<Value, Refusal>>) -> CallEnd {
        let held =
            self.tabs.until(|state| state.tab(session).is_some_and(|tab| tab.dialog.is_some() || tab.has_crashed));
        tokio::select! {
            biased;
            answer = answer => CallEnd::Answer(answer),
            () = held => match self.tabs.look(|state| state.tab(session).is_some_and(|tab| tab.has_crashed)) {
                true => CallEnd::Crashed,
                false => CallEnd::Dialog,
            },
        }
    }

    /// Waits until a tab stands at a place in its history at which the page is the same, but for what one of its frames shows.
    async fn gone_to(&self, tab: &Tab, index: i64, what: &str) -> Result<(), Error> {
        let end = Instant::now() + LOADING;
        while self.command(tab, "Page.getNavigationHistory", &json!({})).await?["currentIndex"] != index {
            if Instant::now() > end {
                let message = format!("{what} did not load within {} s", LOADING.as_secs());
                return Err(Error::Device { message });
            }
            tokio::time::sleep(GLANCE).await;
        }
        Ok(())
    }

    /// Waits until a navigation that began after `arrivals` has come to its end.
    async fn loaded(&self, tab: &Tab, arrivals: u64, what: &str) -> Result<(), Error> {
        let session = tab.session.as_str();
        let is = |test: fn(&Tab) -> bool| {
            self.tabs.until(move |state| {
                let held = |tab: &Tab| tab.dialog.is_some() || tab.has_crashed;
                state.tab(session).is_none_or(|tab| (tab.arrivals > arrivals && test(tab)) || held(tab))
            })
        };
        tokio::select! {
            biased;
            () = is(|tab| tab.has_document) => {}
            // Its tabs do not change any more then.
            () = self.connection.gone() => return Err(gone()),
            () = tokio::time::sleep(LOADING) => {
                let message = format!("{what} did not load within {} s", LOADING.as_secs());
                return Err(Error::Device { message });
            }
        }
        // Some pages never come to an end of loading; what is there can be used.
        if tokio::time::timeout(REST, is(|tab| tab.is_loaded)).await.is_err() {
            tracing::warn!("{what}: not all that it refers to has come within {} s", REST.as_secs());
        }
        let now = self.tab()?;
        if now.has_crashed { Err(crashed()) } else { Ok(()) }
    }

    /// Fails where the page that was to be left asks whether it may be.
    fn leaves<T>(&self, done: Result<T, Error>) -> Result<T, Error> {
        let asks = self.tab().is_ok_and(|tab| tab.dialog.is_some_and(|dialog| dialog.kind == LEAVING));
        if asks { Err(leave_asked()) } else { done }
    }

    /// Waits until a page has come in the place of one that was let go; where nothing is on its way, as behind a download, not for long.
    async fn left(&self, tab: &Tab) {
        let began = Instant::now();
        while began.elapsed() < LOADING {
            let Ok(now) = self.tab() else { return };
            let has_come = now.arrivals > tab.arrivals && now.has_document && !now.is_leaving;
            if now.session != tab.session || has_come || now.dialog.is_some() || now.has_crashed {
                return;
            }
            if !now.is_leaving && began.elapsed() > SETTLING / 5 {
                return;
            }
            tokio::time::sleep(GLANCE).await;
        }
    }

    /// Takes a picture of a page. One that is not drawn, since another tab is in front of it, is brought to the front once.
    pub(super) async fn captured(&self, tab: &Tab, params: &Value) -> Result<Vec<u8>, Error> {
        const COMMAND: &str = "Page.captureScreenshot";
        let mut limits = if tab.is_busy { vec![GLIMPSE] } else { vec![DRAWN, TIMEOUT] }.into_iter().peekable();
        while let Some(limit) = limits.next() {
            let sent = self.send(tab, COMMAND, params);
            match self.came(&tab.session, sent.within(limit)).await {
                CallEnd::Answer(Err(Refusal::Late(_))) if limits.peek().is_some() => {
                    self.ask("Target.activateTarget", &json!({"targetId": tab.target})).await?;
                }
                CallEnd::Answer(answer) => {
                    return decoded(&answer.map_err(|refusal| failed(COMMAND, &refusal))?["data"]);
                }
                CallEnd::Crashed => return Err(crashed()),
                CallEnd::Dialog => break,
            }
        }
        self.usable().and(Err(crashed()))
    }

    /// Returns the number of our own world in a page.
    pub(super) async fn world(&self, tab: &Tab) -> Result<Option<i64>, Refusal> {
        if let Some(world) = self.tabs.look(|state| state.tab(&tab.session).and_then(|tab| tab.world)) {
            return Ok(Some(world));
        }
        let params = json!({"frameId": tab.target, "worldName": WORLD});
        let made = self.send(tab, "Page.createIsolatedWorld", &params).within(TIMEOUT).await?;
        Ok(made["executionContextId"].as_i64())
    }

    async fn run(&self, tab: &Tab, world: World, expression: &str, timeout: Duration) -> CallEnd {
        let mut params = json!({
            "expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true,
        });
        if world == World::Own {
            match self.world(tab).await {
                Ok(Some(number)) => params["contextId"] = number.into(),
                Ok(None) => {}
                Err(refusal) => return CallEnd::Answer(Err(refusal)),
            }
        }
        self.came(&tab.session, self.send(tab, "Runtime.evaluate", &params).within(timeout)).await
    }
}

#[async_trait]
impl Backend for Cdp {
    async fn call(&self, world: World, function: &str, arguments: &[Value], timeout: Duration) -> Result<Value, Error> {
        let (asked, arrivals) = (Instant::now(), self.arrivals());
        // A look at a large page takes its time where much else is at work: one that answers is asked once more, with more of it.
        let is_look = world == World::Own && (super::LEAST..super::TIMEOUT).contains(&timeout);
        let longest = asked + if is_look { super::TIMEOUT } else { timeout };
        let mut end = asked + timeout;
        let arguments = arguments.iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
        let expression = format!("({function})({arguments})");
        loop {
            self.settle().await;
            let tab = self.usable()?;
            let began = Instant::now();
            let left = end.saturating_duration_since(began);
            let answer = match self.run(&tab, world, &expression, left.max(Duration::from_millis(1))).await {
                CallEnd::Answer(answer) => answer,
                CallEnd::Crashed => return Err(crashed()),
                CallEnd::Dialog => {
                    let dialog = self.tabs.look(|state| state.tab(&tab.session).and_then(|tab| tab.dialog.clone()));
                    return Err(dialog.map_or_else(crashed, |dialog| in_the_way(&dialog)));
                }
            };
            if world == World::Page {
                self.tell_acted(&tab, began);
            }
            let is_late = matches!(answer, Err(Refusal::Late(_)));
            let waits = is_late && matches!(self.run(&tab, world, "1", GLIMPSE).await, CallEnd::Answer(Ok(_)));
            self.note_busy(&tab, is_late && !waits);
            match answer {
                Ok(answer) if answer["exceptionDetails"].is_object() => {
                    return Err(thrown(&answer["exceptionDetails"]));
                }
                Ok(mut answer) => return Ok(answer["result"]["value"].take()),
                // Our own scripts change nothing, so that they may run again on the page that came instead.
                Err(Refusal::Said(said)) if is_about_leaving(&said) && world == World::Own && !left.is_zero() => {
                    self.tabs.change(&tab.session, |tab| tab.world = None);
                }
                Err(Refusal::Late(_)) if waits && end < longest && self.arrivals() == arrivals => end = longest,
                Err(Refusal::Late(_)) => {
                    if let Some(dialog) = self.asking()?.dialog {
                        return Err(in_the_way(&dialog));
                    }
                    let seconds = (end - asked).as_secs_f32();
                    let why = match world {
                        _ if !waits => "its own is busy",
                        World::Page => "what it promised did not come",
                        World::Own => "it answers, but is too large to be looked at in time",
                    };
                    let message = format!("the page did not answer a script within {seconds:.0} s: {why}");
                    return Err(Error::Device { message });
                }
                Err(refusal) => return Err(failed("a script", &refusal)),
            }
        }
    }

    async fn call_within(
        &self,
        frames: &[u64],
        function: &str,
        arguments: &[Value],
        timeout: Duration,
    ) -> Result<Value, Error> {
        self.ask_frame(frames, Found { function, arguments }, timeout).await
    }

    async fn find_closed_roots(&self, frames: &[u64]) -> Result<usize, Error> {
        self.closed_roots(frames).await
    }

    async fn accessibility(&self, frames: &[u64], keys: &[u64]) -> Result<Vec<AccessibilityNode>, Error> {
        self.accessibility_nodes(frames, keys).await
    }

    async fn open(&self, url: &str) -> Result<Option<u16>, Error> {
        if self.has_no_page() {
            self.new_tab().await?;
        }
        let tab = self.tab()?;
        if let Some(dialog) = &tab.dialog {
            return Err(in_the_way(dialog));
        }
        let _ours = self.tabs.person.ours();
        // What the page before was answered is no answer to this one.
        self.tabs.requests.forget_answered(&tab.session);
        self.tabs.change(&tab.session, |tab| tab.status = None);
        let status = || self.tabs.look(|state| state.tab(&tab.session).and_then(|tab| tab.status));
        let sent = self.send(&tab, "Page.navigate", &json!({"url": url})).within(LOADING);
        let answer = match self.came(&tab.session, sent).await {
            CallEnd::Answer(Err(Refusal::Late(_))) => {
                let message = format!("{url} did not answer within {} s", LOADING.as_secs());
                return Err(Error::Device { message });
            }
            CallEnd::Answer(answer) => answer.map_err(|refusal| failed("Page.navigate", &refusal))?,
            CallEnd::Crashed => return Err(crashed()),
            // The page in front asks whether it may be left; any other dialog is one of the page that has come.
            CallEnd::Dialog => {
                return match self.tab()?.dialog {
                    Some(dialog) if dialog.kind == LEAVING => Err(leave_asked()),
                    _ => Ok(status()),
                };
            }
        };
        let reason = answer["errorText"].as_str().filter(|reason| !reason.is_empty());
        // The server answered with an error and nothing to show; the browser shows a page of its own.
        if let Some(reason) = reason.filter(|reason| !reason.contains(ONLY_STATUS) || status().is_none()) {
            return Err(if self.crashes(&tab, url, reason).await { crashed() } else { unopened(url, reason) });
        }
        // Without a loader, it is another part of the same page.
        if !answer["loaderId"].is_null() {
            self.loaded(&tab, tab.arrivals, url).await?;
        }
        Ok(status())
    }

    async fn go(&self, delta: i32) -> Result<(), Error> {
        let (tab, _ours) = (self.usable()?, self.tabs.person.ours());
        let history = self.command(&tab, "Page.getNavigationHistory", &json!({})).await?;
        let index = history["currentIndex"].as_i64().unwrap_or_default() + i64::from(delta);
        let entry = usize::try_from(index).ok().and_then(|index| history["entries"].get(index));
        // The empty page that every tab begins with is nobody's.
        let entry = entry.filter(|entry| index > 0 || entry["url"] != "about:blank");
        let entry = entry.ok_or_else(|| no_page(delta))?;
        let what = entry["url"].as_str().unwrap_or("the page");
        let sent = self.command(&tab, "Page.navigateToHistoryEntry", &json!({"entryId": entry["id"]})).await;
        self.leaves(sent)?;
        let now =
            history["currentIndex"].as_u64().and_then(|index| history["entries"].get(usize::try_from(index).ok()?));
        if now.is_some_and(|now| now["url"] == entry["url"]) {
            return self.leaves(self.gone_to(&tab, index, what).await);
        }
        self.leaves(self.loaded(&tab, tab.arrivals, what).await)
    }

    async fn reload(&self) -> Result<(), Error> {
        let (tab, _ours) = (self.usable()?, self.tabs.person.ours());
        self.leaves(self.command(&tab, "Page.reload", &json!({})).await)?;
        self.leaves(self.loaded(&tab, tab.arrivals, "the page").await)
    }

    async fn settle(&self) {
        let Ok(tab) = self.tab() else { return };
        let is_there = self.tabs.until(|state| {
            state
                .tab(&tab.session)
                .is_none_or(|tab| tab.dialog.is_some() || tab.has_crashed || (!tab.is_leaving && tab.has_document))
        });
        let _ = tokio::time::timeout(SETTLING, is_there).await;
    }

    async fn fetched(&self) -> bool {
        let Ok(tab) = self.tab() else { return false };
        let is_fetching = || self.tabs.requests.is_fetching(&tab.session);
        let end = Instant::now() + FETCHING;
        let mut had = false;
        while is_fetching() && Instant::now() < end {
            had = true;
            tokio::time::sleep(GLANCE).await;
            // What has come may have the page fetch more once it is drawn.
            if !is_fetching() && self.call(World::Own, TWO_FRAMES, &[], GLIMPSE).await.is_err() {
                break;
            }
        }
        had
    }

    fn awaited(&self) -> Option<String> {
        self.tabs.requests.awaited(&self.tab().ok()?.session)
    }

    async fn has_page(&self) -> bool {
        !self.has_no_page()
    }

    async fn held(&self) -> Result<(), Error> {
        self.usable().map(drop)
    }

    fn arrivals(&self) -> u64 {
        self.tab().map_or(0, |tab| tab.arrivals)
    }

    fn is_leaving(&self) -> bool {
        self.tab().is_ok_and(|tab| tab.is_leaving)
    }

    async fn point(&self, acts: &[Act]) -> Result<(), Error> {
        self.press_at(acts).await
    }

    async fn scroll(&self, at: Point, x: f64, y: f64) -> Result<(), Error> {
        self.wheel(at, x, y).await
    }

    async fn insert(&self, text: &str, is_first: bool) -> Result<(), Error> {
        self.put_in(text, is_first).await
    }

    async fn type_sign(&self, sign: &str, is_first: bool) -> Result<(), Error> {
        let Some(stroke) = typing_of(sign) else { return self.put_in(sign, is_first).await };
        self.begin_typing(is_first).await?;
        self.press_keys(&[stroke]).await
    }

    async fn strokes(&self, strokes: &[Stroke]) -> Result<(), Error> {
        self.press_keys(strokes).await
    }

    async fn picture(&self) -> Result<Vec<u8>, Error> {
        let tab = self.usable()?;
        let mut params = json!({"format": "png", "captureBeyondViewport": false});
        // What is found in a picture is touched by its place there.
        if (self.scale - 1.0).abs() > f64::EPSILON {
            params["clip"] = self.clip(&tab).await?;
        }
        self.captured(&tab, &params).await
    }

    async fn film(&self, reel: &dyn Reel) -> Result<bool, Error> {
        Ok(self.filmed(reel).await)
    }

    async fn follow_person(&self, told: Told<'_>) -> Result<(), Error> {
        self.follow(told).await;
        Ok(())
    }

    async fn dialog(&self) -> Result<Option<PageDialog>, Error> {
        Ok(self.asking()?.dialog)
    }

    async fn answer(&self, accept: bool, text: Option<&str>) -> Result<(), Error> {
        let tab = self.asking()?;
        let Some(dialog) = &tab.dialog else {
            return Err(Error::NotFound { what: "an open dialog of the page".to_owned() });
        };
        let params = json!({"accept": accept, "promptText": text.unwrap_or(&dialog.initial)});
        let (began, _ours) = (Instant::now(), self.tabs.person.ours());
        self.command(&tab, "Page.handleJavaScriptDialog", &params).await?;
        // The page may have opened another by now.
        let stays = dialog.kind == LEAVING && !accept;
        self.tabs.change(&tab.session, |now| {
            now.dialog = now.dialog.take().filter(|_| now.dialogs != tab.dialogs);
            now.is_leaving &= !stays;
        });
        self.tell_acted(&tab, began);
        if dialog.kind == LEAVING && accept {
            self.left(&tab).await;
        }
        Ok(())
    }

    fn status(&self) -> Option<u16> {
        self.tab().ok()?.status
    }

    async fn state(&self) -> Result<Value, Error> {
        state::of(self).await
    }

    fn lines(&self) -> Result<Vec<Line>, Error> {
        Ok(self.tabs.lines())
    }

    fn transcript(&self) -> Transcript {
        let console = self.tabs.lines().iter().rev().take(SAID).rev().map(network_log::written).collect();
        Transcript { console, network: self.tabs.exchanges.all() }
    }

    fn forget_lines(&self) -> Result<(), Error> {
        self.tabs.forget_lines();
        Ok(())
    }

    async fn resize(&self, view: &Viewport) -> Result<(), Error> {
        let params = cdp_setup::metrics(view);
        let tabs: Vec<Tab> = self.tabs.look(|state| state.of(self.context.as_deref()).cloned().collect());
        for tab in &tabs {
            self.command(tab, "Emulation.setDeviceMetricsOverride", &params).await?;
        }
        Ok(())
    }

    async fn permit(&self, name: &str, state: &str) -> Result<(), Error> {
        let mut params = json!({"permission": {"name": name}, "setting": state});
        if let Some(context) = &self.context {
            params["browserContextId"] = context.as_str().into();
        }
        self.ask("Browser.setPermission", &params).await.map(drop)
    }

    fn touches(&self) -> bool {
        self.touches
    }

    async fn close(&self) {
        let Some(context) = &self.context else { return };
        let params = json!({"browserContextId": context});
        let closed = self.connection.send(None, "Target.disposeBrowserContext", &params).within(TIMEOUT).await;
        if let Err(refusal) = closed {
            tracing::debug!("a profile was not closed: {refusal:?}");
        }
    }
}

/// Reads a picture as both protocols send it.
pub(super) fn decoded(data: &Value) -> Result<Vec<u8>, Error> {
    let bytes = data.as_str().and_then(|text| base64::engine::general_purpose::STANDARD.decode(text).ok());
    bytes.ok_or_else(|| Error::Device { message: "the browser sent no picture or file".to_owned() })
}
