//! Nodes of a dump → elements: what each shows, what it is called, and in what state it is.

use crate::driver::Element;
use crate::driver::element::composed;
use crate::dump::Node;
use crate::role::{Bar, inner, role};
use crate::settle::settle;

/// Makes the element of a window and of all in it.
pub(crate) fn of_window(window: &Node<'_>) -> Element {
    let mut root = element(window, &window.bundle, Bar::None, 0);
    settle(&mut root);
    root
}

fn element(node: &Node<'_>, package: &str, bar: Bar, index: u32) -> Element {
    let kind = node.kind.as_ref();
    let role = role(kind, bar);
    let around = inner(kind, bar);
    // Its own package is told where another app's part stands in it.
    let package = if node.bundle.is_empty() { package } else { &node.bundle };
    let children = (0..).zip(&node.children).map(|(at, child)| element(child, package, around, at)).collect();
    let own = |text: &str| composed(text).into_owned();
    let is_field = role == "textfield";
    let mut element = Element {
        role,
        class: kind.to_owned(),
        text: own(&node.text),
        label: own(&node.description),
        // What else has a hint tells by it what it is, in words for screen readers.
        hint: if is_field { own(&node.hint) } else { String::new() },
        id: node.id.clone().into_owned(),
        package: package.to_owned(),
        index,
        rect: node.bounds,
        enabled: !node.is_disabled,
        clickable: node.clickable,
        long_clickable: node.long_clickable,
        focusable: is_field,
        focused: node.focused,
        checkable: node.checkable || matches!(role, "switch" | "checkbox" | "radio"),
        checked: node.checked,
        selected: node.selected,
        password: false,
        scrollable: node.scrollable,
        repeats: false,
        told: None,
        children,
    };
    // An empty field may tell its hint as its text.
    if is_field && element.text == element.hint {
        element.text.clear();
    }
    element.password = is_field && !element.text.is_empty() && element.text.chars().all(|sign| sign == '•');
    if element.label == element.text || element.label == element.hint {
        element.label.clear();
    }
    // What is not seen is only what others stand in.
    if node.is_hidden {
        let (rect, children) = (element.rect, element.children);
        return Element {
            role: "group",
            package: element.package,
            index,
            rect,
            enabled: true,
            children,
            ..Element::default()
        };
    }
    // A badge without a number shows none.
    if kind == "Badge" && element.text == "0" {
        element.text.clear();
    }
    element
}
