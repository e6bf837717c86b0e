//! Drawing a finger along a line, in the names of `HttpRunner`, and dragging things.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::swipe::Direction;
use super::{ActionTool, Context, Error, LIMIT, Reply, Shape, Tool, path, place, touch};
use crate::driver::{Gesture, Point, Size};

pub(super) const TOOLS: &[ActionTool] =
    &[ActionTool::of::<SwipeDirection>(), ActionTool::of::<SwipeCoordinate>(), ActionTool::of::<Drag>()];

/// Seconds that a finger takes where nothing else is said.
const DURATION: f64 = 0.5;
/// The names of the four coordinates, in the order of a list.
pub(super) const ENDS: [&str; 4] = ["from_x", "from_y", "to_x", "to_y"];

/// Two points: the arguments of every tool that goes from one to the other.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
pub(super) struct Ends {
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
    pub(super) fn all(self) -> [f64; 4] {
        [self.from_x, self.from_y, self.to_x, self.to_y]
    }
}

/// Swipe over the middle of the screen in a direction.
#[derive(Deserialize, JsonSchema)]
struct SwipeDirection {
    /// Where the finger goes.
    direction: Direction,
    /// Seconds that it takes; 0.5 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    duration: Option<f64>,
    /// Seconds to rest before it sets out.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    press_duration: Option<f64>,
}

impl Tool for SwipeDirection {
    const NAME: &'static str = "swipe_direction";
    const PARAMS: Shape = Shape::Fields(&["direction"]);

    fn limit(&self) -> Duration {
        LIMIT + touch::seconds(self.duration) + touch::seconds(self.press_duration)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let line = Line { ends: self.direction.path(), duration: self.duration, rest: self.press_duration };
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
    /// Seconds that it takes; 0.5 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    duration: Option<f64>,
    /// Seconds to rest before it sets out.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    press_duration: Option<f64>,
}

impl Tool for SwipeCoordinate {
    const NAME: &'static str = "swipe_coordinate";
    const PARAMS: Shape = Shape::Fields(&ENDS);

    fn check(&self) -> Result<(), String> {
        check(self.ends.all())
    }

    fn limit(&self) -> Duration {
        LIMIT + touch::seconds(self.duration) + touch::seconds(self.press_duration)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let ends = self.ends.all();
        let line = Line { ends, duration: self.duration, rest: self.press_duration };
        let reply = Reply::new(format!("Swiped from {}", written(ends)));
        line.draw(cx, reply).await
    }
}

/// Drag what lies at a point to another: press it long, carry it, let go.
#[derive(Deserialize, JsonSchema)]
struct Drag {
    #[serde(flatten)]
    ends: Ends,
    /// Seconds on the way; 0.5 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    duration: Option<f64>,
    /// Seconds to press first; as long as the device's own long press by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    press_duration: Option<f64>,
}

impl Tool for Drag {
    const NAME: &'static str = "drag";
    const PARAMS: Shape = Shape::Fields(&ENDS);

    fn check(&self) -> Result<(), String> {
        check(self.ends.all())
    }

    fn limit(&self) -> Duration {
        LIMIT + touch::seconds(self.duration) + touch::seconds(self.press_duration)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let ends = self.ends.all();
        let reply = Reply::new(format!("Dragged from {}", written(ends)));
        if self.press_duration.is_some() {
            let line = Line { ends, duration: self.duration, rest: self.press_duration };
            return line.draw(cx, reply).await;
        }
        let size = cx.driver()?.screen_size().await?;
        let (from, to) = points(ends, size)?;
        let duration = touch::seconds(self.duration.or(Some(DURATION)));
        let touched = cx.perform(Gesture::Drag { from, to, duration }, size).await?;
        Ok(with_ends(reply, ends).touched(touched))
    }
}

/// A finger's way from (x, y) to (x, y) as they were written, in seconds.
struct Line {
    ends: [f64; 4],
    duration: Option<f64>,
    rest: Option<f64>,
}

impl Line {
    async fn draw(self, cx: &Context, reply: Reply) -> Result<Reply, Error> {
        let size = cx.driver()?.screen_size().await?;
        let (from, to) = points(self.ends, size)?;
        let duration = touch::seconds(self.duration.or(Some(DURATION)));
        let gesture = match touch::seconds(self.rest) {
            Duration::ZERO => Gesture::Swipe { from, to, duration },
            rest => Gesture::Path(path::straight(from, to, rest, duration)),
        };
        let touched = cx.perform(gesture, size).await?;
        Ok(with_ends(reply, self.ends).touched(touched))
    }
}

/// Checks four coordinates.
pub(super) fn check(ends: [f64; 4]) -> Result<(), String> {
    let named: Vec<(&str, f64)> = ENDS.into_iter().zip(ends).collect();
    place::check(&named)
}

/// Returns the pixels that four coordinates name.
pub(super) fn points(ends: [f64; 4], size: Size) -> Result<(Point, Point), Error> {
    let [from_x, from_y, to_x, to_y] = ends;
    Ok((place::point(from_x, from_y, size)?, place::point(to_x, to_y, size)?))
}

fn written([from_x, from_y, to_x, to_y]: [f64; 4]) -> String {
    format!("{from_x}, {from_y} to {to_x}, {to_y}")
}

fn with_ends(reply: Reply, ends: [f64; 4]) -> Reply {
    ENDS.into_iter().zip(ends).fold(reply, |reply, (name, value)| reply.with(name, value))
}
