//! `--then diff`: every call of a session that acts also tells what it changed.

use clap::{Args, ValueEnum};

use crate::tools::Local;

#[derive(Clone, Copy, Args)]
pub(in crate::cli) struct ThenArgs {
    /// After every call that acts, also tell what it changed on the screen, with refs, as the argument `then` does
    #[arg(long, value_name = "WHAT")]
    then: Option<Then>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Then {
    Diff,
}

impl ThenArgs {
    /// Lets a session's calls tell it.
    pub(in crate::cli) fn of(self, local: Local) -> Local {
        local.telling_changes(matches!(self.then, Some(Then::Diff)))
    }
}
