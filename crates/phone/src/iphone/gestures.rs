//! WDA's own gestures (`wda/tap`, `wda/swipe` …), and what all touches come to: strokes of fingers on the phone.
//! Source: `FBElementCommands`.

use std::sync::Arc;
use std::time::Duration;

use super::super::system::System;
use super::super::touch::Motion;
use super::agent::{Agent, DONE};
use super::answer::{Outcome, Refusal};
use super::call::Call;
use super::elements;
use super::find;
use super::sight::{look, points};
use uixt_canvas::geometry::Area;

/// What stands behind `wda/`, or behind `wda/element/ID/`.
pub(super) const NAMES: [&str; 13] = [
    "doubleTap",
    "dragfromtoforduration",
    "forceTouch",
    "pinch",
    "pressAndDragWithVelocity",
    "rotate",
    "scroll",
    "scrollTo",
    "swipe",
    "tap",
    "tapWithNumberOfTaps",
    "touchAndHold",
    "twoFingerTap",
];
/// A place in points.
pub(super) type Point = (f64, f64);
/// How long a finger taps, and how long lies between two taps, in milliseconds.
const TAP: u64 = 50;
const BETWEEN: u64 = 100;
/// A finger's speed where none is asked for, in points a second.
const SPEED: f64 = 1000.0;

/// A finger's way: places with their times in milliseconds, and when it is lifted.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Stroke {
    pub(super) points: Vec<(Point, u64)>,
    pub(super) end: u64,
}

impl Stroke {
    fn tap(at: Point, began: u64) -> Self {
        Self { points: vec![(at, began)], end: began + TAP }
    }

    /// Rests, goes to another place within a time, and rests again; all in milliseconds.
    fn drag((from, to): (Point, Point), (rest, way, stay): (u64, u64, u64)) -> Self {
        let mut points = vec![(from, 0), (from, rest)];
        for number in 1..=20 {
            #[expect(clippy::cast_precision_loss, reason = "few steps")]
            let part = number as f64 / 20.0;
            points.push(((from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part), rest + way * number / 20));
        }
        Self { points, end: rest + way + stay }
    }

    fn began(&self) -> u64 {
        self.points.first().map_or(0, |(_, at)| *at)
    }
}

pub(super) async fn answer(agent: &Arc<Agent>, call: &Call<'_>) -> Outcome {
    let (id, name, tail) = match call.path.as_slice() {
        ["wda", "element", id, name] => (Some(*id), *name, None),
        ["wda", name] => (None, *name, None),
        ["wda", name, tail] => (None, *name, Some(*tail)),
        _ => return Err(call.unknown()),
    };
    // A tap had the id of an element behind it, 0 for none.
    let is_old_tap = name == "tap" && id.is_none();
    let is_there = NAMES.contains(&name)
        && call.method == "POST"
        && (tail.is_some() == (is_old_tap && agent.is_old()))
        && !(agent.is_old() && id.is_some() && name == "tap");
    if !is_there {
        return Err(call.unknown());
    }
    let id = id.or(tail).filter(|id| *id != "0");
    let ground = ground(agent, id).await?;
    gesture(agent, call, name, ground).await
}

/// Returns where gestures lie: an element, or the whole screen; in points.
async fn ground(agent: &Agent, id: Option<&str>) -> Result<[f64; 4], Refusal> {
    let (area, scale) = if let Some(id) = id {
        let (element, writing) = elements::found(agent, id).await?;
        (if element.seen.is_empty() { element.area } else { element.seen }, writing.scale)
    } else {
        let system = agent.handset.system.lock().await;
        (system.screen(), points(&system))
    };
    Ok([area.left, area.top, area.width(), area.height()].map(|at| f64::from(at) / scale))
}

async fn gesture(agent: &Arc<Agent>, call: &Call<'_>, name: &str, [left, top, wide, high]: [f64; 4]) -> Outcome {
    let middle = (left + wide / 2.0, top + high / 2.0);
    let place = |x: &str, y: &str| call.number(x).zip(call.number(y)).map(|(x, y)| (left + x, top + y));
    let at = place("x", "y").unwrap_or(middle);
    let seconds = |name: &str| milliseconds(call.number(name).unwrap_or(0.0));
    let ends = || {
        let ends = place("fromX", "fromY").zip(place("toX", "toY"));
        ends.ok_or_else(|| Refusal::argument("fromX, fromY, toX and toY must be numbers"))
    };
    let strokes = match name {
        "tap" => vec![Stroke::tap(at, 0)],
        "doubleTap" => vec![Stroke::tap(at, 0), Stroke::tap(at, TAP + BETWEEN)],
        "twoFingerTap" => return fingers(agent, [(at, at), ((at.0 + 20.0, at.1), (at.0 + 20.0, at.1))]).await,
        "tapWithNumberOfTaps" => {
            let taps = call.number("numberOfTaps").zip(call.number("numberOfTouches"));
            let (taps, _) = taps.ok_or_else(|| {
                Refusal::argument("Both 'numberOfTaps' and 'numberOfTouches' arguments must be provided")
            })?;
            (0..milliseconds(taps / 1000.0).min(20)).map(|number| Stroke::tap(at, number * (TAP + BETWEEN))).collect()
        }
        "touchAndHold" | "forceTouch" => vec![Stroke { points: vec![(at, 0)], end: seconds("duration").max(1) }],
        "dragfromtoforduration" => {
            let (from, to) = ends()?;
            vec![Stroke::drag((from, to), (seconds("duration"), way((from, to), SPEED), 0))]
        }
        "pressAndDragWithVelocity" => {
            let (from, to) = ends()?;
            let speed = call.number("velocity").filter(|speed| *speed > 0.0).unwrap_or(SPEED);
            vec![Stroke::drag((from, to), (seconds("pressDuration"), way((from, to), speed), seconds("holdDuration")))]
        }
        "swipe" => {
            let direction = call.text("direction").ok_or_else(|| Refusal::argument("Missing 'direction' parameter"))?;
            let (x, y) = direction_of(&direction.to_ascii_lowercase()).ok_or_else(|| {
                Refusal::argument(format!(
                    "Unsupported swipe direction '{direction}'. Only the following directions are supported: (up, down, left, right)"
                ))
            })?;
            let reach = (wide * 0.3, high * 0.3);
            let from = (middle.0 - x * reach.0, middle.1 - y * reach.1);
            let to = (middle.0 + x * reach.0, middle.1 + y * reach.1);
            vec![Stroke::drag((from, to), (0, 150, 0))]
        }
        "scroll" | "scrollTo" => return scroll(agent, call, name, [left, top, wide, high]).await,
        _ => {
            // Two fingers go apart, come together or turn.
            let scale = call.number("scale").unwrap_or(1.0);
            let reach = wide.min(high) * 0.35;
            let (near, far) =
                if scale < 1.0 { (reach, reach * scale.max(0.1)) } else { (reach / scale.min(10.0), reach) };
            let turn = if name == "rotate" { call.number("rotation").unwrap_or(0.0) } else { 0.0 };
            let point = |by: f64, turn: f64| {
                let (x, y) = (by * turn.cos(), by * turn.sin());
                ((middle.0 - x, middle.1 - y), (middle.0 + x, middle.1 + y))
            };
            let (first, last) = (point(near, 0.0), point(far, turn));
            return fingers(agent, [(first.0, last.0), (first.1, last.1)]).await;
        }
    };
    perform(agent, strokes.into_iter().map(|stroke| (0, stroke)).collect()).await?;
    DONE
}

/// Moves two fingers at the same time.
async fn fingers(agent: &Arc<Agent>, ways: [(Point, Point); 2]) -> Outcome {
    let strokes = ways.into_iter().enumerate().map(|(finger, way)| (finger, Stroke::drag(way, (0, 200, 0))));
    perform(agent, strokes.collect()).await?;
    DONE
}

/// Scrolls: by a direction, or until something is on the screen.
async fn scroll(agent: &Arc<Agent>, call: &Call<'_>, name: &str, [left, top, wide, high]: [f64; 4]) -> Outcome {
    if let Some(direction) = call.text("direction") {
        let (x, y) = direction_of(direction).ok_or_else(|| Refusal::argument("Unsupported scroll type"))?;
        let distance = call.number("distance").unwrap_or(1.0).clamp(0.0, 10.0) * 0.9;
        let (x, y) = (x * wide / 2.0 * distance, y * high / 2.0 * distance);
        let middle = (left + wide / 2.0, top + high / 2.0);
        // What lies further down comes up.
        let stroke = Stroke::drag(
            ((middle.0 + x / 2.0, middle.1 - y / 2.0), (middle.0 - x / 2.0, middle.1 + y / 2.0)),
            (0, 300, 0),
        );
        let stroke = if y == 0.0 {
            stroke
        } else {
            Stroke {
                points: stroke.points.into_iter().map(|((x, y), at)| ((x, 2.0 * middle.1 - y), at)).collect(),
                ..stroke
            }
        };
        perform(agent, vec![(0, stroke)]).await?;
        return DONE;
    }
    let (tree, _) = look(agent).await?;
    let named = call.text("name").map(|name| find::all(&tree, &tree, ("name", name)));
    let told = call.text("predicateString").map(|text| find::all(&tree, &tree, ("predicate string", text)));
    let wanted = match (named.or(told), call.path.as_slice()) {
        (Some(found), _) => found?.last().copied(),
        (None, ["wda", "element", id, _]) if name == "scrollTo" || !call.body["toVisible"].is_null() => {
            super::element::uid_of(id).and_then(|uid| tree.by_uid(uid))
        }
        _ => return Err(Refusal::argument("Unsupported scroll type")),
    };
    let wanted = wanted.ok_or_else(|| Refusal::no_element("scroll", "no match"))?;
    let area = wanted.area;
    agent.act(async move |mut system| system.bring_into_view(area)).await?;
    DONE
}

fn direction_of(name: &str) -> Option<(f64, f64)> {
    match name {
        "up" => Some((0.0, -1.0)),
        "down" => Some((0.0, 1.0)),
        "left" => Some((-1.0, 0.0)),
        "right" => Some((1.0, 0.0)),
        _ => None,
    }
}

fn way((from, to): (Point, Point), speed: f64) -> u64 {
    milliseconds((to.0 - from.0).hypot(to.1 - from.1) / speed)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few seconds")]
fn milliseconds(seconds: f64) -> u64 {
    (seconds.clamp(0.0, 600.0) * 1000.0).round() as u64
}

/// Taps the middle of what is seen of an element; one that is not is scrolled to first.
pub(super) async fn tap_element(agent: &Arc<Agent>, id: &str) -> Result<(), Refusal> {
    let (mut element, mut writing) = elements::found(agent, id).await?;
    if element.seen.is_empty() {
        let area = element.area;
        agent.act(async move |mut system| system.bring_into_view(area)).await?;
        (element, writing) = elements::found(agent, id).await?;
    }
    let seen = element.seen;
    if seen.is_empty() {
        let name = element.name().unwrap_or_default();
        let message =
            format!("The element '{}' {name} is not visible on the screen and thus is not interactable", element.kind);
        return Err(Refusal::not_visible(message));
    }
    let middle = |from: i32, to: i32| f64::from(from + to) / 2.0 / writing.scale;
    let at = (middle(seen.left, seen.right), middle(seen.top, seen.bottom));
    perform(agent, vec![(0, Stroke::tap(at, 0))]).await
}

/// Lets fingers go their ways, one after the other; those that are on the screen together do what two fingers do.
pub(super) async fn perform(agent: &Arc<Agent>, mut strokes: Vec<(usize, Stroke)>) -> Result<(), Refusal> {
    agent.until_idle().await;
    if agent.faults.take("tap_throws") {
        return Err(Refusal::unknown("Invalid parameter not satisfying: point.x != INFINITY && point.y != INFINITY"));
    }
    if let Some(ms) = agent.faults.number("slow_act_ms") {
        tokio::time::sleep(Duration::from_secs_f64((ms / 1000.0).clamp(0.0, 600.0))).await;
    }
    if agent.faults.take("taps_missed") {
        return Ok(());
    }
    strokes.sort_by_key(|(_, stroke)| stroke.began());
    agent.counts.add("touches", strokes.len());
    let is_together = strokes.iter().enumerate().any(|(number, (finger, stroke))| {
        strokes[..number].iter().any(|(other, before)| other != finger && before.end > stroke.began())
    });
    let began = agent.handset.now_ms().await;
    agent
        .act(async move |mut system| {
            if is_together {
                return touch_together(&mut system, &strokes);
            }
            // Whatever the request before tapped was long ago: WDA is slower than a second tap.
            system.last_tap = None;
            for (_, stroke) in strokes {
                draw(&mut system, &stroke, began).await;
            }
        })
        .await
}

/// Lets the first two of several fingers touch at once.
fn touch_together(system: &mut System, strokes: &[(usize, Stroke)]) {
    let scale = points(system);
    let ends = |stroke: &Stroke| {
        let ends = stroke.points.first().zip(stroke.points.last());
        ends.map(|((from, _), (to, _))| ((from.0 * scale, from.1 * scale), (to.0 * scale, to.1 * scale)))
    };
    let Some((first, one)) = strokes.first() else { return };
    let Some((_, other)) = strokes.iter().find(|(finger, _)| finger != first) else { return };
    if let (Some(way), Some(other_way)) = (ends(one), ends(other)) {
        system.touch_with_two([way, other_way], one.end.max(other.end));
    }
}

async fn draw(system: &mut System, stroke: &Stroke, began: u64) {
    let scale = points(system);
    let pixels = |at: Point| (at.0 * scale, at.1 * scale);
    let mut last = (0.0, 0.0);
    for (number, (at, after)) in stroke.points.iter().enumerate() {
        let motion = if number == 0 { Motion::Down } else { Motion::Move };
        last = pixels(*at);
        system.motion(motion, last, began + after).await;
    }
    system.motion(Motion::Up, last, began + stroke.end).await;
}

impl System {
    /// Scrolls the page in front so that an area of it is on the screen.
    fn bring_into_view(&mut self, area: Area) {
        let scene = self.scene();
        let viewport = scene.window.viewport;
        let by = if area.bottom > viewport.bottom {
            area.bottom - viewport.bottom
        } else if area.top < viewport.top {
            area.top - viewport.top
        } else {
            0
        };
        self.scroll_by(by, scene.window.slack, false);
    }
}
