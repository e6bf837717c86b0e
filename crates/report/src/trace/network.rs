//! What was kept of a page's console and network → the viewer's tabs of these names.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::super::evidence;
use super::{PAGE, Trace};

impl Trace<'_> {
    /// Returns what was kept of the failures of a kind, the texts of its files.
    fn kept_of(&self, key: &str) -> Vec<String> {
        let actions = self.case.steps.iter().flat_map(|step| &step.attempts).flat_map(|attempt| &attempt.actions);
        let paths = actions.filter_map(|action| evidence::of_action(action)?.get(key)?.as_str());
        paths.filter_map(|path| self.kept(path)).collect()
    }

    /// Writes each line of the console, once.
    pub(super) fn console(&mut self) {
        let texts = self.kept_of("console");
        let mut seen = HashSet::new();
        for line in texts.iter().flat_map(|text| text.lines()).filter(|line| seen.insert(*line)) {
            let mut parts = line.splitn(3, ' ');
            let (Some(at), Some(level), Some(said)) = (parts.next().and_then(time), parts.next(), parts.next()) else {
                continue;
            };
            self.push(&json!({
                "type": "console", "time": self.time(at), "pageId": PAGE, "messageType": level, "text": said, "args": [],
                "location": {"url": "", "lineNumber": 0, "columnNumber": 0},
            }));
        }
    }

    /// Returns the lines that tell each request, once.
    pub(super) fn network(&self) -> String {
        let (mut lines, mut seen) = (String::new(), HashSet::new());
        let requests =
            self.kept_of("network").into_iter().filter_map(|text| serde_json::from_str::<Vec<Value>>(&text).ok());
        for request in requests.flatten() {
            let Some(at) = request["began"].as_str().and_then(time) else { continue };
            let place = (request["began"].to_string(), request["url"].to_string());
            if !seen.insert(place) {
                continue;
            }
            let event = json!({"type": "resource-snapshot", "snapshot": self.resource(&request, at)});
            lines.push_str(&event.to_string());
            lines.push('\n');
        }
        lines
    }

    /// Returns a request as an entry of an HTTP archive.
    fn resource(&self, request: &Value, at: DateTime<Utc>) -> Value {
        let number = |key: &str| request[key].as_f64().unwrap_or(-1.0);
        let text = |key: &str| request[key].as_str().unwrap_or_default();
        json!({
            "pageref": PAGE, "startedDateTime": text("began"), "time": number("ms"), "_monotonicTime": self.time(at),
            "request": {
                "method": text("method"), "url": text("url"), "httpVersion": "HTTP/1.1", "cookies": [], "headers": [],
                "queryString": [], "headersSize": -1, "bodySize": 0,
            },
            "response": {
                "status": number("status"), "statusText": "", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [],
                "content": {"size": number("bytes"), "mimeType": text("mime")}, "headersSize": -1,
                "bodySize": number("bytes"), "redirectURL": "", "_transferSize": number("bytes"), "_failureText": text("error"),
            },
            "cache": {}, "timings": {"send": -1, "wait": number("ms"), "receive": -1},
        })
    }
}

fn time(text: &str) -> Option<DateTime<Utc>> {
    text.parse().ok()
}
