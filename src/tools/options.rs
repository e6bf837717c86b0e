//! Options that `HttpRunner` knows on every action. They are no tool's arguments: they travel in a request's `_meta`.

use rmcp::model::{MetaObject, RequestMetaObject};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ActionTool, Object};

/// What a call is asked beside its arguments.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallOptions {
    /// A name for this action in logs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// Takes a picture just before the screen is touched, with the touch marked on it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pre_mark_operation: bool,
    /// Passes when the target is not there (and waits for it 2 s rather than 10 s).
    #[serde(rename = "ignore_NotFoundError", skip_serializing_if = "std::ops::Not::not")]
    pub ignore_not_found: bool,
}

/// The key of a request's or result's `_meta` under which ours stands.
const META: &str = "uixt";

/// The options that are read here; others of `HttpRunner`'s are [`LATER`].
const KEYS: &[&str] = &["identifier", "pre_mark_operation", IGNORE];

/// The option that lets a call pass without its target.
const IGNORE: &str = "ignore_NotFoundError";

/// Options of `HttpRunner` whose time has not come; each is refused rather than ignored.
const LATER: &[&str] = &[
    "max_retry_times",
    "interval",
    "steps",
    "frequency",
    "time_limit",
    "anti_risk",
    "custom",
    "post_mark_operation",
    "screenshot_with_ocr",
    "screenshot_with_upload",
    "screenshot_with_live_type",
    "screenshot_with_live_popularity",
    "screenshot_with_base64",
    "screenshot_with_close_popups",
    "screenshot_with_ui_types",
    "screenshot_with_ocr_cluster",
    "screenshot_file_name",
    "scope",
    "abs_scope",
    "offset",
    "tap_offset",
    "tap_random_rect",
    "swipe_offset",
    "offset_random_range",
    "match_one",
    "reset_history",
    "llm_service",
    "cv_service",
    "output_schema",
];

impl CallOptions {
    /// Tells whether `key` is one of these options.
    pub fn knows(key: &str) -> bool {
        KEYS.contains(&key)
    }

    /// Tells whether `key` is an option that later versions bring.
    pub fn is_later(key: &str) -> bool {
        LATER.contains(&key)
    }

    /// Takes the options out of `object`; a value that is wrong for `tool` is an error that names its key.
    ///
    /// What `holds` variables is left for the call.
    pub fn take(
        tool: &'static ActionTool,
        object: &mut Object,
        holds: &dyn Fn(&Value) -> bool,
    ) -> Result<Self, (String, &'static str)> {
        object.retain(|key, value| !(Self::knows(key) && holds(value)));
        let mut options = Self::default();
        if let Some(value) = object.shift_remove("identifier") {
            options.identifier = Some(match value {
                Value::String(text) => text,
                other => other.to_string(),
            });
        }
        options.pre_mark_operation = take_bool(object, "pre_mark_operation")?;
        options.ignore_not_found = take_bool(object, IGNORE)?;
        if options.ignore_not_found && !tool.target_may_be_absent {
            return Err((format!("`{IGNORE}` does not go with {}: {}", tool.name, why_not(tool)), IGNORE));
        }
        Ok(options)
    }

    /// Returns what a request carries of them; none where all are as usual.
    pub fn to_meta(&self) -> Option<RequestMetaObject> {
        if *self == Self::default() {
            return None;
        }
        let mut meta = Object::new();
        meta.insert(META.to_owned(), serde_json::to_value(self).ok()?);
        Some(RequestMetaObject(MetaObject(meta)))
    }

    /// Reads them from a request; what is unreadable counts as absent, since `_meta` is open to everybody.
    pub fn from_meta(meta: Option<&RequestMetaObject>) -> Self {
        meta.and_then(|meta| meta.0.0.get(META).cloned())
            .and_then(|value| serde_json::from_value(value).ok())
            .unwrap_or_default()
    }
}

fn why_not(tool: &'static ActionTool) -> &'static str {
    match tool.schema().property("text") {
        Some(_) => "it could never fail",
        None => "it has no target that may be absent",
    }
}

fn take_bool(object: &mut Object, key: &'static str) -> Result<bool, (String, &'static str)> {
    match object.shift_remove(key) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(value)) => Ok(value),
        Some(other) => Err((format!("`{key}` must be true or false, not {other}"), key)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_survive_the_journey_in_meta() {
        let options =
            CallOptions { identifier: Some("a".to_owned()), pre_mark_operation: true, ignore_not_found: true };
        assert_eq!(CallOptions::from_meta(options.to_meta().as_ref()), options);
        assert_eq!(CallOptions::default().to_meta(), None);
    }
}
