//! What a device told of a call → files in the report's folder, and their paths among the facts of its failure.

use std::io;

use serde_json::{Map, Value};
use uixt_call::{EVIDENCE, Wanted};

use super::context::StepContext;
use super::done::Done;
use super::last_picture::LastPicture;
use super::options::Keep;
use super::position::Position;
use crate::result::{Outcome, file_name};
use crate::secrets::Secrets;

/// The folder of what devices told, in a report folder.
const FOLDER: &str = "evidence";

impl From<Keep> for Wanted {
    fn from(evidence: Keep) -> Self {
        match evidence {
            Keep::None => Self::Never,
            Keep::Failed => Self::Failed,
            Keep::All => Self::All,
        }
    }
}

/// Takes what a device told out of an answer.
pub(super) fn take(object: &mut Map<String, Value>) -> Option<Map<String, Value>> {
    let of_failure =
        object.get_mut("details").and_then(Value::as_object_mut).and_then(|facts| facts.shift_remove(EVIDENCE));
    match of_failure.or_else(|| object.shift_remove(EVIDENCE)) {
        Some(Value::Object(told)) => Some(told),
        _ => None,
    }
}

/// Keeps it, and tells where it lies: among the facts of a failure, else in the case's log.
pub(super) fn keep(
    cx: &StepContext<'_>,
    position: Position<'_>,
    (done, outcome): (&mut Done, Outcome),
    (before, after): (Option<&LastPicture>, Option<&str>),
    secrets: &Secrets,
) -> io::Result<()> {
    let Some(told) = done.evidence.take() else { return Ok(()) };
    let folder = folder(&cx.run.id, position);
    let mut paths = Map::new();
    paths.insert("folder".to_owned(), folder.as_str().into());
    for (name, mut value) in told {
        secrets.mask(&mut value);
        let (file, text) = match (name.as_str(), &value) {
            (_, Value::Array(items)) if items.is_empty() => continue,
            ("log" | "console", Value::Array(lines)) => (format!("{name}.txt"), joined(lines)),
            ("network", Value::Array(requests)) => ("network.json".to_owned(), listed(requests)),
            _ => (format!("{name}.json"), value.to_string()),
        };
        let path = format!("{folder}/{file}");
        cx.run.sink.evidence(&path, text.as_bytes())?;
        paths.insert(name, path.into());
    }
    let pictures = pictures(before, after);
    if outcome < Outcome::Failed && !pictures.is_empty() {
        let text = Value::Object(pictures.clone()).to_string();
        cx.run.sink.evidence(&format!("{folder}/pictures.json"), text.as_bytes())?;
    }
    paths.extend(pictures);
    match &mut done.error {
        Some(error) if outcome >= Outcome::Failed => {
            let facts = error.details.get_or_insert_with(|| Value::Object(Map::new()));
            if let Some(facts) = facts.as_object_mut() {
                facts.insert(EVIDENCE.to_owned(), Value::Object(paths));
            }
            Ok(())
        }
        _ => cx.run.log("info", format!("evidence of step {}: {folder}", position.number)),
    }
}

/// Names the pictures of the screen before and after, and the step that the first was taken at.
fn pictures(before: Option<&LastPicture>, after: Option<&str>) -> Map<String, Value> {
    let mut pictures = Map::new();
    if let Some(LastPicture { path, step, .. }) = before {
        pictures.insert("before_picture".to_owned(), path.as_str().into());
        pictures.insert("before_step".to_owned(), (*step).into());
    }
    if let Some(path) = after {
        pictures.insert("after".to_owned(), path.into());
    }
    pictures
}

/// Writes a list as JSON, an item on each line.
fn listed(items: &[Value]) -> String {
    let lines: Vec<String> = items.iter().map(Value::to_string).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

fn joined(lines: &[Value]) -> String {
    lines.iter().filter_map(Value::as_str).flat_map(|line| [line, "\n"]).collect()
}

/// Names the folder of a step: `evidence/login-yaml-0/step-3`, with the number of the try behind it after the first.
fn folder(case: &str, position: Position<'_>) -> String {
    let again = if position.attempt > 1 { format!("-try-{}", position.attempt) } else { String::new() };
    format!("{FOLDER}/{}/step-{}{again}", file_name(case), position.number)
}
