//! Results for the tests of the reports.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Map, Value, json};
use uixt_core::tool_times::ToolTimes;

use crate::result::{
    ActionResult, Attempt, CaseResult, Device, Failure, LogLine, Mark, Mended, ModelUsage, Outcome, Place, RunResult,
    StepResult, Totals,
};

pub(super) fn start() -> DateTime<Utc> {
    "2026-11-22T10:00:01Z".parse().unwrap()
}

pub(super) fn device(serial: &str) -> Device {
    Device { platform: "android".into(), serial: serial.into(), name: "Pixel 7".into() }
}

pub(super) fn failure(kind: &str, message: &str) -> Failure {
    Failure { kind: kind.into(), message: message.into(), details: None }
}

fn place(line: u32) -> Place {
    Place { file: "testcases/login.yaml".into(), line, column: 3 }
}

fn map(value: Value) -> Map<String, Value> {
    let Value::Object(map) = value else { panic!("{value} is not an object") };
    map
}

/// An action that passed within 310 ms.
pub(super) fn action(tool: &str, arguments: Value) -> ActionResult {
    ActionResult {
        tool: tool.into(),
        arguments: map(arguments),
        outcome: Outcome::Passed,
        at: start(),
        elapsed_ms: 310,
        waiting_ms: 0,
        message: String::new(),
        error: None,
        place: place(4),
        screenshot: None,
        mark: None,
        lookup: None,
        seen: Vec::new(),
        usage: ModelUsage::default(),
        mended: Vec::new(),
        parts: None,
    }
}

/// A case with a goal that a model mended.
pub(super) fn healed() -> CaseResult {
    let usage =
        ModelUsage { calls: 1, input_tokens: 4_200, output_tokens: 30, took_ms: 2_100, ..ModelUsage::default() };
    let (was, now) =
        (vec!["tap_element: {\"text\":\"<Sign in>\"}".into()], vec!["tap_element: {\"text\":\"Log in\"}".into()]);
    let mended = vec![Mended { step: 4, why: "it is not there".into(), was, now }];
    let goal = ActionResult {
        outcome: Outcome::Healed,
        message: "Reached in 5 steps; mended: step 4".into(),
        usage,
        mended,
        ..action("start_to_goal", json!({"goal": "Log in"}))
    };
    let steps = vec![step(1, goal)];
    CaseResult { steps, usage, ..case("testcases/goal.yaml", "Goal", Outcome::Healed) }
}

pub(super) fn failing(tool: &str, outcome: Outcome, kind: &str, message: &str) -> ActionResult {
    ActionResult { outcome, error: Some(Box::new(failure(kind, message))), place: place(7), ..action(tool, json!({})) }
}

pub(super) fn step(number: u32, action: ActionResult) -> StepResult {
    StepResult {
        number,
        name: action.tool.clone(),
        place: action.place.clone(),
        outcome: action.outcome,
        at: action.at,
        elapsed_ms: action.elapsed_ms,
        error: None,
        attempts: vec![Attempt { number: 1, outcome: action.outcome, actions: vec![action] }],
    }
}

/// A case without steps.
pub(super) fn case(file: &str, name: &str, outcome: Outcome) -> CaseResult {
    CaseResult {
        id: format!("{file}#{name}"),
        name: name.into(),
        file: file.into(),
        device: None,
        tags: Vec::new(),
        at: start(),
        elapsed_ms: 310,
        outcome,
        error: None,
        steps: Vec::new(),
        exports: serde_json::Map::new(),
        log: Vec::new(),
        usage: ModelUsage::default(),
        own_tools: ToolTimes::default(),
    }
}

/// A PNG of this size, as far as its head.
pub(super) fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes
}

fn failed() -> CaseResult {
    let mut welcome = failing("assert_visible", Outcome::Failed, "NotFound", "");
    welcome.arguments = map(json!({"text": "Welcome, 小明"}));
    welcome.error = Some(Box::new(Failure {
        details: Some(json!({"nearest": ["Welcome, guest"]})),
        ..failure("NotFound", "not there within 10 s; nearest text: \"Welcome, guest\" (e7)")
    }));
    welcome.screenshot = Some("screenshots/0042.png".into());
    let mut tap = action("tap_element", json!({"text": "登录"}));
    tap.message = "Tapped at 0.50, 0.61".into();
    tap.mark = Some(Mark::Tap { x: 0.5, y: 0.61 });
    tap.screenshot = Some("screenshots/0041.png".into());
    CaseResult {
        device: Some(Device { name: "virtual phone".into(), ..device("uixt-1") }),
        steps: vec![
            step(1, action("app_launch", json!({"package": "com.uixt.shop"}))),
            step(2, tap),
            step(3, action("input", json!({"text": "</script><script>alert(1)</script>", "into": "用户"}))),
            step(4, welcome),
        ],
        elapsed_ms: 5403,
        tags: vec!["smoke".into()],
        log: vec![LogLine { at: start(), level: "warn".into(), message: "moving <target>".into() }],
        ..case("testcases/login.yaml", "Log in", Outcome::Failed)
    }
}

fn flaky() -> CaseResult {
    let mut retried = step(1, action("tap_element", json!({"text": "OK"})));
    retried.outcome = Outcome::Flaky;
    let first = failing("tap_element", Outcome::Failed, "NotFound", "no OK");
    retried.attempts.insert(0, Attempt { number: 1, outcome: Outcome::Failed, actions: vec![first] });
    retried.attempts[1].number = 2;
    CaseResult { steps: vec![retried], ..case("testcases/pay.yaml", "Pay 🎉 ]]>", Outcome::Flaky) }
}

/// A run with a case of every outcome.
pub(super) fn run() -> (RunResult, Vec<CaseResult>) {
    let mut errored = case("testcases/lost.yaml", "掉线 \u{1b}[31m", Outcome::Errored);
    errored.steps = vec![step(1, failing("tap_xy", Outcome::Errored, "Device", "device gone\u{0}"))];
    let mut skipped = case("testcases/ios.yaml", "On iOS", Outcome::Skipped);
    skipped.error = Some(failure("Skipped", "no ios device"));
    let mut passed = case("testcases/log.yaml", "Say", Outcome::Passed);
    passed.steps = vec![step(1, action("log", json!({"message": "hello"})))];
    let cases = vec![passed, failed(), errored, skipped, flaky()];
    let mut totals = Totals::default();
    for case in &cases {
        totals.add(case.outcome, case.steps.len() as u64);
    }
    let run = RunResult {
        v: 1,
        uixt: "0.1.0".into(),
        paths: vec!["testcases/".into()],
        at: start(),
        elapsed_ms: 12_345,
        outcome: Outcome::Errored,
        totals,
        interrupted: false,
        causes: Vec::new(),
        not_run: 0,
        usage: ModelUsage::default(),
        shard: None,
        seed: None,
    };
    (run, cases)
}

/// A case of plain steps, as a long script has them.
pub(super) fn long(steps: u32) -> CaseResult {
    let mut case = case("testcases/long.yaml", "Long", Outcome::Passed);
    case.elapsed_ms = u64::from(steps) * 12;
    case.steps = (1..=steps)
        .map(|number| {
            let mut log = action("log", json!({"message": format!("line {number} of many")}));
            log.at += TimeDelta::milliseconds(i64::from(number) * 12);
            log.elapsed_ms = 12;
            log.place.line = number + 3;
            step(number, log)
        })
        .collect();
    case
}
