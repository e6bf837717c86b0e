//! Several devices at a time: who runs what, what is never at the same time, and what becomes of a case whose device breaks.

use std::collections::BTreeSet;
use std::process::Stdio;

use serde_json::Value;

use crate::support::adb_server::Server;
use crate::support::counterparts::{Phone, wait_until};
use crate::support::{Ran, Test, items, text};

const ROWS: &str = "config: {name: case $n, parameters: {n: [1, 2, 3, 4, 5, 6]}}
teststeps:
- app_launch: com.uixt.shop
- assert_visible: Sign in
- sleep: 0.4
";

/// A run's cases: their names, devices, and which lines of the journal they began and ended with.
struct Case {
    name: String,
    device: String,
    began: usize,
    ended: usize,
    outcome: String,
}

fn cases(ran: &Ran) -> Vec<Case> {
    let summary = ran.json("r/summary.json");
    let journal = ran.read("r/journal.jsonl");
    let events: Vec<Value> = journal.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let line = |event: &str, id: &Value| events.iter().position(|line| line["event"] == event && line["case"] == *id);
    let of = |case: &Value| {
        let at = |event: &str| line(event, &case["id"]).expect("an event");
        Case {
            name: text(&case["name"]).to_owned(),
            device: case["device"]["serial"].as_str().unwrap_or_default().to_owned(),
            began: at("case_started"),
            ended: at("case_finished"),
            outcome: text(&case["outcome"]).to_owned(),
        }
    };
    items(&summary["cases"]).iter().map(of).collect()
}

/// Returns the most cases that ran at the same time.
fn most_at_once(cases: &[Case]) -> usize {
    let at = |moment: usize| cases.iter().filter(|case| case.began <= moment && moment < case.ended).count();
    cases.iter().map(|case| at(case.began)).max().unwrap_or_default()
}

#[test]
fn cases_are_shared_among_virtual_phones() {
    let test = Test::new(&["run", "a.yaml", "-j", "3", "--device", "phone", "--report-dir", "r"]);
    let ran = test.file("a.yaml", ROWS).run().code(0).says("6 passed");
    let cases = cases(&ran);
    let names: BTreeSet<_> = cases.iter().map(|case| &case.name).collect();
    let devices: BTreeSet<_> = cases.iter().map(|case| case.device.as_str()).collect();
    assert_eq!(names.len(), 6, "{names:?}");
    assert_eq!(devices, ["uixt-phone", "uixt-phone-2", "uixt-phone-3"].into());
    assert_eq!(most_at_once(&cases), 3);
    for device in devices {
        let on_it: Vec<Case> = self::cases(&ran).into_iter().filter(|case| case.device == device).collect();
        assert_eq!(most_at_once(&on_it), 1, "{device}");
    }
}

#[test]
fn what_is_locked_is_used_by_one_case_at_a_time() {
    let with = |lock: &str| ROWS.replace("{name: case $n", &format!("{{name: case $n, lock: \"{lock}\""));
    let of = |text: String| {
        let test = Test::new(&["run", "a.yaml", "-j", "6", "--device", "phone", "--report-dir", "r"]);
        most_at_once(&cases(&test.file("a.yaml", text).run().code(0)))
    };
    assert_eq!(of(with("account")), 1);
    assert_eq!(
        of(with("account").replace("\"account\"", "[account, other]").replace("[1, 2, 3, 4, 5, 6]", "[1, 2]")),
        1
    );
    // Two accounts, each used by one case at a time.
    assert_eq!(of(with("account-${n % 2}")), 2, "two accounts");
}

#[test]
fn cases_go_to_the_devices_that_they_require() {
    let case = |requires: &str| format!("config: {{name: {requires}, requires: {requires}}}\nteststeps:\n- home:\n");
    let run = |more: &[&str]| {
        let options = [&["run", "cases", "-j", "3", "--device", "phone", "--report-dir", "r"], more].concat();
        let test = Test::new(&options).file("cases/old.yaml", case("old")).file("cases/tablet.yaml", case("tablet"));
        test.file("uixt.yaml", "devices: {old: [uixt-phone-2, R5CT1], tablet: R5CT2}\n").run()
    };
    let ran =
        run(&["--repeat", "4"]).code(0).says("requires a device of tablet (R5CT2), and none of the devices is one");
    let passed: Vec<Case> = cases(&ran).into_iter().filter(|case| case.outcome == "passed").collect();
    assert!(passed.len() == 4 && passed.iter().all(|case| case.device == "uixt-phone-2"), "on others, too");
    run(&["--no-skip"]).code(3).says("requires a device of tablet (R5CT2)");
    let alone = Test::new(&["run", "a.yaml", "--device", "phone"]).file("a.yaml", case("tablet"));
    alone.file("uixt.yaml", "devices: {tablet: R5CT2}\n").run().code(0).says("requires a device of tablet (R5CT2)");
}

#[test]
fn every_case_runs_on_each_device_as_often_as_is_said() {
    let given = ["run", "a.yaml", "--device", "phone", "--device", "phone", "--each-device", "--repeat", "2"];
    let test = Test::new(&[&given[..], &["--report-dir", "r"]].concat());
    let ran = test.file("a.yaml", ROWS.replace("[1, 2, 3, 4, 5, 6]", "[1, 2]")).run().code(0).says("8 passed");
    let ran_on: BTreeSet<_> = cases(&ran).into_iter().map(|case| (case.name, case.device)).collect();
    let expected =
        |name: &str, device: &str| assert!(ran_on.contains(&(name.to_owned(), device.to_owned())), "{ran_on:?}");
    for device in ["uixt-phone", "uixt-phone-2"] {
        for run in ["run 1 of 2", "run 2 of 2"] {
            expected(&format!("case 1 [n=1] ({run})"), device);
            expected(&format!("case 2 [n=2] ({run})"), device);
        }
    }
    assert_eq!(ran_on.len(), 8);
    let junit = ran.read("r/junit.xml");
    assert_eq!(junit.matches("<testcase ").count(), 8, "{junit}");
}

#[test]
fn what_is_not_run_is_told_when_a_run_ends_early() {
    let text = ROWS.replace("Sign in", "Nowhere, timeout: 0.1").replace("assert_visible: ", "assert_visible: {text: ");
    let text = text.replace("timeout: 0.1", "timeout: 0.1}");
    let test = Test::new(&[
        "run",
        "a.yaml",
        "b.yaml",
        "-j",
        "2",
        "--device",
        "phone",
        "--fail-fast",
        "--verbose",
        "--report-dir",
        "r",
    ]);
    let ran =
        test.file("a.yaml", text).file("b.yaml", ROWS).run().code(1).says(" rows, 3 to 6]").says("not run: an earlier");
    let skipped: Vec<Case> = cases(&ran).into_iter().filter(|case| case.outcome == "skipped").collect();
    assert_eq!(skipped.len(), 2, "one of each file");
    assert!(skipped.iter().any(|case| case.name == "case $n [6 rows, 1 to 6]"), "{:?}", skipped[1].name);
}

#[test]
fn wrong_numbers_of_devices_are_told() {
    let run = |given: &[&str]| Test::new(&[&["run", "a.yaml"], given].concat()).file("a.yaml", ROWS).run();
    run(&["-j", "3", "--device", "android:x"])
        .code(2)
        .says("-j 3: one device is named, and a phone runs one case at a time");
    run(&["-j", "0"]).code(2).says("1..=256");
    let nobody = crate::support::nobody();
    run(&["--device", "android:*", "--adb-server", &nobody]).code(3).says("no adb server at");
    let empty = Server::start();
    run(&["--device", "android:*", "--adb-server", &empty.address()]).code(2).says("no phone is ready");
    let mixed = ["--device", "phone", "--device", "browser"];
    run(&mixed).code(2).says("does not say which it is for").says("requires: [android]");
    let ran = Test::new(&[&["run", "a.yaml", "--report-dir", "r"], &mixed[..]].concat());
    let ran = ran.file("a.yaml", ROWS.replace("{name", "{requires: [android], name")).run().code(0).says("6 passed");
    assert!(cases(&ran).iter().all(|case| case.device == "uixt-phone"));
}

#[test]
fn a_device_that_breaks_hands_its_case_to_another_once() {
    let (server, first, second) =
        (Server::start(), Phone::start_with(&["--adbd-port", "0"], 1), Phone::start_with(&["--adbd-port", "0"], 1));
    let serials = [&first, &second].map(|phone| server.connect(phone.adbds[0]));
    let devices = serials.each_ref().map(|serial| format!("android:{serial}"));
    let address = server.address();
    let given = [
        "run",
        "a.yaml",
        "--adb-server",
        &address,
        "--report-dir",
        "r",
        "--video",
        "all",
        "--device",
        &devices[0],
        "--device",
        &devices[1],
    ];
    let test =
        Test::new(&given).file("a.yaml", ROWS.replace("sleep: 0.4", "repeat: 8\n  steps:\n  - home:\n  - sleep: 0.2"));
    let mut command = test.command();
    let process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let journal = test.path("r/journal.jsonl");
    let is_at_work = || {
        let text = std::fs::read_to_string(&journal).unwrap_or_default();
        text.lines().any(|line| line.contains("\"app_launch\"") && line.contains("action_finished"))
    };
    wait_until("a case has begun on each", 20, is_at_work);
    drop(first);
    let ran = test.ran(&process.wait_with_output().expect("it ends")).code(0).says("1 flaky").says("5 passed");
    let told = "stopped answering: the case runs again from its start on";
    let ran = ran.says(told);
    let cases = cases(&ran);
    let flaky: Vec<&Case> = cases.iter().filter(|case| case.outcome == "flaky").collect();
    assert_eq!((flaky.len(), flaky[0].device.as_str()), (1, serials[1].as_str()));
    assert_eq!(cases.len(), 6);
    // The film of the device that broke is lost with it, and said to be; that of the other is there.
    assert!(ran.read("r/journal.jsonl").contains("no video, or not all of it: "), "nothing tells of the lost film");
    let videos = std::fs::read_dir(ran.path("r/videos")).expect("videos").flatten();
    let filmed = videos.filter(|video| {
        std::fs::read_to_string(video.path().join("index.jsonl")).is_ok_and(|index| index.contains("\"part\""))
    });
    assert_eq!(filmed.count(), 6);
    for report in ["r/junit.xml", "r/report.html", "r/summary.json"] {
        assert!(ran.read(report).contains(told), "{report} does not tell it");
    }
}

/// A project whose testcases write down when they run.
fn around(before_device: &str, arguments: &[&str]) -> Test {
    let note = |word: &str| format!("teststeps:\n- shell: {{string: 'echo {word} >> told'}}\n");
    let project = "device: phone\nbefore_run: set-up.yaml\nafter_run: tidy.yaml\nbefore_device: [install.yaml]\nafter_device: logs.yaml\n";
    let test = Test::new(arguments).file("uixt.yaml", project).file("set-up.yaml", note("first"));
    let test = test.file("tidy.yaml", note("last")).file("install.yaml", note(before_device));
    test.file("logs.yaml", note("after")).file("a.yaml", ROWS)
}

#[test]
fn what_projects_run_around_all_cases_and_those_of_each_device_runs_once() {
    let ran = around("before", &["run", ".", "-j", "2", "--report-dir", "r"]).run().code(0).says("12 passed");
    let told = ran.read("told");
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[5]), (6, "first", "last"), "{told}");
    assert_eq!(["before", "after"].map(|word| lines.iter().filter(|line| **line == word).count()), [2, 2], "{told}");
    let cases = cases(&ran);
    let installs: BTreeSet<_> =
        cases.iter().filter(|case| case.name.starts_with("install")).map(|case| &case.name).collect();
    assert_eq!((cases.len(), installs.len()), (12, 1));
    let junit = ran.read("r/junit.xml");
    assert!(junit.contains("install"), "{junit}");
}

#[test]
fn nothing_runs_where_what_comes_before_it_does_not_pass() {
    let ran = around("before >> told; exit 1; :", &["run", ".", "-j", "2", "--report-dir", "r"]).run().code(1);
    let ran = ran.says("not run: install.yaml (`before_device`) did not pass on ").says("2 failed, 1 skipped");
    assert_eq!(ran.read("told"), "first\nbefore\nbefore\nlast\n");
    let test = around("before", &["run", "a.yaml", "--report-dir", "r"]);
    let ran = test.file("set-up.yaml", "teststeps:\n- assert_value: {value: 1, equals: 2}\n").run().code(1);
    let ran = ran.says("a.yaml): not run: set-up.yaml (`before_run`) did not pass");
    assert_eq!(ran.read("told"), "last\n");
    let ran = around("before", &["run", "a.yaml"]).file("uixt.yaml", "before_run: none.yaml\n").run();
    ran.code(2).says("uixt.yaml:1:13: `before_run`: there is no file none.yaml");
}

#[test]
fn what_tidies_up_runs_also_where_the_run_is_interrupted() {
    let test = around("home", &["run", "a.yaml"]).file("a.yaml", "teststeps:\n- home:\n- sleep: 30\n");
    let mut command = test.command();
    command.args(["--report-dir", "r"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut process = crate::support::counterparts::Running(command.spawn().expect("it starts"));
    let journal = test.path("r/journal.jsonl");
    wait_until("it sleeps", 30, || std::fs::read_to_string(&journal).is_ok_and(|text| text.contains("sleep 30")));
    crate::support::counterparts::signal(&process.0, "TERM");
    assert_eq!(process.ended(30), Some(130));
    let summary: Value =
        serde_json::from_slice(&std::fs::read(test.path("r/summary.json")).expect("a summary")).expect("JSON");
    let outcome = |file: &str| {
        let mut cases = items(&summary["cases"]).iter();
        cases.find(|case| case["file"] == file).map(|case| text(&case["outcome"]).to_owned())
    };
    assert_eq!(["logs.yaml", "tidy.yaml"].map(outcome), [Some("passed".to_owned()), Some("passed".to_owned())]);
}
