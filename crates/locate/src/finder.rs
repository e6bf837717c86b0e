//! A target and a screen → the elements that are meant, or why none is. Pure: it looks at one screen, and never waits.

mod ambiguity;
mod fields;
mod hints;
mod texts;

use std::collections::{HashMap, HashSet};

use ambiguity::ambiguous;
use fields::{MOST_LABELS, labelled, labelled_as};
use texts::{called, with_text};

pub use fields::takes_text;
pub(crate) use hints::{alike, names_of};
pub use hints::{literally, nearest_names};
pub use texts::{just_gone, seen, why_unread};

use super::refs::{GONE, Refs};
use super::selector::Selector;
use super::target::Target;
use super::tree::{Tree, innermost, touchable};
use super::visibility::{self, Hidden};
use super::wording::describe;
use super::{Error, Kind, description, near, pixel_elements};
use crate::driver::{Actionability, Element, Rect, Screen};

/// Marks, in an error's details, that what the target stands in is not there.
pub const NO_CONTAINER: &str = "no_container";

/// What the caller wants to do with the element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It only needs to be there; several are as good as one.
    Look,
    /// The same, by what a person reads of it alone.
    See,
    /// Its text is wanted, so that it must be the only one.
    Read,
    /// It is to be touched: what can be touched is meant before what cannot.
    Touch,
    /// It is to be typed into: a text field is meant before its label.
    Type,
}

impl Purpose {
    /// Tells whether a finger goes to the element.
    pub fn touches(self) -> bool {
        matches!(self, Self::Touch | Self::Type)
    }
}

/// Finds every element that the target names, in reading order; empty where none is. With `near`, those that are nearest.
pub fn find_all<'a>(target: &Target, screen: &'a Screen, refs: Option<&Refs>) -> Result<Vec<&'a Element>, Error> {
    all_of(target, screen, refs, false)
}

/// Finds the same by what a person reads of it alone: not by a value that is transparent, or a name for screen readers beside another
/// that is drawn.
pub fn find_seen<'a>(target: &Target, screen: &'a Screen, refs: Option<&Refs>) -> Result<Vec<&'a Element>, Error> {
    all_of(target, screen, refs, !target.present)
}

fn all_of<'a>(target: &Target, screen: &'a Screen, refs: Option<&Refs>, sees: bool) -> Result<Vec<&'a Element>, Error> {
    let matches = matching(target, screen, refs, sees)?;
    match anchor(target, screen, refs)? {
        Some(anchor) => Ok(near::nearest(near::by_distance(matches, anchor))),
        None => Ok(matches),
    }
}

/// Finds what the target is near to, where it says so.
fn anchor<'a>(target: &Target, screen: &'a Screen, refs: Option<&Refs>) -> Result<Option<&'a Element>, Error> {
    target.near.as_ref().map(|near| container(target, &near.0, "what it is near to", screen, refs)).transpose()
}

/// Finds what the target names, whatever it is near to.
fn matching<'a>(
    target: &Target,
    screen: &'a Screen,
    refs: Option<&Refs>,
    sees: bool,
) -> Result<Vec<&'a Element>, Error> {
    narrow(target, candidates(target, screen, refs)?, screen, refs, sees)
}

/// Returns everything on the screen, or in what the target stands in, that can be seen.
fn candidates<'a>(target: &Target, screen: &'a Screen, refs: Option<&Refs>) -> Result<Vec<&'a Element>, Error> {
    let mut candidates = told(target, screen, refs)?;
    if target.present {
        return Ok(candidates);
    }
    let hidden = visibility::hidden(screen);
    // What nobody sees of a page is told of where it was asked for; other targets of the same call still mean what is seen.
    let is_seen = |told: &Actionability| told.hidden.is_empty();
    candidates.retain(|element| {
        !hidden.contains_key(&std::ptr::from_ref(*element)) && element.told.as_deref().is_none_or(is_seen)
    });
    Ok(candidates)
}

/// Finds what the target names among what nobody can see, each with the reason.
pub fn hidden<'a>(target: &Target, screen: &'a Screen, refs: Option<&Refs>) -> Vec<(&'a Element, Hidden)> {
    let mut hidden = visibility::hidden(screen);
    if hidden.is_empty() {
        return Vec::new();
    }
    let mut matches = told(target, screen, refs).unwrap_or_default();
    matches.retain(|element| hidden.contains_key(&std::ptr::from_ref(*element)));
    let found = narrow(target, matches, screen, refs, false).unwrap_or_default();
    found.into_iter().filter_map(|element| Some((element, hidden.remove(&std::ptr::from_ref(element))?))).collect()
}

/// Returns everything that is told of the screen, or of what the target stands in.
fn told<'a>(target: &Target, screen: &'a Screen, refs: Option<&Refs>) -> Result<Vec<&'a Element>, Error> {
    let mut told = Vec::new();
    // Of a page all is there, and what lies further down is brought into view when it is to be touched.
    let mut tell = |roots: &'a [Element]| roots.iter().for_each(|root| root.walk(&mut |element| told.push(element)));
    let Some(within) = &target.within else {
        tell(&screen.roots);
        return Ok(told);
    };
    let container = container(target, &within.0, "what it stands in", screen, refs)?;
    if pixel_elements::is_text(container) {
        return Err(holds_nothing(target, &within.0));
    }
    if pixel_elements::is_by_pixels(container) {
        tell(&screen.roots);
        told.retain(|element| is_inside(element, container));
    } else {
        // Nothing stands in itself.
        tell(&container.children);
    }
    Ok(told)
}

/// Builds the error of a target that stands in a text that is drawn: it would be absent whatever is shown.
fn holds_nothing(target: &Target, within: &Target) -> Error {
    let message = format!(
        "{target}: {within} is a drawn text, and nothing stands in one: use `near`, or name a place by its look: `within: {{image: card.png}}`"
    );
    Error::new(Kind::BadArgument, message)
}

/// Tells whether an element stands in a place that is known by its look alone, of which no tree says what it holds.
fn is_inside(element: &Element, place: &Element) -> bool {
    let fits = |rect: Rect| {
        rect.right - rect.left <= place.rect.right - place.rect.left
            && rect.bottom - rect.top <= place.rect.bottom - place.rect.top
    };
    !std::ptr::eq(element, place) && place.rect.contains(element.rect.center()) && fits(element.rect)
}

/// Returns how certain it is, from 0 to 1, that a target's description means this element.
pub fn confidence(target: &Target, element: &Element, screen: &Screen, refs: Option<&Refs>) -> Option<f64> {
    let candidates = candidates(target, screen, refs).ok()?;
    description::find(target.description.as_deref()?, &candidates, screen).ok()?.confidence(element)
}

/// Finds the one element that a target names, such as the part of the screen that is asked for.
pub fn only<'a>(target: &Target, screen: &'a Screen, refs: Option<&Refs>) -> Result<&'a Element, Error> {
    match find_all(target, screen, refs)?[..] {
        [only] => Ok(only),
        [] => Err(Error::new(Kind::NotFound, format!("{target}: not there")).with("app", screen.package.as_str())),
        ref several => Err(ambiguous(target, several)),
    }
}

/// Finds what a target stands in or is near to. Where that is not there, nothing is known of the target: a misspelt
/// `within` would make every absence true.
fn container<'a>(
    target: &Target,
    within: &Target,
    how: &str,
    screen: &'a Screen,
    refs: Option<&Refs>,
) -> Result<&'a Element, Error> {
    // A ref that is gone says where the target was, not that it is gone from there.
    let found = find_all(within, screen, refs).map_err(|mut error| {
        error.details.shift_remove(GONE);
        error
    })?;
    let found = match within.index {
        Some(index) => nth(&found, index).into_iter().collect(),
        None => found,
    };
    match found[..] {
        [only] => Ok(only),
        [] => {
            let hint = match screen.cut {
                true => " among what was told of the page, which holds more than that: name it by `selector`",
                false => "",
            };
            let message = format!("{target}: {how}, {within}, is not there{hint}");
            Err(Error::new(Kind::NotFound, message).with(NO_CONTAINER, true).with("app", screen.package.as_str()))
        }
        ref several => {
            let mut error = ambiguous(within, several);
            error.message = format!("{target}: {how}, {}", error.message);
            Err(error)
        }
    }
}

fn narrow<'a>(
    target: &Target,
    mut candidates: Vec<&'a Element>,
    screen: &'a Screen,
    refs: Option<&Refs>,
    sees: bool,
) -> Result<Vec<&'a Element>, Error> {
    let bad = |message: String| Error::new(Kind::BadArgument, message);
    if let Some(reference) = &target.reference {
        let element = super::refs::resolve(reference, screen, refs)?;
        candidates.retain(|candidate| std::ptr::eq(*candidate, element));
    }
    if let Some(image) = &target.image {
        candidates.retain(|element| pixel_elements::shows(element, image));
    }
    if target.control.is_none() && target.reference.is_none() {
        // The text that names a control is meant, and not both.
        candidates.retain(|element| !pixel_elements::is_control(element));
    }
    if let Some(control) = &target.control {
        let kind = pixel_elements::control_kind(control).map_err(bad)?;
        candidates.retain(|element| pixel_elements::is_of_kind(element, kind));
    }
    if let Some(id) = &target.id {
        candidates.retain(|element| element.id == *id || element.short_id() == id);
    }
    if let Some(test_id) = &target.test_id {
        candidates.retain(|element| has_test_id(element, test_id));
    }
    if let Some(placeholder) = &target.placeholder {
        candidates = called(placeholder, &candidates, |element| &element.hint);
    }
    if let Some(label) = &target.label {
        candidates = labelled_as(label, &candidates, screen);
    }
    if let Some(role) = &target.role {
        let role = super::role::of(role).map_err(bad)?;
        candidates.retain(|element| element.role == role);
    }
    let mut is_exact = false;
    if let Some(selector) = &target.selector {
        let (selected, exact) = selected(selector, screen).map_err(bad)?;
        candidates.retain(|element| selected.contains(&std::ptr::from_ref(*element)));
        is_exact = exact;
    }
    candidates.retain(|element| target.filter.holds(element.rect, screen.size));
    if let Some(text) = &target.text {
        candidates = with_text(text, target, &candidates, sees).map_err(bad)?;
    }
    if let Some(description) = &target.description {
        candidates = description::find(description, &candidates, screen).map_err(bad)?.meant();
    }
    Ok(if is_exact { candidates } else { innermost(without_parts(candidates), screen) })
}

/// Returns what a selector selects, and whether it says exactly which elements it means. The platform's own engine goes first.
fn selected(selector: &str, screen: &Screen) -> Result<(HashSet<*const Element>, bool), String> {
    if let Some(chosen) = native(selector, screen) {
        return chosen.map(|chosen| (chosen, true));
    }
    let selector = Selector::parse(selector)?;
    let tree = Tree::of(screen);
    let selected = selector.select(&tree)?;
    let selected = (0..tree.len()).filter(|at| selected[*at]).map(|at| std::ptr::from_ref(tree.element(at))).collect();
    Ok((selected, selector.is_exact()))
}

/// Returns what the platform's own engine selected; none where there is no such engine, and for `:has-text()` of what it does not
/// know, such as roles.
fn native(selector: &str, screen: &Screen) -> Option<Result<HashSet<*const Element>, String>> {
    let is_page = screen.roots.iter().any(|root| root.told.is_some());
    let is_ours = || selector.contains(":has-text(") && Selector::parse(selector).is_ok();
    let keys = match screen.selected.iter().find(|selected| selected.selector == selector) {
        Some(selected) => match &selected.found {
            Ok(keys) if keys.is_empty() && is_ours() => return None,
            Ok(keys) => keys.iter().copied().collect::<HashSet<u64>>(),
            Err(_) if is_ours() => return None,
            Err(error) => return Some(Err(format!("selector `{selector}`: {error}"))),
        },
        None if is_page => return Some(Err(format!("selector `{selector}`: the page was not asked for it"))),
        None => return None,
    };
    let mut chosen = HashSet::new();
    for root in &screen.roots {
        root.walk(&mut |element| {
            if element.key().is_some_and(|key| keys.contains(&key)) {
                chosen.insert(std::ptr::from_ref(element));
            }
        });
    }
    Some(Ok(chosen))
}

/// Tells whether a screen tells of all that a target may mean: on one that is too much to be told whole, only of what a selector alone
/// selects.
pub fn tells_all(target: &Target, screen: &Screen) -> bool {
    let is_told = |selector: &str| {
        let is_alone = Target { selector: None, ..target.clone() } == Target::default();
        // What the platform's engine finds nothing by may be a selector of ours.
        let is_its = |keys: &Vec<u64>| !keys.is_empty() || !selector.contains(":has-text(");
        let mut told = screen.selected.iter().filter(|selected| selected.selector == selector && selected.whole);
        is_alone && told.any(|selected| selected.found.as_ref().is_ok_and(is_its))
    };
    !screen.cut || target.selector.as_deref().is_some_and(is_told)
}

/// Leaves out what is only a part of what another match says, such as the label of a field that is called by it.
fn without_parts(mut matches: Vec<&Element>) -> Vec<&Element> {
    let owners: HashMap<u64, bool> =
        matches.iter().filter_map(|element| Some((element.key()?, element.checkable))).collect();
    matches.retain(|element| {
        let owner = element.told.as_ref().and_then(|told| owners.get(&told.part_of?));
        // A label is no second target, nor are the words in it; the very words of a longer text are the nearer one.
        !owner.is_some_and(|is_box| *is_box || element.class == "label")
    });
    matches
}

/// Tells whether tests call an element so: by an attribute of its own, or on phones by its identifier.
fn has_test_id(element: &Element, test_id: &str) -> bool {
    match &element.told {
        Some(told) => told.test_id == test_id,
        None => element.id == test_id || element.short_id() == test_id,
    }
}

/// Picks the one element to act on; none where nothing matches.
pub fn pick<'a>(
    target: &Target,
    purpose: Purpose,
    screen: &'a Screen,
    refs: Option<&Refs>,
) -> Result<Option<&'a Element>, Error> {
    match choose(target, purpose, screen, refs)? {
        // A touch on what takes no text could do anything.
        Some(element) if purpose == Purpose::Type && !takes_text(element) => {
            let way = if element.class == "select" { ": `select_option` chooses from it" } else { "" };
            let message = format!("{target}: {} takes no text{way}", describe(element));
            Err(Error::new(Kind::NotFound, message).with("code", "NO_FIELD"))
        }
        found => Ok(found),
    }
}

fn choose<'a>(
    target: &Target,
    purpose: Purpose,
    screen: &'a Screen,
    refs: Option<&Refs>,
) -> Result<Option<&'a Element>, Error> {
    let mut matches = matching(target, screen, refs, purpose == Purpose::See && !target.present)?;
    // A ref that was given as a text; what no snapshot told of is a text.
    if matches.is_empty()
        && let Some(text) = target.text.as_deref().filter(|text| *target == Target::text(text))
        && refs.is_some_and(|refs| refs.knows(text))
    {
        matches.push(super::refs::resolve(text, screen, refs)?);
    }
    let anchor = anchor(target, screen, refs)?;
    if let Some(index) = target.index {
        let matches = match anchor {
            Some(anchor) => near::by_distance(matches, anchor).into_iter().map(|(_, element)| element).collect(),
            None => matches,
        };
        return Ok(nth(&matches, index));
    }
    // What cannot be touched is no neighbour of a finger.
    let mut preferred = prefer(target, purpose, &matches, screen);
    if let Some(anchor) = anchor {
        preferred = near::nearest(near::by_distance(preferred, anchor));
    }
    match preferred[..] {
        [] => Ok(None),
        [only] => Ok(Some(only)),
        [first, ..] if matches!(purpose, Purpose::Look | Purpose::See) || target.filter.match_one => Ok(Some(first)),
        ref several => Err(ambiguous(target, several)),
    }
}

pub fn nth<'a>(matches: &[&'a Element], index: i32) -> Option<&'a Element> {
    let length = i32::try_from(matches.len()).ok()?;
    let position = if index < 0 { length + index } else { index };
    usize::try_from(position).ok().and_then(|position| matches.get(position)).copied()
}

fn prefer<'a>(target: &Target, purpose: Purpose, matches: &[&'a Element], screen: &'a Screen) -> Vec<&'a Element> {
    let narrowed: Vec<&Element> = match purpose {
        Purpose::Look | Purpose::See => return matches.to_vec(),
        Purpose::Read => matches.to_vec(),
        Purpose::Touch => {
            let touchable = touchable(screen);
            matches.iter().copied().filter(|element| touchable.contains(&std::ptr::from_ref(*element))).collect()
        }
        Purpose::Type => {
            let that = |test: fn(&Element) -> bool| -> Vec<&Element> {
                matches.iter().copied().filter(|element| test(element)).collect()
            };
            let (fields, others) = (that(fields::is_field), that(takes_text));
            let labels: Vec<&Element> = matches.iter().copied().filter(|label| fields::leads(target, label)).collect();
            match () {
                () if !fields.is_empty() => fields,
                () if !others.is_empty() => others,
                () if labels.len() > MOST_LABELS => Vec::new(),
                () => labels.iter().filter_map(|label| labelled(label, screen)).collect(),
            }
        }
    };
    if narrowed.is_empty() { matches.to_vec() } else { narrowed }
}

#[cfg(test)]
mod tests;
