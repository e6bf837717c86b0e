//! Fields that are typed into: text, number, textarea, json.

use crate::instance::FieldType;

use super::super::edit::{Edit, text_to_edit};
use super::super::node::{Flags, Node, Paint};
use super::super::node_action::Tap;
use super::super::widgets::{Align, baseline, pixels};
use super::field::{Cx, Field, Flow};
use super::outline::{State, outlined};
use uixt_canvas::canvas::Color;
use uixt_canvas::geometry::Area;
use uixt_canvas::glyphs::{self, Style};

/// Puts a text field into the column.
pub(super) fn put(cx: &Cx, flow: &mut Flow, field: Field) {
    let look = cx.look;
    if !field.config.is_editable() && !is_secret(field) {
        return read_only(cx, flow, field);
    }
    let place = field.place();
    let edit = cx.edit.filter(|edit| edit.place == place);
    let text = edit.map_or_else(|| written(field), |edit| edit.text.clone());
    let secret = is_secret(field);
    let shown = if secret { "•".repeat(text.chars().count()) } else { text.clone() };
    let lines = Lines::of(cx, flow, field, &shown, edit);
    let area = flow.area(lines.height(cx));
    let wrong = field.config.kind == FieldType::Json
        && !text.is_empty()
        && serde_json::from_str::<serde_json::Value>(&text).is_err();
    let floating = (edit.is_some() || !text.is_empty()).then_some(field.config.label.as_str());
    let editable = field.config.is_editable();
    let state = match edit {
        _ if wrong => State::Wrong,
        Some(_) => State::Focused,
        None if editable => State::Plain,
        None => State::Disabled,
    };
    let hint = hint(field);
    let node = Node::new("android.widget.EditText", area)
        .text(text)
        .hint(hint)
        .id(field.id(look))
        .tap(Tap::Focus(place))
        .flag(Flags::LONG_CLICKABLE)
        .flag_if(secret, Flags::PASSWORD)
        .flag_if(edit.is_some(), Flags::FOCUSED)
        .flag_if(!editable, Flags::DISABLED)
        .paints(outlined(look, area, floating, state))
        .paints(lines.paint(cx, area, look.theme.text))
        .paints(placeholder(cx, area, field, (shown.is_empty(), edit.is_some())));
    flow.push(node, look.dp(16.0));
    if wrong {
        let ink = (look.style(12.0), look.theme.danger);
        flow.y -= look.dp(10.0);
        let node = look
            .words((flow.left + look.dp(14.0), flow.y), flow.width, "Not valid JSON", ink, 1)
            .id(look.id("textinput_error"));
        flow.push(node, look.dp(16.0));
    }
}

/// Returns what an empty field says of itself: its label, else its hint.
fn hint(field: Field) -> String {
    let config = field.config;
    if config.label.is_empty() { config.hint.clone().unwrap_or_default() } else { config.label.clone() }
}

fn is_secret(field: Field) -> bool {
    field.config.content_type.as_deref() == Some("password")
}

fn written(field: Field) -> String {
    text_to_edit(field.config.kind, &field.value())
}

/// Puts a value that cannot be changed: its label, and the value below it.
fn read_only(cx: &Cx, flow: &mut Flow, field: Field) {
    let look = cx.look;
    let config = field.config;
    if !config.label.is_empty() {
        let ink = (look.style(12.5), look.theme.muted);
        let label = look.words((flow.left, flow.y), flow.width, &config.label, ink, 2);
        flow.push(label.id(look.id(&format!("{}_label", config.key))), look.dp(1.0));
    }
    let ink = (look.style(17.0), look.theme.text);
    let value = look.words((flow.left, flow.y), flow.width, &written(field), ink, 60);
    flow.push(value.id(field.id(look)), look.dp(14.0));
}

/// Draws the label or the hint inside of an empty field.
fn placeholder(cx: &Cx, area: Area, field: Field, (empty, focused): (bool, bool)) -> Option<Paint> {
    let look = cx.look;
    let text = if focused { field.config.hint.clone().unwrap_or_default() } else { hint(field) };
    let rim = look.dp(14.0);
    let line = Area::sized(area.left + rim, area.top, area.width() - 2 * rim, look.dp(56.0));
    let style = (look.style(16.0), look.theme.muted);
    (empty && !text.is_empty()).then(|| look.line(line, &text, style, Align::Left))
}

/// The lines of a field's text and where its cursor stands.
struct Lines {
    texts: Vec<String>,
    style: Style,
    /// Line and text before the cursor within it.
    cursor: Option<(usize, String)>,
    many: bool,
}

impl Lines {
    fn of(cx: &Cx, flow: &Flow, field: Field, shown: &str, edit: Option<&Edit>) -> Self {
        let many = matches!(field.config.kind, FieldType::Textarea | FieldType::Json);
        let style = cx.look.style(16.0);
        let limit = pixels(flow.width - 2 * cx.look.dp(14.0));
        let at = edit.map(|edit| shown.char_indices().nth(edit.cursor).map_or(shown.len(), |(byte, _)| byte));
        if many { Self::several(shown, style, limit, at) } else { Self::single(shown, style, limit, at) }
    }

    /// Keeps the cursor in sight: the line's beginning goes when it is too long.
    fn single(shown: &str, style: Style, limit: f32, at: Option<usize>) -> Self {
        let before = at.map_or("", |at| &shown[..at]);
        let mut behind = 0.0;
        let seen = before.char_indices().rev().take_while(|(_, sign)| {
            behind += glyphs::width(sign.encode_utf8(&mut [0; 4]), style);
            behind <= limit - 2.0
        });
        let start = seen.last().map_or(before.len(), |(start, _)| start);
        let mut used = 0.0;
        let fits = |sign: &char| {
            used += glyphs::width(sign.encode_utf8(&mut [0; 4]), style);
            used <= limit
        };
        let line: String = shown[start..].chars().take_while(fits).collect();
        let line = if at.is_none() { glyphs::shorten(shown, style, limit) } else { line };
        Self { texts: vec![line], style, cursor: at.map(|_| (0, before[start..].to_owned())), many: false }
    }

    fn several(shown: &str, style: Style, limit: f32, at: Option<usize>) -> Self {
        let ranges = glyphs::wrap_ranges(shown, style, limit);
        let cursor = at.and_then(|at| {
            let line = ranges.iter().rposition(|range| range.start <= at)?;
            Some((line, shown[ranges[line].start..at.min(ranges[line].end)].to_owned()))
        });
        let texts = ranges.into_iter().map(|range| shown[range].to_owned()).collect();
        Self { texts, style, cursor, many: true }
    }

    fn height(&self, cx: &Cx) -> i32 {
        let count = i32::try_from(self.texts.len()).unwrap_or(1);
        if self.many { self.style.line_height() * count.max(3) + cx.look.dp(32.0) } else { cx.look.dp(56.0) }
    }

    fn paint(&self, cx: &Cx, area: Area, color: Color) -> Vec<Paint> {
        let left = area.left + cx.look.dp(14.0);
        let high = if self.many { self.style.line_height() } else { area.height() };
        let top = if self.many { area.top + cx.look.dp(16.0) } else { area.top };
        let place = |number: usize| top + high * i32::try_from(number).unwrap_or(0);
        let mut paints: Vec<Paint> = (self.texts.iter().enumerate())
            .map(|(number, line)| {
                Paint::Text(pixels(left), baseline(place(number), high, self.style), line.clone(), self.style, color)
            })
            .collect();
        if let Some((line, before)) = &self.cursor {
            let x = left + glyphs::columns(before, self.style);
            let middle = place(*line) + high / 2;
            let half = cx.look.dp(11.0);
            let bar = Area::new(x, middle - half, x + cx.look.dp(2.0), middle + half);
            paints.push(Paint::Fill(bar, cx.look.theme.primary));
        }
        paints
    }
}
