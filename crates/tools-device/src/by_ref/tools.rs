//! Click, type, wait, and a snapshot that can also assert.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_locate::Error;
use uixt_locate::finder::Purpose;
use uixt_locate::selector::looks_like_selector;
use uixt_toolkit::relay::relay;
use uixt_toolkit::{ActionTool, Context, LIMIT, Reply, Tool};

use super::converter::{Converted, Named};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<BrowserClick>(),
    ActionTool::of::<BrowserType>(),
    ActionTool::of::<BrowserWaitFor>(),
    ActionTool::of::<BrowserSnapshot>(),
];

/// Click an element by its ref, once it is there, enabled and still.
#[derive(Deserialize, JsonSchema)]
struct BrowserClick {
    #[serde(flatten)]
    named: Named,
}

impl Tool for BrowserClick {
    const NAME: &'static str = "browser_click";
    const SET: Option<Toolset> = Some(Toolset::Browser);
    const KIND: ToolKind = ToolKind::Gesture;
    const ALIAS_OF: Option<&'static str> = Some("tap");
    const PARAMS: Shape = Shape::Fields(&["selector"]);
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["element", "x", "y", "ref", "confidence"];

    fn check(&self) -> Result<(), String> {
        self.named.check()
    }

    fn limit(&self) -> Duration {
        self.named.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let converted = self.named.convert(cx, Purpose::Touch).await?;
        let arguments = converted.target.clone();
        act(cx, &self.named, converted, "tap", arguments).await
    }
}

/// Calls the tool that does it, for as long as the call says, and tells what its words were led to.
async fn act(
    cx: &Context,
    named: &Named,
    converted: Converted,
    tool: &str,
    mut arguments: Value,
) -> Result<Reply, Error> {
    let timeout = named.timeout();
    if !timeout.is_null() {
        arguments["timeout"] = timeout;
    }
    match relay(cx, tool, arguments).await {
        Ok(reply) => Ok(converted.told(reply)),
        Err(error) => Err(converted.blamed(error)),
    }
}

/// Type text into a field by its ref, in place of what it holds.
#[derive(Deserialize, JsonSchema)]
struct BrowserType {
    #[serde(flatten)]
    named: Named,
    /// Text to type, as it is; an empty one empties the field.
    text: String,
    /// Masks the text in answers, logs and reports.
    #[serde(default)]
    #[schemars(extend("x-unpublished" = true))]
    secret: bool,
}

impl Tool for BrowserType {
    const NAME: &'static str = "browser_type";
    const SET: Option<Toolset> = Some(Toolset::Browser);
    const KIND: ToolKind = ToolKind::Typing;
    const ALIAS_OF: Option<&'static str> = Some("input");
    const PARAMS: Shape = Shape::Fields(&["selector", "text"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("value", "text")];
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["text", "ref", "confidence"];

    fn check(&self) -> Result<(), String> {
        self.named.check()
    }

    fn limit(&self) -> Duration {
        self.named.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let converted = self.named.convert(cx, Purpose::Type).await?;
        let (tool, arguments) = if self.text.is_empty() {
            ("clear_text", json!({"into": converted.target}))
        } else {
            ("input", json!({"text": self.text, "into": converted.target, "clear": true, "secret": self.secret}))
        };
        let mut reply = act(cx, &self.named, converted, tool, arguments).await?;
        reply.fields.shift_remove("count");
        Ok(reply)
    }
}

/// Wait for a fixed time; clicks and typing wait for their elements by themselves.
#[derive(Deserialize, JsonSchema)]
struct BrowserWaitFor {
    /// Seconds, at most 600.
    #[schemars(range(min = 0.0, max = 600.0))]
    timeout: f64,
}

impl Tool for BrowserWaitFor {
    const NAME: &'static str = "browser_wait_for";
    const SET: Option<Toolset> = Some(Toolset::Browser);
    const KIND: ToolKind = ToolKind::Pause;
    const ALIAS_OF: Option<&'static str> = Some("sleep");
    const PARAMS: Shape = Shape::Fields(&["timeout"]);
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;
    const ANSWER: &'static [&'static str] = &["seconds"];

    fn limit(&self) -> Duration {
        LIMIT + Duration::from_secs_f64(self.timeout.clamp(0.0, 600.0))
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        relay(cx, "sleep", json!({"seconds": self.timeout})).await
    }
}

/// What a snapshot asserts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Condition {
    Visible,
    Hidden,
    ContainsText,
    HasText,
    Enabled,
    Disabled,
    Checked,
    Unchecked,
}

/// Describe the page in a few words, a line per element with its ref; or assert that a condition holds, and describe it then.
#[derive(Deserialize, JsonSchema)]
struct BrowserSnapshot {
    /// CSS, XPath or text: only this part of the page, or what the condition is of.
    #[serde(default)]
    #[schemars(length(min = 1))]
    selector: Option<String>,
    /// What must hold; with a text and none given: `contains_text`.
    #[serde(default)]
    condition: Option<Condition>,
    /// Text that it must show, or have.
    #[serde(default)]
    #[schemars(length(min = 1))]
    text: Option<String>,
    /// Seconds to wait for the condition; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    #[schemars(extend("x-unpublished" = true))]
    timeout: Option<f64>,
}

impl BrowserSnapshot {
    /// Returns the assertion that is asked for: a tool and its arguments; none where a snapshot alone is, or why there is no such.
    fn assertion(&self) -> Result<Option<(&'static str, Value)>, String> {
        let text = self.text.as_deref();
        let needs = |what: &str| Err(format!("this condition needs `{what}`"));
        let mut element = match (&self.selector, text) {
            (Some(words), _) if looks_like_selector(words) => json!({"selector": words}),
            (Some(words), _) => json!({"text": words}),
            (None, Some(text)) => json!({"text": regex::escape(text), "regex": true}),
            (None, None) if self.condition.is_some() => return needs("selector` or `text"),
            (None, None) => return Ok(None),
        };
        let state = |mut element: Value, name: &str, is: bool| {
            element[name] = json!(is);
            ("assert_state", element)
        };
        let condition = match (self.condition, text) {
            (Some(condition), _) => condition,
            (None, Some(_)) => Condition::ContainsText,
            (None, None) => return Ok(None),
        };
        if text.is_some()
            && self.selector.is_some()
            && !matches!(condition, Condition::ContainsText | Condition::HasText)
        {
            return Err("`text` with a `selector` is for contains_text and has_text".to_owned());
        }
        let (tool, mut arguments) = match (condition, &self.selector, text) {
            (Condition::Hidden, ..) => ("assert_not_visible", element),
            (Condition::Enabled | Condition::Disabled, Some(_), _) => {
                state(element, "enabled", condition == Condition::Enabled)
            }
            (Condition::Checked | Condition::Unchecked, Some(_), _) => {
                state(element, "checked", condition == Condition::Checked)
            }
            (Condition::ContainsText, Some(_), Some(text)) => {
                element["contains"] = json!(text);
                ("assert_text", element)
            }
            (Condition::HasText, Some(_), Some(text)) => {
                element["equals"] = json!(text);
                ("assert_text", element)
            }
            (Condition::HasText, None, Some(text)) => ("assert_visible", json!({"text": text, "exact": true})),
            (Condition::Visible, ..) | (Condition::ContainsText, None, Some(_)) => ("assert_visible", element),
            (Condition::ContainsText | Condition::HasText, ..) => return needs("text"),
            _ => return needs("selector"),
        };
        if let Some(timeout) = self.timeout {
            arguments["timeout"] = json!(timeout);
        }
        Ok(Some((tool, arguments)))
    }
}

impl Tool for BrowserSnapshot {
    const NAME: &'static str = "browser_snapshot";
    const SET: Option<Toolset> = Some(Toolset::Browser);
    const KIND: ToolKind = ToolKind::Look;
    const ALIAS_OF: Option<&'static str> = Some("snapshot");
    const PARAMS: Shape = Shape::Fields(&["selector", "condition", "text"]);
    const MAIN: Option<&'static str> = Some("snapshot");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["snapshot"];

    fn check(&self) -> Result<(), String> {
        match self.assertion()? {
            None if self.timeout.is_some() => {
                Err("`timeout` is for a condition: a snapshot waits for nothing".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn limit(&self) -> Duration {
        uixt_toolkit::wait::limit(self.timeout) + LIMIT
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let bad = |message| Error::new(uixt_locate::Kind::BadArgument, message);
        let asserted = match self.assertion().map_err(bad)? {
            Some((tool, arguments)) => Some(relay(cx, tool, arguments).await?.message),
            None => None,
        };
        let within = self.selector.as_ref().filter(|_| asserted.is_none());
        let mut reply = relay(cx, "snapshot", within.map_or_else(|| json!({}), |part| json!({"within": part}))).await?;
        if let Some(asserted) = asserted {
            reply.message = format!("{asserted}; {}", reply.message);
        }
        reply.lookup = Some(json!({"tries": []}));
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asserts(arguments: Value) -> Result<Option<(&'static str, Value)>, ()> {
        serde_json::from_value::<BrowserSnapshot>(arguments).expect("the right types").assertion().map_err(drop)
    }

    #[test]
    fn a_condition_is_an_assertion_and_what_cannot_hold_is_refused() {
        assert_eq!(asserts(json!({})), Ok(None));
        assert_eq!(asserts(json!({"selector": "#a"})), Ok(None));
        let text = asserts(json!({"text": "a.b"}));
        assert_eq!(text, Ok(Some(("assert_visible", json!({"text": "a\\.b", "regex": true})))));
        let contains = asserts(json!({"selector": "#a", "condition": "contains_text", "text": "b"}));
        assert_eq!(contains, Ok(Some(("assert_text", json!({"selector": "#a", "contains": "b"})))));
        assert_eq!(contains, asserts(json!({"selector": "#a", "text": "b"})));
        let hidden = asserts(json!({"selector": "Save", "condition": "hidden", "timeout": 1.0}));
        assert_eq!(hidden, Ok(Some(("assert_not_visible", json!({"text": "Save", "timeout": 1.0})))));
        let state = asserts(json!({"selector": "Save", "condition": "disabled"}));
        assert_eq!(state, Ok(Some(("assert_state", json!({"text": "Save", "enabled": false})))));
        for wrong in [
            json!({"condition": "visible"}),
            json!({"selector": "#a", "condition": "contains_text"}),
            json!({"selector": "#a", "condition": "has_text"}),
            json!({"selector": "#a", "condition": "visible", "text": "b"}),
            json!({"text": "a", "condition": "checked"}),
        ] {
            assert_eq!(asserts(wrong.clone()), Err(()), "{wrong}");
        }
    }
}
