//! A target and a screen → the elements that are meant, or why none is. Pure: it looks at one screen, and never waits.

use std::borrow::Cow;
use std::collections::HashSet;

use regex::Regex;
use serde_json::{Value, json};

use super::refs::Refs;
use super::selector::Selector;
use super::target::Target;
use super::tree::Tree;
use super::{Error, Kind, description, near};
use crate::driver::element::composed;
use crate::driver::{Element, Screen};

/// Names that are compared with what was not found, and the longest of them in bytes: an error is not worth seconds.
const MOST_NAMES: usize = 500;
const LONGEST_NAME: usize = 200;

/// Labels that are led to their fields; more of them mean no single field.
const MOST_LABELS: usize = 50;

/// Marks, in an error's details, that what a ref stood for is certainly not there.
pub(super) const GONE: &str = "gone";

/// Marks, in an error's details, that what the target stands in is not there.
pub(super) const NO_CONTAINER: &str = "no_container";

/// What the caller wants to do with the element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// It only needs to be there; several are as good as one.
    Look,
    /// Its text is wanted, so that it must be the only one.
    Read,
    /// It is to be touched: what can be touched is meant before what cannot.
    Touch,
    /// It is to be typed into: a text field is meant before its label.
    Type,
}

impl Purpose {
    /// Tells whether a finger goes to the element.
    pub(super) fn touches(self) -> bool {
        matches!(self, Self::Touch | Self::Type)
    }
}

/// Compiles a pattern of `regex: true`; it is found anywhere in a text.
pub(super) fn pattern(text: &str) -> Result<Regex, String> {
    regex::RegexBuilder::new(text).size_limit(1 << 20).build().map_err(|error| {
        let reason = error.to_string();
        format!(
            "`{text}` is not a regular expression: {}; as a text it is written '{}'",
            reason.lines().last().unwrap_or_default().trim_start_matches("error: "),
            regex::escape(text)
        )
    })
}

/// Compiles a pattern of an assertion, which must be able to fail: what fits nothing at all and anything else is refused.
pub(super) fn telling_pattern(text: &str) -> Result<Regex, String> {
    let pattern = pattern(text)?;
    if pattern.is_match("") && pattern.is_match("\u{a4}") {
        return Err(format!("`{text}` is satisfied by any text, even an empty one: say what must be in it"));
    }
    Ok(pattern)
}

/// Finds every element that the target names, in reading order; empty where none is. With `near`, those that are nearest.
pub(super) fn find_all<'a>(
    target: &Target,
    screen: &'a Screen,
    refs: Option<&Refs>,
) -> Result<Vec<&'a Element>, Error> {
    let matches = matching(target, screen, refs)?;
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
fn matching<'a>(target: &Target, screen: &'a Screen, refs: Option<&Refs>) -> Result<Vec<&'a Element>, Error> {
    narrow(target, candidates(target, screen, refs)?, screen, refs)
}

/// Returns everything on the screen, or in what the target stands in.
fn candidates<'a>(target: &Target, screen: &'a Screen, refs: Option<&Refs>) -> Result<Vec<&'a Element>, Error> {
    // Nothing stands in itself.
    let roots = match &target.within {
        None => &screen.roots,
        Some(within) => &container(target, &within.0, "what it stands in", screen, refs)?.children,
    };
    let whole = screen.bounds();
    let mut candidates = Vec::new();
    for root in roots {
        root.walk(&mut |element| {
            // Of a page all is there, and what lies further down is brought into view when it is to be touched.
            if element.told.is_some() || !element.rect.intersect(&whole).is_empty() {
                candidates.push(element);
            }
        });
    }
    Ok(candidates)
}

/// Returns how certain it is, from 0 to 1, that a target's description means this element.
pub(super) fn confidence(target: &Target, element: &Element, screen: &Screen, refs: Option<&Refs>) -> Option<f64> {
    let candidates = candidates(target, screen, refs).ok()?;
    description::find(target.description.as_deref()?, &candidates, screen).ok()?.confidence(element)
}

/// Finds the one element that a target names, such as the part of the screen that is asked for.
pub(super) fn only<'a>(target: &Target, screen: &'a Screen, refs: Option<&Refs>) -> Result<&'a Element, Error> {
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
    match found[..] {
        [only] => Ok(only),
        [] => {
            let message = format!("{target}: {how}, {within}, is not there");
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
) -> Result<Vec<&'a Element>, Error> {
    let bad = |message: String| Error::new(Kind::BadArgument, message);
    if let Some(reference) = &target.reference {
        let element = super::refs::resolve(reference, screen, refs)?;
        candidates.retain(|candidate| std::ptr::eq(*candidate, element));
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
        candidates = with_text(text, target, &candidates).map_err(bad)?;
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

/// Returns what the platform's own engine selected; none where there is no such engine, and for `:has-text()`, which is ours.
fn native(selector: &str, screen: &Screen) -> Option<Result<HashSet<*const Element>, String>> {
    let is_page = screen.roots.iter().any(|root| root.told.is_some());
    let keys = match screen.selected.iter().find(|selected| selected.selector == selector) {
        Some(selected) => match &selected.found {
            Ok(keys) => keys.iter().copied().collect::<HashSet<u64>>(),
            Err(_) if selector.contains(":has-text(") && Selector::parse(selector).is_ok() => return None,
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

/// Leaves out what is only a part of what another match says, such as the label of a field that is called by it.
fn without_parts(mut matches: Vec<&Element>) -> Vec<&Element> {
    let keys: HashSet<u64> = matches.iter().filter_map(|element| element.key()).collect();
    let owner = |element: &Element| element.told.as_ref().and_then(|told| told.part_of);
    matches.retain(|element| {
        // A label is no second target; the very words of a longer text are the nearer one.
        !(element.class == "label" && owner(element).is_some_and(|owner| keys.contains(&owner)))
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

/// Keeps what has a name to the letter; else what has it but for case and spaces.
fn called<'a>(wanted: &str, candidates: &[&'a Element], name: impl Fn(&Element) -> &str) -> Vec<&'a Element> {
    let filter = |test: &dyn Fn(&str) -> bool| -> Vec<&'a Element> {
        candidates.iter().copied().filter(|element| !name(element).is_empty() && test(name(element))).collect()
    };
    let same = filter(&|name| name == wanted);
    if !same.is_empty() {
        return same;
    }
    let wanted = normal(wanted);
    filter(&|name| normal(name) == wanted)
}

/// Keeps what is labelled so; where nothing is, the fields beside or below that text.
fn labelled_as<'a>(wanted: &str, candidates: &[&'a Element], screen: &'a Screen) -> Vec<&'a Element> {
    let found = called(wanted, candidates, |element| &element.label);
    if !found.is_empty() {
        return found;
    }
    let labels = called(wanted, candidates, |element| if takes_text(element) { "" } else { &element.text });
    let fields: Vec<&Element> = labels.iter().take(MOST_LABELS).filter_map(|label| labelled(label, screen)).collect();
    candidates.iter().copied().filter(|candidate| fields.iter().any(|field| std::ptr::eq(*field, *candidate))).collect()
}

fn with_text<'a>(text: &str, target: &Target, candidates: &[&'a Element]) -> Result<Vec<&'a Element>, String> {
    let filter = |test: &dyn Fn(&str) -> bool| -> Vec<&'a Element> {
        candidates.iter().copied().filter(|element| names(element).any(test)).collect()
    };
    if target.regex {
        let pattern = pattern(text)?;
        let same = if target.filter.same_text_first { filter(&|name| name == text) } else { Vec::new() };
        return Ok(if same.is_empty() { filter(&|name| pattern.is_match(name)) } else { same });
    }
    let same = filter(&|name| name == text);
    if target.exact || !same.is_empty() {
        return Ok(same);
    }
    let wanted = normal(text);
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    Ok(filter(&|name| normal(name) == wanted))
}

/// Says that a pattern which matches nothing stands on the screen letter by letter, and how to write it as a text.
pub(super) fn literally(target: &Target, screen: &Screen, refs: Option<&Refs>) -> Option<String> {
    let text = target.text.as_deref().filter(|_| target.regex)?;
    let escaped = regex::escape(text);
    let literal = Target { text: Some(escaped.clone()), ..target.clone() };
    let found = pick(&literal, Purpose::Look, screen, refs).ok()??;
    let note = "is a regular expression here, which does not match its own letters";
    Some(format!("{} is there, but `{text}` {note}; as a text it is written '{escaped}'", describe(found)))
}

/// The texts that an element may be called by.
fn names(element: &Element) -> impl Iterator<Item = &str> {
    [element.text.as_str(), element.label.as_str(), element.hint.as_str()].into_iter().filter(|name| !name.is_empty())
}

/// Folds what a person does not see: case, runs of spaces, spaces at the ends, marks of a text's direction, and whether é is one
/// sign or e with an accent.
pub(super) fn normal(text: &str) -> String {
    let spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    if text.is_ascii() {
        return spaced(text);
    }
    let seen: String = text.chars().filter(|sign| !is_unseen(*sign)).collect();
    // Through capitals, since some small letters have no capital of their own: ß is SS, ﬁ is FI.
    let folded = spaced(&seen.to_uppercase());
    composed(&folded).into_owned()
}

/// Marks of a text's direction, and spaces of no width; those that join emoji are none.
fn is_unseen(sign: char) -> bool {
    matches!(sign, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{61c}')
}

/// Leaves out what merely contains another match: a card labelled like the button in it is not a second target.
pub(super) fn innermost<'a>(matches: Vec<&'a Element>, screen: &'a Screen) -> Vec<&'a Element> {
    /// Marks matches that have another match below them; tells whether there is a match in `element`.
    fn visit(element: &Element, matches: &HashSet<*const Element>, outer: &mut HashSet<*const Element>) -> bool {
        let below = element.children.iter().filter(|child| visit(child, matches, outer)).count() > 0;
        let matched = matches.contains(&std::ptr::from_ref(element));
        if matched && below {
            outer.insert(std::ptr::from_ref(element));
        }
        matched || below
    }
    if matches.len() < 2 {
        return matches;
    }
    let set: HashSet<*const Element> = matches.iter().map(|element| std::ptr::from_ref(*element)).collect();
    let mut outer = HashSet::new();
    for root in &screen.roots {
        visit(root, &set, &mut outer);
    }
    matches.into_iter().filter(|element| !outer.contains(&std::ptr::from_ref(*element))).collect()
}

/// Picks the one element to act on; none where nothing matches.
pub(super) fn pick<'a>(
    target: &Target,
    purpose: Purpose,
    screen: &'a Screen,
    refs: Option<&Refs>,
) -> Result<Option<&'a Element>, Error> {
    match choose(target, purpose, screen, refs)? {
        // A touch on what takes no text could do anything.
        Some(element) if purpose == Purpose::Type && !takes_text(element) => {
            let message = format!("{target}: {} takes no text", describe(element));
            Err(Error::new(Kind::NotFound, message).with("code", "NO_FIELD"))
        }
        found => Ok(found),
    }
}

/// Tells whether an element can be typed into.
pub(super) fn takes_text(element: &Element) -> bool {
    matches!(element.role, "textfield" | "combobox" | "webview")
}

fn choose<'a>(
    target: &Target,
    purpose: Purpose,
    screen: &'a Screen,
    refs: Option<&Refs>,
) -> Result<Option<&'a Element>, Error> {
    let matches = matching(target, screen, refs)?;
    let anchor = anchor(target, screen, refs)?;
    if let Some(index) = target.index {
        let matches = match anchor {
            Some(anchor) => near::by_distance(matches, anchor).into_iter().map(|(_, element)| element).collect(),
            None => matches,
        };
        return Ok(nth(&matches, index));
    }
    // What cannot be touched is no neighbour of a finger.
    let mut preferred = prefer(purpose, &matches, screen);
    if let Some(anchor) = anchor {
        preferred = near::nearest(near::by_distance(preferred, anchor));
    }
    match preferred[..] {
        [] => Ok(None),
        [only] => Ok(Some(only)),
        [first, ..] if purpose == Purpose::Look || target.filter.match_one => Ok(Some(first)),
        ref several => Err(ambiguous(target, several)),
    }
}

pub(super) fn nth<'a>(matches: &[&'a Element], index: i32) -> Option<&'a Element> {
    let length = i32::try_from(matches.len()).ok()?;
    let position = if index < 0 { length + index } else { index };
    usize::try_from(position).ok().and_then(|position| matches.get(position)).copied()
}

fn prefer<'a>(purpose: Purpose, matches: &[&'a Element], screen: &'a Screen) -> Vec<&'a Element> {
    let narrowed: Vec<&Element> = match purpose {
        Purpose::Look => return matches.to_vec(),
        Purpose::Read => matches.to_vec(),
        Purpose::Touch => {
            let touchable = touchable(screen);
            matches.iter().copied().filter(|element| touchable.contains(&std::ptr::from_ref(*element))).collect()
        }
        Purpose::Type => {
            let fields: Vec<&Element> = matches.iter().copied().filter(|element| element.role == "textfield").collect();
            if fields.is_empty() && matches.len() <= MOST_LABELS {
                matches.iter().filter_map(|label| labelled(label, screen)).collect()
            } else {
                fields
            }
        }
    };
    if narrowed.is_empty() { matches.to_vec() } else { narrowed }
}

/// Returns what does something when it is touched: what takes clicks, or stands in what does.
pub(super) fn touchable(screen: &Screen) -> HashSet<*const Element> {
    fn visit(element: &Element, above: bool, found: &mut HashSet<*const Element>) {
        let clickable = above || element.clickable;
        if clickable {
            found.insert(std::ptr::from_ref(element));
        }
        element.children.iter().for_each(|child| visit(child, clickable, found));
    }
    let mut found = HashSet::new();
    screen.roots.iter().for_each(|root| visit(root, false, &mut found));
    found
}

/// Finds the text field that a label names: the nearest one right of it or below it.
fn labelled<'a>(label: &Element, screen: &'a Screen) -> Option<&'a Element> {
    let mut fields = Vec::new();
    for root in &screen.roots {
        root.walk(&mut |element| {
            if element.role == "textfield" && !element.rect.is_empty() {
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

fn ambiguous(target: &Target, several: &[&Element]) -> Error {
    let listed: Vec<String> = several.iter().take(6).map(|element| describe(element)).collect();
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

/// Describes an element in a few words: `button "Save" #ok`.
pub(super) fn describe(element: &Element) -> String {
    let mut text = element.role.to_owned();
    let name = title(element);
    if !name.is_empty() {
        text.push_str(&format!(" {}", quoted(name)));
    }
    if !element.id.is_empty() {
        text.push_str(&format!(" #{}", plain_id(element)));
    }
    text
}

/// Writes a text between quotation marks, in one line and so that none of its own looks like their end.
pub(super) fn quoted(text: &str) -> String {
    let short = clip(text);
    if !short.contains(['"', '\\']) {
        return format!("\"{short}\"");
    }
    format!("\"{}\"", short.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns an element's identifier as a word that stands by itself: pages may write anything into it.
pub(super) fn plain_id(element: &Element) -> Cow<'_, str> {
    let id = element.short_id();
    let is_plain = |sign: char| !sign.is_whitespace() && !sign.is_control() && !matches!(sign, '"' | '\\');
    if id.chars().all(is_plain) && id.chars().count() <= 80 { Cow::Borrowed(id) } else { Cow::Owned(quoted(id)) }
}

/// Tells whether what an element shows is what it is set to, and its label says what that is: a field, a list to choose from.
pub(super) fn holds_value(element: &Element) -> bool {
    let is_set = matches!(element.role, "combobox" | "slider" | "progress" | "switch");
    element.role == "textfield" || is_set && !element.label.is_empty() && !element.text.is_empty()
}

/// Returns what an element is called: a field by its label or hint, not by what was typed into it.
fn title(element: &Element) -> &str {
    let own = [element.label.as_str(), element.hint.as_str()].into_iter().find(|name| !name.is_empty());
    match (element.role, own) {
        ("textfield", Some(name)) => name,
        (_, Some(name)) if holds_value(element) => name,
        ("textfield", None) if element.password => "",
        _ => element.name(),
    }
}

/// Shortens a text to what is worth reading in one line.
pub(super) fn clip(text: &str) -> String {
    // Whatever ends a line somewhere, or moves a cursor.
    let line = text.replace(|sign: char| sign.is_control() || matches!(sign, '\u{2028}' | '\u{2029}'), " ");
    if line.chars().count() <= 80 { line } else { line.chars().take(79).chain(['…']).collect() }
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

/// Describes an element of the target's text or id that is not the target in another way, such as its role.
pub(super) fn alike(target: &Target, screen: &Screen) -> Option<String> {
    let name = Target {
        text: target.text.clone(),
        id: if target.text.is_none() { target.id.clone() } else { None },
        regex: target.regex,
        ..Target::default()
    };
    name.check().ok()?;
    let found = find_all(&name, screen, None).ok()?;
    found.first().map(|element| describe(element))
}

/// Returns the names of what has a role, from top to bottom; what has no name counts for nothing.
pub(super) fn names_of(role: &str, screen: &Screen) -> Vec<String> {
    let target = Target { role: Some(role.to_owned()), ..Target::default() };
    let found = find_all(&target, screen, None).unwrap_or_default();
    found.iter().map(|element| title(element)).filter(|name| !name.is_empty()).map(clip).collect()
}

/// Returns the texts, or for an id the ids, on the screen that are nearest to what was looked for, nearest first.
pub(super) fn nearest_names(target: &Target, screen: &Screen) -> Vec<String> {
    let Some(wanted) = target.text.as_deref().or(target.id.as_deref()) else { return Vec::new() };
    let by_id = target.text.is_none();
    let mut seen = HashSet::new();
    let mut names = Vec::new();
    for root in &screen.roots {
        root.walk(&mut |element| {
            let name = if by_id { element.short_id() } else { element.name() };
            let counts = !name.is_empty() && name.len() <= LONGEST_NAME && !element.rect.is_empty();
            if names.len() < MOST_NAMES && counts && seen.insert(name) {
                names.push(name);
            }
        });
    }
    let wanted: String = normal(wanted).chars().take(LONGEST_NAME).collect();
    let score = |name: &str| strsim::normalized_damerau_levenshtein(&wanted, &normal(name));
    let mut scored: Vec<(f64, &str)> = names.into_iter().map(|name| (score(name), name)).collect();
    scored.retain(|(score, _)| *score >= 0.4);
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    scored.into_iter().take(3).map(|(_, name)| clip(name)).collect()
}

#[cfg(test)]
mod tests;
