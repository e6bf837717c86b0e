//! `uixt report --trace`, also `uixt trace`: the cases of a report → traces that Playwright's trace viewer opens, one for each case.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::Value;
use uixt_call::mask;

use crate::cli::exit::{Done, Exit, Failure, print};
use crate::cli::testcases::messages::count;
use crate::report::trace;
use crate::result::{CaseResult, file_name};
use crate::runner::journal::{FILE, Reader};
use crate::secrets::Secrets;
use crate::testcase;

/// The folder of traces in a report folder.
const FOLDER: &str = "traces";
/// Most cases that an error names.
const NAMED: usize = 10;

#[derive(Args)]
pub(in crate::cli) struct Trace {
    /// Report folder of a run.
    #[arg(value_name = "DIR")]
    pub(super) folder: PathBuf,
    /// Where to write: a file whose name ends with .zip, for one case, or a folder; `traces` in the report folder by default.
    #[arg(long, value_name = "FILE|DIR")]
    pub(super) output: Option<PathBuf>,
    /// Only this case, by its id, such as 'login.yaml#0'; given again, these.
    #[arg(long, value_name = "ID")]
    pub(super) case: Vec<String>,
}

impl Trace {
    pub(in crate::cli) fn run(self) -> Done {
        let cases = self.cases()?;
        let is_file = |path: &&PathBuf| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("zip"));
        let one = self.output.as_ref().filter(is_file);
        if let (Some(file), true) = (one, cases.len() > 1) {
            let ids = named(&cases);
            return Err(Failure::usage(format!(
                "{} is one file, and {} have steps: {ids}\n  = choose one with --case ID, or name a folder with --output",
                file.display(),
                count(cases.len(), "case")
            )));
        }
        let folder = self.output.clone().unwrap_or_else(|| self.folder.join(FOLDER));
        let mut taken = HashSet::new();
        for case in &cases {
            let path = one.cloned().unwrap_or_else(|| folder.join(free_name(&case.id, &mut taken) + ".zip"));
            let source = source(&case.file);
            trace::write(&self.folder, case, source.as_deref(), &path)
                .map_err(|error| Failure::errored(format!("cannot write {}: {error}", path.display())))?;
            print(&path.display().to_string())?;
        }
        eprintln!("open one with: npx playwright show-trace FILE");
        Ok(Exit::Passed)
    }

    /// Reads the cases that are wanted; those without steps have nothing to show.
    fn cases(&self) -> Result<Vec<CaseResult>, Failure> {
        let unreadable = |error: crate::runner::journal::Error| {
            Failure::usage(format!("{error}\n  = name the report folder of a run, such as results/20261126101500"))
        };
        let read = Reader::open(&self.folder).map_err(unreadable)?;
        let all: Vec<CaseResult> = read.collect::<Result<_, _>>().map_err(unreadable)?;
        if all.is_empty() {
            let path = self.folder.join(FILE);
            return Err(Failure::usage(format!("{} tells of no case: the run ended before its first", path.display())));
        }
        if let Some(unknown) = self.case.iter().find(|id| all.iter().all(|case| case.id != **id)) {
            return Err(Failure::usage(format!("there is no case `{unknown}`; valid: {}", named(&all))));
        }
        let is_wanted = |case: &CaseResult| self.case.is_empty() || self.case.contains(&case.id);
        let cases: Vec<CaseResult> = all.into_iter().filter(|case| !case.steps.is_empty() && is_wanted(case)).collect();
        match cases.is_empty() {
            true => Err(Failure::usage(format!("no case of {} has a step that ran", self.folder.display()))),
            false => Ok(cases),
        }
    }
}

/// Names cases for an error.
fn named(cases: &[CaseResult]) -> String {
    let mut names: Vec<&str> = cases.iter().map(|case| case.id.as_str()).take(NAMED).collect();
    if cases.len() > NAMED {
        names.push("…");
    }
    names.join(", ")
}

/// Returns a file's name for a case that no other has.
fn free_name(id: &str, taken: &mut HashSet<String>) -> String {
    let name = file_name(id);
    let names = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}-{number}")));
    let free = names.into_iter().find(|name| !taken.contains(name)).unwrap_or(name);
    taken.insert(free.clone());
    free
}

/// Reads a testcase's file as it is now, its secrets masked; none where it is not there or cannot be read as one.
fn source(file: &str) -> Option<String> {
    let text = fs::read_to_string(Path::new(file)).ok()?;
    let root = testcase::read_text(file, &text).ok()?;
    let mut secrets = Secrets::default();
    let mut variables = HashSet::new();
    for secret in secrets_in(&root) {
        let names = testcase::written_variables(&secret);
        variables.extend(names.iter().map(|name| name.trim_matches(['$', '{', '}']).to_owned()));
        if names.is_empty() {
            secrets.add_anywhere(&secret);
        }
    }
    values_of(&root, &variables).iter().for_each(|value| _ = secrets.add_anywhere(value));
    Some(secrets.text(text))
}

/// Returns what steps say is secret, at any depth.
fn secrets_in(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(secrets_in).collect(),
        Value::Object(map) => {
            let inner = map.values().flat_map(secrets_in);
            mask::secrets(map).into_iter().chain(inner).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the values of variables, wherever they are given.
fn values_of(value: &Value, names: &HashSet<String>) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(|item| values_of(item, names)).collect(),
        Value::Object(map) => map
            .iter()
            .flat_map(|(key, value)| match names.contains(key) {
                true => mask::texts(value),
                false => values_of(value, names),
            })
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_shows_no_secret() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("a.yaml");
        let text = "config: {variables: {pw: hunter2, user: ming}}\nteststeps:\n- input: {text: $pw, secret: true}\n- input: {text: s3cret, secret: true}\n- input: {text: open}\n";
        fs::write(&file, text).expect("a file");
        let shown = source(file.to_str().expect("a path")).expect("a source");
        assert!(!shown.contains("hunter2") && !shown.contains("s3cret"), "{shown}");
        assert!(shown.contains("$pw") && shown.contains("ming") && shown.contains("open"), "{shown}");
    }

    #[test]
    fn no_two_cases_share_a_file() {
        let mut taken = HashSet::new();
        assert_eq!(
            ["a/b.yaml#0", "a-b.yaml#0", "c.yaml#1"].map(|id| free_name(id, &mut taken)),
            ["a-b-yaml-0", "a-b-yaml-0-2", "c-yaml-1"]
        );
    }
}
