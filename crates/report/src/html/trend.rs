//! Earlier runs of a project and this one → a bar for each, as high as the run took long.

use chrono::{DateTime, Utc};
use minijinja::{Value, context};

use super::super::wording;
use crate::result::RunResult;

/// An earlier run, as far as a trend shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastRun {
    pub at: DateTime<Utc>,
    pub elapsed_ms: u64,
    pub passed: u64,
    /// Those that errored as well.
    pub failed: u64,
    /// The way from this run's report to that one's; none where it is not beside it.
    pub report: Option<String>,
}

/// Returns what the page's template shows: none where there is nothing to hold a run against.
pub(super) fn told(before: &[PastRun], run: &RunResult) -> Option<Value> {
    let totals = run.totals;
    let now = PastRun {
        at: run.at,
        elapsed_ms: run.elapsed_ms,
        passed: totals.passed + totals.flaky + totals.healed,
        failed: totals.failed + totals.errored,
        report: None,
    };
    let runs: Vec<&PastRun> = before.iter().chain([&now]).collect();
    let longest = runs.iter().map(|run| run.elapsed_ms).max().unwrap_or_default().max(1);
    let mut took: Vec<u64> = before.iter().map(|run| run.elapsed_ms).collect();
    took.sort_unstable();
    let usual = *took.get(took.len() / 2)?;
    let bar = |run: &&PastRun| {
        let ended = [(run.passed, "passed"), (run.failed, "failed")];
        let ended: Vec<String> =
            ended.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
        let when = run.at.format("%Y-%m-%d %H:%M");
        context! {
            height => (run.elapsed_ms * 100 / longest).max(4),
            failed => run.failed * 100 / (run.passed + run.failed).max(1),
            title => format!("{when} UTC: {} in {}", ended.join(", "), wording::duration(run.elapsed_ms)),
            report => run.report.clone(),
        }
    };
    let green = runs.iter().filter(|run| run.failed == 0).count();
    Some(context! {
        count => runs.len(),
        green => green,
        usual => wording::duration(usual),
        bars => runs.iter().map(bar).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::sample;
    use super::*;

    #[test]
    fn a_run_is_held_against_those_before_it() {
        let run = sample::run().0;
        assert!(told(&[], &run).is_none());
        let past = |elapsed_ms, failed| PastRun { at: run.at, elapsed_ms, passed: 3, failed, report: None };
        let told = told(&[past(1_000, 0), past(24_600, 1), past(2_000, 0)], &run).expect("a trend");
        let text = |key: &str| told.get_attr(key).expect("a field").to_string();
        assert_eq!((text("count"), text("usual")), ("4".to_owned(), "2.0 s".to_owned()));
        assert!(text("bars").contains("'height': 100") && text("bars").contains("'failed': 25"), "{}", text("bars"));
    }
}
