//! Fields that are chosen: checkbox and switch, radio, and what opens a dialog (select, multiselect, date, datetime, file).

use serde_json::{Value, json};

use crate::instance::{Choice, FieldType, text_of};

use super::super::calendar::Moment;
use super::super::dialog::{Dialog, Kind};
use super::super::marks::{check_mark, radio_mark, switch_mark};
use super::super::node::{Flags, Node, Paint};
use super::super::node_action::Tap;
use super::super::widgets::{Align, Look};
use super::field::{Cx, Field, Flow};
use super::outline::{State, outlined};
use uixt_canvas::canvas::Color;
use uixt_canvas::geometry::Area;
use uixt_canvas::icon::Icon;

/// Puts a checkbox, or a switch where the page asks for one.
pub(super) fn checkbox(cx: &Cx, flow: &mut Flow, field: Field) {
    let look = cx.look;
    let checked = is_true(&field.value());
    let editable = field.config.is_editable();
    // iOS has no other mark for what is on or off.
    let switch = field.config.content_type.as_deref() == Some("switch") || look.is_iphone();
    let area = flow.area(look.dp(48.0));
    let class = if switch { "android.widget.Switch" } else { "android.widget.CheckBox" };
    let (paints, words) = if switch {
        let track = Area::sized(area.right - look.dp(52.0), area.top + look.dp(8.0), look.dp(52.0), look.dp(32.0));
        (
            switch_mark(look, track, checked, editable),
            Area::new(area.left, area.top, track.left - look.dp(12.0), area.bottom),
        )
    } else {
        let mark = Area::sized(area.left, area.top, look.dp(24.0), area.height()).square(look.dp(20.0));
        (
            check_mark(look, mark, checked, editable),
            Area::new(area.left + look.dp(36.0), area.top, area.right, area.bottom),
        )
    };
    let node = Node::new(class, area)
        .text(&field.config.label)
        .id(field.id(look))
        .tap(Tap::Set(field.place(), json!(!checked)))
        .flag(Flags::CHECKABLE)
        .flag_if(checked, Flags::CHECKED)
        .flag_if(!editable, Flags::DISABLED)
        .paints(paints)
        .paint(look.line(words, &field.config.label, (look.style(16.0), ink(look, editable)), Align::Left));
    flow.push(node, look.dp(12.0));
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(yes) => *yes,
        Value::String(text) => text == "true",
        Value::Number(number) => number.as_f64().is_some_and(|number| number != 0.0),
        _ => false,
    }
}

/// Puts a radio group: its label, then a row per option.
pub(super) fn radio(cx: &Cx, flow: &mut Flow, field: Field) {
    let look = cx.look;
    let chosen = text_of(&field.value());
    let editable = field.config.is_editable();
    if !field.config.label.is_empty() {
        let words = (look.style(13.0), look.theme.muted);
        let node = look.words((flow.left, flow.y), flow.width, &field.config.label, words, 2);
        flow.push(node, look.dp(2.0));
    }
    let top = flow.y;
    let high = look.dp(44.0);
    let rows = field.config.options.iter().zip(0..).map(|(option, number)| {
        let area = Area::sized(flow.left, top + number * high, flow.width, high);
        let checked = option.value == chosen;
        let mark = Area::sized(area.left, area.top, look.dp(24.0), high).square(look.dp(20.0));
        let words = Area::new(area.left + look.dp(36.0), area.top, area.right, area.bottom);
        Node::new("android.widget.RadioButton", area)
            .text(&option.label)
            .id(look.id(&format!("{}_{}", field.config.key, option.value)))
            .tap(Tap::Set(field.place(), json!(option.value)))
            .flag(Flags::CHECKABLE)
            .flag_if(checked, Flags::CHECKED)
            .flag_if(!editable, Flags::DISABLED)
            .paints(radio_mark(look, mark, checked, editable))
            .paint(look.line(words, &option.label, (look.style(16.0), ink(look, editable)), Align::Left))
    });
    let rows: Vec<Node> = rows.collect();
    let bottom = rows.last().map_or(top, |row| row.area.bottom);
    let area = Area::new(flow.left, top, flow.left + flow.width, bottom);
    flow.push(Node::new("android.widget.RadioGroup", area).id(field.id(look)).children(rows), look.dp(18.0));
}

/// Puts a field that shows its value and opens a dialog.
pub(super) fn opener(cx: &Cx, flow: &mut Flow, field: Field) {
    let look = cx.look;
    let value = field.value();
    let shown = shown(field, &value);
    let area = flow.area(look.dp(56.0));
    let editable = field.config.is_editable();
    let label = &field.config.label;
    let state = if editable { State::Plain } else { State::Disabled };
    let floating = (!shown.is_empty()).then_some(label.as_str());
    let (class, icon) = match field.config.kind {
        FieldType::Date | FieldType::Datetime => ("android.widget.Button", Icon::Calendar),
        FieldType::File => ("android.widget.Button", Icon::File),
        _ => ("android.widget.Spinner", Icon::ChevronDown),
    };
    let words = Area::new(area.left + look.dp(14.0), area.top, area.right - look.dp(48.0), area.bottom);
    let (text, color) = if shown.is_empty() { (label, look.theme.muted) } else { (&shown, ink(look, editable)) };
    let mark = Area::new(area.right - look.dp(44.0), area.top, area.right - look.dp(8.0), area.bottom);
    let node = Node::new(class, area)
        .text(if shown.is_empty() { label.clone() } else { shown.clone() })
        .label(label)
        .id(field.id(look))
        .tap(Tap::Open(Box::new(dialog(cx, field, &value))))
        .flag_if(!editable, Flags::DISABLED)
        .paints(outlined(look, area, floating, state))
        .paint(look.line(words, text, (look.style(16.0), color), Align::Left))
        .paint(Paint::Icon(icon, mark.square(look.dp(22.0)), look.theme.muted));
    flow.push(node, look.dp(16.0));
}

/// Returns what a field's value is called.
fn shown(field: Field, value: &Value) -> String {
    let name = |value: &str| {
        let option = field.config.options.iter().find(|option| option.value == value);
        option.map_or_else(|| value.to_owned(), |option| option.label.clone())
    };
    match field.config.kind {
        FieldType::Select => name(&text_of(value)),
        FieldType::Multiselect => {
            let all = value.as_array().map(Vec::as_slice).unwrap_or_default();
            all.iter().map(|value| name(&text_of(value))).collect::<Vec<_>>().join(", ")
        }
        // One that was handed over in a browser.
        FieldType::File if value.is_object() => value.get("name").map(text_of).unwrap_or_default(),
        FieldType::Datetime => text_of(value).replace('T', " "),
        _ => text_of(value),
    }
}

fn dialog(cx: &Cx, field: Field, value: &Value) -> Dialog {
    let place = field.place();
    let options: Vec<Choice> = field.config.options.clone();
    let kind = match field.config.kind {
        FieldType::Multiselect => {
            let held: Vec<String> = value.as_array().into_iter().flatten().map(text_of).collect();
            let chosen = options.iter().map(|option| held.contains(&option.value)).collect();
            Kind::Checks { place, options, chosen }
        }
        FieldType::Date => Kind::Date { place, moment: Moment::read(&text_of(value), false, cx.now_ms) },
        FieldType::Datetime => Kind::Date { place, moment: Moment::read(&text_of(value), true, cx.now_ms) },
        FieldType::File => Kind::File { place },
        _ => {
            let held = text_of(value);
            let chosen = options.iter().position(|option| option.value == held);
            Kind::Choice { place, options, chosen }
        }
    };
    Dialog::new(&field.config.label, kind)
}

fn ink(look: &Look, editable: bool) -> Color {
    if editable { look.theme.text } else { look.theme.muted }
}
