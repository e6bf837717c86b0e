//! The XML of `/source` → nodes, for who does not tell the tree as JSON.

use std::borrow::Cow;

use roxmltree::{Document, ParsingOptions};

use super::node::{Node, Place};

/// Elements that one screen may have, and how deep they may lie in each other.
const MOST_NODES: u32 = 100_000;
const MOST_DEPTH: usize = 250;
/// What the tag of every element begins with.
const PREFIX: &str = "XCUIElementType";

/// Reads a document; its own root (`AppiumAUT`) is passed over.
pub(crate) fn document(xml: &str) -> Result<Document<'_>, String> {
    let options = ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(xml, options).map_err(|error| format!("it is no XML: {error}"))
}

/// Turns a document's elements into nodes.
pub(crate) fn nodes<'a>(document: &'a Document<'_>) -> Result<Node<'a>, String> {
    let root = document.root_element();
    let is_element = |node: &roxmltree::Node| node.tag_name().name().starts_with(PREFIX);
    let first = root.descendants().find(is_element);
    node(first.ok_or_else(|| format!("it starts with <{}>, and holds no element", root.tag_name().name()))?, 0)
}

fn node<'a>(of: roxmltree::Node<'a, '_>, depth: usize) -> Result<Node<'a>, String> {
    if depth > MOST_DEPTH {
        return Err(format!("it has elements more than {MOST_DEPTH} deep in each other"));
    }
    let text = |name: &str| Cow::Borrowed(of.attribute(name).unwrap_or_default());
    let flag = |name: &str| of.attribute(name).map(|told| matches!(told, "true" | "1"));
    let number =
        |name: &str| of.attribute(name).and_then(|told| told.parse::<f64>().ok()).filter(|number| number.is_finite());
    let side = |name: &str| number(name).unwrap_or(-1.0).clamp(-1e6, 1e6);
    let tag = of.tag_name().name();
    let children = of.children().filter(roxmltree::Node::is_element).map(|child| node(child, depth + 1));
    let mut node = Node {
        kind: Cow::Borrowed(tag.strip_prefix(PREFIX).unwrap_or(tag)),
        label: text("label"),
        value: text("value"),
        placeholder: text("placeholderValue"),
        traits: text("traits"),
        place: Place { x: side("x"), y: side("y"), width: side("width"), height: side("height") },
        is_disabled: flag("enabled") == Some(false),
        visible: flag("visible"),
        accessible: flag("accessible"),
        is_focused: flag("focused") == Some(true),
        bundle: text("bundleId"),
        children: children.collect::<Result<_, _>>()?,
        ..Node::default()
    };
    node.take_name(text("name"), false);
    Ok(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read_with_or_without_a_root_of_their_own() {
        let app = r#"<XCUIElementTypeApplication type="XCUIElementTypeApplication" name="Shop" label="Shop" enabled="true" visible="true" accessible="false" x="0" y="0" width="390" height="844" index="0" processId="7" bundleId="a.b">
            <XCUIElementTypeButton type="XCUIElementTypeButton" name="go" label="Go &amp; pay" enabled="false" x="10" y="20" width="30" height="40" index="0" traits="Button"/>
        </XCUIElementTypeApplication>"#;
        let wrapped = format!("<?xml version=\"1.0\"?><AppiumAUT>{app}</AppiumAUT>");
        for xml in [app.to_owned(), wrapped, format!("<hierarchy><AppiumAUT>{app}</AppiumAUT></hierarchy>")] {
            let document = document(&xml).unwrap();
            let root = nodes(&document).unwrap();
            assert_eq!((root.kind.as_ref(), root.id.as_ref(), root.bundle.as_ref()), ("Application", "", "a.b"));
            let button = &root.children[0];
            assert_eq!((button.id.as_ref(), button.label.as_ref(), button.visible), ("go", "Go & pay", None));
            assert_eq!(button.place, Place { x: 10.0, y: 20.0, width: 30.0, height: 40.0 });
            assert!(button.is_disabled && button.has_trait("Button"));
        }
        assert!(document("<a").is_err() && nodes(&document("<html/>").unwrap()).is_err());
    }
}
