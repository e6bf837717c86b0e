//! Several elements that match → the error that tells them apart.

use serde_json::{Value, json};

use crate::driver::{Element, Reach};
use crate::target::Target;
use crate::wording::{clip, describe};
use crate::{Error, Kind};

/// Builds the error of a target that names several elements, with each that matches.
pub(super) fn ambiguous(target: &Target, several: &[&Element]) -> Error {
    let listed: Vec<String> = several.iter().take(6).map(|element| placed(element) + &hindrance(element)).collect();
    let more = several.len().saturating_sub(6);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Error::new(
        Kind::NotFound,
        format!(
            "{target}: {} elements match: {}{more}; add index, role, id, within or near",
            several.len(),
            listed.join("; ")
        ),
    )
    .with("code", "AMBIGUOUS")
    .with("candidates", as_json(several))
}

/// Describes one of several elements that match, with where on the screen it begins.
fn placed(element: &Element) -> String {
    format!("{} at {},{}", describe(element), element.rect.left, element.rect.top)
}

/// Says what keeps touches from an element, which tells it from others that match.
fn hindrance(element: &Element) -> String {
    match element.told.as_ref().map(|told| &told.reach) {
        _ if !element.enabled => " (disabled)".to_owned(),
        Some(Reach::Covered(by)) => format!(" (under {})", clip(by)),
        _ => String::new(),
    }
}

fn as_json(elements: &[&Element]) -> Value {
    elements
        .iter()
        .take(10)
        .map(|element| {
            let rect = element.rect;
            json!({"role": element.role, "text": clip(element.name()), "id": element.id, "rect": [rect.left, rect.top, rect.right, rect.bottom]})
        })
        .collect()
}
