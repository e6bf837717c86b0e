//! A board with a ball on it that can be carried into a box: a drag → where the ball lies → the board as it is seen.

use serde_json::{Value, json};

use super::super::node::{Flags, Node, Paint};
use super::super::node_action::Grip;
use super::super::stroke::Stroke;
use super::super::widgets::{Align, FRAME, TEXT_VIEW, VIEW, pixels};
use super::field::{Cx, Field, Flow};
use uixt_canvas::geometry::Area;

/// Returns where the ball lies after a drag, in thousandths of the board; nothing where the drag did not begin on the ball.
pub(crate) fn carried(stroke: &Stroke, ball: Area, board: Area) -> Option<Value> {
    let (from, to) = (stroke.start(), stroke.end());
    if !ball.contains(from.0, from.1) {
        return None;
    }
    let along = |from: f64, to: f64, (low, high): (i32, i32), (start, end): (i32, i32)| {
        let middle = f64::midpoint(f64::from(low), f64::from(high)) + to - from;
        let part = (middle - f64::from(start)) / f64::from((end - start).max(1));
        (part.clamp(0.0, 1.0) * 1000.0).round()
    };
    let x = along(from.0, to.0, (ball.left, ball.right), (board.left, board.right));
    let y = along(from.1, to.1, (ball.top, ball.bottom), (board.top, board.bottom));
    Some(json!({"x": x, "y": y}))
}

/// Puts a board into the column, and below it a line that says where the ball is.
#[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
pub(super) fn put(cx: &Cx, flow: &mut Flow, field: Field) {
    let look = cx.look;
    let area = flow.area(look.dp(280.0));
    let (value, radius) = (field.value(), look.dp(30.0));
    let part = |key: &str, start: i32, length: i32| {
        let part = value[key].as_f64().unwrap_or(0.0).clamp(0.0, 1000.0) / 1000.0;
        start + (part * f64::from(length)) as i32
    };
    let (x, y) = (part("x", area.left, area.width()), part("y", area.top, area.height()));
    let spot = Area::new(x - radius, y - radius, x + radius, y + radius);
    let goal = Area::new(area.right - look.dp(130.0), area.top + look.dp(75.0), area.right - look.dp(20.0), 0);
    let goal = Area { bottom: goal.top + look.dp(130.0), ..goal };
    let inside = goal.contains(f64::from(x), f64::from(y));
    let theme = look.theme;
    let name = field.word("box");
    let goal_node = Node::new(FRAME, goal)
        .id(look.id("box"))
        .label(&name)
        .paint(Paint::Ring(goal, look.px(16.0), look.px(2.5), theme.primary))
        .paint(look.line(goal, &name, (look.bold(16.0), theme.primary), Align::Middle));
    let ball = Node::new(VIEW, spot)
        .id(look.id("ball"))
        .label(field.word("ball"))
        .flag(Flags::LONG_CLICKABLE)
        .paint(Paint::Round(spot, pixels(radius), theme.primary));
    let board = Node::new(FRAME, area)
        .id(field.id(look))
        .grip(Grip::Board { place: field.place(), thing: spot, ground: area })
        .clipping()
        .paint(Paint::Round(area, look.px(20.0), theme.pale))
        .child(goal_node)
        .child(ball);
    flow.push(board, look.dp(12.0));
    let said = field.word(if inside { "inside" } else { "outside" });
    let line = flow.area(look.dp(32.0));
    let words = Node::new(TEXT_VIEW, line).text(&said).id(look.id("status"));
    flow.push(words.paint(look.line(line, &said, (look.bold(16.0), theme.text), Align::Left)), look.dp(12.0));
}
