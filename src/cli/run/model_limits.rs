//! What models may do and spend, as the command line says it, and who is asked where they may not alone.

use std::sync::Arc;

use uixt_core::ai::Destructive;

use uixt_tools_ai::{Consent, Most};

/// Parses a policy.
pub(in crate::cli) fn policy(text: &str) -> Result<Destructive, String> {
    Destructive::read(text).ok_or_else(|| "must be allow, deny or ask".to_owned())
}

/// Returns what asks whoever sits at the terminal, where somebody does.
pub(in crate::cli) fn consent() -> Option<Arc<Consent>> {
    use std::io::{IsTerminal as _, Write as _};
    if !(std::io::stdin().is_terminal() && std::io::stderr().is_terminal()) {
        return None;
    }
    Some(Arc::new(|question: &str| {
        let _ = write!(std::io::stderr().lock(), "\n{question} [y/N] ");
        let mut answer = String::new();
        std::io::stdin().read_line(&mut answer).is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
    }))
}

/// Parses what may be spent on models.
pub(super) fn budget(text: &str) -> Result<Most, String> {
    let most = match text.strip_prefix("cost:") {
        Some(cost) => cost.parse().ok().filter(|cost| (0.0..1e9).contains(cost)).map(Most::Cost),
        None => text.replace('_', "").parse().ok().map(Most::Tokens),
    };
    most.ok_or_else(|| "must be a number of tokens, 200000, or a cost, cost:2.50".to_owned())
}
