//! Touching, swiping and typing as a hand does: never twice the same. The ways come from `path`.

use std::time::Duration;

use fastrand::Rng;
use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Aim, Shape, ToolKind, Toolset};
use uixt_driver::{Display, Gesture, Keystrokes, Point, Size, Typing};
use uixt_locate::{Error, Kind};
use uixt_toolkit::gestures;
use uixt_toolkit::gestures::place::{self, Spot};
use uixt_toolkit::{ActionTool, Context, LIMIT, Reply, Tool};

use super::draw::{self, Ends};
use super::path;
use super::swipe::Direction;
use crate::keys::input::{self, IntoField};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<SimClickAtPoint>(),
    ActionTool::of::<SimSwipeDirection>(),
    ActionTool::of::<SimSwipeInArea>(),
    ActionTool::of::<SimSwipePointToPoint>(),
    ActionTool::of::<SimInput>(),
];

/// How long a finger stays down in a click, in seconds.
const CLICK: std::ops::Range<f64> = 0.05..0.12;
/// How far from its point a finger comes down, in pixels.
const SPREAD: f64 = 3.0;
/// How far a swipe goes where nothing else is said, in pixels.
const NEAR: f64 = 100.0;
const FAR: f64 = 300.0;
/// Characters per second where nothing else is said.
const FREQUENCY: u32 = 10;

fn within(range: std::ops::Range<f64>, rng: &mut Rng) -> f64 {
    range.start + (range.end - range.start) * rng.f64()
}

/// Tap a point as a finger does: not quite exactly, and not at once.
#[derive(Deserialize, JsonSchema)]
struct SimClickAtPoint {
    #[serde(flatten)]
    spot: Spot,
    /// Seconds to hold; 0.05 to 0.12 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    duration: Option<f64>,
}

impl Tool for SimClickAtPoint {
    const NAME: &'static str = "sim_click_at_point";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Gesture;
    const AIM: Aim = Aim::Point(Ok("tap"));
    const ALIAS_OF: Option<&'static str> = Some("tap");
    const PARAMS: Shape = Shape::Fields(&["x", "y"]);
    const ANSWER: &'static [&'static str] = &["x", "y", "duration"];

    fn check(&self) -> Result<(), String> {
        self.spot.check()
    }

    fn limit(&self) -> Duration {
        LIMIT + gestures::seconds(self.duration)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let mut rng = Rng::new();
        let display = cx.driver()?.display().await?;
        let moving = self.spot.point(display.size)?;
        let at = near(moving, display.size, &mut rng);
        let hold = self.duration.unwrap_or_else(|| within(CLICK, &mut rng));
        let touched = cx.perform(gestures::tap(at, Some(hold)), display).await?;
        Ok(self.spot.reply("Clicked").with("duration", thousandths(hold)).touched(touched))
    }
}

/// Returns a point near another one, on the screen.
fn near(moving: Point, size: Size, rng: &mut Rng) -> Point {
    let mut shifted =
        |value: f64, side: u32| (value + within(-SPREAD..SPREAD, rng)).round().clamp(0.0, f64::from(side.max(1)) - 1.0);
    Point { x: shifted(moving.x, size.width), y: shifted(moving.y, size.height) }
}

/// How far and how fast: the arguments of swipes by a random distance.
#[derive(Deserialize, JsonSchema)]
struct Reach {
    /// Least pixels; 100 by default.
    #[serde(default)]
    #[schemars(range(min = 1.0))]
    sim_min_distance: Option<f64>,
    /// Most pixels; 300 by default.
    #[serde(default)]
    #[schemars(range(min = 1.0))]
    sim_max_distance: Option<f64>,
    /// Seconds; by the distance by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    duration: Option<f64>,
}

impl Reach {
    /// Returns the distances to choose from, in pixels.
    fn distances(&self) -> Result<std::ops::Range<f64>, String> {
        distances(self.sim_min_distance, self.sim_max_distance)
    }

    /// Swipes in a direction from a pixel, by a distance in pixels.
    async fn swipe(
        &self,
        cx: &Context,
        display: Display,
        rng: &mut Rng,
        (direction, from, distance): (Direction, Point, f64),
    ) -> Result<Reply, Error> {
        let swipe = HandSwipe { from, to: moved(from, direction, distance), duration: self.duration };
        let reply = Reply::new(format!("Swiped {} by {distance:.0} pixels", direction.name()));
        swipe.draw(cx, display, rng, reply.with("direction", direction.name())).await
    }
}

/// Swipe from a point in a direction as a hand does, by a random distance.
#[derive(Deserialize, JsonSchema)]
struct SimSwipeDirection {
    /// Where the finger goes.
    direction: Direction,
    /// Start: 0 to 1 of the width (0.5 by default), or pixels from 2 on.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    from_x: Option<f64>,
    /// Start: 0 to 1 of the height (0.5 by default), or pixels.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    from_y: Option<f64>,
    #[serde(flatten)]
    reach: Reach,
}

impl SimSwipeDirection {
    fn from(&self) -> (f64, f64) {
        (self.from_x.unwrap_or(0.5), self.from_y.unwrap_or(0.5))
    }
}

impl Tool for SimSwipeDirection {
    const NAME: &'static str = "sim_swipe_direction";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Swipe;
    const ALIAS_OF: Option<&'static str> = Some("swipe");
    const PARAMS: Shape = Shape::Fields(&["direction"]);
    const ANSWER: &'static [&'static str] = &["direction", "from_x", "from_y", "to_x", "to_y", "duration"];

    fn check(&self) -> Result<(), String> {
        let (x, y) = self.from();
        place::check(&[("from_x", x), ("from_y", y)])?;
        self.reach.distances().map(drop)
    }

    fn limit(&self) -> Duration {
        LIMIT + gestures::seconds(self.reach.duration)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let mut rng = Rng::new();
        let display = cx.driver()?.display().await?;
        let (x, y) = self.from();
        let from = place::point(x, y, display.size)?;
        let range = self.reach.distances().unwrap_or(NEAR..FAR);
        let distance = distance(range, room(self.direction, from, whole(display.size)), &mut rng)?;
        self.reach.swipe(cx, display, &mut rng, (self.direction, from, distance)).await
    }
}

/// Swipe in a direction as a hand does, somewhere within an area, by a random distance.
#[derive(Deserialize, JsonSchema)]
struct SimSwipeInArea {
    /// Where the finger goes.
    direction: Direction,
    /// Left edge of the area: 0 to 1 of the width, or pixels from 2 on.
    #[schemars(range(min = 0.0))]
    sim_area_start_x: f64,
    /// Upper edge: 0 to 1 of the height, or pixels.
    #[schemars(range(min = 0.0))]
    sim_area_start_y: f64,
    /// Right edge, likewise.
    #[schemars(range(min = 0.0))]
    sim_area_end_x: f64,
    /// Lower edge, likewise.
    #[schemars(range(min = 0.0))]
    sim_area_end_y: f64,
    #[serde(flatten)]
    reach: Reach,
}

impl SimSwipeInArea {
    fn edges(&self) -> [(&'static str, f64); 4] {
        [
            ("sim_area_start_x", self.sim_area_start_x),
            ("sim_area_start_y", self.sim_area_start_y),
            ("sim_area_end_x", self.sim_area_end_x),
            ("sim_area_end_y", self.sim_area_end_y),
        ]
    }
}

impl Tool for SimSwipeInArea {
    const NAME: &'static str = "sim_swipe_in_area";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Swipe;
    const ALIAS_OF: Option<&'static str> = Some("swipe");
    const PARAMS: Shape = Shape::Fields(&["direction"]);
    const ANSWER: &'static [&'static str] = &["direction", "from_x", "from_y", "to_x", "to_y", "duration"];

    fn check(&self) -> Result<(), String> {
        place::check(&self.edges())?;
        self.reach.distances().map(drop)
    }

    fn limit(&self) -> Duration {
        LIMIT + gestures::seconds(self.reach.duration)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let mut rng = Rng::new();
        let display = cx.driver()?.display().await?;
        let start = place::point(self.sim_area_start_x, self.sim_area_start_y, display.size)?;
        let end = place::point(self.sim_area_end_x, self.sim_area_end_y, display.size)?;
        let range = self.reach.distances().unwrap_or(NEAR..FAR);
        let (from, distance) = somewhere(self.direction, (start, end), range, &mut rng)?;
        self.reach.swipe(cx, display, &mut rng, (self.direction, from, distance)).await
    }
}

/// Swipe from one point to another as a hand does: in a curve, at a changing speed.
#[derive(Deserialize, JsonSchema)]
struct SimSwipePointToPoint {
    #[serde(flatten)]
    ends: Ends,
    /// Seconds; by the distance by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    duration: Option<f64>,
}

impl Tool for SimSwipePointToPoint {
    const NAME: &'static str = "sim_swipe_point_to_point";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Swipe;
    const ALIAS_OF: Option<&'static str> = Some("swipe");
    const PARAMS: Shape = Shape::Fields(&draw::ENDS);
    const ANSWER: &'static [&'static str] = &["direction", "from_x", "from_y", "to_x", "to_y", "duration"];

    fn check(&self) -> Result<(), String> {
        draw::check(self.ends.all())
    }

    fn limit(&self) -> Duration {
        LIMIT + gestures::seconds(self.duration)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let mut rng = Rng::new();
        let display = cx.driver()?.display().await?;
        let (from, to) = draw::points(self.ends.all(), display.size)?;
        let swipe = HandSwipe { from, to, duration: self.duration };
        let [_, _, to_x, to_y] = self.ends.all();
        let reply = Reply::new(format!("Swiped to {to_x}, {to_y}"));
        swipe.draw(cx, display, &mut rng, reply).await
    }
}

/// Type text as a person does, with small pauses.
#[derive(Deserialize, JsonSchema)]
struct SimInput {
    /// Text to type, as it is.
    #[schemars(length(min = 1, max = 2000))]
    text: String,
    #[serde(flatten)]
    into: IntoField,
    /// Masks the text in answers, logs and reports.
    #[serde(default)]
    secret: bool,
    /// Characters per second; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    frequency: Option<u32>,
}

impl SimInput {
    /// Returns the usual pause after a character.
    fn pause(&self) -> Duration {
        Duration::from_secs(1) / self.frequency.unwrap_or(FREQUENCY).max(1)
    }

    fn characters(&self) -> u32 {
        u32::try_from(self.text.chars().count()).unwrap_or(u32::MAX)
    }
}

impl Tool for SimInput {
    const NAME: &'static str = "sim_input";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Typing;
    const AIM: Aim = Aim::Argument("into");
    const ALIAS_OF: Option<&'static str> = Some("input");
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["text"];

    fn check(&self) -> Result<(), String> {
        self.into.check()
    }

    fn limit(&self) -> Duration {
        // A phone takes its own time for each character beside the pauses.
        self.into.limit() + (self.pause() * 2 + Duration::from_millis(500)).saturating_mul(self.characters())
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let (field, reply) = self.into.field(cx).await?;
        let pieces = keystrokes(&self.text, self.pause(), &mut Rng::new());
        cx.driver()?.type_in_turn(&pieces).await?;
        let typing = Typing { text: &self.text, replaces: false, in_turn: true };
        input::arrived(cx, &field, &typing, self.secret).await?;
        Ok(input::typed(reply, &self.text, &field, self.secret))
    }
}

/// Splits a text into its characters, each with a pause of half to one and a half times the usual one.
fn keystrokes(text: &str, usual: Duration, rng: &mut Rng) -> Vec<Keystrokes> {
    let count = text.chars().count();
    let characters = text.chars().enumerate();
    characters
        .map(|(number, character)| {
            let last = number + 1 == count;
            let pause = if last { Duration::ZERO } else { usual.mul_f64(within(0.5..1.5, rng)) };
            Keystrokes { text: character.to_string(), pause }
        })
        .collect()
}

/// A swipe from one pixel to another.
struct HandSwipe {
    from: Point,
    to: Point,
    duration: Option<f64>,
}

impl HandSwipe {
    async fn draw(self, cx: &Context, display: Display, rng: &mut Rng, reply: Reply) -> Result<Reply, Error> {
        let duration = match self.duration {
            Some(_) => gestures::seconds(self.duration),
            None => path::human_duration(self.from, self.to, rng),
        };
        let stops = path::human(self.from, self.to, duration, display.size, rng);
        let touched = cx.perform(Gesture::Path(stops), display).await?;
        Ok(reply
            .with("from_x", self.from.x.round())
            .with("from_y", self.from.y.round())
            .with("to_x", self.to.x.round())
            .with("to_y", self.to.y.round())
            .with("duration", thousandths(duration.as_secs_f64()))
            .touched(touched))
    }
}

fn thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// Reads the least and the greatest distance.
fn distances(least: Option<f64>, greatest: Option<f64>) -> Result<std::ops::Range<f64>, String> {
    let (low, high) = match (least, greatest) {
        (Some(low), None) => (low, FAR.max(low)),
        (None, Some(high)) => (NEAR.min(high), high),
        (low, high) => (low.unwrap_or(NEAR), high.unwrap_or(FAR)),
    };
    if low <= high {
        return Ok(low..high);
    }
    Err(format!("`sim_min_distance` ({low}) is more than `sim_max_distance` ({high})"))
}

fn whole(size: Size) -> (Point, Point) {
    let last = |side: u32| f64::from(side.max(1)) - 1.0;
    (Point { x: 0.0, y: 0.0 }, Point { x: last(size.width), y: last(size.height) })
}

/// Returns how far a finger can go from a point in a direction before it leaves an area.
fn room(direction: Direction, from: Point, (start, end): (Point, Point)) -> f64 {
    match direction {
        Direction::Up => from.y - start.y,
        Direction::Down => end.y - from.y,
        Direction::Left => from.x - start.x,
        Direction::Right => end.x - from.x,
    }
}

/// Picks a distance that there is room for.
fn distance(range: std::ops::Range<f64>, room: f64, rng: &mut Rng) -> Result<f64, Error> {
    if room < range.start {
        let message = format!("there is room for {room:.0} pixels, and the swipe is to go at least {:.0}", range.start);
        return Err(Error::new(Kind::BadArgument, message));
    }
    Ok(within(range.start..range.end.min(room), rng).round().clamp(range.start, room))
}

/// Picks a start and a distance so that the whole swipe lies within an area.
fn somewhere(
    direction: Direction,
    (start, end): (Point, Point),
    range: std::ops::Range<f64>,
    rng: &mut Rng,
) -> Result<(Point, f64), Error> {
    if end.x < start.x || end.y < start.y {
        let message = "the area ends before it begins: its start is the upper left corner, its end the lower right one";
        return Err(Error::new(Kind::BadArgument, message));
    }
    let length = if matches!(direction, Direction::Up | Direction::Down) { end.y - start.y } else { end.x - start.x };
    let distance = distance(range, length, rng)?;
    let spare = length - distance;
    let (x, y) = (within(start.x..end.x, rng).round(), within(start.y..end.y, rng).round());
    let along = within(0.0..spare, rng).floor();
    let from = match direction {
        Direction::Up => Point { x, y: end.y - along },
        Direction::Down => Point { x, y: start.y + along },
        Direction::Left => Point { x: end.x - along, y },
        Direction::Right => Point { x: start.x + along, y },
    };
    Ok((from, distance))
}

fn moved(from: Point, direction: Direction, by: f64) -> Point {
    match direction {
        Direction::Up => Point { y: from.y - by, ..from },
        Direction::Down => Point { y: from.y + by, ..from },
        Direction::Left => Point { x: from.x - by, ..from },
        Direction::Right => Point { x: from.x + by, ..from },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swipe_stays_in_its_area() {
        let area = (Point { x: 100.0, y: 200.0 }, Point { x: 500.0, y: 600.0 });
        for seed in 0..100 {
            let mut rng = Rng::with_seed(seed);
            for direction in [Direction::Up, Direction::Down, Direction::Left, Direction::Right] {
                let (from, distance) = somewhere(direction, area, 100.0..300.0, &mut rng).expect("there is room");
                let to = moved(from, direction, distance);
                for point in [from, to] {
                    assert!(
                        (100.0..=500.0).contains(&point.x) && (200.0..=600.0).contains(&point.y),
                        "{from:?} {to:?}"
                    );
                }
                assert!((100.0..=300.0).contains(&distance), "{distance}");
            }
        }
        let error = somewhere(Direction::Up, area, 500.0..600.0, &mut Rng::with_seed(1)).expect_err("no room");
        assert_eq!(error.message, "there is room for 400 pixels, and the swipe is to go at least 500");
    }

    #[test]
    fn distances_have_defaults_that_fit() {
        assert_eq!(distances(None, None), Ok(100.0..300.0));
        assert_eq!(distances(Some(500.0), None), Ok(500.0..500.0));
        assert_eq!(distances(None, Some(50.0)), Ok(50.0..50.0));
        assert!(distances(Some(3.0), Some(2.0)).is_err());
    }

    #[test]
    fn a_text_is_typed_whole_and_unevenly() {
        let pieces = keystrokes("héllo 登录", Duration::from_millis(100), &mut Rng::with_seed(3));
        assert_eq!(pieces.iter().map(|piece| piece.text.as_str()).collect::<String>(), "héllo 登录");
        let pauses: Vec<u128> = pieces.iter().map(|piece| piece.pause.as_millis()).collect();
        assert!(pauses[..7].iter().all(|pause| (50..=150).contains(pause)) && pauses[7] == 0, "{pauses:?}");
        assert!(pauses.windows(2).any(|pair| pair[0].abs_diff(pair[1]) > 5), "{pauses:?}");
    }
}
