//! What iOS puts around a page: its bar with the title and the way back, and the line at the screen's end that leads home.

use super::super::node::{Node, Paint};
use super::super::node_action::Tap;
use super::super::widgets::{Align, Look, TEXT_VIEW, VIEW};
use uixt_canvas::canvas::Color;
use uixt_canvas::geometry::Area;
use uixt_canvas::glyphs;

/// Height of the status bar, in points.
pub(crate) const STATUS: f32 = 47.0;
/// Height of what belongs to the line at the screen's end, in points.
pub(crate) const HOME: f32 = 34.0;
/// Height of a page's bar, in points.
const BAR: f32 = 44.0;
const BACK: &str = "Back";
/// What pages lie on (`systemGroupedBackground`).
pub(crate) const GROUND: Color = [242, 242, 247, 255];

/// Builds the bar of a page.
pub(crate) fn navigation_bar(look: &Look, title: &str, (width, has_back): (i32, bool)) -> Node {
    let area = Area::sized(0, look.dp(STATUS), width, look.dp(BAR));
    let side = if has_back { look.dp(82.0) } else { look.dp(16.0) };
    let words = Area::new(area.left + side, area.top, area.right - side, area.bottom);
    let title = (!title.is_empty()).then(|| {
        let style = look.bold(17.0);
        let text = look.line(words, title, (style, look.theme.text), Align::Middle);
        let wide = glyphs::columns(title, style).min(words.width());
        let left = words.left + (words.width() - wide) / 2;
        let high = style.line_height();
        let tight = Area::sized(left, area.top + (area.height() - high) / 2, wide, high);
        Node::new(TEXT_VIEW, tight).text(title).paint(text)
    });
    let rule = Area::sized(0, area.bottom - 1, area.right, 1);
    Node::new("android.widget.Toolbar", area)
        .id(look.id("toolbar"))
        .paint(Paint::Fill(rule, look.theme.divider))
        .children(has_back.then(|| back(look, area)))
        .children(title)
}

fn back(look: &Look, bar: Area) -> Node {
    let area = Area::sized(bar.left + look.dp(8.0), bar.top, look.dp(70.0), bar.height());
    let (x, middle) = (area.left + look.dp(2.0), bar.top + bar.height() / 2);
    let arrow = Area::sized(x, middle - look.dp(18.0), look.dp(18.0), look.dp(24.0));
    let words = Area::new(arrow.right, area.top, area.right, area.bottom);
    Node::new("android.widget.ImageButton", area)
        .text(BACK)
        .label(BACK)
        .tap(Tap::Back)
        .paint(look.line(arrow, "‹", (look.style(46.0), look.theme.primary), Align::Left))
        .paint(look.line(words, BACK, (look.style(17.0), look.theme.primary), Align::Left))
}

/// Builds the line at the screen's end.
pub(crate) fn home_indicator(look: &Look, screen: Area, (ground, ink): (Color, Color)) -> Node {
    let high = look.dp(HOME);
    let area = Area::sized(0, screen.bottom - high, screen.width(), high);
    let wide = look.dp(if screen.width() > screen.height() { 220.0 } else { 134.0 });
    let line = Area::sized((screen.width() - wide) / 2, screen.bottom - look.dp(13.0), wide, look.dp(5.0));
    Node::new(VIEW, area).paint(Paint::Fill(area, ground)).paint(Paint::Round(line, look.px(2.5), ink))
}
