//! Finding elements by what a person or a selector says of them.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_locate::Error;
use uixt_locate::finder::Purpose;
use uixt_locate::target::{Place, Target};
use uixt_toolkit::wait::{self, Waited};
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

use super::tap_text::TapText;
use crate::by_ref::element_finder::{Strategy, Wanted, find_best_element};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<TapBySelector>(), ActionTool::of::<FindElement>()];

/// Tap the element that a selector or a text names.
#[derive(Deserialize, JsonSchema)]
struct TapBySelector {
    /// CSS-like selector, XPath, or else a text.
    #[schemars(length(min = 1))]
    selector: String,
    /// What it stands in: text, #id or target.
    #[serde(default)]
    within: Option<Place>,
    #[serde(flatten)]
    which: TapText,
}

impl TapBySelector {
    /// Returns the target that is meant: a pattern, a selector, or else a text.
    fn target(&self) -> Target {
        let named = match self.which.regex {
            true => Target { regex: true, ..Target::text(&self.selector) },
            false => Target::of_selector(&self.selector),
        };
        let within = self.within.clone().map(Box::new);
        Target { index: self.which.index, within, filter: self.which.filter.clone(), ..named }
    }
}

impl Tool for TapBySelector {
    const NAME: &'static str = "tap_by_selector";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Gesture;
    const ALIAS_OF: Option<&'static str> = Some("tap");
    const PARAMS: Shape = Shape::Fields(&["selector"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] =
        &[("text", "selector"), ("press_duration", "duration")];
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["element", "x", "y"];

    fn check(&self) -> Result<(), String> {
        self.target().check()
    }

    fn limit(&self) -> Duration {
        self.which.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        self.which.tap(cx, &self.target()).await
    }
}

/// Find the one element that a description means, such as "second Add button" or 用户名输入框, and give it a ref.
#[derive(Deserialize, JsonSchema)]
struct FindElement {
    /// What it is and what it is called, in English or Chinese.
    #[schemars(length(min = 1))]
    description: String,
    /// What it stands in: text, #id or target.
    #[serde(default)]
    within: Option<Place>,
    /// Seconds to wait; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
}

impl FindElement {
    fn waited(&self) -> Waited {
        let within = self.within.clone().map(Box::new);
        let target = Target { description: Some(self.description.clone()), within, ..Target::default() };
        Waited { target, timeout: self.timeout }
    }
}

impl Tool for FindElement {
    const NAME: &'static str = "find_element";
    const SET: Option<Toolset> = Some(Toolset::Checks);
    const KIND: ToolKind = ToolKind::Read;
    const PARAMS: Shape = Shape::Fields(&["description"]);
    const MAIN: Option<&'static str> = Some("ref");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["ref", "name", "text", "role", "rect", "confidence"];

    fn check(&self) -> Result<(), String> {
        self.waited().check()
    }

    fn limit(&self) -> Duration {
        wait::limit(self.timeout)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let waited = self.waited();
        let strategy = Strategy { name: "description", target: waited.target.clone() };
        let wanted = Wanted { purpose: Purpose::Touch, timeout: waited.timeout(cx), reveal: false };
        let found = find_best_element(cx, &[strategy], wanted).await.0?;
        let rect = found.rect;
        Ok(Reply::new(format!("Found {}", found.what))
            .with("ref", found.reference)
            .with("name", found.name)
            .with("text", found.text)
            .with("role", found.role)
            .with("rect", json!([rect.left, rect.top, rect.right, rect.bottom]))
            .with("confidence", found.confidence.map(|confidence| (confidence * 100.0).round() / 100.0)))
    }
}
