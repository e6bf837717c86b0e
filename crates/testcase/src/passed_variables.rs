//! Variables that a step hands to the case that it refers to and that nothing there mentions: mistyped names, which would
//! otherwise do nothing.

use std::collections::BTreeSet;

use super::case::{Body, Step, TestCase};
use super::command_line_variables::{defined, mentions};
use super::error::Error;
use super::library::Loaded;
use super::nearest;
use super::node::{Data, Entry, Node};
use super::reader::Reader;
use super::texts::Kept;

/// Most names that an error lists.
const MAX: usize = 20;

/// Reports the variables of a step that refers to a case, where neither the step nor any file of that case mentions them.
///
/// Where variables or their use come from Python, nothing is known and nothing is said.
pub(super) fn check(reader: &mut Reader<'_>, node: &Node, step: &Step) {
    let Body::Case(case) = &step.body else { return };
    if case.tool.is_some() {
        return;
    }
    let Some(variables) = node.entry("variables").filter(|_| step.variables_from.is_none()) else { return };
    let cases = case.cases();
    if reader.about.functions.is_some() || cases.iter().any(|case| is_unknowable(case)) {
        return;
    }
    let is_file = node.entry("testcase").is_some_and(|entry| matches!(entry.value.data, Data::Str(_)));
    let setting = reader.setting.filter(|_| is_file);
    let loaded = setting.and_then(|setting| setting.library.known(&case.path));
    let texts = match loaded.as_deref() {
        Some(Ok(loaded)) => &loaded.texts,
        _ => &reader.texts,
    };
    let mentioned = |name: &str| {
        in_step(node, name)
            || texts.values().any(|tree| tree.as_ref().as_ref().is_ok_and(|tree| mentions(&tree.source.text, name)))
            || cases.iter().any(|case| case.project.variables.values().any(|value| mentions(&value.to_string(), name)))
    };
    let lost: Vec<&Entry> = entries(&variables.value).filter(|entry| !mentioned(&entry.key)).collect();
    let valid: BTreeSet<&str> = cases.iter().flat_map(|case| defined(case)).map(String::as_str).collect();
    let valid: BTreeSet<&str> = valid.into_iter().chain(loaded.iter().flat_map(wanted)).collect();
    let listed: Vec<&str> = valid.iter().copied().take(MAX).collect();
    for entry in lost {
        let message = format!("the testcase that this step refers to mentions no variable `{}`", entry.key);
        let help = (!listed.is_empty()).then(|| format!("it has: {}", listed.join(", ")));
        let hint = nearest::hint(&entry.key, valid.iter().copied());
        reader.report(Error::at(reader.source, entry.place.span, message).with_hint(hint).with_help(help));
    }
}

/// Returns the names that a case leaves to whoever refers to it.
fn wanted(loaded: &Kept<Loaded>) -> impl Iterator<Item = &str> {
    loaded.as_ref().iter().flat_map(|loaded| loaded.wanted.iter().map(|(name, _)| name.as_str()))
}

fn is_unknowable(case: &TestCase) -> bool {
    case.config.variables_from.is_some() || case.functions.is_some()
}

/// Returns the definitions of a map, or of a list of maps.
fn entries(node: &Node) -> impl Iterator<Item = &Entry> {
    let maps: &[Node] = match &node.data {
        Data::Seq(items) => items,
        _ => std::slice::from_ref(node),
    };
    maps.iter().flat_map(|map| match &map.data {
        Data::Map(entries) => entries.as_slice(),
        _ => &[],
    })
}

/// Tells whether a step mentions a name elsewhere than where it gives it a value.
fn in_step(step: &Node, name: &str) -> bool {
    let Data::Map(all) = &step.data else { return false };
    all.iter().any(|entry| match entry.key.as_str() {
        "variables" => entries(&entry.value).any(|variable| in_value(&variable.value, name)),
        _ => in_value(&entry.value, name),
    })
}

fn in_value(node: &Node, name: &str) -> bool {
    match &node.data {
        Data::Str(text) => mentions(text, name),
        Data::Seq(items) => items.iter().any(|item| in_value(item, name)),
        Data::Map(entries) => entries.iter().any(|entry| mentions(&entry.key, name) || in_value(&entry.value, name)),
        _ => false,
    }
}
