//! What a device told of a call → files in the report's folder, and their paths among the facts of its failure.

use std::io;

use serde_json::{Map, Value};

use super::action::{Done, Position};
use super::context::StepContext;
use crate::result::{Outcome, file_name};
use crate::secrets::Secrets;
use crate::tools::{EVIDENCE, Wanted};

/// The folder of what devices told, in a report folder.
const FOLDER: &str = "evidence";

/// Of which steps it is kept what the device tells beside the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evidence {
    None,
    #[default]
    Failed,
    All,
}

impl From<Evidence> for Wanted {
    fn from(evidence: Evidence) -> Self {
        match evidence {
            Evidence::None => Self::Never,
            Evidence::Failed => Self::Failed,
            Evidence::All => Self::All,
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
    screenshot: Option<&str>,
    secrets: &Secrets,
) -> io::Result<()> {
    let Some(told) = done.evidence.take() else { return Ok(()) };
    let folder = folder(&cx.run.id, position);
    let mut paths = Map::new();
    paths.insert("folder".to_owned(), folder.as_str().into());
    for (name, mut value) in told {
        secrets.mask(&mut value);
        let (file, text) = match &value {
            Value::Array(lines) if lines.is_empty() => continue,
            Value::Array(lines) => ("log.txt".to_owned(), joined(lines)),
            _ => (format!("{name}.json"), value.to_string()),
        };
        let path = format!("{folder}/{file}");
        cx.run.sink.evidence(&path, text.as_bytes())?;
        paths.insert(name, path.into());
    }
    if let Some(path) = screenshot {
        paths.insert("after".to_owned(), path.into());
    }
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

fn joined(lines: &[Value]) -> String {
    lines.iter().filter_map(Value::as_str).flat_map(|line| [line, "\n"]).collect()
}

/// Names the folder of a step: `evidence/login-yaml-0/step-3`, with the number of the try behind it after the first.
fn folder(case: &str, position: Position<'_>) -> String {
    let again = if position.attempt > 1 { format!("-try-{}", position.attempt) } else { String::new() };
    format!("{FOLDER}/{}/step-{}{again}", file_name(case), position.number)
}
