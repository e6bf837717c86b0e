//! The keyboard in a tree: where it lies, and the tree without its keys, which are typed by words of their own.

use super::node::{Node, Place};

/// Points that a keyboard is high at the least: what is lower is a bar over a keyboard of its own.
const LOWEST: f64 = 80.0;

/// Takes the keyboard out of the windows, and returns where it lies: from its top edge to the window's end, with the buttons below its
/// keys. What apps put above it stays. None where none is open; a hidden one is left behind by one that was closed.
pub(crate) fn take(windows: &mut [Node<'_>], window: &Place) -> Option<Place> {
    let Some(keys) = windows.iter().find_map(|node| find(node, window)) else {
        windows.iter_mut().for_each(leave_out_closed);
        return None;
    };
    let reaches_down = keys.bottom() > window.bottom() - window.height / 6.0;
    let bottom = if reaches_down { window.bottom() } else { keys.bottom() };
    let place = Place { height: bottom - keys.y, ..keys };
    windows.iter_mut().for_each(|node| leave_out(node, &place));
    Some(place)
}

fn find(node: &Node<'_>, window: &Place) -> Option<Place> {
    if node.kind == "Keyboard" && is_open(node, window) {
        return Some(node.place);
    }
    node.children.iter().find_map(|child| find(child, window))
}

fn is_open(node: &Node<'_>, window: &Place) -> bool {
    let is_seen = |one: &Node<'_>| one.visible != Some(false) && !one.place.is_empty() && one.place.meets(window);
    let shows = node.place.bottom().min(window.bottom()) - node.place.y.max(window.y);
    let is_seen_itself = node.visible != Some(false);
    !node.place.is_empty()
        && shows >= LOWEST
        && (is_seen_itself || node.any(&|one| matches!(one.kind.as_ref(), "Key" | "Button") && is_seen(one)))
}

/// Leaves out what a keyboard that was closed leaves behind.
fn leave_out_closed(node: &mut Node<'_>) {
    let is_keyboard = |one: &Node<'_>| one.kind == "Keyboard";
    node.children.retain(|child| !(is_keyboard(child) || (child.id == "inputView" && child.any(&is_keyboard))));
    node.children.iter_mut().for_each(leave_out_closed);
}

/// Leaves out the keyboard, and what stands beside it in what holds it.
fn leave_out(node: &mut Node<'_>, place: &Place) {
    let is_around = |one: &Node<'_>| one.any(&|inner| inner.kind == "Keyboard");
    let holds = node.children.iter().any(is_around);
    if holds {
        node.children.retain(|child| child.kind != "Keyboard" && (is_around(child) || !child.place.is_within(place)));
        node.children.iter_mut().for_each(|child| leave_out(child, place));
    }
}
