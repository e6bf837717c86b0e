//! An app's page: a UI instance → the nodes of its window, under a toolbar, scrolled as far as it was.

use crate::instance::{ActionConfig, ActionType, Instance, Style, text_of};

use super::bars;
use super::fields::{self, Cx, Flow};
use super::iphone::bars::navigation_bar;
use super::node::{Flags, Node, Paint};
use super::node_action::Tap;
use super::widgets::{Align, FRAME, LINEAR, Look, TEXT_VIEW, pixels};
use super::window::Window;
use uixt_canvas::canvas::Color;
use uixt_canvas::geometry::Area;
use uixt_canvas::glyphs;
use uixt_canvas::icon::Icon;

/// Where a page stands on the screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage {
    /// The whole screen.
    pub(super) screen: Area,
    /// Where the page's content ends: above the keyboard or the navigation bar.
    pub(super) bottom: i32,
    /// Whether there is a page to go back to.
    pub(super) has_back: bool,
    /// How far the page was scrolled, in pixels; more than it can be means its end.
    pub(super) scroll: i32,
}

/// Builds the window of a page.
pub(super) fn build(cx: &Cx, page: &Instance, stage: Stage) -> Window {
    let look = cx.look;
    let toolbar = toolbar(look, page.title(), stage);
    let message = message(look, page, stage, toolbar.area.bottom);
    let top = message.as_ref().map_or(toolbar.area.bottom, |message| message.area.bottom + look.dp(4.0));
    let viewport = Area::new(0, top, stage.screen.right, stage.bottom.max(top));
    let mut content = content(cx, page, viewport);
    let slack = (content.area.height() - viewport.height()).max(0);
    content.move_down(-stage.scroll.clamp(0, slack));
    frame(look, stage, (toolbar, message), content, (viewport, slack))
}

/// Puts a page's parts into a window whose content is scrolled already.
pub(super) fn frame(
    look: &Look,
    stage: Stage,
    (toolbar, message): (Node, Option<Node>),
    content: Node,
    (viewport, slack): (Area, i32),
) -> Window {
    let scroller = Node::new("android.widget.ScrollView", viewport)
        .id(look.id("scroll"))
        .flag_if(slack > 0, Flags::SCROLLABLE)
        .clipping()
        .child(content);
    let inner = Area::new(0, look.dp(bars::status_height(look)), stage.screen.right, stage.bottom);
    let body = Node::new(LINEAR, inner).child(toolbar).children(message).child(scroller);
    let frame = Node::new(FRAME, inner).id("android:id/content").child(body);
    let root = Node::new(FRAME, stage.screen).paint(Paint::Fill(stage.screen, look.theme.background)).child(frame);
    Window { root, viewport, slack }
}

/// Builds a page that only says what went wrong.
pub(super) fn trouble(look: &Look, screen: Area, text: &str) -> Window {
    let left = look.dp(24.0);
    let ink = (look.style(16.0), look.theme.danger);
    let words = look.words((left, look.dp(120.0)), screen.width() - 2 * left, text, ink, 20).id(look.id("message"));
    let root = Node::new(FRAME, screen).paint(Paint::Fill(screen, look.theme.background)).child(words);
    Window { root, viewport: screen, slack: 0 }
}

/// Builds the bar that holds a page's title and the way back.
pub(super) fn toolbar(look: &Look, title: &str, stage: Stage) -> Node {
    if look.is_iphone() {
        return navigation_bar(look, title, (stage.screen.width(), stage.has_back));
    }
    let top = look.dp(bars::status_height(look));
    let area = Area::sized(0, top, stage.screen.width(), look.dp(60.0));
    let back = stage.has_back.then(|| {
        let cell = Area::sized(look.dp(4.0), area.top + look.dp(6.0), look.dp(48.0), look.dp(48.0));
        Node::new("android.widget.ImageButton", cell).label("Navigate up").tap(Tap::Back).paint(Paint::Icon(
            Icon::Back,
            cell.square(look.dp(24.0)),
            look.theme.text,
        ))
    });
    let left = if stage.has_back { look.dp(60.0) } else { look.dp(20.0) };
    let words = Area::new(left, area.top, area.right - look.dp(16.0), area.bottom);
    let title = (!title.is_empty()).then(|| {
        let paint = look.line(words, title, (look.bold(21.0), look.theme.text), Align::Left);
        Node::new(TEXT_VIEW, words).text(title).paint(paint)
    });
    Node::new("android.widget.Toolbar", area).id(look.id("toolbar")).children(back).children(title)
}

/// Builds the strip that says what `state.runtime.message` and `error` hold.
fn message(look: &Look, page: &Instance, stage: Stage, top: i32) -> Option<Node> {
    let said = ["message", "error"].map(|key| page.runtime_text(key));
    let bad = ["error", "failed"].contains(&page.runtime_text("status").as_str()) || !said[1].trim().is_empty();
    let text = said.iter().filter(|text| !text.trim().is_empty()).map(String::as_str).collect::<Vec<_>>().join("\n");
    strip(look, ("message", &text), message_colors(look, bad), (stage.screen, top))
}

/// Builds a colored strip of an id that says something, below `top`; none for an empty text.
pub(super) fn strip(
    look: &Look,
    (id, text): (&str, &str),
    (ground, ink): (Color, Color),
    (screen, top): (Area, i32),
) -> Option<Node> {
    if text.trim().is_empty() {
        return None;
    }
    let rim = look.dp(16.0);
    let top = if look.is_iphone() { top + look.dp(8.0) } else { top };
    let width = screen.width() - 4 * rim;
    let words = look.words((2 * rim, top + look.dp(12.0)), width, text, (look.style(14.5), ink), 5);
    let area = Area::new(rim, top, screen.width() - rim, words.area.bottom + look.dp(12.0));
    let mut paint = words.paint;
    paint.insert(0, Paint::Round(area, look.corner(14.0, 10.0), ground));
    Some(Node::new(TEXT_VIEW, area).text(text).id(look.id(id)).paints(paint))
}

pub(super) fn message_colors(look: &Look, bad: bool) -> (Color, Color) {
    if bad { ([252, 228, 226, 255], [110, 20, 15, 255]) } else { (look.theme.pale, look.theme.on_pale) }
}

/// Builds everything below the toolbar, from the viewport's top downwards.
fn content(cx: &Cx, page: &Instance, viewport: Area) -> Node {
    let look = cx.look;
    let rim = look.dp(16.0);
    let mut flow = Flow::new(rim, viewport.width() - 2 * rim, viewport.top + look.dp(8.0));
    for block in page.blocks() {
        if (cx.is_there)(page.id(), &block.id) {
            card(cx, &mut flow, &block.id, |inner| fields::block(cx, inner, page, block, 0));
        }
    }
    actions(cx, &mut flow, page);
    let area = Area::new(0, viewport.top, viewport.right, flow.y + look.dp(12.0));
    Node::new(LINEAR, area).children(flow.nodes)
}

/// Puts what `fill` makes onto a white card; nothing where it makes nothing.
fn card(cx: &Cx, flow: &mut Flow, id: &str, fill: impl FnOnce(&mut Flow)) {
    let look = cx.look;
    let pad = look.dp(16.0);
    let mut inner = Flow::new(flow.left + pad, flow.width - 2 * pad, flow.y + pad);
    fill(&mut inner);
    let Some(last) = inner.nodes.last() else { return };
    let area = Area::new(flow.left, flow.y, flow.left + flow.width, last.area.bottom + pad);
    let ground = Paint::Round(area, look.corner(18.0, 10.0), look.theme.surface);
    let rim = Paint::Ring(area, look.corner(18.0, 10.0), look.px(1.0), look.theme.divider);
    let card = Node::new(LINEAR, area).id(look.id(id)).paint(ground).paint(rim).children(inner.nodes);
    flow.push(card, look.dp(14.0));
}

/// Puts the page's actions: those that navigate as rows of a card, the others as buttons.
fn actions(cx: &Cx, flow: &mut Flow, page: &Instance) {
    let shown: Vec<&ActionConfig> = page.buttons().filter(|action| (cx.is_there)(page.id(), &action.id)).collect();
    for group in shown.chunk_by(|one, other| is_row(one) == is_row(other)) {
        if group.first().is_some_and(|action| is_row(action)) {
            rows(cx, flow, page, group);
        } else {
            buttons(cx, flow, page, group);
        }
    }
}

/// Puts buttons: two short ones side by side, the others one below the other.
fn buttons(cx: &Cx, flow: &mut Flow, page: &Instance, group: &[&ActionConfig]) {
    let look = cx.look;
    let is_short = |action: &ActionConfig| {
        action.style == Style::Secondary && glyphs::width(&action.label, look.bold(16.0)) < look.px(92.0)
    };
    for run in group.chunk_by(|one, other| is_short(one) && is_short(other)) {
        for line in run.chunks(2) {
            let count = i32::try_from(line.len()).unwrap_or(1);
            let gap = look.dp(10.0);
            let wide = (flow.width - gap * (count - 1)) / count;
            let (top, high) = (flow.y, look.dp(50.0));
            for (action, number) in line.iter().zip(0..) {
                let area = Area::sized(flow.left + number * (wide + gap), top, wide, high);
                flow.push(button(look, area, page, action), look.dp(12.0));
            }
        }
    }
}

fn is_row(action: &ActionConfig) -> bool {
    action.action_type == ActionType::Navigate
}

fn act(page: &Instance, action: &ActionConfig) -> Tap {
    Tap::Act { instance: page.id().to_owned(), action: action.id.clone() }
}

fn rows(cx: &Cx, flow: &mut Flow, page: &Instance, group: &[&ActionConfig]) {
    let look = cx.look;
    let high = look.dp(56.0);
    let top = flow.y;
    let count = i32::try_from(group.len()).unwrap_or(1);
    let area = Area::sized(flow.left, top, flow.width, high * count);
    let rows = group.iter().zip(0..).map(|(action, number)| {
        let area = Area::sized(flow.left, top + number * high, flow.width, high);
        let line = (number > 0).then(|| {
            Area::sized(area.left + look.dp(16.0), area.top, area.width() - look.dp(32.0), look.dp(1.0).max(1))
        });
        row(look, page, action, area).paints(line.map(|line| Paint::Fill(line, look.theme.divider)))
    });
    let card = Node::new("android.widget.ListView", area)
        .paint(Paint::Round(area, look.corner(18.0, 10.0), look.theme.surface))
        .paint(Paint::Ring(area, look.corner(18.0, 10.0), look.px(1.0), look.theme.divider))
        .children(rows.collect::<Vec<_>>());
    flow.push(card, look.dp(14.0));
}

fn row(look: &Look, page: &Instance, action: &ActionConfig, area: Area) -> Node {
    let color = if action.style == Style::Danger { look.theme.danger } else { look.theme.text };
    let arrow = Area::new(area.right - look.dp(44.0), area.top, area.right - look.dp(4.0), area.bottom);
    let words = Area::new(area.left + look.dp(16.0), area.top, arrow.left, area.bottom);
    let title = Node::new(TEXT_VIEW, words).text(&action.label).id("android:id/title").paint(look.line(
        words,
        &action.label,
        (look.style(16.0), color),
        Align::Left,
    ));
    let badge = page.state().runtime.get("badge").and_then(|badges| badges.get(&action.id)).map(text_of);
    let badge = badge
        .filter(|text| !text.is_empty())
        .map(|text| fields::pill(look, words, &text).id(look.id(&format!("{}_badge", action.id))));
    Node::new(LINEAR, area)
        .id(look.id(&action.id))
        .tap(act(page, action))
        .child(title)
        .children(badge)
        .paint(Paint::Icon(Icon::ChevronRight, arrow.square(look.dp(22.0)), look.theme.muted))
}

fn button(look: &Look, area: Area, page: &Instance, action: &ActionConfig) -> Node {
    let radius = if look.is_iphone() { look.px(12.0) } else { pixels(area.height()) / 2.0 };
    let (ground, ink) = match action.style {
        Style::Primary => (Paint::Round(area, radius, look.theme.primary), look.theme.on_primary),
        Style::Danger => (Paint::Round(area, radius, look.theme.danger), look.theme.on_primary),
        Style::Secondary => (Paint::Ring(area, radius, look.px(1.2), look.theme.outline), look.theme.primary),
    };
    Node::new("android.widget.Button", area)
        .text(&action.label)
        .id(look.id(&action.id))
        .tap(act(page, action))
        .paint(ground)
        .paint(look.line(area.inset(look.dp(8.0)), &action.label, (look.bold(16.0), ink), Align::Middle))
}
