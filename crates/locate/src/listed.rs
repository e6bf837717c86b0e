//! Which elements of a screen a snapshot lists, and so have refs.

use crate::driver::{Element, Screen};

/// Most elements off the screen that are told of by their refs.
const MOST_FAR: usize = 20;

/// Tells whether an element says something or can be acted on.
pub(super) fn is_listed(element: &Element) -> bool {
    !element.rect.is_empty() && says_something(element)
}

fn says_something(element: &Element) -> bool {
    let acts = element.clickable || element.checkable || element.scrollable;
    if element.repeats && !acts {
        return false;
    }
    // What is a part of another's text or name says nothing more.
    if element.told.as_ref().is_some_and(|told| told.part_of.is_some()) && !acts {
        return false;
    }
    let bare_container = matches!(element.role, "group" | "list" | "listitem" | "row") && element.name().is_empty();
    match bare_container {
        true => element.scrollable || is_nameless(element),
        false => !element.name().is_empty() || acts || element.role == "textfield",
    }
}

/// Tells whether an element of an app can be tapped and nothing says what it is, such as an arrow that leads back.
pub(super) fn is_nameless(element: &Element) -> bool {
    let is_of_app = element.told.is_none() && element.clickable;
    is_of_app && element.name().is_empty() && element.id.is_empty() && !element.children.iter().any(says_more)
}

/// Tells whether anything in an element says something.
fn says_more(element: &Element) -> bool {
    !element.name().is_empty() || element.clickable || element.checkable || element.children.iter().any(says_more)
}

/// Tells whether any of an element lies on the screen.
pub fn is_on(screen: &Screen, element: &Element) -> bool {
    !element.rect.intersect(&screen.bounds()).is_empty()
}

/// Returns the first elements, in reading order, that can be acted on, lie off the screen, and are brought there by the platform when
/// they are.
pub(super) fn within_reach<'a>(screen: &Screen, listed: impl Iterator<Item = &'a Element>) -> Vec<*const Element> {
    let acts = |element: &&Element| {
        let is_named = !element.name().is_empty() || element.role == "textfield";
        element.key().is_some() && is_named && (element.clickable || element.checkable) && !is_on(screen, element)
    };
    listed.filter(acts).take(MOST_FAR).map(std::ptr::from_ref).collect()
}
