//! Loading testcases for `run` and `check`, with the table's knowledge of tools.

use std::path::PathBuf;

use uixt_call::unsupported;

use super::goals;
use super::requires;
use super::tool_vocabulary::{tool_facts, vocabulary};
use crate::cli::device::spec::Spec;
use crate::cli::exit::Failure;
use crate::cli::mcp::servers::CalledArgs;
use crate::testcase::{self, Overrides, TestCase, Vocabulary};
use crate::tools;

/// The folder that a project's testcases are looked for in first.
const FOLDER: &str = "testcases";

/// Returns the testcases of the project that the working directory belongs to, for who names none.
pub(in crate::cli) fn of_project() -> Result<Vec<PathBuf>, Failure> {
    let here = std::env::current_dir().map_err(|error| Failure::usage(format!("the working directory: {error}")))?;
    let Some(root) = testcase::marked_root(&here).or_else(|| here.join(FOLDER).is_dir().then(|| here.clone())) else {
        let help = "name testcases, such as `uixt run testcases/`, or make a project: `uixt init`";
        return Err(Failure::usage(format!(
            "no path is named, and this is no project: there is neither uixt.yaml, here or above, nor a folder `{FOLDER}`\n  = {help}"
        )));
    };
    let folder = Some(root.join(FOLDER)).filter(|folder| folder.is_dir()).unwrap_or(root);
    Ok(vec![match folder.strip_prefix(&here) {
        Ok(below) if below.as_os_str().is_empty() => PathBuf::from("."),
        Ok(below) => below.to_path_buf(),
        Err(_) => folder,
    }])
}

/// Loads everything, or returns every error of every file.
pub(in crate::cli) fn load(
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
        find: &|name| unsupported::known(tools::table(), name).or(Some("log")),
        facts: &tool_facts,
        check: &|_, _| Vec::new(),
    };
    testcase::load(paths, &lenient, overrides).map(|cases| servers.check(&cases, overrides)).unwrap_or_default()
}

/// Returns the errors of cases that need what the environment does not have; one that is skipped here needs nothing.
pub(in crate::cli) fn unset(cases: &[TestCase], overrides: &Overrides) -> Vec<testcase::Error> {
    let runs = |case: &&TestCase| {
        !case.required().into_iter().any(|requirement| {
            !case.project.devices.contains_key(requirement) && requires::unmet(requirement).is_some()
        })
    };
    cases.iter().filter(runs).flat_map(|case| case.unset(overrides)).collect()
}
