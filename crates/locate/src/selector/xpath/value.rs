//! What an XPath's expressions give, and how it turns into text, numbers and truth (XPath 1.0, §3 and §4).

use crate::driver::Element;
use crate::selector::attribute::Attribute;
use crate::tree::Tree;

/// A place in the screen's tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Node {
    /// The top of the screen, above all windows.
    Screen,
    Element(usize),
    /// The text of an element.
    Text(usize),
    Attribute(usize, Attribute),
}

impl Node {
    /// Returns what orders places as they stand on the screen.
    pub(super) fn order(&self) -> (usize, usize, &'static str) {
        match self {
            Self::Screen => (0, 0, ""),
            Self::Element(at) => (at + 1, 0, ""),
            Self::Attribute(at, attribute) => (at + 1, 1, attribute.name),
            Self::Text(at) => (at + 1, 2, ""),
        }
    }

    /// Returns its text; of an element all the texts in it.
    pub(super) fn text(&self, tree: &Tree) -> String {
        match self {
            Self::Screen => texts(tree, tree.inside(None)),
            Self::Element(at) => texts(tree, *at..tree.inside(Some(*at)).end),
            Self::Text(at) => own_text(tree.element(*at)).to_owned(),
            Self::Attribute(at, attribute) if attribute.name == "text" => own_text(tree.element(*at)).to_owned(),
            Self::Attribute(at, attribute) => attribute.read(tree.element(*at)).into_owned(),
        }
    }
}

fn texts(tree: &Tree, range: std::ops::Range<usize>) -> String {
    range.map(|at| own_text(tree.element(at))).collect()
}

/// Returns an element's text as the platform tells it: an empty field's hint is told as its text.
pub(super) fn own_text(element: &Element) -> &str {
    if element.text.is_empty() && element.role == "textfield" { &element.hint } else { &element.text }
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    /// In the order of the screen.
    Nodes(Vec<Node>),
    Text(String),
    Number(f64),
    Flag(bool),
}

impl Value {
    pub(super) fn flag(&self) -> bool {
        match self {
            Self::Nodes(nodes) => !nodes.is_empty(),
            Self::Text(text) => !text.is_empty(),
            Self::Number(number) => *number != 0.0 && !number.is_nan(),
            Self::Flag(flag) => *flag,
        }
    }

    pub(super) fn text(&self, tree: &Tree) -> String {
        match self {
            Self::Nodes(nodes) => nodes.first().map(|node| node.text(tree)).unwrap_or_default(),
            Self::Text(text) => text.clone(),
            Self::Number(number) if number.is_nan() => "NaN".to_owned(),
            Self::Number(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
        }
    }

    pub(super) fn number(&self, tree: &Tree) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Flag(flag) => f64::from(u8::from(*flag)),
            _ => number_of(&self.text(tree)),
        }
    }
}

/// Reads a text as a number; not a number where it is none.
pub(super) fn number_of(text: &str) -> f64 {
    let text = text.trim();
    let is_number = text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-'));
    if is_number { text.parse().unwrap_or(f64::NAN) } else { f64::NAN }
}
