//! The keyboard that is drawn below a page: its keys, where they lie and what they type.

use super::cap::{Cap, Layer};
use super::iphone::keys;
use super::node::{Node, Paint};
use super::node_action::Tap;
use super::widgets::{Align, FRAME, Look, VIEW};
use uixt_canvas::canvas::Color;
use uixt_canvas::geometry::Area;
use uixt_canvas::icon::Icon;

const GROUND: Color = [232, 234, 240, 255];
const KEY: Color = [255, 255, 255, 255];
const SIDE_KEY: Color = [205, 211, 222, 255];
const INK: Color = [32, 33, 36, 255];
const ROWS: i32 = 4;

/// Returns the colours of the keyboard's ground and of what is written on it.
pub(super) fn colors(look: &Look) -> (Color, Color) {
    (if look.is_iphone() { keys::GROUND } else { GROUND }, INK)
}

/// Returns the keyboard's height in pixels on a screen that is `screen` pixels high.
pub(super) fn height(look: &Look, screen: i32) -> i32 {
    look.dp(if look.is_iphone() { keys::HEIGHT } else { 236.0 }).min(screen * 48 / 100)
}

/// Builds the keyboard; its keys fill `area` above a rim.
pub(super) fn build(look: &Look, area: Area, layer: Layer) -> Node {
    let rim = look.dp(6.0);
    let foot = if look.is_iphone() { look.dp(keys::FOOT) } else { 0 };
    let row_height = (area.height() - rim - foot) / ROWS;
    let rows = if look.is_iphone() { keys::rows(layer) } else { rows(layer) };
    let rows = rows.into_iter().zip(0..);
    let keys = rows.flat_map(|(row, number)| {
        let top = area.top + rim / 2 + number * row_height;
        let band = Area::new(area.left + rim / 2, top, area.right - rim / 2, top + row_height);
        place_row(look, band, &row, layer)
    });
    let ground = if look.is_iphone() { keys::GROUND } else { GROUND };
    let beside = if look.is_iphone() { keys::beside(look, area) } else { Vec::new() };
    Node::new(FRAME, area)
        .paint(Paint::Fill(area, ground))
        .tap(Tap::Swallow)
        .children(keys.collect::<Vec<_>>())
        .children(beside)
}

/// Builds what stands in the keyboard's place while one is in use that has no keys: its name.
pub(super) fn build_without_keys(look: &Look, area: Area, name: &str) -> Node {
    let name = look.line(area, name, (look.style(15.0), INK), Align::Middle);
    Node::new(FRAME, area).paint(Paint::Fill(area, GROUND)).tap(Tap::Swallow).paint(name)
}

/// A row: its keys with their widths in tenths of a letter key.
pub(super) type Row = Vec<(Cap, i32)>;

fn rows(layer: Layer) -> [Row; 4] {
    if layer.digits {
        return digit_rows();
    }
    let lines =
        if layer.signs { ["1234567890", "@#$%&-+()/", "*\"':;!?_="] } else { ["qwertyuiop", "asdfghjkl", "zxcvbnm"] };
    let typed = |line: &str| line.chars().map(|sign| (Cap::Type(cased(sign, layer)), 10)).collect::<Row>();
    let [first, second, third] = lines.map(typed);
    let left = if layer.signs { None } else { Some((Cap::Shift, 15)) };
    let width = if layer.signs { 10 } else { 15 };
    let third = left.into_iter().chain(third).chain([(Cap::Erase, width)]).collect();
    let sign = |sign: char| (Cap::Type(sign), 10);
    [first, second, third, vec![(Cap::Signs, 15), sign(','), (Cap::Type(' '), 45), sign('.'), (Cap::Enter, 20)]]
}

pub(super) fn digit_rows() -> [Row; 4] {
    let row = |line: &str| line.chars().map(|sign| (Cap::Type(sign), 25)).collect::<Row>();
    let mut rows = ["123", "456", "789", "-0."].map(row);
    for (row, last) in rows.iter_mut().zip([Cap::Erase, Cap::Type(','), Cap::Type(' '), Cap::Enter]) {
        row.push((last, 25));
    }
    rows
}

pub(super) fn cased(sign: char, layer: Layer) -> char {
    if layer.shift { sign.to_ascii_uppercase() } else { sign }
}

/// Lays a row's keys side by side, in the middle of its band.
fn place_row(look: &Look, band: Area, row: &Row, layer: Layer) -> Vec<Node> {
    let unit = |tenths: i32| band.width() * tenths / 100;
    let total: i32 = row.iter().map(|(_, tenths)| tenths).sum();
    let mut left = band.left + (band.width() - unit(total)) / 2;
    let mut nodes = Vec::new();
    for (cap, tenths) in row {
        let cell = Area::new(left, band.top, left + unit(*tenths), band.bottom);
        nodes.push(key(look, cell, *cap, layer));
        left = cell.right;
    }
    nodes
}

fn key(look: &Look, cell: Area, cap: Cap, layer: Layer) -> Node {
    let face = Area::new(
        cell.left + look.dp(2.5),
        cell.top + look.dp(3.0),
        cell.right - look.dp(2.5),
        cell.bottom - look.dp(3.0),
    );
    if look.is_iphone() {
        return keys::key(look, (cell, face), cap, layer);
    }
    let ground = match cap {
        Cap::Shift if layer.shift => KEY,
        Cap::Type(',' | '.') if !layer.digits => SIDE_KEY,
        Cap::Type(_) => KEY,
        Cap::Enter => look.theme.primary,
        _ => SIDE_KEY,
    };
    let write = |text: &str, size: f32| look.line(face, text, (look.style(size), INK), Align::Middle);
    let sign = |icon: Icon, color: Color| Paint::Icon(icon, face.square(look.dp(22.0)), color);
    let paint = match cap {
        Cap::Type(' ') if layer.digits => write("space", 14.0),
        Cap::Type(' ') => write("English / 中文", 12.5),
        Cap::Type(letter) => write(letter.encode_utf8(&mut [0; 4]), 20.0),
        Cap::Signs => write(if layer.signs { "ABC" } else { "?123" }, 14.0),
        Cap::Shift => sign(Icon::Shift, if layer.shift { look.theme.primary } else { INK }),
        Cap::Erase => sign(Icon::Erase, INK),
        Cap::Enter => sign(Icon::Return, look.theme.on_primary),
    };
    Node::new(VIEW, cell).tap(Tap::Cap(cap)).paint(Paint::Round(face, look.px(6.0), ground)).paint(paint)
}
