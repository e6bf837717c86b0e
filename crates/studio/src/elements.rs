//! A screen → its elements one after the other, as pages are told them; each is known by its number until the screen is read again.

use std::collections::HashMap;

use serde_json::{Value, json};
use uixt_driver::{Element, Rect, Screen};
use uixt_locate::visibility::{self, Hidden};

/// Most characters of a text that pages are told.
const LONGEST: usize = 300;

/// Returns the elements, each with the number of what it stands in; what holds others comes before them.
pub(crate) fn all(screen: &Screen) -> Vec<(&Element, Option<usize>)> {
    fn add<'a>(element: &'a Element, parent: Option<usize>, all: &mut Vec<(&'a Element, Option<usize>)>) {
        let number = all.len();
        all.push((element, parent));
        element.children.iter().for_each(|child| add(child, Some(number), all));
    }
    let mut all = Vec::new();
    screen.roots.iter().for_each(|root| add(root, None, &mut all));
    all
}

/// What of a screen nobody sees.
pub(crate) struct Unseen(HashMap<*const Element, Hidden>);

impl Unseen {
    pub(crate) fn of(screen: &Screen) -> Self {
        Self(visibility::hidden(screen))
    }

    /// Returns why nobody sees an element; empty of what is seen.
    pub(crate) fn why(&self, element: &Element) -> String {
        match &element.told {
            Some(told) => told.hidden.clone(),
            None => self.0.get(&std::ptr::from_ref(element)).map(ToString::to_string).unwrap_or_default(),
        }
    }
}

/// Writes all elements.
pub(crate) fn told(screen: &Screen) -> Value {
    let unseen = Unseen::of(screen);
    let one = |(number, (element, parent)): (usize, (&Element, Option<usize>))| {
        let why = unseen.why(element);
        let parent = parent.and_then(|parent| i64::try_from(parent).ok()).unwrap_or(-1);
        let test_id = element.told.as_ref().map_or("", |told| told.test_id.as_str());
        json!({
            "n": number, "parent": parent, "role": element.role, "name": clipped(named(element)),
            "text": clipped(shown(element)), "label": clipped(&element.label), "hint": clipped(&element.hint),
            "id": element.id, "test_id": test_id, "rect": sides(element.rect), "seen": why.is_empty(), "why": why,
            "enabled": element.enabled, "clickable": element.clickable, "focused": element.focused,
            "checked": element.checkable.then_some(element.checked), "password": element.password,
            "scrollable": element.scrollable,
        })
    };
    all(screen).into_iter().enumerate().map(one).collect()
}

/// Returns what a person would call an element; what stands in a field for a password is no name.
fn named(element: &Element) -> &str {
    match element.password {
        true if element.label.is_empty() => &element.hint,
        true => &element.label,
        false => element.name(),
    }
}

/// Returns what an element shows; nothing of a password.
fn shown(element: &Element) -> &str {
    if element.password { "" } else { &element.text }
}

pub(crate) fn sides(rect: Rect) -> [i32; 4] {
    [rect.left, rect.top, rect.right, rect.bottom]
}

fn clipped(text: &str) -> String {
    let mut clipped: String = text.chars().take(LONGEST).collect();
    if clipped.len() < text.len() {
        clipped.push('…');
    }
    clipped
}
