//! Events of the DevTools protocol's network → which requests of each page are under way, and which were answered.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::Value;

use crate::driver::pages::Answered;

/// Most answers that are kept of a page, and most requests that are followed.
const MAX: usize = 500;

/// How long a page that fetches something is given to show it.
pub(super) const FETCHING: Duration = Duration::from_secs(2);

/// Most characters of an address.
const MAX_LEN: usize = 2000;

/// The requests of all pages, by their sessions; clones share them.
#[derive(Clone, Default)]
pub(super) struct Requests(Arc<Mutex<HashMap<String, Page>>>);

/// A request under way.
struct Sent {
    began: Instant,
    request: Answered,
    /// The frame that sent it, and the document in it by the number of its loader.
    frame: String,
    loader: String,
}

#[derive(Default)]
struct Page {
    pending: HashMap<String, Sent>,
    /// Each with when it began.
    answered: VecDeque<(Instant, Answered)>,
    /// When what a page's scripts fetch was asked for, until all of it is there.
    fetching: HashMap<String, Instant>,
    last: Option<Instant>,
    /// When the page was last acted on; none since it was opened.
    acted: Option<Instant>,
    /// When the last request ended that is no poll: what it brought may only be on its way to the page's scripts, which may ask for more.
    ended: Option<Instant>,
    /// The requests under way that are no polls.
    awaited: HashSet<String>,
    /// How often each address was asked for, without what stands behind its `?`: what is asked for again and again is no sign that
    /// something comes.
    asked: HashMap<String, u32>,
}

/// How often the same may be asked for before it counts as a poll that repeats.
const POLLS: u32 = 2;

/// Within which time inputs count as one act.
const IN_ONE_GO: Duration = Duration::from_secs(1);

/// How long a page may take to make something of what it got.
const REACTION: Duration = Duration::from_millis(400);

/// Why a page may not be complete whose last request has only just ended.
const JUST_ENDED: &str = "it has just got what it asked for";

impl Requests {
    /// Takes in an event of the `Network` domain.
    pub(super) fn take(&self, session: &str, method: &str, params: &Value) {
        let mut pages = self.0.lock();
        if !pages.contains_key(session) {
            pages.insert(session.to_owned(), Page::default());
        }
        if let Some(page) = pages.get_mut(session) {
            page.take(method, params);
        }
    }

    /// Forgets a page.
    pub(super) fn forget(&self, session: &str) {
        self.0.lock().remove(session);
    }

    /// Forgets what was answered so far.
    pub(super) fn forget_answered(&self, session: &str) {
        if let Some(page) = self.0.lock().get_mut(session) {
            page.answered.clear();
        }
    }

    /// Forgets what was under way for documents that another took the place of: its answer comes to nobody, and nothing tells of its end.
    pub(super) fn moved(&self, session: &str, frame: &Value) {
        let mut pages = self.0.lock();
        let Some(page) = pages.get_mut(session) else { return };
        let (id, loader) = (&frame["id"], &frame["loaderId"]);
        let is_top = frame["parentId"].is_null();
        page.pending.retain(|_, sent| *loader == sent.loader.as_str() || !(is_top || *id == sent.frame.as_str()));
        if is_top {
            page.acted = None;
            page.asked.clear();
            page.awaited.clear();
        }
    }

    /// Takes out the oldest answer to a request whose address holds a text, of those that began since a moment.
    pub(super) fn take_answered(&self, session: &str, text: &str, since: Option<Instant>) -> Option<Answered> {
        let mut pages = self.0.lock();
        let answered = &mut pages.get_mut(session)?.answered;
        let is_late = |began: &Instant| since.is_none_or(|since| *began >= since);
        let place = answered.iter().position(|(began, request)| request.url.contains(text) && is_late(began))?;
        answered.remove(place).map(|(_, request)| request)
    }

    /// Returns the addresses that are not answered yet, and for how long nothing happened.
    pub(super) fn pending(&self, session: &str) -> (Vec<String>, Duration) {
        let pages = self.0.lock();
        let Some(page) = pages.get(session) else { return (Vec::new(), Duration::MAX) };
        let mut pending: Vec<String> = page.pending.values().map(|sent| sent.request.url.clone()).collect();
        pending.sort_unstable();
        (pending, page.last.map_or(Duration::MAX, |last| last.elapsed()))
    }

    /// Notes since when a page is acted on: what it asked for before was not begun by that. What is done in one go, such as typing, begins
    /// with its first input.
    pub(super) fn acted(&self, session: &str, since: Instant) {
        if let Some(page) = self.0.lock().get_mut(session) {
            let goes_on = page.acted.is_some_and(|acted| since.saturating_duration_since(acted) < IN_ONE_GO);
            page.acted = page.acted.filter(|_| goes_on).or(Some(since));
        }
    }

    /// Says what a page's scripts or frames wait for that was asked for since the page was opened or acted on last, or that they have only
    /// just got; polls are passed over.
    pub(super) fn awaited(&self, session: &str) -> Option<String> {
        let pages = self.0.lock();
        let page = pages.get(session)?;
        let mut awaited = page.fetching.iter().filter(|(_, since)| page.acted.is_none_or(|acted| **since >= acted));
        let awaited = awaited.find_map(|(id, _)| {
            let url = &page.pending.get(id)?.request.url;
            let is_poll = page.asked.get(path_of(url)).is_some_and(|times| *times > POLLS);
            (!is_poll).then(|| format!("it waits for {url}"))
        });
        let is_fresh = || page.ended.is_some_and(|ended| ended.elapsed() < REACTION);
        awaited.or_else(|| is_fresh().then(|| JUST_ENDED.to_owned()))
    }

    /// Tells whether a page waits for something that it began to fetch a moment ago.
    pub(super) fn is_fetching(&self, session: &str) -> bool {
        let pages = self.0.lock();
        let Some(page) = pages.get(session) else { return false };
        page.fetching.values().any(|since| since.elapsed() < FETCHING)
    }
}

impl Page {
    fn take(&mut self, method: &str, params: &Value) {
        let id = params["requestId"].as_str().unwrap_or_default();
        match method {
            "Network.requestWillBeSent" => self.begun(id, params),
            "Network.responseReceived" => self.answered(id, &params["response"]),
            "Network.loadingFinished" => {
                self.fetching.remove(id);
                self.answered(id, &Value::Null);
                self.note_end(id);
            }
            // What fails before it is answered is under way no more, and never was answered.
            "Network.loadingFailed" => {
                self.fetching.remove(id);
                self.pending.remove(id);
                self.last = Some(Instant::now());
                self.note_end(id);
            }
            // An answer whose body nobody reads never ends; while some of it comes, the page is busy.
            "Network.dataReceived" => self.last = Some(Instant::now()),
            _ => {}
        }
    }

    /// Notes that a request has ended, be it with its answer or not.
    fn note_end(&mut self, id: &str) {
        if self.awaited.remove(id) {
            self.ended = Some(Instant::now());
        }
    }

    fn answered(&mut self, id: &str, response: &Value) {
        self.last = Some(Instant::now());
        let Some(Sent { began, mut request, .. }) = self.pending.remove(id) else { return };
        request.status = response["status"].as_u64().and_then(|status| status.try_into().ok()).unwrap_or(0);
        if self.answered.len() == MAX {
            self.answered.pop_front();
        }
        self.answered.push_back((began, request));
    }

    fn begun(&mut self, id: &str, params: &Value) {
        // It goes on elsewhere under the same number.
        if params["redirectResponse"].is_object() {
            self.answered(id, &params["redirectResponse"]);
        }
        // What never ends is no sign of a page that is busy.
        if matches!(params["type"].as_str(), Some("EventSource" | "Ping" | "CSPViolationReport")) {
            return;
        }
        let now = Instant::now();
        self.last = Some(now);
        let request = &params["request"];
        let url = request["url"].as_str().unwrap_or_default();
        if matches!(params["type"].as_str(), Some("Fetch" | "XHR" | "Script")) && self.fetching.len() < MAX {
            self.fetching.insert(id.to_owned(), now);
        }
        if self.asked.len() < MAX {
            *self.asked.entry(path_of(url).to_owned()).or_default() += 1;
        }
        let is_poll = self.asked.get(path_of(url)).is_none_or(|times| *times > POLLS);
        if !is_poll && self.awaited.len() < MAX {
            self.awaited.insert(id.to_owned());
        }
        if self.pending.len() < MAX && !url.starts_with("data:") {
            let method = request["method"].as_str().unwrap_or_default().to_owned();
            let url = url.chars().take(MAX_LEN).collect();
            let text = |key: &str| params[key].as_str().unwrap_or_default().to_owned();
            let request = Answered { url, method, status: 0 };
            self.pending
                .insert(id.to_owned(), Sent { began: now, request, frame: text("frameId"), loader: text("loaderId") });
        }
    }
}

/// Returns an address without what stands behind its `?`.
fn path_of(url: &str) -> &str {
    url.split_once('?').map_or(url, |(path, _)| path)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_is_pending_until_it_is_answered_and_waited_for_once() {
        let requests = Requests::default();
        let sent = json!({"requestId": "1", "type": "Fetch", "request": {"url": "http://a/save", "method": "POST"}});
        requests.take("s", "Network.requestWillBeSent", &sent);
        let events = json!({"requestId": "2", "type": "EventSource", "request": {"url": "http://a/events"}});
        requests.take("s", "Network.requestWillBeSent", &events);
        assert_eq!(requests.pending("s").0, ["http://a/save"]);
        assert_eq!(requests.take_answered("s", "/save", None), None);
        let response = json!({"requestId": "1", "response": {"status": 201}});
        requests.take("s", "Network.responseReceived", &response);
        let answered = Answered { url: "http://a/save".into(), method: "POST".into(), status: 201 };
        assert!(requests.pending("s").0.is_empty() && requests.pending("t").1 == Duration::MAX);
        assert_eq!(requests.take_answered("t", "/save", None), None);
        assert_eq!(requests.take_answered("s", "/save", Some(Instant::now())), None, "it began earlier");
        assert_eq!(requests.take_answered("s", "/save", None), Some(answered));
        assert_eq!(requests.take_answered("s", "/save", None), None);
        let ends = |id: &str| requests.take("s", "Network.loadingFinished", &json!({"requestId": id}));
        ends("2");
        assert!(requests.is_fetching("s") && !requests.is_fetching("t"), "the body of the answer has not come");
        ends("1");
        assert!(!requests.is_fetching("s"));
        let sent = json!({"requestId": "3", "type": "Fetch", "request": {"url": "http://a/refused", "method": "GET"}});
        requests.take("s", "Network.requestWillBeSent", &sent);
        requests.take(
            "s",
            "Network.loadingFailed",
            &json!({"requestId": "3", "errorText": "net::ERR_CONNECTION_REFUSED"}),
        );
        assert!(requests.pending("s").0.is_empty() && !requests.is_fetching("s"));
        assert_eq!(requests.take_answered("s", "/refused", None), None, "nobody answered");
    }

    #[test]
    fn what_a_document_asked_for_ends_with_it() {
        let requests = Requests::default();
        for (id, frame, loader) in
            [("1", "top", "old"), ("2", "inner", "in"), ("3", "other", "o"), ("new", "top", "new")]
        {
            let request = json!({"url": format!("http://a/{id}"), "method": "GET"});
            let sent =
                json!({"requestId": id, "frameId": frame, "loaderId": loader, "type": "Fetch", "request": request});
            requests.take("s", "Network.requestWillBeSent", &sent);
        }
        requests.moved("s", &json!({"id": "inner", "parentId": "top", "loaderId": "in2"}));
        assert_eq!(requests.pending("s").0, ["http://a/1", "http://a/3", "http://a/new"]);
        requests.moved("s", &json!({"id": "top", "loaderId": "new"}));
        assert_eq!(requests.pending("s").0, ["http://a/new"]);
    }
}
