//! What the program says of itself: the manual, its tools, and what completes a line.

mod command;
pub(super) mod completions;
mod statistics;
mod tools;

pub(super) use self::command::Help;
pub(super) use self::command::pages;
pub(super) use self::completions::Completions;
pub(super) use self::completions::complete;
pub(super) use self::tools::Tools;
