//! Finding elements by what a person or a selector says of them.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::element::{self, Touch, shown_text};
use super::finder::{self, Purpose, describe};
use super::scope::Filter;
use super::target::{Place, Target};
use super::wait::Waited;
use super::{ActionTool, Context, Error, Reply, Shape, Tool, wait};

pub(super) const TOOLS: &[ActionTool] = &[ActionTool::of::<TapBySelector>(), ActionTool::of::<FindElement>()];

/// Tap the element that a selector or a text names.
#[derive(Deserialize, JsonSchema)]
struct TapBySelector {
    /// CSS-like selector, XPath, or else a text.
    #[schemars(length(min = 1))]
    selector: String,
    /// The text is a regular expression.
    #[serde(default)]
    regex: bool,
    /// Which of several, from 0; -1 is the last.
    #[serde(default)]
    index: Option<i32>,
    /// What it stands in: text, #id or target.
    #[serde(default)]
    within: Option<Place>,
    /// Seconds to wait; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
    /// Seconds to keep the finger down.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    duration: Option<f64>,
    #[serde(flatten)]
    #[schemars(skip)]
    filter: Filter,
}

impl TapBySelector {
    /// Returns the target that is meant: a pattern, a selector, or else a text.
    fn waited(&self) -> Waited {
        let named = match self.regex {
            true => Target { regex: true, ..Target::text(&self.selector) },
            false => Target::text_or_selector(&self.selector),
        };
        let within = self.within.clone().map(Box::new);
        let target = Target { index: self.index, within, filter: self.filter.clone(), ..named };
        Waited { target, timeout: self.timeout }
    }
}

impl Tool for TapBySelector {
    const NAME: &'static str = "tap_by_selector";
    const PARAMS: Shape = Shape::Fields(&["selector"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] =
        &[("text", "selector"), ("press_duration", "duration")];
    const TARGET_MAY_BE_ABSENT: bool = true;

    fn check(&self) -> Result<(), String> {
        self.waited().check()
    }

    fn limit(&self) -> Duration {
        self.waited().limit() + super::touch::seconds(self.duration)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let waited = self.waited();
        let asked = Touch { timeout: waited.timeout(cx), duration: self.duration };
        element::touch(cx, &waited.target, asked).await
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
    const PARAMS: Shape = Shape::Fields(&["description"]);
    const MAIN: Option<&'static str> = Some("ref");
    const READ_ONLY: bool = true;

    fn check(&self) -> Result<(), String> {
        self.waited().check()
    }

    fn limit(&self) -> Duration {
        wait::limit(self.timeout)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let waited = self.waited();
        let info = cx.driver()?.info();
        let refs = cx.refs();
        wait::until(cx, waited.timeout(cx), |screen| {
            let picked = finder::pick(&waited.target, Purpose::Touch, screen, refs.as_ref())?;
            let element = picked.ok_or(wait::Miss::Absent(&waited.target))?;
            let confidence = finder::confidence(&waited.target, element, screen, refs.as_ref());
            let number = cx.session.change_refs(|book| book.number(element, screen, info));
            let (what, rect) = (describe(element), element.rect);
            Ok(Reply::new(format!("Found {what}"))
                .with("ref", number.map(|number| format!("e{number}")))
                .with("text", shown_text(element))
                .with("role", element.role)
                .with("rect", json!([rect.left, rect.top, rect.right, rect.bottom]))
                .with("confidence", confidence.map(|confidence| (confidence * 100.0).round() / 100.0)))
        })
        .await
    }
}
