//! Finished runs → what pages show of them: the list of those in `results/`, and one run with all that its steps saw.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Component, Path, PathBuf};

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};
use uixt_core::result::{ActionResult, CaseResult, Failure, Outcome, RunResult, StepResult, Summary, file_name};

/// The folder of runs, in a project's.
pub(crate) const FOLDER: &str = "results";

/// Most runs that are listed: the newest.
const MOST: usize = 200;

/// What a run's summary holds.
const SUMMARY: &str = "summary.json";
/// How the line begins that its cases stand behind.
const CASES: &str = "\"cases\":[";

/// Returns the newest runs, the newest first.
pub(crate) fn list(root: &Path) -> Vec<Value> {
    let entries = std::fs::read_dir(root.join(FOLDER)).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_unstable_by(|one, other| other.cmp(one));
    names.truncate(MOST);
    names.iter().filter_map(|name| listed(root, name)).collect()
}

fn listed(root: &Path, name: &str) -> Option<Value> {
    // The run's own fields stand before its cases, which need not be read.
    let mut head = String::new();
    for line in BufReader::new(File::open(root.join(FOLDER).join(name).join(SUMMARY)).ok()?).lines() {
        let line = line.ok()?;
        if line.starts_with(CASES) {
            break;
        }
        head.push_str(&line);
    }
    let run: RunResult = serde_json::from_str(&format!("{}}}", head.strip_suffix(',').unwrap_or(&head))).ok()?;
    Some(json!({
        "folder": name, "started": run.at.to_rfc3339(), "outcome": run.outcome, "cases": run.totals.cases,
        "failed": run.totals.failed + run.totals.errored, "ms": run.elapsed_ms, "paths": run.paths,
    }))
}

/// Returns the place of a file of a run; none of what lies elsewhere.
pub(crate) fn file(root: &Path, path: &str) -> Option<PathBuf> {
    let is_plain = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    let folder = root.join(FOLDER).canonicalize().ok()?;
    let place = folder.join(path).canonicalize().ok().filter(|_| is_plain)?;
    (place.starts_with(&folder) && place.is_file()).then_some(place)
}

/// Returns the place of a run's folder; the error says why there is none.
pub(crate) fn folder(root: &Path, name: &str) -> Result<PathBuf, String> {
    let summary = file(root, &format!("{name}/{SUMMARY}"));
    let folder = summary.and_then(|summary| summary.parent().map(Path::to_path_buf));
    folder.ok_or_else(|| format!("{FOLDER}/{name} holds no finished run"))
}

/// Returns all of a run; the error says why there is nothing.
pub(crate) fn whole(root: &Path, folder: &str) -> Result<Value, String> {
    let summary = file(root, &format!("{folder}/{SUMMARY}"));
    let summary = summary.ok_or_else(|| format!("{FOLDER}/{folder} holds no finished run"))?;
    let told = |error: &dyn std::fmt::Display| format!("{FOLDER}/{folder}/{SUMMARY}: {error}");
    let text = std::fs::read_to_string(&summary).map_err(|error| told(&error))?;
    let run = Summary::read(&text).map_err(|error| told(&error))?;
    let cases: Vec<Value> = run.cases.iter().map(|one| case(root, one, folder)).collect();
    Ok(json!({
        "folder": folder, "started": run.at.to_rfc3339(), "outcome": run.outcome, "ms": run.elapsed_ms, "cases": cases,
    }))
}

fn case(root: &Path, case: &CaseResult, folder: &str) -> Value {
    let mut files = HashMap::new();
    let mut is_changed = |file: &str| *files.entry(file.to_owned()).or_insert_with(|| has_changed(root, file, case.at));
    let steps: Vec<Value> = case
        .steps
        .iter()
        .map(|one| {
            let mut told = step(one, case, folder);
            if is_changed(&one.place.file) {
                told.insert("changed".to_owned(), true.into());
            }
            Value::Object(told)
        })
        .collect();
    let log: Vec<Value> = case
        .log
        .iter()
        .map(|line| json!({"at": since(line.at, case), "level": line.level, "text": line.message}))
        .collect();
    json!({
        "id": case.id, "name": case.name, "file": case.file, "outcome": case.outcome, "ms": case.elapsed_ms,
        "device": case.device, "error": case.error, "steps": steps, "log": log,
    })
}

/// Tells whether a file was written since a moment: its lines may be others than those that ran.
fn has_changed(root: &Path, file: &str, since: DateTime<Utc>) -> bool {
    let written = std::fs::metadata(root.join(file)).and_then(|file| file.modified());
    written.map_or(true, |written| DateTime::<Utc>::from(written) > since)
}

fn since(at: DateTime<Utc>, case: &CaseResult) -> i64 {
    (at - case.at).num_milliseconds()
}

/// Tells of a step, without what there is nothing of: there may be many thousands.
fn step(step: &StepResult, case: &CaseResult, folder: &str) -> Map<String, Value> {
    let actions: Vec<&ActionResult> = step.attempts.iter().flat_map(|attempt| &attempt.actions).collect();
    let pictured = actions.iter().rev().find(|action| action.screenshot.is_some());
    let picture = pictured.and_then(|action| action.screenshot.as_ref()).map(|path| format!("{folder}/{path}"));
    let error = step.error.as_deref().or_else(|| actions.iter().rev().find_map(|action| action.error.as_deref()));
    let before = error.and_then(evidence).and_then(|kept| kept.get("before_picture")?.as_str());
    let before = before.map(|path| format!("{folder}/{path}"));
    let is_told = !matches!(step.outcome, Outcome::Passed | Outcome::Skipped);
    let kept = is_told.then(|| format!("{folder}/evidence/{}/step-{}", file_name(&case.id), step.number));
    let message = error.map(|error| error.message.clone());
    let message = message.or_else(|| actions.last().map(|action| action.message.clone())).unwrap_or_default();
    let told = json!({
        "number": step.number, "line": step.place.line, "file": step.place.file, "name": step.name, "outcome": step.outcome,
        "ms": step.elapsed_ms, "began": since(step.at, case), "message": message, "error": error, "picture": picture,
        "mark": pictured.and_then(|action| action.mark.as_ref()), "before": before, "kept": kept,
    });
    let Value::Object(mut told) = told else { return Map::new() };
    told.retain(|_, value| !value.is_null());
    told
}

/// Returns the files that were kept of a failure, by what they are.
fn evidence(error: &Failure) -> Option<&Map<String, Value>> {
    error.details.as_ref()?.get("evidence")?.as_object()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_listed_whatever_its_last_field_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let head = r#"{"v":1,"uixt":"0.1.0","paths":["a.yaml"],"at":"2026-11-29T09:27:36.303Z","elapsed_ms":5,"outcome":"passed","totals":{"cases":1,"passed":1,"failed":0,"errored":0,"skipped":0,"flaky":0,"steps":1}"#;
        for (name, more) in [("1", ""), ("2", ",\"seed\":7")] {
            let place = folder.path().join(FOLDER).join(name);
            std::fs::create_dir_all(&place).expect("a folder");
            std::fs::write(place.join(SUMMARY), format!("{head}{more},\n\"cases\":[\n]}}\n")).expect("written");
        }
        let listed: Vec<Value> = list(folder.path()).into_iter().map(|run| run["folder"].clone()).collect();
        assert_eq!(listed, ["2", "1"]);
        assert!(whole(folder.path(), "1").is_ok_and(|run| run["ms"] == 5));
    }
}
