//! Acting on elements.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use uixt_call::{Aim, Bound, Shape, ToolKind, Toolset};
use uixt_locate::finder::Purpose;
use uixt_locate::target::Target;
use uixt_locate::wording::{describe, shown_text};
use uixt_locate::{Error, Kind};
use uixt_toolkit::gestures;
use uixt_toolkit::gestures::place::PointOrElement;
use uixt_toolkit::gestures::tapping::{self, Tapped};
use uixt_toolkit::pages::waiting::OfPage;
use uixt_toolkit::traces::last_touch::LastTouch;
use uixt_toolkit::wait::{self, Waited};
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] =
    &[TAP, TAP.also_called("tap_element"), ActionTool::of::<GetText>(), ActionTool::of::<WaitFor>()];

const TAP: ActionTool = ActionTool::of::<Tap>();

/// Tap an element, once it is there, enabled and still; or a point.
#[derive(Deserialize, JsonSchema)]
struct Tap {
    #[serde(flatten)]
    named: PointOrElement,
    /// Seconds to hold.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    duration: Option<f64>,
    /// The element in words, which a model finds.
    #[serde(default)]
    #[schemars(length(min = 1), extend("x-unpublished" = true))]
    ai: Option<String>,
}

impl Tap {
    fn waited(&self) -> &Waited {
        &self.named.waited
    }

    /// Taps the element that a model finds.
    async fn found(&self, cx: &Context, description: &str) -> Result<Reply, Error> {
        let nobody = || Error::new(Kind::Unsupported, "nothing finds elements in words here");
        let found = cx.engines.locator.ok_or_else(nobody)?.locate(cx, description).await?;
        let target = Target { reference: Some(found.reference), ..self.waited().target.clone() };
        let mut reply = touch(cx, &target, self.touch(cx)).await?;
        let told =
            found.reply.fields.into_iter().filter(|(key, _)| matches!(key.as_str(), "usage" | "model" | "target"));
        reply.fields.extend(told);
        Ok(reply)
    }

    fn touch(&self, cx: &Context) -> Touch {
        Touch { timeout: self.waited().timeout(cx), duration: self.duration }
    }
}

impl Tool for Tap {
    const NAME: &'static str = "tap";
    const SET: Option<Toolset> = Some(Toolset::Core);
    const KIND: ToolKind = ToolKind::Gesture;
    const IN_GOALS: bool = true;
    const IN_BROWSER_CORE: bool = true;
    const AIM: Aim = Aim::Point(Ok("tap"));
    const PARAMS: Shape = Shape::TextOrNumbers("text", &["x", "y"]);
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("press_duration", "duration")];
    const ANSWER: &'static [&'static str] = &["element", "x", "y", "target", "usage", "model"];

    fn check(&self) -> Result<(), String> {
        match &self.ai {
            None => self.named.check(),
            Some(_) if self.named.is_unnamed() => Ok(()),
            Some(_) => Err("`ai` says which element is meant: leave the rest of the target out".to_owned()),
        }
    }

    fn limit(&self) -> Duration {
        let model = if self.ai.is_some() { Duration::from_mins(2) } else { Duration::ZERO };
        self.waited().limit() + gestures::seconds(self.duration) + model
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        match (&self.ai, self.named.spot()) {
            (Some(description), _) => self.found(cx, description).await,
            (None, Some(spot)) => {
                let display = cx.driver()?.display().await?;
                let at = spot.point(display.size)?;
                let touched = cx.perform(gestures::tap(at, self.duration), display).await?;
                Ok(spot.reply("Tapped").touched(touched))
            }
            (None, None) => touch(cx, &self.waited().target, self.touch(cx)).await,
        }
    }
}

/// How an element is touched.
pub(crate) struct Touch {
    /// How long it is waited for.
    pub timeout: Duration,
    /// Seconds to hold.
    pub duration: Option<f64>,
}

/// Waits for a target and touches it.
pub(crate) async fn touch(cx: &Context, target: &Target, asked: Touch) -> Result<Reply, Error> {
    let tap = |part| gestures::tap(cx.options.point_in(part), asked.duration);
    let Tapped { ready, touched } =
        tapping::tap_when_actionable(cx, target, Purpose::Touch, asked.timeout, tap).await?;
    let moving = if ready.moving { ", which was still moving" } else { "" };
    let what = describe(&ready.element);
    cx.session.state::<LastTouch>().keep(&what, &cx.driver()?.info().serial, ready.screen);
    let at = touched.point;
    Ok(Reply::new(format!("Tapped {what}{moving}"))
        .with("element", what)
        .with("x", at.x)
        .with("y", at.y)
        .touched(touched))
}

/// Return an element's text, once it is there.
#[derive(Deserialize, JsonSchema)]
struct GetText {
    #[serde(flatten)]
    waited: Waited,
}

impl Tool for GetText {
    const NAME: &'static str = "get_text";
    const SET: Option<Toolset> = Some(Toolset::Checks);
    const KIND: ToolKind = ToolKind::Read;
    const ALIASES: &'static [&'static str] = &["get_element_text_by_selector"];
    const MAIN: Option<&'static str> = Some("text");
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const READ_ONLY: bool = true;
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["text", "role", "id", "cut"];
    const BOUND: Option<Bound> = Some(Bound::Field { name: "text", more: "assert_text checks a part of it" });

    fn check(&self) -> Result<(), String> {
        self.waited.check()
    }

    fn limit(&self) -> Duration {
        self.waited.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        if self.waited.target.control.is_some() {
            cx.options.asked.want_texts();
        }
        let element = wait::there(cx, &self.waited.target, self.waited.timeout(cx)).await?;
        if element.password {
            let message = format!("{}: a password's field, whose value is not read", self.waited.target);
            return Err(Error::new(Kind::Assertion, message));
        }
        let text = shown_text(&element);
        Ok(Reply::new(format!("Text: \"{}\"", uixt_locate::wording::clip(&text)))
            .with("text", text.as_ref())
            .with("role", element.role)
            .with("id", element.id.as_str()))
    }
}

/// Wait until an element is there, or is gone.
#[derive(Deserialize, JsonSchema)]
struct WaitFor {
    #[serde(flatten)]
    waited: Waited,
    #[serde(flatten)]
    page: OfPage,
    /// Waits until it is gone instead.
    #[serde(default)]
    gone: bool,
}

impl Tool for WaitFor {
    const NAME: &'static str = "wait_for";
    const SET: Option<Toolset> = Some(Toolset::Core);
    const KIND: ToolKind = ToolKind::Wait;
    const VERB: Option<&'static str> = Some("wait");
    const IN_BROWSER_CORE: bool = true;
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["rect", "url", "title", "method", "status"];

    fn check(&self) -> Result<(), String> {
        if self.page.is_asked() {
            return match self.gone || self.waited.target != Target::default() {
                true => {
                    Err("wait either for an element or for the page's url, title, request, download or idle".to_owned())
                }
                false => self.page.check(),
            };
        }
        if self.gone { self.waited.check_absence() } else { self.waited.check_presence() }
    }

    fn limit(&self) -> Duration {
        self.waited.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        if self.page.is_asked() {
            return self.page.wait(cx, self.waited.timeout).await;
        }
        let timeout = self.waited.timeout(cx);
        if self.gone {
            let doubt = wait::gone(cx, &self.waited.target, timeout).await?;
            return Ok(Reply::new(format!("{} is gone{doubt}", self.waited.target)));
        }
        let found = wait::visible(cx, &self.waited.target, timeout).await?;
        let rect = found.rect;
        Ok(Reply::new(format!("There: {}", describe(&found)))
            .with("rect", json!([rect.left, rect.top, rect.right, rect.bottom])))
    }
}
