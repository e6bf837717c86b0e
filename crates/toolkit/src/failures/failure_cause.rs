//! A call that failed → the cause at the head of what it says: an app that crashed or hangs, a dialog that lies over it, a request
//! of the page that failed, an error on its console, a page that still loads, a button that did nothing.

use std::time::Duration;

use serde_json::Value;
use uixt_call::CAUSE;
use uixt_core::page_fault::is_told;
use uixt_locate::suggest::SUGGESTIONS;
use uixt_locate::{Error, Kind};

use super::evidence::Log;
use crate::Context;
use crate::traces::last_touch::{DIALOG, IDLE, LOADING, PAGE_DIALOG, idle};

/// How a fault ends of what only changes how a page looks, as browsers call it, and how the addresses of such files end.
const LOOKS_KINDS: [&str; 3] = ["Image", "Font", "Media"];
const LOOKS: [&str; 14] =
    ["png", "jpg", "jpeg", "gif", "webp", "avif", "svg", "ico", "bmp", "woff", "woff2", "ttf", "otf", "map"];

/// What Android's dialog says of an app that does not respond, in English and in Chinese.
const NOT_RESPONDING: [&str; 4] = ["isn't responding", "isn’t responding", "无响应", "没有响应"];

/// How the window is called in which Android asks about such an app (AOSP, `AppNotRespondingDialog`), and how long it may take to be told.
const HANGING_WINDOW: &str = "Application Not Responding: ";
const ASKING: Duration = Duration::from_millis(500);

/// Puts the cause before what a failed call says, as far as the device tells one.
pub async fn explain(cx: &Context, error: Error, log: &Log, within: Duration) -> Error {
    if !error.kind.is_failure() && error.kind != Kind::Device {
        return crate::pages::page_faults::page_faults(cx, error, within).await;
    }
    let error = crate::pages::page_faults::page_faults(cx, error, within).await;
    if let Some(cause) = trouble(cx, &error, log).await {
        return headed(error, &cause);
    }
    let fault = of_page(&crate::pages::page_faults::since_last_act(cx, &error).await);
    match of_facts(&error, fault.as_deref()) {
        Some(Told::Cause(cause)) => headed(error, &cause),
        Some(Told::Beside(what)) => beside(error, &what),
        None => error,
    }
}

/// Puts before what a failed call says that an app crashed or hangs, and nothing else: for whoever pays for each word.
pub async fn of_app(cx: &Context, error: Error) -> Error {
    if !error.kind.is_failure() && error.kind != Kind::Device {
        return error;
    }
    let log = Log::of(cx, !error.kind.is_failure()).await;
    match trouble(cx, &error, &log).await {
        Some(cause) => headed(error, &cause),
        None => error,
    }
}

/// Says which app crashed or hangs: by the log, or where Android asks what to do with one, by the window in which it asks.
async fn trouble(cx: &Context, error: &Error, log: &Log) -> Option<String> {
    let told = log.trouble(&cx.session);
    if told.is_some() || !is_of_hang(error) {
        return told;
    }
    if let Some(told) = log.hang(cx) {
        return Some(told);
    }
    let front = tokio::time::timeout(ASKING, cx.device.as_deref()?.foreground()).await.ok()?.ok()?;
    Some(format!("{} does not respond (ANR)", front.name.strip_prefix(HANGING_WINDOW)?))
}

/// Tells whether the dialog lies over the app by which Android asks what to do with one that does not respond.
fn is_of_hang(error: &Error) -> bool {
    let dialog = error.details.get(DIALOG).and_then(Value::as_str).unwrap_or_default();
    NOT_RESPONDING.iter().any(|words| dialog.contains(words))
}

fn headed(mut error: Error, cause: &str) -> Error {
    // It is told once, at the head.
    let idle = format!("; {cause}");
    error.message = error.message.replace(&idle, "");
    error.message = format!("{cause}; {}", error.message);
    error.with(CAUSE, cause)
}

/// What the facts of an error tell.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    /// Why the call failed.
    Cause(String),
    /// What was so meanwhile, of a failure that tells by itself what was wrong.
    Beside(String),
}

/// Reads the cause off the facts of an error, and of what went wrong in the page since the last act.
fn of_facts(error: &Error, page_fault: Option<&str>) -> Option<Told> {
    let fact = |key: &str| error.details.get(key).and_then(Value::as_str).filter(|fact| !fact.is_empty());
    let is_lookup = matches!(error.kind, Kind::NotFound | Kind::WaitTimeout);
    // What was meant stands there by another name, or shows something else.
    let has_near = error.details.get(SUGGESTIONS).and_then(Value::as_array).is_some_and(|near| !near.is_empty());
    // What the failure is about is not told twice.
    let page_fault = page_fault.filter(|fault| !is_told(&error.message, fault));
    let dialog = fact(DIALOG).filter(|_| is_lookup).map(str::to_owned);
    let loading = || fact(LOADING).map(|why| format!("the page is still loading: {why}"));
    if has_near || error.kind == Kind::Assertion {
        let idle = || fact(IDLE).filter(|_| !has_near).map(|what| Told::Cause(idle(what)));
        let fault = || page_fault.map(|fault| format!("meanwhile {fault}"));
        return idle().or_else(|| dialog.or_else(fault).or_else(loading).map(Told::Beside));
    }
    let of_page = || page_fault.map(|fault| format!("likely {fault}"));
    // A test may have opened it itself.
    let shown = fact(PAGE_DIALOG).filter(|_| is_lookup).map(|title| format!("the page shows the dialog \"{title}\""));
    let idle = || fact(IDLE).map(idle);
    dialog.or_else(of_page).or_else(loading).or(shown).or_else(idle).map(Told::Cause)
}

fn beside(mut error: Error, what: &str) -> Error {
    error.message = format!("{}; {what}", error.message);
    error
}

/// Chooses what went wrong in a page: a server that failed before a request that did, and that before what a console says.
fn of_page(faults: &[String]) -> Option<String> {
    // What is merely not drawn is no cause of anything.
    let faults: Vec<&str> = faults.iter().map(String::as_str).filter(|fault| !is_of_looks(fault)).collect();
    let request = |fault: &&&str| fault.starts_with("request: ");
    let server = |fault: &&&str| fault.starts_with("request: 5");
    // The browser writes of each failed request on the console, too.
    let own = |fault: &&&str| !fault.contains("Failed to load resource");
    let chosen = faults.iter().rfind(server).or_else(|| faults.iter().rfind(request));
    let chosen = chosen.or_else(|| faults.iter().rfind(own)).or_else(|| faults.last())?;
    Some(chosen.strip_prefix("request: ").and_then(of_request).unwrap_or_else(|| (*chosen).to_owned()))
}

/// Tells whether a fault is that of a picture or a font: by what the browser says it was asked for, or by the address's ending.
fn is_of_looks(fault: &str) -> bool {
    let is_of = |kind: &str| fault.ends_with(&format!(" ({kind})"));
    let mut addresses = fault.split([' ', '(', ')']).filter(|word| word.contains("://"));
    let is_picture = |address: &str| {
        let path = address.split(['?', '#']).next().unwrap_or_default();
        path.rsplit_once('.').is_some_and(|(_, ending)| LOOKS.contains(&ending.to_ascii_lowercase().as_str()))
    };
    LOOKS_KINDS.into_iter().any(is_of)
        || ((fault.starts_with("request: ") || fault.contains("Failed to load resource")) && addresses.any(is_picture))
}

/// Rewrites `500 Oh: POST http://shop.test/api/cart`.
fn of_request(told: &str) -> Option<String> {
    let (what, address) = told.rsplit_once(' ')?;
    let (why, method) = what.rsplit_once(": ")?;
    let path = address.split_once("://").and_then(|(_, rest)| Some(&rest[rest.find('/')?..])).unwrap_or(address);
    let status = why.split(' ').next().filter(|word| word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_digit()));
    Some(match status {
        Some(status) => format!("the page's request {method} {path} answered {status}"),
        None => format!("the page's request {method} {path} failed ({why})"),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_gravest_fault_of_a_page_is_its_cause() {
        let of = |faults: &[&str]| of_page(&faults.iter().map(|fault| (*fault).to_owned()).collect::<Vec<_>>());
        let server = "request: 500 Internal Server Error: GET http://a.test/api/cart";
        let said = Some("the page's request GET /api/cart answered 500".to_owned());
        assert_eq!(of(&[server, "console: late"]), said);
        assert_eq!(
            of(&["request: 404 Not Found: GET http://a/favicon.ico", "console: TypeError"]).as_deref(),
            Some("console: TypeError")
        );
        let failed = "the page's request POST /b failed (net::ERR_FAILED)";
        assert_eq!(of(&["request: net::ERR_FAILED: POST http://a/b"]).as_deref(), Some(failed));
        assert_eq!(of(&[]), None);
        let looks = [
            "request: 404 Not Found: GET http://a/b.PNG?x=1",
            "request: 500 Oh: GET http://a/faces/3 (Image)",
            "browser: Failed to load resource: the server responded with a status of 404 (http://a/f.woff2)",
        ];
        assert_eq!(of(&looks), None);
    }

    #[test]
    fn what_a_failure_says_by_itself_comes_first() {
        let absent = Error::new(Kind::NotFound, "x");
        let cause = |told: &str| Some(Told::Cause(told.to_owned()));
        let beside = |told: &str| Some(Told::Beside(told.to_owned()));
        assert_eq!(of_facts(&absent, Some("console: a")), cause("likely console: a"));
        let near = absent.clone().with(SUGGESTIONS, json!(["y"]));
        assert_eq!(of_facts(&near, Some("console: a")), beside("meanwhile console: a"));
        assert_eq!(of_facts(&near.clone().with(IDLE, "b"), None), None, "it is in the message");
        let dialog = |error: Error| of_facts(&error.with(DIALOG, "a dialog lies over the app: c"), None);
        assert_eq!(
            (dialog(absent), dialog(near)),
            (cause("a dialog lies over the app: c"), beside("a dialog lies over the app: c"))
        );
        let wrong = Error::new(Kind::Assertion, "a is not b");
        assert_eq!(of_facts(&wrong, Some("console: a")), beside("meanwhile console: a"));
        assert_eq!(of_facts(&wrong.with(IDLE, "b"), None), cause(&idle("b")));
    }

    #[test]
    fn a_cause_is_told_once() {
        let idle = idle("button \"Go\"");
        let error = headed(Error::new(Kind::NotFound, format!("x: not there; {idle}")), &idle);
        assert_eq!(error.message, format!("{idle}; x: not there"));
    }
}
