//! What a device tells of a call that failed: its log and the elements on its screen, before and after, as JSON within bounds.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use uixt_call::mask;
use uixt_driver::pages::Transcript;
use uixt_driver::{Driver, Element, LogQuery, Look, Screen};
use uixt_locate::Object;

use super::app_trouble;
use super::log_clock::LogClock;
use crate::traces::last_touch::LastTouch;
use crate::traces::seen_apps::SeenApps;
use crate::{Context, Session};

/// Most lines of a log, the newest, and most characters of each.
const LINES: usize = 200;
const LONGEST: usize = 400;
/// Most bytes of a tree as JSON, about.
const TREE: usize = 240 * 1024;
/// Most characters of a text in a tree.
const TEXT: usize = 200;
/// How long each piece may take to be told.
const LIMIT: Duration = Duration::from_secs(2);
/// The same of a device that did not do what it was asked: it may do nothing at all.
const STUCK_LIMIT: Duration = Duration::from_millis(500);

/// The lines that a device wrote, none where it has no log, and what their times mean.
pub struct Log {
    lines: Vec<String>,
    clock: LogClock,
}

impl Log {
    /// Reads the log of a device without pages, those of which tell faults instead.
    pub async fn of(cx: &Context, is_stuck: bool) -> Self {
        match cx.device.as_deref().filter(|device| device.pages("write a log").is_err()) {
            Some(device) => Self::of_device(device, &cx.session, is_stuck).await,
            None => Self { lines: Vec::new(), clock: LogClock::of_host() },
        }
    }

    /// Reads the log of a device.
    pub(crate) async fn of_device(device: &dyn Driver, session: &Session, is_stuck: bool) -> Self {
        let limit = if is_stuck { STUCK_LIMIT } else { LIMIT };
        let clock = async {
            let sent = Instant::now();
            let said = tokio::time::timeout(limit, device.clock()).await.ok()?.ok()?;
            LogClock::of_device(&said, sent)
        };
        let query = LogQuery::default();
        let (clock, lines) = tokio::join!(clock, tokio::time::timeout(limit, device.log(&query)));
        let lines = lines.ok().and_then(Result::ok).unwrap_or_default();
        session.state::<SeenApps>().note_log(&device.info().serial, &lines);
        Self { lines, clock: clock.unwrap_or_else(LogClock::of_host) }
    }

    /// Says which app of the session does not respond, where its dialog lies over it.
    pub(crate) fn hang(&self, cx: &Context) -> Option<String> {
        app_trouble::hang_told(&self.lines, &self.clock, &cx.session.state::<SeenApps>())
    }

    /// Says which app of the session crashed or does not respond.
    pub(crate) fn trouble(&self, session: &Session) -> Option<String> {
        app_trouble::told(&self.lines, &self.clock, &session.state::<SeenApps>())
    }

    /// Says the same as a fault.
    pub(crate) fn crash(&self, session: &Session) -> Option<String> {
        self.trouble(session).map(|what| format!("crash: {what}"))
    }

    fn newest(&self, cx: &Context) -> Vec<String> {
        let own = cx.session.state::<SeenApps>().own_lines(&self.lines, &self.clock);
        own[own.len().saturating_sub(LINES)..].iter().map(|line| line.chars().take(LONGEST).collect()).collect()
    }
}

/// Gathers the screen as it is and as it was before the last touch, and the log of the session. A device that is stuck is not looked at.
pub async fn gather(cx: &Context, log: &Log, is_stuck: bool) -> Value {
    let Some(device) = cx.device.as_deref() else { return Value::Null };
    let mut evidence = Object::new();
    let look = Look { timeout: Some(LIMIT), ..Look::default() };
    if !is_stuck && let Ok(Ok(screen)) = tokio::time::timeout(LIMIT, device.look(&look)).await {
        evidence.insert("tree".to_owned(), tree(&screen));
    }
    if let Some(before) = cx.session.state::<LastTouch>().screen_before(&device.info().serial) {
        evidence.insert("before".to_owned(), tree(&before));
    }
    let lines = match device.pages("tell what went wrong") {
        Ok(pages) => {
            let limit = if is_stuck { STUCK_LIMIT } else { LIMIT };
            let faults = tokio::time::timeout(limit, pages.faults(cx.session.state::<SeenApps>().age())).await;
            let faults = faults.ok().and_then(Result::ok).unwrap_or_default();
            faults.iter().map(|fault| mask::addresses(fault)).collect()
        }
        Err(_) => log.newest(cx),
    };
    if let Ok(pages) = device.pages("tell what they said") {
        let transcript = tokio::time::timeout(STUCK_LIMIT, pages.transcript()).await.ok().and_then(Result::ok);
        let Transcript { console, network } = transcript.unwrap_or_default();
        let console: Vec<String> = console.iter().map(|line| mask::addresses(line)).collect();
        evidence.insert("console".to_owned(), json!(console));
        evidence.insert("network".to_owned(), network.into_iter().map(without_passwords).collect());
    }
    evidence.insert("log".to_owned(), json!(lines));
    Value::Object(evidence)
}

/// Takes the passwords and keys out of a request's address.
fn without_passwords(mut request: Value) -> Value {
    if let Some(url) = request["url"].as_str() {
        request["url"] = mask::addresses(url).into();
    }
    request
}

/// Returns a screen as JSON: its size, its app or page, and the elements.
fn tree(screen: &Screen) -> Value {
    let mut room = TREE;
    let roots: Vec<Value> = screen.roots.iter().filter_map(|root| node(root, &mut room)).collect();
    json!({
        "app": screen.package, "page": mask::addresses(&screen.page), "size": [screen.size.width, screen.size.height],
        "cut": screen.cut || room == 0, "elements": roots,
    })
}

/// Returns an element as JSON, without what is as usual; none where there is no room left.
fn node(element: &Element, room: &mut usize) -> Option<Value> {
    let mut fields = Object::new();
    let rect = element.rect;
    fields.insert("role".to_owned(), element.role.into());
    fields.insert("rect".to_owned(), json!([rect.left, rect.top, rect.right, rect.bottom]));
    let name = if element.password { "" } else { element.name() };
    for (key, text) in [("name", name), ("id", element.short_id())] {
        if !text.is_empty() {
            fields.insert(key.to_owned(), text.chars().take(TEXT).collect::<String>().into());
        }
    }
    for (key, holds) in [("disabled", !element.enabled), ("checked", element.checked), ("focused", element.focused)] {
        if holds {
            fields.insert(key.to_owned(), true.into());
        }
    }
    let cost = serde_json::to_string(&fields).map_or(0, |text| text.len() + 16);
    if cost > *room {
        *room = 0;
        return None;
    }
    *room -= cost;
    let children: Vec<Value> = element.children.iter().map_while(|child| node(child, room)).collect();
    if !children.is_empty() {
        fields.insert("children".to_owned(), children.into());
    }
    Some(Value::Object(fields))
}

#[cfg(test)]
mod tests {
    use super::*;
    use uixt_locate::test_screens;

    #[test]
    fn a_tree_is_bounded_and_tells_no_password() {
        let mut secret = test_screens::element("textfield", "hunter2", 0);
        secret.password = true;
        let few = tree(&test_screens::screen(vec![secret])).to_string();
        assert!(!few.contains("hunter2") && few.contains("\"cut\":false"), "{few}");
        let many = (0..20_000).map(|_| test_screens::element("text", &"x".repeat(300), 0)).collect();
        let many = tree(&test_screens::screen(many)).to_string();
        assert!(many.len() <= 256 * 1024 && many.len() > 100 * 1024 && many.contains("\"cut\":true"), "{}", many.len());
    }
}
