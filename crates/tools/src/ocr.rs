//! Tapping texts. There is no OCR in this version: texts are read from the screen's elements, and the message says so.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::scope::Filter;
use super::tap_text::TapText;
use super::target::Target;
use super::{ActionTool, Context, Error, Reply, Shape, Tool};

pub(super) const TOOLS: &[ActionTool] = &[ActionTool::of::<TapOcr>()];

/// Tap a text, once it is there; it is looked for among the screen's elements.
#[derive(Deserialize, JsonSchema)]
struct TapOcr {
    /// Whole text, or a regular expression with `regex`.
    #[schemars(length(min = 1))]
    text: String,
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
            index: *index,
            filter: Filter { match_one: index.is_none(), same_text_first, ..filter.clone() },
            ..Target::default()
        }
    }
}

impl Tool for TapOcr {
    const NAME: &'static str = "tap_ocr";
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("press_duration", "duration")];
    const TARGET_MAY_BE_ABSENT: bool = true;

    fn check(&self) -> Result<(), String> {
        self.target().check()
    }

    fn limit(&self) -> Duration {
        self.which.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let mut reply = self.which.tap(cx, &self.target()).await?;
        reply.message.push_str(", whose text was read from the screen's elements");
        Ok(reply.with("text", self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::{Element, Rect, Screen, Size};
    use crate::finder::{Purpose, pick};

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
