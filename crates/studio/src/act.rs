//! What somebody does with the mouse and the keys over a screen → what is done on the device: at once by its driver, or by a tool where it is to
//! become a step.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use uixt_call::{Call, CallRecord, CallToolRequest, Content};
use uixt_driver::pages::Mouse;
use uixt_driver::{Gesture, Key, Orientation, Point, Screen, Size, Stop};
use uixt_locate::finder::Purpose;
use uixt_locate::{Error, Kind, Object, naming};

use crate::said::Place;
use crate::stage::{Seen, Stage};
use crate::{drawn, picker, point};

/// A finger that rests as long before it moves carries what lies under it.
const CARRIES: Duration = Duration::from_millis(450);
/// A movement that takes as long is meant to.
const SLOW: Duration = Duration::from_secs(1);
/// The shortest and the longest time that a movement takes.
const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(10);
/// Stops of a movement, at most.
const STOPS: usize = 200;

/// What something is done on: a screen as it was read, its size as it is, and whether it is that of a page.
#[derive(Clone, Copy)]
pub(crate) struct On<'a> {
    pub(crate) screen: &'a Screen,
    pub(crate) size: Size,
    pub(crate) is_page: bool,
}

/// A point, in pixels of the device.
type At = [f64; 2];

/// What is done; one of the first fields says which.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Act {
    tap: Option<At>,
    double_tap: Option<At>,
    long_press: Option<At>,
    right_click: Option<At>,
    /// Points, each with the milliseconds since the first.
    path: Option<Vec<[f64; 3]>>,
    scroll: Option<At>,
    /// Two fingers around a point; `scale` says how many times as far apart they end.
    pinch: Option<At>,
    scale: f64,
    r#type: Option<String>,
    key: Option<String>,
    back: bool,
    home: bool,
    app_switch: bool,
    rotate: Option<String>,
    url: Option<String>,
    tab: Option<usize>,
    dialog: Option<String>,
    /// An option of the list, files for the field, or the value of what is not typed into, that stands `at` a point.
    option: Option<String>,
    files: Option<Vec<String>>,
    value: Option<String>,
    at: At,
    /// How long a press lasts.
    ms: f64,
    /// How far is scrolled, to the right and down.
    by: At,
    /// What a dialog is answered with.
    text: Option<String>,
}

impl Act {
    /// Returns where it taps.
    pub(crate) fn tapped(&self) -> Option<At> {
        self.tap
    }

    /// Tells whether what it means is found on the screen as it was last read.
    pub(crate) fn is_by_what_is_seen(&self) -> bool {
        self.path.is_some() || self.right_click.is_some() || self.chosen().is_some()
    }

    /// Returns the call by which a testcase says what somebody did on a phone by themselves.
    pub(crate) fn on_phone(&self, screen: &Screen) -> Option<CallToolRequest> {
        let on = On { screen, size: screen.size, is_page: false };
        self.named(on).or_else(|| self.request(on))
    }

    /// Returns what is chosen, and at which point.
    fn chosen(&self) -> Option<(At, (&'static str, Value))> {
        let option = self.option.as_ref().map(|option| ("option", json!(option)));
        let files = || match &self.files.as_ref()?[..] {
            [only] => Some(("files", json!(only))),
            several => Some(("files", json!(several))),
        };
        let what = option.or_else(files).or_else(|| self.value.as_ref().map(|value| ("value", json!(value))))?;
        Some((self.at, what))
    }

    /// Returns the call by which a testcase says the same; none of what a testcase need not say.
    fn request(&self, on: On<'_>) -> Option<CallToolRequest> {
        let On { size, is_page, .. } = on;
        let at = |[x, y]: At, more: Value| {
            let mut arguments = json!({"x": fraction(x, size.width), "y": fraction(y, size.height)});
            merge(&mut arguments, more);
            arguments
        };
        let (tool, arguments) = match self {
            Self { tap: Some(point), .. } => ("tap", at(*point, json!({}))),
            Self { double_tap: Some(point), .. } => ("double_tap", at(*point, json!({}))),
            Self { long_press: Some(point), .. } => {
                ("long_press", at(*point, json!({"duration": (self.ms / 1000.0).clamp(0.5, 10.0)})))
            }
            Self { right_click: Some(point), .. } => ("secondary_click", at(*point, json!({}))),
            Self { path: Some(path), .. } => return movement(path, size),
            Self { scroll: Some(_), .. } if is_page => return None,
            Self { scroll: Some(_), .. } => ("swipe", json!({"direction": opposite(self.by)})),
            Self { pinch: Some(point), .. } => ("pinch", self.pinched(on.screen, *point)),
            Self { r#type: Some(text), .. } => ("input", json!({"text": text})),
            Self { key: Some(key), .. } if is_page => ("press_key", json!({"key": key})),
            Self { key: Some(key), .. } => ("press_button", json!({"button": button(key)?})),
            Self { back: true, .. } => ("back", json!({})),
            Self { home: true, .. } => ("home", json!({})),
            Self { app_switch: true, .. } => ("press_button", json!({"button": "app_switch"})),
            Self { rotate: Some(way), .. } => ("set_orientation", json!({"orientation": way})),
            Self { url: Some(url), .. } => ("open_url", json!({"url": url})),
            Self { tab: Some(index), .. } => ("switch_tab", json!({"tab_index": index})),
            Self { dialog: Some(answer), .. } if answer == "accept" => match &self.text {
                Some(text) => ("accept_dialog", json!({"text": text})),
                None => ("accept_dialog", json!({})),
            },
            Self { dialog: Some(_), .. } => ("dismiss_dialog", json!({})),
            _ => return None,
        };
        Some(call(tool, arguments))
    }

    /// Does it by a tool, and returns what that did, so that it can become a step; nothing of what no testcase says.
    pub(crate) async fn recorded(&self, stage: &Stage) -> Result<Vec<CallRecord>, Error> {
        if let Some((at, what)) = self.chosen() {
            return picker::chosen(stage, at, what).await.map(|done| done.records);
        }
        let seen = stage.seen();
        if let Some(request) = self.named(stage.on(&seen)) {
            return asked(stage, request).await.map(|done| done.records);
        }
        let drawn = self.drawn(stage).await;
        match drawn.or_else(|| self.request(stage.on(&seen))) {
            Some(request) => asked(stage, request).await.map(|done| done.records),
            None => self.done(stage).await.map(|()| Vec::new()),
        }
    }

    /// Returns the call that taps a text which is drawn where no element is; none where nothing is read there.
    async fn drawn(&self, stage: &Stage) -> Option<CallToolRequest> {
        let at = self.tap?;
        let is_mute = |seen: Arc<Seen>| point::is_mute(&seen.screen, &Place::at(at));
        // What was read last may be of another page.
        if !is_mute(stage.seen()) || !is_mute(stage.look().await) {
            return None;
        }
        let line = drawn::at(stage, at).await.ok().flatten()?;
        Some(call("tap", Value::Object(line.target)))
    }

    /// Returns the call that names what is met: what the second button of a mouse clicks, or what is dragged onto what; none where that has no
    /// name.
    fn named(&self, on: On<'_>) -> Option<CallToolRequest> {
        let met = |at: At| {
            let (_, element) = point::element(on.screen, &Place::at(at))?;
            let target = naming::target(element, on.screen, Purpose::Touch)?;
            (element.role != "slider").then_some((target, element.rect))
        };
        if let Some(at) = self.right_click {
            return met(at).map(|(target, _)| call("secondary_click", Value::Object(target)));
        }
        let path = self.path.as_ref()?;
        // On a phone, a finger that does not rest scrolls.
        if !on.is_page && times(path).0 < CARRIES {
            return None;
        }
        let ([from_x, from_y, _], [to_x, to_y, _]) = (*path.first()?, *path.last()?);
        let ((from, from_rect), (to, to_rect)) = (met([from_x, from_y])?, met([to_x, to_y])?);
        let ends = json!({"from": naming::short_target(&from), "to": naming::short_target(&to)});
        (from_rect != to_rect).then(|| call("drag_to", ends))
    }

    /// Says what two fingers zoom: the element at a point, or else the middle of the screen.
    fn pinched(&self, screen: &Screen, at: At) -> Value {
        let element = point::element(screen, &Place::at(at));
        let target = element.and_then(|(_, element)| naming::target(element, screen, Purpose::Touch));
        let mut arguments = Value::Object(target.unwrap_or_default());
        merge(&mut arguments, json!({"scale": (self.scale.clamp(0.2, 5.0) * 10.0).round() / 10.0}));
        arguments
    }

    /// Does it at once.
    pub(crate) async fn done(&self, stage: &Stage) -> Result<(), Error> {
        if let Some((at, what)) = self.chosen() {
            return picker::chosen(stage, at, what).await.map(drop);
        }
        let driver = &stage.driver;
        let is_page = driver.info().platform == "browser";
        let point = |[x, y]: &At| Point { x: *x, y: *y };
        let gesture = match self {
            Self { tap: Some(at), .. } => Gesture::Tap { at: point(at), hold: Duration::ZERO },
            Self { double_tap: Some(at), .. } => Gesture::DoubleTap { at: point(at) },
            Self { long_press: Some(at), .. } => {
                Gesture::Tap { at: point(at), hold: millis(self.ms).clamp(Duration::from_millis(500), LONGEST) }
            }
            Self { path: Some(path), .. } => path_of(path),
            Self { scroll: Some(at), .. } if !is_page => scrolled(point(at), self.by, stage.size()),
            Self { r#type: Some(text), .. } => return Ok(driver.type_text(text).await?),
            Self { right_click: Some(at), .. } => {
                let pages = driver.pages("click with the second button")?;
                return Ok(pages.mouse(Mouse::SecondaryClick(point(at))).await?);
            }
            Self { scroll: Some(_), .. } => return self.page_scrolled(stage).await,
            Self { back: true, .. } if !is_page => return Ok(driver.press(Key::Back).await?),
            Self { home: true, .. } => return Ok(driver.press(Key::Home).await?),
            Self { app_switch: true, .. } => return Ok(driver.press(Key::AppSwitch).await?),
            Self { rotate: Some(way), .. } => {
                let way = if way == "landscape" { Orientation::Landscape } else { Orientation::Portrait };
                return Ok(driver.set_orientation(Some(way)).await?);
            }
            Self { tab: Some(index), .. } => return Ok(driver.pages("show a tab")?.show_tab(*index).await?),
            Self { dialog: Some(answer), .. } => {
                return Ok(driver.answer_page_dialog(answer == "accept", self.text.as_deref()).await?);
            }
            _ => {
                let seen = stage.seen();
                let request = self.request(stage.on(&seen));
                let why = "this is nothing that the device can be asked for";
                return asked(stage, request.ok_or_else(|| Error::bad_argument(why))?).await.map(drop);
            }
        };
        Ok(driver.perform(gesture).await?)
    }

    async fn page_scrolled(&self, stage: &Stage) -> Result<(), Error> {
        let tool = if self.by[1] < 0.0 { "browser_scroll_up" } else { "browser_scroll_down" };
        let amount = self.by[1].abs().round().clamp(1.0, 10_000.0);
        asked(stage, call(tool, json!({"amount": amount}))).await.map(drop)
    }
}

/// What a call gave.
pub(crate) struct Answer {
    pub(crate) records: Vec<CallRecord>,
    pub(crate) told: Value,
    pub(crate) png: Option<Vec<u8>>,
}

pub(crate) fn call(tool: &'static str, arguments: Value) -> CallToolRequest {
    let arguments = match arguments {
        Value::Object(arguments) => arguments,
        _ => Object::new(),
    };
    CallToolRequest::new(tool).with_arguments(arguments)
}

/// Makes a call, and tells what it did.
pub(crate) async fn asked(stage: &Stage, mut request: CallToolRequest) -> Result<Answer, Error> {
    request.options.records = true;
    let mut result = stage.caller.call(request, Call::default()).await;
    let records = CallRecord::take(&mut result);
    stage.stir();
    let told = result.structured_content.clone().unwrap_or_default();
    if result.is_failure() {
        let word = |key: &str| told.get(key).and_then(Value::as_str).map(str::to_owned);
        let kind = told.get("kind").and_then(|kind| Kind::deserialize(kind).ok()).unwrap_or(Kind::Device);
        return Err(Error::new(kind, word("message").unwrap_or_else(|| "the device did not do it".to_owned())));
    }
    Ok(Answer { records, told, png: result.content.iter().find_map(Content::to_png) })
}

pub(crate) fn merge(into: &mut Value, more: Value) {
    if let (Value::Object(into), Value::Object(more)) = (into, more) {
        into.extend(more);
    }
}

fn fraction(pixels: f64, of: u32) -> f64 {
    ((pixels / f64::from(of.max(1))).clamp(0.0, 0.9999) * 10_000.0).round() / 10_000.0
}

fn millis(ms: f64) -> Duration {
    Duration::try_from_secs_f64(ms / 1000.0).unwrap_or_default().min(LONGEST)
}

/// Returns how long the finger rested before it moved, and how long it moved.
fn times(path: &[[f64; 3]]) -> (Duration, Duration) {
    let Some([first_x, first_y, began]) = path.first().copied() else { return Default::default() };
    let moved = path.iter().find(|[x, y, _]| (x - first_x).hypot(y - first_y) > 4.0).map_or(began, |[.., at]| *at);
    let ended = path.last().map_or(began, |[.., at]| *at);
    (millis(moved - began), millis(ended - moved).clamp(SHORTEST, LONGEST))
}

fn movement(path: &[[f64; 3]], size: Size) -> Option<CallToolRequest> {
    let ([from_x, from_y, _], [to_x, to_y, _]) = (*path.first()?, *path.last()?);
    let (rested, moved) = times(path);
    let mut arguments: Object = [
        ("from_x", fraction(from_x, size.width)),
        ("from_y", fraction(from_y, size.height)),
        ("to_x", fraction(to_x, size.width)),
        ("to_y", fraction(to_y, size.height)),
    ]
    .into_iter()
    .map(|(name, number)| (name.to_owned(), json!(number)))
    .collect();
    // How fast a hand was is chance, unless it was slow.
    if moved >= SLOW {
        arguments.insert("duration".to_owned(), json!((moved.as_secs_f64() * 10.0).round() / 10.0));
    }
    let tool = if rested >= CARRIES { "drag" } else { "swipe" };
    Some(CallToolRequest::new(tool).with_arguments(arguments))
}

fn path_of(path: &[[f64; 3]]) -> Gesture {
    let point = |[x, y, _]: &[f64; 3]| Point { x: *x, y: *y };
    let ends = path.first().zip(path.last());
    let (from, to) = ends.map(|(first, last)| (point(first), point(last))).unwrap_or_default();
    let (rested, moved) = times(path);
    if rested >= CARRIES {
        return Gesture::Drag { from, to, duration: moved };
    }
    // A finger that went straight there is a swipe, which every device can.
    let is_straight = path.iter().map(point).all(|at| off_line(from, to, at) < 24.0);
    if is_straight || path.len() > STOPS {
        return Gesture::Swipe { from, to, duration: moved };
    }
    Gesture::Path(path.iter().map(|stop| Stop { at: point(stop), rest: Duration::ZERO }).collect())
}

/// Returns how far a point lies beside a line.
fn off_line(from: Point, to: Point, at: Point) -> f64 {
    let (along_x, along_y) = (to.x - from.x, to.y - from.y);
    let length = along_x.hypot(along_y).max(1.0);
    ((at.x - from.x) * along_y - (at.y - from.y) * along_x).abs() / length
}

/// Scrolls a phone by a finger that goes the other way.
fn scrolled(at: Point, [dx, dy]: At, size: Size) -> Gesture {
    let within = |value: f64, of: u32| value.clamp(1.0, f64::from(of.max(2)) - 1.0);
    let to = Point { x: within(at.x - dx, size.width), y: within(at.y - dy, size.height) };
    Gesture::Swipe { from: at, to, duration: Duration::from_millis(150) }
}

/// Returns the way that a finger goes to scroll.
fn opposite([dx, dy]: At) -> &'static str {
    match (dx.abs() > dy.abs(), dx > 0.0, dy > 0.0) {
        (true, true, _) => "left",
        (true, false, _) => "right",
        (false, _, true) => "up",
        (false, _, false) => "down",
    }
}

/// Returns what phones call a key; none of one that they do not have.
fn button(key: &str) -> Option<&'static str> {
    Some(match key {
        "Enter" => "enter",
        "Backspace" => "delete",
        "Tab" => "tab",
        "Escape" => "back",
        "ArrowUp" => "up",
        "ArrowDown" => "down",
        "ArrowLeft" => "left",
        "ArrowRight" => "right",
        _ => return None,
    })
}
