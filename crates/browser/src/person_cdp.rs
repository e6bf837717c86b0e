//! What the script in each frame tells of a person's mouse and keys, and what the browser tells of its bar, its tabs and its dialogs → deeds, in the
//! order in which they came.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::backend::{Backend as _, World};
use super::cdp::Cdp;
use super::connection::Event;
use super::frames_cdp;
use super::page::HANDS;
use super::tabs::{Tabs, WORLD, text};
use crate::driver::{Deed, PageDialog, Told};

/// What the script tells by.
const TELLS: &str = "uixtTells";

/// How long a frame may take to open its gate: one whose page is busy hears of no input either.
const GATE: Duration = Duration::from_secs(1);

/// How long the browser may take to tell where a frame is.
const TIMEOUT: Duration = Duration::from_secs(5);

/// For how long what becomes of tabs and of the history is taken for an effect of the last deed.
const EFFECT: Duration = Duration::from_secs(2);

/// Pixels of a window beside its page, and above it: frames and bars.
const BESIDE: [u64; 2] = [16, 110];

/// Fields of a deed that are points.
const POINTS: [&str; 5] = ["tap", "double_tap", "long_press", "right_click", "at"];

/// Input of ours reaches the pages as long as this is held.
pub(super) struct Gate<'a>(Option<&'a Cdp>);

impl Drop for Gate<'_> {
    fn drop(&mut self) {
        if let Some(cdp) = self.0 {
            cdp.gate("").for_each(drop);
        }
    }
}

/// Returns what has a page, or a frame of a process of its own, tell what a person does there; nothing while nobody follows.
pub(super) fn commands(tabs: &Tabs) -> Vec<(&'static str, Value)> {
    if !tabs.person.is_followed() {
        return Vec::new();
    }
    vec![
        ("Page.enable", json!({})),
        ("Runtime.enable", json!({})),
        ("Runtime.addBinding", json!({"name": TELLS, "executionContextName": WORLD})),
        ("Page.addScriptToEvaluateOnNewDocument", json!({"source": HANDS, "worldName": WORLD, "runImmediately": true})),
        // A person sees the browser's own chooser.
        ("Page.setInterceptFileChooserDialog", json!({"enabled": false})),
        ("Target.setAutoAttach", frames_cdp::attachment()),
    ]
}

/// What is known while a person is followed.
struct Following {
    /// The tabs, by their sessions, in the order in which they came.
    tabs: Vec<String>,
    /// Those whose next page was asked for by a page.
    caused: HashSet<String>,
    /// Those that a person opened, and in which there is no page yet.
    fresh: HashSet<String>,
    /// What tabs are on their way to: the address, and how it was asked for.
    coming: HashMap<String, (String, String)>,
    /// Where tabs are.
    places: HashMap<String, String>,
    dialogs: HashMap<String, PageDialog>,
    last: Instant,
}

impl Cdp {
    /// Lets input of ours through to the pages, where a person's is kept from them: that of the `mouse`, of `keys`, or a `text`.
    pub(super) async fn let_through(&self, kind: &'static str) -> Gate<'_> {
        if !self.tabs.person.is_followed() {
            return Gate(None);
        }
        join_all(self.gate(kind).map(|reply| reply.within(GATE))).await;
        Gate(Some(self))
    }

    fn gate(&self, kind: &'static str) -> impl Iterator<Item = super::connection::Reply> + '_ {
        self.tabs.person.worlds().into_iter().map(move |(session, world)| {
            let params = json!({"expression": format!("globalThis.uixtGate = '{kind}'"), "contextId": world});
            self.connection.send(Some(&session), "Runtime.evaluate", &params)
        })
    }

    /// Tells what a person does, until the last page is closed or the browser is gone.
    pub(super) async fn follow(&self, told: Told<'_>) {
        let mut events = self.tabs.person.listen();
        let tabs: Vec<String> =
            self.tabs.look(|state| state.of(self.context.as_deref()).map(|tab| tab.session.clone()).collect());
        tabs.iter().for_each(|session| self.keep_from(session));
        self.fit_window().await;
        let mut following = Following {
            tabs,
            caused: HashSet::new(),
            fresh: HashSet::new(),
            coming: HashMap::new(),
            places: HashMap::new(),
            dialogs: HashMap::new(),
            last: Instant::now(),
        };
        while !following.tabs.is_empty() {
            tokio::select! {
                biased;
                Some((event, is_ours)) = events.recv() => self.hear(&mut following, &event, is_ours, told).await,
                () = self.connection.gone() => return,
            }
        }
    }

    /// Has choosers for files open where a person sees them, or come to us as ever; where nobody is followed, they do.
    pub(super) fn show_choosers(&self, opens: bool) {
        if self.tabs.person.is_followed()
            && let Ok(tab) = self.tab()
        {
            drop(self.send(&tab, "Page.setInterceptFileChooserDialog", &json!({"enabled": !opens})));
        }
    }

    /// Makes the window as large as its page needs; what is larger than the screen is left to whoever places windows.
    async fn fit_window(&self) {
        let (Ok(tab), Ok(size)) = (self.tab(), self.call(World::Own, super::SIZE, &[], TIMEOUT).await) else { return };
        let Ok(window) = self.ask("Browser.getWindowForTarget", &json!({"targetId": tab.target})).await else { return };
        let side = |index: usize, beside: u64| size[index].as_u64().unwrap_or_default() + beside;
        let bounds = json!({"width": side(0, BESIDE[0]), "height": side(1, BESIDE[1])});
        let params = json!({"windowId": window["windowId"], "bounds": bounds});
        drop(self.connection.send(None, "Browser.setWindowBounds", &params));
    }

    /// Has a page, or a frame of a process of its own, keep from itself what a person does there.
    fn keep_from(&self, session: &str) {
        for (method, params) in commands(&self.tabs) {
            drop(self.connection.send(Some(session), method, &params));
        }
    }

    async fn hear(&self, following: &mut Following, event: &Event, is_ours: bool, told: Told<'_>) {
        let params = &event.params;
        match (event.method.as_str(), &event.session) {
            ("Target.attachedToTarget", _) => {
                let (info, session) = (&params["targetInfo"], text(params, "sessionId"));
                let is_known = self.context.as_deref().is_none_or(|context| text(info, "browserContextId") == context);
                match text(info, "type") {
                    "iframe" => self.keep_from(session),
                    "page" if is_known => {
                        following.tabs.push(session.to_owned());
                        if text(info, "url").starts_with("chrome:") {
                            following.fresh.insert(session.to_owned());
                            return;
                        }
                        following.caused.insert(session.to_owned());
                        // What a page opened is in front.
                        if !is_ours {
                            told(Deed::Kept(json!({"tab": following.tabs.len() - 1})));
                        }
                    }
                    _ => {}
                }
            }
            ("Target.detachedFromTarget", _) => {
                let gone = text(params, "sessionId");
                let Some(index) = following.tabs.iter().position(|session| session == gone) else { return };
                following.tabs.remove(index);
                if !is_ours && !following.tabs.is_empty() && following.last.elapsed() > EFFECT {
                    told(Deed::TabClosed(index));
                }
            }
            ("Runtime.bindingCalled", Some(session)) if params["name"] == TELLS => {
                let Ok(mut deed) = serde_json::from_str(text(params, "payload")) else { return };
                let Some(tab) = self.put_in_place(session, params, &mut deed).await else { return };
                following.last = Instant::now();
                let front = self.tabs.look(|state| state.front(self.context.as_deref()).map(|tab| tab.session.clone()));
                let index = following.tabs.iter().position(|session| *session == tab);
                if let Some(index) = index.filter(|_| front.as_ref() != Some(&tab)) {
                    told(Deed::Kept(json!({"tab": index})));
                }
                told(Deed::Kept(deed));
            }
            (method, Some(session)) if following.tabs.contains(session) => match method {
                "Page.javascriptDialogOpening" => {
                    let word = |name| text(params, name).to_owned();
                    let dialog =
                        PageDialog { kind: word("type"), message: word("message"), initial: word("defaultPrompt") };
                    following.dialogs.insert(session.clone(), dialog);
                }
                "Page.javascriptDialogClosed" => {
                    let dialog = following.dialogs.remove(session).filter(|_| !is_ours);
                    if let Some(dialog) = dialog {
                        let (accepted, text) = (params["result"] == true, text(params, "userInput").to_owned());
                        told(Deed::Answered { dialog, accepted, text });
                    }
                }
                _ => self.moved(following, session, (method, params), is_ours, told).await,
            },
            _ => {}
        }
    }

    /// Takes in where a tab goes; tells it where a person had it go there.
    async fn moved(
        &self,
        following: &mut Following,
        session: &str,
        (method, params): (&str, &Value),
        is_ours: bool,
        told: Told<'_>,
    ) {
        let is_top = |frame: &str| self.tabs.look(|state| state.tab(session).is_some_and(|tab| tab.target == frame));
        match method {
            "Page.frameRequestedNavigation"
                if is_top(text(params, "frameId")) && text(params, "disposition") == "currentTab" =>
            {
                following.caused.insert(session.to_owned());
            }
            "Page.frameStartedNavigating" if is_top(text(params, "frameId")) => {
                let (url, kind) = (text(params, "url"), text(params, "navigationType"));
                let is_caused = following.caused.remove(session) || is_ours || kind == "sameDocument";
                following.coming.remove(session);
                if url.starts_with("chrome:") {
                    following.fresh.insert(session.to_owned());
                } else if !is_caused && !url.starts_with("about:") {
                    following.coming.insert(session.to_owned(), (url.to_owned(), kind.to_owned()));
                }
            }
            "Page.frameNavigated" if params["frame"]["parentId"].is_null() => {
                let before = following.places.insert(session.to_owned(), text(&params["frame"], "url").to_owned());
                let Some((url, kind)) = following.coming.remove(session) else { return };
                let is_effect = following.last.elapsed() < EFFECT;
                match kind.as_str() {
                    "historyDifferentDocument" | "historySameDocument" if is_effect => {}
                    "historyDifferentDocument" | "historySameDocument" => {
                        told(Deed::Went(self.way(session, before.as_deref()).await));
                    }
                    kind if kind.starts_with("reload") => told(Deed::Went(0)),
                    _ => told(Deed::Opened { url, in_new_tab: following.fresh.remove(session) }),
                }
            }
            _ => {}
        }
    }

    /// Returns which way a tab went in its history that was at an address before: -1 or 1.
    async fn way(&self, session: &str, before: Option<&str>) -> i32 {
        let history = self.connection.send(Some(session), "Page.getNavigationHistory", &json!({})).within(TIMEOUT);
        let history = history.await.unwrap_or_default();
        let index = history["currentIndex"].as_u64().and_then(|index| usize::try_from(index).ok()).unwrap_or_default();
        let is_behind = |entry: &Value| Some(text(entry, "url")) == before;
        if index > 0 && is_behind(&history["entries"][index - 1]) { 1 } else { -1 }
    }

    /// Puts the points of a deed where they are in the viewport, and files where they lie; returns the session of the tab.
    async fn put_in_place(&self, session: &str, params: &Value, deed: &mut Value) -> Option<String> {
        let world = params["executionContextId"].as_i64()?;
        if deed["files"].is_array() {
            self.find_files(session, world, &mut deed["files"]).await;
        }
        let frame = self.tabs.person.frame(session, world)?;
        let (tab, [left, top, scale]) = self.offset(session, &frame, deed["width"].as_f64()?).await?;
        let moved = |point: &mut Value| {
            let at = |index: usize| point[index].as_f64().unwrap_or_default() * scale;
            let (x, y) = (at(0) + left, at(1) + top);
            (point[0], point[1]) = (json!(x), json!(y));
        };
        let fields = deed.as_object_mut()?;
        fields.remove("width");
        fields.iter_mut().filter(|(name, _)| POINTS.contains(&name.as_str())).for_each(|(_, point)| moved(point));
        fields.get_mut("path").and_then(Value::as_array_mut).into_iter().flatten().for_each(moved);
        Some(tab)
    }

    /// Returns the session of the tab that a frame is in, where its document begins there, and how much larger it is shown.
    async fn offset(&self, session: &str, frame: &str, width: f64) -> Option<(String, [f64; 3])> {
        let (mut session, mut frame, mut place) = (session.to_owned(), frame.to_owned(), [0.0, 0.0, 1.0]);
        let mut inner = width;
        loop {
            if self.tabs.look(|state| state.tab(&session).is_some_and(|tab| tab.target == frame)) {
                return Some((session, place));
            }
            let parent = self.tabs.look(|state| state.parent_of(&session, &frame));
            session = parent.unwrap_or(session);
            let ask = |method, params| {
                let reply = self.connection.send(Some(&session), method, &params);
                async move { reply.within(TIMEOUT).await.ok() }
            };
            let owner = ask("DOM.getFrameOwner", json!({"frameId": frame})).await?;
            let node = json!({"backendNodeId": owner["backendNodeId"]});
            let quad = ask("DOM.getBoxModel", node).await?["model"]["content"].take();
            let side = |index: usize| quad[index].as_f64().unwrap_or_default();
            let scale = if inner > 0.0 { (side(2) - side(0)) / inner } else { 1.0 };
            place = [side(0) + place[0] * scale, side(1) + place[1] * scale, place[2] * scale];
            // What the browser tells of a frame is where it is in the page of its session.
            frame = self.tabs.look(|state| state.root_of(&session))?;
            inner = 0.0;
        }
    }

    /// Puts the paths of files that were chosen in the places of their names.
    async fn find_files(&self, session: &str, world: i64, files: &mut Value) {
        for (index, name) in files.as_array_mut().into_iter().flatten().enumerate() {
            let file = json!({"expression": format!("globalThis.uixtFiles[{index}]"), "contextId": world});
            let ask = |method, params| self.connection.send(Some(session), method, &params).within(TIMEOUT);
            let found = ask("Runtime.evaluate", file).await.unwrap_or_default();
            let object = json!({"objectId": found["result"]["objectId"]});
            let info = ask("DOM.getFileInfo", object).await.unwrap_or_default();
            if let Some(path) = info["path"].as_str().filter(|path| !path.is_empty()) {
                *name = path.into();
            }
        }
    }
}
