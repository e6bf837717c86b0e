//! Acting on elements.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::finder::{self, Purpose, describe};
use super::target::{Place, Target};
use super::wait::Waited;
use super::{ActionTool, Context, Error, Reply, Shape, Tool, touch, wait};
use crate::driver::{Element, Screen};

pub(super) const TOOLS: &[ActionTool] = &[
    ActionTool::of::<TapElement>(),
    ActionTool::of::<TapBySelector>(),
    ActionTool::of::<FindElement>(),
    ActionTool::of::<GetText>(),
    ActionTool::of::<WaitFor>(),
];

/// Tap an element, once it is there, enabled and still.
#[derive(Deserialize, JsonSchema)]
struct TapElement {
    #[serde(flatten)]
    waited: Waited,
    /// Seconds to keep the finger down.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    duration: Option<f64>,
}

impl Tool for TapElement {
    const NAME: &'static str = "tap_element";
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const TARGET_MAY_BE_ABSENT: bool = true;

    fn check(&self) -> Result<(), String> {
        self.waited.check()
    }

    fn limit(&self) -> Duration {
        self.waited.limit() + touch::seconds(self.duration)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let ready = wait::ready(cx, &self.waited.target, Purpose::Touch, self.waited.timeout(cx)).await?;
        let at = visible_part(&ready.element, &ready.screen).center();
        let touched = cx.perform(touch::tap(at, self.duration), ready.screen.size).await?;
        let moving = if ready.moving { ", which was still moving" } else { "" };
        let what = describe(&ready.element);
        Ok(Reply::new(format!("Tapped {what}{moving}"))
            .with("element", what)
            .with("x", at.x)
            .with("y", at.y)
            .touched(touched))
    }
}

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
}

impl TapBySelector {
    /// Returns the same as a tap on a target.
    fn tap(&self) -> TapElement {
        let named = match self.regex {
            true => Target { regex: true, ..Target::text(&self.selector) },
            false => Target::text_or_selector(&self.selector),
        };
        let within = self.within.clone().map(Box::new);
        let target = Target { index: self.index, within, ..named };
        TapElement { waited: Waited { target, timeout: self.timeout }, duration: self.duration }
    }
}

impl Tool for TapBySelector {
    const NAME: &'static str = "tap_by_selector";
    const PARAMS: Shape = Shape::Fields(&["selector"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("text", "selector")];
    const TARGET_MAY_BE_ABSENT: bool = true;

    fn check(&self) -> Result<(), String> {
        self.tap().check()
    }

    fn limit(&self) -> Duration {
        self.tap().limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        self.tap().call(cx).await
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

/// Returns the part of an element that lies on the screen.
fn visible_part(element: &Element, screen: &Screen) -> crate::driver::Rect {
    let part = element.rect.intersect(&screen.bounds());
    if part.is_empty() { element.rect } else { part }
}

/// Return an element's text, once it is there.
#[derive(Deserialize, JsonSchema)]
struct GetText {
    #[serde(flatten)]
    waited: Waited,
}

impl Tool for GetText {
    const NAME: &'static str = "get_text";
    const ALIASES: &'static [&'static str] = &["get_element_text_by_selector"];
    const MAIN: Option<&'static str> = Some("text");
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const READ_ONLY: bool = true;
    const TARGET_MAY_BE_ABSENT: bool = true;

    fn check(&self) -> Result<(), String> {
        self.waited.check()
    }

    fn limit(&self) -> Duration {
        self.waited.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let ready = wait::ready(cx, &self.waited.target, Purpose::Read, self.waited.timeout(cx)).await?;
        let text = shown_text(&ready.element);
        Ok(Reply::new(format!("Text: \"{}\"", super::finder::clip(text)))
            .with("text", text)
            .with("role", ready.element.role)
            .with("id", ready.element.id.as_str()))
    }
}

/// Returns what an element shows: a field's content even where it is empty, else its text or label.
pub(super) fn shown_text(element: &Element) -> &str {
    if element.role == "textfield" { &element.text } else { element.name() }
}

/// Wait until an element is there, or is gone.
#[derive(Deserialize, JsonSchema)]
struct WaitFor {
    #[serde(flatten)]
    waited: Waited,
    /// Waits until it is gone instead.
    #[serde(default)]
    gone: bool,
}

impl Tool for WaitFor {
    const NAME: &'static str = "wait_for";
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const READ_ONLY: bool = true;

    fn check(&self) -> Result<(), String> {
        if self.gone { self.waited.check_absence() } else { self.waited.check() }
    }

    fn limit(&self) -> Duration {
        self.waited.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let timeout = self.waited.timeout(cx);
        if self.gone {
            wait::gone(cx, &self.waited.target, timeout).await?;
            return Ok(Reply::new(format!("{} is gone", self.waited.target)));
        }
        let found = wait::visible(cx, &self.waited.target, timeout).await?;
        let rect = found.rect;
        Ok(Reply::new(format!("There: {}", describe(&found)))
            .with("rect", json!([rect.left, rect.top, rect.right, rect.bottom])))
    }
}
