//! `uixt session skill`: the page that teaches a coding agent to use a session from the shell.

use crate::cli::exit::{Done, print};

/// The page, as a file of its own.
const PAGE: &str = include_str!("skill.md");

pub(in crate::cli) fn print_skill() -> Done {
    print(PAGE)
}
