//! A text or a pattern and elements → those that are called so: to the letter, else but for what a person does not see.

use super::fields::is_field;
use crate::driver::element::{composed, without_glyphs};
use crate::driver::{Element, Screen, Vanished};
use crate::pattern::pattern;
use crate::pixel_elements;
use crate::target::Target;

/// Keeps the lines that were read and say a text but for what recognition confuses.
fn drawn_alike<'a>(text: &str, target: &Target, candidates: &[&'a Element]) -> Vec<&'a Element> {
    if target.regex || (target.exact && !target.forgives) {
        return Vec::new();
    }
    let is_alike = |element: &&Element| {
        pixel_elements::is_line(element) && pixel_elements::reads_as(&element.text, text, target.fuzzy)
    };
    candidates.iter().copied().filter(is_alike).collect()
}

/// Keeps what has a name to the letter; else what has it but for case and spaces.
pub(super) fn called<'a>(
    wanted: &str,
    candidates: &[&'a Element],
    name: impl Fn(&Element) -> &str,
) -> Vec<&'a Element> {
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

/// Keeps what is called so; with `sees` by what a person reads alone.
pub(super) fn with_text<'a>(
    text: &str,
    target: &Target,
    candidates: &[&'a Element],
    sees: bool,
) -> Result<Vec<&'a Element>, String> {
    // By its role and name is how screen readers find something.
    let is_read = |element: &Element, name: &str| {
        !sees || (target.role.is_some() && name == element.label) || element.why_unseen(name).is_none()
    };
    let filter = |test: &dyn Fn(&str) -> bool| -> Vec<&'a Element> {
        let is_called = |element: &&Element| names(element).any(|name| test(name) && is_read(element, name));
        candidates.iter().copied().filter(is_called).collect()
    };
    if target.regex {
        let pattern = pattern(text)?;
        let same = if target.filter.same_text_first { filter(&|name| name == text) } else { Vec::new() };
        let found = if same.is_empty() { filter(&|name| pattern.is_match(name)) } else { same };
        return Ok(if found.is_empty() { of_joined(candidates, |line| pattern.is_match(line)) } else { found });
    }
    let same = filter(&|name| name == text);
    if !same.is_empty() {
        return Ok(same);
    }
    // As an inspector shows the name of what has an icon: with a sign that nobody can read.
    if let Some(told) = without_glyphs(text).filter(|told| !told.is_empty()) {
        return with_text(&told, target, candidates, sees);
    }
    // Spaces around a text are not seen.
    let same = filter(&|name| name.trim() == text.trim());
    if !same.is_empty() && !text.trim().is_empty() {
        return Ok(same);
    }
    let drawn = drawn_alike(text, target, candidates);
    if !drawn.is_empty() {
        return Ok(drawn);
    }
    if target.exact {
        let joined = of_joined(candidates, |line| line == text);
        let lines = || filter(&|name| name.contains('\n') && name.lines().any(|line| line.trim() == text.trim()));
        return Ok(if joined.is_empty() { lines() } else { joined });
    }
    let wanted = normal(text);
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let alike = filter(&|name| normal(name) == wanted);
    if !alike.is_empty() {
        return Ok(alike);
    }
    let is_field = |element: &&Element| {
        is_field(element) && normal(unmarked(&element.label)) == wanted && is_read(element, &element.label)
    };
    let fields: Vec<&Element> = candidates.iter().copied().filter(is_field).collect();
    if !fields.is_empty() {
        return Ok(fields);
    }
    let joined = of_joined(candidates, |line| normal(line) == wanted);
    if !joined.is_empty() {
        return Ok(joined);
    }
    // A line of a longer text of an app.
    let lines = filter(&|name| name.contains('\n') && name.lines().any(|line| normal(line) == wanted));
    if !lines.is_empty() || target.role.is_none() {
        return Ok(lines);
    }
    Ok(candidates.iter().copied().filter(|element| is_named_by_content(element) && holds(element, &wanted)).collect())
}

/// Returns why nobody reads the text that a target gives of an element which is seen otherwise.
pub fn why_unread<'a>(target: &Target, element: &'a Element) -> Option<&'a str> {
    let text = target.text.as_deref()?;
    let pattern = target.regex.then(|| pattern(text).ok()).flatten();
    let is_it =
        |name: &str| pattern.as_ref().map_or_else(|| normal(name) == normal(text), |pattern| pattern.is_match(name));
    let unseen = &element.told.as_ref()?.unseen;
    unseen.iter().find(|(name, _)| is_it(name)).map(|(_, why)| why.as_str())
}

/// Returns what went away a while ago and may be what a target means, as far as that can be told by its text.
pub fn just_gone<'a>(target: &Target, screen: &'a Screen) -> Option<&'a Vanished> {
    let vanished = &screen.notes.vanished;
    let Some(text) = target.text.as_deref() else { return vanished.first() };
    let wanted = normal(text);
    let pattern = target.regex.then(|| pattern(text).ok()).flatten();
    let is_it = |gone: &&Vanished| match &pattern {
        Some(pattern) => pattern.is_match(&gone.text),
        None => normal(&gone.text).contains(&wanted),
    };
    let mut found = vanished.iter().filter(is_it);
    let first = found.next()?;
    Some(if first.is_sudden { first } else { found.find(|gone| gone.is_sudden).unwrap_or(first) })
}

/// Returns what shows such a line that is made of what stands in several elements, where no element says it alone.
fn of_joined<'a>(candidates: &[&'a Element], test: impl Fn(&str) -> bool) -> Vec<&'a Element> {
    let joined = |element: &Element| element.told.iter().flat_map(|told| &told.joined).any(|line| test(line));
    candidates.iter().copied().filter(|element| joined(element)).collect()
}

/// Leaves out of a field's label what says that it must be filled, and the colon behind it.
fn unmarked(label: &str) -> &str {
    label.trim_end_matches([' ', '*', '＊', ':', '：'])
}

/// Tells whether an element is called by what stands in it, as a table's row is.
fn is_named_by_content(element: &Element) -> bool {
    matches!(element.role, "row" | "listitem") && element.name().is_empty()
}

/// Tells whether something in an element is called so.
fn holds(element: &Element, wanted: &str) -> bool {
    let is_called = |child: &Element| names(child).any(|name| normal(name) == wanted) || holds(child, wanted);
    element.children.iter().any(is_called)
}

/// The texts that an element may be called by.
fn names(element: &Element) -> impl Iterator<Item = &str> {
    let also = element.told.iter().flat_map(|told| told.also.iter().map(String::as_str));
    let own = [element.text.as_str(), element.label.as_str(), element.hint.as_str()].into_iter();
    own.filter(|name| !name.is_empty()).chain(also)
}

/// Folds what a person does not see: case, runs of spaces, spaces at the ends, marks of a text's direction, and whether é is one
/// sign or e with an accent.
pub(crate) fn normal(text: &str) -> String {
    let spaced = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    if text.is_ascii() {
        return spaced(text);
    }
    let seen = seen(text);
    // Through capitals, since some small letters have no capital of their own: ß is SS, ﬁ is FI.
    let folded = spaced(&seen.to_uppercase());
    composed(&folded).into_owned()
}

/// Leaves out of a text what a person does not see in it, such as that no line is to break at a space.
pub fn seen(text: &str) -> String {
    let plain = |sign: char| if matches!(sign, '\u{a0}' | '\u{202f}') { ' ' } else { sign };
    text.chars().filter(|sign| !is_unseen(*sign)).map(plain).collect()
}

/// Marks of a text's direction, spaces of no width and hyphens of a line's end; signs that join emoji are none of them.
fn is_unseen(sign: char) -> bool {
    matches!(sign, '\u{ad}' | '\u{2060}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{61c}')
}
