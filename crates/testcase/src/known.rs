//! The variables and functions that a place of a file sees, and what is said of one that it does not see.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use super::functions;
use super::nearest;
use super::parts::{ExpressionError, Reach};
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

/// Turns a function's refusal into an error at the call.
pub(super) fn refused(refusal: functions::Refusal, reach: Reach) -> ExpressionError {
    ExpressionError { hint: refusal.hint, help: refusal.help, ..ExpressionError::at(reach, refusal.message) }
}
