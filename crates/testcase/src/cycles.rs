//! Variables that need each other, found before anything runs.

use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap};

use super::expression::parse;
use super::known::Known;
use super::parts::{Argument, Part};

/// Most variables that may refer to each other in a chain.
pub(super) const LONGEST_CHAIN: usize = 32;

/// Finds definitions that need themselves, or that need each other in too long a chain.
///
/// Each finding comes with the names in its chain. A definition in `hidden` that names itself means the one it hides.
pub(super) fn cycles<'a>(definitions: &'a Map<String, Value>, hidden: &Known) -> Vec<(Vec<&'a str>, String)> {
    let needs: HashMap<&str, Vec<&str>> =
        definitions.iter().map(|(name, value)| (name.as_str(), needed(name, value, definitions, hidden))).collect();
    let mut search = Search { needs, done: HashMap::new(), trail: Vec::new(), found: Vec::new() };
    definitions.keys().for_each(|name| {
        search.visit(name);
    });
    search.found
}

/// Returns the definitions that a value names.
fn needed<'a>(own: &str, value: &Value, definitions: &'a Map<String, Value>, hidden: &Known) -> Vec<&'a str> {
    let mut names = BTreeSet::new();
    collect(value, &mut names);
    let means_hidden = |name: &str| name == own && hidden.contains(name);
    let found = names.iter().filter(|name| !means_hidden(name));
    found.filter_map(|name| definitions.get_key_value(name).map(|(key, _)| key.as_str())).collect()
}

fn collect(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if text.contains('$') => {
            parse(text).unwrap_or_default().iter().for_each(|part| collect_part(part, names));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
        Value::Object(entries) => entries.values().for_each(|value| collect(value, names)),
        _ => {}
    }
}

fn collect_part(part: &Part, names: &mut BTreeSet<String>) {
    match part {
        Part::Text(_) => {}
        Part::Variable { name, .. } => {
            names.insert(name.clone());
        }
        Part::Formula { source, .. } => names.extend(super::formula::variables(source)),
        Part::Call { arguments, .. } => {
            arguments.iter().flat_map(Argument::parts).for_each(|part| collect_part(part, names));
        }
    }
}

struct Search<'a> {
    needs: HashMap<&'a str, Vec<&'a str>>,
    /// How long the longest chain is that begins with a name.
    done: HashMap<&'a str, usize>,
    trail: Vec<&'a str>,
    found: Vec<(Vec<&'a str>, String)>,
}

impl<'a> Search<'a> {
    fn visit(&mut self, name: &'a str) -> usize {
        if let Some(length) = self.done.get(name) {
            return *length;
        }
        if let Some(start) = self.trail.iter().position(|other| *other == name) {
            let message = cycle(self.trail.iter().copied(), name);
            self.found.push((self.trail[start..].to_vec(), message));
            return 0;
        }
        if self.trail.len() > LONGEST_CHAIN {
            return 0;
        }
        self.trail.push(name);
        let needs = self.needs.get(name).cloned().unwrap_or_default();
        let length = 1 + needs.iter().map(|other| self.visit(other)).max().unwrap_or(0);
        self.trail.pop();
        self.done.insert(name, length);
        if length == LONGEST_CHAIN + 1 {
            let message = format!("more than {LONGEST_CHAIN} variables refer to each other in a chain");
            self.found.push((vec![name], message));
        }
        length
    }
}

/// Says which variables of a trail need each other, beginning with the one that is needed again.
pub(super) fn cycle<'a>(trail: impl Iterator<Item = &'a str>, again: &'a str) -> String {
    let chain: Vec<&str> = trail.skip_while(|name| *name != again).chain([again]).collect();
    if chain.len() == 2 {
        return format!("variable `{again}` refers to itself");
    }
    format!("variables refer to each other: {}", chain.join(" → "))
}
