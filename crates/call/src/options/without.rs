//! Options that can have no effect: those that are harmless are answered with a warning, those whose loss would change what
//! a test proves are refused.

use serde_json::Value;

/// Options without an effect here whose loss changes nothing of what a test proves, with the reason.
const IDLE: &[(&str, &str)] = &[
    ("steps", "the device itself draws the points of a swipe"),
    ("frequency", "a text is typed at once"),
    ("custom", "it is for the requests of a UIAutomator2 server, which is not used"),
    ("screenshot_with_ocr", "`get_screen_texts` tells what is drawn"),
    ("screenshot_with_ocr_cluster", "`get_screen_texts` tells what is drawn"),
    ("screenshot_with_upload", "pictures stay in the report; they are sent nowhere"),
    ("screenshot_with_live_type", "it needs a service of ByteDance's own"),
    ("screenshot_with_live_popularity", "it needs a service of ByteDance's own"),
    ("screenshot_with_base64", "pictures are files of the report"),
    ("screenshot_with_close_popups", "popups are closed by the action `close_popups`"),
    ("screenshot_with_ui_types", "`tap_cv` takes what is meant as `element_type`"),
];

/// Options without which an action would mean something else, with the reason.
const REFUSED: &[(&str, &str)] = &[
    (
        "time_limit",
        "it lets start_to_goal pass when its time is over, and here it would let an action pass that was not done; write `timeout`",
    ),
    ("llm_service", AI),
    ("cv_service", "texts and pictures are read on this computer; leave it out"),
    ("wait_time", "it has no meaning in HttpRunner any more; for a pause after each swipe write `interval`"),
    ("function", "it has no meaning in HttpRunner any more; write what it calls as `params`"),
    ("reset_history", "it is for AI steps, and none knows what a model was asked before; leave it out"),
    ("output_schema", AI),
];

const AI: &str = "it is for AI steps; leave it out";

/// Arguments of some tools that `HttpRunner` takes, and does not read, on every other action.
const COMMON: &[&str] = &["index", "regex", "timeout", "duration", "press_duration", "direction"];

/// Returns the options that are harmless.
pub(super) fn idle() -> impl Iterator<Item = &'static str> {
    IDLE.iter().map(|(name, _)| *name)
}

/// Tells whether an option is known to have no effect.
pub(super) fn knows(name: &str) -> bool {
    find(IDLE, name).is_some() || find(REFUSED, name).is_some()
}

/// Tells whether an option is refused whatever its value is.
pub(super) fn refuses(name: &str) -> bool {
    find(REFUSED, name).is_some()
}

/// Tells whether an argument may stand among the options of an action that has no use for it.
pub(super) fn is_common(name: &str) -> bool {
    COMMON.contains(&name)
}

/// Tells whether a value asks for nothing.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    }
}

/// Returns the warning that an option without an effect is worth, or why it is refused.
pub(super) fn judge(tool: &str, name: &str, value: &Value) -> Result<Option<String>, String> {
    if let Some(why) = find(REFUSED, name) {
        return Err(format!("`{name}` has no place on {tool}: {why}"));
    }
    if value.as_f64() == Some(0.0) && find(IDLE, name).is_some() {
        return Ok(None);
    }
    Ok(Some(match find(IDLE, name) {
        Some(why) => format!("`{name}` has no effect: {why}"),
        None => meaningless(tool, name),
    }))
}

/// Says that an option means nothing to a tool.
pub fn meaningless(tool: &str, name: &str) -> String {
    format!("`{name}` has no effect on {tool}")
}

fn find(list: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    list.iter().find(|(known, _)| *known == name).map(|(_, why)| *why)
}
