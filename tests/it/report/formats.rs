//! The reports of real runs, read by programs that others wrote.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::counterparts::{assert_valid_junit, client};
use crate::support::written::written;
use crate::support::{Ran, Test, items, text};

const ASSERTION: &str = "config: {name: Failing}
teststeps:
- name: Look
  assert_foreground_app: {package_name: com.uixt.nope, timeout: 0.2}
";

/// A run with a case of every outcome.
fn every_outcome() -> Ran {
    Test::new(&["run", "cases", "--device", "phone", "--report-dir", "out"])
        .file("cases/a.yaml", "config: {name: Passing}\nteststeps:\n- home:\n- log: 你好\n")
        .file("cases/b.yaml", ASSERTION)
        .file("cases/c.yaml", "config: {name: Erring, case_timeout: 0.1}\nteststeps:\n- sleep: 20\n")
        .file("cases/d.yaml", "config: {name: Skipped, requires: [no-such-program]}\nteststeps:\n- home:\n")
        .run()
        .code(3)
}

/// Reads junit.xml with junitparser, once the schema holds.
fn junit(path: &Path) -> Vec<Value> {
    assert_valid_junit(path);
    items(&client("junit_reader.py", path.to_str().expect("a text"))["suites"]).to_vec()
}

#[test]
fn others_read_junit_as_it_is_meant() {
    let ran = every_outcome();
    let suites = junit(&ran.path("out/junit.xml"));
    let counts: Vec<Value> = suites
        .iter()
        .map(|suite| json!([suite["name"], suite["tests"], suite["failures"], suite["errors"], suite["skipped"]]))
        .collect();
    let expected = json!([
        ["cases/a.yaml", 1, 0, 0, 0],
        ["cases/b.yaml", 1, 1, 0, 0],
        ["cases/c.yaml", 1, 0, 1, 0],
        ["cases/d.yaml", 1, 0, 0, 1]
    ]);
    assert_eq!(json!(counts), expected);
    assert_eq!(suites[0]["properties"]["device"], "virtual phone");
    assert_eq!(suites[0]["cases"][0]["results"], json!([]));
    assert!(text(&suites[0]["cases"][0]["output"]).contains("2 passed log \"你好\""), "{}", suites[0]);
    let failed = &suites[1]["cases"][0];
    assert_eq!((&failed["name"], &failed["classname"]), (&json!("Failing"), &json!("cases/b")));
    let why = &failed["results"][0];
    assert_eq!((&why["kind"], &why["type"]), (&json!("Failure"), &json!("Assertion")));
    assert!(text(&why["message"]).contains("com.uixt.nope"), "{why}");
    assert!(text(&why["text"]).starts_with("cases/b.yaml:4:3"), "{why}");
    assert!(text(&failed["output"]).contains("[[ATTACHMENT|screenshots/0001.png]]"), "{failed}");
    assert_eq!(suites[2]["cases"][0]["results"][0]["kind"], "Error");
    let skipped = &suites[3]["cases"][0]["results"][0];
    assert_eq!(
        (&skipped["kind"], &skipped["message"]),
        (&json!("Skipped"), &json!("requires no-such-program, which is not on the PATH"))
    );
}

#[test]
fn every_report_counts_the_same() {
    let ran = every_outcome();
    let totals = ran.json("out/summary.json")["totals"].clone();
    assert_eq!(
        totals,
        json!({"cases": 4, "passed": 1, "failed": 1, "errored": 1, "skipped": 1, "flaky": 0, "steps": 4})
    );
    let ran = ran.says("1 passed, 1 failed, 1 errored, 1 skipped");
    let html = ran.read("out/report.html");
    for name in ["Passing", "Failing", "Erring", "Skipped", "virtual phone"] {
        assert!(html.contains(name), "{name} is not in report.html");
    }
}

/// Everything in a page that makes a browser fetch something.
fn fetched(html: &str) -> Vec<String> {
    let pattern =
        r#"(?i)(?:\b(?:src|href|action|poster|data|srcset)\s*=\s*["']?|url\(\s*["']?|@import\s*["']?)([^"'\s)>]*)"#;
    let pattern = regex::Regex::new(pattern).expect("a pattern");
    pattern.captures_iter(html).map(|found| found[1].to_owned()).collect()
}

#[test]
fn the_page_fetches_nothing_from_elsewhere() {
    let ran = every_outcome();
    let html = ran.read("out/report.html");
    let mut pictures = 0;
    for target in fetched(&html) {
        pictures += usize::from(target.starts_with("screenshots/"));
        let local = ["screenshots/", "#", "data:", "junit.xml", "summary.json", "uixt.log"];
        assert!(local.iter().any(|start| target.starts_with(start)), "the page fetches {target}");
    }
    assert!(pictures > 0, "the failure's picture is not shown");
}

#[test]
fn the_page_can_be_one_file() {
    let test = Test::new(&["run", "a.yaml", "--device", "phone", "--self-contained", "--report-dir", "out"]);
    let html = test.file("a.yaml", ASSERTION).run().code(1).read("out/report.html");
    assert!(html.contains("data:image/png;base64,"));
    assert!(!fetched(&html).iter().any(|target| target.starts_with("screenshots/")));
}

const HOSTILE: &str = r#"config: {name: "]]></testcase><script>alert(1)</script>\e[31m\0red"}
teststeps:
- log: "]]> </script><script>alert(2)</script> \0\a\b\e[2J\x7F\u009B31m \uFFFE \u202E <img src=x onerror=alert(3)> --> ${x}"
  variables: {x: "</system-out>&amp;<!--"}
- name: '"><img src=//evil.example/x>'
  log: a
- assert_foreground_app: {package_name: "]]></failure><b onmouseover=alert(4)>", timeout: 0.2}
"#;

#[test]
fn hostile_text_arrives_harmless() {
    let test = Test::new(&["run", "a.yaml", "--device", "phone", "--report-dir", "out"]);
    let ran = test.file("a.yaml", HOSTILE).run().code(1);
    for shown in [&ran.stdout, &ran.stderr] {
        assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
    }
    let suites = junit(&ran.path("out/junit.xml"));
    assert!(text(&suites[0]["cases"][0]["name"]).starts_with("]]></testcase><script>"), "{suites:?}");
    assert_eq!(ran.json("out/summary.json")["totals"]["failed"], 1);
    let html = ran.read("out/report.html");
    for raw in ["<script>alert", "<img src=x", "<img src=//", "<b onmouseover"] {
        assert!(!html.contains(raw), "{raw} arrived as it was");
    }
    assert!(!html.contains(['\0', '\u{1b}', '\u{7}']));
    assert!(html.contains("&lt;script&gt;alert(1)"), "the text itself is shown");
}

#[test]
fn rebuilding_changes_nothing() {
    let ran = every_outcome();
    let files: Vec<String> = written("out").collect();
    let read = |ran: &Ran| files.iter().map(|name| ran.read(name)).collect::<Vec<_>>();
    let before = read(&ran);
    files.iter().for_each(|name| std::fs::remove_file(ran.path(name)).unwrap());
    let ran = ran.then(&["report", "out"]).code(3).prints("1 passed, 1 failed, 1 errored, 1 skipped");
    assert_eq!(read(&ran), before);
}

#[test]
fn runs_are_merged_with_their_pictures() {
    let case =
        |name: &str| format!("teststeps:\n- assert_foreground_app: {{package_name: com.uixt.{name}, timeout: 0.2}}\n");
    let test = Test::new(&["run", "a.yaml", "--device", "phone", "--report-dir", "one"]);
    let ran = test.file("a.yaml", case("nope")).file("b.yaml", case("launcher")).run().code(1);
    let ran = ran.then(&["run", "a.yaml", "b.yaml", "--device", "phone", "--report-dir", "two"]).code(1);
    let ran = ran.then(&["report", "one", "two", "--output", "all"]).code(1);
    let summary = ran.json("all/summary.json");
    let totals = json!({"cases": 3, "passed": 1, "failed": 2, "errored": 0, "skipped": 0, "flaky": 0, "steps": 3});
    assert_eq!(summary["totals"], totals);
    let pictures: Vec<&str> = (0..2)
        .map(|case| text(&summary["cases"][case]["steps"][0]["attempts"][0]["actions"][0]["screenshot"]))
        .collect();
    assert_ne!(pictures[0], pictures[1]);
    for picture in pictures {
        assert!(ran.path(&format!("all/{picture}")).is_file(), "{picture}");
    }
    junit(&ran.path("all/junit.xml"));
    // Each failure's text names what the merged folder has of it, and nobody's is another's.
    let texts: Vec<String> =
        ["case-1", "case-2"].map(|case| ran.read(&format!("all/evidence/{case}/failure.md"))).into();
    for (text, run) in texts.iter().zip(["run1", "run2"]) {
        let named = text.lines().find_map(|line| line.strip_prefix("Evidence: ")).expect("files are named");
        assert!(named.split(", ").count() >= 2, "{named}");
        for path in named.split(", ") {
            assert!(path.starts_with(run) && ran.path(&format!("all/{path}")).is_file(), "{path}");
        }
    }
    let page = ran.read("all/report.html");
    assert_eq!(page.matches("<details class=evidence><summary>elements").count(), 2, "both show their elements");
    ran.then(&["report", "one", "two"]).code(2).says("--output DIR");
}

#[test]
fn what_is_no_run_is_refused() {
    Test::new(&["report", "nope"]).run().code(2).says("nope/journal.jsonl");
    let test = Test::new(&["report", "out"]).file("out/journal.jsonl", "{\"not\": \"ours\"}\n");
    test.run().code(2).says("is not a journal of uixt: line 1");
}
