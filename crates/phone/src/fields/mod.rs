//! The fields of an app's page → nodes, one below the other. One file per family; this one holds what they share.

pub(super) mod board;
pub(super) mod choice;
mod image;
mod input;
mod list;
pub(super) mod pad;
mod show;
mod table;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::instance::{Block, FieldConfig, FieldType, Instance, text_of};

use super::edit::Edit;
use super::look::{Align, Look, pixels};
use super::node::{Node, Paint};
use super::place::Place;
use uixt_canvas::geometry::Area;
use uixt_canvas::glyphs;

pub(super) use input::text_to_edit;
pub(super) use show::pill;

/// How deep pages may be shown inside of pages.
const DEEPEST: u8 = 3;

/// What the fields of a page are drawn from.
pub(super) struct Cx<'a> {
    pub(super) look: &'a Look,
    /// The app's pages by their names.
    pub(super) pages: &'a BTreeMap<String, Instance>,
    pub(super) edit: Option<&'a Edit>,
    /// How far the lists within pages are scrolled.
    pub(super) scrolls: &'a BTreeMap<(String, String), i32>,
    /// Whether a field, block or action of an instance is there already.
    pub(super) is_there: &'a dyn Fn(&str, &str) -> bool,
    pub(super) now_ms: u64,
}

/// A column that nodes are put into from the top.
pub(super) struct Flow {
    pub(super) left: i32,
    pub(super) width: i32,
    pub(super) y: i32,
    pub(super) nodes: Vec<Node>,
}

/// A field with where it stands.
#[derive(Clone, Copy)]
struct Field<'a> {
    instance: &'a Instance,
    block: &'a Block,
    config: &'a FieldConfig,
}

impl Flow {
    pub(super) fn new(left: i32, width: i32, y: i32) -> Self {
        Self { left, width, y, nodes: Vec::new() }
    }

    /// Returns an area of the column's width at its end.
    pub(super) fn area(&self, height: i32) -> Area {
        Area::sized(self.left, self.y, self.width, height)
    }

    /// Puts a node at the end; the next one begins `gap` pixels below it.
    pub(super) fn push(&mut self, node: Node, gap: i32) {
        self.y = node.area.bottom + gap;
        self.nodes.push(node);
    }
}

impl Field<'_> {
    fn value(&self) -> Value {
        self.instance.value_of(self.block, self.config)
    }

    fn place(&self) -> Place {
        Place { instance: self.instance.id().to_owned(), path: self.block.path_of(self.config), kind: self.config.kind }
    }

    /// Returns a word of the page's own language, as `state.runtime.words` has it; the key where it has none.
    fn word(&self, key: &str) -> String {
        let words = self.instance.state().runtime.get("words");
        words.and_then(|words| words.get(key)).map_or_else(|| key.to_owned(), text_of)
    }

    fn id(&self, look: &Look) -> String {
        look.id(self.config.rid.as_deref().unwrap_or(&self.config.key))
    }
}

/// Puts every field of a block that is there into the column.
pub(super) fn block(cx: &Cx, flow: &mut Flow, instance: &Instance, block: &Block, depth: u8) {
    for config in &block.props.fields {
        if (cx.is_there)(instance.id(), &config.key) {
            put(cx, flow, Field { instance, block, config }, depth);
        }
    }
}

fn put(cx: &Cx, flow: &mut Flow, field: Field, depth: u8) {
    use FieldType as T;
    match (field.config.kind, field.config.content_type.as_deref()) {
        (T::Html, Some("touch_pad")) => return pad::put(cx, flow, field),
        (T::Html, Some("board")) => return board::put(cx, flow, field),
        (T::Table, Some("scroller")) => return list::put(cx, flow, field),
        _ => {}
    }
    match field.config.kind {
        T::Text | T::Number | T::Textarea | T::Json => input::put(cx, flow, field),
        T::Checkbox => choice::checkbox(cx, flow, field),
        T::Radio => choice::radio(cx, flow, field),
        T::Select | T::Multiselect | T::Date | T::Datetime | T::File => choice::opener(cx, flow, field),
        T::Image => image::put(cx, flow, field),
        T::Table => table::put(cx, flow, field),
        T::Component => component(cx, flow, field, depth),
        T::Html => show::html(cx, flow, field),
        T::Tag => show::tags(cx, flow, field),
        T::Progress => show::progress(cx, flow, field),
        T::Badge => show::badge(cx, flow, field),
        T::Modal => show::modal(cx, flow, field),
    }
    if let (Some(text), false) = (&field.config.description, matches!(field.config.kind, T::Html | T::Modal)) {
        helper(cx, flow, text, field.config.kind);
    }
}

/// Puts a small line of explanation under what stands last; indented under what has an outline.
fn helper(cx: &Cx, flow: &mut Flow, text: &str, kind: FieldType) {
    use FieldType as T;
    let look = cx.look;
    let outlined = kind.takes_input() && !matches!(kind, T::Checkbox | T::Radio);
    let rim = if outlined { look.dp(14.0) } else { 0 };
    flow.y -= look.dp(12.0);
    let ink = (look.style(12.0), look.theme.muted);
    let node =
        look.words((flow.left + rim, flow.y), flow.width - 2 * rim, text, ink, 4).id(look.id("textinput_helper_text"));
    flow.push(node, look.dp(18.0));
}

/// Shows the blocks of another instance in this place.
fn component(cx: &Cx, flow: &mut Flow, field: Field, depth: u8) {
    let target = field.config.target_instance.as_deref().unwrap_or_default();
    if !field.config.label.is_empty() {
        heading(cx, flow, &field.config.label);
        flow.y += cx.look.dp(6.0);
    }
    let Some(page) = cx.pages.get(target) else {
        return trouble(cx, flow, &format!("No page “{target}”"));
    };
    if depth >= DEEPEST {
        return trouble(cx, flow, "Too many pages inside of pages");
    }
    for inner in page.blocks() {
        if (cx.is_there)(page.id(), &inner.id) {
            block(cx, flow, page, inner, depth + 1);
        }
    }
}

/// Puts a small bold line above what comes.
fn heading(cx: &Cx, flow: &mut Flow, text: &str) {
    let ink = (cx.look.bold(13.5), cx.look.theme.primary);
    let node = cx.look.words((flow.left, flow.y), flow.width, text, ink, 2);
    flow.push(node, cx.look.dp(8.0));
}

/// Says on the page what cannot be shown.
fn trouble(cx: &Cx, flow: &mut Flow, text: &str) {
    let ink = (cx.look.style(14.0), cx.look.theme.danger);
    let node = cx.look.words((flow.left, flow.y), flow.width, text, ink, 4);
    flow.push(node, cx.look.dp(16.0));
}

/// How the outline of an input looks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Plain,
    Focused,
    Wrong,
    Disabled,
}

/// Draws an input's outline, with its label on it where it does not stand inside.
fn outlined(look: &Look, area: Area, label: Option<&str>, state: State) -> Vec<Paint> {
    let theme = look.theme;
    let color = match state {
        State::Wrong => theme.danger,
        State::Focused => theme.primary,
        State::Disabled => theme.divider,
        State::Plain => theme.outline,
    };
    let thick = look.px(if state == State::Focused { 2.0 } else { 1.0 });
    let mut paints = vec![Paint::Ring(area, look.px(8.0), thick, color)];
    let Some(label) = label.filter(|label| !label.is_empty()) else { return paints };
    let (style, rim) = (look.style(12.0), look.dp(14.0));
    let high = style.line_height();
    let text = glyphs::shorten(label, style, pixels(area.width() - 2 * rim));
    let notch = Area::sized(area.left + rim, area.top - high / 2, glyphs::columns(&text, style), high);
    let gap = Area::new(notch.left - look.dp(4.0), area.top, notch.right + look.dp(4.0), area.top + look.dp(2.0));
    let ink = if matches!(state, State::Focused | State::Wrong) { color } else { theme.muted };
    paints.push(Paint::Fill(gap, theme.surface));
    paints.push(look.line(notch, &text, (style, ink), Align::Left));
    paints
}
