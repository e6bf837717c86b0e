//! Elements as ArkUI's components stand in each other → elements as a person takes them.
//!
//! What takes touches there is mostly a container, and what it is called stands in texts in it.

use crate::driver::Element;
use crate::driver::element::JOINT;
use crate::role::is_closed;

/// The longest name, in characters, that is made of the texts in what is touched.
const LONGEST_NAME: usize = 80;

/// Settles what a dump tells, from the leaves up.
pub(crate) fn settle(element: &mut Element) {
    element.children.iter_mut().for_each(settle);
    if acts(element) && !is_of_parts(element) && !holds_another(element) {
        take_content(element);
        pass_state(element);
    }
    name_control(element);
    if element.role == "group" && element.clickable && !holds_another(element) {
        element.role = "button";
    }
}

/// Tells whether it does something by itself, or has a state of its own.
fn acts(element: &Element) -> bool {
    element.clickable || element.long_clickable || element.checkable || matches!(element.role, "button" | "tab")
}

/// Tells whether what stands in it has names of its own, whatever it does itself.
fn is_of_parts(element: &Element) -> bool {
    element.scrollable || is_closed(&element.class) || matches!(element.role, "textfield" | "list")
}

/// Tells whether something in an element is touched or typed into by itself.
fn holds_another(element: &Element) -> bool {
    element
        .children
        .iter()
        .any(|child| acts(child) || matches!(child.role, "textfield" | "slider") || holds_another(child))
}

/// Calls what is touched by the texts in it: a single one is its own, and several are its label.
fn take_content(element: &mut Element) {
    let mut names: Vec<String> = Vec::new();
    element.children.iter().for_each(|child| {
        child.walk(&mut |one| {
            if !one.name().is_empty() {
                names.push(one.name().to_owned());
            }
        });
    });
    names.dedup();
    match &names[..] {
        [] => {}
        // A button tells its text, and a component in it tells it again.
        [only] if element.name() == only => take_in(element),
        [only] if element.name().is_empty() => {
            element.text.clone_from(only);
            take_in(element);
        }
        several if element.name().is_empty() => {
            let name = several.join(JOINT);
            if name.chars().count() <= LONGEST_NAME {
                element.label = name;
                repeated(&mut element.children);
            }
        }
        _ => {}
    }
}

/// Leaves out what says the same again, unless it can be named by an id of its own.
fn take_in(element: &mut Element) {
    let mut has_id = false;
    element.children.iter().for_each(|child| child.walk(&mut |one| has_id |= !one.id.is_empty()));
    if has_id {
        repeated(&mut element.children);
    } else {
        element.children.clear();
    }
}

fn repeated(elements: &mut [Element]) {
    for element in elements {
        element.repeats = true;
        repeated(&mut element.children);
    }
}

/// Gives what stands in what is touched the state of that: the texts there are what a person calls it.
fn pass_state(element: &mut Element) {
    let (enabled, selected, checkable, checked) =
        (element.enabled, element.selected, element.checkable, element.checked);
    for child in &mut element.children {
        child.enabled &= enabled;
        child.selected |= selected;
        (child.checkable, child.checked) = (child.checkable || checkable, child.checked || checked);
        pass_state(child);
    }
}

/// Calls the one switch, box or slider of a row that has no name by the text beside it, as a person does. In a row that is touched itself,
/// the text has the state of the switch, too.
fn name_control(row: &mut Element) {
    let is_control = |one: &Element| matches!(one.role, "switch" | "checkbox" | "radio" | "slider" | "combobox");
    let mut controls = 0;
    row.children.iter().for_each(|child| child.walk(&mut |one| controls += usize::from(is_control(one))));
    if controls != 1 || matches!(row.role, "list" | "navigation" | "dialog") {
        return;
    }
    let row_is_touched = row.clickable || row.long_clickable;
    let Some(control) = first(row, &is_control) else { return };
    let (rect, checkable, checked) = (control.rect, control.checkable, control.checked);
    if !control.label.is_empty() || (control.checkable && !control.text.is_empty()) {
        return;
    }
    let is_beside = |one: &Element| {
        one.role == "text"
            && !one.checkable
            && one.text.contains(char::is_alphanumeric)
            && one.rect.top < rect.bottom
            && one.rect.bottom > rect.top
            && (one.rect.right <= rect.left || one.rect.left >= rect.right)
    };
    // What is named by a text already needs no other.
    if first(row, &|one| one.checkable && is_beside(one)).is_some() {
        return;
    }
    let Some(text) = first(row, &is_beside) else { return };
    if row_is_touched {
        (text.checkable, text.checked) = (text.checkable || checkable, checked);
        return;
    }
    // It is told once, as the name of what it is beside, unless it can be named by an id of its own.
    let name = if text.id.is_empty() {
        text.role = "group";
        std::mem::take(&mut text.text)
    } else {
        text.repeats = true;
        text.text.clone()
    };
    if let Some(control) = first(row, &is_control) {
        control.label = name;
    }
}

/// Returns the first element in another for which a test holds.
fn first<'a>(element: &'a mut Element, test: &dyn Fn(&Element) -> bool) -> Option<&'a mut Element> {
    for child in &mut element.children {
        if test(child) {
            return Some(child);
        }
        if let Some(found) = first(child, test) {
            return Some(found);
        }
    }
    None
}
