//! The home screen: a clock and an icon for every app.

use super::app::{App, Release};
use super::node::{Node, Paint};
use super::node_action::Tap;
use super::widgets::{Align, FRAME, Look, TEXT_VIEW, VIEW};
use uixt_canvas::canvas::Color;
use uixt_canvas::geometry::Area;
use uixt_canvas::icon::Icon;
use uixt_canvas::theme::{BLACK, Theme, WHITE, faded};

pub(super) const PACKAGE: &str = "com.uixt.launcher";
const ACTIVITY: &str = ".Launcher";
/// Process id of the launcher, which always runs.
pub(super) const PROCESS_ID: u32 = 1204;

const SKY: Color = [44, 72, 128, 255];
const GROUND: Color = [148, 104, 140, 255];
const COLUMNS: i32 = 4;
/// The apps that are kept on the second page.
const PUT_AWAY: &[&str] = &["com.uixt.touchlab", "com.uixt.trouble"];

/// Returns the launcher as an app.
pub(super) fn app() -> App {
    App {
        package: PACKAGE.to_owned(),
        activity: ACTIVITY.to_owned(),
        label: "Launcher".to_owned(),
        third_party: false,
        release: Release::built_in(),
    }
}

/// Returns how many pages the home screen has.
pub(super) fn pages(apps: &[App]) -> usize {
    1 + usize::from(apps.iter().any(|app| page_of(app) == 1))
}

/// Returns the page that an app's icon stands on.
fn page_of(app: &App) -> usize {
    usize::from(PUT_AWAY.contains(&app.package.as_str()))
}

/// Builds one page of the home screen.
pub(super) fn build(look: &Look, screen: Area, (hour, minute): (u32, u32), (apps, page): (&[App], usize)) -> Node {
    let clock = Area::sized(0, look.dp(84.0), screen.width(), look.dp(80.0));
    let time = format!("{hour:02}:{minute:02}");
    let face = look.line(clock, &time, (look.style(64.0), WHITE), Align::Middle);
    let clock = Node::new(TEXT_VIEW, clock).text(time).id(look.id("clock")).paint(face);
    let rim = look.dp(16.0);
    let cell = (screen.width() - 2 * rim) / COLUMNS;
    let icons = apps.iter().filter(|app| page_of(app) == page).zip(0..).map(|(app, number)| {
        let (column, row) = (number % COLUMNS, number / COLUMNS);
        let at = (rim + column * cell, look.dp(210.0) + row * look.dp(104.0));
        app_icon(look, Area::sized(at.0, at.1, cell, look.dp(96.0)), app)
    });
    let workspace = Node::new("android.view.ViewGroup", screen)
        .id(look.id("workspace"))
        .child(clock)
        .children(icons.collect::<Vec<_>>())
        .children(indicator(look, screen, page, pages(apps)));
    Node::new(FRAME, screen).paint(Paint::Gradient(screen, SKY, GROUND)).child(workspace)
}

/// Builds what stands beside an app that shares the screen.
pub(super) fn beside(look: &Look, area: Area) -> Node {
    let rule = Area::sized(area.left, area.top, area.width(), look.dp(10.0));
    let handle = rule.square(look.dp(4.0));
    let handle = Area::new(handle.left - look.dp(20.0), handle.top, handle.right + look.dp(20.0), handle.bottom);
    let text = look.line(area, "Another app", (look.bold(22.0), WHITE), Align::Middle);
    Node::new(FRAME, area)
        .paint(Paint::Gradient(area, SKY, GROUND))
        .paint(Paint::Fill(rule, BLACK))
        .paint(Paint::Round(handle, look.px(2.0), WHITE))
        .paint(text)
}

/// Builds the dots that say which page this is; none where there is only one.
fn indicator(look: &Look, screen: Area, page: usize, pages: usize) -> Option<Node> {
    let (size, gap) = (look.dp(8.0), look.dp(8.0));
    let count = i32::try_from(pages).ok().filter(|count| *count > 1)?;
    let wide = count * size + (count - 1) * gap;
    let area = Area::sized((screen.width() - wide) / 2, screen.bottom - look.dp(72.0), wide, size);
    let dots = (0..pages).zip(0..).map(|(number, place)| {
        let color = if number == page { WHITE } else { faded(WHITE, 45) };
        Paint::Round(Area::sized(area.left + place * (size + gap), area.top, size, size), look.px(4.0), color)
    });
    let label = format!("Page {} of {pages}", page + 1);
    Some(Node::new(VIEW, area).id(look.id("page_indicator")).label(label).paints(dots.collect::<Vec<_>>()))
}

fn app_icon(look: &Look, cell: Area, app: &App) -> Node {
    let theme = Theme::of_package(&app.package);
    let tile = Area::sized(cell.left + (cell.width() - look.dp(58.0)) / 2, cell.top, look.dp(58.0), look.dp(58.0));
    let name = Area::new(cell.left, tile.bottom + look.dp(6.0), cell.right, tile.bottom + look.dp(28.0));
    Node::new(TEXT_VIEW, cell)
        .text(app.label.clone())
        .label(app.label.clone())
        .id(look.id("icon"))
        .tap(Tap::Launch(app.package.clone()))
        .paint(Paint::Round(tile, look.corner(29.0, 13.5), theme.primary))
        .paint(sign(look, tile, app))
        .paint(look.line(name, &app.label, (look.bold(13.0), WHITE), Align::Middle))
}

/// Returns what stands on an app's icon: a sign where its name is known, else its first letter.
fn sign(look: &Look, tile: Area, app: &App) -> Paint {
    let name = app.package.rsplit('.').next().unwrap_or_default();
    let icon = match name {
        "settings" => Icon::Gear,
        "shop" => Icon::Cart,
        "notes" => Icon::File,
        "gallery" => Icon::Grid,
        "browser" => Icon::Globe,
        _ => {
            let first: String = app.label.chars().take(1).collect();
            return look.line(tile, &first, (look.bold(26.0), WHITE), Align::Middle);
        }
    };
    Paint::Icon(icon, tile.square(look.dp(32.0)), WHITE)
}
