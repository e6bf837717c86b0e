//! Texts, as they are drawn: tapping one, and telling all of them.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_call::{Aim, Shape, ToolKind, Toolset};
use uixt_locate::pixel_elements::{self, Source};
use uixt_locate::scope::Filter;
use uixt_locate::target::Target;
use uixt_locate::wording::describe;
use uixt_locate::{Error, Kind};
use uixt_toolkit::pixels::{drawn_text, images};
use uixt_toolkit::wait::{self, Waited};
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

use crate::elements::tap_text::TapText;

/// The rows of the table.
pub const TOOLS: &[ActionTool] =
    &[ActionTool::of::<TapOcr>(), ActionTool::of::<GetScreenTexts>(), ActionTool::of::<AssertOcr>()];

/// Tap a text, once it is there: among the screen's elements, else as it is drawn.
#[derive(Deserialize, JsonSchema)]
struct TapOcr {
    /// Whole text, or a regular expression with `regex`.
    #[schemars(length(min = 1))]
    text: String,
    /// Where the text is looked for: `tree` (elements), `pixels` (what is drawn), `auto` (elements, else what is drawn; the usual).
    #[serde(default)]
    source: Option<Source>,
    /// Signs that only look alike are the same where the text is drawn: 0 and O, 1 and l.
    #[serde(default)]
    fuzzy: bool,
    #[serde(flatten)]
    which: TapText,
}

impl TapOcr {
    /// Returns the target as `HttpRunner` means it: to the letter, or a pattern; without an index, the first of several.
    fn target(&self) -> Target {
        let TapText { regex, index, filter, .. } = &self.which;
        let same_text_first = matches!(index, None | Some(0));
        Target {
            text: Some(self.text.clone()),
            regex: *regex,
            exact: !regex,
            forgives: true,
            fuzzy: self.fuzzy,
            index: *index,
            filter: Filter { match_one: index.is_none(), same_text_first, ..filter.clone() },
            ..Target::default()
        }
    }
}

impl Tool for TapOcr {
    const NAME: &'static str = "tap_ocr";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Gesture;
    const ALIAS_OF: Option<&'static str> = Some("tap");
    const AIM: Aim = Aim::Text;
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("press_duration", "duration")];
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["element", "x", "y", "text", "source"];

    fn check(&self) -> Result<(), String> {
        self.target().check()
    }

    fn limit(&self) -> Duration {
        self.which.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let source = self.source.unwrap_or(Source::Auto);
        cx.options.asked.read_by(source);
        let mut reply = self.which.tap(cx, &self.target()).await.map_err(|error| unread(cx, error, source))?;
        let (read, from) = match cx.options.asked.pixels() {
            true => ("pixels", ", whose text was read from the screen's pixels"),
            false => ("tree", ", whose text was read from the screen's elements"),
        };
        reply.message.push_str(from);
        Ok(reply.with("text", self.text).with("source", read))
    }
}

/// Adds to an absence that drawn texts were not looked at, where that is so.
fn unread(cx: &Context, mut error: Error, source: Source) -> Error {
    if let Some(why) = cx.ocr_unmet().filter(|_| error.kind == Kind::NotFound && source == Source::Auto) {
        error.message.push_str(&format!("; texts that are only drawn were not read: {why}"));
    }
    error
}

/// Tell the texts that are drawn on the screen, with their places in pixels and how sure each reading is, from 0 to 1.
#[derive(Deserialize, JsonSchema)]
struct GetScreenTexts {}

impl Tool for GetScreenTexts {
    const NAME: &'static str = "get_screen_texts";
    const SET: Option<Toolset> = Some(Toolset::Checks);
    const KIND: ToolKind = ToolKind::Read;
    const MAIN: Option<&'static str> = Some("texts");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["texts"];

    fn limit(&self) -> Duration {
        Duration::from_mins(1)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let texts: Vec<Value> = drawn_text::told(cx)
            .await?
            .into_iter()
            .map(|(text, rect, confidence)| {
                json!({
                    "text": text, "x": rect.left, "y": rect.top, "width": rect.right - rect.left, "height": rect.bottom - rect.top,
                    "confidence": images::rounded(confidence),
                })
            })
            .collect();
        Ok(Reply::new(format!("{} lines of text are drawn", texts.len())).with("texts", texts))
    }
}

/// Assert that a text is on the screen, among its elements or as it is drawn; or that it is neither.
#[derive(Deserialize, JsonSchema)]
struct AssertOcr {
    /// Whole text, or a regular expression with `regex`.
    #[schemars(length(min = 1))]
    text: String,
    /// The text is a regular expression.
    #[serde(default)]
    regex: bool,
    /// Asserts that the text is not there.
    #[serde(default)]
    not: bool,
    /// Where the text is looked for: `tree` (elements), `pixels` (what is drawn), `auto` (elements, else what is drawn; the usual).
    #[serde(default)]
    source: Option<Source>,
    /// Signs that only look alike are the same where the text is drawn: 0 and O, 1 and l.
    #[serde(default)]
    fuzzy: bool,
    /// Seconds to wait; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
    #[serde(flatten)]
    #[schemars(skip)]
    filter: Filter,
}

impl AssertOcr {
    fn waited(&self) -> Waited {
        let target = Target {
            regex: self.regex,
            exact: !self.regex,
            forgives: true,
            fuzzy: self.fuzzy,
            filter: self.filter.clone(),
            ..Target::text(&self.text)
        };
        Waited { target, timeout: self.timeout }
    }
}

impl Tool for AssertOcr {
    const NAME: &'static str = "assert_ocr";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Assert;
    const ALIAS_OF: Option<&'static str> = Some("assert_visible");
    const AIM: Aim = Aim::Text;
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["text", "source"];

    fn check(&self) -> Result<(), String> {
        let waited = self.waited();
        if self.not { waited.check_absence() } else { waited.check_presence() }
    }

    fn limit(&self) -> Duration {
        wait::limit(self.timeout)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let source = self.source.unwrap_or(Source::Auto);
        cx.options.asked.read_by(source);
        let waited = self.waited();
        let timeout = waited.timeout(cx);
        if self.not {
            let doubt = wait::gone(cx, &waited.target, timeout).await?;
            return Ok(Reply::new(format!("Not on the screen: {}{doubt}", waited.target)));
        }
        let found = wait::visible(cx, &waited.target, timeout).await.map_err(|error| unread(cx, error, source))?;
        let read = if pixel_elements::is_line(&found) { "pixels" } else { "tree" };
        Ok(Reply::new(format!("On the screen: {}", describe(&found))).with("text", found.name()).with("source", read))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uixt_driver::{Element, Rect, Screen, Size};
    use uixt_locate::finder::{Purpose, pick};

    /// Returns the place in the list of the text that is meant.
    fn meant(texts: &[&str], asked: &serde_json::Value) -> Option<i32> {
        let row = |(text, top): (&&str, i32)| Element {
            role: "text",
            text: (*text).to_owned(),
            rect: Rect { left: 0, top, right: 9, bottom: top + 3 },
            enabled: true,
            ..Element::default()
        };
        let roots = texts.iter().zip(0..).map(row).collect();
        let screen = Screen {
            package: String::new(),
            size: Size { width: 9, height: 99 },
            lit: true,
            roots,
            ..Screen::default()
        };
        let tap: TapOcr = serde_json::from_value(asked.clone()).expect("arguments");
        pick(&tap.target(), Purpose::Touch, &screen, None).expect("no error").map(|element| element.rect.top)
    }

    #[test]
    fn texts_are_meant_as_httprunner_means_them() {
        let texts = ["Save all", "Save", "save", "Save"];
        for (asked, wanted) in [
            (serde_json::json!({"text": "Save"}), Some(1)),
            (serde_json::json!({"text": "Save", "index": -1}), Some(3)),
            (serde_json::json!({"text": "Save", "index": 2}), None),
            (serde_json::json!({"text": "SAVE"}), None),
            (serde_json::json!({"text": "Save", "regex": true}), Some(1)),
            (serde_json::json!({"text": "Save", "regex": true, "index": 0}), Some(1)),
            (serde_json::json!({"text": "Save", "regex": true, "index": -3}), Some(0)),
            (serde_json::json!({"text": "ll$", "regex": true}), Some(0)),
            (serde_json::json!({"text": "Save", "abs_scope": [0, 2, 9, 99]}), Some(3)),
        ] {
            assert_eq!(meant(&texts, &asked), wanted, "{asked}");
        }
    }
}
