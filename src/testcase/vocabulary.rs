//! What the caller knows of tools, so that this module knows none: their names, and what is wrong with a call.

use serde_json::Value;

use crate::action::{Complaint, MobileAction};

/// Checks an action's arguments; the second argument says whether a value is known only at run time.
pub type Check<'a> = dyn Fn(&MobileAction, &dyn Fn(&Value) -> bool) -> Vec<Complaint> + Sync + 'a;

/// The tools that steps may name.
pub struct Vocabulary<'a> {
    /// Every name and alias.
    pub names: &'a [&'a str],
    /// Finds what is wrong with a call of a known tool.
    pub check: &'a Check<'a>,
    /// Returns what to say of a name that is no tool yet.
    pub later: &'a (dyn Fn(&str) -> Option<String> + Sync),
}

impl Vocabulary<'_> {
    /// Says whether this is a tool's name; `HttpRunner`'s aliases may be written in any case.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}
