//! Turns several runs into one: shards of a pipeline, or a run and its repetition. Knows nothing of files.

use chrono::TimeDelta;
use serde_json::{Map, Value};

use super::{comparison, evidence};
use crate::result::{CaseResult, FORMAT, Failure, ModelUsage, Outcome, RunResult, Totals};

/// Adds runs up to one: the earliest start, the time until the latest end, all paths and totals, the gravest outcome.
///
/// Returns nothing where there are no runs.
pub fn merged(runs: &[RunResult]) -> Option<RunResult> {
    let at = runs.iter().map(|run| run.at).min()?;
    let end = runs.iter().map(|run| run.at + milliseconds(run.elapsed_ms)).max()?;
    let elapsed = (end - at).num_milliseconds();
    Some(RunResult {
        v: FORMAT,
        uixt: distinct(runs.iter().map(|run| &run.uixt)).join(", "),
        paths: distinct(runs.iter().flat_map(|run| &run.paths)),
        at,
        elapsed_ms: u64::try_from(elapsed).unwrap_or(0),
        outcome: runs.iter().map(|run| run.outcome).max().unwrap_or(Outcome::Skipped),
        totals: runs.iter().fold(Totals::default(), |sum, run| added(sum, run.totals)),
        shard: None,
        seed: None,
        interrupted: runs.iter().any(|run| run.interrupted),
        causes: distinct(runs.iter().flat_map(|run| &run.causes)),
        not_run: runs.iter().map(|run| run.not_run).sum(),
        usage: runs.iter().fold(ModelUsage::default(), |mut sum, run| {
            sum += run.usage;
            sum
        }),
    })
}

/// Makes a case of the run `number`, counted from 1, fit for the merged report.
///
/// Its id becomes unique (`2:login.yaml#0`), and its pictures and evidence are looked for in the folder `kept`, inside the merged report's.
/// One that an earlier run had as well is told apart by its name, which then says where it is `from`.
pub fn adopt(case: &mut CaseResult, number: usize, kept: &str, from: Option<&str>) {
    case.id = format!("{number}:{}", case.id);
    if let Some(from) = from {
        case.name = format!("{} (from {from})", case.name);
    }
    let actions = case.steps.iter_mut().flat_map(|step| &mut step.attempts).flat_map(|attempt| &mut attempt.actions);
    for action in actions {
        if let Some(picture) = &mut action.screenshot {
            *picture = format!("{kept}/{picture}");
        }
        if let Some(error) = &mut action.error {
            adopt_paths(error, kept);
        }
    }
}

/// Has the files that a failure names be looked for in another folder.
fn adopt_paths(error: &mut Failure, folder: &str) {
    for field in [comparison::FIELD, evidence::FIELD] {
        let named = error.details.as_mut().and_then(|details| details.get_mut(field)).and_then(Value::as_object_mut);
        for path in named.into_iter().flat_map(Map::values_mut) {
            if let Value::String(path) = path {
                *path = format!("{folder}/{path}");
            }
        }
    }
}

fn milliseconds(ms: u64) -> TimeDelta {
    // A journal is not trusted: an absurd duration must not overflow the date.
    TimeDelta::milliseconds(i64::try_from(ms).unwrap_or(i64::MAX).min(1_000 * 86_400_000))
}

fn distinct<'a>(texts: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for text in texts {
        if !seen.contains(text) {
            seen.push(text.clone());
        }
    }
    seen
}

fn added(a: Totals, b: Totals) -> Totals {
    Totals {
        cases: a.cases + b.cases,
        passed: a.passed + b.passed,
        failed: a.failed + b.failed,
        errored: a.errored + b.errored,
        skipped: a.skipped + b.skipped,
        flaky: a.flaky + b.flaky,
        healed: a.healed + b.healed,
        steps: a.steps + b.steps,
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn runs_that_overlap_become_one() {
        let (first, _) = sample::run();
        let mut second = first.clone();
        second.at += TimeDelta::seconds(10);
        second.paths.push("more".into());
        second.interrupted = true;
        second.outcome = Outcome::Passed;
        let both = merged(&[second.clone(), first.clone()]).unwrap();
        assert_eq!((both.at, both.elapsed_ms), (first.at, first.elapsed_ms + 10_000));
        assert_eq!(both.outcome, first.outcome);
        assert_eq!(both.totals.cases, 2 * first.totals.cases);
        assert_eq!(both.paths, second.paths);
        assert_eq!(both.uixt, first.uixt);
        assert!(both.interrupted);
        assert_eq!(merged(&[]), None);
    }

    #[test]
    fn an_absurd_duration_does_not_overflow() {
        let (mut run, _) = sample::run();
        run.elapsed_ms = u64::MAX;
        assert!(merged(&[run]).is_some());
    }

    #[test]
    fn adopted_cases_keep_their_pictures() {
        let (_, mut cases) = sample::run();
        for case in &mut cases {
            adopt(case, 2, "run2", Some("host2"));
        }
        assert!(cases.iter().all(|case| case.id.starts_with("2:") && case.name.ends_with(" (from host2)")));
        let text = serde_json::to_string(&cases).unwrap();
        assert!(text.contains("\"run2/screenshots/0042.png\""));
    }
}
