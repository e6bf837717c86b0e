//! What `/source` tells → the elements of a screen, in pixels. Pure: it looks at one tree, and knows no phone.

mod clip;
mod covered;
mod elements;
mod hidden;
mod json;
mod keyboard;
mod node;
mod prune;
mod role;
mod settle;
mod xml;

pub(crate) use json::text_value;

use node::{Node, Place};

use crate::driver::{Element, Rect};

/// Bytes of a text of which a phone may have told only the beginning: it cuts at 512, between two letters.
const CUT_TEXT: std::ops::RangeInclusive<usize> = 509..=512;

/// A tree that was read, in points.
pub(crate) struct Tree {
    /// The windows' top elements, from back to front; alerts come last.
    pub(crate) roots: Vec<Element>,
    pub(crate) keyboard: Option<Rect>,
    /// How many levels of elements were told.
    pub(crate) levels: u32,
    /// Whether a text may have been cut.
    pub(crate) has_cut_text: bool,
    /// Whether it tells of an alert.
    pub(crate) has_alert: bool,
}

/// What a tree is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Xml,
}

/// A body of `/source`, of which only the size of the window is known yet.
pub(crate) struct Source<'a> {
    root: Node<'a>,
    levels: u32,
}

impl<'a> Source<'a> {
    /// Reads JSON as it was answered, with all around it.
    pub(crate) fn of_json(body: &'a str) -> Result<Self, String> {
        let root = json::parse(body)?;
        Ok(Self { levels: root.levels(), root })
    }

    /// Reads a document of XML.
    pub(crate) fn of_xml(document: &'a roxmltree::Document<'_>) -> Result<Self, String> {
        let root = xml::nodes(document)?;
        Ok(Self { levels: root.levels(), root })
    }

    /// Returns the size of the app's window in points; none where the tree does not tell it.
    pub(crate) fn window(&self) -> Option<(f64, f64)> {
        let root = Some(&self.root).filter(|root| root.kind == "Application" && !root.place.is_empty());
        let is_whole = |node: &&Node<'_>| node.kind == "Window" && node.place.x == 0.0 && node.place.y == 0.0;
        let whole = || self.root.children.iter().filter(is_whole).find(|window| !window.place.is_empty());
        root.or_else(whole).map(|node| (node.place.width, node.place.height))
    }

    /// Returns the app's bundle, where the tree tells it, and what the app calls itself.
    pub(crate) fn app(&self) -> (&str, &str) {
        (&self.root.bundle, self.root.label.trim())
    }

    /// Makes elements of it: `ratio` pixels are a point, and the window is as large as this.
    pub(crate) fn tree(self, window: (f64, f64), ratio: f64, package: &str) -> Tree {
        let Self { root, levels } = self;
        let window = Place { x: 0.0, y: 0.0, width: window.0, height: window.1 };
        let has_cut_text =
            root.any(&|node| CUT_TEXT.contains(&node.label.len()) || CUT_TEXT.contains(&node.value.len()));
        let mut windows = windows_of(root, &window);
        prune::leave_out_unseen(&mut windows);
        let keyboard = keyboard::take(&mut windows, &window);
        hidden::leave_out(&mut windows, &window, keyboard.as_ref());
        let keyboard = keyboard.map(|place| elements::rect(&place, ratio));
        let mut top = Node { kind: "Application".into(), place: window, children: windows, ..Node::default() };
        prune::prune(&mut top, &window);
        clip::clip(&mut top, &window);
        let mut roots = elements::of_windows(&top, package, ratio);
        roots.iter_mut().for_each(settle::settle);
        let has_alert = roots.iter().any(|root| root.role == "alert");
        // What lies behind an alert takes no touches; the last one is in front.
        let is_modal = |root: &Element| matches!(root.class.as_str(), "XCUIElementTypeAlert" | "XCUIElementTypeSheet");
        if let Some(front) = roots.iter().rposition(is_modal) {
            roots.drain(..front);
        }
        Tree { roots, keyboard, levels, has_cut_text, has_alert }
    }
}

/// Returns the windows of an app; what stands beside them, or in their place, is one of its own.
fn windows_of<'a>(root: Node<'a>, place: &Place) -> Vec<Node<'a>> {
    if root.kind != "Application" {
        return vec![root];
    }
    let (mut windows, others): (Vec<_>, Vec<_>) = root.children.into_iter().partition(|child| child.kind == "Window");
    if !others.is_empty() {
        windows.push(Node { kind: "Window".into(), place: *place, children: others, ..Node::default() });
    }
    windows
}

pub(crate) use xml::document;

#[cfg(test)]
mod found;
#[cfg(test)]
mod tests;
