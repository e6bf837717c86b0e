//! `uixt run`: exit codes, devices that are not there, and runs that are interrupted.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::support::counterparts::{Phone, Running, signal, wait_until};
use crate::support::{Ran, Test, items, nobody, text};

const FAILS: &str = "teststeps:\n- log: before\n- assert_visible: {text: No such text, timeout: 0.2}\n- log: after\n";

fn steps(ran: &Ran) -> Vec<String> {
    let summary = ran.json("out/summary.json");
    let steps = summary["cases"][0]["steps"].as_array().cloned().unwrap_or_default();
    steps.iter().map(|step| format!("{} {}", text(&step["name"]), text(&step["outcome"]))).collect()
}

fn run(arguments: &[&str], text: &str) -> Ran {
    let arguments = [&["run", "case.yaml", "--report-dir", "out"], arguments].concat();
    Test::new(&arguments).file("case.yaml", text).run()
}

#[test]
fn a_failed_assertion_ends_its_case() {
    let ran = run(&["--device", "phone"], FAILS).code(1);
    assert_eq!(steps(&ran), ["log \"before\" passed", "assert_visible \"No such text\" failed"]);
    assert!(ran.path("out/screenshots/0001.png").is_file(), "a failure has its picture");
    ran.says("case.yaml:3:3: assert_visible").says("not there within 0.2 s").says("on virtual phone");
}

#[test]
fn going_on_after_a_failure_still_fails() {
    let ran = run(&["--device", "phone", "-c"], FAILS).code(1);
    assert_eq!(steps(&ran)[1..], ["assert_visible \"No such text\" failed", "log \"after\" passed"]);
}

#[test]
fn other_cases_go_on_unless_the_first_failure_ends_the_run() {
    let cases = |arguments: &[&str]| {
        let arguments = [&["run", "a.yaml", "b.yaml", "--device", "phone", "--report-dir", "out"], arguments].concat();
        let ran = Test::new(&arguments).file("a.yaml", FAILS).file("b.yaml", "teststeps:\n- log: b\n").run().code(1);
        let totals = ran.json("out/summary.json")["totals"].clone();
        (totals["failed"].clone(), totals["passed"].clone(), totals["skipped"].clone())
    };
    assert_eq!(cases(&[]), (1.into(), 1.into(), 0.into()));
    // A case that was not run does not vanish.
    assert_eq!(cases(&["--fail-fast"]), (1.into(), 0.into(), 1.into()));
}

#[test]
fn an_absent_device_is_an_error_that_names_those_that_are_there() {
    let phone = Phone::start();
    let ran = run(&["--device", "android:nope", "--adb-server", &phone.address()], FAILS).code(3);
    assert_eq!(ran.json("out/summary.json")["cases"][0]["outcome"], "errored");
    ran.says("nope").says("uixt-phone");
}

#[test]
fn without_an_adb_server_the_error_says_how_to_go_on() {
    for device in ["android:nope", "android"] {
        let address = nobody();
        let ran = run(&["--device", device, "--adb-server", &address], FAILS).code(3);
        ran.says(&format!("no adb server at {address}")).says("adb start-server").says("--device phone");
    }
}

#[test]
fn the_phone_is_never_used_because_nothing_else_is_there() {
    let ran = run(&["--adb-server", &nobody()], FAILS).code(2).says("--device phone");
    assert!(!ran.path("out").exists());
}

#[test]
fn the_only_device_needs_no_name() {
    let phone = Phone::start();
    let text = "teststeps:\n- home:\n- get_screen_size:\n- assert_visible: Settings\n";
    run(&["--adb-server", &phone.address()], text).code(0);
}

#[test]
fn a_device_that_goes_away_is_an_error_of_the_case() {
    let phone = Phone::start();
    let text = "teststeps:\n- home:\n- log: now\n- sleep: 1\n- tap_xy: [0.5, 0.5]\n";
    let test = Test::new(&["run", "case.yaml", "--report-dir", "out", "--adb-server", &phone.address()]);
    let test = test.file("case.yaml", text);
    let mut process = Running(test.command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    wait_until("the third step begins", 30, || journal(&test).contains("\"step\":3"));
    drop(phone);
    assert_eq!(process.ended(60), Some(3));
}

#[test]
fn nothing_selected_is_an_error() {
    let ran = run(&["--filter", "zzz"], "teststeps:\n- log: a\n").code(2).says("no testcase is selected");
    assert!(!ran.path("out").exists());
}

#[test]
fn a_filter_selects_by_file_and_name() {
    let test = Test::new(&["run", ".", "--filter", "^Second$|third", "--report-dir", "out"])
        .file("first.yaml", "config: {name: First}\nteststeps:\n- log: a\n")
        .file("other.yaml", "config: {name: Second}\nteststeps:\n- log: a\n")
        .file("third.yaml", "config: {name: Last}\nteststeps:\n- log: a\n");
    assert_eq!(test.run().code(0).json("out/summary.json")["totals"]["cases"], 2);
}

#[test]
fn a_filter_selects_rows_by_their_names() {
    let text = "config: {name: 'A $word', parameters: {word: [apple, pear, plum]}}\nteststeps:\n- log: $word\n";
    let names = |filter: &str| {
        let summary = run(&["--filter", filter], text).code(0).json("out/summary.json");
        items(&summary["cases"])
            .iter()
            .map(|case| case["name"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names("A pear"), ["A pear [word=pear]"]);
    assert_eq!(names("word=p"), ["A pear [word=pear]", "A plum [word=plum]"]);
    assert_eq!(names("case.yaml").len(), 3);
    run(&["--filter", "A fig"], text).code(2).says("no testcase is selected");
    let named = "config: {name: 'A $word', variables: {word: fig}}\nteststeps:\n- log: $word\n";
    run(&["--filter", "A fig"], named).code(0);
}

#[test]
fn tools_run_under_every_spelling() {
    let ran = run(&[], "teststeps:\n- uixt__log: a\n- Log: b\n").code(0);
    assert_eq!(steps(&ran), ["uixt__log \"a\" passed", "Log \"b\" passed"]);
}

#[test]
fn results_of_an_earlier_run_are_replaced_and_nothing_else_is() {
    let again = ["run", "case.yaml", "--report-dir", "out"];
    let ran = run(&[], "teststeps:\n- log: first\n").code(0);
    let journal = ran.read("out/journal.jsonl");
    let ran = ran.test(&again).file("case.yaml", "teststeps:\n- log: second\n").run().code(0);
    let replaced = ran.read("out/journal.jsonl");
    assert!(replaced != journal && !replaced.contains("first") && replaced.contains("second"), "{replaced}");
    // A run that does not begin takes nothing away.
    let ran = ran.test(&again).file("case.yaml", "teststeps:\n- lgo: third\n").run().code(2);
    assert_eq!(ran.read("out/journal.jsonl"), replaced);
    let ran =
        ran.test(&again).file("case.yaml", "teststeps:\n- log: third\n").file("out/mine.txt", "mine").run().code(2);
    let ran =
        ran.says("out holds another run's results, and beside them mine.txt, which no run wrote; name another folder");
    assert_eq!((ran.read("out/journal.jsonl"), ran.read("out/mine.txt")), (replaced, "mine".to_owned()));
    std::fs::create_dir(ran.path("other")).expect("a folder");
    std::fs::write(ran.path("other/junit.xml"), "<theirs/>").expect("a file");
    let ran = ran.then(&["run", "case.yaml", "--report-dir", "other"]).code(2);
    let ran = ran.says("other holds a junit.xml that no run wrote there; name another folder");
    assert_eq!(ran.read("other/junit.xml"), "<theirs/>");
    std::fs::remove_file(ran.path("out/mine.txt")).expect("a file");
    let other = std::fs::File::open(ran.path("out/journal.jsonl")).expect("a file");
    other.lock().expect("a lock");
    ran.then(&again).code(2).says("out is being written by another run");
}

#[test]
fn what_is_missing_skips_a_case_or_is_an_error() {
    let text = "config: {requires: [no-such-program]}\nteststeps:\n- log: never\n";
    run(&[], text).code(0).says("requires no-such-program");
    run(&["--no-skip"], text).code(3).says("requires no-such-program");
}

#[test]
fn a_case_that_takes_too_long_is_ended() {
    let began = Instant::now();
    let ran = run(&["--case-timeout", "0.3"], "teststeps:\n- sleep: 30\n- log: never\n").code(3);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(steps(&ran).len(), 1);
}

#[test]
fn a_sleep_within_a_text_does_not_outlive_its_case() {
    let began = Instant::now();
    let text = "config: {case_timeout: 0.5}\nteststeps:\n- log: 'a${sleep(3000)}${sleep(3000)}'\n";
    let ran = run(&[], text).code(3).says("interrupted: the case's time is over");
    assert_eq!(ran.json("out/summary.json")["cases"][0]["error"]["kind"], "Timeout");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(steps(&ran), ["log \"a${sleep(3000)}${sleep(3000)}\" errored"]);
}

#[test]
fn a_case_whose_last_step_comes_too_late_does_not_pass() {
    // A step that needs no wait is done, however late it is.
    let ran = run(&["--case-timeout", "0.000001"], "teststeps:\n- log: a\n").code(3);
    ran.says("the case took longer than its 0.000001 s");
}

#[test]
fn a_timeout_without_an_end_is_refused() {
    for timeout in ["1e30", "1e19", "1000001", "0", "-1"] {
        let text = format!("config: {{case_timeout: {timeout}}}\nteststeps:\n- log: a\n");
        run(&[], &text).code(2).says("`case_timeout` is a number of seconds above 0 and at most 1,000,000");
    }
    run(&[], "config: {case_timeout: 1e6}\nteststeps:\n- log: a\n").code(0);
}

#[test]
fn only_the_phone_is_needed() {
    let test = Test::new(&["init"]);
    let ran = test.run().code(0);
    let mut command = Command::new(env!("CARGO_BIN_EXE_uixt"));
    command.env_clear().env("PATH", "/nonexistent").args(["run", "testcases"]).current_dir(ran.path("."));
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

fn journal(test: &Test) -> String {
    std::fs::read_to_string(test.path("out/journal.jsonl")).unwrap_or_default()
}

/// Runs two cases of which the first sleeps, and sends a signal while it does; a moment later again, as a launcher hands on what its whole
/// group got.
fn interrupted(wish: Signal) -> (Ran, Duration) {
    let test = Test::new(&["run", "first.yaml", "second.yaml", "--report-dir", "out"])
        .file(
            "first.yaml",
            "config: {teardown_hooks: [{sleep: 0.3}]}\nteststeps:\n- log: a\n- sleep: 30\n- log: never\n",
        )
        .file("second.yaml", "teststeps:\n- log: never\n");
    let mut process = test.command().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    wait_until("the run sleeps", 30, || {
        journal(&test).contains("\"step_started\",\"case\":\"first.yaml#0\",\"step\":2")
    });
    let began = Instant::now();
    let id = i32::try_from(process.id()).ok().and_then(Pid::from_raw).expect("a number");
    kill_process(id, wish).expect("it can be signalled");
    std::thread::sleep(Duration::from_millis(20));
    kill_process(id, wish).expect("it can be signalled");
    let mut running = None;
    wait_until("the run ends", 25, || {
        running = process.try_wait().expect("a process to wait for");
        running.is_some()
    });
    let took = began.elapsed();
    let output = process.wait_with_output().expect("its output");
    (test.ran(&output), took)
}

#[test]
fn a_run_that_is_interrupted_while_devices_are_opened_ends_soon() {
    // An adb server that takes connections and never answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let test = Test::new(&["run", "case.yaml", "--adb-server", &address, "--report-dir", "out"]);
    let test = test.file("case.yaml", "teststeps:\n- home:\n");
    let mut process = Running(test.command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let _held = silent.accept().unwrap();
    let began = Instant::now();
    signal(&process.0, "INT");
    assert_eq!(process.ended(25), Some(130));
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert!(!test.path("out").exists());
}

#[test]
fn an_interrupted_run_ends_soon_and_has_all_its_reports() {
    for wish in [Signal::INT, Signal::TERM] {
        let (ran, took) = interrupted(wish);
        let ran = ran.code(130);
        assert!(took < Duration::from_secs(20), "{took:?}");
        let summary = ran.json("out/summary.json");
        assert_eq!(summary["interrupted"], true);
        assert_eq!(summary["outcome"], "errored");
        let junit = ran.read("out/junit.xml");
        let junit = roxmltree::Document::parse(&junit).unwrap();
        let error = junit.descendants().find(|node| node.has_tag_name("error")).expect("an error");
        assert_eq!(error.attribute("type"), Some("Interrupted"));
        assert!(ran.read("out/report.html").contains("</html>"));
        assert!(!ran.read("out/journal.jsonl").contains("never\",\"outcome"));
        ran.says("interrupted");
    }
}
