//! `uixt tools --stats`: what the calls of each tool add up to in a project's earlier runs.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::json;
use uixt_core::tool_times::{ToolFigures, ToolTimes};
use uixt_store::Store;

use crate::cli::data;
use crate::cli::exit::{Done, Exit, Failure, print};

/// What earlier runs came to.
#[derive(Default)]
struct Statistics {
    /// How many runs tell of calls.
    runs: usize,
    times: ToolTimes,
}

/// Tells of all tools, or of one.
pub(super) fn tell(name: Option<&str>, runs: u32, is_json: bool) -> Done {
    let Statistics { runs, times } = read(runs)?;
    let mut tools = times.figures();
    tools.retain(|tool| name.is_none_or(|name| tool.tool == name));
    if is_json {
        let told = json!({"runs": runs, "tools": tools});
        return print(&serde_json::to_string_pretty(&told).unwrap_or_default());
    }
    match (tools.is_empty(), name) {
        (false, _) => print(table(runs, &tools).trim_end()),
        (true, Some(name)) if runs > 0 => {
            eprintln!("no call of {name} in {runs} runs");
            Ok(Exit::Passed)
        }
        (true, _) => {
            eprintln!("no run of this project tells of calls yet: `uixt run` counts them in folders with a uixt.yaml");
            Ok(Exit::Passed)
        }
    }
}

/// Reads the newest runs of the project that is worked in.
fn read(most: u32) -> Result<Statistics, Failure> {
    let file = data::file_of(Path::new("."))?;
    if !file.is_file() {
        return Ok(Statistics::default());
    }
    let store = Store::open(&file).map_err(Failure::errored)?;
    let newest = store.history().runs(most).map_err(Failure::errored)?;
    let Some((oldest, _)) = newest.last() else { return Ok(Statistics::default()) };
    let mut times = ToolTimes::default();
    let mut runs = BTreeSet::new();
    for (run, tool, text) in store.history().tools(*oldest).map_err(Failure::errored)? {
        // What cannot be read is of no use to anybody, and no reason to tell nothing of the rest.
        if let Ok(one) = serde_json::from_str(&text) {
            times.join_one(&tool, &one);
            runs.insert(run);
        }
    }
    Ok(Statistics { runs: runs.len(), times })
}

fn table(runs: usize, tools: &[ToolFigures]) -> String {
    let width = tools.iter().map(|tool| tool.tool.chars().count()).max().unwrap_or_default().max(24);
    let head = format!(
        "{runs} {}\n\n{:<width$} {:>8} {:>10} {:>8} {:>8} {:>11} {:>8}\n",
        if runs == 1 { "run" } else { "runs" },
        "tool",
        "calls",
        "succeeded",
        "p50 ms",
        "p95 ms",
        "slowest ms",
        "waiting"
    );
    tools.iter().fold(head, |text, one| {
        let whole = one.waiting_ms.saturating_add(one.working_ms);
        let (succeeded, waiting) = (percent(one.succeeded, one.calls), percent(one.waiting_ms, whole));
        let times = format!("{:>8} {:>8} {:>11}", one.p50_ms, one.p95_ms, one.slowest_ms);
        text + &format!("{:<width$} {:>8} {succeeded:>10} {times} {waiting:>8}\n", one.tool, one.calls)
    })
}

/// Returns a share, rounded down: 100 % is all of it.
fn percent(part: u64, whole: u64) -> String {
    format!("{} %", part.saturating_mul(100).checked_div(whole).unwrap_or_default())
}
