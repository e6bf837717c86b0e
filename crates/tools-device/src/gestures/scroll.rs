//! Scrolling: by an amount, to an element, or swiping until an element is there.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_driver::{Element, Gesture, Point, Rect, Screen};
use uixt_locate::finder::{self, Purpose};
use uixt_locate::motion::Settled;
use uixt_locate::target::{Place, Target};
use uixt_locate::wording::describe;
use uixt_locate::{Error, Kind, listed};
use uixt_toolkit::{ActionTool, Context, LIMIT, Reply, Tool, gestures, wait};

use super::scroll_search::{self, ScrollSearch};
use super::swipe::Direction as Finger;
use super::way::Way;

/// The rows of the table.
pub const TOOLS: &[ActionTool] =
    &[ActionTool::of::<Scroll>(), ActionTool::of::<ScrollTo>(), ActionTool::of::<SwipeToFind>()];

/// The part of a view that one swipe crosses at most: fingers keep off its edges, which belong to the system.
const STROKE: f64 = 0.7;
/// How much a view is scrolled where nothing else is said.
const AMOUNT: f64 = 0.7;
/// How much it is scrolled to see an element whole.
const NUDGE: f64 = 0.2;
/// How often it is nudged at most.
const NUDGES: u32 = 4;
/// Swipes at most where nothing else is said: to an element in a list, and to one on any screen.
const LONG: u32 = 30;
const SHORT: u32 = 10;
/// Swipes in a row that change nothing, after which the end is reached: what loads more at its end gets a second chance.
const MAX_UNCHANGED: u32 = 2;
/// A finger that takes so long does not throw what it scrolls.
const SLOW: Duration = Duration::from_millis(700);

/// Where to look: what lies there comes into view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Side {
    Up,
    #[default]
    Down,
    Left,
    Right,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Left => "left",
            Self::Right => "right",
        }
    }

    fn opposite(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }

    fn is_upright(self) -> bool {
        matches!(self, Self::Up | Self::Down)
    }

    /// Returns the swipe that moves a view's content by a part of the view: the finger goes the other way.
    fn swipe(self, view: Rect, part: f64) -> Gesture {
        let middle = view.center();
        let (wide, high) =
            (f64::from(view.right - view.left) * part / 2.0, f64::from(view.bottom - view.top) * part / 2.0);
        let (x, y) = match self {
            Self::Up => (0.0, high),
            Self::Down => (0.0, -high),
            Self::Left => (wide, 0.0),
            Self::Right => (-wide, 0.0),
        };
        let from = Point { x: middle.x - x, y: middle.y - y };
        let to = Point { x: middle.x + x, y: middle.y + y };
        Gesture::Swipe { from, to, duration: SLOW }
    }
}

/// Scroll the screen or a container; `down` shows what lies below.
#[derive(Deserialize, JsonSchema)]
struct Scroll {
    /// Where to look; down by default.
    #[serde(default)]
    direction: Side,
    /// How far, in lengths of what scrolls; 0.7 by default.
    #[serde(default)]
    #[schemars(range(min = 0.05, max = 20.0))]
    amount: Option<f64>,
    /// What to scroll: text, #id or target; the largest that scrolls by default.
    #[serde(default)]
    within: Option<Place>,
    /// Seconds to wait for it; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
}

impl Scroll {
    fn amount(&self) -> f64 {
        self.amount.unwrap_or(AMOUNT)
    }
}

impl Tool for Scroll {
    const NAME: &'static str = "scroll";
    const SET: Option<Toolset> = Some(Toolset::Gestures);
    const KIND: ToolKind = ToolKind::Scroll;
    const IN_GOALS: bool = true;
    const DESTRUCTIVE: bool = false;
    const PARAMS: Shape = Shape::Fields(&["direction", "amount"]);
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["direction", "amount", "moved", "end"];

    fn check(&self) -> Result<(), String> {
        self.within.as_ref().map_or(Ok(()), |within| within.0.check().map_err(|message| format!("within: {message}")))
    }

    fn limit(&self) -> Duration {
        wait::limit(self.timeout)
            + scroll_search::TURN * u32::try_from(strokes(self.amount()).len()).unwrap_or(u32::MAX)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        if let Some(within) = &self.within {
            wait::visible(cx, &within.0, wait::timeout(cx, self.timeout)).await?;
        }
        let before = scroll_search::settled(cx).await?;
        let view = view(cx, self.within.as_ref().map(|within| &within.0), &before)?;
        let mut reply = Reply::default();
        for part in strokes(self.amount()) {
            reply = reply.touched(cx.perform(self.direction.swipe(view, part), before.display()).await?);
        }
        let moved = scroll_search::settled(cx).await?.differs_from(&before);
        Ok(scrolled(reply, self.direction, self.amount(), moved))
    }
}

/// Scrolls the largest part of the screen that scrolls by so many pixels, or by its own length.
pub(crate) async fn by_pixels(cx: &Context, side: Side, pixels: Option<u32>) -> Result<Reply, Error> {
    let before = scroll_search::settled(cx).await?;
    let view = view(cx, None, &before)?;
    let length = f64::from(if side.is_upright() { view.bottom - view.top } else { view.right - view.left }).max(1.0);
    let amount = pixels.map_or(1.0, |pixels| f64::from(pixels) / length);
    let mut reply = Reply::default();
    for part in strokes(amount) {
        reply = reply.touched(cx.perform(side.swipe(view, part), before.display()).await?);
    }
    Ok(scrolled(reply, side, amount, scroll_search::settled(cx).await?.differs_from(&before)))
}

/// Says how far was scrolled, and whether that moved anything.
fn scrolled(mut reply: Reply, side: Side, amount: f64, moved: bool) -> Reply {
    let name = side.name();
    reply.message = match moved {
        true => format!("Scrolled {name}"),
        false => format!("Nothing moved: there is no more to scroll {name}"),
    };
    reply.with("direction", name).with("amount", amount).with("moved", moved).with("end", !moved)
}

/// Splits an amount into swipes, none of which crosses more than [`STROKE`] of the view.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 29 swipes")]
fn strokes(amount: f64) -> Vec<f64> {
    let count = (amount / STROKE - 1e-9).ceil().max(1.0);
    vec![amount / count; count as usize]
}

/// Returns the part of the screen that is scrolled: a container, else the largest that scrolls, else the whole screen.
fn view(cx: &Context, within: Option<&Target>, screen: &Screen) -> Result<Rect, Error> {
    let element = match within {
        Some(target) => {
            let refs = cx.refs();
            let found = finder::pick(target, Purpose::Read, screen, refs.as_ref())?;
            Some(found.ok_or_else(|| Error::new(Kind::NotFound, format!("{target}: not there any more")))?)
        }
        None => largest(screen),
    };
    let whole = screen.bounds();
    Ok(element.map_or(whole, |element| element.rect.intersect(&whole)))
}

fn largest(screen: &Screen) -> Option<&Element> {
    let mut found: Option<(i64, &Element)> = None;
    for root in &screen.roots {
        root.walk(&mut |element| {
            let seen = element.rect.intersect(&screen.bounds());
            let size = i64::from(seen.right - seen.left) * i64::from(seen.bottom - seen.top);
            if element.scrollable && !seen.is_empty() && found.is_none_or(|(largest, _)| size > largest) {
                found = Some((size, element));
            }
        });
    }
    found.map(|(_, element)| element)
}

/// Scroll until an element is there and whole.
#[derive(Deserialize, JsonSchema)]
struct ScrollTo {
    #[serde(flatten)]
    target: Target,
    /// Where to look; down by default.
    #[serde(default)]
    direction: Side,
    /// Swipes at most; 30 by default.
    #[serde(default)]
    #[schemars(range(min = 0, max = 500))]
    max_swipes: Option<u32>,
}

impl ScrollTo {
    fn search(&self) -> ScrollSearch {
        ScrollSearch {
            most: self.max_swipes.unwrap_or(LONG),
            interval: Duration::ZERO,
            max_unchanged: Some(MAX_UNCHANGED),
        }
    }

    fn within(&self) -> Option<&Target> {
        self.target.within.as_ref().map(|within| &within.0)
    }

    /// Scrolls on a little until nothing of the element is cut off.
    async fn show_whole(&self, cx: &Context, mut found: Element, screen: Screen) -> Result<Element, Error> {
        let mut screen = Settled::whole(screen);
        for _ in 0..NUDGES {
            let view = view(cx, self.within(), &screen)?;
            let Some(side) = cut_at(found.rect, view, self.direction) else { break };
            cx.perform(side.swipe(view, NUDGE), screen.display()).await?;
            let after = scroll_search::settled(cx).await?;
            let refs = cx.refs();
            let Some(again) = finder::pick(&self.target, Purpose::Look, &after, refs.as_ref())? else { break };
            // Where nothing moves any more, it is as whole as it can be.
            if !after.differs_from(&screen) {
                break;
            }
            (found, screen) = (again.clone(), after);
        }
        Ok(found)
    }
}

/// Returns the side at which a view cuts an element off; nothing for one that fills the view, which can never be seen whole.
fn cut_at(rect: Rect, view: Rect, direction: Side) -> Option<Side> {
    let (begins, ends) = match direction.is_upright() {
        true => (rect.top <= view.top, rect.bottom >= view.bottom),
        false => (rect.left <= view.left, rect.right >= view.right),
    };
    let (back, forth) = match direction.is_upright() {
        true => (Side::Up, Side::Down),
        false => (Side::Left, Side::Right),
    };
    match (begins, ends) {
        (true, false) => Some(back),
        (false, true) => Some(forth),
        _ => None,
    }
}

impl Tool for ScrollTo {
    const NAME: &'static str = "scroll_to";
    const SET: Option<Toolset> = Some(Toolset::Core);
    const KIND: ToolKind = ToolKind::Search;
    const VERB: Option<&'static str> = Some("find");
    const IN_BROWSER_CORE: bool = true;
    const DESTRUCTIVE: bool = false;
    const IDEMPOTENT: bool = true;
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("max_retry_times", "max_swipes")];
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["element", "swipes", "rect"];

    fn check(&self) -> Result<(), String> {
        self.target.check()
    }

    fn limit(&self) -> Duration {
        LIMIT + self.search().limit() + scroll_search::TURN * NUDGES
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        wait::reveal(cx, &self.target).await?;
        let refs = cx.refs();
        let look = |screen: &Screen| {
            let found = finder::pick(&self.target, Purpose::Look, screen, refs.as_ref())?;
            Ok(found.filter(|element| listed::is_on(screen, element)).cloned())
        };
        let swipe = |screen: &Screen| Ok(self.direction.swipe(view(cx, self.within(), screen)?, STROKE));
        let arrival = self.search().go(cx, swipe, look).await?;
        let Some(found) = arrival.found else {
            let name = self.direction.name();
            let how = scroll_search::swipes(arrival.swipes);
            let why = match arrival.at_end {
                true => format!(
                    "the end was reached, {name}, {how}; what lies the other way, {}, was not looked at",
                    self.direction.opposite().name()
                ),
                false => format!("{how} {name}"),
            };
            return Err(absent(&self.target, &arrival.screen, &why, arrival.swipes));
        };
        cx.options.trace.see_one(&arrival.screen, &|element| *element == found, Purpose::Look);
        let found = self.show_whole(cx, found, arrival.screen).await?;
        let what = describe(&found);
        let rect = found.rect;
        Ok(Reply::new(format!("Scrolled to {what} {}", scroll_search::swipes(arrival.swipes)))
            .with("element", what)
            .with("swipes", arrival.swipes)
            .with("rect", json!([rect.left, rect.top, rect.right, rect.bottom])))
    }
}

/// Swipe over the middle of the screen until an element is there.
#[derive(Deserialize, JsonSchema)]
struct SwipeToFind {
    #[serde(flatten)]
    target: Target,
    /// Where the finger goes (up by default), or 4 coordinates.
    #[serde(default)]
    direction: Option<Way>,
    /// Swipes at most; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0, max = 500))]
    max_swipes: Option<u32>,
    /// Seconds to wait after each swipe; none by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 60.0))]
    interval: Option<f64>,
}

impl SwipeToFind {
    fn search(&self) -> ScrollSearch {
        ScrollSearch {
            most: self.max_swipes.unwrap_or(SHORT),
            interval: gestures::seconds(self.interval),
            max_unchanged: None,
        }
    }

    fn way(&self) -> Way {
        self.direction.unwrap_or(Way::To(Finger::Up))
    }
}

impl Tool for SwipeToFind {
    const NAME: &'static str = "swipe_to_find";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Search;
    const ALIAS_OF: Option<&'static str> = Some("scroll_to");
    const DESTRUCTIVE: bool = false;
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("max_retry_times", "max_swipes")];
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["element", "swipes", "rect"];

    fn check(&self) -> Result<(), String> {
        self.way().check()?;
        self.target.check()
    }

    fn limit(&self) -> Duration {
        LIMIT + self.search().limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let (refs, way) = (cx.refs(), self.way());
        let look = |screen: &Screen| {
            let found = finder::pick(&self.target, Purpose::Look, screen, refs.as_ref())?;
            Ok(found.filter(|element| listed::is_on(screen, element)).cloned())
        };
        let arrival = self.search().go(cx, |screen| way.gesture(screen.size), look).await?;
        let Some(found) = arrival.found else {
            let end = if arrival.at_end { ", of which the last changed nothing" } else { "" };
            let why = format!("{} {way}{end}", scroll_search::swipes(arrival.swipes));
            return Err(absent(&self.target, &arrival.screen, &why, arrival.swipes));
        };
        let (what, rect) = (describe(&found), found.rect);
        Ok(Reply::new(format!("Found {what} {}", scroll_search::swipes(arrival.swipes)))
            .with("element", what)
            .with("swipes", arrival.swipes)
            .with("rect", json!([rect.left, rect.top, rect.right, rect.bottom])))
    }
}

/// Builds the error of an element that no swipe brought into view.
fn absent(target: &Target, screen: &Screen, why: &str, swipes: u32) -> Error {
    let near = finder::nearest_names(target, screen);
    let nearest = near.first().map(|name| format!("; nearest on the last screen: \"{name}\"")).unwrap_or_default();
    Error::new(Kind::NotFound, format!("{target}: not there: {why}{nearest}"))
        .with("swipes", swipes)
        .with("nearest", json!(near))
        .with("app", screen.package.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use uixt_driver::Size;

    const VIEW: Rect = Rect { left: 0, top: 200, right: 1000, bottom: 1200 };

    #[test]
    fn content_comes_from_where_one_looks() {
        let ends = |side: Side| match side.swipe(VIEW, 0.6) {
            Gesture::Swipe { from, to, .. } => (from.x, from.y, to.x, to.y),
            other => panic!("{other:?}"),
        };
        assert_eq!(ends(Side::Down), (500.0, 1000.0, 500.0, 400.0));
        assert_eq!(ends(Side::Up), (500.0, 400.0, 500.0, 1000.0));
        assert_eq!(ends(Side::Right), (800.0, 700.0, 200.0, 700.0));
    }

    #[test]
    fn a_long_way_is_several_swipes() {
        assert_eq!(strokes(0.7), [0.7]);
        assert_eq!(strokes(0.05), [0.05]);
        let three = strokes(1.5);
        assert!(three.len() == 3 && (three.iter().sum::<f64>() - 1.5).abs() < 1e-9);
        assert_eq!(strokes(20.0).len(), 29);
    }

    #[test]
    fn what_touches_an_edge_may_be_cut_off() {
        let rect = |top, bottom| Rect { left: 0, top, right: 1000, bottom };
        assert_eq!(cut_at(rect(1100, 1200), VIEW, Side::Down), Some(Side::Down));
        assert_eq!(cut_at(rect(200, 300), VIEW, Side::Down), Some(Side::Up));
        assert_eq!(cut_at(rect(300, 400), VIEW, Side::Down), None);
        assert_eq!(cut_at(rect(200, 1200), VIEW, Side::Down), None);
    }

    #[test]
    fn the_largest_that_scrolls_is_meant() {
        let view = |bottom, scrollable| Element {
            rect: Rect { left: 0, top: 0, right: 10, bottom },
            scrollable,
            ..Element::default()
        };
        let roots = vec![view(100, false), view(50, true), view(30, true)];
        let screen = Screen {
            package: String::new(),
            size: Size { width: 10, height: 100 },
            lit: true,
            roots,
            ..Screen::default()
        };
        assert_eq!(largest(&screen).map(|element| element.rect.bottom), Some(50));
    }
}
