//! Nodes → elements in pixels: what each shows, what it is called, and in what state it is.

use super::node::{Node, Place};
use super::role::{Bar, is_on_or_off, is_touched, role};
use crate::driver::element::composed;
use crate::driver::{Element, Rect};

/// The least number of windows' parts that an alert leaves free at its sides, for it to be a window of its own.
const SIDES: f64 = 50.0;
/// Pixels from the origin beyond which nothing lies.
const FARTHEST: f64 = 1_000_000.0;
/// Names of the sign at a row's end that says only that the row leads on.
const CHEVRONS: [&str; 4] = ["chevron", "chevron.forward", "chevron.right", "disclosure"];

/// Makes the windows' top elements, from back to front; alerts are windows of their own, and come last.
pub(crate) fn of_windows(top: &Node<'_>, package: &str, ratio: f64) -> Vec<Element> {
    let maker = Maker { package, ratio };
    let mut roots: Vec<Element> =
        (0..).zip(&top.children).map(|(index, window)| maker.element(window, Bar::None, false, index)).collect();
    let mut alerts = Vec::new();
    let width = top.place.width * ratio;
    roots.retain_mut(|root| {
        let is_alert = is_alert(root, width);
        if is_alert {
            alerts.push(std::mem::take(root));
        } else {
            take_alerts(root, width, &mut alerts);
        }
        !is_alert
    });
    // The window of a keyboard has nothing left.
    if roots.iter().any(shows_something) {
        roots.retain(shows_something);
    }
    roots.extend(alerts);
    roots
}

fn shows_something(element: &Element) -> bool {
    !element.name().is_empty() || element.clickable || element.children.iter().any(shows_something)
}

/// Tells whether an element is an alert that leaves room at both sides, as a card does.
fn is_alert(element: &Element, width: f64) -> bool {
    let free = width / SIDES;
    // A sheet of actions goes from edge to edge, or nearly so.
    let is_sheet = element.class == "XCUIElementTypeSheet";
    let is_card = || f64::from(element.rect.left) >= free && f64::from(element.rect.right) <= width - free;
    is_sheet || (matches!(element.role, "alert" | "dialog") && is_card())
}

fn take_alerts(element: &mut Element, width: f64, alerts: &mut Vec<Element>) {
    element.children.retain_mut(|child| {
        let is_alert = is_alert(child, width);
        if is_alert {
            alerts.push(std::mem::take(child));
        } else {
            take_alerts(child, width, alerts);
        }
        !is_alert
    });
}

/// Writes a place in pixels.
pub(crate) fn rect(place: &Place, ratio: f64) -> Rect {
    Rect {
        left: pixel(place.x * ratio),
        top: pixel(place.y * ratio),
        right: pixel(place.right() * ratio),
        bottom: pixel(place.bottom() * ratio),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "it is clamped")]
fn pixel(side: f64) -> i32 {
    side.round().clamp(-FARTHEST, FARTHEST) as i32
}

struct Maker<'a> {
    package: &'a str,
    ratio: f64,
}

/// What an element shows and is called.
#[derive(Default)]
struct Names {
    text: String,
    label: String,
    hint: String,
}

impl Maker<'_> {
    fn element(&self, node: &Node<'_>, bar: Bar, in_row: bool, index: u32) -> Element {
        let kind = node.kind.as_ref();
        let inner = match kind {
            "NavigationBar" => Bar::Title,
            "TabBar" => Bar::Tabs,
            "Table" => Bar::Rows,
            _ if bar == Bar::Tabs && kind == "Other" => bar,
            _ => Bar::None,
        };
        let is_row = in_row || matches!(kind, "Cell" | "TableRow");
        let children: Vec<Element> =
            (0..).zip(&node.children).map(|(at, child)| self.element(child, inner, is_row, at)).collect();
        let is_chevron = in_row && kind == "Button" && node.is_disabled && is_chevron(node);
        let role = match role(node, bar) {
            // A toolkit that draws by itself tells what can be touched as what a screen reader stops at, with texts in it.
            "group" if is_stop(node) && bar != Bar::Rows => "button",
            _ if is_chevron => "image",
            role => role,
        };
        let Names { text, label, hint } = if is_chevron { Names::default() } else { names(node, role) };
        let checkable = matches!(role, "switch" | "checkbox" | "radio") && is_on_or_off(node);
        let is_picked = matches!(role, "button" | "tab") && node.value == "1" || node.has_trait("Selected");
        Element {
            role,
            class: format!("XCUIElementType{kind}"),
            text,
            label,
            hint,
            id: node.id.clone().into_owned(),
            package: self.package.to_owned(),
            index,
            rect: rect(&node.place, self.ratio),
            enabled: is_chevron || !(node.is_disabled || node.has_trait("NotEnabled")),
            clickable: is_touched(role),
            long_clickable: false,
            focusable: role == "textfield",
            focused: node.is_focused,
            checkable,
            checked: checkable && node.value == "1",
            selected: !checkable && is_picked,
            password: kind == "SecureTextField",
            scrollable: matches!(kind, "ScrollView" | "Table" | "CollectionView" | "WebView"),
            repeats: false,
            told: None,
            children,
        }
    }
}

fn is_chevron(node: &Node<'_>) -> bool {
    CHEVRONS.iter().any(|name| node.id == *name || node.label == *name)
}

/// Tells whether a node of no type is one that a screen reader stops at, with what it says standing in it.
fn is_stop(node: &Node<'_>) -> bool {
    node.accessible == Some(true) && node.kind == "Other" && !node.label.is_empty() && !node.children.is_empty()
}

/// Divides what a node says into what it shows, what it is called, and what it shows while it is empty.
fn names(node: &Node<'_>, role: &str) -> Names {
    let own = |text: &str| composed(text).into_owned();
    let (label, value) = (node.label.trim(), node.value.as_ref());
    match role {
        "textfield" => {
            let text = if value == node.placeholder { "" } else { value };
            let hint = node.placeholder.as_ref();
            let label = if label == hint || label == text { "" } else { label };
            let text = if node.kind == "SecureTextField" { bullets(text) } else { own(text) };
            Names { text, label: own(label), hint: own(hint) }
        }
        "slider" | "progress" | "combobox" => {
            let is_state = role == "progress" && is_on_or_off(node);
            Names { text: own(if is_state { "" } else { value }), label: own(label), ..Names::default() }
        }
        "image" | "group" | "list" | "listitem" | "navigation" | "webview" | "alert" | "dialog" | "row" | "table"
        | "menu" => {
            let text =
                if matches!(role, "group" | "image") && !is_on_or_off(node) && value != label { value } else { "" };
            Names { text: own(text), label: own(label), ..Names::default() }
        }
        _ if node.kind == "Other" && !node.children.is_empty() => Names { label: own(label), ..Names::default() },
        _ => {
            // Its state is no text.
            let value = if is_on_or_off(node) && role != "text" && role != "heading" { "" } else { value };
            match (label, value) {
                ("", value) => Names { text: own(value), ..Names::default() },
                (label, "") => Names { text: own(label), ..Names::default() },
                (label, value) if label == value => Names { text: own(label), ..Names::default() },
                // A text shows its value; of what is touched, the name stands on it.
                (label, value) if matches!(role, "text" | "heading") => {
                    Names { text: own(value), label: own(label), ..Names::default() }
                }
                (label, value) => Names { text: own(label), label: own(value), ..Names::default() },
            }
        }
    }
}

/// Returns as many bullets as a text has signs.
fn bullets(text: &str) -> String {
    text.chars().map(|_| '•').collect()
}
