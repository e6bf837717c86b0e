//! A label → the field that it names.

use super::texts::called;
use crate::driver::{Element, Screen};
use crate::target::Target;

/// Tells whether an element can be typed into.
pub fn takes_text(element: &Element) -> bool {
    // A page's list to choose from takes no text, but a field with proposals does.
    (matches!(element.role, "combobox" | "webview") && element.class != "select") || is_field(element)
}

/// Tells whether an element is a field that is typed into, or that is set as sliders are.
pub(super) fn is_field(element: &Element) -> bool {
    element.role == "textfield" || element.told.as_ref().is_some_and(|told| !told.holds.is_empty())
}

/// Tells whether an element that was found may be the label of the field that is meant: a text that a person reads beside it, and
/// neither what acts itself nor, on a page, what only its own id names.
pub(super) fn leads(target: &Target, element: &Element) -> bool {
    let acts = matches!(
        element.role,
        "button" | "checkbox" | "switch" | "radio" | "combobox" | "slider" | "link" | "tab" | "option"
    );
    let is_named = [&target.id, &target.selector, &target.reference, &target.test_id].into_iter().any(Option::is_some);
    !(acts || (element.told.is_some() && is_named))
}

/// Labels that are led to their fields; more of them mean no single field.
pub(super) const MOST_LABELS: usize = 50;

/// Keeps what is labelled so; where nothing is, the fields beside or below that text.
pub(super) fn labelled_as<'a>(wanted: &str, candidates: &[&'a Element], screen: &'a Screen) -> Vec<&'a Element> {
    let found = called(wanted, candidates, |element| &element.label);
    if !found.is_empty() {
        return found;
    }
    // Of a field of Android the hint is the label, and stands above it once it holds a text.
    let hinting =
        called(
            wanted,
            candidates,
            |element| {
                if is_field(element) && element.told.is_none() { &element.hint } else { "" }
            },
        );
    if !hinting.is_empty() {
        return hinting;
    }
    let labels = called(wanted, candidates, |element| if takes_text(element) { "" } else { &element.text });
    let fields: Vec<&Element> = labels.iter().take(MOST_LABELS).filter_map(|label| labelled(label, screen)).collect();
    candidates.iter().copied().filter(|candidate| fields.iter().any(|field| std::ptr::eq(*field, *candidate))).collect()
}

/// Finds the text field that a label names: the nearest one right of it or below it.
pub(super) fn labelled<'a>(label: &Element, screen: &'a Screen) -> Option<&'a Element> {
    let mut fields = Vec::new();
    for root in &screen.roots {
        root.walk(&mut |element| {
            if is_field(element) && !element.rect.is_empty() {
                fields.push(element);
            }
        });
    }
    let distance = |field: &Element| {
        let below = field.rect.top - label.rect.bottom;
        let beside = field.rect.left - label.rect.right;
        let same_row = field.rect.top < label.rect.bottom && field.rect.bottom > label.rect.top;
        let same_column = field.rect.left < label.rect.right && field.rect.right > label.rect.left;
        match (same_row && beside >= 0, same_column && below >= 0) {
            (true, _) => Some(beside),
            (_, true) => Some(below),
            _ => None,
        }
    };
    let reach = label.rect.bottom - label.rect.top;
    fields
        .into_iter()
        .filter_map(|field| distance(field).map(|distance| (distance, field)))
        .filter(|(distance, _)| *distance <= reach.max(40) * 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, field)| field)
}
