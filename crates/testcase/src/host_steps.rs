//! Steps beside the devices': `request`, `websocket`, `shell`, `think_time`, `transaction`, `rendezvous`.

use super::case::Body;
use super::case_settings::{Requests, Strategy, ThinkTime};
use super::node::{Data, Entry, Node};
use super::places::{self, Written};
use super::reader::Reader;
use crate::action::MobileAction;
use serde_json::{Map, Value, json};

/// Most seconds that `think_time` waits.
const MAX_SECONDS: f64 = 3600.0;

/// Reads one of these steps.
pub(super) fn read(reader: &mut Reader<'_>, entry: &Entry) -> Body {
    match entry.key.as_str() {
        "request" | "websocket" => Body::Actions(vec![request(reader, entry)]),
        "shell" => Body::Actions(vec![plain(reader, entry, entry.value.to_written())]),
        "think_time" => think_time(reader, entry),
        "transaction" => for_load_tests("transactions are measured by load tests only: the step does nothing"),
        _ => for_load_tests("a rendezvous is for load tests only: the step does nothing"),
    }
}

fn for_load_tests(reason: &str) -> Body {
    Body::Nothing { reason: reason.to_owned(), is_wished: false }
}

fn plain(reader: &mut Reader<'_>, entry: &Entry, params: Value) -> MobileAction {
    let action = MobileAction { method: entry.key.clone(), params, options: Map::new(), span: entry.place.span };
    places::check(reader, &action, Written::Short { key: entry.place.span, value: &entry.value });
    action
}

/// Reads a request, with what the config says of all of them: the step's own word wins.
fn request(reader: &mut Reader<'_>, entry: &Entry) -> MobileAction {
    let Data::Map(_) = &entry.value.data else {
        return plain(reader, entry, entry.value.to_written());
    };
    let Value::Object(mut params) = entry.value.to_written() else { return plain(reader, entry, Value::Null) };
    let requests = reader.about.requests.clone();
    let is_http = entry.key == "request";
    if is_http || may_open(&params) {
        add_headers(reader, &entry.value, &requests, &mut params);
    }
    if let Some(base) = requests.base_url.filter(|_| is_relative(params.get("url"))) {
        match params.get("url").and_then(Value::as_str) {
            _ if is_http => {
                params.entry("base_url").or_insert(base);
            }
            // A socket's address is one text; one that begins with a variable is taken to be whole.
            Some(url) if !url.starts_with('$') => {
                let base = base.as_str().unwrap_or_default().trim_end_matches('/');
                let whole = format!("{base}/{}", url.trim_start_matches('/'));
                params.insert("url".to_owned(), whole.into());
            }
            _ => {}
        }
    }
    if let Some(verify) = requests.verify.filter(|_| is_http) {
        params.entry("verify").or_insert(verify);
    }
    if let Some(timeout) = requests.timeout.filter(|_| is_http) {
        params.entry("timeout").or_insert(timeout);
    }
    plain(reader, entry, Value::Object(params))
}

/// Says whether a step of a web socket may open one; every other has no use for headers.
fn may_open(params: &Map<String, Value>) -> bool {
    let kind = params.get("type").and_then(Value::as_str).unwrap_or_default();
    kind == "open" || kind.contains('$') || params.contains_key("new_connection")
}

/// Says whether an address may need the config's `base_url`.
fn is_relative(url: Option<&Value>) -> bool {
    let url = url.and_then(Value::as_str).unwrap_or_default();
    !["http://", "https://", "ws://", "wss://"].iter().any(|scheme| url.starts_with(scheme))
}

fn add_headers(reader: &mut Reader<'_>, node: &Node, requests: &Requests, params: &mut Map<String, Value>) {
    if requests.headers.is_empty() {
        return;
    }
    let own = match params.get("headers") {
        Some(Value::Object(own)) => own.clone(),
        None | Some(Value::Null) => Map::new(),
        Some(_) => {
            let place = node.entry("headers").map_or(node.place.span, |entry| entry.value.place.span);
            let help = "write the headers as a map, or leave `headers` out of the config";
            reader.refuse_with_help(place, "these headers cannot be put together with those of the config", help);
            return;
        }
    };
    let hidden = |name: &str| own.keys().any(|other| other.eq_ignore_ascii_case(name));
    let mut all: Map<String, Value> = requests
        .headers
        .iter()
        .filter(|(name, _)| !hidden(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    all.extend(own);
    params.insert("headers".to_owned(), Value::Object(all));
}

/// Reads `think_time: 3` or `{time: 3}`, as the config's `think_time` wants it.
fn think_time(reader: &mut Reader<'_>, entry: &Entry) -> Body {
    let node = match &entry.value.data {
        Data::Map(entries) => {
            for other in entries.iter().filter(|inner| inner.key != "time") {
                reader.unknown_key(other, "`think_time`", &["time"]);
            }
            entry.value.entry("time").map(|time| &time.value)
        }
        _ => Some(&entry.value),
    };
    let seconds = match node.map(|node| &node.data) {
        Some(Data::Number(number)) => number.as_f64().filter(|seconds| (0.0..=MAX_SECONDS).contains(seconds)),
        Some(Data::Str(text)) if text.contains('$') => return expression(reader, entry, text),
        Some(Data::Str(text)) => text.trim().parse().ok().filter(|seconds| (0.0..=MAX_SECONDS).contains(seconds)),
        _ => None,
    };
    let Some(seconds) = seconds else {
        let message = format!("`think_time` is a number of seconds from 0 to {MAX_SECONDS}");
        reader.refuse_with_help(entry.shown_place(), message, "write `think_time: 3` or `think_time: {time: 3}`");
        return Body::default();
    };
    let limit = |seconds: f64| reader.about.think_time.limit.map_or(seconds, |limit| seconds.min(limit));
    let value = match reader.about.think_time.strategy {
        Strategy::Default => json!(limit(seconds)),
        Strategy::Ignore => return ignored(),
        Strategy::Multiply => json!(limit(seconds * reader.about.think_time.least)),
        Strategy::Random => {
            let (least, most) = (reader.about.think_time.least, reader.about.think_time.most);
            json!(format!("${{random_range({}, {})}}", limit(seconds * least), limit(seconds * most)))
        }
    };
    sleep(entry, value)
}

fn ignored() -> Body {
    Body::Nothing { reason: "the config's `think_time` says `ignore`".to_owned(), is_wished: true }
}

/// A time that is known only when the step runs.
fn expression(reader: &mut Reader<'_>, entry: &Entry, text: &str) -> Body {
    match reader.about.think_time.strategy {
        Strategy::Default if reader.about.think_time.limit.is_none() => sleep(entry, json!(text)),
        Strategy::Ignore => ignored(),
        _ => {
            let message = "a time that is an expression cannot be changed by the config's `think_time`";
            reader.refuse_with_help(entry.shown_place(), message, "write a number");
            Body::default()
        }
    }
}

fn sleep(entry: &Entry, params: Value) -> Body {
    let action = MobileAction { method: "sleep".to_owned(), params, options: Map::new(), span: entry.place.span };
    Body::Actions(vec![action])
}

/// Reads the config's `think_time`.
pub(super) fn read_strategy(reader: &mut Reader<'_>, entry: &Entry) -> ThinkTime {
    const KEYS: [&str; 3] = ["strategy", "setting", "limit"];
    let mut think_time = ThinkTime::default();
    let entries = reader.map(&entry.value, "`think_time`");
    for inner in entries.iter().filter(|inner| !KEYS.contains(&inner.key.as_str())) {
        reader.unknown_key(inner, "`think_time`", &KEYS);
    }
    if let Some(inner) = entry.value.entry("strategy").filter(|inner| !inner.value.is_null()) {
        let name = reader.text(&inner.value, "`strategy`").unwrap_or_default();
        let found = Strategy::NAMES.iter().find(|(known, _)| *known == name || name.is_empty());
        if let Some((_, strategy)) = found {
            think_time = ThinkTime::of(*strategy);
        } else {
            let help = format!("valid: {}", Strategy::NAMES.map(|(known, _)| known).join(", "));
            reader.refuse_with_help(inner.value.place.span, format!("unknown strategy `{name}`"), help);
        }
    }
    if let Some(limit) = entry.value.entry("limit").filter(|inner| !inner.value.is_null()) {
        think_time.limit = positive(reader, limit).filter(|limit| *limit > 0.0);
    }
    if let Some(setting) = entry.value.entry("setting").filter(|inner| !inner.value.is_null()) {
        read_setting(reader, setting, &mut think_time);
    }
    think_time
}

fn read_setting(reader: &mut Reader<'_>, setting: &Entry, think_time: &mut ThinkTime) {
    match think_time.strategy {
        Strategy::Multiply => think_time.least = positive(reader, setting).unwrap_or(1.0),
        Strategy::Random => {
            for inner in reader.map(&setting.value, "`setting`") {
                match inner.key.as_str() {
                    "min_percentage" => think_time.least = positive(reader, inner).unwrap_or(0.5),
                    "max_percentage" => think_time.most = positive(reader, inner).unwrap_or(1.5),
                    _ => reader.unknown_key(inner, "`setting`", &["min_percentage", "max_percentage"]),
                }
            }
            if think_time.least > think_time.most {
                reader.refuse(setting.value.place.span, "`min_percentage` is greater than `max_percentage`");
            }
        }
        _ => {}
    }
}

fn positive(reader: &mut Reader<'_>, entry: &Entry) -> Option<f64> {
    let number = match &entry.value.data {
        Data::Number(number) => number.as_f64().filter(|number| (0.0..=1e6).contains(number)),
        _ => None,
    };
    if number.is_none() {
        reader.refuse(entry.shown_place(), format!("`{}` is a number from 0 to 1,000,000", entry.key));
    }
    number
}
