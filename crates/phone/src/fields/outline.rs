//! The outline of an input, with its label on it.

use super::super::iphone::marks;
use super::super::node::Paint;
use super::super::widgets::{Align, Look, pixels};
use uixt_canvas::geometry::Area;
use uixt_canvas::glyphs;

/// How the outline of an input looks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Plain,
    Focused,
    Wrong,
    Disabled,
}

/// Draws an input's outline, with its label on it where it does not stand inside.
pub(super) fn outlined(look: &Look, area: Area, label: Option<&str>, state: State) -> Vec<Paint> {
    let theme = look.theme;
    if look.is_iphone() {
        return marks::field(look, area, label, (state == State::Focused, state == State::Wrong));
    }
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
