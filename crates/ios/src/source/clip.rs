//! Nodes with their places as they are laid out → with the part of each that can be seen: what scrolls cuts off what is in it.

use super::node::{Node, Place};

/// Cuts places down to what lies within `seen`, and leaves out what lies outside of what it scrolls in, unless it is told as visible.
pub(crate) fn clip(node: &mut Node<'_>, seen: &Place) {
    let part = node.place.part_in(seen);
    if !part.is_empty() {
        node.place = part;
    }
    let inner = if scrolls(node) && !part.is_empty() { part } else { *seen };
    node.children
        .retain(|child| child.any(&|one| one.place.is_empty() || one.visible == Some(true) || one.place.meets(&inner)));
    node.children.iter_mut().for_each(|child| clip(child, &inner));
}

pub(crate) fn scrolls(node: &Node<'_>) -> bool {
    matches!(node.kind.as_ref(), "ScrollView" | "Table" | "CollectionView" | "WebView")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(kind: &'static str, y: f64, height: f64, children: Vec<Node<'static>>) -> Node<'static> {
        let place = Place { x: 0.0, y, width: 390.0, height };
        Node { kind: kind.into(), label: kind.into(), place, children, ..Node::default() }
    }

    #[test]
    fn a_table_as_long_as_its_rows_is_as_long_as_what_is_seen_of_it() {
        let rows = (0..20).map(|row| node("Cell", f64::from(row) * 50.0 - 120.0, 50.0, Vec::new())).collect();
        let table = node("Table", -120.0, 1000.0, rows);
        let mut root = node("Window", 0.0, 844.0, vec![node("ScrollView", 100.0, 300.0, vec![table])]);
        clip(&mut root, &Place { x: 0.0, y: 0.0, width: 390.0, height: 844.0 });
        let table = &root.children[0].children[0];
        assert_eq!((table.place.y, table.place.height), (100.0, 300.0));
        let places: Vec<(f64, f64)> = table.children.iter().map(|row| (row.place.y, row.place.height)).collect();
        assert_eq!(
            places,
            [(100.0, 30.0), (130.0, 50.0), (180.0, 50.0), (230.0, 50.0), (280.0, 50.0), (330.0, 50.0), (380.0, 20.0)]
        );
    }

    #[test]
    fn what_is_told_as_visible_stays() {
        let outside = Node { visible: Some(true), ..node("Button", 500.0, 40.0, Vec::new()) };
        let mut root = node("ScrollView", 100.0, 300.0, vec![outside]);
        clip(&mut root, &Place { x: 0.0, y: 0.0, width: 390.0, height: 844.0 });
        assert_eq!((root.children.len(), root.children[0].place.y), (1, 500.0));
    }
}
