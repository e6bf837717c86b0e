//! A target that is not on a screen → the targets that may be meant instead, best first, each held against the screen to mean one
//! element only. Pure: one screen, no further look, no model.

mod likeness;
mod written;

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Value, json};

use likeness::Likeness;
use written::written;

use super::finder::{self, Purpose, pick, takes_text};
use super::naming::{contains, short_target};
use super::pixel_elements::{self, Source};
use super::target::Target;
use super::tree::{Tree, touchable};
use super::{Error, Kind, Object, description, naming, screen_power, visibility};
use crate::driver::{Element, Screen};

/// The field of a failure's details that holds them.
pub const SUGGESTIONS: &str = "suggestions";

/// How much an element must be alike to be suggested.
const LEAST: f64 = 0.6;
/// What is so much worse than the best is none beside it.
const SPREAD: f64 = 0.25;
/// How many are suggested.
const MOST: usize = 3;
/// How many are tried to be named: each name is a look through the whole screen.
const NAMED: usize = 6;
/// How many elements are compared.
const COMPARED: usize = 10_000;

/// A part of a selector that names an element: `#user`, or a text in quotes behind an attribute.
static PARTS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"#([A-Za-z][\w-]*)|([\w-]*)\(?\)?\s*[~^$*]?[=,(]\s*["']([^"']+)["']"#).ok());

/// Adds what may be meant to the error of a target that is not there.
pub fn add(error: Error, target: &Target, purpose: Purpose, screen: &Screen) -> Error {
    // What is there and not seen, or stands in what is not there, is found by no other name.
    let is_plain =
        ["hidden", "unseen", "code", finder::NO_CONTAINER].iter().all(|key| !error.details.contains_key(*key));
    if error.kind != Kind::NotFound || !is_plain || screen_power::is_blank(screen) {
        return error;
    }
    let suggestions = of(target, purpose, screen);
    if suggestions.is_empty() { error } else { error.with(SUGGESTIONS, suggestions) }
}

/// Returns what may be meant: `{target, score, why}`, best first.
fn of(target: &Target, purpose: Purpose, screen: &Screen) -> Vec<Value> {
    let Some(wanted) = Wanted::of(target, purpose) else { return Vec::new() };
    let ranked = ranked(&wanted, screen);
    let best = ranked.first().map_or(0.0, |(_, likeness)| likeness.score);
    let mut given: Vec<(&Element, Object)> = Vec::new();
    let mut suggestions = Vec::new();
    for (element, likeness) in ranked.into_iter().take_while(|(_, other)| other.score >= best - SPREAD).take(NAMED) {
        // A card and the button in it are not two things to a finger.
        let is_same = |other: &Element| contains(other, element) || contains(element, other);
        if purpose.touches() && given.iter().any(|(other, _)| is_same(other)) {
            continue;
        }
        let Some(name) = named(&wanted, element, screen).filter(|name| given.iter().all(|(_, other)| other != name))
        else {
            continue;
        };
        suggestions
            .push(json!({"target": short_target(&name), "score": hundredths(likeness.score), "why": likeness.why}));
        given.push((element, name));
        if suggestions.len() == MOST {
            break;
        }
    }
    suggestions
}

/// What was looked for, as far as elements can be compared with it.
struct Wanted<'a> {
    target: &'a Target,
    purpose: Purpose,
    text: Option<String>,
    id: Option<String>,
    role: Option<&'static str>,
}

impl<'a> Wanted<'a> {
    /// Takes a target apart; none where it names nothing that could be spelled otherwise.
    fn of(target: &'a Target, purpose: Purpose) -> Option<Self> {
        let is_other = target.reference.is_some() || target.image.is_some() || target.control.is_some();
        if is_other || target.source == Some(Source::Pixels) {
            return None;
        }
        let texts = [&target.text, &target.label, &target.placeholder, &target.description];
        let text = texts.into_iter().flatten().next().cloned();
        let id = target.id.as_ref().or(target.test_id.as_ref()).map(|id| bare_id(id).to_owned());
        let (text, id) = match &target.selector {
            Some(selector) if text.is_none() && id.is_none() => parts(selector),
            _ => (text, id),
        };
        let role = target.role.as_deref().and_then(|role| super::role::of(role).ok());
        (text.is_some() || id.is_some()).then_some(Self { target, purpose, text, id, role })
    }
}

/// Returns the text and the id that a selector names.
fn parts(selector: &str) -> (Option<String>, Option<String>) {
    let (mut text, mut id) = (None, None);
    for found in PARTS.as_ref().into_iter().flat_map(|parts| parts.captures_iter(selector)) {
        let group = |number| found.get(number).map(|part| part.as_str().to_owned());
        match (group(1), group(2), group(3)) {
            (Some(name), ..) => id = Some(name),
            (_, Some(name), Some(value)) if matches!(name.as_str(), "id" | "resource-id" | "data-testid") => {
                id = Some(bare_id(&value).to_owned());
            }
            (.., Some(value)) => text = Some(value),
            _ => {}
        }
    }
    (text, id)
}

fn bare_id(id: &str) -> &str {
    id.rsplit_once('/').map_or(id, |(_, short)| short)
}

/// Returns the elements that are alike, best first; equals in reading order.
fn ranked<'a>(wanted: &Wanted<'_>, screen: &'a Screen) -> Vec<(&'a Element, Likeness)> {
    let tree = Tree::of(screen);
    let (hidden, touchable) = (visibility::hidden(screen), touchable(screen));
    let labels: HashMap<usize, Vec<&str>> = description::labels_of_all(&tree).into_iter().collect();
    let anchor = wanted.target.within.as_ref().and_then(|within| finder::only(&within.0, screen, None).ok());
    let mut texts = HashMap::new();
    let mut ranked = Vec::new();
    for at in 0..tree.len().min(COMPARED) {
        let element = tree.element(at);
        let key = std::ptr::from_ref(element);
        let is_told_hidden = element.told.as_ref().is_some_and(|told| !told.hidden.is_empty());
        let is_seen = !hidden.contains_key(&key) && !is_told_hidden && !element.rect.is_empty();
        if !is_seen || pixel_elements::is_control(element) {
            continue;
        }
        if wanted.purpose == Purpose::Type && !takes_text(element) {
            continue;
        }
        let labels = labels.get(&at).map_or(&[][..], Vec::as_slice);
        let Some(mut likeness) = by_name(wanted, element, labels, &mut texts) else { continue };
        // What is drawn does not tell whether it takes touches.
        if wanted.purpose == Purpose::Touch && !touchable.contains(&key) && !pixel_elements::is_by_pixels(element) {
            likeness = likeness.times(0.8);
        }
        if let Some(role) = wanted.role {
            match role == element.role {
                true => likeness.why.insert_str(0, "same role, "),
                false => likeness = likeness.times(0.85),
            }
        }
        if let Some(anchor) = anchor {
            match contains(anchor, element) {
                true => likeness.why.push_str(", in the same place"),
                false => likeness = likeness.times(0.8),
            }
        }
        if !wanted.target.filter.holds(element.rect, screen.size) {
            likeness = likeness.times(0.8);
        }
        if likeness.score >= LEAST {
            ranked.push((element, likeness));
        }
    }
    ranked.sort_by(|(_, one), (_, other)| other.score.total_cmp(&one.score));
    ranked
}

/// Compares an element's names with what was looked for; a field is never called by what was typed into it.
fn by_name<'a>(
    wanted: &Wanted<'_>,
    element: &'a Element,
    labels: &[&'a str],
    texts: &mut HashMap<&'a str, Option<Likeness>>,
) -> Option<Likeness> {
    let text = if element.role == "textfield" { "" } else { element.text.as_str() };
    let names = [text, element.label.as_str(), element.hint.as_str()].into_iter().chain(labels.iter().copied());
    let mut found: Vec<Likeness> = Vec::new();
    if let Some(wanted) = &wanted.text {
        found.extend(
            names
                .clone()
                .filter_map(|name| texts.entry(name).or_insert_with(|| likeness::of_texts(wanted, name)).clone()),
        );
        found.extend(likeness::of_text_and_id(wanted, element.short_id()));
    }
    if let Some(wanted) = &wanted.id {
        let test_id = element.told.as_ref().map_or("", |told| told.test_id.as_str());
        found.extend([element.short_id(), test_id].into_iter().filter_map(|id| likeness::of_ids(wanted, id)));
        found.extend(names.filter_map(|name| likeness::of_text_and_id(name, wanted)));
    }
    found.into_iter().max_by(|one, other| one.score.total_cmp(&other.score))
}

/// Returns the target that means an element: as it was written but for the name that changed, where that means it, else its own.
fn named(wanted: &Wanted<'_>, element: &Element, screen: &Screen) -> Option<Object> {
    let Wanted { target, purpose, .. } = *wanted;
    let text = target.text.as_ref().filter(|_| element.role != "textfield" || !element.name().is_empty()).map(|_| {
        let name = if element.role == "textfield" { field_name(element) } else { element.name() };
        if target.regex { regex::escape(name) } else { name.to_owned() }
    });
    let text = text.filter(|text| !text.trim().is_empty());
    let id = target.id.as_ref().filter(|_| naming::is_telling(&element.id)).map(|_| element.short_id().to_owned());
    let changed = [
        text.clone().map(|text| Target { text: Some(text), ..target.clone() }),
        id.clone().map(|id| Target { id: Some(id), ..target.clone() }),
        text.zip(id).map(|(text, id)| Target { text: Some(text), id: Some(id), ..target.clone() }),
    ];
    let only = if purpose == Purpose::Look { Purpose::Read } else { purpose };
    let means = |target: &Target| {
        target.check().is_ok()
            && pick(target, only, screen, None)
                .is_ok_and(|found| found.is_some_and(|found| std::ptr::eq(found, element)))
    };
    let kept = changed.into_iter().flatten().find(means).map(|target| written(&target));
    kept.or_else(|| naming::target(element, screen, purpose))
}

/// Returns what a field is called, which is never what was typed into it.
fn field_name(element: &Element) -> &str {
    if element.label.is_empty() { &element.hint } else { &element.label }
}

fn hundredths(score: f64) -> f64 {
    (score * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests;
