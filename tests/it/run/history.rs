//! What earlier runs are good for: what failed alone again, what is flaky, what is slow; parts of all cases; quarantine.

use std::collections::BTreeSet;
use std::process::Stdio;

use serde_json::Value;

use crate::support::counterparts::{Running, wait_until};
use crate::support::{Ran, Test, items, text};

const ROWS: &str = "config: {name: case $n, parameters: {n: [1, 2, 3, 4, 5]}}
teststeps:
- assert_value: {value: $n, less_than: $limit}
";

/// A case that passes at its second try, and whenever the file is there already.
const SHAKY: &str = "config: {name: shaky}
teststeps:
- shell: {string: 'test -f tried || { touch tried; exit 1; }'}
";

/// A case whose tools wait, in a batch as well, and of which one fails.
const WAITS: &str = "config: {name: waits}
teststeps:
- sleep: {seconds: 1}
- batch: [{tool: sleep, arguments: {seconds: 0.2}}]
- assert_value: {value: 1, equals: 1}
- assert_visible: {text: No such text, timeout: 1}
";

fn project(arguments: &[&str], limit: u32) -> Test {
    let test = Test::new(arguments).file("uixt.yaml", format!("variables: {{limit: {limit}}}\n"));
    test.file("a.yaml", ROWS)
}

fn ids(ran: &Ran, folder: &str) -> BTreeSet<String> {
    let summary = ran.json(&format!("{folder}/summary.json"));
    items(&summary["cases"]).iter().map(|case| text(&case["id"]).to_owned()).collect()
}

fn set(ids: &[&str]) -> BTreeSet<String> {
    ids.iter().map(ToString::to_string).collect()
}

#[test]
fn only_what_failed_is_run_again() {
    let ran = project(&["run", "a.yaml", "--report-dir", "first"], 3).run().code(1).says("2 passed, 3 failed");
    std::fs::write(ran.path("uixt.yaml"), "variables: {limit: 5}\n").expect("a file");
    let ran = ran.then(&["run", "--failed", "first", "--report-dir", "second"]).code(1).says("2 passed, 1 failed");
    assert_eq!(ids(&ran, "second"), set(&["a.yaml#2", "a.yaml#3", "a.yaml#4"]));
    // The paths of the first run are known to the second as well.
    let ran = ran.then(&["run", "--failed", "second", "--report-dir", "third"]).code(1).says("1 failed");
    assert_eq!(ids(&ran, "third"), set(&["a.yaml#4"]));
    std::fs::write(ran.path("uixt.yaml"), "variables: {limit: 9}\n").expect("a file");
    let ran = ran.then(&["run", "--failed", "third", "--report-dir", "fourth"]).code(0).says("1 passed");
    let ran = ran.then(&["run", "--failed", "fourth"]).code(2).says("every case of fourth passed or was skipped");
    let ran = ran.then(&["report", "first", "second", "--output", "all"]).code(1);
    let ran = ran.then(&["run", "--failed", "all"]).code(2).says("--failed: all is a report of several runs");
    let ran = ran.then(&["run", "--failed"]).code(2).says("there is no earlier run in results/");
    ran.then(&["run", "--failed", "fifth"]).code(2).says("--failed: there is no fifth");
}

#[test]
fn a_report_shows_the_runs_before_it() {
    let ran = project(&["run", "a.yaml", "--report-dir", "results/1"], 3).run().code(1);
    assert!(!ran.read("results/1/report.html").contains("Last "), "nothing was before");
    std::fs::write(ran.path("uixt.yaml"), "variables: {limit: 9}\n").expect("a file");
    let ran = ran.then(&["run", "a.yaml", "--report-dir", "results/2"]).code(0);
    let page = ran.read("results/2/report.html");
    assert!(page.contains("Last 2 runs: <span><b>1</b> without a failure</span>"), "{page}");
    // A run of one file among many is no run of all of them.
    for name in ["b", "c", "d", "e", "f", "g", "h"] {
        std::fs::write(ran.path(&format!("{name}.yaml")), "teststeps:\n- log: ok\n").expect("a file");
    }
    let ran = ran.then(&["run", "b.yaml", "--report-dir", "results/3"]).code(0);
    assert!(!ran.read("results/3/report.html").contains("Last "), "no run of it was before");
    let ran = ran.then(&["run", "b.yaml", "c.yaml", "d.yaml", "e.yaml", "f.yaml", "--report-dir", "results/4"]).code(0);
    assert!(!ran.read("results/4/report.html").contains("Last "), "no run of these was before");
    let ran = ran.then(&["run", "b.yaml", "c.yaml", "d.yaml", "--report-dir", "results/5"]).code(0);
    assert!(ran.read("results/5/report.html").contains("Last 2 runs: "), "most of it ran before");
    assert!(
        page.contains(" UTC: 2 passed, 3 failed in ") && page.contains("href=\"..&#x2f;1&#x2f;report.html\""),
        "{page}"
    );
    let ran = ran.then(&["run", "a.yaml", "--filter", "case 1", "--report-dir", "results/3"]).code(0);
    assert!(!ran.read("results/3/report.html").contains("Last "), "a part of the cases is no run to compare");
}

#[test]
fn what_was_not_run_is_run_as_well() {
    let ran =
        project(&["run", "a.yaml", "--fail-fast", "--report-dir", "first"], 3).run().code(1).says("2 passed, 1 failed");
    let ran = ran.then(&["run", "--failed", "first", "--report-dir", "second"]).code(1);
    assert_eq!(ids(&ran, "second"), set(&["a.yaml#2", "a.yaml#3", "a.yaml#4"]));
}

#[test]
fn a_retry_that_helped_can_fail_the_run() {
    let test = |more: &[&str]| Test::new(&[&["run", "s.yaml", "--retry", "1"], more].concat()).file("s.yaml", SHAKY);
    test(&[]).run().code(0).says("1 flaky");
    let told = "1 flaky case, which --fail-on-flaky counts as failed: shaky (s.yaml)";
    let ran = test(&["--fail-on-flaky", "--report-dir", "first"]).run().code(1).says("1 flaky").says(told);
    // Whoever asks for what failed is told that it is left out, unless it counts as failed there as well.
    let ran = ran.then(&["run", "--failed", "first"]).code(2).says("1 flaky case, which is not run again");
    let again = ["run", "--failed", "first", "--fail-on-flaky", "--report-dir", "second"];
    assert_eq!(ids(&ran.then(&again).code(0), "second"), set(&["s.yaml#0"]));
}

#[test]
fn the_history_tells_what_is_flaky_slow_and_does_not_pass() {
    let ran = project(&["run", "a.yaml", "s.yaml", "--retry", "1"], 9).file("s.yaml", SHAKY).run().code(0);
    let ran = ran.then(&["run", "a.yaml", "s.yaml", "--retry", "1"]).code(0);
    std::fs::write(ran.path("uixt.yaml"), "variables: {limit: 5}\n").expect("a file");
    let ran = ran.then(&["run", "a.yaml", "s.yaml"]).code(1);
    let ran = ran.then(&["history"]).code(0);
    let told = ran.stdout.clone();
    for part in [
        "3 runs since",
        "in 1 of them everything passed",
        "Not passing\n  case 5 [n=5] (a.yaml#4)",
        "passed last on 20",
        "33 % of 3 runs  ~..",
        "33 % of 3 runs  ..F",
        "Slowest",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(!told.contains("case 1 [n=1] (a.yaml)\n    33 %"), "{told}");
    let ran = ran.then(&["history", "--format", "json", "--filter", "^s"]).code(0);
    let json: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!((items(&json["runs"]).len(), items(&json["cases"]).len()), (3, 1));
    // Wherever a run is started, its cases are the same.
    let ran = ran.then(&["run", "./a.yaml", "--no-history"]).code(1).then(&["history"]).code(0);
    assert!(ran.stdout.contains("3 runs since"), "{}", ran.stdout);
    Test::new(&["history"]).run().code(0).says("there is no run of this project yet");
}

/// Returns the times of a tool.
#[track_caller]
fn times(tools: &Value, name: &str) -> [u64; 5] {
    let tool = items(tools).iter().find(|tool| tool["tool"] == name).unwrap_or_else(|| panic!("{name}: {tools}"));
    ["calls", "succeeded", "slowest_ms", "waiting_ms", "working_ms"].map(|key| tool[key].as_u64().expect("a number"))
}

#[test]
fn a_summary_tells_what_tools_waited_for_and_how_often_they_failed() {
    let ran = project(&["run", "w.yaml", "--device", "phone", "--report-dir", "first"], 9)
        .file("w.yaml", WAITS)
        .run()
        .code(1);
    let tools = &ran.json("first/summary.json")["tools"];
    // The sleep in the batch is one of its own, and of the time of the batch.
    let [calls, succeeded, slowest, waiting, _] = times(tools, "sleep");
    assert!((calls, succeeded) == (2, 2) && slowest >= 1_000 && waiting >= 1_200, "{tools}");
    let [calls, succeeded, slowest, waiting, _] = times(tools, "batch");
    assert!((calls, succeeded) == (1, 1) && (200..=slowest).contains(&waiting), "{tools}");
    let [calls, succeeded, slowest, waiting, _] = times(tools, "assert_visible");
    assert!((calls, succeeded) == (1, 0) && slowest >= 1_000 && (1..=slowest).contains(&waiting), "{tools}");
    assert_eq!(times(tools, "assert_value")[3], 0, "{tools}");
    let whole = |tool: &Value| {
        tool["waiting_ms"].as_u64().unwrap_or_default() + tool["working_ms"].as_u64().unwrap_or_default()
    };
    assert!(items(tools).windows(2).all(|pair| whole(&pair[0]) >= whole(&pair[1])), "{tools}");
    let ran = ran.then(&["run", "w.yaml", "--device", "phone", "--report-dir", "second"]).code(1);
    let ran = ran.then(&["report", "first", "second", "--output", "all"]).code(1);
    let (two, one) = (ran.json("all/summary.json"), ran.json("second/summary.json"));
    let sum = |name: &str| [tools, &one["tools"]].map(|tools| times(tools, name)[3]).iter().sum::<u64>();
    for name in ["sleep", "batch", "assert_visible"] {
        assert_eq!(times(&two["tools"], name)[3], sum(name), "{name}: {two}");
    }
}

#[test]
fn the_runs_of_a_project_tell_how_long_its_tools_took() {
    let ran = project(&["tools", "--stats"], 9).file("w.yaml", WAITS).run().code(0);
    let ran =
        ran.says("no run of this project tells of calls yet").then(&["run", "w.yaml", "--device", "phone"]).code(1);
    let ran = ran
        .then(&["run", "w.yaml", "--device", "phone"])
        .code(1)
        .then(&["run", "w.yaml", "--device", "phone", "--no-history"])
        .code(1);
    let ran = ran.then(&["tools", "--stats", "--format", "json"]).code(0);
    let told: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(told["runs"], 2, "{told}");
    let [calls, succeeded, slowest, waiting, _] = times(&told["tools"], "sleep");
    assert!((calls, succeeded) == (4, 4) && slowest >= 1_000 && waiting >= 2_400, "{told}");
    assert_eq!(times(&told["tools"], "assert_visible")[..2], [2, 0], "{told}");
    let ran = ran.then(&["tools", "--stats"]).code(0).prints("2 runs\n\ntool ");
    let line = ran.stdout.lines().find(|line| line.starts_with("assert_visible")).expect("a row");
    let cells: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(cells[..4], ["assert_visible", "2", "0", "%"], "{line}");
    let ran = ran.then(&["tools", "sleep", "--stats", "--runs", "1"]).code(0).prints("1 run\n");
    assert_eq!(ran.stdout.lines().count(), 4, "{}", ran.stdout);
    let ran = ran.then(&["tools", "home", "--stats"]).code(0).says("no call of home in 2 runs");
    let ran = ran.then(&["tools", "--stats", "--format", "markdown"]).code(2).says("as a table or as JSON");
    ran.then(&["tools", "--runs", "1"]).code(2).says("--stats");
}

#[test]
fn parts_have_every_case_once() {
    let (mut all, mut ran) = (BTreeSet::new(), project(&["check", "a.yaml"], 9).run().code(0));
    for part in 1..=3 {
        let (shard, folder) = (format!("{part}/3"), format!("part{part}"));
        ran = ran.then(&["run", "a.yaml", "--shard", &shard, "--report-dir", &folder]).code(0);
        let own = ids(&ran, &folder);
        assert!(own.is_disjoint(&all) && (1..=2).contains(&own.len()), "{own:?}");
        all.extend(own);
    }
    assert_eq!(all.len(), 5);
    let ran = ran.then(&["report", "part1", "part2", "part3", "--output", "all"]).code(0).prints("5 passed");
    let ran = ran.then(&["report", "part1", "part3", "--output", "two"]).code(2).says("part 2 of 3 is missing");
    std::fs::write(ran.path("a.yaml"), ROWS.replace("case", "Case")).expect("a file");
    let ran = ran.then(&["run", "a.yaml", "--shard", "2/3", "--report-dir", "other"]).code(0);
    let ran = ran.then(&["report", "part1", "other", "part3", "--output", "two"]).code(2).says("different testcases");
    // More parts than cases: one without any is no failure.
    let ran = ran.then(&["run", "a.yaml", "--shard", "6/6", "--report-dir", "none"]).code(0).says("no cases");
    ran.then(&["run", "a.yaml", "--shard", "0/3"]).code(2).says("such as 1/4");
    let test = project(&["run", "a.yaml", "--shard", "auto", "--report-dir", "r"], 9);
    let output = test.command().envs([("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "5")]).output().expect("it starts");
    assert_eq!(ids(&test.ran(&output).code(0), "r"), set(&["a.yaml#1"]));
}

#[test]
fn the_only_job_of_a_ci_runs_all_cases() {
    let run = |total: Option<&str>| {
        let test = project(&["run", "a.yaml", "--shard", "auto"], 9);
        let mut command = test.command();
        for index in ["UIXT_SHARD", "CI_NODE", "CIRCLE_NODE"] {
            command.env_remove(format!("{index}_INDEX")).env_remove(format!("{index}_TOTAL"));
        }
        command.env_remove("BUILDKITE_PARALLEL_JOB").env_remove("JOB_COMPLETION_INDEX");
        let output = command.envs(total.map(|total| ("CI_NODE_TOTAL", total))).output().expect("the program starts");
        test.ran(&output)
    };
    // GitLab without `parallel` gives no number.
    run(Some("1")).code(0).says("5 passed");
    for total in [None, Some("4")] {
        run(total).code(2).says("CI_NODE_INDEX and CI_NODE_TOTAL");
    }
}

#[test]
fn a_case_in_quarantine_fails_no_run_until_its_day() {
    let of = |until: &str, limit: u32| {
        let rows = ROWS.replace("{name", &format!("{{quarantine: {{until: {until}, reason: a known bug}}, name"));
        project(&["run", "a.yaml", "--report-dir", "r"], limit).file("a.yaml", rows).run()
    };
    let ran = of("2999-12-31", 3)
        .code(0)
        .says("2 passed, 3 skipped")
        .says("failed, but is in quarantine until 2999-12-31 (a known bug)");
    let ran = ran.says("warning: a.yaml: it passed, and is in quarantine until");
    assert!(ran.read("r/junit.xml").contains("in quarantine until 2999-12-31"), "the reason is told");
    let told = ran.then(&["history"]).code(0).stdout;
    assert!(told.contains("case 5 [n=5] (a.yaml#4)") && told.contains("in quarantine; has not passed"), "{told}");
    of("2020-01-31", 3).code(1).says("2 passed, 3 failed").says("its quarantine ended on 2020-01-31");
    of("tomorrow", 3).code(2).says("`until` is a date, such as 2026-12-31");
    let without = ROWS.replace("{name", "{quarantine: {reason: x}, name");
    project(&["run", "a.yaml"], 3)
        .file("a.yaml", without)
        .run()
        .code(2)
        .says("`quarantine` needs the day on which it ends");
}

const DRAWN: &str =
    "config: {name: R $n, parameters: {n: [1, 2, 3, 4, 5, 6]}, parameters_setting: {pick_order: unique}}
teststeps:
- assert_value: {value: $n, assert: less_than, expect: 6}
";

#[test]
fn rows_that_are_drawn_are_the_same_in_all_parts_and_when_they_run_again() {
    let names = |ran: &Ran, folder: &str| -> BTreeSet<String> {
        let summary = ran.json(&format!("{folder}/summary.json"));
        items(&summary["cases"]).iter().map(|case| text(&case["name"]).to_owned()).collect()
    };
    let test = Test::new(&["run", "r.yaml", "--report-dir", "whole"]).file("r.yaml", DRAWN);
    let ran = test.run().code(1).says("R 6");
    let ran = ran.then(&["run", "--failed", "whole", "--report-dir", "again"]).code(1);
    assert_eq!(names(&ran, "again"), ["R 6 [n=6]".to_owned()].into());
    let part = |number| ["run", "r.yaml", "--shard", number, "--report-dir", &number[..1]].map(str::to_owned);
    let run = |ran: Ran, arguments: &[String]| ran.then(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
    let ran = run(ran, &part("1/2"));
    let ran = run(ran, &part("2/2"));
    assert_eq!(names(&ran, "1").union(&names(&ran, "2")).count(), 6);
    let ran = ran.then(&["report", "1", "2", "--output", "both"]).code(1);
    let ran = ran.then(&["report", "1", "2", "2", "--output", "twice"]).code(2).says("part 2 of 2 is there twice");
    // Other rows than those of the first part.
    let ran = ran.then(&["run", "r.yaml", "--shard", "2/2", "--seed", "7", "--report-dir", "other"]);
    let ran = ran.then(&["report", "1", "other", "--output", "wrong"]).code(2).says("dealt out by different rows");
    let ran = ran.then(&["run", "r.yaml", "--shard", "2/2", "--shard-durations", "whole", "--report-dir", "timed"]);
    ran.then(&["report", "1", "timed", "--output", "wrong"]).code(2).says("or durations");
}

#[test]
fn what_a_killed_run_did_not_get_to_is_run_as_well() {
    let case = "config: {name: M $n, parameters: {n: [1, 2, 3]}}\nteststeps:\n- sleep: $long\n";
    let test = Test::new(&["run", "m.yaml", "z.yaml", "--var", "long=0.3", "--report-dir", "r"]);
    let test = test.file("m.yaml", case).file("z.yaml", "config: {name: Z}\nteststeps:\n- log: z\n");
    let mut process = Running(test.command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"));
    let journal = test.path("r/journal.jsonl");
    wait_until("a case has ended", 30, || {
        std::fs::read_to_string(&journal).is_ok_and(|text| text.contains("case_finished"))
    });
    process.0.kill().expect("it can be killed");
    process.ended(10);
    let ran = test.then(&["run", "--failed", "r", "--var", "long=0", "--report-dir", "rest"]).code(0);
    assert!(ids(&ran, "rest").is_superset(&set(&["m.yaml#2", "z.yaml#0"])), "{:?}", ids(&ran, "rest"));
    assert!(!ids(&ran, "rest").contains("m.yaml#0"));
}
