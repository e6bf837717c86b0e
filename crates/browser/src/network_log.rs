//! Events of the DevTools protocol's network → what pages asked for, the newest requests of all of them, each with its end.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, SecondsFormat, Utc};
use parking_lot::Mutex;
use serde_json::{Map, Value};

use super::backend::Line;
use super::tabs::text;

/// Most requests that are kept, the newest, and most characters of an address.
const MAX: usize = 200;
const MAX_LEN: usize = 500;
/// Most characters of a line of a console.
const LINE: usize = 400;

/// The requests of all pages; clones share them.
#[derive(Clone, Default)]
pub(super) struct Exchanges(Arc<Mutex<VecDeque<Exchange>>>);

/// A request, and what came of it so far.
struct Exchange {
    session: String,
    id: String,
    /// On the browser's own clock, in seconds.
    clock: f64,
    told: Map<String, Value>,
}

impl Exchanges {
    /// Takes in an event of the `Network` domain.
    pub(super) fn take(&self, session: &str, method: &str, params: &Value) {
        let mut kept = self.0.lock();
        let id = text(params, "requestId");
        if method == "Network.requestWillBeSent" {
            // What stands in the address itself is asked of nobody.
            if text(&params["request"], "url").starts_with("data:") {
                return;
            }
            // It goes on elsewhere under the same number.
            if let Some(redirect) = params.get("redirectResponse") {
                end(&mut kept, (session, id), params, |told| answered(told, redirect));
            }
            if kept.len() == MAX {
                kept.pop_front();
            }
            kept.push_back(Exchange::begun(session, id, params));
            return;
        }
        match method {
            "Network.responseReceived" => change(&mut kept, (session, id), |exchange| {
                answered(&mut exchange.told, &params["response"]);
            }),
            "Network.loadingFinished" => end(&mut kept, (session, id), params, |told| {
                let bytes = params["encodedDataLength"].as_f64().unwrap_or_default().max(0.0);
                told.insert("bytes".to_owned(), bytes.into());
            }),
            "Network.loadingFailed" => end(&mut kept, (session, id), params, |told| {
                told.insert("error".to_owned(), text(params, "errorText").into());
            }),
            _ => {}
        }
    }

    /// Returns all that are kept, the oldest first.
    pub(super) fn all(&self) -> Vec<Value> {
        let kept = self.0.lock();
        kept.iter().map(|exchange| Value::Object(exchange.told.clone())).collect()
    }

    pub(super) fn forget(&self) {
        self.0.lock().clear();
    }
}

impl Exchange {
    fn begun(session: &str, id: &str, params: &Value) -> Self {
        let request = &params["request"];
        let since = params["wallTime"].as_f64().and_then(|at| Duration::try_from_secs_f64(at).ok());
        let began = since.map_or_else(SystemTime::now, |since| SystemTime::UNIX_EPOCH + since);
        let url: String = text(request, "url").chars().take(MAX_LEN).collect();
        let told = [
            ("began", stamp(began).into()),
            ("method", text(request, "method").into()),
            ("url", url.into()),
            ("type", text(params, "type").into()),
        ];
        let told = told.into_iter().map(|(key, value): (&str, Value)| (key.to_owned(), value)).collect();
        Self {
            session: session.to_owned(),
            id: id.to_owned(),
            clock: params["timestamp"].as_f64().unwrap_or_default(),
            told,
        }
    }
}

/// Changes the newest request of a number.
fn change(kept: &mut VecDeque<Exchange>, (session, id): (&str, &str), change: impl FnOnce(&mut Exchange)) {
    let exchange = kept.iter_mut().rev().find(|exchange| exchange.id == id && exchange.session == session);
    exchange.map(change).unwrap_or_default();
}

/// Notes the end of a request, and how long it took.
fn end(kept: &mut VecDeque<Exchange>, of: (&str, &str), params: &Value, note: impl FnOnce(&mut Map<String, Value>)) {
    change(kept, of, |exchange| {
        let took = params["timestamp"].as_f64().map(|now| ((now - exchange.clock) * 1000.0).max(0.0).round());
        if let Some(took) = took {
            exchange.told.insert("ms".to_owned(), took.into());
        }
        note(&mut exchange.told);
    });
}

fn answered(told: &mut Map<String, Value>, response: &Value) {
    told.insert("status".to_owned(), response["status"].clone());
    told.insert("mime".to_owned(), text(response, "mimeType").into());
}

/// Writes a line of a console with its time and level.
pub(super) fn written(line: &Line) -> String {
    let said: String = line.text.chars().take(LINE).map(|c| if c == '\n' { ' ' } else { c }).collect();
    format!("{} {} {said}", stamp(line.at), line.level)
}

fn stamp(at: SystemTime) -> String {
    DateTime::<Utc>::from(at).to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn requests_are_told_with_their_ends_and_the_newest_stay() {
        let exchanges = Exchanges::default();
        let take = |method: &str, params: Value| exchanges.take("s", &format!("Network.{method}"), &params);
        let sent = |id: usize, at: f64| json!({"requestId": id.to_string(), "type": "Fetch", "timestamp": at, "wallTime": 1.5, "request": {"url": format!("http://a/{id}"), "method": "GET"}});
        take("requestWillBeSent", sent(1, 10.0));
        take("responseReceived", json!({"requestId": "1", "response": {"status": 500, "mimeType": "text/html"}}));
        take("loadingFinished", json!({"requestId": "1", "timestamp": 10.25, "encodedDataLength": 812.0}));
        take("requestWillBeSent", sent(2, 11.0));
        take("loadingFailed", json!({"requestId": "2", "timestamp": 11.5, "errorText": "net::ERR_X"}));
        let all = exchanges.all();
        let first = json!({"began": "1970-01-01T00:00:01.500Z", "method": "GET", "url": "http://a/1", "type": "Fetch",
            "status": 500, "mime": "text/html", "ms": 250.0, "bytes": 812.0});
        assert_eq!(all[0], first);
        assert_eq!((&all[1]["error"], &all[1]["ms"]), (&json!("net::ERR_X"), &json!(500.0)));
        (3..300).for_each(|id| take("requestWillBeSent", sent(id, 12.0)));
        let all = exchanges.all();
        assert_eq!((all.len(), &all[199]["url"]), (MAX, &json!("http://a/299")));
        exchanges.forget();
        assert!(exchanges.all().is_empty());
    }
}
