//! Fields that only show: html, tag, progress, badge; and modal, a button that shows a text.

use serde_json::Value;

use crate::instance::text_of;

use super::super::dialog::{Dialog, Kind};
use super::super::node::{Node, Paint};
use super::super::node_action::Tap;
use super::super::widgets::{Align, LINEAR, Look, TEXT_VIEW, pixels};
use super::field::{Cx, Field, Flow};
use uixt_canvas::geometry::Area;
use uixt_canvas::glyphs;
use uixt_canvas::theme::{WHITE, mix};

/// Puts the words of a piece of HTML; its tags only break lines.
pub(super) fn html(cx: &Cx, flow: &mut Flow, field: Field) {
    let look = cx.look;
    if !field.config.label.is_empty() {
        let ink = (look.bold(15.0), look.theme.text);
        let node = look.words((flow.left, flow.y), flow.width, &field.config.label, ink, 3);
        flow.push(node, look.dp(2.0));
    }
    let written = text_of(&field.value());
    let source = if written.is_empty() { field.config.description.clone().unwrap_or_default() } else { written };
    let words = plain(&source);
    if !words.is_empty() {
        let ink = (look.style(15.0), look.theme.muted);
        let node = look.words((flow.left, flow.y), flow.width, &words, ink, 200).id(field.id(look));
        flow.push(node, look.dp(20.0));
    }
}

/// Returns the words of HTML: scripts and styles go, blocks begin lines, entities become characters.
fn plain(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        out.push_str(&rest[..open]);
        let Some(close) = rest[open..].find('>') else {
            rest = &rest[open..];
            break;
        };
        let tag = rest[open + 1..open + close].trim_end_matches('/').trim().to_ascii_lowercase();
        rest = &rest[open + close + 1..];
        let name = tag.trim_start_matches('/').split_whitespace().next().unwrap_or_default();
        match name {
            "script" | "style" if !tag.starts_with('/') => rest = after_end(rest, name),
            "li" if !tag.starts_with('/') => out.push_str("\n• "),
            "br" | "p" | "div" | "ul" | "ol" | "h1" | "h2" | "h3" | "h4" | "tr" => out.push('\n'),
            "td" | "th" => out.push(' '),
            _ => {}
        }
    }
    out.push_str(rest);
    tidy(&out)
}

/// Returns what comes after the end tag of an element; nothing where it has no end.
fn after_end<'a>(rest: &'a str, name: &str) -> &'a str {
    let lower = rest.to_ascii_lowercase();
    let end = lower.find(&format!("</{name}")).and_then(|at| rest[at..].find('>').map(|close| at + close + 1));
    end.map_or("", |end| &rest[end..])
}

fn tidy(text: &str) -> String {
    let text = [("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        .iter()
        .fold(text.to_owned(), |text, (entity, sign)| text.replace(entity, sign));
    let lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Puts a chip per tag; they flow into as many rows as they need.
pub(super) fn tags(cx: &Cx, flow: &mut Flow, field: Field) {
    let look = cx.look;
    caption(cx, flow, &field.config.label);
    let (style, high, gap) = (look.style(14.0), look.dp(32.0), look.dp(8.0));
    let (mut x, mut y) = (flow.left, flow.y);
    let mut chips = Vec::new();
    for text in words_of(&field.value()) {
        let wide = chip_width(look, &text).min(flow.width);
        if x + wide > flow.left + flow.width && x > flow.left {
            (x, y) = (flow.left, y + high + gap);
        }
        let area = Area::sized(x, y, wide, high);
        let ink = (style, look.theme.on_pale);
        let line = look.line(area.inset(look.dp(4.0)), &text, ink, Align::Middle);
        let ground = Paint::Round(area, look.px(8.0), look.theme.pale);
        chips.push(Node::new(TEXT_VIEW, area).text(text).paint(ground).paint(line));
        x = area.right + gap;
    }
    let area = Area::new(flow.left, flow.y, flow.left + flow.width, y + high);
    flow.push(Node::new("android.view.ViewGroup", area).id(field.id(look)).children(chips), look.dp(18.0));
}

fn chip_width(look: &Look, text: &str) -> i32 {
    glyphs::columns(text, look.style(14.0)) + look.dp(26.0)
}

/// Returns a list's elements, or the words of a text between commas.
fn words_of(value: &Value) -> Vec<String> {
    let words: Vec<String> = match value {
        Value::Array(list) => list.iter().map(text_of).collect(),
        other => text_of(other).split([',', '，']).map(|word| word.trim().to_owned()).collect(),
    };
    words.into_iter().filter(|word| !word.is_empty()).collect()
}

/// Puts a small line above what comes.
fn caption(cx: &Cx, flow: &mut Flow, text: &str) {
    if !text.is_empty() {
        let ink = (cx.look.style(13.0), cx.look.theme.muted);
        let node = cx.look.words((flow.left, flow.y), flow.width, text, ink, 2);
        flow.push(node, cx.look.dp(6.0));
    }
}

/// Puts a bar that is filled to a percentage.
#[expect(clippy::cast_possible_truncation, reason = "a width on the screen")]
pub(super) fn progress(cx: &Cx, flow: &mut Flow, field: Field) {
    let look = cx.look;
    let value = field.value();
    let percent = value.as_f64().or_else(|| text_of(&value).trim_end_matches('%').parse().ok()).unwrap_or(0.0);
    let percent = if percent.is_finite() { percent.clamp(0.0, 100.0) } else { 0.0 };
    let label = flow.area(look.dp(24.0));
    let said = format!("{}%", percent.round());
    let number = Area::new(label.right - look.dp(64.0), label.top, label.right, label.bottom);
    let name = Area::new(label.left, label.top, number.left, label.bottom);
    let words = [
        Node::new(TEXT_VIEW, name).text(&field.config.label).paint(look.line(
            name,
            &field.config.label,
            (look.style(14.0), look.theme.text),
            Align::Left,
        )),
        Node::new(TEXT_VIEW, number).text(&said).paint(look.line(
            number,
            &said,
            (look.bold(14.0), look.theme.primary),
            Align::Right,
        )),
    ];
    let track = Area::sized(flow.left, label.bottom + look.dp(6.0), flow.width, look.dp(8.0));
    let end = track.left + (f64::from(track.width()) * percent / 100.0) as i32;
    let bar = Node::new("android.widget.ProgressBar", track)
        .text(&said)
        .id(field.id(look))
        .paint(Paint::Round(track, look.px(4.0), look.theme.pale))
        .paint(Paint::Round(Area::new(track.left, track.top, end, track.bottom), look.px(4.0), look.theme.primary));
    let area = Area::new(flow.left, label.top, label.right, track.bottom);
    flow.push(Node::new(LINEAR, area).children(words).child(bar), look.dp(18.0));
}

/// Puts a label with a round mark beside it.
pub(super) fn badge(cx: &Cx, flow: &mut Flow, field: Field) {
    let look = cx.look;
    let area = flow.area(look.dp(40.0));
    let text = text_of(&field.value());
    let name = Area::new(area.left, area.top, area.right - look.dp(120.0), area.bottom);
    let label = Node::new(TEXT_VIEW, name).text(&field.config.label).paint(look.line(
        name,
        &field.config.label,
        (look.style(16.0), look.theme.text),
        Align::Left,
    ));
    let mark = (!text.is_empty()).then(|| pill(look, area, &text).id(field.id(look)));
    flow.push(Node::new(LINEAR, area).child(label).children(mark), look.dp(12.0));
}

/// Makes a round mark with a text at the right of an area.
pub(crate) fn pill(look: &Look, area: Area, text: &str) -> Node {
    let (style, high) = (look.bold(13.0), look.dp(24.0));
    let wide = (glyphs::columns(text, style) + look.dp(16.0)).clamp(high, area.width().max(high));
    let top = area.top + (area.height() - high) / 2;
    let pill = Area::new(area.right - wide, top, area.right, top + high);
    let (ground, ink) = if text.chars().count() <= 4 {
        (mix(look.theme.danger, WHITE, 5), WHITE)
    } else {
        (look.theme.pale, look.theme.on_pale)
    };
    Node::new(TEXT_VIEW, pill).text(text).paint(Paint::Round(pill, pixels(high) / 2.0, ground)).paint(look.line(
        pill,
        text,
        (style, ink),
        Align::Middle,
    ))
}

/// Puts a button that opens a dialog with the field's text.
pub(super) fn modal(cx: &Cx, flow: &mut Flow, field: Field) {
    let look = cx.look;
    let area = flow.area(look.dp(48.0));
    let value = text_of(&field.value());
    let text = if value.is_empty() { field.config.description.clone().unwrap_or_default() } else { value };
    let dialog = Dialog::new(&field.config.label, Kind::Text(plain(&text)));
    let ring = Paint::Ring(area.inset(look.dp(1.0)), pixels(area.height()) / 2.0, look.px(1.0), look.theme.outline);
    let node = Node::new("android.widget.Button", area)
        .text(&field.config.label)
        .id(field.id(look))
        .tap(Tap::Open(Box::new(dialog)))
        .paint(ring)
        .paint(look.line(area, &field.config.label, (look.bold(15.0), look.theme.primary), Align::Middle));
    flow.push(node, look.dp(12.0));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_becomes_words() {
        let html = "<h2>A &amp; B</h2><script>alert(1)</script><ul><li>one</li><li><b>two</b></ul>x < y";
        assert_eq!(plain(html), "A & B\n• one\n• two\nx < y");
        assert_eq!(plain("<script>never ends"), "");
    }
}
