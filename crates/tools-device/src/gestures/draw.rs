//! Drawing a finger along a line, in the names of `HttpRunner`, and dragging things.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Aim, Shape, ToolKind, Toolset};
use uixt_driver::{Gesture, Point, Size};
use uixt_locate::Error;
use uixt_toolkit::gestures::{self, place};
use uixt_toolkit::{ActionTool, Context, LIMIT, Reply, Tool};

use super::path;
use super::swipe::Direction;

/// The rows of the table.
pub const TOOLS: &[ActionTool] =
    &[ActionTool::of::<SwipeDirection>(), ActionTool::of::<SwipeCoordinate>(), ActionTool::of::<Drag>()];

/// Seconds that a finger takes where nothing else is said.
const DURATION: f64 = 0.5;
/// The names of the four coordinates, in the order of a list.
pub(crate) const ENDS: [&str; 4] = ["from_x", "from_y", "to_x", "to_y"];

/// Two points: the arguments of every tool that goes from one to the other.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
pub(crate) struct Ends {
    /// Start: 0 to 1 of the width, or pixels from 2 on.
    #[schemars(range(min = 0.0))]
    from_x: f64,
    /// Start: 0 to 1 of the height, or pixels.
    #[schemars(range(min = 0.0))]
    from_y: f64,
    /// End, likewise.
    #[schemars(range(min = 0.0))]
    to_x: f64,
    /// End, likewise.
    #[schemars(range(min = 0.0))]
    to_y: f64,
}

impl Ends {
    /// Returns the four coordinates, in the order of [`ENDS`].
    pub(crate) fn all(self) -> [f64; 4] {
        [self.from_x, self.from_y, self.to_x, self.to_y]
    }
}

/// How long a finger takes: the arguments of every tool that draws it along a line.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
struct Times {
    /// Seconds on the way; 0.5 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    duration: Option<f64>,
    /// Seconds to press before; none by default, to drag a long press.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    press_duration: Option<f64>,
}

impl Times {
    fn on_the_way(self) -> Duration {
        gestures::seconds(self.duration.or(Some(DURATION)))
    }

    /// Returns how long all of it may take beside what a call takes anyway.
    fn sum(self) -> Duration {
        gestures::seconds(self.duration) + gestures::seconds(self.press_duration)
    }
}

/// Swipe over the middle of the screen in a direction.
#[derive(Deserialize, JsonSchema)]
struct SwipeDirection {
    /// Where the finger goes.
    direction: Direction,
    #[serde(flatten)]
    times: Times,
}

impl Tool for SwipeDirection {
    const NAME: &'static str = "swipe_direction";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Swipe;
    const ALIAS_OF: Option<&'static str> = Some("swipe");
    const IN_GOALS: bool = true;
    const DESTRUCTIVE: bool = false;
    const PARAMS: Shape = Shape::Fields(&["direction"]);
    const ANSWER: &'static [&'static str] = &["direction", "from_x", "from_y", "to_x", "to_y", "duration"];

    fn limit(&self) -> Duration {
        LIMIT + self.times.sum()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let line = Line { ends: self.direction.path(), times: self.times };
        let name = self.direction.name();
        let reply = Reply::new(format!("Swiped {name}")).with("direction", name);
        line.draw(cx, reply).await
    }
}

/// Swipe from one point to another.
#[derive(Deserialize, JsonSchema)]
struct SwipeCoordinate {
    #[serde(flatten)]
    ends: Ends,
    #[serde(flatten)]
    times: Times,
}

impl Tool for SwipeCoordinate {
    const NAME: &'static str = "swipe_coordinate";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Swipe;
    const ALIAS_OF: Option<&'static str> = Some("swipe");
    const IN_GOALS: bool = true;
    const DESTRUCTIVE: bool = false;
    const PARAMS: Shape = Shape::Fields(&ENDS);
    const ANSWER: &'static [&'static str] = &["from_x", "from_y", "to_x", "to_y", "duration"];

    fn check(&self) -> Result<(), String> {
        check(self.ends.all())
    }

    fn limit(&self) -> Duration {
        LIMIT + self.times.sum()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let ends = self.ends.all();
        let line = Line { ends, times: self.times };
        let reply = Reply::new(format!("Swiped from {}", written(ends)));
        line.draw(cx, reply).await
    }
}

/// Drag what lies at a point to another: press it long, carry it, let go.
#[derive(Deserialize, JsonSchema)]
struct Drag {
    #[serde(flatten)]
    ends: Ends,
    #[serde(flatten)]
    times: Times,
}

impl Tool for Drag {
    const NAME: &'static str = "drag";
    const SET: Option<Toolset> = Some(Toolset::Gestures);
    const KIND: ToolKind = ToolKind::Move;
    const IN_GOALS: bool = true;
    const AIM: Aim = Aim::Point(Err("only points are dragged"));
    const PARAMS: Shape = Shape::Fields(&ENDS);
    const ANSWER: &'static [&'static str] = &["from_x", "from_y", "to_x", "to_y", "duration"];

    fn check(&self) -> Result<(), String> {
        check(self.ends.all())
    }

    fn limit(&self) -> Duration {
        LIMIT + self.times.sum()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let ends = self.ends.all();
        let reply = Reply::new(format!("Dragged from {}", written(ends)));
        if self.times.press_duration.is_some() {
            return Line { ends, times: self.times }.draw(cx, reply).await;
        }
        let display = cx.driver()?.display().await?;
        let (from, to) = points(ends, display.size)?;
        let duration = self.times.on_the_way();
        let touched = cx.perform(Gesture::Drag { from, to, duration }, display).await?;
        Ok(with_ends(reply, ends).touched(touched))
    }
}

/// A finger's way from (x, y) to (x, y) as they were written.
struct Line {
    ends: [f64; 4],
    times: Times,
}

impl Line {
    async fn draw(self, cx: &Context, reply: Reply) -> Result<Reply, Error> {
        let display = cx.driver()?.display().await?;
        let (from, to) = points(self.ends, display.size)?;
        let duration = self.times.on_the_way();
        let gesture = match gestures::seconds(self.times.press_duration) {
            Duration::ZERO => Gesture::Swipe { from, to, duration },
            rest => Gesture::Path(path::straight(from, to, rest, duration)),
        };
        let touched = cx.perform(gesture, display).await?;
        Ok(with_ends(reply, self.ends).touched(touched))
    }
}

/// Checks four coordinates.
pub(crate) fn check(ends: [f64; 4]) -> Result<(), String> {
    let named: Vec<(&str, f64)> = ENDS.into_iter().zip(ends).collect();
    place::check(&named)
}

/// Returns the pixels that four coordinates name.
pub(crate) fn points(ends: [f64; 4], size: Size) -> Result<(Point, Point), Error> {
    let [from_x, from_y, to_x, to_y] = ends;
    Ok((place::point(from_x, from_y, size)?, place::point(to_x, to_y, size)?))
}

fn written([from_x, from_y, to_x, to_y]: [f64; 4]) -> String {
    format!("{from_x}, {from_y} to {to_x}, {to_y}")
}

fn with_ends(reply: Reply, ends: [f64; 4]) -> Reply {
    ENDS.into_iter().zip(ends).fold(reply, |reply, (name, value)| reply.with(name, value))
}
