//! The fields of an app's page → nodes, one below the other. One file per family; `field` holds what they share.

pub(super) mod board;
pub(super) mod choice;
mod field;
mod image;
mod input;
mod list;
mod outline;
pub(super) mod pad;
mod show;
mod table;

use crate::instance::{Block, FieldType, Instance};

use field::{Field, heading};

pub(super) use field::{Cx, Flow};
pub(super) use show::pill;

/// How deep pages may be shown inside of pages.
const DEEPEST: u8 = 3;

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

/// Says on the page what cannot be shown.
fn trouble(cx: &Cx, flow: &mut Flow, text: &str) {
    let ink = (cx.look.style(14.0), cx.look.theme.danger);
    let node = cx.look.words((flow.left, flow.y), flow.width, text, ink, 4);
    flow.push(node, cx.look.dp(16.0));
}
