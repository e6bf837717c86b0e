//! Events of the DevTools protocol → what is known of each page: whether it is loading, has crashed, or shows a dialog.
//!
//! Sends nothing itself: pages that are new are handed to whoever prepares them.

use crate::driver::PageDialog;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;
use tokio::sync::{mpsc, watch};

use super::backend::Line;
use super::connection::{Event, Watcher};
use super::downloads::Downloads;
use super::faults::Faults;
use super::network_log::Exchanges;
use super::pending_requests::Requests;
use super::person::Person;

/// The name of the world that our own scripts run in.
pub(super) const WORLD: &str = "uixt";

/// Most lines of the console that are kept, and most characters of each.
const LINES: usize = 500;
const MAX_LEN: usize = 20_000;

/// Most sites that are remembered as visited.
const SITES: usize = 200;

/// A page of the browser.
#[derive(Clone, Debug, Default)]
pub(super) struct Tab {
    pub(super) session: String,
    /// Also the id of its top frame.
    pub(super) target: String,
    pub(super) context: String,
    /// The page that opened it, by its target; empty where none did.
    pub(super) opener: String,
    /// Whether it was opened here, and not by a page.
    pub(super) is_ours: bool,
    /// Whether it looks and behaves as it should from here on.
    pub(super) is_prepared: bool,
    /// Why it does not.
    pub(super) unprepared: Option<String>,
    /// Whether another page is on its way.
    pub(super) is_leaving: bool,
    /// Whether all of the document is there, and then what it refers to.
    pub(super) has_document: bool,
    pub(super) is_loaded: bool,
    /// What its server answered, by HTTP, the last time that a page was asked for.
    pub(super) status: Option<u16>,
    /// How often another page, or another part of it, has come.
    pub(super) arrivals: u64,
    pub(super) has_crashed: bool,
    /// Whether its own script kept the last of ours from an answer.
    pub(super) is_busy: bool,
    /// Whether each of its requests is answered with an empty page, and none is sent.
    pub(super) is_alone: bool,
    pub(super) dialog: Option<PageDialog>,
    /// How many dialogs it has opened.
    pub(super) dialogs: u64,
    /// The number of our own world in the page, where it is there.
    pub(super) world: Option<i64>,
}

/// What is known of all pages.
#[derive(Default)]
pub(super) struct State {
    /// In the order in which they came.
    pub(super) tabs: Vec<Tab>,
    /// The page that was chosen to be in front, and those that were there then: one that comes later is in front of it.
    chosen: Option<(String, Vec<String>)>,
    /// Frames that have a process of their own: the session of each, its id, and the session of the page or frame around it.
    frames: Vec<(String, String, String)>,
    /// The last chooser for files that a page has opened.
    pub(super) chooser: Option<Chooser>,
}

/// A chooser for files that a page has opened, and that nobody sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chooser {
    pub(super) session: String,
    pub(super) takes_several: bool,
    /// The field that it is of; none where a script opened it without one.
    pub(super) field: Option<i64>,
}

impl State {
    pub(super) fn tab(&self, session: &str) -> Option<&Tab> {
        self.tabs.iter().find(|tab| tab.session == session)
    }

    /// Returns the session of a frame that has a process of its own.
    pub(super) fn session_of(&self, frame: &str) -> Option<&str> {
        self.frames.iter().rev().find(|(_, id, _)| id == frame).map(|(session, ..)| session.as_str())
    }

    /// Returns the session around that of a frame which has a process of its own.
    pub(super) fn parent_of(&self, session: &str, frame: &str) -> Option<String> {
        let own = self.frames.iter().find(|(known, id, _)| known == session && id == frame);
        own.map(|(.., around)| around.clone())
    }

    /// Returns the outermost frame of a session.
    pub(super) fn root_of(&self, session: &str) -> Option<String> {
        let own = self.frames.iter().find(|(known, ..)| known == session).map(|(_, id, _)| id.clone());
        own.or_else(|| self.tab(session).map(|tab| tab.target.clone()))
    }

    /// Returns the pages of a profile, in the order in which they came.
    pub(super) fn of<'a>(&'a self, context: Option<&'a str>) -> impl DoubleEndedIterator<Item = &'a Tab> {
        self.tabs.iter().filter(move |tab| context.is_none_or(|context| context == tab.context))
    }

    /// Returns the page in front of a profile.
    pub(super) fn front<'a>(&'a self, context: Option<&'a str>) -> Option<&'a Tab> {
        let newest = self.of(context).next_back()?;
        let Some((chosen, known)) = &self.chosen else { return Some(newest) };
        let is_latest = self.of(context).all(|tab| known.contains(&tab.session));
        let chosen = self.of(context).find(|tab| is_latest && tab.session == *chosen);
        Some(chosen.unwrap_or(newest))
    }

    /// Forgets a page or frame that has gone. Where it was the page in front, the one that opened it is then, as browsers do it, or else the
    /// newest; returns that one.
    fn remove(&mut self, session: &str) -> Option<String> {
        let gone = self.tab(session).cloned();
        let was_front = |tab: &Tab| self.front(Some(&tab.context)).is_some_and(|front| front.session == session);
        let gone = gone.filter(was_front);
        self.tabs.retain(|tab| tab.session != session);
        self.frames.retain(|(known, ..)| known != session);
        let gone = gone?;
        let opener = self.of(Some(&gone.context)).find(|tab| tab.target == gone.opener);
        if let Some(opener) = opener.map(|tab| tab.session.clone()) {
            self.chosen = Some((opener, self.tabs.iter().map(|tab| tab.session.clone()).collect()));
        }
        self.front(Some(&gone.context)).map(|tab| tab.session.clone())
    }
}

/// Everything that a page asks of us, by its session.
#[derive(Debug)]
pub(super) enum SetupRequest {
    /// It is new, and waits.
    Prepare(String),
    /// It was opened for what turned out to be a download: a headless shell leaves it there.
    Close(String),
    /// A download, by its id, has become too much.
    EndDownload { profile: String, id: String },
    /// It is in front, since the one that was has gone.
    Show(String),
    /// A request waits, with its id; where a server asks for a password, the second is true.
    Request { session: String, id: String, is_challenge: bool },
}

/// What is known of all pages; clones share it.
#[derive(Clone)]
pub(super) struct Tabs {
    state: Arc<watch::Sender<State>>,
    lines: Arc<Mutex<VecDeque<Line>>>,
    /// The sites that pages were opened of, the first first.
    visited: Arc<Mutex<Vec<String>>>,
    pub(super) requests: Requests,
    pub(super) faults: Faults,
    pub(super) downloads: Downloads,
    pub(super) exchanges: Exchanges,
    pub(super) person: Person,
    /// Where pictures of pages go that are filmed.
    film: Arc<Mutex<Option<mpsc::UnboundedSender<Filmed>>>>,
}

/// A picture of a page that is filmed.
pub(super) struct Filmed {
    pub(super) session: String,
    /// The event's parameters.
    pub(super) params: Value,
}

impl Tabs {
    pub(super) fn new() -> Self {
        Self {
            state: Arc::new(watch::Sender::new(State::default())),
            lines: Arc::default(),
            visited: Arc::default(),
            requests: Requests::default(),
            faults: Faults::default(),
            downloads: Downloads::default(),
            exchanges: Exchanges::default(),
            person: Person::default(),
            film: Arc::default(),
        }
    }

    /// Returns who is told of events; what a page asks for goes to `wishes`.
    pub(super) fn watcher(&self, setup: mpsc::UnboundedSender<SetupRequest>) -> Watcher {
        let tabs = self.clone();
        Box::new(move |event| tabs.take(&event, &setup))
    }

    pub(super) fn look<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.state.borrow())
    }

    pub(super) fn change(&self, session: &str, change: impl FnOnce(&mut Tab)) {
        self.state.send_modify(|state| {
            if let Some(tab) = state.tabs.iter_mut().find(|tab| tab.session == session) {
                change(tab);
            }
        });
    }

    /// Puts a page in front.
    pub(super) fn choose(&self, session: &str) {
        self.state.send_modify(|state| {
            let known = state.tabs.iter().map(|tab| tab.session.clone()).collect();
            state.chosen = Some((session.to_owned(), known));
        });
    }

    /// Sends pictures of pages that are filmed to another place from here on.
    pub(super) fn film_to(&self, to: Option<mpsc::UnboundedSender<Filmed>>) {
        *self.film.lock() = to;
    }

    fn filmed(&self, session: &str, params: &Value) {
        if let Some(to) = &*self.film.lock() {
            // Whoever filmed has just gone.
            let _ = to.send(Filmed { session: session.to_owned(), params: params.clone() });
        }
    }

    /// Waits until something holds; for ever, where it never does.
    pub(super) async fn until(&self, holds: impl FnMut(&State) -> bool) {
        // An error means that nobody changes anything any more, which cannot be: this holds the sender.
        let _ = self.state.subscribe().wait_for(holds).await.map(drop);
    }

    /// Returns the lines of the consoles, the oldest first.
    pub(super) fn lines(&self) -> Vec<Line> {
        self.lines.lock().iter().cloned().collect()
    }

    pub(super) fn forget_lines(&self) {
        self.lines.lock().clear();
    }

    /// Forgets all that was said and seen, for another profile.
    pub(super) fn begin(&self) {
        self.forget_lines();
        self.faults.forget();
        self.exchanges.forget();
        self.visited().clear();
    }

    /// Returns the sites that pages were opened of.
    pub(super) fn visited(&self) -> MutexGuard<'_, Vec<String>> {
        self.visited.lock()
    }

    /// Notes a site, unless what is there has no storage of its own, or nobody but us opened it.
    fn visit(&self, session: &str, frame: &Value) {
        let site = text(frame, "securityOrigin");
        let is_alone = self.look(|state| state.tab(session).is_some_and(|tab| tab.is_alone));
        let mut visited = self.visited();
        if site.starts_with("http") && !is_alone && visited.len() < SITES && !visited.iter().any(|known| known == site)
        {
            visited.push(site.to_owned());
        }
    }

    fn say(&self, level: &str, text: &str) {
        let text_kept = text.chars().take(MAX_LEN).collect();
        let mut line = Line { level: level.to_owned(), text: text_kept, at: SystemTime::now() };
        if line.text.len() < text.len() {
            line.text.push('…');
        }
        let mut lines = self.lines.lock();
        if lines.len() == LINES {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    fn take(&self, event: &Event, setup: &mpsc::UnboundedSender<SetupRequest>) {
        let params = &event.params;
        self.person.take(event);
        match (event.method.as_str(), &event.session) {
            ("Target.attachedToTarget", _) => self.attached(event, setup),
            ("Target.detachedFromTarget", _) => {
                let gone = text(params, "sessionId");
                self.requests.forget(gone);
                let mut front = None;
                self.state.send_modify(|state| front = state.remove(gone));
                // A page behind is not drawn.
                if let Some(front) = front {
                    let _ = setup.send(SetupRequest::Show(front));
                }
            }
            ("Page.screencastFrame", Some(session)) => self.filmed(session, params),
            ("Page.fileChooserOpened", Some(session)) => self.chooser_opened(session, params),
            ("Runtime.consoleAPICalled", session) => {
                let (level, said) = (text(params, "type"), spoken(&params["args"]));
                self.say(level, &said);
                if let ("error" | "assert", Some(session)) = (level, session) {
                    self.faults.say(session, "console", &said);
                }
            }
            ("Runtime.exceptionThrown", session) => {
                let said = exception(&params["exceptionDetails"]);
                self.say("error", &said);
                if let Some(session) = session {
                    self.faults.say(session, "script", &said);
                }
            }
            ("Log.entryAdded", session) => self.logged(session.as_deref(), &params["entry"]),
            ("Fetch.requestPaused", Some(session)) => wish_for(setup, session, params, false),
            ("Fetch.authRequired", Some(session)) => wish_for(setup, session, params, true),
            (method, Some(session)) if method.starts_with("Network.") => {
                self.answered(session, method, params);
                self.requests.take(session, method, params);
                self.faults.take(session, method, params);
                self.exchanges.take(session, method, params);
            }
            (method, Some(session)) if method.starts_with("Page.download") => {
                let is_empty = |tab: &Tab| !tab.is_ours && tab.arrivals == 0;
                if method == "Page.downloadWillBegin" && self.look(|state| state.tab(session).is_some_and(is_empty)) {
                    let _ = setup.send(SetupRequest::Close(session.clone()));
                }
                let profile = self.look(|state| state.tab(session).map(|tab| tab.context.clone())).unwrap_or_default();
                if let Some((said, is_ended)) = self.downloads.take(&profile, method, params) {
                    if is_ended {
                        let id = text(params, "guid").to_owned();
                        let _ = setup.send(SetupRequest::EndDownload { profile, id });
                    }
                    self.faults.add(session, &said);
                    self.say("warning", &said);
                }
            }
            (method, Some(session)) if changes(method) => {
                self.change(session, |tab| tab.take(method, params));
                self.moved(session, method, params);
            }
            _ => {}
        }
    }

    /// Notes what a server answered for a page.
    fn answered(&self, session: &str, method: &str, params: &Value) {
        if method == "Network.responseReceived" && params["type"] == "Document" {
            let status = params["response"]["status"].as_u64().and_then(|status| status.try_into().ok());
            self.change(session, |tab| {
                if tab.is_top(params) {
                    tab.status = status;
                }
            });
        }
    }

    /// Notes which pages are asked for and come.
    fn moved(&self, session: &str, method: &str, params: &Value) {
        let is_leaving = || self.look(|state| state.tab(session).is_some_and(|tab| tab.is_leaving));
        match method {
            "Page.frameStartedNavigating" if is_leaving() => self.faults.page_asked_for(session),
            "Page.frameNavigated" => {
                self.visit(session, &params["frame"]);
                self.requests.moved(session, &params["frame"]);
                if params["frame"]["parentId"].is_null() {
                    self.faults.page_came(session);
                }
            }
            _ => {}
        }
    }

    /// Takes in what the browser itself says of a page; what it says of requests is known from them.
    fn logged(&self, session: Option<&str>, entry: &Value) {
        let (level, url) = (text(entry, "level"), text(entry, "url"));
        let of = if url.is_empty() { String::new() } else { format!(" ({url})") };
        let said = format!("{}{of}", text(entry, "text"));
        self.say(level, &said);
        if let (Some(session), "error", false) = (session, level, text(entry, "source") == "network") {
            self.faults.say(session, "browser", &said);
        }
    }

    fn chooser_opened(&self, session: &str, params: &Value) {
        let chooser = Chooser {
            session: session.to_owned(),
            takes_several: text(params, "mode") == "selectMultiple",
            field: params["backendNodeId"].as_i64(),
        };
        self.state.send_modify(|state| state.chooser = Some(chooser));
        self.say(
            "info",
            "the page opened a chooser for files, which nobody sees; `upload` with what opens it chooses some",
        );
    }

    pub(super) fn forget_choosers(&self) {
        self.state.send_modify(|state| state.chooser = None);
    }

    fn attached(&self, event: &Event, setup: &mpsc::UnboundedSender<SetupRequest>) {
        let (info, session) = (&event.params["targetInfo"], text(&event.params, "sessionId"));
        if text(info, "type") == "iframe" {
            let around = event.session.clone().unwrap_or_default();
            let frame = (session.to_owned(), text(info, "targetId").to_owned(), around);
            self.state.send_modify(|state| state.frames.push(frame));
        }
        if text(info, "type") != "page" {
            return;
        }
        let tab = Tab {
            session: session.to_owned(),
            target: text(info, "targetId").to_owned(),
            context: text(info, "browserContextId").to_owned(),
            opener: text(info, "openerId").to_owned(),
            ..Tab::default()
        };
        self.state.send_modify(|state| state.tabs.push(tab));
        // Where nobody prepares pages any more, the browser is about to end.
        let _ = setup.send(SetupRequest::Prepare(session.to_owned()));
    }
}

fn wish_for(setup: &mpsc::UnboundedSender<SetupRequest>, session: &str, params: &Value, is_challenge: bool) {
    let id = text(params, "requestId").to_owned();
    let _ = setup.send(SetupRequest::Request { session: session.to_owned(), id, is_challenge });
}

/// Tells whether an event changes what is known of a page: others need wake nobody.
fn changes(method: &str) -> bool {
    method.starts_with("Page.") || method.starts_with("Runtime.executionContext") || method == "Inspector.targetCrashed"
}

impl Tab {
    fn take(&mut self, method: &str, params: &Value) {
        match method {
            "Page.frameStartedNavigating" if self.is_top(params) => {
                let kind = text(params, "navigationType").to_ascii_lowercase();
                self.is_leaving = !kind.contains("samedocument");
            }
            "Page.frameRequestedNavigation" if self.is_top(params) => {
                self.is_leaving = text(params, "disposition") == "currentTab";
            }
            "Page.frameNavigated" if params["frame"]["parentId"].is_null() => {
                // A page that the browser has kept is there as it was left, and nothing more is told of it.
                let is_kept = text(params, "type") == "BackForwardCacheRestore";
                (self.is_leaving, self.has_crashed, self.is_busy) = (false, false, false);
                (self.has_document, self.is_loaded) = (is_kept, is_kept);
                self.arrivals += 1;
            }
            "Page.navigatedWithinDocument" if self.is_top(params) => {
                self.is_leaving = false;
                self.arrivals += 1;
            }
            "Page.domContentEventFired" => self.has_document = true,
            "Page.loadEventFired" => (self.has_document, self.is_loaded) = (true, true),
            "Page.frameStoppedLoading" if self.is_top(params) => {
                (self.is_leaving, self.has_document, self.is_loaded) = (false, true, true);
            }
            "Page.javascriptDialogOpening" => {
                self.dialogs += 1;
                let word = |name| text(params, name).to_owned();
                self.dialog =
                    Some(PageDialog { kind: word("type"), message: word("message"), initial: word("defaultPrompt") });
            }
            "Page.javascriptDialogClosed" => self.dialog = None,
            "Inspector.targetCrashed" => self.has_crashed = true,
            "Runtime.executionContextCreated" => {
                let context = &params["context"];
                if text(context, "name") == WORLD && text(&context["auxData"], "frameId") == self.target {
                    self.world = context["id"].as_i64();
                }
            }
            "Runtime.executionContextDestroyed" if params["executionContextId"].as_i64() == self.world => {
                self.world = None;
            }
            "Runtime.executionContextsCleared" => self.world = None,
            _ => {}
        }
    }

    fn is_top(&self, params: &Value) -> bool {
        text(params, "frameId") == self.target
    }
}

pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// Returns what a call of the console was given, as a person reads it.
fn spoken(args: &Value) -> String {
    let said = |arg: &Value| match (&arg["value"], arg["description"].as_str()) {
        (Value::String(text), _) => text.clone(),
        (Value::Null, Some(description)) => description.to_owned(),
        (Value::Null, None) => text(arg, "type").to_owned(),
        (value, _) => value.to_string(),
    };
    args.as_array().into_iter().flatten().map(said).collect::<Vec<_>>().join(" ")
}

/// Returns what an exception says, with its first line of the stack.
pub(super) fn exception(details: &Value) -> String {
    let thrown = &details["exception"];
    let said = thrown["description"].as_str().map(str::to_owned).or_else(|| match &thrown["value"] {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    });
    let said = said.unwrap_or_else(|| text(details, "text").to_owned());
    said.lines().take(2).map(str::trim).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(method: &str, params: Value) -> Event {
        Event { session: Some("s".to_owned()), method: method.to_owned(), params }
    }

    #[test]
    fn a_page_is_followed_from_its_start_to_its_end() {
        let (tabs, (setup, mut setup_requests)) = (Tabs::new(), mpsc::unbounded_channel());
        let watcher = tabs.watcher(setup);
        let info = json!({"type": "page", "targetId": "t", "browserContextId": "c"});
        watcher(event("Target.attachedToTarget", json!({"sessionId": "s", "targetInfo": info})));
        assert!(matches!(setup_requests.try_recv(), Ok(SetupRequest::Prepare(session)) if session == "s"));
        let now = || tabs.look(|state| state.tab("s").cloned().expect("a page"));
        watcher(event("Page.frameStartedNavigating", json!({"frameId": "t", "navigationType": "differentDocument"})));
        assert!(now().is_leaving);
        watcher(event("Page.frameNavigated", json!({"frame": {"id": "t"}})));
        watcher(event("Page.frameNavigated", json!({"frame": {"id": "u", "parentId": "t"}})));
        assert_eq!((now().is_leaving, now().arrivals, now().is_loaded), (false, 1, false));
        let context = json!({"id": 7, "name": "uixt", "auxData": {"frameId": "t"}});
        watcher(event("Runtime.executionContextCreated", json!({"context": context})));
        watcher(event("Page.loadEventFired", json!({})));
        assert_eq!((now().world, now().has_document, now().is_loaded), (Some(7), true, true));
        watcher(event("Page.frameStartedNavigating", json!({"frameId": "t", "navigationType": "sameDocument"})));
        assert!(!now().is_leaving);
        watcher(event("Page.javascriptDialogOpening", json!({"type": "alert", "message": "Hi"})));
        assert_eq!(
            now().dialog,
            Some(PageDialog { kind: "alert".into(), message: "Hi".into(), initial: String::new() })
        );
        watcher(event("Runtime.consoleAPICalled", json!({"type": "error", "args": [{"value": "a"}, {"value": 1}]})));
        let lines = tabs.lines();
        assert_eq!((lines[0].level.as_str(), lines[0].text.as_str()), ("error", "a 1"));
        watcher(event("Target.detachedFromTarget", json!({"sessionId": "s"})));
        assert!(tabs.look(|state| state.tabs.is_empty()));
    }

    #[test]
    fn behind_a_page_that_closes_is_the_one_that_opened_it() {
        let (tabs, (setup, mut setup_requests)) = (Tabs::new(), mpsc::unbounded_channel());
        let watcher = tabs.watcher(setup);
        for (session, opener) in [("first", ""), ("second", ""), ("popup", "first")] {
            let info = json!({"type": "page", "targetId": session, "browserContextId": "c", "openerId": opener});
            watcher(event("Target.attachedToTarget", json!({"sessionId": session, "targetInfo": info})));
        }
        let front = || tabs.look(|state| state.front(Some("c")).map(|tab| tab.session.clone()));
        assert_eq!(front().as_deref(), Some("popup"));
        watcher(event("Target.detachedFromTarget", json!({"sessionId": "popup"})));
        assert_eq!(front().as_deref(), Some("first"));
        let mut asked = std::iter::from_fn(|| setup_requests.try_recv().ok());
        assert!(asked.any(|asked| matches!(asked, SetupRequest::Show(session) if session == "first")));
        watcher(event("Target.detachedFromTarget", json!({"sessionId": "first"})));
        assert_eq!(front().as_deref(), Some("second"));
    }
}
