//! Which variables and functions the strings of a file name, checked before anything runs.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use super::expression::{Argument, ExpressionError, Part, Reach, parse};
use super::nearest;
use super::node::Node;
use super::source::Source;
use super::{formula, functions};
use crate::action::Span;
use uixt_core::functions::Names;

/// The variables and Python functions that a place of a file sees.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    layers: Vec<Rc<BTreeSet<String>>>,
    functions: Option<Arc<Names>>,
    /// Whether there may be any other variable.
    is_open: bool,
}

impl Known {
    /// Returns what is known where these are known, too.
    #[must_use]
    pub(super) fn with(&self, names: impl IntoIterator<Item = String>) -> Self {
        let names: BTreeSet<String> = names.into_iter().filter(|name| !self.contains(name)).collect();
        let mut known = self.clone();
        known.layers.extend((!names.is_empty()).then(|| Rc::new(names)));
        known
    }

    /// Returns what is known where these functions can be called.
    #[must_use]
    pub(super) fn with_functions(mut self, functions: Option<Arc<Names>>) -> Self {
        self.functions = functions;
        self
    }

    /// Returns what is known where an expression defines variables that nobody knows yet.
    #[must_use]
    pub(super) fn opened(mut self, is_open: bool) -> Self {
        self.is_open |= is_open;
        self
    }

    /// Returns what is known for certain.
    #[must_use]
    pub(super) fn closed(&self) -> Self {
        Known { is_open: false, ..self.clone() }
    }

    /// Tells whether there may be such a variable.
    pub(super) fn may_have(&self, name: &str) -> bool {
        self.is_open || self.contains(name)
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.layers.iter().any(|layer| layer.contains(name))
    }

    /// Returns the names, those of the innermost place first.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.layers.iter().rev().flat_map(|layer| layer.iter().map(String::as_str))
    }
}

/// Most errors that are kept of one string.
const MOST_ERRORS: usize = 20;

/// Returns what is wrong with a string's expressions: their form, unknown variables, unknown functions, wrong numbers of
/// arguments.
pub(super) fn find_unknown(text: &str, known: &Known) -> Vec<ExpressionError> {
    if let Some(error) = template(text, known) {
        return vec![error];
    }
    match parse(text) {
        Ok(parts) => parts.iter().flat_map(|part| unknown_in(part, known)).take(MOST_ERRORS).collect(),
        Err(error) => vec![error],
    }
}

/// Notices `{{ name }}` of something known, which other programs would replace.
fn template(text: &str, known: &Known) -> Option<ExpressionError> {
    let (_, rest) = text.split_once("{{")?;
    let (inner, _) = rest.split_once("}}")?;
    let name: String = inner.trim_start().chars().take_while(|next| next.is_alphanumeric() || *next == '_').collect();
    (known.contains(&name) || functions::names().any(|function| function == name)).then(|| formula::braces(text))
}

fn unknown_in(part: &Part, known: &Known) -> Vec<ExpressionError> {
    match part {
        Part::Text(_) => Vec::new(),
        Part::Variable { name, .. } if known.may_have(name) => Vec::new(),
        Part::Variable { name, reach } => vec![unknown_variable(name, *reach, known, false)],
        Part::Formula { source, reach } => formula::check(source, reach.offset + 2, known),
        Part::Call { name, arguments, reach } => {
            let refusal = unknown_function(name, arguments.len(), *reach, known);
            let bare = arguments.iter().find_map(|argument| bare_variable(name, argument, *reach, known));
            let inner = arguments.iter().flat_map(argument_parts).flat_map(|part| unknown_in(part, known));
            refusal.or(bare).into_iter().chain(inner).collect()
        }
    }
}

pub(super) fn unknown_variable(name: &str, reach: Reach, known: &Known, in_formula: bool) -> ExpressionError {
    let mut error = ExpressionError::at(reach, format!("unknown variable `{name}`"));
    error.hint = nearest::nearest(name, known.names()).map(|near| {
        let sign = if in_formula { "" } else { "$" };
        format!("did you mean `{sign}{near}`?")
    });
    error.help = Some(match name {
        "request" | "response" => "HttpRunner hands it to hooks, which is not done here: set headers and bodies with variables, and look into answers with `extract` and `validate`".to_owned(),
        _ => known_names(known, in_formula),
    });
    error.unknown = Some(name.to_owned());
    error
}

/// Says what is wrong with a call; the functions of a Python file may take any number of arguments.
pub(super) fn unknown_function(name: &str, count: usize, reach: Reach, known: &Known) -> Option<ExpressionError> {
    let own = |names: &Arc<Names>| {
        names.names.iter().any(|known| known == name) || (!names.complete && !functions::is_built_in(name))
    };
    if known.functions.as_ref().is_some_and(own) {
        return None;
    }
    let python = known.functions.iter().flat_map(|names| names.names.iter().map(String::as_str));
    functions::check(name, count, python).err().map(|refusal| refused(refusal, reach))
}

/// Notices `md5(user)` where `user` is a variable: without `$` it would be the text "user".
fn bare_variable(function: &str, argument: &Argument, reach: Reach, known: &Known) -> Option<ExpressionError> {
    let Argument::Parts(parts) = argument else { return None };
    let [Part::Text(text)] = &parts[..] else { return None };
    if !known.contains(text) || matches!(function, "ENV" | "environ" | "env") {
        return None;
    }
    let mut error = ExpressionError::at(reach, format!("`{text}` in this call is a text, not the variable"));
    error.hint = Some(format!("did you mean `${text}`?"));
    error.help = Some(format!("write '{text}' in quotes for the text"));
    Some(error)
}

pub(super) fn argument_parts(argument: &Argument) -> &[Part] {
    match argument {
        Argument::Literal(_) => &[],
        Argument::Parts(parts) => parts,
    }
}

/// Lists what is known; in a text, a `$` may be meant as one, which it may not in a formula.
fn known_names(known: &Known, in_formula: bool) -> String {
    let some: Vec<&str> = known.names().take(21).collect();
    let names = match some.len() {
        0 => "no variable is defined".to_owned(),
        21.. => format!("known: {}, …", some[..20].join(", ")),
        _ => format!("known: {}", some.join(", ")),
    };
    if in_formula { names } else { names + "; write `$$` for a `$` sign" }
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
