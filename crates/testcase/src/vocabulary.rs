//! What the caller knows of tools, so that this module knows none: their names, what they are, and what is wrong with a call.

use serde_json::Value;

use crate::action::{Diagnostic, MobileAction};

/// Checks an action; the second argument says whether a value is known only at run time.
pub type Check<'a> = dyn Fn(&MobileAction, &dyn Fn(&Value) -> bool) -> Vec<Diagnostic> + Sync + 'a;

/// What steps are read by of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolFacts {
    pub needs_device: bool,
    /// Whether it fails where something does not hold.
    pub asserts: bool,
    /// Whether it is for a picture, whose path may stand alone.
    pub takes_picture: bool,
    /// Whether agents are offered it.
    pub for_agents: bool,
}

/// The tools that steps may name.
pub struct Vocabulary<'a> {
    /// Returns the tool's own name for any spelling of it; also of what is no tool yet, or none any more.
    pub find: &'a (dyn Fn(&str) -> Option<&'static str> + Sync),
    /// Returns what a tool is, by any spelling of its name; none of what is no tool.
    pub facts: &'a (dyn Fn(&str) -> Option<ToolFacts> + Sync),
    /// Finds what is wrong with a call, its tool's name before all.
    pub check: &'a Check<'a>,
}

impl Vocabulary<'_> {
    /// Says whether a name is for the tools' side to judge.
    pub(super) fn knows(&self, name: &str) -> bool {
        (self.find)(name).is_some()
    }
}
