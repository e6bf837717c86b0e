//! The small windows that a page has open over it → their nodes, and who takes the touches. What they hold, the page says.

use super::apps::live::{Button, LivePage, Memory, Moment, Over, Part};
use super::launcher;
use super::node::{Node, Paint};
use super::node_action::Tap;
use super::widgets::{Align, FRAME, Look, TEXT_VIEW, pixels};
use uixt_canvas::canvas::Color;
use uixt_canvas::geometry::Area;
use uixt_canvas::theme::{BLACK, WHITE};

const ROW: f32 = 48.0;
/// Where the lists begin, below the page's first and second button, in dp.
const LIST: f32 = 200.0;
const SUGGESTIONS: f32 = 262.0;
/// How far above the page's end messages stand.
const FOOT: f32 = 76.0;
const DARK: Color = [38, 41, 48, 255];

/// A window over a page.
pub(super) struct Floating {
    pub(super) over: Over,
    pub(super) root: Node,
}

impl Over {
    /// Returns whose it is, where it is not the page's app.
    pub(super) fn owner(self) -> Option<&'static str> {
        (self == Self::Film).then_some(launcher::PACKAGE)
    }

    /// Returns what Android calls it among its windows.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::List | Self::Suggestions => "PopupWindow:6f1c2ab",
            Self::Film => "com.uixt.launcher/com.uixt.launcher.FilmActivity",
            Self::Toast => "Toast",
        }
    }

    /// Tells whether touches beside it reach nothing under it.
    pub(super) fn is_modal(self) -> bool {
        self == Self::List
    }

    /// Tells whether no touch and no tree of elements reaches it, as on Android.
    pub(super) fn is_only_seen(self) -> bool {
        self == Self::Toast
    }
}

/// Builds the windows over a page, from back to front; `room` is what the page has of the screen.
pub(super) fn build(look: &Look, page: &LivePage, (memory, ms): (&Memory, u64), room: Area) -> Vec<Floating> {
    let dp = look.px(1.0);
    let size = (pixels(room.width()) / dp, pixels(room.height()) / dp);
    let parts = (page.show)(&Moment { memory, ms, room: size });
    let windows = parts.iter().filter_map(|part| match part {
        Part::Window(over, rows) => Some(Floating { over: *over, root: window(look, *over, rows, room) }),
        _ => None,
    });
    windows.collect()
}

fn window(look: &Look, over: Over, rows: &[Button], room: Area) -> Node {
    let high = look.dp(ROW) * i32::try_from(rows.len()).unwrap_or(1);
    let rim = look.dp(16.0);
    let (wide, foot) = (room.width(), room.bottom - look.dp(FOOT));
    let (area, ground, ink) = match over {
        Over::List | Over::Suggestions => {
            let top = room.top + look.dp(if over == Over::List { LIST } else { SUGGESTIONS });
            (Area::sized(rim, top, wide - 2 * rim, high), look.theme.surface, look.theme.text)
        }
        Over::Film => (Area::sized(wide / 2, foot - look.dp(150.0), wide / 2 - rim, look.dp(110.0)), BLACK, WHITE),
        Over::Toast => (Area::sized(wide / 6, foot, wide * 2 / 3, high), DARK, WHITE),
    };
    let class = if matches!(over, Over::List | Over::Suggestions) { "android.widget.ListView" } else { FRAME };
    let row_high = area.height() / i32::try_from(rows.len().max(1)).unwrap_or(1);
    let lines = rows.iter().zip(0..).map(|(row, number)| {
        let area = Area::sized(area.left, area.top + number * row_high, area.width(), row_high);
        let align = if class == FRAME { Align::Middle } else { Align::Left };
        let text = look.line(area.inset(look.dp(10.0)), &row.text, (look.style(16.0), ink), align);
        let node = Node::new(TEXT_VIEW, area).text(&row.text).paint(text);
        let node = if row.id.is_empty() { node } else { node.id(look.id(row.id)) };
        if row.enabled { node.tap(Tap::Live(row.id.to_owned())) } else { node }
    });
    Node::new(class, area)
        .tap(Tap::Swallow)
        .paint(Paint::Round(area, look.px(12.0), ground))
        .paint(Paint::Ring(area, look.px(12.0), look.px(1.0), look.theme.outline))
        .children(lines.collect::<Vec<_>>())
}
