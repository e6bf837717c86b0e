//! An open dialog → the nodes of its window, in the middle of the screen.

use super::calendar::Moment;
use super::dialog::{Answer, Dialog, FILES, Kind, SYSTEM_UI_PACKAGE};
use super::iphone::dialogs;
use super::marks::{check_mark, radio_mark};
use super::node::{Flags, Node, Paint};
use super::node_action::Tap;
use super::widgets::{Align, FRAME, LINEAR, Look, TEXT_VIEW, pixels};
use super::window::Window;
use uixt_canvas::canvas::Color;
use uixt_canvas::geometry::Area;
use uixt_canvas::glyphs;
use uixt_canvas::icon::Icon;
use uixt_canvas::picture;

const ALWAYS: &str = "Always allow from this computer";
/// The buttons of the question about debugging: text and id.
const CANCEL: (&str, &str) = ("Cancel", "android:id/button2");
const ALLOW: (&str, &str) = ("Allow", "android:id/button1");

impl Dialog {
    /// Builds the dialog in the middle of a screen's free part.
    pub(super) fn build(&self, look: &Look, free: Area) -> Window {
        let width = look.dp(self.width(look)).min(free.width() - look.dp(32.0));
        let left = (free.width() - width) / 2;
        let inner = Area::new(left + look.dp(24.0), 0, left + width - look.dp(24.0), 0);
        let mut body = self.body(look, inner);
        let head = look.dp(24.0);
        let title = (!self.title.is_empty()).then(|| self.heading(look, inner, head));
        let above = title.as_ref().map_or(head, |title| title.area.bottom + look.dp(14.0));
        let foot = self.foot(look);
        let body_height = body.iter().map(|node| node.area.bottom).max().unwrap_or(0);
        let below = match foot.as_slice() {
            [] => look.dp(16.0),
            foot if look.is_iphone() => look.dp(16.0) + dialogs::foot_height(look, width, foot),
            _ => look.dp(12.0) + self.foot_height(look),
        };
        let room = (free.height() - look.dp(48.0) - above - below).max(look.dp(64.0));
        let above = if body_height == 0 && look.is_iphone() { above - look.dp(14.0) } else { above };
        let (seen, slack) = (body_height.min(room), (body_height - room).max(0));
        let whole = above + seen + below;
        let top = free.top + ((free.height() - whole) / 2).max(0);
        let card = Area::sized(left, top, width, whole);
        let viewport = Area::sized(left, top + above, width, seen);
        for node in &mut body {
            node.move_down(viewport.top - self.scroll.clamp(0, slack));
        }
        let list = Node::new(self.list_class(), viewport).id(self.list_id(look)).flag_if(slack > 0, Flags::SCROLLABLE);
        let title = title.map(|mut title| {
            title.move_down(top);
            title
        });
        let foot = if look.is_iphone() { dialogs::place_foot(look, card, foot) } else { place_foot(look, card, foot) };
        let radius = if look.is_iphone() { dialogs::RADIUS } else { 26.0 };
        let panel = Node::new(LINEAR, card)
            .tap(Tap::Swallow)
            .paint(Paint::Round(card, look.px(radius), look.theme.surface))
            .children(title)
            .child(list.clipping().children(body))
            .children(foot);
        let mut panel = panel;
        panel.flags = Flags::default();
        Window { root: Node::new(FRAME, card).child(panel), viewport, slack }
    }

    fn heading(&self, look: &Look, inner: Area, top: i32) -> Node {
        let (size, most) = if matches!(self.kind, Kind::Permission { .. }) { (19.0, 5) } else { (21.0, 2) };
        let ink = (look.style(size), look.theme.text);
        let id =
            if self.package().is_some() { look.id("permission_message") } else { "android:id/alertTitle".to_owned() };
        if look.is_iphone() {
            let ink = (look.bold(17.0), look.theme.text);
            return dialogs::centred(look.words((inner.left, top), inner.width(), &self.title, ink, 5)).id(id);
        }
        look.words((inner.left, top), inner.width(), &self.title, ink, most).id(id)
    }

    /// Returns the width of its box, in dp.
    fn width(&self, look: &Look) -> f32 {
        let asks = matches!(self.kind, Kind::Ask { .. } | Kind::Permission { .. });
        if look.is_iphone() && asks { dialogs::WIDTH } else { 328.0 }
    }

    fn list_class(&self) -> &'static str {
        match self.kind {
            Kind::Choice { .. } | Kind::Checks { .. } | Kind::File { .. } => "android.widget.ListView",
            Kind::Text(_) => "android.widget.ScrollView",
            _ => LINEAR,
        }
    }

    fn list_id(&self, look: &Look) -> String {
        match self.kind {
            Kind::Choice { .. } | Kind::Checks { .. } | Kind::File { .. } => look.id("select_dialog_listview"),
            _ => "android:id/custom".to_owned(),
        }
    }

    /// Builds what the dialog asks, from zero downwards.
    fn body(&self, look: &Look, inner: Area) -> Vec<Node> {
        match &self.kind {
            Kind::Choice { options, chosen, .. } => {
                let rows = options.iter().enumerate();
                rows.map(|(number, option)| {
                    option_row(look, inner, (number, &option.label), *chosen == Some(number), false)
                })
                .collect()
            }
            Kind::Checks { options, chosen, .. } => {
                let rows = options.iter().zip(chosen).enumerate();
                rows.map(|(number, (option, chosen))| option_row(look, inner, (number, &option.label), *chosen, true))
                    .collect()
            }
            Kind::File { .. } => {
                FILES.iter().enumerate().map(|(number, name)| file_row(look, inner, number, name)).collect()
            }
            Kind::Date { moment, .. } => date_columns(look, inner, moment),
            Kind::Text(text) => {
                let ink = (look.style(15.0), look.theme.muted);
                vec![look.words((inner.left, 0), inner.width(), text, ink, 400).id("android:id/message")]
            }
            Kind::Picture(source) => picture_of(look, inner, source, &self.title),
            Kind::Ask { text, .. } if !text.is_empty() => {
                let (size, color) = if look.is_iphone() { (13.5, look.theme.text) } else { (15.0, look.theme.muted) };
                let ink = (look.style(size), color);
                let words = look.words((inner.left, 0), inner.width(), text, ink, 20).id("android:id/message");
                vec![if look.is_iphone() { dialogs::centred(words) } else { words }]
            }
            Kind::Debugging { fingerprint, always } => debugging_body(look, inner, fingerprint, *always),
            Kind::Permission { .. } | Kind::Ask { .. } => Vec::new(),
        }
    }

    /// Returns the buttons: text, id, what they answer.
    fn foot(&self, look: &Look) -> Vec<(&'static str, String, Answer)> {
        let button = |text, number: u8, answer| (text, format!("android:id/button{number}"), answer);
        match &self.kind {
            Kind::Ask { buttons, .. } => {
                let answers = buttons.iter().enumerate();
                answers.map(|(number, button)| (button.text, button.id.to_owned(), Answer::Pick(number))).collect()
            }
            Kind::Permission { .. } if look.is_iphone() => vec![
                ("Don’t Allow", String::new(), Answer::Permit(false)),
                ("Allow", String::new(), Answer::Permit(true)),
            ],
            Kind::Permission { .. } => vec![
                ("Allow", look.id("permission_allow_button"), Answer::Permit(true)),
                ("Don't allow", look.id("permission_deny_button"), Answer::Permit(false)),
            ],
            Kind::Debugging { .. } => {
                let button = |(text, id): (&'static str, &str), answer| (text, id.to_owned(), answer);
                vec![button(CANCEL, Answer::Pick(1)), button(ALLOW, Answer::Accept)]
            }
            Kind::Checks { .. } | Kind::Date { .. } => {
                vec![button("Cancel", 2, Answer::Dismiss), button("OK", 1, Answer::Accept)]
            }
            Kind::Choice { .. } | Kind::File { .. } => vec![button("Cancel", 2, Answer::Dismiss)],
            Kind::Text(_) | Kind::Picture(_) => vec![button("Close", 1, Answer::Dismiss)],
        }
    }

    fn foot_height(&self, look: &Look) -> i32 {
        if self.package().is_some() { look.dp(124.0) } else { look.dp(60.0) }
    }
}

/// Lays the buttons: side by side on the right, or one below the other where the system asks.
fn place_foot(look: &Look, card: Area, buttons: Vec<(&'static str, String, Answer)>) -> Vec<Node> {
    let stacked = buttons.iter().any(|(_, _, answer)| matches!(answer, Answer::Permit(_)));
    if stacked {
        let step = look.dp(54.0);
        let first = card.bottom - look.dp(16.0) - step * 2;
        return buttons
            .into_iter()
            .zip(0..)
            .map(|(button, number)| {
                let area = Area::sized(
                    card.left + look.dp(20.0),
                    first + number * step,
                    card.width() - look.dp(40.0),
                    look.dp(48.0),
                );
                let ground = Paint::Round(area.inset(look.dp(1.0)), look.px(24.0), look.theme.pale);
                foot_button(look, area, button, look.theme.on_pale, Some(ground))
            })
            .collect();
    }
    let mut right = card.right - look.dp(16.0);
    let mut nodes: Vec<Node> = buttons
        .into_iter()
        .rev()
        .map(|button| {
            let wide = glyphs::columns(button.0, look.bold(14.5)) + look.dp(28.0);
            let area = Area::new(right - wide, card.bottom - look.dp(60.0), right, card.bottom - look.dp(12.0));
            right -= wide + look.dp(4.0);
            foot_button(look, area, button, look.theme.primary, None)
        })
        .collect();
    nodes.reverse();
    nodes
}

fn foot_button(
    look: &Look,
    area: Area,
    (text, id, answer): (&str, String, Answer),
    ink: Color,
    ground: Option<Paint>,
) -> Node {
    Node::new("android.widget.Button", area).text(text).id(id).tap(Tap::Dialog(answer)).paints(ground).paint(look.line(
        area,
        text,
        (look.bold(14.5), ink),
        Align::Middle,
    ))
}

fn row_area(look: &Look, inner: Area, number: usize) -> Area {
    let height = look.dp(50.0);
    Area::sized(
        inner.left - look.dp(24.0),
        height * i32::try_from(number).unwrap_or(0),
        inner.width() + look.dp(48.0),
        height,
    )
}

fn option_row(look: &Look, inner: Area, (number, text): (usize, &str), chosen: bool, many: bool) -> Node {
    let area = row_area(look, inner, number);
    let mark = Area::sized(inner.left, area.top, look.dp(24.0), area.height()).square(look.dp(20.0));
    let words = Area::new(inner.left + look.dp(38.0), area.top, inner.right, area.bottom);
    let paints = if many { check_mark(look, mark, chosen, true) } else { radio_mark(look, mark, chosen, true) };
    Node::new("android.widget.CheckedTextView", area)
        .text(text)
        .id("android:id/text1")
        .tap(Tap::Dialog(Answer::Pick(number)))
        .flag(Flags::CHECKABLE)
        .flag_if(chosen, Flags::CHECKED)
        .paints(paints)
        .paint(look.line(words, text, (look.style(16.0), look.theme.text), Align::Left))
}

fn file_row(look: &Look, inner: Area, number: usize, name: &str) -> Node {
    let area = row_area(look, inner, number);
    let icon = Area::sized(inner.left, area.top, look.dp(24.0), area.height()).square(look.dp(24.0));
    let words = Area::new(inner.left + look.dp(38.0), area.top, inner.right, area.bottom);
    Node::new(TEXT_VIEW, area)
        .text(name)
        .id("android:id/text1")
        .tap(Tap::Dialog(Answer::Pick(number)))
        .paint(Paint::Icon(Icon::File, icon, look.theme.primary))
        .paint(look.line(words, name, (look.style(16.0), look.theme.text), Align::Left))
}

/// Builds a column per part of a date: a button that goes up, the number, a button that goes down.
fn date_columns(look: &Look, inner: Area, moment: &Moment) -> Vec<Node> {
    let parts = moment.parts();
    let count = i32::try_from(parts.len()).unwrap_or(1).max(1);
    let wide = inner.width() / count;
    parts
        .into_iter()
        .enumerate()
        .zip(0..)
        .map(|((part, (name, text)), column)| {
            let column = Area::sized(inner.left + column * wide, 0, wide, look.dp(148.0));
            let stepper = |top: i32, icon: Icon, verb: &str, by: i32| {
                let area = Area::sized(column.left, top, wide, look.dp(48.0));
                let disc = area.square(look.dp(38.0));
                Node::new("android.widget.ImageButton", area)
                    .label(format!("{verb} {name}"))
                    .tap(Tap::Dialog(Answer::Step { part, by }))
                    .paint(Paint::Round(disc, pixels(disc.width()) / 2.0, look.theme.pale))
                    .paint(Paint::Icon(icon, disc.square(look.dp(20.0)), look.theme.on_pale))
            };
            let middle = Area::sized(column.left, look.dp(50.0), wide, look.dp(48.0));
            let number = Node::new(TEXT_VIEW, middle)
                .id(look.id(name))
                .text(text.clone())
                .label(name)
                .paint(look.line(middle, &text, (look.bold(20.0), look.theme.text), Align::Middle));
            Node::new("android.widget.NumberPicker", column).children([
                stepper(0, Icon::Plus, "Increase", 1),
                number,
                stepper(look.dp(100.0), Icon::Minus, "Decrease", -1),
            ])
        })
        .collect()
}

fn picture_of(look: &Look, inner: Area, source: &str, name: &str) -> Vec<Node> {
    let Some(picture) = picture::load(source) else { return Vec::new() };
    let ratio = f64::from(picture.height()) / f64::from(picture.width().max(1));
    #[expect(clippy::cast_possible_truncation, reason = "a height on the screen")]
    let height = (f64::from(inner.width()) * ratio) as i32;
    let area = Area::sized(inner.left, 0, inner.width(), height);
    let paint = Paint::Picture(area, area, look.px(12.0), picture);
    vec![Node::new("android.widget.ImageView", area).label(name).paint(paint)]
}

/// Builds what stands above the buttons of the question about debugging.
fn debugging_body(look: &Look, inner: Area, fingerprint: &str, always: bool) -> Vec<Node> {
    let text = format!("The computer's RSA key fingerprint is:\n{fingerprint}");
    let ink = (look.style(15.0), look.theme.muted);
    let message = look.words((inner.left, 0), inner.width(), &text, ink, 20).id("android:id/message");
    let mut check = option_row(look, inner, (0, ALWAYS), always, true).id(format!("{SYSTEM_UI_PACKAGE}:id/alwaysUse"));
    check.move_down(message.area.bottom + look.dp(8.0));
    vec![message, check]
}
