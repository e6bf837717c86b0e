//! A control → the texts that label it: those that stand with it in its row, else the text left of it or above it.

use crate::driver::{Element, Rect};
use crate::tree::Tree;

/// How far up a row is looked for.
const MOST_STEPS: usize = 3;
/// Controls whose labels are looked for on one screen.
const MOST_CONTROLS: usize = 300;

/// Tells whether an element is something that a text beside it usually names.
pub(super) fn is_control(element: &Element) -> bool {
    matches!(element.role, "textfield" | "switch" | "checkbox" | "radio" | "combobox" | "slider")
}

/// Returns the labels of every control of the screen, by its place in the tree.
pub(in super::super) fn of_all<'a>(tree: &Tree<'a>) -> Vec<(usize, Vec<&'a str>)> {
    let controls: Vec<usize> = (0..tree.len()).filter(|at| is_control(tree.element(*at))).take(MOST_CONTROLS).collect();
    if controls.is_empty() {
        return Vec::new();
    }
    let texts: Vec<usize> = (0..tree.len()).filter(|at| is_lettering(tree.element(*at))).collect();
    controls.into_iter().map(|at| (at, of(tree, at, &texts))).collect()
}

fn is_lettering(element: &Element) -> bool {
    matches!(element.role, "text" | "heading") && !element.name().is_empty() && !element.rect.is_empty()
}

fn of<'a>(tree: &Tree<'a>, control: usize, texts: &[usize]) -> Vec<&'a str> {
    for row in tree.ancestors(control).take(MOST_STEPS) {
        let inside = tree.inside(Some(row));
        if inside.clone().filter(|at| is_control(tree.element(*at))).take(2).count() > 1 {
            break;
        }
        // Only the first text names the row; what follows explains it.
        if let Some(first) = inside.map(|at| tree.element(at)).find(|element| is_lettering(element)) {
            return vec![first.name()];
        }
    }
    let rect = tree.element(control).rect;
    let others = texts.iter().map(|at| tree.element(*at));
    let nearest = others.filter_map(|text| Some((reach(&text.rect, &rect)?, text)));
    nearest.min_by_key(|(distance, _)| *distance).map(|(_, text)| text.name()).into_iter().collect()
}

/// Returns the gap between a label and what it stands left of or above; none where it does neither, or is too far.
fn reach(label: &Rect, control: &Rect) -> Option<i32> {
    let same_row = label.top < control.bottom && label.bottom > control.top;
    let same_column = label.left < control.right && label.right > control.left;
    let beside = control.left - label.right;
    let above = control.top - label.bottom;
    let most = (label.bottom - label.top).max(40) * 2;
    match (same_row && beside >= 0, same_column && above >= 0) {
        (true, _) => Some(beside).filter(|gap| *gap <= most * 4),
        (_, true) => Some(above).filter(|gap| *gap <= most),
        _ => None,
    }
}
