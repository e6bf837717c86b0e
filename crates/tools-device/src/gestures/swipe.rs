//! Drawing a finger over the screen.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_driver::Gesture;
use uixt_locate::Error;
use uixt_toolkit::{ActionTool, Context, LIMIT, Reply, Tool, gestures};

use super::draw;

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<Swipe>()];

/// Where the finger goes; the screen's content follows it.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Direction {
    Up,
    Down,
    Left,
    Right,
}

impl Direction {
    /// Returns from x, from y, to x, to y, as fractions of the screen.
    pub(crate) fn path(self) -> [f64; 4] {
        match self {
            Self::Up => [0.5, 0.5, 0.5, 0.1],
            Self::Down => [0.5, 0.5, 0.5, 0.9],
            Self::Left => [0.5, 0.5, 0.1, 0.5],
            Self::Right => [0.5, 0.5, 0.9, 0.5],
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

/// Swipe in a direction, or from one point to another.
#[derive(Deserialize, JsonSchema)]
struct Swipe {
    /// Where the finger goes.
    #[serde(default)]
    direction: Option<Direction>,
    /// Start, instead of a direction: 0 to 1, or pixels.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    from_x: Option<f64>,
    /// Start, likewise.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    from_y: Option<f64>,
    /// End, likewise.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    to_x: Option<f64>,
    /// End, likewise.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    to_y: Option<f64>,
    /// Seconds; 0.5 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    duration: Option<f64>,
}

impl Swipe {
    fn points(&self) -> [Option<f64>; 4] {
        [self.from_x, self.from_y, self.to_x, self.to_y]
    }

    /// Returns from x, from y, to x, to y.
    fn path(&self) -> [f64; 4] {
        self.direction.map_or_else(|| self.points().map(|value| value.unwrap_or(0.5)), Direction::path)
    }
}

impl Tool for Swipe {
    const NAME: &'static str = "swipe";
    const SET: Option<Toolset> = Some(Toolset::Core);
    const KIND: ToolKind = ToolKind::Swipe;
    const IN_GOALS: bool = true;
    const DESTRUCTIVE: bool = false;
    const PARAMS: Shape = Shape::TextOrNumbers("direction", &["from_x", "from_y", "to_x", "to_y"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] =
        &[("fromX", "from_x"), ("fromY", "from_y"), ("toX", "to_x"), ("toY", "to_y")];
    const ANSWER: &'static [&'static str] = &["direction", "from_x", "from_y", "to_x", "to_y", "duration"];

    fn check(&self) -> Result<(), String> {
        let given = self.points().iter().flatten().count();
        match (self.direction, given) {
            (Some(_), 0) => Ok(()),
            (None, 4) => draw::check(self.path()),
            (Some(_), _) => Err("give either a direction or from_x, from_y, to_x, to_y, not both".to_owned()),
            (None, _) => Err("give a direction, or all of from_x, from_y, to_x, to_y".to_owned()),
        }
    }

    fn limit(&self) -> Duration {
        LIMIT + gestures::seconds(self.duration)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let display = cx.driver()?.display().await?;
        let [from_x, from_y, to_x, to_y] = self.path();
        let (from, to) = draw::points(self.path(), display.size)?;
        let duration = Duration::from_secs_f64(self.duration.unwrap_or(0.5));
        let gesture = Gesture::Swipe { from, to, duration };
        let touched = cx.perform(gesture, display).await?;
        let mut reply = Reply::new(match self.direction {
            Some(direction) => format!("Swiped {}", direction.name()),
            None => format!("Swiped from {from_x:.2}, {from_y:.2} to {to_x:.2}, {to_y:.2}"),
        });
        if let Some(direction) = self.direction {
            reply = reply.with("direction", direction.name());
        }
        Ok(reply.with("from_x", from_x).with("from_y", from_y).with("to_x", to_x).with("to_y", to_y).touched(touched))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_swipe_ends_within_its_limit() {
        let swipe: Swipe =
            serde_json::from_value(serde_json::json!({"direction": "up", "duration": 60.0})).expect("a swipe");
        assert!(swipe.limit() > Duration::from_secs(90));
    }
}
