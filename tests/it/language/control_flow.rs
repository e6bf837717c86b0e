//! Control flow in testcases: conditions, repetition, retries, hooks, rows, other files; how each passes, and how it does not.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::counterparts::{Running, assert_valid_junit, signal, wait_until};
use crate::support::{Ran, Test, items, text};

/// Returns `name outcome: why` of each step of the only case.
fn lines(ran: &Ran) -> Vec<String> {
    let summary = ran.json("out/summary.json");
    let line = |step: &Value| {
        let why = step["error"]["message"].as_str().map(|why| format!(": {why}")).unwrap_or_default();
        format!("{} {}{why}", text(&step["name"]), text(&step["outcome"]))
    };
    items(&summary["cases"][0]["steps"]).iter().map(line).collect()
}

fn case(ran: &Ran) -> Value {
    ran.json("out/summary.json")["cases"][0].clone()
}

fn test(arguments: &[&str], text: &str) -> Test {
    Test::new(&[&["run", "case.yaml", "--report-dir", "out"], arguments].concat()).file("case.yaml", text)
}

/// Runs a case, whose exit code and steps are these.
#[track_caller]
fn check(text: &str, code: i32, wanted: &[&str]) -> Ran {
    let ran = test(&[], text).run().code(code);
    assert_eq!(lines(&ran), wanted);
    ran
}

#[test]
fn a_condition_that_never_held_shows_what_it_looked_at() {
    let text = "config: {variables: {key: '${ENV(KEY)}'}}
teststeps:
- shell: echo busy
  save: state
  repeat: {until: \"state == 'done' and key == state\", max: 2}
";
    let arguments = ["run", "a.yaml", "--env-file", "my.env", "--report-dir", "out"];
    let ran = Test::new(&arguments).file("a.yaml", text).file("my.env", "KEY=hunter2\n").run().code(1);
    ran.says("did not hold after 2 times: `state` was \"busy\", `key` was \"••••••\"");
    let held = text.replace("echo busy", "echo done").replace(" and key == state", "");
    Test::new(&arguments).file("a.yaml", held).file("my.env", "KEY=hunter2\n").run().code(0);
}

#[test]
fn variables_that_come_from_what_is_no_map_fail_though_nothing_uses_them() {
    for text in [
        "config: {variables: \"${split_by_comma('a,b')}\"}\nteststeps: [log: a]\n",
        "teststeps:\n- {log: a, variables: \"${split_by_comma('a,b')}\"}\n",
        "teststeps:\n- {steps: [log: a], variables: \"${split_by_comma('a,b')}\"}\n",
    ] {
        let ran = Test::new(&["run", "a.yaml", "--report-dir", "out"]).file("a.yaml", text).run().code(3);
        ran.says("`variables` is a map; what this returns is a list");
    }
}

#[test]
fn a_step_whose_condition_does_not_hold_is_skipped() {
    let text = "config: {variables: {n: 3}}\nteststeps:\n- {log: a, when: n > 3}\n- {log: b, when: n == 3}\n";
    check(text, 0, &["log \"a\" skipped: when `n > 3` does not hold", "log \"b\" passed"]);
    let ran = check(
        &text.replace("n == 3", "n > 4"),
        0,
        &["log \"a\" skipped: when `n > 3` does not hold", "log \"b\" skipped: when `n > 4` does not hold"],
    );
    assert_eq!(case(&ran)["outcome"], "skipped", "a case in which nothing ran does not pass");
    let junit = ran.read("out/junit.xml");
    assert!(junit.contains("<skipped message=\"no step did anything: when `n &gt; 3` does not hold\"/>"), "{junit}");
}

#[test]
fn a_condition_that_has_no_value_is_an_error_at_its_place() {
    let text = "config: {variables: {n: x}}\nteststeps:\n- {log: a, when: n + 1 > 3}\n";
    let ran = test(&[], text).run().code(3).says("case.yaml:3:");
    assert_eq!(case(&ran)["steps"][0]["error"]["kind"], "BadArgument");
}

#[test]
fn steps_are_repeated() {
    check("teststeps:\n- {log: a, repeat: 2}\n", 0, &["log \"a\" (loop 1) passed", "log \"a\" (loop 2) passed"]);
    let text = "config: {variables: {n: 0}}\nteststeps:\n- {log: a, repeat: {times: $n}}\n- log: b\n";
    check(text, 0, &["log \"a\" skipped: it is repeated 0 times", "log \"b\" passed"]);
    let text = "config: {variables: {n: 0}}\nteststeps:\n- {log: a, repeat: {while: n > 0}}\n- log: b\n";
    check(text, 0, &["log \"a\" skipped: while `n > 0` does not hold", "log \"b\" passed"]);
}

#[test]
fn a_repetition_that_never_ends_by_itself_fails() {
    let text = "config: {variables: {n: 0}}\nteststeps:\n- {name: look, log: a, repeat: {until: n > 0, max: 2}}\n";
    let last = "look failed: until `n > 0` did not hold after 2 times: `n` was 0";
    let ran = check(text, 1, &["look_loop_1 passed", "look_loop_2 passed", last]).says("until `n > 0` did not hold");
    assert!(ran.read("out/junit.xml").contains("until `n &gt; 0` did not hold after 2 times"));
    let text = text.replace("until", "while").replace("n: 0", "n: 1");
    check(
        &text,
        1,
        &["look_loop_1 passed", "look_loop_2 passed", "look failed: while `n > 0` still held after 2 times"],
    );
}

const COUNTING: &str = "teststeps:
- name: count
  shell: {string: 'echo x >> count; test $(wc -l < count) -ge 3'}
";

#[test]
fn what_passes_on_a_retry_is_flaky() {
    let ran = check(&format!("{COUNTING}  retry: 2\n"), 0, &["count flaky"]);
    let attempts = items(&case(&ran)["steps"][0]["attempts"]).len();
    assert_eq!(attempts, 3);
    assert_eq!(ran.read("out/junit.xml").matches("<flakyFailure").count(), 2);
    check(&format!("{COUNTING}  retry: 1\n"), 1, &["count failed"]);
    let text = "teststeps:\n- name: g\n  retry: 1\n  steps:\n  - shell: {string: 'test -e there || ! touch there'}\n";
    let ran = test(&[], text).run().code(0);
    assert_eq!(case(&ran)["outcome"], "flaky");
    assert_eq!(ran.read("out/junit.xml").matches("<flakyFailure").count(), 1);
}

#[test]
fn a_case_that_passes_when_it_is_run_again_is_flaky() {
    let wanted = ["count failed"];
    assert_eq!(lines(&test(&["--retry", "0"], COUNTING).run().code(1)), wanted);
    let ran = test(&["--retry", "2", "--fail-fast"], COUNTING).run().code(0).says("flaky   case (case.yaml)");
    assert_eq!(lines(&ran), ["count flaky", "try 2 › count flaky", "try 3 › count passed"]);
    let totals = &ran.json("out/summary.json")["totals"];
    assert_eq!((&totals["cases"], &totals["flaky"], &totals["passed"]), (&1.into(), &1.into(), &0.into()));
    assert_valid_junit(&ran.path("out/junit.xml"));
    assert_eq!(ran.read("out/junit.xml").matches("<flakyFailure").count(), 2);
    assert!(ran.read("out/report.html").contains("try 3 › count"));
    let ran = test(&["--retries", "1"], COUNTING).run().code(1).says("try 2 › count: shell");
    assert_eq!(lines(&ran), ["count failed", "try 2 › count failed"]);
    test(&["--retry", "101"], COUNTING).run().code(2).says("101 is not in 0..=100");
}

#[test]
fn every_failure_of_a_case_is_told() {
    let text = "teststeps:\n- {name: first, assert_value: {value: 1, equals: 2}, optional: true}\n\
                - {name: second, assert_value: {value: 3, equals: 4}}\n- log: never\n";
    let ran =
        check(text, 1, &["first failed", "second failed"]).says("first: assert_value").says("second: assert_value");
    assert!(ran.read("out/junit.xml").contains("step 2 failed, too: case.yaml:3:18"), "{}", ran.read("out/junit.xml"));
}

#[test]
fn hooks_tidy_up_after_failures_and_timeouts() {
    let text = "config:
  case_timeout: 5
  setup_hooks: [{log: begin}]
  on_failure: [{log: why}]
  teardown_hooks: [{log: end}]
teststeps:
- {log: a, setup_hooks: [{log: before}], teardown_hooks: [{log: after}]}
- LAST
";
    let begin = [
        "setup › log \"begin\"",
        "log \"a\" › setup › log \"before\"",
        "log \"a\"",
        "log \"a\" › teardown › log \"after\"",
    ];
    let passed = |names: &[&str]| names.iter().map(|name| format!("{name} passed")).collect::<Vec<_>>();
    let ran = test(&[], &text.replace("LAST", "log: b")).run().code(0);
    assert_eq!(lines(&ran), [passed(&begin), passed(&["log \"b\"", "teardown › log \"end\""])].concat());
    let ends = passed(&["on_failure › log \"why\"", "teardown › log \"end\""]);
    let ran = test(&[], &text.replace("LAST", "assert_value: {value: 1, equals: 2}")).run().code(1);
    assert_eq!(lines(&ran)[5..], ends);
    let ran =
        test(&[], &text.replace("LAST", "sleep: 60").replace("case_timeout: 5", "case_timeout: 0.3")).run().code(3);
    assert_eq!(lines(&ran)[5..], ends);
    ran.says("interrupted: the case's time is over");
    let failing = text.replace("[{log: end}]", "[{assert_value: {value: 1, equals: 2}}]").replace("LAST", "log: b");
    test(&[], &failing).run().code(1);
}

#[test]
fn each_row_is_a_case_of_its_own() {
    let text = "config: {name: Log in, parameters: {user: [小明, b], n: [1, 2]}}\nteststeps:\n- log: $user$n\n";
    let ran = test(&[], text).run().code(0);
    let summary = ran.json("out/summary.json");
    let named = |case: &Value| format!("{} {}", text_of(&case["id"]), text_of(&case["name"]));
    let names: Vec<String> = items(&summary["cases"]).iter().map(named).collect();
    assert_eq!(names[0], "case.yaml#0 Log in [user=小明, n=1]");
    assert_eq!((names.len(), names[3].as_str()), (4, "case.yaml#3 Log in [user=b, n=2]"));
    let said = |case: &Value| case["steps"][0]["attempts"][0]["actions"][0]["message"].clone();
    assert_eq!(items(&summary["cases"]).iter().map(said).collect::<Vec<_>>(), ["小明1", "小明2", "b1", "b2"]);
}

fn text_of(value: &Value) -> String {
    text(value).to_owned()
}

#[test]
fn rows_that_are_not_run_are_counted() {
    let text = "config: {name: A, parameters: {n: [1, 2, 3, 4]}}\nteststeps:\n- assert_value: {value: $n, equals: 1}\n";
    let ran = test(&["--fail-fast"], text).run().code(1);
    let totals = ran.json("out/summary.json")["totals"].clone();
    assert_eq!((&totals["passed"], &totals["failed"], &totals["skipped"]), (&1.into(), &1.into(), &1.into()));
    ran.says("A [2 rows, 3 to 4]").says("not run: an earlier case did not pass (--fail-fast)");
    assert_eq!(test(&[], text).run().code(1).json("out/summary.json")["totals"]["failed"], 3);
}

#[test]
fn a_step_runs_with_each_row() {
    let text = "teststeps:\n- {name: say, log: $a, parameters: {a: [x, y]}}\n";
    check(text, 0, &["say [a=x] passed", "say [a=y] passed"]);
}

#[test]
fn groups_choices_and_files_are_flat_in_the_results() {
    let text = "config: {variables: {n: 1}}\nteststeps:\n- name: Group\n  steps:\n  - log: a\n  - name: again\n    repeat: 2\n    steps:\n    - log: b\n\
                - if: n == 1\n  then: [{log: c}]\n  else: [{log: d}]\n- testcase: other.yaml\n- log: $token\n";
    let other = "config: {name: Other, export: [token]}\nteststeps:\n- {log: secret word, save: token}\n";
    let ran = test(&[], text).file("other.yaml", other).run().code(0);
    assert_eq!(
        lines(&ran),
        [
            "Group › log \"a\" passed",
            "Group › again_loop_1 › log \"b\" passed",
            "Group › again_loop_2 › log \"b\" passed",
            "log \"c\" passed",
            "Other › log \"secret word\" passed",
            "log \"$token\" passed",
        ]
    );
    let steps = case(&ran)["steps"].clone();
    assert_eq!((&steps[4]["place"]["file"], &steps[4]["number"]), (&"other.yaml".into(), &5.into()));
    let ran =
        test(&[], text).file("other.yaml", other.replace("log: secret word", "assert_value: {value: 1, equals: 2}"));
    ran.run().code(1);
}

#[test]
fn tags_select_cases_and_steps() {
    let tagged = |arguments: &[&str]| {
        Test::new(&[&["run", ".", "--report-dir", "out"], arguments].concat())
            .file("a.yaml", "config: {tags: [smoke]}\nteststeps:\n- log: a\n- {log: b, tags: [slow]}\n")
            .file("b.yaml", "config: {tags: [night]}\nteststeps:\n- log: c\n")
            .run()
    };
    let ran = tagged(&["--tags", "smoke and not slow"]).code(0);
    assert_eq!(lines(&ran), ["log \"a\" passed", "log \"b\" skipped: --tags does not hold for its tags: slow"]);
    assert_eq!(ran.json("out/summary.json")["totals"]["cases"], 1);
    assert_eq!(lines(&tagged(&["--tags", "smoke"]).code(0)).len(), 2);
    tagged(&["--tags", "weekly"]).code(2).says("no testcase is selected").says("night, smoke");
    tagged(&["--tags", "smoke and"]).code(2).says("--tags");
}

#[test]
fn what_is_asked_of_a_result_must_be_there() {
    let text = "teststeps:\n- name: ask\n  shell: {string: echo hi}\n  validate:\n  - {check: QUERY, assert: equal, expect: 0}\n";
    check(&text.replace("QUERY", "exit_code"), 0, &["ask passed"]);
    check(&text.replace("QUERY", "exit_kode"), 1, &["ask failed"]).says("has no `exit_kode`; it has: ");
}

/// Interrupts a run once its journal says something; returns how long it took to end, and what it left.
fn interrupted(text: &str, once: &str) -> (Duration, Ran) {
    let test = test(&[], text);
    let mut process = Running(test.command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"));
    let journal = || std::fs::read_to_string(test.path("out/journal.jsonl")).unwrap_or_default();
    wait_until("the run comes so far", 30, || journal().contains(once));
    let began = Instant::now();
    signal(&process.0, "INT");
    assert_eq!(process.ended(25), Some(130));
    (began.elapsed(), test.then(&["report", "out"]))
}

#[test]
fn an_interruption_ends_loops_and_retries_and_tidies_up() {
    let tail = "\nconfig: {teardown_hooks: [{log: tidy}]}\n";
    for (step, once) in [
        ("{log: a, repeat: {times: 1000000}}", " (loop 3)\""),
        ("{name: wait, log: a, repeat: {times: 1000000, interval: 3600}}", "wait_loop_1"),
        ("{assert_value: {value: 1, equals: 2}, retry: {times: 100, interval: 3600}}", "action_finished"),
        ("{shell: {string: sleep 3600}}", "step_started"),
    ] {
        let (took, ran) = interrupted(&format!("teststeps:\n- {step}\n- log: never{tail}"), once);
        assert!(took < Duration::from_secs(20), "{step}: {took:?}");
        let steps = lines(&ran);
        assert_eq!(steps.last().map(String::as_str), Some("teardown › log \"tidy\" passed"), "{step}");
        assert!(!steps.iter().any(|step| step.contains("never")), "{step}");
    }
}

#[test]
fn what_has_no_effect_is_said() {
    let ran = test(&[], "teststeps:\n- {name: meet, rendezvous: {percent: 1}}\n- log: a\n").run().code(0);
    assert_eq!(items(&case(&ran)["log"]).len(), 1);
    assert!(lines(&ran)[0].starts_with("meet passed: "), "{:?}", lines(&ran));
    let hook = "config: {setup_hooks: [rendezvous: {percent: 1}]}\nteststeps:\n- log: a\n";
    test(&[], hook).run().code(0).says(":1:24: a rendezvous is for load tests only");
}

#[test]
fn a_function_that_hangs_does_not_outlive_its_case() {
    let text = "config:\n  case_timeout: 8\n  teardown_hooks: ['${quick()}']\nteststeps:\n- log: '${hang()}'\n";
    let functions = "import time\ndef hang():\n    open('hangs', 'w').close()\n    time.sleep(600)\ndef quick():\n    open('tidied', 'w').close()\n";
    let began = Instant::now();
    let ran = test(&[], text).file("debugtalk.py", functions).run().code(3).says("the case's time is over");
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
    assert!(ran.path("hangs").exists() && ran.path("tidied").exists());
    assert_eq!(case(&ran)["error"]["kind"], "Timeout");
}

#[test]
fn no_rows_are_no_runs_and_the_condition_comes_first() {
    let text = "config: {variables: {none: []}}
teststeps:
- {when: false, parameters: {item: $none}, log: $item}
- {parameters: {item: $none}, log: $item}
- {when: false, parameters: {item: '${none[3].rows}'}, log: $item}
- {when: item == 1, parameters: {item: [1, 2]}, log: $item}
- log: end
";
    let test = Test::new(&["run", "case.yaml", "--report-dir", "out"]).file("case.yaml", text);
    let summary = test.run().code(0).json("out/summary.json");
    let told: Vec<String> = items(&summary["cases"][0]["steps"])
        .iter()
        .map(|step| {
            format!(
                "{}: {}",
                step["outcome"].as_str().unwrap_or_default(),
                step["error"]["message"].as_str().unwrap_or_default()
            )
        })
        .collect();
    let unmet = "skipped: when `false` does not hold";
    assert_eq!(told[..3], [unmet, "skipped: its parameters have no row", unmet]);
    assert_eq!(told[3..].iter().filter(|one| one.starts_with("passed")).count(), 2);
    let whole = "config: {variables: {none: []}, parameters: {item: $none}}\nteststeps:\n- log: $item\n";
    let test = Test::new(&["run", "case.yaml", "--report-dir", "out"]).file("case.yaml", whole);
    test.run().says("its parameters have no row");
}
