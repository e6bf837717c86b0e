//! Touching a point of the screen.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Aim, Lacking, Shape, ToolKind, Toolset};
use uixt_driver::{Gesture, Point, Rect};
use uixt_locate::finder::Purpose;
use uixt_locate::wording::describe;
use uixt_locate::{Error, Kind};
use uixt_toolkit::gestures::place::PointOrElement;
use uixt_toolkit::gestures::{seconds, tap, tapping};
use uixt_toolkit::{ActionTool, Context, LIMIT, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<TapXy>(),
    ActionTool::of::<TapAbsXy>(),
    DOUBLE_TAP,
    DOUBLE_TAP.also_called("double_tap_xy"),
    ActionTool::of::<LongPress>(),
    ActionTool::of::<Pinch>(),
];

const DOUBLE_TAP: ActionTool = ActionTool::of::<DoubleTap>();

/// Tap a point of the screen, given as fractions of its size.
#[derive(Deserialize, JsonSchema)]
struct TapXy {
    /// 0.0 is the left edge, 1.0 the right.
    #[schemars(range(min = 0.0, max = 1.0))]
    x: f64,
    /// 0.0 is the top edge, 1.0 the bottom.
    #[schemars(range(min = 0.0, max = 1.0))]
    y: f64,
    /// Seconds to hold.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    duration: Option<f64>,
}

impl Tool for TapXy {
    const NAME: &'static str = "tap_xy";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Gesture;
    const IN_GOALS: bool = true;
    const AIM: Aim = Aim::Point(Ok("tap"));
    const ALIAS_OF: Option<&'static str> = Some("tap");
    const PARAMS: Shape = Shape::Fields(&["x", "y"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("press_duration", "duration")];
    const ANSWER: &'static [&'static str] = &["x", "y"];

    fn limit(&self) -> Duration {
        LIMIT + seconds(self.duration)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let display = cx.driver()?.display().await?;
        // The right and bottom edges belong to the last pixel.
        let at = Point {
            x: (self.x * f64::from(display.size.width)).min(f64::from(display.size.width) - 1.0),
            y: (self.y * f64::from(display.size.height)).min(f64::from(display.size.height) - 1.0),
        };
        let touched = cx.perform(tap(at, self.duration), display).await?;
        Ok(Reply::new(format!("Tapped at {:.2}, {:.2}", self.x, self.y))
            .with("x", self.x)
            .with("y", self.y)
            .touched(touched))
    }
}

/// Tap a point of the screen, given in pixels.
#[derive(Deserialize, JsonSchema)]
struct TapAbsXy {
    /// Pixels from the left edge.
    #[schemars(range(min = 0.0))]
    x: f64,
    /// Pixels from the top edge.
    #[schemars(range(min = 0.0))]
    y: f64,
    /// Seconds to hold.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    duration: Option<f64>,
}

impl Tool for TapAbsXy {
    const NAME: &'static str = "tap_abs_xy";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Gesture;
    const AIM: Aim = Aim::Point(Ok("tap"));
    const ALIAS_OF: Option<&'static str> = Some("tap");
    const PARAMS: Shape = Shape::Fields(&["x", "y"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("press_duration", "duration")];
    const ANSWER: &'static [&'static str] = &["x", "y"];

    fn limit(&self) -> Duration {
        LIMIT + seconds(self.duration)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let display = cx.driver()?.display().await?;
        if self.x >= f64::from(display.size.width) || self.y >= f64::from(display.size.height) {
            // A phone takes such a tap without a word and does nothing.
            let message = format!(
                "{}, {} lies outside of the screen of {}×{}",
                self.x, self.y, display.size.width, display.size.height
            );
            return Err(Error::new(Kind::BadArgument, message));
        }
        let touched = cx.perform(tap(Point { x: self.x, y: self.y }, self.duration), display).await?;
        Ok(Reply::new(format!("Tapped at {}, {}", self.x, self.y)).with("x", self.x).with("y", self.y).touched(touched))
    }
}

/// Tap an element or a point twice, as fast as a double tap must be.
#[derive(Deserialize, JsonSchema)]
struct DoubleTap {
    #[serde(flatten)]
    named: PointOrElement,
}

impl Tool for DoubleTap {
    const NAME: &'static str = "double_tap";
    const SET: Option<Toolset> = Some(Toolset::Gestures);
    const KIND: ToolKind = ToolKind::Gesture;
    const IN_GOALS: bool = true;
    const AIM: Aim = Aim::Point(Ok("double_tap"));
    const PARAMS: Shape = Shape::TextOrNumbers("text", &["x", "y"]);
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["element", "x", "y"];

    fn check(&self) -> Result<(), String> {
        self.named.check()
    }

    fn limit(&self) -> Duration {
        self.named.waited.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        if let Some(spot) = self.named.spot() {
            let display = cx.driver()?.display().await?;
            let at = spot.point(display.size)?;
            let touched = cx.perform(Gesture::DoubleTap { at }, display).await?;
            return Ok(spot.reply("Tapped twice").touched(touched));
        }
        let waited = &self.named.waited;
        let twice = |part| Gesture::DoubleTap { at: cx.options.point_in(part) };
        let landed =
            tapping::tap_when_actionable(cx, &waited.target, Purpose::Touch, waited.timeout(cx), twice).await?;
        let (what, at) = (describe(&landed.ready.element), landed.touched.point);
        Ok(Reply::new(format!("Tapped twice {what}"))
            .with("element", what)
            .with("x", at.x)
            .with("y", at.y)
            .touched(landed.touched))
    }
}

/// Seconds of a long press where nothing else is said: more than any device asks for.
const LONG: f64 = 1.0;

/// Press an element or a point long.
#[derive(Deserialize, JsonSchema)]
struct LongPress {
    #[serde(flatten)]
    named: PointOrElement,
    /// Seconds; 1 by default.
    #[serde(default)]
    #[schemars(range(min = 0.4, max = 60.0))]
    duration: Option<f64>,
}

impl LongPress {
    fn hold(&self) -> Option<f64> {
        self.duration.or(Some(LONG))
    }
}

impl Tool for LongPress {
    const NAME: &'static str = "long_press";
    const SET: Option<Toolset> = Some(Toolset::Core);
    const KIND: ToolKind = ToolKind::Gesture;
    const IN_GOALS: bool = true;
    const AIM: Aim = Aim::Point(Ok("long_press"));
    const PARAMS: Shape = Shape::TextOrNumbers("text", &["x", "y"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("press_duration", "duration")];
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["element", "x", "y", "duration"];

    fn check(&self) -> Result<(), String> {
        self.named.check()
    }

    fn limit(&self) -> Duration {
        self.named.waited.limit() + seconds(self.hold())
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let hold = self.hold();
        let (touched, what) = if let Some(spot) = self.named.spot() {
            let display = cx.driver()?.display().await?;
            let at = spot.point(display.size)?;
            (cx.perform(tap(at, hold), display).await?, spot.to_string())
        } else {
            let waited = &self.named.waited;
            let (target, timeout) = (&waited.target, waited.timeout(cx));
            let press = |part| tap(cx.options.point_in(part), hold);
            let landed = tapping::tap_when_actionable(cx, target, Purpose::Touch, timeout, press).await?;
            (landed.touched, describe(&landed.ready.element))
        };
        let (at, duration) = (touched.point, hold.unwrap_or(LONG));
        Ok(Reply::new(format!("Pressed {what} for {duration} s"))
            .with("x", at.x)
            .with("y", at.y)
            .with("duration", duration)
            .touched(touched))
    }
}

/// How far from the middle a finger is at the most: a part of the width, and so many pixels where that is narrow.
const FARTHEST: f64 = 0.4;
const LEAST: f64 = 24.0;
/// How long two fingers are drawn.
const PINCHING: Duration = Duration::from_millis(500);

/// Zoom an element, or the middle of the screen, by two fingers that spread or close.
#[derive(Deserialize, JsonSchema)]
struct Pinch {
    /// How many times as far apart the fingers end: 2 zooms in, 0.5 zooms out.
    #[schemars(range(min = 0.2, max = 5.0))]
    scale: f64,
    #[serde(flatten)]
    named: PointOrElement,
}

impl Pinch {
    /// Returns the gesture in a rectangle.
    fn gesture(&self, at: Point, width: i32) -> Gesture {
        let far = (f64::from(width) * FARTHEST).max(LEAST);
        let (from, to) = if self.scale > 1.0 { (far / self.scale, far) } else { (far, far * self.scale) };
        Gesture::Pinch { at, from, to, duration: PINCHING }
    }
}

impl Tool for Pinch {
    const NAME: &'static str = "pinch";
    const SET: Option<Toolset> = Some(Toolset::Gestures);
    const KIND: ToolKind = ToolKind::Gesture;
    const IN_GOALS: bool = true;
    const PARAMS: Shape = Shape::Fields(&["scale"]);
    const TARGET_MAY_BE_ABSENT: bool = true;
    const LACKING: &'static [Lacking] = &[
        Lacking::tool("android", "it is touched with one finger; tap a button that zooms, or `double_tap`"),
        Lacking::tool("browser", "it is touched with one finger; `press_key` or `evaluate` may zoom"),
    ];
    const ANSWER: &'static [&'static str] = &["element", "x", "y"];

    fn check(&self) -> Result<(), String> {
        if (0.99..=1.01).contains(&self.scale) {
            return Err("`scale` of 1 moves nothing: more than 1 zooms in, less zooms out".to_owned());
        }
        if self.named.is_unnamed() { Ok(()) } else { self.named.check() }
    }

    fn limit(&self) -> Duration {
        self.named.waited.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let way = if self.scale > 1.0 { "Zoomed in" } else { "Zoomed out" };
        let spot = self.named.spot();
        if spot.is_none() && !self.named.is_unnamed() {
            let waited = &self.named.waited;
            let pinch = |part: Rect| self.gesture(cx.options.point_in(part), part.right - part.left);
            let landed =
                tapping::tap_when_actionable(cx, &waited.target, Purpose::Touch, waited.timeout(cx), pinch).await?;
            let (what, at) = (describe(&landed.ready.element), landed.touched.point);
            let reply = Reply::new(format!("{way} on {what}")).with("element", what);
            return Ok(reply.with("x", at.x).with("y", at.y).touched(landed.touched));
        }
        let display = cx.driver()?.display().await?;
        let (width, height) = (f64::from(display.size.width), f64::from(display.size.height));
        let at = spot.map_or(Ok(Point { x: width / 2.0, y: height / 2.0 }), |spot| spot.point(display.size))?;
        #[expect(clippy::cast_possible_truncation, reason = "a number of pixels on the screen")]
        let room = (at.x.min(width - at.x) * 2.0) as i32;
        let touched = cx.perform(self.gesture(at, room), display).await?;
        Ok(Reply::new(format!("{way} at {:.0}, {:.0}", at.x, at.y)).with("x", at.x).with("y", at.y).touched(touched))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_touch_ends_within_its_limit() {
        assert!(TapXy { x: 0.5, y: 0.5, duration: Some(60.0) }.limit() > Duration::from_secs(90));
        assert!(TapAbsXy { x: 5.0, y: 5.0, duration: Some(60.0) }.limit() > Duration::from_secs(90));
    }
}
