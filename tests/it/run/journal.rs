//! Runs that are killed: whatever the journal showed as finished is in the reports that are rebuilt from it.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;

use crate::support::counterparts::{Running, assert_valid_junit, wait_until};
use crate::support::{Ran, Test, items, text};

/// As many cases as there are files.
const CASES: usize = 4;

/// Ten steps a case: lines, short waits, and a picture of the phone.
fn case() -> String {
    let steps = "- log: a line of some length, so that a torn one would show\n- sleep: 0.004\n".repeat(4);
    format!("teststeps:\n{steps}- screenshot:\n- get_text: {{text: Settings}}\n  save: title\n")
}

fn test(devices: &str) -> Test {
    let test = Test::new(&["run", "cases", "--device", "phone", "-j", devices, "--report-dir", "out"]);
    (0..CASES).fold(test, |test, number| test.file(&format!("cases/{number}.yaml"), case()))
}

/// Returns the whole lines that the journal shows now.
fn lines(test: &Test) -> Vec<String> {
    let text = fs::read_to_string(test.path("out/journal.jsonl")).unwrap_or_default();
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().map(str::to_owned).collect()
}

/// Starts the run, kills it once the journal has `count` lines and a moment more; returns what was seen before.
fn killed(devices: &str, count: usize, moment: Duration) -> (Vec<Value>, Ran) {
    let test = test(devices);
    let mut process = Running(test.command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"));
    wait_until("the journal grows", 60, || lines(&test).len() >= count);
    std::thread::sleep(moment);
    let seen = lines(&test);
    process.0.kill().expect("it can be killed");
    process.ended(10);
    let seen =
        seen.iter().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect();
    (seen, test.then(&["report", "out"]))
}

fn step<'a>(summary: &'a Value, event: &Value) -> &'a Value {
    let mut cases = items(&summary["cases"]).iter();
    let case = cases.find(|case| case["id"] == event["case"]).unwrap_or_else(|| panic!("no case of {event}"));
    let mut steps = items(&case["steps"]).iter();
    steps.find(|step| step["number"] == event["step"]).unwrap_or_else(|| panic!("no step of {event}"))
}

/// Checks that what was finished before the kill is in the summary, picture and all.
fn assert_kept(seen: &[Value], ran: &Ran) {
    let summary = ran.json("out/summary.json");
    for event in seen {
        match text(&event["event"]) {
            "action_finished" => {
                let action = &step(&summary, event)["attempts"][0]["actions"][0];
                assert_eq!((&action["tool"], &action["outcome"]), (&event["tool"], &event["outcome"]));
                if let Some(picture) = event["screenshot"].as_str() {
                    let png = fs::read(ran.path("out").join(picture)).expect("a picture");
                    assert!(png.ends_with(b"IEND\xae\x42\x60\x82"), "{picture} is torn");
                }
            }
            "step_finished" => assert_eq!(step(&summary, event)["outcome"], event["outcome"]),
            "case_finished" => {
                let mut cases = items(&summary["cases"]).iter();
                assert!(
                    cases.any(|case| case["id"] == event["case"] && case["outcome"] == event["outcome"]),
                    "{event}"
                );
            }
            _ => {}
        }
    }
}

/// Returns how often to kill: `UIXT_KILLS`, or ten times.
fn kills() -> usize {
    std::env::var("UIXT_KILLS").map_or(10, |number| number.parse().expect("UIXT_KILLS is a number"))
}

#[test]
fn what_was_finished_survives_kill_9() {
    finished_survives("1");
}

#[test]
fn what_was_finished_on_several_devices_survives_kill_9() {
    finished_survives("4");
}

fn finished_survives(devices: &str) {
    let whole = test(devices).run().code(0);
    let length = whole.read("out/journal.jsonl").lines().count();
    assert_eq!(length, 2 + CASES * (2 + 10 * 3), "the run has the steps that are counted on");
    let mut random = fastrand::Rng::with_seed(42);
    let kills = kills();
    let mut interrupted = 0;
    for number in 0..kills {
        // From the first line up to the last case, so that no run is over when it is killed.
        let count = 1 + number * (length - 12) / kills;
        let (seen, ran) = killed(devices, count, Duration::from_micros(random.u64(0..5000)));
        assert!(seen.len() >= count);
        assert_kept(&seen, &ran);
        assert_valid_junit(&ran.path("out/junit.xml"));
        let over = ran.read("out/journal.jsonl").contains("\"run_finished\"");
        interrupted += usize::from(!over);
        let ran = ran.code(if over { 0 } else { 3 });
        let summary = ran.json("out/summary.json");
        assert!(over || (summary["interrupted"] == true && summary["outcome"] == "errored"), "{}", summary["outcome"]);
        let junit = ran.read("out/junit.xml");
        assert!(over || junit.contains("type=\"Interrupted\""), "{junit}");
        assert!(ran.read("out/report.html").contains("</html>"));
    }
    assert!(interrupted > kills / 2, "only {interrupted} of {kills} runs were killed before their end");
}

#[test]
fn a_line_that_was_being_written_is_left_out() {
    let ran = test("1").run().code(0);
    let journal = ran.read("out/journal.jsonl");
    let half = journal.len() / 2;
    let end = (half..journal.len()).find(|at| !journal[..*at].ends_with('\n')).unwrap();
    fs::write(ran.path("out/journal.jsonl"), &journal[..end]).unwrap();
    let ran = ran.then(&["report", "out"]).code(3);
    assert_eq!(ran.json("out/summary.json")["interrupted"], true);
    let seen: Vec<Value> = journal[..end].lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert_kept(&seen, &ran);
}
