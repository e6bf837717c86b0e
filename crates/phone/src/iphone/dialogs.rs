//! How iOS draws what asks: words in the middle, buttons as wide as their box, thin lines between them.

use super::super::node::{Node, Paint};
use super::super::node_action::Tap;
use super::super::widgets::{Align, Look, pixels};
use crate::dialog::Answer;
use uixt_canvas::canvas::Color;
use uixt_canvas::geometry::Area;
use uixt_canvas::glyphs;

/// Width of an alert, and radius of its corners, in points.
pub(crate) const WIDTH: f32 = 270.0;
pub(crate) const RADIUS: f32 = 14.0;
/// Height of a button, in points.
const BUTTON: f32 = 44.0;

/// `systemBlue`.
const BLUE: Color = [0, 112, 235, 255];

/// Returns a text with the apostrophe that the font draws as narrow as it is.
fn drawn(text: &str) -> String {
    text.replace('’', "'")
}

/// A button: its text, its id, what it answers.
type Button = (&'static str, String, Answer);

/// Moves every line of a node to the middle of its width.
pub(crate) fn centred(mut node: Node) -> Node {
    let wide = pixels(node.area.width());
    for paint in &mut node.paint {
        if let Paint::Text(x, _, text, style, _) = paint {
            *x += (wide - glyphs::width(text, *style)) / 2.0;
        }
    }
    node
}

/// Tells whether two buttons have room side by side.
fn are_beside(look: &Look, width: i32, buttons: &[Button]) -> bool {
    let fits = |button: &Button| glyphs::columns(button.0, look.bold(17.0)) < width / 2 - look.dp(12.0);
    buttons.len() == 2 && buttons.iter().all(fits)
}

/// Returns the height of the buttons of a box.
pub(crate) fn foot_height(look: &Look, width: i32, buttons: &[Button]) -> i32 {
    let rows = if are_beside(look, width, buttons) { 1 } else { i32::try_from(buttons.len()).unwrap_or(1) };
    look.dp(BUTTON) * rows
}

/// Lays the buttons at the end of a box.
pub(crate) fn place_foot(look: &Look, card: Area, buttons: Vec<Button>) -> Vec<Node> {
    let beside = are_beside(look, card.width(), &buttons);
    let top = card.bottom - foot_height(look, card.width(), &buttons);
    let (high, half, count) = (look.dp(BUTTON), card.width() / 2, buttons.len());
    let placed = buttons.into_iter().enumerate().map(|(number, (text, id, answer))| {
        let place = i32::try_from(number).unwrap_or(0);
        let area = match (beside, number) {
            (true, 0) => Area::new(card.left, top, card.left + half, card.bottom),
            (true, _) => Area::new(card.left + half, top, card.right, card.bottom),
            _ => Area::sized(card.left, top + place * high, card.width(), high),
        };
        let style = if number + 1 == count { look.bold(17.0) } else { look.style(17.0) };
        let above = Area::sized(area.left, area.top, area.width(), 2);
        let before = (beside && number == 1).then(|| Area::new(area.left, area.top, area.left + 2, area.bottom));
        let line = |area| Paint::Fill(area, look.theme.divider);
        Node::new("android.widget.Button", area)
            .text(text)
            .id(id)
            .tap(Tap::Dialog(answer))
            .paint(line(above))
            .paints(before.map(line))
            .paint(look.line(area, &drawn(text), (style, BLUE), Align::Middle))
    });
    placed.collect()
}
