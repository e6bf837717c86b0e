//! Which testcases are run: those that the options of `uixt run` and `uixt queue push` select, and the rows of them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;

use super::run_hooks::{self, RunHooks};
use crate::cli::exit::Failure;
use crate::cli::mcp::servers::CalledArgs;
use crate::cli::testcases::loading;
use crate::cli::testcases::messages;
use crate::cli::testcases::variables::Variables;
use crate::runner::{self, Options};
use crate::testcase::{Overrides, TagExpression, TestCase};
use crate::tools;

#[derive(Args)]
pub(super) struct Selection {
    /// Runs only cases whose file or name, also that of a row, this regular expression is found in.
    #[arg(long, value_name = "RE")]
    pub(super) filter: Option<regex::Regex>,
    /// Runs only cases whose tags satisfy this, such as 'smoke and not slow'; of their steps, those without tags and those
    /// whose tags and the case's together satisfy it.
    #[arg(long, value_name = "EXPR", value_parser = tags)]
    pub(super) tags: Option<TagExpression>,
    #[command(flatten)]
    pub(super) variables: Variables,
    #[command(flatten)]
    pub(super) servers: CalledArgs,
    /// Runs every case N times, whether or not it passes.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) repeat: u32,
    /// What chance begins with where parameters are picked at random: the same number leads to the same rows.
    #[arg(long, value_name = "NUMBER")]
    pub(super) seed: Option<u64>,
}

/// Parses an expression of tags.
fn tags(text: &str) -> Result<TagExpression, String> {
    TagExpression::parse(text).map_err(|error| {
        let hint = error.hint.map(|hint| format!(", {hint}")).unwrap_or_default();
        format!("{}{hint}, at character {}; write for example 'smoke and not slow'", error.message, error.offset + 1)
    })
}

/// Says that nothing is selected, and by what it could have been.
fn nothing_selected(all: &BTreeSet<String>, by_tags: bool) -> Failure {
    let known = all.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    Failure::usage(match (by_tags, known.as_str()) {
        (false, _) => "no testcase is selected".to_owned(),
        (true, "") => "no testcase is selected: none has tags".to_owned(),
        (true, _) => format!("no testcase is selected; their tags are: {known}"),
    })
}

impl Selection {
    /// Loads what the paths hold and the options select.
    pub(super) fn load(&self, paths: &[PathBuf], overrides: &Overrides) -> Result<(Vec<TestCase>, RunHooks), Failure> {
        let mut cases = loading::load(paths, overrides, &self.servers).map_err(|errors| messages::failure(&errors))?;
        let hooks = run_hooks::load(&mut cases, overrides, &self.servers)?;
        self.select(&mut cases, overrides)?;
        Ok((cases, hooks))
    }

    /// Refuses cases that need what the environment does not have.
    pub(super) fn check_environment(cases: &[TestCase], overrides: &Overrides) -> Result<(), Failure> {
        let unset = loading::unset(cases, overrides);
        if unset.is_empty() { Ok(()) } else { Err(messages::failure(&unset)) }
    }

    pub(super) fn overrides(&self) -> Result<Overrides, Failure> {
        // The same rows each time.
        Ok(Overrides {
            seed: Some(self.seed.unwrap_or_else(|| fastrand::u32(..).into())),
            ..self.variables.overrides()?
        })
    }

    /// Says what of the cases is run.
    pub(super) fn options(&self, overrides: Overrides) -> Options {
        Options {
            repeats: self.repeat,
            overrides,
            tags: self.tags.clone(),
            filter: self.filter.clone(),
            ..Options::new(tools::table())
        }
    }

    /// Leaves the cases that the options select.
    fn select(&self, cases: &mut Vec<TestCase>, overrides: &Overrides) -> Result<(), Failure> {
        let all: BTreeSet<String> = cases.iter().flat_map(|case| case.config.tags.iter().cloned()).collect();
        if let Some(filter) = &self.filter {
            cases.retain(|case| runner::may_select(case, overrides, filter));
        }
        if let Some(tags) = &self.tags {
            cases.retain(|case| tags.holds(&case.config.tags));
        }
        if cases.is_empty() { Err(nothing_selected(&all, self.tags.is_some())) } else { Ok(()) }
    }
}
