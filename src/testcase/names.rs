//! Which variables and functions the strings of a file name, checked before anything runs.

use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use super::expression::{Argument, ExpressionError, Part, parse};
use super::functions;
use super::nearest;
use super::node::Node;
use super::scope::{LONGEST_CHAIN, cycle, refused};
use super::source::Source;
use crate::action::Span;

/// The variables that a place of a file sees.
#[derive(Clone, Debug, Default)]
pub(super) struct Known<'a> {
    layers: Vec<Rc<BTreeSet<&'a str>>>,
}

impl<'a> Known<'a> {
    /// Returns what is known where these are known, too.
    #[must_use]
    pub(super) fn with(&self, names: impl IntoIterator<Item = &'a String>) -> Self {
        let names: BTreeSet<&str> = names.into_iter().map(String::as_str).collect();
        let mut known = self.clone();
        known.layers.extend((!names.is_empty()).then(|| Rc::new(names)));
        known
    }

    fn contains(&self, name: &str) -> bool {
        self.layers.iter().any(|layer| layer.contains(name))
    }

    /// Returns the names, those of the innermost place first.
    fn names(&self) -> impl Iterator<Item = &'a str> {
        self.layers.iter().rev().flat_map(|layer| layer.iter().copied())
    }
}

/// Most errors that are kept of one string.
const MOST_ERRORS: usize = 20;

/// Returns what is wrong with a string's expressions: their form, unknown variables, unknown functions, wrong numbers of
/// arguments.
pub(super) fn find_unknown(text: &str, known: &Known<'_>) -> Vec<ExpressionError> {
    match parse(text) {
        Ok(parts) => parts.iter().flat_map(|part| unknown_in(part, known)).take(MOST_ERRORS).collect(),
        Err(error) => vec![error],
    }
}

fn unknown_in(part: &Part, known: &Known<'_>) -> Vec<ExpressionError> {
    match part {
        Part::Text(_) => Vec::new(),
        Part::Variable { name, .. } if known.contains(name) => Vec::new(),
        Part::Variable { name, reach } => {
            let mut error = ExpressionError::at(*reach, format!("unknown variable `{name}`"));
            error.hint = nearest::nearest(name, known.names()).map(|near| format!("did you mean `${near}`?"));
            error.help = Some(known_names(known));
            vec![error]
        }
        Part::Call { name, arguments, reach } => {
            let refusal = functions::check(name, arguments.len()).err();
            let inner = arguments.iter().flat_map(argument_parts).flat_map(|part| unknown_in(part, known));
            refusal.map(|refusal| refused(refusal, *reach)).into_iter().chain(inner).collect()
        }
    }
}

fn argument_parts(argument: &Argument) -> &[Part] {
    match argument {
        Argument::Literal(_) => &[],
        Argument::Parts(parts) => parts,
    }
}

fn known_names(known: &Known<'_>) -> String {
    let some: Vec<&str> = known.names().take(21).collect();
    match some.len() {
        0 => "no variable is defined; write `$$` for a `$` sign".to_owned(),
        21.. => format!("known: {}, …; write `$$` for a `$` sign", some[..20].join(", ")),
        _ => format!("known: {}; write `$$` for a `$` sign", some.join(", ")),
    }
}

/// Returns the place in the file of a part of a string; the whole string where escapes hide it.
pub(super) fn within(source: &Source, node: &Node, text: &str, error: &ExpressionError) -> Span {
    let part: String = text.chars().skip(error.offset).take(error.length).collect();
    let before: String = text.chars().take(error.offset).collect();
    let nth = before.matches(part.as_str()).count();
    let written = source.text.get(node.place.start..node.place.end).unwrap_or_default();
    match written.match_indices(part.as_str()).nth(nth) {
        Some((at, _)) if !part.is_empty() => {
            let start = node.place.start + at;
            source.span(start, start + part.len())
        }
        _ => node.place.span,
    }
}

/// Finds definitions that need themselves, or that need each other in too long a chain.
///
/// Each finding comes with the names in its chain. A definition in `hidden` that names itself means the one it hides.
pub(super) fn cycles<'a>(definitions: &'a Map<String, Value>, hidden: &Known<'_>) -> Vec<(Vec<&'a str>, String)> {
    let needs: HashMap<&str, Vec<&str>> =
        definitions.iter().map(|(name, value)| (name.as_str(), needed(name, value, definitions, hidden))).collect();
    let mut search = Search { needs, done: HashMap::new(), trail: Vec::new(), found: Vec::new() };
    definitions.keys().for_each(|name| {
        search.visit(name);
    });
    search.found
}

/// Returns the definitions that a value names.
fn needed<'a>(own: &str, value: &Value, definitions: &'a Map<String, Value>, hidden: &Known<'_>) -> Vec<&'a str> {
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
        Part::Call { arguments, .. } => {
            arguments.iter().flat_map(argument_parts).for_each(|part| collect_part(part, names));
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
