//! The marks of what is chosen: a checkbox's square, a radio button's circle, a switch.

use super::iphone::marks;
use super::node::Paint;
use super::widgets::{Look, pixels};
use uixt_canvas::geometry::Area;
use uixt_canvas::icon::Icon;

/// Draws a checkbox's square.
pub(super) fn check_mark(look: &Look, square: Area, checked: bool, editable: bool) -> Vec<Paint> {
    let color = if editable { look.theme.primary } else { look.theme.muted };
    if checked {
        vec![
            Paint::Round(square, look.px(4.0), color),
            Paint::Icon(Icon::Check, square.inset(look.dp(1.0)), look.theme.on_primary),
        ]
    } else {
        vec![Paint::Ring(square, look.px(4.0), look.px(2.0), look.theme.outline)]
    }
}

/// Draws a radio button's circle.
pub(super) fn radio_mark(look: &Look, square: Area, checked: bool, editable: bool) -> Vec<Paint> {
    if look.is_iphone() {
        return marks::chosen(look, square, checked);
    }
    let radius = pixels(square.width()) / 2.0;
    let color = if checked && editable { look.theme.primary } else { look.theme.outline };
    let dot = square.inset(look.dp(5.0));
    let mut paints = vec![Paint::Ring(square, radius, look.px(2.0), color)];
    if checked {
        paints.push(Paint::Round(dot, radius, color));
    }
    paints
}

/// Draws a switch.
pub(super) fn switch_mark(look: &Look, track: Area, checked: bool, editable: bool) -> Vec<Paint> {
    if look.is_iphone() {
        return marks::switch(look, track, checked, editable);
    }
    let theme = look.theme;
    let radius = pixels(track.height()) / 2.0;
    let side = track.height();
    if checked {
        let color = if editable { theme.primary } else { theme.muted };
        let knob = Area::new(track.right - side, track.top, track.right, track.bottom).inset(look.dp(4.0));
        return vec![
            Paint::Round(track, radius, color),
            Paint::Round(knob, radius, theme.on_primary),
            Paint::Icon(Icon::Check, knob.inset(look.dp(4.0)), color),
        ];
    }
    let knob = Area::new(track.left, track.top, track.left + side, track.bottom).inset(look.dp(8.0));
    vec![
        Paint::Round(track, radius, theme.divider),
        Paint::Ring(track, radius, look.px(2.0), theme.outline),
        Paint::Round(knob, radius, theme.outline),
    ]
}
