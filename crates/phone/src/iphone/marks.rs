//! How iOS draws what is on or off, what is chosen, and the ground of a text field.

use super::super::node::Paint;
use super::super::widgets::{Align, Look, pixels};
use uixt_canvas::canvas::Color;
use uixt_canvas::geometry::Area;
use uixt_canvas::icon::Icon;
use uixt_canvas::theme::{WHITE, mix};

/// `systemGreen`, and what a switch is made of that is off.
const GREEN: Color = [52, 199, 89, 255];
const OFF: Color = [233, 233, 235, 255];
/// The ground of a field (`tertiarySystemFill`).
const FIELD: Color = [238, 238, 240, 255];

/// Draws a switch at the right of its place.
pub(crate) fn switch(look: &Look, place: Area, checked: bool, editable: bool) -> Vec<Paint> {
    let middle = i32::midpoint(place.top, place.bottom);
    let track = Area::sized(place.right - look.dp(51.0), middle - look.dp(15.5), look.dp(51.0), look.dp(31.0));
    let color = if checked { GREEN } else { OFF };
    let color = if editable { color } else { mix(color, WHITE, 50) };
    let side = track.height();
    let left = if checked { track.right - side } else { track.left };
    let knob = Area::sized(left, track.top, side, side).inset(look.dp(2.0));
    let radius = pixels(side) / 2.0;
    vec![
        Paint::Round(track, radius, color),
        Paint::Round(knob, radius, WHITE),
        Paint::Ring(knob, radius, look.px(0.5), [0, 0, 0, 18]),
    ]
}

/// Draws the check of what is chosen; nothing beside what is not.
pub(crate) fn chosen(look: &Look, square: Area, checked: bool) -> Vec<Paint> {
    if checked { vec![Paint::Icon(Icon::Check, square, look.theme.primary)] } else { Vec::new() }
}

/// Draws the ground of a field, its label small above what it holds.
pub(crate) fn field(look: &Look, area: Area, label: Option<&str>, (is_focused, is_wrong): (bool, bool)) -> Vec<Paint> {
    let mut paints = vec![Paint::Round(area, look.px(10.0), FIELD)];
    let ring = if is_wrong { Some(look.theme.danger) } else { is_focused.then_some(look.theme.primary) };
    paints.extend(ring.map(|color| Paint::Ring(area, look.px(10.0), look.px(1.5), color)));
    if let Some(label) = label.filter(|label| !label.is_empty()) {
        let rim = look.dp(14.0);
        let line = Area::sized(area.left + rim, area.top + look.dp(3.0), area.width() - 2 * rim, look.dp(13.0));
        paints.push(look.line(line, label, (look.style(10.5), look.theme.muted), Align::Left));
    }
    paints
}
