//! Variables of the command line that nothing mentions: mistyped names, which would otherwise do nothing.

use std::collections::BTreeSet;

use parking_lot::Mutex;

use super::case::TestCase;
use super::error::Error;
use super::nearest;
use super::overrides::Overrides;
use super::parameters::Parameters;

/// The names that no file has mentioned so far.
pub(super) struct Unmentioned(Mutex<BTreeSet<String>>);

impl Unmentioned {
    pub(super) fn of(overrides: &Overrides) -> Self {
        Self(Mutex::new(overrides.variables.keys().cloned().collect()))
    }

    /// Takes those away that a file's text mentions, wherever and however.
    pub(super) fn read(&self, text: &str) {
        let mut names = self.0.lock();
        if !names.is_empty() {
            names.retain(|name| !mentions(text, name));
        }
    }

    /// Returns an error for each that is left, with the nearest variable of the cases.
    pub(super) fn errors(self, cases: &[TestCase]) -> Vec<Error> {
        let names = self.0.into_inner();
        let known: BTreeSet<&String> = cases.iter().flat_map(defined).collect();
        let error = |name: &String| {
            let message = format!("no testcase defines or mentions the variable `{name}`");
            let hint = nearest::hint(name, known.iter().map(|name| name.as_str()));
            Error::of_file(&format!("--var {name}"), message).with_hint(hint)
        };
        names.iter().filter(|name| !known.contains(name)).map(error).collect()
    }
}

/// Returns an error for each variable of the command line that the rows of a case bind: it would take their place in every row, and the
/// report would name values that never were.
pub(super) fn bound(overrides: &Overrides, cases: &[TestCase]) -> Vec<Error> {
    let bound = |case: &TestCase| {
        let rows: Vec<&String> = case.config.parameters.iter().flat_map(Parameters::names).collect();
        let names = overrides.variables.keys().filter(|name| rows.contains(name));
        let error = |name: &String| {
            let message =
                format!("the variable `{name}` is bound by `parameters` of {}, one row after the other", case.file);
            let help = "leave `--var` out, or give the rows by an expression that the variable is part of";
            Error::of_file(&format!("--var {name}"), message).with_help(Some(help.to_owned()))
        };
        names.map(error).collect::<Vec<_>>()
    };
    cases.iter().flat_map(bound).collect()
}

/// Returns the variables that a case and its project define.
pub(super) fn defined(case: &TestCase) -> impl Iterator<Item = &String> {
    let config = &case.config;
    let rows = config.parameters.iter().flat_map(Parameters::names);
    let own = config.variables.keys().chain(config.environs.keys()).chain(rows);
    own.chain(case.project.variables.keys()).chain(case.project.environs.keys())
}

/// Tells whether a text has a name as a word of its own.
pub(super) fn mentions(text: &str, name: &str) -> bool {
    let is_part = |next: Option<char>| next.is_some_and(|next| next.is_alphanumeric() || next == '_');
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + name.len()..].chars().next());
        !is_part(before) && !is_part(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_mentioned_as_a_word() {
        assert!(mentions("log: $user!", "user") && mentions("when: 'n > user'", "user"));
        assert!(!mentions("log: $username", "user") && !mentions("log: $my_user", "user"));
    }
}
