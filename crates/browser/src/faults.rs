//! Events of the DevTools protocol → what went wrong in pages: errors on their consoles, and requests that failed.
//!
//! Each is one line of text, whatever a page wrote. Knows nothing of steps: it is asked for what came since a moment.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use serde_json::Value;

use super::tabs::text;

/// Most faults that are kept, and most requests that are followed.
const MAX: usize = 200;

/// Most characters of a fault.
const MAX_LEN: usize = 300;

/// What went wrong in all pages; clones share it.
#[derive(Clone, Default)]
pub(super) struct Faults(Arc<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    faults: VecDeque<Fault>,
    /// `GET http://…` of requests that are under way, by sessions and ids, with what they are for where that is only for looks.
    sent: HashMap<(String, String), String>,
    /// When the page in each session began to come.
    opened: HashMap<String, Opened>,
}

struct Fault {
    at: Instant,
    session: String,
    text: String,
}

/// A page replaces the one before once it is there; what its server answered came earlier.
#[derive(Clone, Copy, Default)]
struct Opened {
    /// When the one that is there was asked for.
    at: Option<Instant>,
    /// When one was asked for that is not there yet.
    next: Option<Instant>,
}

impl Faults {
    /// Takes in something that a page's console or script says.
    pub(super) fn say(&self, session: &str, what: &str, text: &str) {
        self.add(session, &format!("{what}: {text}"));
    }

    /// Takes in a fault as it is told.
    pub(super) fn add(&self, session: &str, fault: &str) {
        self.with(|kept| kept.add(session, fault));
    }

    /// Takes in an event of the `Network` domain.
    pub(super) fn take(&self, session: &str, method: &str, params: &Value) {
        let id = || (session.to_owned(), text(params, "requestId").to_owned());
        match method {
            // No page asks for its icon where it names none.
            "Network.requestWillBeSent" if text(&params["request"], "url").ends_with("/favicon.ico") => {}
            "Network.requestWillBeSent" => self.with(|kept| {
                // Some of them never come to an end that is told.
                if kept.sent.len() == MAX {
                    kept.sent.clear();
                }
                let request = &params["request"];
                let address: String = text(request, "url").chars().take(MAX_LEN).collect();
                let kind = Some(text(params, "type")).filter(|kind| ["Image", "Font", "Media"].contains(kind));
                let of = kind.map(|kind| format!(" ({kind})")).unwrap_or_default();
                kept.sent.insert(id(), format!("{} {address}{of}", text(request, "method")));
            }),
            "Network.responseReceived" => {
                let response = &params["response"];
                let status = response["status"].as_u64().unwrap_or_default();
                self.with(|kept| match kept.sent.remove(&id()) {
                    Some(sent) if status >= 400 => {
                        kept.add(session, &format!("request: {status} {}: {sent}", text(response, "statusText")));
                    }
                    _ => {}
                });
            }
            "Network.loadingFailed" => self.with(|kept| {
                let sent = kept.sent.remove(&id());
                // A page that is left takes back what it had asked for.
                if let Some(sent) = sent.filter(|_| params["canceled"] != true) {
                    kept.add(session, &format!("request: {}: {sent}", why(params)));
                }
            }),
            "Network.loadingFinished" => self.with(|kept| drop(kept.sent.remove(&id()))),
            _ => {}
        }
    }

    /// Notes that another page was asked for, and that it has come.
    pub(super) fn page_asked_for(&self, session: &str) {
        self.with(|kept| kept.opened.entry(session.to_owned()).or_default().next = Some(Instant::now()));
    }

    pub(super) fn page_came(&self, session: &str) {
        self.with(|kept| {
            let opened = kept.opened.entry(session.to_owned()).or_default();
            opened.at = Some(opened.next.take().unwrap_or_else(Instant::now));
        });
    }

    /// Returns what went wrong since a moment, and since the page of a session was asked for; the oldest first.
    pub(super) fn since(&self, moment: Instant, front: Option<&str>) -> Vec<String> {
        self.with(|kept| {
            let opened = front.and_then(|front| kept.opened.get(front)?.at);
            let is_of_page = |fault: &&Fault| front == Some(&fault.session) && opened.is_none_or(|at| fault.at >= at);
            let wanted = kept.faults.iter().filter(|fault| fault.at >= moment || is_of_page(fault));
            wanted.map(|fault| fault.text.clone()).collect()
        })
    }

    /// Forgets all of it.
    pub(super) fn forget(&self) {
        self.with(|kept| *kept = Kept::default());
    }

    fn with<T>(&self, act: impl FnOnce(&mut Kept) -> T) -> T {
        act(&mut self.0.lock())
    }
}

impl Kept {
    fn add(&mut self, session: &str, text: &str) {
        if self.faults.len() == MAX {
            self.faults.pop_front();
        }
        self.faults.push_back(Fault { at: Instant::now(), session: session.to_owned(), text: one_line(text) });
    }
}

/// Returns a text on one line, and no longer than a fault may be.
pub(super) fn one_line(text: &str) -> String {
    // What is cut off here may be as long as a page likes.
    let head: String = text.chars().take(4 * MAX_LEN).collect();
    let line = head.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_LEN - 1) {
        Some((end, _)) if line.chars().nth(MAX_LEN).is_some() => format!("{}…", &line[..end]),
        _ => line,
    }
}

/// Says why a request failed: what blocked it, or the network's own word.
fn why(params: &Value) -> String {
    let cors = text(&params["corsErrorStatus"], "corsError");
    let said = [text(params, "blockedReason"), cors].into_iter().find(|said| !said.is_empty());
    match said {
        Some(said) => format!("blocked ({said})"),
        None => text(params, "errorText").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn send(faults: &Faults, session: &str, id: &str) {
        let request = json!({"url": format!("http://a/{id}"), "method": "POST"});
        faults.take(session, "Network.requestWillBeSent", &json!({"requestId": id, "request": request}));
    }

    fn answer(faults: &Faults, session: &str, id: &str, status: u16) {
        let response = json!({"status": status, "statusText": "Oh"});
        faults.take(session, "Network.responseReceived", &json!({"requestId": id, "response": response}));
    }

    #[test]
    fn what_failed_is_told_once_and_what_came_well_is_not() {
        let faults = Faults::default();
        let start = Instant::now();
        ["1", "2", "3", "4"].iter().for_each(|id| send(&faults, "s", id));
        answer(&faults, "s", "1", 500);
        answer(&faults, "s", "2", 304);
        faults.take("s", "Network.loadingFailed", &json!({"requestId": "2", "errorText": "net::ERR_X"}));
        faults.take(
            "s",
            "Network.loadingFailed",
            &json!({"requestId": "3", "errorText": "net::ERR_Y", "canceled": true}),
        );
        faults.take("s", "Network.loadingFailed", &json!({"requestId": "4", "errorText": "net::ERR_Z"}));
        faults.say("t", "console", &format!("<b>\n {}", "x".repeat(5000)));
        let told = faults.since(start, None);
        assert_eq!(told[..2], ["request: 500 Oh: POST http://a/1", "request: net::ERR_Z: POST http://a/4"]);
        assert!(told[2].starts_with("console: <b> xxx") && told[2].ends_with("x…") && told[2].chars().count() == 300);
        faults.forget();
        assert!(faults.since(start, None).is_empty());
    }

    #[test]
    fn what_a_page_before_did_is_not_this_ones() {
        let faults = Faults::default();
        faults.page_came("s");
        faults.say("s", "console", "old");
        faults.page_asked_for("s");
        send(&faults, "s", "1");
        answer(&faults, "s", "1", 404);
        let now = || Instant::now() + std::time::Duration::from_mins(1);
        assert_eq!(faults.since(now(), Some("s")).len(), 2, "the page is still the old one");
        faults.page_came("s");
        assert_eq!(faults.since(now(), Some("s")), ["request: 404 Oh: POST http://a/1"]);
        assert!(faults.since(now(), Some("t")).is_empty() && faults.since(now(), None).is_empty());
    }
}
