//! `hrp_summary.json`: a run in the fields that HttpRunner v5 writes, with ours beside them, for programs that read its summaries.
//!
//! What HttpRunner counts over all cases stands after them, so that the file is written case by case.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::atomic_file::AtomicFile;
use super::{Options, Report};
use crate::result::{ActionResult, CaseResult, Outcome, RunResult, StepResult};

/// Name of the file in the report folder.
pub(super) const FILE: &str = "hrp_summary.json";

struct Summary {
    draft: AtomicFile,
    begun: bool,
    cases: CaseStat,
    steps: StepStat,
}

/// How many cases ended how.
#[derive(Default, Serialize)]
struct CaseStat {
    total: u64,
    success: u64,
    fail: u64,
}

/// How many steps ended how, and how often each tool was called.
#[derive(Default, Serialize)]
struct StepStat {
    total: u64,
    successes: u64,
    failures: u64,
    actions: BTreeMap<String, u64>,
}

/// Begins the summary in the folder `dir`.
pub(super) fn open(dir: &Path, run: &RunResult, _: &Options) -> io::Result<Box<dyn Report>> {
    let mut draft = AtomicFile::create(dir, FILE)?;
    let head = json!({
        "success": is_good(run.outcome),
        "time": {"start_at": run.at.to_rfc3339(), "duration": seconds(run.elapsed_ms)},
        "platform": {"httprunner_version": "", "go_version": "", "platform": platform(), "uixt_version": run.uixt},
        "outcome": run.outcome,
        "interrupted": run.interrupted,
        "paths": run.paths,
    });
    let head = head.to_string();
    draft.write_all(head.strip_suffix('}').unwrap_or(&head).as_bytes())?;
    draft.write_all(b",\n\"details\":[")?;
    Ok(Box::new(Summary { draft, begun: false, cases: CaseStat::default(), steps: StepStat::default() }))
}

impl Report for Summary {
    fn case(&mut self, case: &CaseResult) -> io::Result<()> {
        self.draft.write_all(if self.begun { b",\n" } else { b"\n" })?;
        self.begun = true;
        // A case that was not run is none of HttpRunner's: it has no word for it.
        if case.outcome != Outcome::Skipped {
            self.cases.total += 1;
            *if is_good(case.outcome) { &mut self.cases.success } else { &mut self.cases.fail } += 1;
        }
        let mut own = StepStat::default();
        case.steps.iter().for_each(|step| own.add(step));
        case.steps.iter().for_each(|step| self.steps.add(step));
        serde_json::to_writer(&mut self.draft, &detail(case, &own))?;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.draft.write_all(b"\n],\n\"stat\":")?;
        serde_json::to_writer(&mut self.draft, &json!({"testcases": self.cases, "teststeps": self.steps}))?;
        self.draft.write_all(b"}\n")?;
        self.draft.keep()
    }
}

impl StepStat {
    fn add(&mut self, step: &StepResult) {
        if step.outcome == Outcome::Skipped {
            return;
        }
        self.total += 1;
        *if is_good(step.outcome) { &mut self.successes } else { &mut self.failures } += 1;
        for action in actions(step) {
            *self.actions.entry(action.tool.clone()).or_default() += 1;
        }
    }
}

fn is_good(outcome: Outcome) -> bool {
    outcome < Outcome::Failed
}

fn platform() -> String {
    format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH)
}

#[expect(clippy::cast_precision_loss, reason = "a run takes less than 2^52 milliseconds")]
fn seconds(milliseconds: u64) -> f64 {
    milliseconds as f64 / 1000.0
}

fn actions(step: &StepResult) -> impl Iterator<Item = &ActionResult> {
    step.attempts.iter().flat_map(|attempt| &attempt.actions)
}

fn detail(case: &CaseResult, stat: &StepStat) -> Value {
    json!({
        "name": case.name,
        "success": is_good(case.outcome),
        "case_id": case.id,
        "stat": stat,
        "time": {"start_at": case.at.to_rfc3339(), "duration": seconds(case.elapsed_ms)},
        "in_out": {"config_vars": {}, "export_vars": case.exports},
        "records": case.steps.iter().map(|step| record(case, step)).collect::<Vec<_>>(),
        "outcome": case.outcome,
        "file": case.file,
        "device": case.device,
        "tags": case.tags,
        "error": case.error,
    })
}

fn record(case: &CaseResult, step: &StepResult) -> Value {
    let (checks, calls): (Vec<&ActionResult>, Vec<&ActionResult>) = actions(step).partition(|action| is_check(action));
    let mut record = json!({
        "name": step.name,
        "start_time": step.at.timestamp_millis(),
        "step_type": step_type(case, step, !checks.is_empty()),
        "success": is_good(step.outcome),
        "elapsed_ms": step.elapsed_ms,
        "data": {"validators": checks.iter().map(|action| validator(action)).collect::<Vec<_>>()},
        "actions": calls.iter().map(|action| call(action)).collect::<Vec<_>>(),
        "outcome": step.outcome,
        "place": step.place,
    });
    if let Some(attachments) = attachments(step) {
        record["attachments"] = attachments;
    }
    record
}

fn is_check(action: &ActionResult) -> bool {
    action.tool.starts_with("assert_")
}

/// Returns `HttpRunner`'s name for the kind of a step.
fn step_type(case: &CaseResult, step: &StepResult, has_checks: bool) -> String {
    let tool = actions(step).find(|action| !is_check(action)).map_or("", |action| action.tool.as_str());
    if matches!(tool, "request" | "shell" | "websocket") {
        return tool.to_owned();
    }
    let platform = case.device.as_ref().map_or("android", |device| device.platform.as_str());
    format!("{platform}{}", if has_checks { "_validation" } else { "" })
}

fn call(action: &ActionResult) -> Value {
    let mut call = json!({
        "method": action.tool,
        "params": action.arguments,
        "start_time": action.at.timestamp_millis(),
        "elapsed_ms": action.elapsed_ms,
        "message": action.message,
        "outcome": action.outcome,
    });
    if let Some(error) = &action.error {
        call["error"] = error.message.as_str().into();
        call["error_kind"] = error.kind.as_str().into();
    }
    if let Some(path) = &action.screenshot {
        call["screen_results"] = json!([{"image_path": path}]);
    }
    call
}

/// Returns a check in `HttpRunner`'s words: what was looked at, how it was compared, with what.
fn validator(action: &ActionResult) -> Value {
    let (check, assert, expect) = words(&action.tool, &action.arguments);
    json!({
        "check": check,
        "assert": assert,
        "expect": expect,
        "msg": action.error.as_ref().map_or(action.message.as_str(), |error| error.message.as_str()),
        "check_value": action.arguments.get("value"),
        "check_result": if is_good(action.outcome) { "pass" } else { "fail" },
    })
}

fn words(tool: &str, arguments: &Map<String, Value>) -> (String, String, Value) {
    let flag = |name: &str| arguments.get(name) == Some(&Value::Bool(true));
    let argument = |name: &str| arguments.get(name).cloned();
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
    let part = |positive: &str, negative: &str, not: bool| if not { negative.to_owned() } else { positive.to_owned() };
    match tool {
        "assert_foreground_app" => (
            "ui_foreground_app".to_owned(),
            part("equal", "not_equal", flag("not")),
            argument("package_name").unwrap_or_default(),
        ),
        "assert_visible" | "assert_not_visible" => {
            let not = tool == "assert_not_visible";
            let assert =
                if flag("exact") { part("equal", "not_equal", not) } else { part("exists", "not_exists", not) };
            let selector = argument("selector").map(|selector| ("ui_selector", selector));
            let (check, expect) = selector
                .or_else(|| argument("text").map(|text| ("ui_ocr", text)))
                .unwrap_or(("ui_selector", Value::Object(arguments.clone())));
            (check.to_owned(), assert, expect)
        }
        "assert_value" => (
            text("name").unwrap_or_else(|| "value".to_owned()),
            text("assert").unwrap_or_default(),
            argument("expect").unwrap_or_default(),
        ),
        _ => (tool.to_owned(), "equal".to_owned(), Value::Object(arguments.clone())),
    }
}

fn attachments(step: &StepResult) -> Option<Value> {
    let error = actions(step).filter_map(|action| action.error.as_ref()).last().or(step.error.as_ref());
    let pictures: Vec<Value> =
        actions(step).filter_map(|action| action.screenshot.as_ref()).map(|path| json!({"image_path": path})).collect();
    let mut attachments = Map::new();
    if let Some(error) = error {
        attachments.insert("error".to_owned(), error.message.as_str().into());
    }
    if !pictures.is_empty() {
        attachments.insert("screen_results".to_owned(), pictures.into());
    }
    (!attachments.is_empty()).then_some(Value::Object(attachments))
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn written() -> Value {
        let dir = tempfile::tempdir().unwrap();
        let (run, cases) = sample::run();
        let mut report = open(dir.path(), &run, &Options::default()).unwrap();
        cases.iter().for_each(|case| report.case(case).unwrap());
        report.finish().unwrap();
        serde_json::from_str(&std::fs::read_to_string(dir.path().join(FILE)).unwrap()).unwrap()
    }

    #[test]
    fn totals_are_those_of_the_cases_and_steps() {
        let value = written();
        let details = value["details"].as_array().unwrap();
        let run = details.iter().filter(|detail| detail["outcome"] != "skipped");
        let good = run.clone().filter(|detail| detail["success"] == true).count();
        assert_eq!(
            value["stat"]["testcases"],
            json!({"total": run.clone().count(), "success": good, "fail": run.count() - good})
        );
        let steps = &value["stat"]["teststeps"];
        let sum = |key: &str| details.iter().map(|detail| detail["stat"][key].as_u64().unwrap()).sum::<u64>();
        assert_eq!(steps["total"], json!(sum("total")));
        assert_eq!(steps["failures"], json!(sum("failures")));
        assert!(steps["actions"].as_object().is_some_and(|actions| !actions.is_empty()));
        assert_eq!(value["success"], json!(false));
    }

    #[test]
    fn checks_are_told_in_the_words_of_validators() {
        let told = |tool: &str, arguments: Value| {
            let (check, assert, expect) = words(tool, arguments.as_object().unwrap());
            json!([check, assert, expect])
        };
        assert_eq!(told("assert_visible", json!({"text": "登录", "regex": true})), json!(["ui_ocr", "exists", "登录"]));
        assert_eq!(
            told("assert_not_visible", json!({"text": "a", "exact": true})),
            json!(["ui_ocr", "not_equal", "a"])
        );
        assert_eq!(told("assert_visible", json!({"selector": "#a"})), json!(["ui_selector", "exists", "#a"]));
        assert_eq!(
            told("assert_foreground_app", json!({"package_name": "a.b", "not": true})),
            json!(["ui_foreground_app", "not_equal", "a.b"])
        );
        assert_eq!(
            told("assert_value", json!({"name": "status_code", "assert": "equals", "expect": 200, "value": 404})),
            json!(["status_code", "equals", 200])
        );
    }
}
