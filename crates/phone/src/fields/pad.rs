//! A pad that says what the last finger on it did: a way over the screen → what the field holds → the pad with its words.

use serde_json::{Value, json};

use super::super::node::{Flags, Node, Paint};
use super::super::node_action::Grip;
use super::super::stroke::{Gesture, LONG_PRESS, Stroke};
use super::super::widgets::{Look, VIEW, pixels};
use super::field::{Cx, Field, Flow};
use uixt_canvas::canvas::Color;
use uixt_canvas::geometry::Area;
use uixt_canvas::theme::faded;

/// Dots that a trail is drawn with at most.
const DOTS: usize = 48;

/// Writes down what a finger did; its trail is kept in thousandths of the pad.
pub(crate) fn note(stroke: &Stroke, gesture: Gesture, area: Area) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
    let whole = |(x, y): (f64, f64)| json!([x.round() as i64, y.round() as i64]);
    let trail = dots(stroke.points()).into_iter().map(|point| thousandths(point, area));
    json!({
        "gesture": name(gesture, stroke),
        "from": whole(stroke.start()),
        "to": whole(stroke.end()),
        "length": stroke.length().round(),
        "curved": stroke.is_curved(),
        "lasted": stroke.lasted(),
        "rested": stroke.rested(),
        "trail": trail.collect::<Vec<_>>(),
    })
}

fn name(gesture: Gesture, stroke: &Stroke) -> &'static str {
    let (x, y) = (stroke.end().0 - stroke.start().0, stroke.end().1 - stroke.start().1);
    match gesture {
        Gesture::Tap => "tap",
        Gesture::DoubleTap => "double_tap",
        Gesture::LongPress => "long_press",
        Gesture::Drag => "drag",
        Gesture::Swipe if x.abs() > y.abs() => ["swipe_left", "swipe_right"][usize::from(x > 0.0)],
        Gesture::Swipe => ["swipe_up", "swipe_down"][usize::from(y > 0.0)],
    }
}

/// Returns points along a way, as far from one another each.
#[expect(clippy::cast_precision_loss, reason = "few points")]
fn dots(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let lengths = points.windows(2).map(|pair| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1));
    let lengths: Vec<f64> = lengths.collect();
    let step = lengths.iter().sum::<f64>() / DOTS as f64;
    let mut dots: Vec<(f64, f64)> = points.first().copied().into_iter().collect();
    let mut ahead = step;
    for (pair, length) in points.windows(2).zip(lengths) {
        while step > 0.0 && ahead <= length && dots.len() <= DOTS {
            let part = ahead / length;
            dots.push((pair[0].0 + (pair[1].0 - pair[0].0) * part, pair[0].1 + (pair[1].1 - pair[0].1) * part));
            ahead += step;
        }
        ahead -= length;
    }
    dots
}

fn thousandths((x, y): (f64, f64), area: Area) -> [f64; 2] {
    let part = |at: f64, from: i32, length: i32| ((at - f64::from(from)) * 1000.0 / f64::from(length.max(1))).round();
    [part(x, area.left, area.width()), part(y, area.top, area.height())]
}

/// Puts a pad into the column.
pub(super) fn put(cx: &Cx, flow: &mut Flow, field: Field) {
    let look = cx.look;
    let area = flow.area(look.dp(440.0));
    let value = field.value();
    let mut column = Flow::new(area.left + look.dp(16.0), area.width() - look.dp(32.0), area.top + look.dp(14.0));
    for (id, text) in lines(&field, &value) {
        let large = id == "gesture";
        let ink = match large {
            true => (look.bold(24.0), look.theme.on_pale),
            false => (look.style(15.0), look.theme.muted),
        };
        let node = look.words((column.left, column.y), column.width, &text, ink, 2).id(look.id(id));
        column.push(node, look.dp(4.0));
    }
    let pad = Node::new(VIEW, area)
        .id(field.id(look))
        .label(&field.config.label)
        .flag(Flags::CLICKABLE)
        .flag(Flags::LONG_CLICKABLE)
        .grip(Grip::Pad { place: field.place(), area })
        .clipping()
        .paint(Paint::Round(area, look.px(20.0), look.theme.pale))
        .child(Node::new(VIEW, area).paints(trail(look, &value, area)))
        .children(column.nodes);
    flow.push(pad, look.dp(18.0));
}

/// Returns what stands on a pad: the id of each line and its text.
fn lines(field: &Field, value: &Value) -> Vec<(&'static str, String)> {
    let Some(gesture) = value["gesture"].as_str() else { return vec![("gesture", field.word("none"))] };
    let point = |key: &str| format!("{}, {}", value[key][0], value[key][1]);
    let number = |key: &str| value[key].as_f64().unwrap_or(0.0);
    let mut lines = vec![("gesture", field.word(gesture))];
    let moved = number("length") > 0.0 && (gesture == "drag" || gesture.starts_with("swipe"));
    if moved {
        let shape = field.word(if value["curved"] == true { "curved" } else { "straight" });
        lines.push(("place", format!("{} → {}", point("from"), point("to"))));
        lines.push(("way", format!("{} px, {shape}", number("length"))));
    } else {
        lines.push(("place", point("from")));
    }
    let rested = value["rested"].as_u64().unwrap_or(0);
    let rest = (moved && rested >= LONG_PRESS).then(|| format!(", {} {rested} ms", field.word("rested")));
    lines.push(("time", format!("{} ms{}", number("lasted"), rest.unwrap_or_default())));
    lines
}

/// Draws the way of the last finger, its end largest.
#[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
fn trail(look: &Look, value: &Value, area: Area) -> Vec<Paint> {
    let points = value["trail"].as_array().map(Vec::as_slice).unwrap_or_default();
    let place = |part: &Value, length: i32| (part.as_f64().unwrap_or(0.0) * f64::from(length) / 1000.0) as i32;
    let dot = |(number, point): (usize, &Value)| {
        let last = number + 1 == points.len();
        let radius = look.dp(if last { 15.0 } else { 5.0 });
        let (x, y) = (area.left + place(&point[0], area.width()), area.top + place(&point[1], area.height()));
        let color: Color = if last { look.theme.primary } else { faded(look.theme.primary, 45) };
        Paint::Round(Area::new(x - radius, y - radius, x + radius, y + radius), pixels(radius), color)
    };
    points.iter().enumerate().map(dot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_has_as_many_dots_whatever_the_way() {
        assert_eq!(dots(&[(5.0, 5.0)]), [(5.0, 5.0)]);
        let line = dots(&[(0.0, 0.0), (480.0, 0.0)]);
        assert_eq!((line.len(), line[1]), (DOTS + 1, (10.0, 0.0)));
        let corner = dots(&[(0.0, 0.0), (240.0, 0.0), (240.0, 0.0), (240.0, 240.0)]);
        assert_eq!(corner.last(), Some(&(240.0, 240.0)));
    }
}
