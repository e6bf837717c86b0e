//! What a mouse does and a finger does not: hovering, the other button, one thing dropped on another.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Aim, Lacking, Shape, ToolKind, Toolset, for_pages};
use uixt_driver::pages::Mouse;
use uixt_driver::{Gesture, Look, Point, Rect, Screen, key};
use uixt_locate::finder::Purpose;
use uixt_locate::stability::SAMPLE;
use uixt_locate::target::{Place, Target};
use uixt_locate::wording::describe;
use uixt_locate::{Error, occlusion};
use uixt_toolkit::gestures::place::PointOrElement;
use uixt_toolkit::gestures::tapping::Attempts;
use uixt_toolkit::gestures::touched::{Touched, mark_at};
use uixt_toolkit::pages::pages;
use uixt_toolkit::wait::{self, Ready};
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<SecondaryClick>(),
    ActionTool::of::<SecondaryClickBySelector>(),
    ActionTool::of::<ClickWithKeys>(),
    ActionTool::of::<Hover>(),
    ActionTool::of::<HoverBySelector>(),
    ActionTool::of::<DragTo>(),
];

/// What a phone says to it.
const NO_HOVER: &str = "hover: it has no mouse; `tap` may do instead";
const NO_CLICK: &str = "click as a mouse does: it has no mouse; `long_press` may do instead";

/// Returns where a mouse meets what is named, and what it is called.
async fn meet(cx: &Context, named: &PointOrElement) -> Result<(Point, String), Error> {
    match named.spot() {
        Some(spot) => Ok((spot.point(cx.driver()?.display().await?.size)?, spot.to_string())),
        None => found(cx, &named.waited.target, named.waited.timeout(cx)).await,
    }
}

/// A click that a finger cannot make.
struct Click {
    act: Box<dyn Fn(Point) -> Mouse + Send + Sync>,
    /// What is said of it: `Clicked with the second button`.
    done: String,
}

impl Click {
    fn secondary() -> Self {
        Self { act: Box::new(Mouse::SecondaryClick), done: "Clicked with the second button".to_owned() }
    }

    /// Clicks what is named: a point, or an element once it is there.
    async fn on(&self, cx: &Context, named: &PointOrElement) -> Result<Reply, Error> {
        let waited = &named.waited;
        let Some(spot) = named.spot() else { return self.on_element(cx, &waited.target, waited.timeout(cx)).await };
        let pages = pages(cx, NO_CLICK)?;
        let size = cx.driver()?.screen_size().await?;
        let at = spot.point(size)?;
        pages.mouse((self.act)(at)).await?;
        Ok(Reply { mark: Some(mark_at(at, size)), ..spot.reply(&self.done) })
    }

    /// Waits for an element and clicks it; what came in its place meanwhile is kept from that, and the click repeated.
    async fn on_element(&self, cx: &Context, target: &Target, timeout: Duration) -> Result<Reply, Error> {
        let (pages, mut attempts) = (pages(cx, NO_CLICK)?, Attempts::new(timeout));
        loop {
            let ready = attempts.ready(cx, target, Purpose::Touch).await?;
            let (at, what) = place_of(cx, &ready);
            let act = (self.act)(at);
            let astray = match ready.element.key() {
                Some(key) => pages.mouse_on(key, act).await?,
                None => pages.mouse(act).await.map(|()| None)?,
            };
            match astray {
                Some(by) => attempts.went_astray(cx, target, &what, &by)?,
                None => return told(cx, (at, what), &self.done).await,
            }
        }
    }
}

/// Returns where a mouse meets an element, and what it is called.
fn place_of(cx: &Context, ready: &Ready) -> (Point, String) {
    (cx.options.point_in(occlusion::reachable(&ready.element, &ready.screen)), describe(&ready.element))
}

/// Waits for an element, and returns where a mouse meets it.
pub(crate) async fn found(cx: &Context, target: &Target, timeout: Duration) -> Result<(Point, String), Error> {
    let ready = wait::ready(cx, target, Purpose::Touch, timeout).await?;
    Ok(place_of(cx, &ready))
}

async fn hover(cx: &Context, found: (Point, String)) -> Result<Reply, Error> {
    pages(cx, NO_HOVER)?.mouse(Mouse::Hover(found.0)).await?;
    told(cx, found, "Hovers over").await
}

async fn told(cx: &Context, (at, what): (Point, String), done: &str) -> Result<Reply, Error> {
    let size = cx.driver()?.screen_size().await?;
    let mut reply = Reply::new(format!("{done} {what}")).with("element", what).with("x", at.x).with("y", at.y);
    reply.mark = Some(mark_at(at, size));
    Ok(reply)
}

/// Click an element or a point with the mouse's second button, which opens context menus.
#[derive(Deserialize, JsonSchema)]
struct SecondaryClick {
    #[serde(flatten)]
    named: PointOrElement,
}

impl Tool for SecondaryClick {
    const NAME: &'static str = "secondary_click";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Gesture;
    const LACKING: &'static [Lacking] = &for_pages("it has no mouse; `long_press` may do instead");
    const IN_GOALS: bool = true;
    const AIM: Aim = Aim::Point(Err("points are not led to elements here"));
    const ALIASES: &'static [&'static str] = &["right_click"];
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
        Click::secondary().on(cx, &self.named).await
    }
}

/// Click an element or a point while keys are held, such as `Shift` to select up to there.
#[derive(Deserialize, JsonSchema)]
struct ClickWithKeys {
    #[serde(flatten)]
    named: PointOrElement,
    /// `Shift`, `Control+Shift`, `Alt`, `Meta`.
    keys: String,
}

impl Tool for ClickWithKeys {
    const NAME: &'static str = "click_with_keys";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Gesture;
    const LACKING: &'static [Lacking] = &for_pages("it has no keys to hold; `tap` may do instead");
    const IN_GOALS: bool = true;
    const AIM: Aim = Aim::Point(Err("points are not led to elements here"));
    const PARAMS: Shape = Shape::Fields(&["text", "keys"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("modifiers", "keys")];
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["element", "x", "y"];

    fn check(&self) -> Result<(), String> {
        held(&self.keys)?;
        self.named.check()
    }

    fn limit(&self) -> Duration {
        self.named.waited.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let numbers = held(&self.keys).unwrap_or_default();
        let act = Box::new(move |at| Mouse::ClickHolding(at, numbers.clone()));
        Click { act, done: format!("Held {} and clicked", self.keys) }.on(cx, &self.named).await
    }
}

/// Reads which keys are held: `Control+Shift`.
fn held(written: &str) -> Result<Vec<u32>, String> {
    let number = |name: &str| {
        key::modifier(name).ok_or_else(|| {
            format!(
                "`{name}` in `{written}` is no key to hold; write Shift, Control, Alt or Meta, with + between several"
            )
        })
    };
    written.split('+').map(number).collect()
}

/// An element by a selector.
#[derive(Deserialize, JsonSchema)]
struct Selected {
    /// CSS selector, XPath, or else a text.
    #[schemars(length(min = 1))]
    selector: String,
    /// Which of several, from 0; -1 is the last.
    #[serde(default)]
    index: Option<i32>,
    /// Seconds to wait; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
}

impl Selected {
    fn target(&self) -> Target {
        Target { index: self.index, ..Target::of_selector(&self.selector) }
    }

    async fn find(&self, cx: &Context) -> Result<(Point, String), Error> {
        found(cx, &self.target(), wait::timeout(cx, self.timeout)).await
    }
}

/// Click an element with the mouse's second button, by a selector.
#[derive(Deserialize, JsonSchema)]
struct SecondaryClickBySelector {
    #[serde(flatten)]
    selected: Selected,
}

impl Tool for SecondaryClickBySelector {
    const NAME: &'static str = "secondary_click_by_selector";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Gesture;
    const LACKING: &'static [Lacking] = &for_pages("it has no mouse; `long_press` may do instead");
    const ALIAS_OF: Option<&'static str> = Some("secondary_click");
    const PARAMS: Shape = Shape::Fields(&["selector"]);
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["element", "x", "y"];

    fn check(&self) -> Result<(), String> {
        self.selected.target().check()
    }

    fn limit(&self) -> Duration {
        wait::limit(self.selected.timeout)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        Click::secondary().on_element(cx, &self.selected.target(), wait::timeout(cx, self.selected.timeout)).await
    }
}

/// Move the mouse over a point or an element, and leave it there.
#[derive(Deserialize, JsonSchema)]
struct Hover {
    #[serde(flatten)]
    named: PointOrElement,
}

impl Tool for Hover {
    const NAME: &'static str = "hover";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Move;
    const LACKING: &'static [Lacking] = &for_pages("it has no mouse; `tap` may do instead");
    const AIM: Aim = Aim::Point(Err("points are not led to elements here"));
    const PARAMS: Shape = Shape::TextOrNumbers("text", &["x", "y"]);
    const TARGET_MAY_BE_ABSENT: bool = true;
    const DESTRUCTIVE: bool = false;
    const ANSWER: &'static [&'static str] = &["element", "x", "y"];

    fn check(&self) -> Result<(), String> {
        self.named.check()
    }

    fn limit(&self) -> Duration {
        self.named.waited.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        pages(cx, NO_HOVER)?;
        let found = meet(cx, &self.named).await?;
        hover(cx, found).await
    }
}

/// Move the mouse over an element, by a selector, and leave it there.
#[derive(Deserialize, JsonSchema)]
struct HoverBySelector {
    #[serde(flatten)]
    selected: Selected,
}

impl Tool for HoverBySelector {
    const NAME: &'static str = "hover_by_selector";
    const SET: Option<Toolset> = Some(Toolset::Aliases);
    const KIND: ToolKind = ToolKind::Move;
    const LACKING: &'static [Lacking] = &for_pages("it has no mouse; `tap` may do instead");
    const ALIAS_OF: Option<&'static str> = Some("hover");
    const PARAMS: Shape = Shape::Fields(&["selector"]);
    const TARGET_MAY_BE_ABSENT: bool = true;
    const DESTRUCTIVE: bool = false;
    const ANSWER: &'static [&'static str] = &["element", "x", "y"];

    fn check(&self) -> Result<(), String> {
        self.selected.target().check()
    }

    fn limit(&self) -> Duration {
        wait::limit(self.selected.timeout)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        pages(cx, NO_HOVER)?;
        let found = self.selected.find(cx).await?;
        hover(cx, found).await
    }
}

/// How long the way from one element to the other takes.
const CARRIED: Duration = Duration::from_millis(400);

/// Carries an element onto another, by the gesture that leads from one point to the other; what came in its place meanwhile is kept
/// from that, and the gesture repeated. Returns what both are called, the points, and the touch.
pub(crate) async fn carry(
    cx: &Context,
    source: &Target,
    target: &Target,
    timeout: Duration,
    gesture: impl Fn(Point, Point) -> Gesture,
) -> Result<Carried, Error> {
    let mut attempts = Attempts::new(timeout);
    loop {
        let (_, onto) = found(cx, target, timeout).await?;
        // What is looked at last was brought into view; where the other lies then is what counts.
        let from = attempts.ready(cx, source, Purpose::Touch).await?;
        let to = wait::ready(cx, target, Purpose::Look, timeout).await?;
        let what = describe(&from.element);
        let (start, end) = (
            occlusion::reachable(&from.element, &from.screen).center(),
            occlusion::reachable(&to.element, &to.screen).center(),
        );
        let bounds = to.screen.bounds();
        if !bounds.contains(end) || !bounds.contains(start) {
            let message = format!("{what} and {onto} are not in view together: scroll first, or drag in two steps");
            return Err(Error::new(uixt_locate::Kind::NotFound, message));
        }
        let touched = cx.perform_on(&from.element, gesture(start, end), to.screen.display()).await?;
        match &touched.astray {
            Some(by) => attempts.went_astray(cx, source, &what, by)?,
            None => return Ok(Carried { what, onto, start, end, touched, before: to.screen }),
        }
    }
}

/// An element that was carried onto another.
pub(crate) struct Carried {
    pub what: String,
    pub onto: String,
    pub start: Point,
    pub end: Point,
    pub touched: Touched,
    /// What the screen showed before.
    pub before: Screen,
}

/// For how long what was let go may glide to where it stays.
const GLIDING: Duration = Duration::from_secs(2);
/// For how long it has to stand still there.
const RESTING: Duration = Duration::from_millis(250);

impl Carried {
    /// Fails where a page is as it was before: what was dragged did not go anywhere. What is drawn on a canvas is not told.
    async fn check(&self, cx: &Context) -> Result<(), Error> {
        let is_told = |screen: &Screen| {
            let mut told = !screen.page.is_empty();
            screen
                .roots
                .iter()
                .for_each(|root| root.walk(&mut |one| told &= one.class != "canvas" && one.class != "video"));
            told
        };
        if !is_told(&self.before) {
            return Ok(());
        }
        let (began, mut waiting) = (Instant::now(), cx.waiting());
        let mut now = cx.look_with(Look { settled: true, ..Look::default() }).await?;
        // What is refused glides back, and may not have begun to.
        let mut rests = Instant::now();
        while stands(&now) != stands(&self.before) && began.elapsed() < GLIDING && rests.elapsed() < RESTING {
            waiting.pause(SAMPLE).await;
            let next = cx.look_with(Look::default()).await?;
            if stands(&next) != stands(&now) {
                rests = Instant::now();
            }
            now = next;
        }
        if stands(&now) != stands(&self.before) || now.notes.title != self.before.notes.title {
            return Ok(());
        }
        let message = format!(
            "dragged {} onto {}, and nothing went anywhere: the page shows what it showed before; what is dragged may be a part of it, such as a handle",
            self.what, self.onto
        );
        Err(Error::new(uixt_locate::Kind::Assertion, message))
    }
}

/// Returns what stands where on a screen.
fn stands(screen: &Screen) -> Vec<(Rect, String, bool, bool)> {
    let mut all = Vec::new();
    screen.roots.iter().for_each(|root| {
        root.walk(&mut |one| all.push((one.rect, one.name().to_owned(), one.checked, one.selected)));
    });
    all
}

/// Drag one element onto another.
#[derive(Deserialize, JsonSchema)]
struct DragTo {
    /// What is dragged: text, #id or target.
    from: Place,
    /// Where it is dropped: text, #id or target.
    to: Place,
    /// Seconds to wait for each; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
}

impl Tool for DragTo {
    const NAME: &'static str = "drag_to";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Move;
    const AIM: Aim = Aim::Argument("from");
    // Of its two places, only one is touched.
    const PURPOSE: Option<Purpose> = Some(Purpose::Read);
    const ALIASES: &'static [&'static str] = &["drag_and_drop"];
    const PARAMS: Shape = Shape::Fields(&["from", "to"]);
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["element", "onto", "from_x", "from_y", "to_x", "to_y"];

    fn check(&self) -> Result<(), String> {
        for (name, place) in [("from", &self.from), ("to", &self.to)] {
            place.0.check().map_err(|message| format!("{name}: {message}"))?;
        }
        Ok(())
    }

    fn limit(&self) -> Duration {
        wait::limit(self.timeout) * 2
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let timeout = wait::timeout(cx, self.timeout);
        let drag = |from, to| Gesture::Drag { from, to, duration: CARRIED };
        let carried = carry(cx, &self.from.0, &self.to.0, timeout, drag).await?;
        carried.check(cx).await?;
        let Carried { what, onto, start, end, touched, .. } = carried;
        Ok(Reply::new(format!("Dragged {what} onto {onto}"))
            .with("element", what)
            .with("onto", onto)
            .with("from_x", start.x)
            .with("from_y", start.y)
            .with("to_x", end.x)
            .with("to_y", end.y)
            .touched(touched))
    }
}
