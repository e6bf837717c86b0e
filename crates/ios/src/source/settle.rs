//! Elements as a phone tells of them → elements as a person takes them: each name once.
//!
//! A button holds a text of its own name, a row joins the texts in it for its label, and toolkits that draw by themselves repeat what
//! stands in a container on each container around it.

use crate::driver::Element;
use crate::driver::element::{JOINT, without_glyphs};

/// The longest joined name, in characters, that is told in place of its parts.
const LONGEST_NAME: usize = 80;

/// Settles what a tree tells, from the leaves up.
pub(crate) fn settle(element: &mut Element) {
    element.children.iter_mut().for_each(settle);
    drop_glyphs(element);
    if element.role == "switch" {
        take_knob(element);
    }
    if element.name().is_empty() {
        return;
    }
    if acts(element) {
        if element.role == "link" {
            drop_inner_links(element);
        }
        drop_repeated(element);
        take_joined(element);
    } else if matches!(element.role, "group" | "list" | "webview" | "navigation") {
        drop_own(element);
    }
}

/// Puts a switch where the one in it lies, which is the part that a touch turns: around it is the whole row.
fn take_knob(switch: &mut Element) {
    fn find(element: &Element) -> Option<&Element> {
        let found = element.children.iter().find(|child| child.role == "switch" && !child.rect.is_empty());
        found.or_else(|| element.children.iter().find_map(find))
    }
    fn leave_out(element: &mut Element) {
        element.children.retain(|child| child.role != "switch");
        element.children.iter_mut().for_each(leave_out);
    }
    let Some(knob) = find(switch).filter(|knob| knob.name().is_empty() || knob.name() == switch.name()) else { return };
    switch.rect = knob.rect;
    leave_out(switch);
}

/// Tells whether something happens where it is touched.
fn acts(element: &Element) -> bool {
    element.clickable || element.checkable
}

/// Takes out signs of icon fonts, which are letters to a phone and pictures to people.
fn drop_glyphs(element: &mut Element) {
    if let Some(label) = without_glyphs(&element.label) {
        element.label = label;
    }
    if let Some(text) = without_glyphs(&element.text) {
        if text.is_empty() && element.role == "text" {
            element.role = "image";
        }
        element.text = text;
    }
}

/// Leaves out the texts and pictures in an element that say its own name; a name that stands on it is its text.
fn drop_repeated(element: &mut Element) {
    let (name, role) = (element.name().to_owned(), element.role);
    let repeats = |child: &Element| {
        let is_alike = child.role == role && child.class == "XCUIElementTypeStaticText";
        child.children.is_empty() && child.name() == name && (is_plain(child) || is_alike)
    };
    let mut stands_on_it = false;
    let mut open: Vec<&mut Element> = vec![element];
    while let Some(parent) = open.pop() {
        stands_on_it |= parent.children.iter().any(|child| repeats(child) && child.text == name);
        parent.children.retain(|child| !repeats(child));
        open.extend(parent.children.iter_mut());
    }
    if stands_on_it && element.text.is_empty() && role != "textfield" {
        element.text = std::mem::take(&mut element.label);
    }
}

/// Leaves out of a link the text it stands in, and the link in that text, which say the same.
fn drop_inner_links(link: &mut Element) {
    let name = link.name().to_owned();
    let is_it = |child: &Element| matches!(child.role, "link" | "textfield") && child.name() == name;
    let says_same = |child: &Element| is_it(child) && child.children.iter().all(is_it);
    link.children.retain(|child| !says_same(child));
}

/// Tells whether an element only shows something.
fn is_plain(element: &Element) -> bool {
    !acts(element) && !element.focused && matches!(element.role, "text" | "heading" | "image" | "group")
}

/// Marks what a name joins of the texts in its element, so that they are listed once; a name that is too long goes.
fn take_joined(element: &mut Element) {
    let texts = texts_in(&element.children);
    if texts.is_empty() || holds_another(element) || !tells_all(element.name(), &texts) {
        return;
    }
    if element.name().chars().count() <= LONGEST_NAME {
        let mut open: Vec<&mut Element> = element.children.iter_mut().collect();
        while let Some(child) = open.pop() {
            child.repeats = true;
            open.extend(child.children.iter_mut());
        }
    } else if element.text.is_empty() {
        element.label.clear();
    }
}

/// Tells whether something in an element acts by itself.
fn holds_another(element: &Element) -> bool {
    element.children.iter().any(|child| acts(child) || holds_another(child))
}

/// Takes from a container the name that it has of what stands in it.
fn drop_own(element: &mut Element) {
    let texts = texts_in(&element.children);
    if !texts.is_empty() && tells_all(element.name(), &texts) {
        element.text.clear();
        element.label.clear();
    }
}

/// Returns the names in elements, which those around them may join; what a field shows is none.
fn texts_in(elements: &[Element]) -> Vec<String> {
    let mut texts = Vec::new();
    for element in elements {
        element.walk(&mut |one| {
            if !one.name().is_empty() && !one.repeats && one.role != "textfield" {
                texts.push(one.name().to_owned());
            }
        });
    }
    texts
}

/// Tells whether a name says these texts one after the other, whatever it joins them by. Some of what it says may stand elsewhere, such
/// as off the screen.
fn tells_all(name: &str, texts: &[String]) -> bool {
    let mut rest = name;
    texts.iter().all(|text| {
        let found = rest.find(text.as_str());
        rest = found.map_or(rest, |at| &rest[at + text.len()..]);
        found.is_some()
    }) && (texts.len() > 1 || name.split(JOINT).count() == 1)
}
