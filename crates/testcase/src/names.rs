//! Which variables and functions the strings of a file name, checked before anything runs.

use super::expression::parse;
use super::known::{Known, unknown_function, unknown_variable};
use super::parts::{Argument, ExpressionError, Part, Reach};
use super::{formula, functions};

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
            let inner = arguments.iter().flat_map(Argument::parts).flat_map(|part| unknown_in(part, known));
            refusal.or(bare).into_iter().chain(inner).collect()
        }
    }
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
