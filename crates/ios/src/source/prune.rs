//! Nodes → those that are on the screen: without what is hidden or lies outside of the window, what others lie over, what is told twice,
//! and bars of the system. What lists keep of former rows at a place of long ago is put where its row is.

use super::clip::scrolls;
use super::covered;
use super::node::{Node, Place};

/// Points that a bar at the side of what scrolls is wide at the most, with what of it can be touched.
const THIN: f64 = 31.0;

/// Leaves out the windows of which nothing is visible, where something is of another: that of a keyboard that has gone stays.
pub(crate) fn leave_out_unseen(windows: &mut Vec<Node<'_>>) {
    let shows = |node: &Node<'_>| node.any(&|one| one.visible == Some(true) && one.says_something());
    let is_unseen = |node: &Node<'_>| node.visible == Some(false) && !shows(node);
    if windows.iter().any(shows) {
        windows.retain(|window| !is_unseen(window));
    }
}

/// Leaves out of a window's tree what is not on the screen.
pub(crate) fn prune(node: &mut Node<'_>, window: &Place) {
    mend_places(node, window);
    let is_scrolled = scrolls(node);
    node.children.retain(|child| !is_off(child, window) && !is_scroll_bar(child, is_scrolled));
    leave_out_twins(&mut node.children);
    covered::leave_out(&mut node.children, window);
    node.children.iter_mut().for_each(|child| prune(child, window));
    node.children.retain(|child| !is_empty_shell(child, window));
}

/// Tells whether nothing of a node is there to be seen; what lies nowhere itself may hold something that does.
fn is_off(node: &Node<'_>, window: &Place) -> bool {
    let is_of_system = matches!(node.kind.as_ref(), "StatusBar" | "ScrollBar");
    let is_outside = !node.place.is_empty() && !node.place.meets(window);
    // A container may be told as hidden, and what stands in it not.
    let is_hidden = |node: &Node<'_>| node.is_hidden();
    let is_seen = |one: &Node<'_>| !is_hidden(one) && one.says_something() && one.place.meets(window);
    let holds_seen = || node.children.iter().any(|child| child.any(&is_seen));
    is_of_system || (is_outside && !reaches_in(node, window)) || (node.is_hidden() && !holds_seen())
}

/// Tells whether something in a node that itself lies outside is in the window all the same.
fn reaches_in(node: &Node<'_>, window: &Place) -> bool {
    node.children
        .iter()
        .any(|child| (!child.place.is_empty() && child.place.meets(window)) || reaches_in(child, window))
}

/// Tells whether a node is left that is no place and says nothing.
fn is_empty_shell(node: &Node<'_>, window: &Place) -> bool {
    let is_outside = node.place.is_empty() || !node.place.meets(window);
    node.children.is_empty() && is_outside && !node.is_focused
}

/// Tells whether a node is the bar at the side of what scrolls, which iOS tells as a value in percent, in the phone's language.
fn is_scroll_bar(node: &Node<'_>, is_scrolled: bool) -> bool {
    let is_named = ["scroll bar", "滚动条", "捲軸", "スクロールバー"].iter().any(|name| node.label.contains(name));
    let is_thin = node.place.width.min(node.place.height) <= THIN;
    let says_more = node.children.iter().any(|child| child.any(&|one| one.says_something()));
    node.kind == "Other" && !says_more && (is_named || (is_scrolled && is_thin && node.value.ends_with('%')))
}

/// Leaves out what is told twice, as the parts of search fields are.
fn leave_out_twins(nodes: &mut Vec<Node<'_>>) {
    let is_named = |node: &Node<'_>| node.children.is_empty() && (node.says_something() || !node.id.is_empty());
    let mut at = 1;
    while at < nodes.len() {
        let (before, node) = (&nodes[..at], &nodes[at]);
        if is_named(node) && before.iter().any(|other| other.place == node.place && other == node) {
            nodes.remove(at);
        } else {
            at += 1;
        }
    }
}

/// Puts what a row holds where the row is, if all of it is told at a place of long ago.
fn mend_places(node: &mut Node<'_>, window: &Place) {
    if node.kind != "Cell" || !node.place.meets(window) || node.visible == Some(false) {
        return;
    }
    let Some(around) = around(&node.children) else { return };
    let fits = around.width <= node.place.width + 1.0 && around.height <= node.place.height + 1.0;
    if around.meets(&node.place) || around.meets(window) || !fits {
        return;
    }
    let (x, y) = (node.place.x - around.x, node.place.y - around.y);
    node.children.iter_mut().for_each(|child| shift(child, x, y));
}

fn shift(node: &mut Node<'_>, x: f64, y: f64) {
    if !node.place.is_empty() {
        node.place.x += x;
        node.place.y += y;
    }
    node.children.iter_mut().for_each(|child| shift(child, x, y));
}

/// Returns the least place around nodes.
fn around(nodes: &[Node<'_>]) -> Option<Place> {
    let places = nodes.iter().map(|node| node.place).filter(|place| !place.is_empty());
    places.reduce(|around, place| around.with(&place))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Place = Place { x: 0.0, y: 0.0, width: 390.0, height: 844.0 };

    fn node(kind: &'static str, label: &'static str, place: [f64; 4], children: Vec<Node<'static>>) -> Node<'static> {
        let [x, y, width, height] = place;
        let place = Place { x, y, width, height };
        Node { kind: kind.into(), label: label.into(), place, children, ..Node::default() }
    }

    fn labels(node: &Node<'_>, found: &mut Vec<String>) {
        found.extend(Some(node.label.to_string()).filter(|label| !label.is_empty()));
        node.children.iter().for_each(|child| labels(child, found));
    }

    fn left(children: Vec<Node<'static>>) -> Vec<String> {
        let mut root = node("Window", "", [0.0, 0.0, 390.0, 844.0], children);
        prune(&mut root, &WINDOW);
        let mut found = Vec::new();
        labels(&root, &mut found);
        found
    }

    fn text(label: &'static str, y: f64) -> Node<'static> {
        node("StaticText", label, [20.0, y, 100.0, 20.0], Vec::new())
    }

    #[test]
    fn visible_alone_hides_nothing() {
        let told = |label, y, visible, accessible| Node { visible, accessible, ..text(label, y) };
        let yes = Some(true);
        let no = Some(false);
        let children = vec![
            told("seen", 10.0, no, yes),
            told("hidden", 40.0, no, no),
            told("plain", 70.0, yes, no),
            text("above", -60.0),
            text("below", 900.0),
            node("StatusBar", "9:41", [0.0, 0.0, 390.0, 47.0], Vec::new()),
            Node { visible: no, accessible: no, children: vec![text("in it", 100.0)], ..text("", 100.0) },
        ];
        assert_eq!(left(children), ["seen", "plain", "in it"]);
    }

    #[test]
    fn a_page_that_covers_another_takes_its_place_and_an_overlay_does_not() {
        let full = [0.0, 0.0, 390.0, 844.0];
        let page = |names: [&'static str; 6]| {
            node(
                "Other",
                "",
                full,
                (0_u8..).zip(names).map(|(at, name)| text(name, f64::from(at) * 130.0 + 50.0)).collect(),
            )
        };
        let former = || page(["a", "b", "c", "d", "e", "f"]);
        assert_eq!(left(vec![former(), page(["1", "2", "3", "4", "5", "6"])]), ["1", "2", "3", "4", "5", "6"]);
        let bars = node("Other", "", full, vec![text("top", 50.0), text("tabs", 800.0)]);
        assert_eq!(left(vec![former(), bars]).len(), 8, "bars over a page");
        let header = node("Other", "", full, vec![text("header", 10.0)]);
        assert_eq!(left(vec![header, former()]).len(), 7, "a page below a header");
        let bar = node("NavigationBar", "", [0.0, 47.0, 390.0, 44.0], vec![text("title", 55.0)]);
        let list = Node { kind: "Table".into(), ..former() };
        assert_eq!(left(vec![bar, list]).len(), 7, "a list below a bar");
        let sheet = node("Other", "", [0.0, 300.0, 390.0, 544.0], former().children);
        let behind = node("Other", "", full, vec![text("above", 10.0), text("behind", 500.0)]);
        let both = left(vec![behind, sheet]);
        assert!(both.contains(&"above".to_owned()) && !both.contains(&"behind".to_owned()), "{both:?}");
        let unseen = Node { visible: Some(false), ..former() };
        let unseen = Node {
            children: unseen
                .children
                .into_iter()
                .map(|one| Node { visible: Some(false), accessible: Some(true), ..one })
                .collect(),
            ..unseen
        };
        assert_eq!(left(vec![unseen, node("Other", "", full, vec![text("sparse", 400.0)])]), ["sparse"]);
    }

    #[test]
    fn a_row_keeps_its_texts_though_they_are_told_elsewhere() {
        let row = node("Cell", "", [0.0, 200.0, 390.0, 44.0], vec![text("a", -527.0), text("b", -527.0)]);
        assert_eq!(left(vec![row.clone()]), ["a", "b"]);
        let reused = Node { visible: Some(false), ..row };
        assert!(left(vec![reused]).is_empty());
    }
}
