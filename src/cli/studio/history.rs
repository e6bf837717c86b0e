//! The testcases of a project, with how each ended last: what the tree of cases shows.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Value, json};
use uixt_store::Store;

use crate::cli::data;
use crate::cli::run::outcomes::passes;
use crate::testcase;

/// How many runs are looked at.
const RUNS: u32 = 50;

/// What is known of a testcase.
#[derive(Default)]
struct Past {
    /// The oldest first.
    outcomes: Vec<String>,
    elapsed: u64,
}

/// Returns every testcase below a folder.
pub(super) fn cases(root: &Path) -> Vec<Value> {
    let past = past(root).unwrap_or_default();
    let files = testcase::files(&[root.to_path_buf()]);
    let shown = |file: &Path| file.strip_prefix(root).unwrap_or(file).to_string_lossy().replace('\\', "/");
    files
        .iter()
        .map(|file| {
            let path = shown(file);
            let (name, tags) = named(file);
            let known = past.get(&path);
            let changes = known
                .map_or(0, |past| past.outcomes.windows(2).filter(|pair| passes(&pair[0]) != passes(&pair[1])).count());
            let is_flaky = changes > 1 || known.is_some_and(|past| past.outcomes.iter().any(|one| one == "flaky"));
            json!({
                "path": path, "name": name, "tags": tags, "outcome": known.and_then(|past| past.outcomes.last()),
                "ms": known.map(|past| past.elapsed), "flaky": is_flaky,
            })
        })
        .collect()
}

/// Returns the name and the tags of a testcase, as far as its file can be read.
fn named(file: &Path) -> (Value, Value) {
    let value = testcase::read_value(file).unwrap_or_default();
    let config = &value["config"];
    (config["name"].clone(), if config["tags"].is_array() { config["tags"].clone() } else { json!([]) })
}

fn past(root: &Path) -> Option<HashMap<String, Past>> {
    let store = Store::open(&data::file(root)?).ok()?;
    let history = store.history();
    let from = history.runs(RUNS).ok()?.last().map(|(number, _)| *number)?;
    let mut past: HashMap<String, Past> = HashMap::new();
    let mut see = |_, outcome: uixt_store::CaseOutcome| {
        let file = outcome.case_id.rsplit_once('#').map_or(outcome.case_id.as_str(), |(file, _)| file);
        let known = past.entry(file.to_owned()).or_default();
        known.outcomes.push(outcome.outcome);
        known.elapsed = outcome.elapsed;
    };
    history.outcomes(from, &mut see).ok()?;
    Some(past)
}
