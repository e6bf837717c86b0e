//! A case → the fields of an Allure result.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::super::cause::Cause;
use super::super::{comparison, identity, wording};
use crate::result::{ActionResult, Attempt, CaseResult, Failure, Outcome, StepResult};

/// The field of a step that names its pictures until they are attached.
const PICTURES: &str = "pictures";

/// Returns the result; pictures are not yet attached.
pub(super) fn result(case: &CaseResult) -> Value {
    let name = if case.name.is_empty() { &case.file } else { &case.name };
    let mut result = json!({
        "uuid": identity::of_run_of(case),
        "historyId": identity::of_case(case),
        "testCaseId": identity::of_case(case),
        "fullName": wording::one_line(&case.id),
        "name": wording::one_line(name),
        "status": status(case.outcome),
        "stage": "finished",
        "labels": labels(case),
        "parameters": parameters(case),
        "steps": case.steps.iter().map(step).collect::<Vec<_>>(),
    });
    put_times(&mut result, case.at, case.elapsed_ms);
    if let Some(details) = details(case) {
        result["statusDetails"] = details;
    }
    result
}

/// Has every picture be put beside the results, and names it where it belongs.
pub(super) fn attach(result: &mut Value, put: &mut dyn FnMut(&str) -> Option<(String, &'static str)>) {
    let Some(steps) = result.get_mut("steps").and_then(Value::as_array_mut) else { return };
    for step in steps {
        attach(step, put);
        let Some(Value::Array(paths)) = step.as_object_mut().and_then(|step| step.remove(PICTURES)) else { continue };
        let attached: Vec<Value> = paths
            .iter()
            .filter_map(Value::as_str)
            .filter_map(|path| put(path).map(|(source, kind)| json!({"name": path, "type": kind, "source": source})))
            .collect();
        if !attached.is_empty() {
            step["attachments"] = attached.into();
        }
    }
}

fn status(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Skipped => "skipped",
        Outcome::Passed | Outcome::Healed | Outcome::Flaky => "passed",
        Outcome::Failed => "failed",
        Outcome::Errored => "broken",
    }
}

fn put_times(value: &mut Value, at: DateTime<Utc>, elapsed_ms: u64) {
    let start = at.timestamp_millis();
    value["start"] = start.into();
    value["stop"] = start.saturating_add(i64::try_from(elapsed_ms).unwrap_or(i64::MAX)).into();
}

fn labels(case: &CaseResult) -> Value {
    let label = |name: &str, value: &str| json!({"name": name, "value": wording::one_line(value)});
    let (folder, file) = case.file.rsplit_once('/').unwrap_or(("", &case.file));
    let mut labels = vec![label("suite", file), label("framework", "uixt")];
    if !folder.is_empty() {
        labels.push(label("parentSuite", folder));
    }
    if let Some(device) = &case.device {
        labels.extend([label("host", &device.name), label("thread", &device.serial)]);
    }
    labels.extend(case.tags.iter().map(|tag| label("tag", tag)));
    if case.outcome == Outcome::Healed {
        labels.push(label("tag", "healed"));
    }
    labels.into()
}

/// Returns the device, which is no part of what the case is, and what the case exports.
fn parameters(case: &CaseResult) -> Vec<Value> {
    let device = case.device.iter().map(
        |device| json!({"name": "device", "value": format!("{} ({})", device.name, device.serial), "excluded": true}),
    );
    let exports =
        case.exports.iter().map(|(name, value)| json!({"name": name, "value": shown(value), "excluded": true}));
    device.chain(exports).collect()
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn details(case: &CaseResult) -> Option<Value> {
    let mut details = match case.outcome {
        Outcome::Failed | Outcome::Errored => {
            let why = Cause::of(case);
            json!({"message": wording::printable(&why.headline()), "trace": wording::printable(&trace(&why))})
        }
        Outcome::Skipped => json!({"message": case.error.as_ref().map_or("", |error| error.message.as_str())}),
        Outcome::Passed | Outcome::Healed | Outcome::Flaky => json!({}),
    };
    if case.outcome == Outcome::Flaky {
        details["flaky"] = true.into();
    }
    details.as_object().is_some_and(|details| !details.is_empty()).then_some(details)
}

/// Says where it happened, what kind it is of, and what may help.
fn trace(why: &Cause) -> String {
    let mut lines = Vec::new();
    if let Some(place) = why.action.map(|action| &action.place).or(why.step.map(|step| &step.place)) {
        lines.push(wording::place(place));
    }
    lines.push(format!("{}: {}", why.kind(), why.message()));
    lines.extend(why.suggestions());
    lines.extend(why.details().map(|details| format!("details: {details}")));
    lines.join("\n")
}

fn step(step: &StepResult) -> Value {
    let only = wording::only_action(step);
    let mut value = item(&wording::title(step), step.outcome, step.error.as_deref());
    put_times(&mut value, step.at, step.elapsed_ms);
    match only {
        Some(action) => put_action(&mut value, action),
        None => value["steps"] = inner(step).into(),
    }
    value
}

/// Returns a step per action, below a step per attempt where there were several.
fn inner(step: &StepResult) -> Vec<Value> {
    let is_one = step.attempts.len() < 2;
    step.attempts.iter().flat_map(|attempt| if is_one { actions(attempt) } else { vec![try_of(attempt)] }).collect()
}

fn try_of(attempt: &Attempt) -> Value {
    let mut value = item(&format!("attempt {}", attempt.number), attempt.outcome, None);
    if let (Some(first), Some(last)) = (attempt.actions.first(), attempt.actions.last()) {
        let lasted = (last.at - first.at).num_milliseconds();
        put_times(&mut value, first.at, u64::try_from(lasted).unwrap_or(0).saturating_add(last.elapsed_ms));
    }
    value["steps"] = actions(attempt).into();
    value
}

fn actions(attempt: &Attempt) -> Vec<Value> {
    let value = |action: &ActionResult| {
        let mut value = item(&wording::call(&action.tool, &action.arguments), action.outcome, None);
        put_times(&mut value, action.at, action.elapsed_ms);
        put_action(&mut value, action);
        value
    };
    attempt.actions.iter().map(value).collect()
}

fn item(name: &str, outcome: Outcome, error: Option<&Failure>) -> Value {
    let mut value = json!({"name": wording::one_line(name), "status": status(outcome), "stage": "finished"});
    if let Some(error) = error {
        value["statusDetails"] = json!({"message": wording::printable(&error.message)});
    }
    value
}

fn put_action(value: &mut Value, action: &ActionResult) {
    let parameter = |(name, value): (&String, &Value)| json!({"name": name, "value": shown(value)});
    let parameters: Vec<Value> = action.arguments.iter().map(parameter).collect();
    if !parameters.is_empty() {
        value["parameters"] = parameters.into();
    }
    if let Some(error) = &action.error {
        value["statusDetails"] = json!({
            "message": wording::printable(&error.message),
            "trace": format!("{}\n{}", wording::place(&action.place), error.kind),
        });
    }
    let pictures = comparison::pictures(action);
    if !pictures.is_empty() {
        value[PICTURES] = pictures.into();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::super::super::sample;
    use super::*;

    fn labels_of(case: &CaseResult) -> Map<String, Value> {
        let labels = result(case)["labels"].as_array().cloned().unwrap_or_default();
        labels.iter().map(|label| (shown(&label["name"]), label["value"].clone())).collect()
    }

    #[test]
    fn the_history_of_a_case_does_not_hang_on_when_and_where_it_ran() {
        let first = sample::case("testcases/a.yaml", "A", Outcome::Passed);
        let mut second = first.clone();
        second.at += chrono::TimeDelta::days(1);
        second.device = Some(sample::device("other"));
        let (first, second) = (result(&first), result(&second));
        assert_eq!(first["historyId"], second["historyId"]);
        assert_ne!(first["uuid"], second["uuid"]);
    }

    #[test]
    fn labels_tell_file_device_and_tags() {
        let case = CaseResult {
            device: Some(sample::device("serial-1")),
            tags: vec!["smoke".into()],
            ..sample::case("testcases/shop/a.yaml", "A", Outcome::Passed)
        };
        let labels = labels_of(&case);
        let expected = [
            ("suite", "a.yaml"),
            ("parentSuite", "testcases/shop"),
            ("host", "Pixel 7"),
            ("thread", "serial-1"),
            ("tag", "smoke"),
        ];
        for (name, value) in expected {
            assert_eq!(labels[name], value, "{name}");
        }
    }

    #[test]
    fn what_a_model_mended_is_passed_and_tagged() {
        let healed = sample::healed();
        assert_eq!(result(&healed)["status"], "passed");
        assert_eq!(labels_of(&healed)["tag"], "healed");
    }

    #[test]
    fn every_try_of_a_step_is_told() {
        let (_, cases) = sample::run();
        let flaky = cases.iter().find(|case| case.outcome == Outcome::Flaky).unwrap();
        let step = &result(flaky)["steps"][0];
        assert_eq!(step["steps"][0]["name"], "attempt 1");
        assert_eq!((&step["steps"][0]["status"], &step["steps"][1]["status"]), (&json!("failed"), &json!("passed")));
        assert_eq!(step["steps"][0]["steps"][0]["statusDetails"]["message"], "no OK");
    }
}
