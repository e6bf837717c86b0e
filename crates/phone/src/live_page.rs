//! A page that lives → the nodes of its window, as it is at one moment. Of a long list, only the rows on the screen are made.

use super::apps::live::{Button, Ink, LivePage, Memory, Moment, Part, Thing};
use super::bars;
use super::fields::Flow;
use super::node::{Flags, Node, Paint};
use super::node_action::Tap;
use super::page::{self, Stage};
use super::widgets::{Align, FRAME, LINEAR, Look, TEXT_VIEW, VIEW, pixels};
use super::window::Window;
use uixt_canvas::canvas::Color;
use uixt_canvas::geometry::Area;
use uixt_canvas::glyphs;
use uixt_canvas::icon::Icon;
use uixt_canvas::theme::faded;

const ROW: f32 = 56.0;
const BUTTON: &str = "android.widget.Button";

/// Builds the window of a page that has been open for so many milliseconds.
pub(super) fn build(look: &Look, page: &LivePage, stage: Stage, (memory, ms): (&Memory, u64)) -> Window {
    let toolbar = page::toolbar(look, page.title, stage);
    let status = if memory.said.is_empty() { page.hint } else { &memory.said };
    let colors = page::message_colors(look, false);
    let strip = page::strip(look, ("status", status), colors, (stage.screen, toolbar.area.bottom));
    let top = strip.as_ref().map_or(toolbar.area.bottom, |strip| strip.area.bottom + look.dp(4.0));
    let viewport = Area::new(0, top, stage.screen.right, stage.bottom.max(top));
    let rim = look.dp(16.0);
    let wide = viewport.width() - 2 * rim;
    let dp = look.px(1.0);
    let room = (pixels(wide) / dp, pixels(stage.bottom - look.dp(bars::status_height(look))) / dp);
    let mut column =
        Column { look, ms, flow: Flow::new(rim, wide, viewport.top + look.dp(8.0)), rows: None, from_the_right: false };
    let parts = (page.show)(&Moment { memory, ms, room });
    for run in parts.chunk_by(|one, other| is_link(one) && is_link(other)) {
        column.put(run);
    }
    let (content, slack) = column.finish(viewport, stage.scroll);
    page::frame(look, stage, (toolbar, strip), content, (viewport, slack))
}

/// Returns the colour of a text that nobody sees.
fn color(look: &Look, ink: Ink) -> Color {
    match ink {
        Ink::Clear => faded(look.theme.text, 0),
        Ink::OfGround => look.theme.background,
    }
}

fn is_link(part: &Part) -> bool {
    matches!(part, Part::Link(..))
}

/// The page's content while it is put together.
struct Column<'a> {
    look: &'a Look,
    ms: u64,
    flow: Flow,
    /// Where the long list stands among the nodes, and how many rows it has.
    rows: Option<(usize, usize)>,
    from_the_right: bool,
}

impl Column<'_> {
    /// Puts one part, or several links that follow one another.
    fn put(&mut self, run: &[Part]) {
        match run {
            [Part::Words(id, text)] => self.words(id, text, self.look.theme.text),
            [Part::Unseen(id, text, ink)] => self.words(id, text, color(self.look, *ink)),
            [Part::Button(button)] => {
                let node = button_node(self.look, self.flow.area(self.look.dp(50.0)), button, true);
                self.flow.push(node, self.look.dp(12.0));
            }
            [Part::Line(id, text, button)] => self.line(id, text, button),
            [Part::Rows(count)] => self.long_list(*count),
            [Part::Ground(high, things)] => self.ground(*high, things),
            [Part::Spinner(label)] => self.spinner(label),
            [Part::Window(..)] => {}
            [Part::FromTheRight] => self.from_the_right = true,
            links => self.links(links),
        }
    }

    fn words(&mut self, id: &str, text: &str, color: Color) {
        let look = self.look;
        let area = self.flow.area(look.dp(32.0));
        let align = if self.from_the_right { Align::Right } else { Align::Left };
        let paint = look.line(area, text, (look.style(17.0), color), align);
        self.flow.push(Node::new(TEXT_VIEW, area).text(text).id(look.id(id)).paint(paint), look.dp(8.0));
    }

    fn line(&mut self, id: &str, text: &str, button: &Button) {
        let look = self.look;
        let area = self.flow.area(look.dp(60.0));
        let wide = glyphs::columns(&button.text, look.bold(16.0)) + look.dp(36.0);
        let (begin, end) = (area.left + look.dp(16.0), area.right - look.dp(10.0));
        let high = (area.top + look.dp(8.0), area.bottom - look.dp(8.0));
        let (words, side, align) = if self.from_the_right {
            let side = Area::new(area.left + look.dp(10.0), high.0, area.left + look.dp(10.0) + wide, high.1);
            (Area::new(side.right, area.top, area.right - look.dp(16.0), area.bottom), side, Align::Right)
        } else {
            let side = Area::new(end - wide, high.0, end, high.1);
            (Area::new(begin, area.top, side.left, area.bottom), side, Align::Left)
        };
        let ink = (look.style(16.0), look.theme.text);
        let name = Node::new(TEXT_VIEW, words).text(text).paint(look.line(words, text, ink, align));
        let name = if id.is_empty() { name } else { name.id(look.id(id)) };
        let card = card(look, LINEAR, area).child(name).child(button_node(look, side, button, false));
        self.flow.push(card, look.dp(8.0));
    }

    fn links(&mut self, links: &[Part]) {
        let look = self.look;
        let high = look.dp(52.0);
        let area = self.flow.area(high * i32::try_from(links.len()).unwrap_or(0));
        let rows = links.iter().zip(0..).filter_map(|(part, number)| {
            let Part::Link(to, label) = part else { return None };
            let row = Area::sized(area.left, area.top + number * high, area.width(), high);
            Some(link(look, row, (to, label), number > 0))
        });
        let list = card(look, "android.widget.ListView", area).children(rows.collect::<Vec<_>>());
        self.flow.push(list, look.dp(12.0));
    }

    /// Keeps the place of a long list; its rows are made once it is known how far it is scrolled.
    fn long_list(&mut self, count: usize) {
        let high = self.look.dp(ROW).saturating_mul(i32::try_from(count).unwrap_or(i32::MAX));
        let node = card(self.look, "androidx.recyclerview.widget.RecyclerView", self.flow.area(high));
        self.rows = Some((self.flow.nodes.len(), count));
        self.flow.push(node.id(self.look.id("rows")), self.look.dp(12.0));
    }

    fn ground(&mut self, high: f32, things: &[Thing]) {
        let look = self.look;
        let area = self.flow.area(look.dp(high));
        let things = things.iter().map(|thing| thing_node(look, area, thing));
        let ground = card(look, "android.view.ViewGroup", area)
            .id(look.id("ground"))
            .tap(Tap::Live("ground".to_owned()))
            .clipping()
            .children(things.collect::<Vec<_>>());
        self.flow.push(ground, look.dp(12.0));
    }

    fn spinner(&mut self, label: &str) {
        let look = self.look;
        let area = self.flow.area(look.dp(72.0));
        let round = area.square(look.dp(40.0));
        let dot = dot(round, self.ms, look.dp(11.0));
        let node = Node::new("android.widget.ProgressBar", round)
            .id(look.id("spinner"))
            .label(label)
            .paint(Paint::Ring(round, look.px(20.0), look.px(4.0), look.theme.pale))
            .paint(Paint::Round(dot, look.px(5.5), look.theme.primary));
        self.flow.push(Node::new(FRAME, area).child(node), look.dp(8.0));
    }

    /// Scrolls the content, makes the rows that are seen then; returns it and how far it can be scrolled.
    fn finish(self, viewport: Area, scroll: i32) -> (Node, i32) {
        let look = self.look;
        let mut area = Area::new(0, viewport.top, viewport.right, self.flow.y + look.dp(12.0));
        let slack = (area.height() - viewport.height()).max(0);
        let by = -scroll.clamp(0, slack);
        area = area.moved_down(by);
        let mut nodes = self.flow.nodes;
        for node in &mut nodes {
            node.move_down(by);
        }
        if let Some((list, count)) = self.rows
            && let Some(node) = nodes.get_mut(list)
        {
            let area = node.area;
            node.children = rows(look, area, viewport, count);
        }
        (Node::new(LINEAR, area).children(nodes), slack)
    }
}

fn card(look: &Look, class: &'static str, area: Area) -> Node {
    Node::new(class, area).paint(Paint::Round(area, look.corner(18.0, 10.0), look.theme.surface)).paint(Paint::Ring(
        area,
        look.corner(18.0, 10.0),
        look.px(1.0),
        look.theme.divider,
    ))
}

/// Returns the ring's dot: once around in a second.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a place on the screen")]
fn dot(round: Area, ms: u64, side: i32) -> Area {
    let angle = (ms % 1000) as f32 / 1000.0 * std::f32::consts::TAU;
    let radius = pixels(round.width() - side) / 2.0;
    let by = |part: f32| (part * radius).round() as i32;
    let at = round.square(side);
    Area::sized(at.left + by(angle.sin()), at.top - by(angle.cos()), side, side)
}

/// Makes the rows of a list that lie within the viewport.
fn rows(look: &Look, list: Area, viewport: Area, count: usize) -> Vec<Node> {
    let high = look.dp(ROW).max(1);
    let first = usize::try_from((viewport.top - list.top) / high).unwrap_or(0);
    let most = usize::try_from(viewport.height() / high).unwrap_or(0) + 2;
    (first..count.min(first + most)).map(|number| row(look, list, high, number)).collect()
}

fn row(look: &Look, list: Area, high: i32, number: usize) -> Node {
    let top = list.top + high * i32::try_from(number).unwrap_or(0);
    let area = Area::sized(list.left, top, list.width(), high);
    let text = format!("Row {}", number + 1);
    let words = Area::new(area.left + look.dp(16.0), area.top, area.right, area.bottom);
    let paint = look.line(words, &text, (look.style(16.0), look.theme.text), Align::Left);
    let row = Node::new(TEXT_VIEW, area).text(text).id(look.id("row")).tap(Tap::Live(format!("row {}", number + 1)));
    row.paint(paint).paints((number > 0).then(|| rule(look, area)))
}

fn rule(look: &Look, area: Area) -> Paint {
    let line = Area::sized(area.left + look.dp(16.0), area.top, area.width() - look.dp(32.0), look.dp(1.0).max(1));
    Paint::Fill(line, look.theme.divider)
}

fn link(look: &Look, area: Area, (to, label): (&str, &str), ruled: bool) -> Node {
    let arrow = Area::new(area.right - look.dp(44.0), area.top, area.right - look.dp(4.0), area.bottom);
    let words = Area::new(area.left + look.dp(16.0), area.top, arrow.left, area.bottom);
    let ink = (look.style(16.0), look.theme.text);
    let title = Node::new(TEXT_VIEW, words).text(label).id("android:id/title");
    Node::new(LINEAR, area)
        .id(look.id(to))
        .tap(Tap::Live(to.to_owned()))
        .paints(ruled.then(|| rule(look, area)))
        .child(title.paint(look.line(words, label, ink, Align::Left)))
        .paint(Paint::Icon(Icon::ChevronRight, arrow.square(look.dp(22.0)), look.theme.muted))
}

/// Makes a button; what stands in its id after a space tells it from others of the same id.
fn button_node(look: &Look, area: Area, button: &Button, strong: bool) -> Node {
    let radius = if look.is_iphone() { look.px(12.0) } else { pixels(area.height()) / 2.0 };
    let (ground, ink) = match (button.enabled, strong) {
        (false, _) => (Paint::Round(area, radius, look.theme.divider), look.theme.muted),
        (true, true) => (Paint::Round(area, radius, look.theme.primary), look.theme.on_primary),
        (true, false) => (Paint::Ring(area, radius, look.px(1.2), look.theme.outline), look.theme.primary),
    };
    Node::new(BUTTON, area)
        .text(&button.text)
        .id(look.id(button.id.split(' ').next().unwrap_or_default()))
        .tap(Tap::Live(button.id.to_owned()))
        .flag_if(!button.enabled, Flags::DISABLED)
        .paint(ground)
        .paint(look.line(area.inset(look.dp(6.0)), &button.text, (look.bold(16.0), ink), Align::Middle))
}

fn thing_node(look: &Look, ground: Area, thing: &Thing) -> Node {
    let (left, top, wide, high) = thing.at;
    let area = Area::sized(ground.left + look.dp(left), ground.top + look.dp(top), look.dp(wide), look.dp(high));
    let (color, ink) =
        if thing.strong { (look.theme.primary, look.theme.on_primary) } else { (look.theme.pale, look.theme.on_pale) };
    let radius = look.px(14.0).min(pixels(area.height()) / 4.0);
    let style = if high < 24.0 { look.style(high * 0.75) } else { look.bold(16.0) };
    let class = if thing.is_button { BUTTON } else { VIEW };
    let node = Node::new(class, area).text(&thing.text).id(look.id(thing.id));
    let node = if thing.is_button { node.tap(Tap::Live(thing.id.to_owned())) } else { node };
    let align = if thing.is_button && !thing.strong && high >= 24.0 { Align::Left } else { Align::Middle };
    let words = if align == Align::Left { area.inset(look.dp(14.0)) } else { area };
    node.paint(Paint::Round(area, radius, color)).paint(look.line(words, &thing.text, (style, ink), align))
}
