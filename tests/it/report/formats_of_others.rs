//! Reports in other programs' formats, what CI servers are told, and one report of several runs.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::npm::{clients, node};
use crate::support::{Ran, Test, items, text};

const PASSING: &str = "config: {name: Passing, tags: [smoke]}\nteststeps:\n- home:\n- screenshot:\n";
const FAILING: &str = "config: {name: \"Fail: 50%, really\"}
teststeps:
- home:
- assert_foreground_app: {package_name: com.uixt.nope, timeout: 0.2}
";
const SKIPPED: &str = "config: {name: Skipped, requires: [no-such-program]}\nteststeps:\n- home:\n";

/// A run in the folder `out`, before it starts.
fn test(options: &[&str]) -> Test {
    let arguments = ["run", "cases", "--device", "phone", "--report-dir", "out"];
    Test::new(&[&arguments, options].concat())
        .file("cases/a.yaml", PASSING)
        .file("cases/b.yaml", FAILING)
        .file("cases/c.yaml", SKIPPED)
}

/// Returns the run as it ends with variables of a CI server.
fn ran_with(test: Test, variables: &[(&str, &str)]) -> Ran {
    let output = test.command().envs(variables.iter().copied()).output().expect("it starts");
    test.ran(&output)
}

/// Reads the files of a folder whose names end so.
fn jsons(folder: &Path, ending: &str) -> Vec<Value> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let wanted = entries.filter(|path| path.to_string_lossy().ends_with(ending));
    wanted.map(|path| serde_json::from_slice(&std::fs::read(path).expect("a file")).expect("JSON")).collect()
}

#[test]
fn allure_gets_a_result_for_each_case() {
    let ran = test(&["--allure", "allure"]).run().code(1).says("  allure\n");
    let results = jsons(&ran.path("allure"), "-result.json");
    let of = |name: &str| {
        let mut of = results.iter().filter(|result| result["name"] == name);
        of.next().unwrap_or_else(|| panic!("no result of {name}"))
    };
    assert_eq!(results.len(), 3);
    assert_eq!(of("Passing")["status"], "passed");
    assert_eq!(of("Skipped")["status"], "skipped");
    let failed = of("Fail: 50%, really");
    assert_eq!((&failed["status"], &failed["steps"][1]["status"]), (&json!("failed"), &json!("failed")));
    assert!(text(&failed["statusDetails"]["trace"]).starts_with("cases/b.yaml:4:3\n"), "{failed}");
    for result in [of("Passing"), failed] {
        let picture = text(&result["steps"][1]["attachments"][0]["source"]);
        let png = std::fs::read(ran.path("allure").join(picture)).expect("the picture that is promised");
        assert!(png.starts_with(b"\x89PNG"), "{picture}");
    }
    let environment = ran.read("allure/environment.properties");
    assert!(environment.contains("virtual phone, android"), "{environment}");
    assert!(!ran.path("allure/executor.json").exists(), "no server is known");
    let before = std::fs::read_dir(ran.path("allure")).expect("a folder").count();
    let ran = ran.then(&["report", "out", "--allure", "allure"]).code(1);
    let after = std::fs::read_dir(ran.path("allure")).expect("a folder").count();
    assert_eq!(before, after, "a report that is written again replaces itself");
}

#[test]
fn a_case_keeps_its_history_over_runs() {
    let histories = |ran: &Ran, folder: &str| {
        let results = jsons(&ran.path(folder), "-result.json");
        let mut ids: Vec<_> = results.iter().map(|result| text(&result["historyId"]).to_owned()).collect();
        ids.sort();
        ids
    };
    let ran = test(&["--allure", "one"]).run().code(1);
    let again = ["run", "cases", "--device", "phone", "--report-dir", "again", "--allure", "two"];
    let ran = ran.then(&again).code(1);
    let (one, two) = (histories(&ran, "one"), histories(&ran, "two"));
    assert_eq!((one.len(), &one), (3, &two));
}

#[test]
fn the_common_format_counts_what_it_lists() {
    let ran = test(&["--ctrf", "reports/ctrf.json"]).run().code(1);
    let report = ran.json("reports/ctrf.json");
    assert_eq!((&report["reportFormat"], &report["results"]["tool"]["name"]), (&json!("CTRF"), &json!("uixt")));
    let summary = &report["results"]["summary"];
    let counts = ["tests", "passed", "failed", "skipped", "pending", "other"].map(|key| summary[key].clone());
    assert_eq!(json!(counts), json!([3, 1, 1, 1, 0, 0]));
    let tests = items(&report["results"]["tests"]);
    let statuses: Vec<&str> = tests.iter().map(|test| text(&test["status"])).collect();
    assert_eq!(statuses, ["passed", "failed", "skipped"]);
    assert_eq!((&tests[0]["tags"], &tests[1]["line"]), (&json!(["smoke"]), &json!(4)));
    let picture = text(&tests[1]["attachments"][0]["path"]);
    assert!(ran.path("out").join(picture).is_file(), "{picture}");
}

#[test]
fn github_is_told_where_it_failed() {
    let summary = tempfile::NamedTempFile::new().expect("a file");
    let path = summary.path().to_str().expect("a text");
    let server = [("GITHUB_ACTIONS", "true"), ("GITHUB_STEP_SUMMARY", path)];
    let ran = ran_with(test(&[]), &server).code(1);
    let annotations: Vec<&str> = ran.stdout.lines().filter(|line| line.starts_with("::")).collect();
    assert_eq!(annotations.len(), 1, "{}", ran.stdout);
    let start = "::error file=cases/b.yaml,line=4,col=3,title=Fail%3A 50%25%2C really::assert_foreground_app";
    assert!(annotations[0].starts_with(start), "{}", annotations[0]);
    let told = std::fs::read_to_string(summary.path()).expect("a summary");
    assert!(told.starts_with("## uixt: failed\n") && told.contains("| Fail: 50%, really | failed |"), "{told}");
    let ran = ran_with(ran.test(&["report", "out", "--ci", "none"]), &server).code(1);
    assert!(!ran.stdout.contains("::"), "{}", ran.stdout);
    assert_eq!(std::fs::read_to_string(summary.path()).expect("a summary"), told);
}

#[test]
fn teamcity_is_told_of_each_case() {
    let ran = ran_with(test(&[]), &[("TEAMCITY_VERSION", "2026.1")]).code(1);
    let messages: Vec<&str> = ran.stdout.lines().filter_map(|line| line.strip_prefix("##teamcity[")).collect();
    let count = |name: &str| messages.iter().filter(|message| message.split(' ').next() == Some(name)).count();
    for (name, wanted) in [("testSuiteStarted", 3), ("testStarted", 3), ("testFailed", 1), ("testIgnored", 1)] {
        assert_eq!(count(name), wanted, "{name} in {}", ran.stdout);
    }
    assert_eq!((count("testFinished"), count("testSuiteFinished")), (3, 3));
    assert!(messages.iter().all(|message| message.contains(" flowId='") && message.ends_with("']")), "{messages:?}");
}

#[test]
fn the_page_tells_what_changed_since_the_run_before() {
    let run = |folder: &'static str| ["run", "cases", "--device", "phone", "--report-dir", folder];
    let first = Test::new(&run("results/1")).file("cases/a.yaml", PASSING).file("cases/b.yaml", FAILING);
    let ran = first.run().code(1);
    assert!(!ran.read("results/1/report.html").contains("Compared with"), "there is none before it");
    std::fs::write(
        ran.path("cases/a.yaml"),
        PASSING.replace("- screenshot:", "- assert_value: {value: 1, assert: equals, expect: 2}"),
    )
    .expect("a file");
    std::fs::write(ran.path("cases/b.yaml"), PASSING).expect("a file");
    let ran = ran.then(&run("results/2")).code(1);
    let page = ran.read("results/2/report.html");
    assert!(page.contains("<b>1</b> newly failing") && page.contains("<b>1</b> fixed"), "{page}");
    assert!(page.contains("<a href=\"#c1\">Passing</a> <small>passed → failed</small>"), "{page}");
    let ran = ran.then(&["report", "results/1", "--compare", "results/2"]).code(1);
    assert!(ran.read("results/1/report.html").contains("Compared with"));
    ran.then(&["report", "results/1", "--compare", "nope"]).code(3).says("cannot compare with nope");
}

#[test]
fn runs_below_a_folder_become_one_report() {
    let case = "teststeps:\n- assert_foreground_app: {package_name: com.uixt.nope, timeout: 0.2}\n";
    let run = |folder: &'static str| ["run", "a.yaml", "--device", "phone", "--report-dir", folder];
    let ran = Test::new(&run("results/one")).file("a.yaml", case).run().code(1);
    let ran = ran.then(&run("results/deeper/two")).code(1);
    let journal = ran.read("results/deeper/two/journal.jsonl");
    let last = journal.trim_end().rfind('\n').expect("lines");
    std::fs::write(ran.path("results/deeper/two/journal.jsonl"), &journal[..=last]).expect("a file");
    let ran = ran.then(&["report", "results"]).code(3);
    let summary = ran.json("results/summary.json");
    assert_eq!((&summary["totals"]["cases"], &summary["interrupted"]), (&json!(2), &json!(true)));
    for case in items(&summary["cases"]) {
        let picture = text(&case["steps"][0]["attempts"][0]["actions"][0]["screenshot"]);
        assert!(ran.path("results").join(picture).is_file(), "{picture}");
    }
    let ids: Vec<&str> = items(&summary["cases"]).iter().map(|case| text(&case["id"])).collect();
    assert_ne!(ids[0], ids[1]);
    assert!(!ran.path("results/run1").exists(), "pictures stay where they are");
    let ran = ran.then(&["report", "results", "--output", "all"]).code(3);
    let linked = std::fs::metadata(ran.path("all/run2/screenshots/0001.png")).expect("a picture");
    assert!(std::os::unix::fs::MetadataExt::nlink(&linked) > 1, "it takes no room of its own");
}

#[test]
fn the_page_is_for_everybody_and_can_be_pointed_into() {
    let Some(folder) = clients() else { return };
    let ran = test(&["--screenshots", "step"]).run().code(1);
    let page = format!("file://{}", ran.path("out/report.html").display());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/report_page.mjs");
    let id = text(&ran.json("out/summary.json")["cases"][0]["id"]).to_owned();
    let modules = folder.to_string_lossy();
    let (is_content, stdout, stderr) = node(&folder, &[&script.to_string_lossy(), &modules, &page, &id]);
    assert!(is_content, "{stdout}{stderr}");
    let seen: Value = serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}\n{stdout}{stderr}"));
    assert_eq!((&seen["violations"], &seen["errors"]), (&json!([]), &json!([])));
    assert_eq!(seen["overflow"], 0, "nothing is wider than the window");
    assert_eq!(seen["caseLink"], json!({"open": true, "step": null, "inView": true}));
    assert_eq!(seen["stepLink"], json!({"open": true, "step": 2, "inView": true}));
    assert_eq!(seen["found"], 1);
    let address = |step: &str| format!("#{}{step}", id.replace('/', "%2F").replace('#', "%23"));
    assert_eq!((&seen["addressOfCase"], &seen["addressOfStep"]), (&json!(address("")), &json!(address("/2"))));
    assert_eq!(seen["focused"], true);
}
