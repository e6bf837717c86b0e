//! The system's own windows around an app: the status bar above it and the navigation bar below it.

use super::iphone::bars::{HOME, STATUS as IPHONE_STATUS, home_indicator};
use super::node::{Node, Paint};
use super::node_action::Tap;
use super::widgets::{Align, FRAME, Look, VIEW};
use uixt_canvas::canvas::Color;
use uixt_canvas::geometry::Area;
use uixt_canvas::icon::Icon;

/// Height of the status bar, in dp.
pub(super) const STATUS: f32 = 28.0;
/// Height of the navigation bar, in dp.
const NAVIGATION: f32 = 40.0;

/// Returns the height of the status bar, in dp.
pub(super) fn status_height(look: &Look) -> f32 {
    if look.is_iphone() { IPHONE_STATUS } else { STATUS }
}

/// Returns the height of what lies below every page, in dp.
pub(super) fn navigation_height(look: &Look) -> f32 {
    if look.is_iphone() { HOME } else { NAVIGATION }
}

/// Builds the status bar: the time, the network, the battery.
pub(super) fn status(look: &Look, width: i32, (hour, minute): (u32, u32), ink: Color) -> Node {
    let area = Area::sized(0, 0, width, look.dp(status_height(look)));
    let rim = look.dp(if look.is_iphone() { 30.0 } else { 20.0 });
    let inner = Area::new(rim, 0, width - rim, area.bottom);
    let time = look.line(inner, &format!("{hour:02}:{minute:02}"), (look.bold(13.5), ink), Align::Left);
    Node::new(FRAME, area)
        .tap(Tap::Swallow)
        .paint(time)
        .paints(network(look, inner, ink))
        .paints(battery(look, inner, ink))
}

/// Four bars of growing height.
fn network(look: &Look, inner: Area, ink: Color) -> Vec<Paint> {
    let bottom = inner.height() / 2 + look.dp(5.0);
    let left = inner.right - look.dp(38.0);
    let bar = |number: i32| {
        let x = left + number * look.dp(3.6);
        let high = look.dp(3.0) + number * look.dp(2.4);
        Paint::Round(Area::new(x, bottom - high, x + look.dp(2.4), bottom), look.px(0.8), ink)
    };
    (0..4).map(bar).collect()
}

fn battery(look: &Look, inner: Area, ink: Color) -> [Paint; 3] {
    let middle = inner.height() / 2;
    let body = Area::new(
        inner.right - look.dp(20.0),
        middle - look.dp(5.0),
        inner.right - look.dp(2.0),
        middle + look.dp(5.0),
    );
    let charge = body.inset(look.dp(2.0));
    let nose = Area::new(body.right + 1, middle - look.dp(2.0), inner.right, middle + look.dp(2.0));
    [
        Paint::Ring(body, look.px(2.5), look.px(1.2), ink),
        Paint::Round(charge, look.px(1.2), ink),
        Paint::Round(nose, look.px(0.8), ink),
    ]
}

/// Builds the navigation bar; its back key points down while the keyboard is open.
pub(super) fn navigation(look: &Look, screen: Area, keyboard: bool, (ground, ink): (Color, Color)) -> Node {
    if look.is_iphone() {
        return home_indicator(look, screen, (ground, ink));
    }
    let area = Area::new(0, screen.bottom - look.dp(NAVIGATION), screen.right, screen.bottom);
    let back = if keyboard { Icon::Hide } else { Icon::NavBack };
    let keys = [(back, Tap::Back), (Icon::NavHome, Tap::Home), (Icon::NavRecents, Tap::Home)];
    let third = area.width() / 3;
    let keys = keys.into_iter().zip(0..).map(|((icon, tap), number)| {
        let cell = Area::sized(number * third, area.top, third, area.height());
        Node::new(VIEW, cell).tap(tap).paint(Paint::Icon(icon, cell.square(look.dp(19.0)), ink))
    });
    let line = Area::sized(0, area.top, area.width(), look.dp(0.6).max(1));
    Node::new(FRAME, area)
        .tap(Tap::Swallow)
        .paint(Paint::Fill(area, ground))
        .paint(Paint::Fill(line, uixt_canvas::theme::faded(ink, 8)))
        .children(keys.collect::<Vec<_>>())
}
