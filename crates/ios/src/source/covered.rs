//! Nodes → those that nothing lies over which is drawn later.
//!
//! A tree tells of no background. What has something to read from its top to its bottom has one, since nobody could read it otherwise.

use super::node::{Node, Place};

/// How much of a window a page covers at least, of its width and of its height.
const PAGE: (f64, f64) = (0.9, 0.6);
/// Bands that a page is looked at in, from top to bottom, and how many of them a page that hides another has something in.
const BANDS: usize = 8;
const LEAST_BANDS: usize = 5;

/// How much of a window's height something covers at least that hides what lies behind it.
const PANEL: f64 = 0.25;

/// Leaves out pages over which another of the same size lies, since a stack of pages may keep the former ones, and what lies behind a
/// sheet or a list that covers a part of a page.
pub(crate) fn leave_out(nodes: &mut Vec<Node<'_>>, window: &Place) {
    let mut at = 0;
    while at < nodes.len() {
        if is_page(&nodes[at], window) && nodes[at + 1..].iter().any(|later| covers(later, &nodes[at], window)) {
            nodes.remove(at);
        } else {
            at += 1;
        }
    }
    for later in 1..nodes.len() {
        let (before, after) = nodes.split_at_mut(later);
        let mut panels = Vec::new();
        find_panels(&after[0], window, &mut panels);
        if !panels.is_empty() {
            let pages = before.iter_mut().filter(|node| is_page(node, window) || node.kind == "Window");
            pages.for_each(|node| leave_out_behind(node, &panels));
        }
    }
}

/// Finds what is as wide as the window and holds texts from its top to its bottom: one who can read them sees nothing behind them.
fn find_panels(node: &Node<'_>, window: &Place, found: &mut Vec<Place>) {
    let place = &node.place;
    let is_large = place.width >= window.width * PAGE.0 && place.height >= window.height * PANEL;
    if is_large && place.meets(window) && is_filled(node) {
        // What stands above its first text may be a bar that it scrolls under.
        let (top, _) = span(node, window).unwrap_or_default();
        found.push(place.part_in(&Place { y: top, height: window.bottom() - top, ..*window }));
    } else {
        node.children.iter().for_each(|child| find_panels(child, window, found));
    }
}

/// Leaves out of a node what lies behind a panel, unless it is told as visible or may be what is behind a text: a picture.
fn leave_out_behind(node: &mut Node<'_>, panels: &[Place]) {
    node.children.retain_mut(|child| {
        let is_behind = panels.iter().any(|panel| child.place.is_within(panel));
        let is_seen = child.any(&|one| one.visible == Some(true)) || matches!(child.kind.as_ref(), "Image" | "Map");
        let is_whole = child.children.is_empty() || matches!(child.kind.as_ref(), "Cell" | "Button");
        if is_whole && is_behind && !is_seen && !child.place.is_empty() {
            return false;
        }
        leave_out_behind(child, panels);
        true
    });
}

fn is_page(node: &Node<'_>, window: &Place) -> bool {
    let place = &node.place;
    matches!(node.kind.as_ref(), "Other" | "Group" | "ScrollView" | "WebView" | "LayoutArea")
        && place.meets(window)
        && place.width >= window.width * PAGE.0
        && place.height >= window.height * PAGE.1
        && node.children.iter().any(|child| child.any(&|one| one.says_something()))
}

/// Tells whether a page hides another: it lies over all of it, and has something to see from its top to its bottom, or the other has
/// nothing that is seen.
fn covers(later: &Node<'_>, page: &Node<'_>, window: &Place) -> bool {
    if !is_page(later, window) || !page.place.is_within(&later.place) || !later.place.is_within(&page.place) {
        return false;
    }
    let is_seen = |node: &Node<'_>| node.visible != Some(false);
    if !later.any(&|one| one.says_something() && is_seen(one)) {
        return false;
    }
    let is_told = page.any(&|one| one.visible.is_some());
    if is_told && !page.any(&|one| one.says_something() && is_seen(one)) {
        return true;
    }
    // A page whose texts stand beside those of another shares the screen with it.
    let shares = span(page, window).zip(span(later, window)).is_some_and(|(page, later)| {
        let shared = page.1.min(later.1) - page.0.max(later.0);
        shared < (page.1 - page.0) / 2.0
    });
    is_filled(later) && !shares
}

/// Returns where the first text in a node begins and the last one ends, from top to bottom, as far as they lie in the window.
fn span(node: &Node<'_>, window: &Place) -> Option<(f64, f64)> {
    let is_text = node.children.is_empty() && node.says_something() && node.place.height < window.height / 2.0;
    let own = (is_text && node.place.meets(window)).then(|| (node.place.y, node.place.bottom()));
    let spans = node.children.iter().filter_map(|child| span(child, window)).chain(own);
    spans.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
}

/// Tells whether a node has something to read from its top to its bottom.
fn is_filled(node: &Node<'_>) -> bool {
    let mut bands = [false; BANDS];
    mark_bands(node, &node.place, &mut bands);
    bands.iter().filter(|band| **band).count() >= LEAST_BANDS
}

/// Marks the bands of a page in which something stands that can be read; what is as high as the page is a place to touch beside it.
fn mark_bands(node: &Node<'_>, page: &Place, bands: &mut [bool; BANDS]) {
    let is_text = node.place.height < page.height / 2.0;
    if node.children.is_empty() && node.says_something() && is_text && node.place.meets(page) {
        let height = page.height / 8.0;
        for (number, band) in (0_u8..).zip(bands.iter_mut()) {
            let top = page.y + height * f64::from(number);
            *band |= node.place.y < top + height && node.place.bottom() > top;
        }
    }
    node.children.iter().for_each(|child| mark_bands(child, page, bands));
}
