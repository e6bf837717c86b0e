//! Which variables and functions the strings of a file name, checked before anything runs.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::expression::{Argument, ExpressionError, Part, Reach, parse};
use super::functions;
use super::nearest;
use super::node::Node;
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

    pub(super) fn contains(&self, name: &str) -> bool {
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

pub(super) fn argument_parts(argument: &Argument) -> &[Part] {
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

/// Turns a function's refusal into an error at the call.
pub(super) fn refused(refusal: functions::Refusal, reach: Reach) -> ExpressionError {
    ExpressionError { hint: refusal.hint, help: refusal.help, ..ExpressionError::at(reach, refusal.message) }
}
