//! Which variables the parts of a case set for what follows them.

use super::case::{Body, Hook, Step};

/// Returns the variables that a step sets for the steps after it.
pub(super) fn set_by(step: &Step) -> Vec<String> {
    let own = step.saves.iter().map(|save| save.variable.clone());
    let own = own.chain(step.extracts.iter().map(|extract| extract.variable.clone()));
    let hooks = step.setup.iter().chain(&step.teardown).flat_map(set_by_hook);
    let inner: Vec<String> = match &step.body {
        Body::Group(steps) => steps.iter().flat_map(set_by).collect(),
        Body::Choice { then, otherwise, .. } => then.iter().chain(otherwise).flat_map(set_by).collect(),
        Body::Case(_) | Body::Actions(_) | Body::Nothing { .. } => Vec::new(),
    };
    own.chain(hooks).chain(inner).chain(step.export.iter().cloned()).collect()
}

/// Returns the variables that a hook sets.
pub(super) fn set_by_hook(hook: &Hook) -> Vec<String> {
    match hook {
        Hook::Evaluate { .. } => Vec::new(),
        Hook::Assign { variable, .. } => vec![variable.clone()],
        Hook::Step(step) => set_by(step),
    }
}
