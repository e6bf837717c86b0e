//! A report of 10,000 steps, opened by a testcase in a browser.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::{Test, items, text};

const CASES: usize = 100;
const STEPS: usize = 100;
/// Every tenth step has a picture.
const EVERY: usize = 10;

/// Writes what a run leaves whose cases all pass but one, which fails in its last step.
fn journal() -> String {
    let (mut lines, mut seq) = (String::new(), 0);
    let mut put = |event: &str, fields: Value| {
        seq += 1;
        let mut line = json!({"v": 1, "seq": seq, "at": "2026-11-22T10:00:01.204Z", "event": event});
        line.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        writeln!(lines, "{line}").expect("a text");
    };
    put("run_started", json!({"uixt": "0", "paths": ["testcases"], "cases": CASES}));
    for number in 0..CASES {
        let file = format!("testcases/case{number}.yaml");
        let case = format!("{file}#0");
        put("case_started", json!({"case": case, "name": format!("Case {number}"), "file": file, "steps": STEPS}));
        let fails = |step: usize| number == 77 && step == STEPS;
        for step in 1..=STEPS {
            let name = format!("tap_element \"Item {step}\"");
            let place = json!({"file": file, "line": step + 2, "column": 3});
            let outcome = if fails(step) { "failed" } else { "passed" };
            put("step_started", json!({"case": case, "step": step, "name": name, "place": place}));
            let mut action = json!({
                "case": case, "step": step, "attempt": 1, "tool": "tap_element", "arguments": {"text": format!("Item {step}")},
                "outcome": outcome, "began": "2026-11-22T10:00:01.204Z", "elapsed_ms": 120, "place": place,
            });
            if step % EVERY == 0 {
                action["screenshot"] = format!("screenshots/{:04}.png", (number * STEPS + step) / EVERY).into();
            }
            if fails(step) {
                action["error"] = json!({"kind": "NotFound", "message": "Item 100: not there within 10 s"});
            }
            put("action_finished", action);
            let end = json!({"case": case, "step": step, "name": name, "place": place, "outcome": outcome, "elapsed_ms": 121});
            put("step_finished", end);
        }
        let outcome = if number == 77 { "failed" } else { "passed" };
        put("case_finished", json!({"case": case, "outcome": outcome, "elapsed_ms": 1000}));
    }
    put("run_finished", json!({"outcome": "failed", "elapsed_ms": 100_000}));
    lines
}

const LOOK: &str = "config: {name: The report of ten thousand steps}
teststeps:
- open_url: $url
- assert_visible: Case 99
- assert_visible: 'Item 100: not there within 10 s'
- tap_element: Case 42
- tap_element: {text: '\"Item 50\"', index: 0}
- input: {into: Search cases and steps, text: case42.yaml}
- assert_visible: Case 42
- assert_not_visible: Case 43
";

#[test]
fn a_report_of_ten_thousand_steps_opens_and_can_be_searched() {
    let picture = include_bytes!("../../counter/images/battery.png");
    let test = Test::new(&["report", "out"]).file("out/journal.jsonl", journal()).file("look.yaml", LOOK);
    let test = (1..=CASES * STEPS / EVERY)
        .fold(test, |test, number| test.file(&format!("out/screenshots/{number:04}.png"), picture));
    let ran = test.run().code(1);
    let url = format!("url=file://{}", ran.path("out/report.html").display());
    let look = ran.test(&["run", "look.yaml", "--device", "browser", "--var", &url, "--report-dir", "seen"]);
    let output = look.web_command().output().expect("the program starts");
    let ran = look.ran(&output).code(0);
    let summary = ran.json("seen/summary.json");
    for step in items(&summary["cases"][0]["steps"]) {
        println!("{} ms: {}", step["elapsed_ms"], text(&step["name"]));
    }
}
