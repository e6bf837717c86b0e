//! Tables: a head and rows where the columns have labels, else a list of one row per thing.

use std::sync::Arc;

use serde_json::Value;

use crate::instance::{Column, text_of};

use super::super::node::{Node, Paint};
use super::super::node_action::Tap;
use super::super::widgets::{Align, Look, TEXT_VIEW, pixels};
use super::field::{Cx, Field, Flow, heading};
use uixt_canvas::geometry::Area;
use uixt_canvas::glyphs::{self, Style};
use uixt_canvas::picture::{self, Picture};

/// How many rows are shown.
const MAX: usize = 300;

/// Puts a table into the column.
pub(super) fn put(cx: &Cx, flow: &mut Flow, field: Field) {
    let look = cx.look;
    let value = field.value();
    let rows = value.as_array().map(Vec::as_slice).unwrap_or_default();
    if !field.config.label.is_empty() {
        heading(cx, flow, &field.config.label);
    }
    let columns = &field.config.columns;
    let mut inner = Flow::new(flow.left, flow.width, flow.y);
    if columns.iter().all(|column| column.label.is_empty()) {
        list(look, &mut inner, field, rows);
    } else {
        grid(look, &mut inner, field, rows);
    }
    if rows.is_empty() {
        let ink = (look.style(14.0), look.theme.muted);
        let node = look.words((inner.left, inner.y + look.dp(8.0)), inner.width, "No data", ink, 1);
        inner.push(node, look.dp(8.0));
    }
    let area = Area::new(flow.left, flow.y, flow.left + flow.width, inner.y);
    flow.push(Node::new("android.widget.TableLayout", area).id(field.id(look)).children(inner.nodes), look.dp(12.0));
}

/// Puts rows without a head, as a list has them.
pub(super) fn rows(cx: &Cx, flow: &mut Flow, field: Field) {
    let value = field.value();
    list(cx.look, flow, field, value.as_array().map(Vec::as_slice).unwrap_or_default());
}

/// Returns a row's tap, where the table has one.
fn tap(field: Field, row: &Value) -> Option<Tap> {
    let action = field.config.row_action.clone()?;
    Some(Tap::ActOnRow { instance: field.instance.id().to_owned(), action, row: row.clone() })
}

fn cell_text(row: &Value, column: &Column) -> String {
    let value = if row.is_object() { row.get(&column.key) } else { Some(row) };
    value.map(text_of).unwrap_or_default()
}

fn cell_picture(row: &Value, column: &Column) -> Option<Arc<Picture>> {
    let text = row.get(&column.key)?.as_str()?;
    if text.starts_with("illustration:") || text.starts_with("data:image/") { picture::load(text) } else { None }
}

fn row_node(look: &Look, field: Field, row: &Value, area: Area, cells: Vec<Node>) -> Node {
    let node =
        Node::new("android.widget.TableRow", area).id(look.id(&format!("{}_row", field.config.key))).children(cells);
    match tap(field, row) {
        Some(tap) => node.tap(tap),
        None => node,
    }
}

/// Draws a thin line along a row's top.
fn divider(look: &Look, row: Area) -> Paint {
    Paint::Fill(Area::sized(row.left, row.top, row.width(), look.dp(1.0).max(1)), look.theme.divider)
}

/// Puts a head and the rows below it.
fn grid(look: &Look, flow: &mut Flow, field: Field, rows: &[Value]) {
    let columns = &field.config.columns;
    let (head, body) = (look.bold(13.5), look.style(14.0));
    let widths = widths(look, flow.width, columns, rows);
    let area = flow.area(look.dp(36.0));
    let names = place(area, &widths).zip(columns).map(|(cell, column)| {
        let paint = look.line(pad(look, cell), &column.label, (head, look.theme.muted), Align::Left);
        Node::new(TEXT_VIEW, cell).text(&column.label).paint(paint)
    });
    let names: Vec<Node> = names.collect();
    flow.push(Node::new("android.widget.TableRow", area).children(names), 0);
    for row in rows.iter().take(MAX) {
        let area = flow.area(look.dp(48.0));
        let cells: Vec<Node> =
            place(area, &widths).zip(columns).map(|(cell, column)| grid_cell(look, cell, row, column, body)).collect();
        let high = cells.iter().map(|cell| cell.area.height()).max().unwrap_or(0).max(look.dp(48.0));
        let area = Area::sized(area.left, area.top, area.width(), high);
        flow.push(row_node(look, field, row, area, cells).paint(divider(look, area)), 0);
    }
}

fn grid_cell(look: &Look, cell: Area, row: &Value, column: &Column, style: Style) -> Node {
    if let Some(picture) = cell_picture(row, column) {
        return thumbnail(look, cell.square(look.dp(40.0)), column, picture);
    }
    let text = cell_text(row, column);
    let inner = pad(look, cell);
    let spare = look.dp(12.0);
    let words = look.words((inner.left, inner.top + spare), inner.width(), &text, (style, look.theme.text), 3);
    let area = Area::new(cell.left, cell.top, cell.right, (words.area.bottom + spare).max(cell.bottom));
    Node { area, ..words }.id(look.id(&column.key))
}

fn thumbnail(look: &Look, square: Area, column: &Column, picture: Arc<Picture>) -> Node {
    let wide =
        Area::new(square.left - square.width() / 4, square.top, square.right + square.width() / 4, square.bottom);
    let paint = Paint::Picture(wide, square, look.px(8.0), picture);
    Node::new("android.widget.ImageView", square).id(look.id(&column.key)).paint(paint)
}

fn pad(look: &Look, cell: Area) -> Area {
    Area::new(cell.left + look.dp(2.0), cell.top, cell.right - look.dp(6.0), cell.bottom)
}

/// Returns each column's width: as wide as its texts ask, all together as wide as the table.
#[expect(clippy::cast_possible_truncation, reason = "widths on the screen")]
fn widths(look: &Look, whole: i32, columns: &[Column], rows: &[Value]) -> Vec<i32> {
    let natural = |column: &Column| {
        let texts = rows.iter().take(MAX).map(|row| cell_text(row, column));
        let head = glyphs::width(&column.label, look.bold(13.5));
        let widest = texts.map(|text| glyphs::width(&text, look.style(14.0))).fold(head, f32::max);
        widest.clamp(look.px(28.0), look.px(260.0)) + look.px(9.0)
    };
    let wanted: Vec<f32> = columns.iter().map(natural).collect();
    let limit = widest_that_fits(&wanted, pixels(whole));
    let held: Vec<f32> = wanted.iter().map(|width| width.min(limit)).collect();
    let sum: f32 = held.iter().sum();
    held.into_iter().map(|width| (width * pixels(whole) / sum.max(1.0)) as i32).collect()
}

/// Returns the width that no column may exceed, so that all together fit: short columns keep what they ask for.
fn widest_that_fits(wanted: &[f32], whole: f32) -> f32 {
    let mut sorted = wanted.to_vec();
    sorted.sort_by(f32::total_cmp);
    let mut left = whole;
    for (number, width) in sorted.iter().enumerate() {
        let share = left / pixels(i32::try_from(sorted.len() - number).unwrap_or(1));
        if *width > share {
            return share;
        }
        left -= width;
    }
    f32::MAX
}

/// Returns the cells of a row side by side.
fn place(row: Area, widths: &[i32]) -> impl Iterator<Item = Area> {
    widths.iter().scan(row.left, move |left, width| {
        let cell = Area::new(*left, row.top, *left + width, row.bottom);
        *left = cell.right;
        Some(cell)
    })
}

/// Puts a row per thing: a picture where there is one, the first text large, the last at the right where it is short in every
/// row, the others below.
fn list(look: &Look, flow: &mut Flow, field: Field, rows: &[Value]) {
    let beside = last_is_short(look, flow.width, &field.config.columns, rows);
    for (number, row) in rows.iter().take(MAX).enumerate() {
        let (area, cells) = list_row(look, flow.area(0), row, (&field.config.columns, beside));
        let line = (number > 0).then(|| divider(look, area));
        flow.push(row_node(look, field, row, area, cells).paints(line), 0);
    }
}

fn list_row(look: &Look, at: Area, row: &Value, (columns, beside): (&[Column], bool)) -> (Area, Vec<Node>) {
    let pictured = columns.iter().find_map(|column| Some((column, cell_picture(row, column)?)));
    let is_picture = |column: &&Column| pictured.as_ref().is_some_and(|(other, _)| other.key == column.key);
    let texts: Vec<&Column> = columns.iter().filter(|column| !is_picture(column)).collect();
    let left = at.left + if pictured.is_some() { look.dp(68.0) } else { 0 };
    let top = at.top + look.dp(12.0);
    let last = (beside && texts.len() > 1).then(|| texts.last().copied()).flatten();
    let below = texts.len() - usize::from(last.is_some());
    let side = last.map(|column| side_text(look, at, top, row, column));
    let right = side.as_ref().map_or(at.right, |node| node.area.left - look.dp(8.0));
    let mut inner = Flow::new(left, right - left, top);
    for (number, column) in texts.iter().take(below).enumerate() {
        let style =
            if number == 0 { (look.style(16.0), look.theme.text) } else { (look.style(13.5), look.theme.muted) };
        let text = cell_text(row, column);
        if number == 0 || !text.is_empty() {
            inner
                .push(look.words((left, inner.y), inner.width, &text, style, 2).id(look.id(&column.key)), look.dp(1.0));
        }
    }
    let lowest = if pictured.is_some() { look.dp(80.0) } else { look.dp(52.0) };
    let area = Area::new(at.left, at.top, at.right, (inner.y + look.dp(12.0)).max(at.top + lowest));
    let spare = (area.height() - (inner.y - at.top) - look.dp(12.0)) / 2;
    let mut cells = inner.nodes;
    cells.extend(side);
    for cell in &mut cells {
        cell.move_down(spare.max(0));
    }
    let picture = pictured.map(|(column, picture)| {
        let place = Area::sized(at.left, at.top, look.dp(56.0), area.height());
        thumbnail(look, place.square(look.dp(56.0)), column, picture)
    });
    (area, picture.into_iter().chain(cells).collect())
}

/// Tells whether the last column takes no more than a third of the width in any row.
fn last_is_short(look: &Look, width: i32, columns: &[Column], rows: &[Value]) -> bool {
    let Some(last) = columns.last() else { return false };
    let fits = |row: &Value| glyphs::width(&cell_text(row, last), look.bold(15.0)) < pixels(width) / 3.0;
    rows.iter().take(MAX).all(fits)
}

/// Makes the text at the right end of a list's row.
fn side_text(look: &Look, at: Area, top: i32, row: &Value, column: &Column) -> Node {
    let style = look.bold(15.0);
    let text = cell_text(row, column);
    let wide = (glyphs::columns(&text, style) + 1).min(at.width() * 45 / 100);
    let area = Area::sized(at.right - wide, top, wide, look.style(16.0).line_height());
    let paint = look.line(area, &text, (style, look.theme.primary), Align::Right);
    Node::new(TEXT_VIEW, area).text(text).id(look.id(&column.key)).paint(paint)
}
