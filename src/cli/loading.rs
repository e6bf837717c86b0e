//! Loading testcases for `run` and `check`, with the table's knowledge of tools.

use std::path::PathBuf;

use clap::Args;

use super::device::Spec;
use super::exit::{Exit, Failure};
use super::goals;
use super::requires;
use super::servers::CalledArgs;
use crate::testcase::{self, Overrides, TestCase, ToolFacts, Vocabulary};
use crate::tools::{self, ActionTool, Aim, ToolKind};

/// Loads everything, or returns every error of every file.
pub(super) fn load(
    paths: &[PathBuf],
    overrides: &Overrides,
    servers: &CalledArgs,
) -> Result<Vec<TestCase>, Vec<testcase::Error>> {
    let cases = testcase::load(paths, &vocabulary(), overrides).map_err(|mut errors| {
        errors.extend(of_servers(paths, overrides, servers));
        errors
    })?;
    let mut errors = servers.check(&cases, overrides);
    errors.extend(of_goals(&cases));
    errors.extend(of_devices(&cases));
    if errors.is_empty() { Ok(cases) } else { Err(errors) }
}

/// Returns what is wrong with the devices that cases name.
fn of_devices(cases: &[TestCase]) -> Vec<testcase::Error> {
    let wrong = |case: &TestCase| {
        let named = case.config.device.as_ref()?;
        let error = named.value.as_str()?.parse::<Spec>().err()?;
        Some(testcase::Error::in_case(case, named.place, error))
    };
    cases.iter().filter_map(wrong).collect()
}

/// Returns what is wrong with the goals that are stored beside cases.
fn of_goals(cases: &[TestCase]) -> Vec<testcase::Error> {
    let files: std::collections::BTreeSet<PathBuf> =
        cases.iter().flat_map(TestCase::cases).map(|case| goals::file(&case.path)).collect();
    let wrong = |file: PathBuf| Some(testcase::Error::of_file(&testcase::shown_path(&file), goals::read(&file).err()?));
    files.into_iter().filter_map(wrong).collect()
}

/// Returns what is wrong with calls of servers beside what is wrong with other steps, so that all is told at once: the files are
/// read as if whatever steps say of tools were right. Where they cannot be read even so, there is nothing to say.
fn of_servers(paths: &[PathBuf], overrides: &Overrides, servers: &CalledArgs) -> Vec<testcase::Error> {
    let lenient = Vocabulary {
        find: &|name| tools::known(tools::table(), name).or(Some("log")),
        facts: &tool_facts,
        drives: &|_| true,
        check: &|_, _| Vec::new(),
    };
    testcase::load(paths, &lenient, overrides).map(|cases| servers.check(&cases, overrides)).unwrap_or_default()
}

/// Returns the errors of cases that need what the environment does not have; one that is skipped here needs nothing.
pub(super) fn unset(cases: &[TestCase], overrides: &Overrides) -> Vec<testcase::Error> {
    let runs = |case: &&TestCase| {
        !case.required().into_iter().any(|requirement| {
            !case.project.devices.contains_key(requirement) && requires::unmet(requirement).is_some()
        })
    };
    cases.iter().filter(runs).flat_map(|case| case.unset(overrides)).collect()
}

/// What testcases may say of tools.
pub fn vocabulary() -> Vocabulary<'static> {
    Vocabulary {
        find: &|name| tools::known(tools::table(), name),
        facts: &tool_facts,
        drives: &requires::drives,
        check: &|action, holds| tools::table().check(action, holds),
    }
}

/// Returns what steps are read by of a tool.
fn tool_facts(name: &str) -> Option<ToolFacts> {
    let facts = |tool: &ActionTool| ToolFacts {
        needs_device: tool.needs_device,
        asserts: tool.kind == ToolKind::Assert,
        takes_picture: tool.aim == Aim::Picture,
    };
    tools::find(name).map(facts)
}

/// Renders errors one below the other, with their count at the end.
pub(super) fn failure(errors: &[testcase::Error]) -> Failure {
    use std::io::IsTerminal as _;
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let mut text: String = errors.iter().map(|error| error.render(colour) + "\n\n").collect();
    let files: std::collections::BTreeSet<&str> = errors.iter().map(|error| error.file.as_str()).collect();
    text.push_str(&format!("{}, {}; nothing was run", count(errors.len(), "error"), count(files.len(), "file")));
    Failure::rendered(Exit::Usage, text)
}

/// Prints warnings on standard error.
pub(super) fn warn<'a>(warnings: impl Iterator<Item = &'a String>) {
    use std::io::Write as _;
    let mut stderr = std::io::stderr().lock();
    for warning in warnings {
        // Whoever does not listen is not told.
        let _ = writeln!(stderr, "warning: {warning}");
    }
}

/// `1 error`, `2 errors`.
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Parses `name=value` of `--var`.
fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(format!("`{text}` is no variable; write it as name=value")),
    }
}

/// What the command line says of variables.
#[derive(Args)]
pub(super) struct Variables {
    /// Variable that wins over those of the files.
    #[arg(long = "var", value_name = "NAME=VALUE", value_parser = variable)]
    variables: Vec<(String, String)>,
    /// File of NAME=VALUE lines: variables that are masked wherever they would be shown.
    #[arg(long, value_name = "FILE")]
    env_file: Option<PathBuf>,
}

impl Variables {
    pub(super) fn overrides(&self) -> Result<Overrides, Failure> {
        let variables = self.variables.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
        let environs = match &self.env_file {
            Some(path) => testcase::read_environs(path).map_err(|errors| failure(&errors))?,
            None => std::collections::BTreeMap::new(),
        };
        Ok(Overrides { variables, environs, seed: None })
    }
}
