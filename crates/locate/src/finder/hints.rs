//! A target that was not found → what stands on the screen that could have been meant.

use std::collections::HashSet;

use super::texts::normal;
use super::{Purpose, find_all, pick};
use crate::driver::Screen;
use crate::driver::element::without_glyphs;
use crate::refs::Refs;
use crate::target::{Target, quoted};
use crate::wording::{clip, describe, title};

/// Names that are compared with what was not found, and the longest of them in bytes: an error is not worth seconds.
const MOST_NAMES: usize = 500;
const LONGEST_NAME: usize = 200;

/// Says that what was written otherwise than it was meant is there, and how to write it: a pattern that stands on the screen letter by
/// letter, a text `#name` that no text is and an element has as its id, or a sign of an icon font.
pub fn literally(target: &Target, screen: &Screen, refs: Option<&Refs>) -> Option<String> {
    let is_picture = || target.text.as_deref().and_then(without_glyphs).is_some_and(|told| told.is_empty());
    if screen.page.is_empty() && is_picture() {
        let way = "name it by `id`, `near`, `image` or what else is written on it";
        return Some(format!(
            "the text is a sign of an icon font, of which no one can tell whether it is there: {way}"
        ));
    }
    if let Some(id) = target.text.as_deref().filter(|text| !target.regex && !target.exact && text.starts_with('#')) {
        let by_id = Target { text: None, selector: Some(id.to_owned()), ..target.clone() };
        by_id.check().ok()?;
        let found = *find_all(&by_id, screen, refs).ok()?.first()?;
        let (id, ours) = (quoted(id), describe(found));
        return Some(format!(
            "{ours} has this id, and is written {{selector: {id}}}; {{text: {id}, exact: true}} is a text alone"
        ));
    }
    let text = target.text.as_deref().filter(|_| target.regex)?;
    let escaped = regex::escape(text);
    let literal = Target { text: Some(escaped.clone()), ..target.clone() };
    let found = pick(&literal, Purpose::Look, screen, refs).ok()??;
    let note = "is a regular expression here, which does not match its own letters";
    Some(format!("{} is there, but `{text}` {note}; as a text it is written '{escaped}'", describe(found)))
}

/// Describes an element of the target's text or id that is not the target in another way, such as its role.
pub(crate) fn alike(target: &Target, screen: &Screen) -> Option<String> {
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
pub(crate) fn names_of(role: &str, screen: &Screen) -> Vec<String> {
    let target = Target { role: Some(role.to_owned()), ..Target::default() };
    let found = find_all(&target, screen, None).unwrap_or_default();
    found.iter().map(|element| title(element)).filter(|name| !name.is_empty()).map(clip).collect()
}

/// Returns the texts, or for an id the ids, on the screen that are nearest to what was looked for, nearest first.
pub fn nearest_names(target: &Target, screen: &Screen) -> Vec<String> {
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
