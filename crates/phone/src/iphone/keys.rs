//! The keys of an iPhone's keyboard: which there are, how each is drawn, and what lies below them.

use super::super::cap::{Cap, Layer};
use super::super::keyboard::{Row, cased, digit_rows};
use super::super::node::{Node, Paint};
use super::super::node_action::Tap;
use super::super::widgets::{Align, Look, VIEW};
use uixt_canvas::canvas::Color;
use uixt_canvas::geometry::Area;
use uixt_canvas::icon::Icon;

/// Height of the keyboard, and of what lies below its keys, in points.
pub(crate) const HEIGHT: f32 = 262.0;
pub(crate) const FOOT: f32 = 44.0;
pub(crate) const GROUND: Color = [209, 211, 217, 255];
const KEY: Color = [255, 255, 255, 255];
const SIDE_KEY: Color = [171, 177, 186, 255];
const INK: Color = [20, 20, 22, 255];

/// Returns the rows of keys.
pub(crate) fn rows(layer: Layer) -> [Row; 4] {
    if layer.digits {
        return digit_rows();
    }
    let lines =
        if layer.signs { ["1234567890", "-/:;()$&@\"", ".,?!'"] } else { ["qwertyuiop", "asdfghjkl", "zxcvbnm"] };
    let wide = if layer.signs { 14 } else { 10 };
    let typed = |line: &str, wide: i32| line.chars().map(|sign| (Cap::Type(cased(sign, layer)), wide)).collect::<Row>();
    let mut third = vec![(Cap::Shift, 15)];
    third.extend(typed(lines[2], wide));
    third.push((Cap::Erase, 15));
    let last = vec![(Cap::Signs, 25), (Cap::Type(' '), 50), (Cap::Enter, 25)];
    [typed(lines[0], 10), typed(lines[1], 10), third, last]
}

/// Makes a key of its cell and of what is drawn of it.
pub(crate) fn key(look: &Look, (cell, face): (Area, Area), cap: Cap, layer: Layer) -> Node {
    let is_pale = matches!(cap, Cap::Type(_)) || (cap == Cap::Shift && layer.shift);
    let write = |text: &str, size: f32| look.line(face, text, (look.style(size), INK), Align::Middle);
    let sign = |icon: Icon| Paint::Icon(icon, face.square(look.dp(20.0)), INK);
    let paint = match cap {
        Cap::Type(' ') => write("space", 16.0),
        Cap::Type(letter) => write(letter.encode_utf8(&mut [0; 4]), 22.0),
        Cap::Signs => write(if layer.signs { "ABC" } else { "123" }, 16.0),
        Cap::Shift => sign(Icon::Shift),
        Cap::Erase => sign(Icon::Erase),
        Cap::Enter => write("return", 16.0),
    };
    let shade = Area { top: face.bottom - look.dp(4.0), bottom: face.bottom + look.dp(1.0), ..face };
    Node::new(VIEW, cell)
        .tap(Tap::Cap(cap))
        .paint(Paint::Round(shade, look.px(5.0), [138, 140, 143, 255]))
        .paint(Paint::Round(face, look.px(5.0), if is_pale { KEY } else { SIDE_KEY }))
        .paint(paint)
}

/// Returns what lies below the keys: the way to the next keyboard, and dictation.
pub(crate) fn beside(look: &Look, board: Area) -> Vec<Node> {
    let side = look.dp(FOOT);
    let place = |left: i32| Area::sized(left, board.bottom - side, side, side);
    let (next, speak) = (place(board.left + look.dp(14.0)), place(board.right - look.dp(14.0) - side));
    let middle = speak.square(look.dp(24.0));
    let wide = look.dp(9.0);
    let left = i32::midpoint(middle.left, middle.right) - wide / 2;
    let head = Area::sized(left, middle.top, wide, look.dp(15.0));
    let foot = Area::sized(left + wide / 2 - look.dp(0.75), head.bottom + look.dp(2.0), look.dp(1.5), look.dp(6.0));
    vec![
        Node::new(VIEW, next).paint(Paint::Icon(Icon::Globe, next.square(look.dp(25.0)), INK)),
        Node::new(VIEW, speak).paint(Paint::Round(head, look.px(4.5), INK)).paint(Paint::Fill(foot, INK)),
    ]
}
