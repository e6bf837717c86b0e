//! The lock screen: a clock, the day, and how to get past it. A swipe up, the menu key or the window manager takes it away.

use super::node::{Node, Paint};
use super::widgets::{Align, FRAME, Look, TEXT_VIEW, VIEW};
use uixt_canvas::canvas::Color;
use uixt_canvas::geometry::Area;
use uixt_canvas::icon::Icon;
use uixt_canvas::theme::{WHITE, faded};

/// Whose window it is.
pub(super) const PACKAGE: &str = "com.android.systemui";

const SKY: Color = [20, 30, 62, 255];
const GROUND: Color = [86, 66, 104, 255];
/// How much of the screen's height a finger must go up to get past it, in percent.
const WAY: u32 = 20;

/// Tells whether a finger's way takes the lock screen away.
pub(super) fn is_dismissed_by(from: (f64, f64), to: (f64, f64), height: u32) -> bool {
    let up = from.1 - to.1;
    up * 100.0 >= f64::from(height * WAY) && up > (from.0 - to.0).abs()
}

/// Builds the lock screen.
pub(super) fn build(look: &Look, screen: Area, (hour, minute): (u32, u32), day: &str) -> Node {
    let wide = |top: f32, high: f32| Area::sized(0, look.dp(top), screen.width(), look.dp(high));
    // On its side, the screen has no room for the distance above the clock.
    let top = if screen.width() > screen.height() { 44.0 } else { 116.0 };
    let time = format!("{hour:02}:{minute:02}");
    let (clock, date) = (wide(top, 84.0), wide(top + 88.0, 24.0));
    let hint = Area::sized(0, screen.bottom - look.dp(92.0), screen.width(), look.dp(24.0));
    let padlock = Area::sized(0, hint.top - look.dp(40.0), screen.width(), look.dp(32.0));
    let words = |area: Area, text: &str, id: &str, paint: Paint| {
        Node::new(TEXT_VIEW, area).text(text).id(look.id(id)).paint(paint)
    };
    let line =
        |area: Area, text: &str, size: f32, ink: Color| look.line(area, text, (look.style(size), ink), Align::Middle);
    let bar =
        Area::sized((screen.width() - look.dp(108.0)) / 2, screen.bottom - look.dp(14.0), look.dp(108.0), look.dp(4.0));
    Node::new(FRAME, screen)
        .id(look.id("keyguard_root_view"))
        .paint(Paint::Gradient(screen, SKY, GROUND))
        .child(words(clock, &time, "lockscreen_clock_view", line(clock, &time, 72.0, WHITE)))
        .child(words(date, day, "keyguard_date", line(date, day, 17.0, faded(WHITE, 88))))
        .child(Node::new(VIEW, padlock).label("Locked").id(look.id("lock_icon_view")).paint(Paint::Icon(
            Icon::Padlock,
            padlock.square(look.dp(26.0)),
            WHITE,
        )))
        .child(words(
            hint,
            "Swipe up to unlock",
            "keyguard_indication_text",
            line(hint, "Swipe up to unlock", 14.5, faded(WHITE, 88)),
        ))
        .child(Node::new(VIEW, bar).paint(Paint::Round(bar, look.px(2.0), faded(WHITE, 80))))
}

#[cfg(test)]
mod tests {
    use super::is_dismissed_by;

    #[test]
    fn only_a_long_way_up_unlocks() {
        assert!(is_dismissed_by((500.0, 2000.0), (520.0, 900.0), 2400));
        for (from, to) in
            [((500.0, 2000.0), (500.0, 1900.0)), ((500.0, 900.0), (500.0, 2000.0)), ((0.0, 1000.0), (900.0, 500.0))]
        {
            assert!(!is_dismissed_by(from, to, 2400));
        }
    }
}
