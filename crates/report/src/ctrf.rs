//! `--ctrf FILE`: the Common Test Report Format, one JSON file, a test a line.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::atomic_file::AtomicFile;
use super::cause::Cause;
use super::{Options, Report, comparison, identity, picture, wording};
use crate::result::{ActionResult, CaseResult, Outcome, RunResult, StepResult};

/// The version of the schema that is written.
const VERSION: &str = "0.0.0";

struct Ctrf {
    draft: AtomicFile,
    begun: bool,
}

/// Begins the file that the options name.
pub(super) fn open(dir: &Path, run: &RunResult, options: &Options) -> io::Result<Box<dyn Report>> {
    let path = options.ctrf.clone().unwrap_or_else(|| dir.join("ctrf.json"));
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "name a file"))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut draft = AtomicFile::create(folder, &name.to_string_lossy())?;
    let head = json!({"tool": {"name": "uixt", "version": run.uixt}, "summary": summary(run)}).to_string();
    let begin = json!({
        "reportFormat": "CTRF", "specVersion": VERSION, "timestamp": run.at.to_rfc3339(), "generatedBy": "uixt",
    });
    let begin = begin.to_string();
    write!(draft, "{},\n\"results\":{},\n\"tests\":[", unclosed(&begin), unclosed(&head))?;
    Ok(Box::new(Ctrf { draft, begun: false }))
}

/// Leaves an object open for one more field.
fn unclosed(object: &str) -> &str {
    object.strip_suffix('}').unwrap_or(object)
}

fn summary(run: &RunResult) -> Value {
    let (totals, start) = (&run.totals, run.at.timestamp_millis());
    json!({
        "tests": totals.cases,
        "passed": totals.passed + totals.healed + totals.flaky,
        "failed": totals.failed + totals.errored,
        "skipped": totals.skipped,
        "pending": 0,
        "other": 0,
        "flaky": totals.flaky,
        "start": start,
        "stop": start.saturating_add(i64::try_from(run.elapsed_ms).unwrap_or(i64::MAX)),
        "duration": run.elapsed_ms,
        "extra": {"outcome": run.outcome, "interrupted": run.interrupted, "healed": totals.healed, "steps": totals.steps},
    })
}

impl Report for Ctrf {
    fn case(&mut self, case: &CaseResult) -> io::Result<()> {
        self.draft.write_all(if self.begun { b",\n" } else { b"\n" })?;
        self.begun = true;
        serde_json::to_writer(&mut self.draft, &test(case))?;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.draft.write_all(b"\n]}}\n")?;
        self.draft.keep()
    }
}

fn status(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Skipped => "skipped",
        Outcome::Passed | Outcome::Healed | Outcome::Flaky => "passed",
        Outcome::Failed | Outcome::Errored => "failed",
    }
}

fn test(case: &CaseResult) -> Value {
    let start = case.at.timestamp_millis();
    let name = if case.name.is_empty() { &case.file } else { &case.name };
    let mut test = json!({
        "id": identity::of_run_of(case),
        "name": wording::one_line(name),
        "status": status(case.outcome),
        "rawStatus": wording::outcome(case.outcome),
        "duration": case.elapsed_ms,
        "start": start,
        "stop": start.saturating_add(i64::try_from(case.elapsed_ms).unwrap_or(i64::MAX)),
        "suite": [wording::one_line(&case.file)],
        "filePath": case.file,
        "type": "e2e",
        "flaky": case.outcome == Outcome::Flaky,
        "steps": case.steps.iter().map(step).collect::<Vec<_>>(),
        "extra": {"id": case.id, "healed": case.outcome == Outcome::Healed},
    });
    put_cause(&mut test, case);
    if !case.tags.is_empty() {
        test["tags"] = case.tags.clone().into();
    }
    if let Some(device) = &case.device {
        test["device"] = device.name.as_str().into();
        test["threadId"] = device.serial.as_str().into();
    }
    let attachments: Vec<Value> = actions(case).flat_map(comparison::pictures).filter_map(attachment).collect();
    if !attachments.is_empty() {
        test["attachments"] = attachments.into();
    }
    test
}

fn put_cause(test: &mut Value, case: &CaseResult) {
    match (case.outcome, &case.error) {
        (Outcome::Failed | Outcome::Errored, _) => {
            let why = Cause::of(case);
            test["message"] = wording::printable(&why.headline()).into();
            if let Some(place) = why.action.map(|action| &action.place).or(why.step.map(|step| &step.place)) {
                test["trace"] = format!("{}\n{}", wording::place(place), why.kind()).into();
                if place.file == case.file {
                    test["line"] = place.line.into();
                }
            }
        }
        (Outcome::Skipped, Some(error)) => test["message"] = wording::printable(&error.message).into(),
        _ => {}
    }
}

fn actions(case: &CaseResult) -> impl Iterator<Item = &ActionResult> {
    case.steps.iter().flat_map(|step| &step.attempts).flat_map(|attempt| &attempt.actions)
}

fn step(step: &StepResult) -> Value {
    let extra = json!({"duration": step.elapsed_ms, "place": wording::place(&step.place)});
    json!({"name": wording::one_line(&wording::title(step)), "status": status(step.outcome), "extra": extra})
}

/// Returns a picture with its path relative to the report's folder.
fn attachment(path: &str) -> Option<Value> {
    picture::inside(path)?;
    let kind = match path.rsplit('.').next() {
        Some("jpg" | "jpeg") => "image/jpeg",
        Some("webp") => "image/webp",
        _ => "image/png",
    };
    Some(json!({"name": path, "contentType": kind, "path": path}))
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn the_summary_counts_the_tests() {
        let dir = tempfile::tempdir().unwrap();
        let (run, cases) = sample::run();
        let options = Options { ctrf: Some(dir.path().join("new/ctrf.json")), ..Options::default() };
        let mut report = open(dir.path(), &run, &options).unwrap();
        cases.iter().for_each(|case| report.case(case).unwrap());
        report.finish().unwrap();
        let text = std::fs::read_to_string(dir.path().join("new/ctrf.json")).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let tests = value["results"]["tests"].as_array().unwrap();
        for word in ["passed", "failed", "skipped"] {
            let count = tests.iter().filter(|test| test["status"] == word).count();
            assert_eq!(value["results"]["summary"][word], count, "{word}");
        }
        assert_eq!(value["results"]["summary"]["tests"], tests.len());
        let failed = tests.iter().find(|test| test["rawStatus"] == "failed").unwrap();
        assert_eq!(failed["line"], 7);
        assert_eq!(failed["attachments"][1]["path"], "screenshots/0042.png");
        assert_eq!(tests.iter().filter(|test| test["flaky"] == true).count(), 1);
    }
}
