//! Runs that something gets in the way of from outside: the terminal ends, the disk is full, the folder of the report is removed, nobody
//! reads what is said.

use std::fs;
use std::process::Stdio;

use crate::support::counterparts::{Running, signal, wait_until};
use crate::support::{Test, items};

/// Thirty cases, each with a wait.
const CASES: &str =
    "config: {name: case $n, parameters: {n: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, \
                     21, 22, 23, 24, 25, 26, 27, 28, 29, 30]}}
teststeps:
- home:
- sleep: 0.1
";

fn test() -> Test {
    Test::new(&["run", "a.yaml", "--device", "phone", "--report-dir", "out"]).file("a.yaml", CASES)
}

/// Starts the run, and returns once a case has ended.
fn begun(test: &Test) -> Running {
    let process = test.command().stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let journal = test.path("out/journal.jsonl");
    wait_until("a case has ended", 60, || {
        fs::read_to_string(&journal).is_ok_and(|text| text.contains("case_finished"))
    });
    Running(process)
}

/// Ends a run by a signal, and checks that its reports are there.
fn assert_ends_in_order(name: &str) {
    let test = test();
    let mut process = begun(&test);
    signal(&process.0, name);
    assert_eq!(process.ended(20), Some(130));
    let summary: serde_json::Value =
        serde_json::from_slice(&fs::read(test.path("out/summary.json")).expect("a summary")).expect("JSON");
    assert_eq!(summary["interrupted"], true, "{name}");
    assert!(items(&summary["cases"]).iter().any(|case| case["outcome"] == "passed"), "{name}");
    assert!(fs::read_to_string(test.path("out/report.html")).expect("a report").contains("</html>"));
}

#[test]
fn a_run_that_is_asked_to_end_reports_what_it_did() {
    assert_ends_in_order("TERM");
    assert_ends_in_order("INT");
}

#[test]
fn a_run_whose_terminal_ends_reports_what_it_did() {
    assert_ends_in_order("HUP");
}

#[test]
fn a_run_that_is_to_outlive_its_terminal_does() {
    let test = test().file("a.yaml", CASES.replace("0.1", "0.01"));
    let mut command = std::process::Command::new("nohup");
    let run = test.command();
    command.arg(run.get_program()).args(run.get_args()).current_dir(run.get_current_dir().expect("a folder"));
    let mut process =
        Running(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"));
    wait_until("a case has ended", 60, || {
        fs::read_to_string(test.path("out/journal.jsonl")).is_ok_and(|text| text.contains("case_finished"))
    });
    signal(&process.0, "HUP");
    assert_eq!(process.ended(60), Some(0));
}

#[test]
fn a_run_whose_report_folder_is_removed_ends_and_says_so() {
    let test = test();
    let mut process = begun(&test);
    fs::remove_dir_all(test.path("out")).expect("it can be removed");
    assert_eq!(process.ended(20), Some(3));
    let mut said = String::new();
    std::io::Read::read_to_string(process.0.stderr.as_mut().expect("a pipe"), &mut said).expect("text");
    assert!(said.contains("cannot write out: the folder was removed while the run wrote its report there"), "{said}");
}

#[test]
fn a_run_whose_disk_is_full_ends_and_keeps_what_was_finished() {
    let test = test();
    let limited = |command: &std::process::Command| {
        // A file that cannot grow is what a full disk is to the journal, with another error.
        let mut limited = std::process::Command::new("sh");
        limited.args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$@\"", "sh"]).arg(command.get_program());
        limited.args(command.get_args()).current_dir(command.get_current_dir().expect("a folder"));
        limited
    };
    let output = limited(&test.command()).stdin(Stdio::null()).output().expect("sh starts");
    let ran = test.ran(&output).code(3).says("cannot write out: ").says("the run ended here");
    let ran = ran.then(&["report", "out", "--output", "elsewhere"]).code(3);
    let summary = ran.json("elsewhere/summary.json");
    assert_eq!(summary["interrupted"], true);
    assert!(items(&summary["cases"]).iter().any(|case| case["outcome"] == "passed"), "{summary}");
}

#[test]
fn a_run_that_nobody_reads_goes_on() {
    let test = test().file("a.yaml", CASES.replace("0.1", "0.01"));
    let mut process = Running(test.command().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts"));
    // As `| head` does.
    drop((process.0.stdout.take(), process.0.stderr.take()));
    assert_eq!(process.ended(60), Some(0));
    let junit = fs::read_to_string(test.path("out/junit.xml")).expect("a report");
    assert_eq!(junit.matches("<testcase ").count(), 30);
}
