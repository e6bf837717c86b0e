//! Paths and empty texts mean the same to every tool: what a path continues, where a file is looked for, and what holds no text.

use crate::support::{Ran, Test};

const PAGE: &str = "<title>Home</title><p id=none></p><div id=inner><p></p></div><p id=hidden style='display:none'></p>\
                    <p id=clipped style='height:0;overflow:hidden'>text</p><p id=full>Full</p>\
                    <input type=file aria-label=Up onchange='document.title = this.files[0].name'>";

fn run(config: &str, steps: &str) -> Ran {
    let case = format!("config: {{name: Page, {config}}}\nteststeps:\n{steps}");
    let test = Test::new(&["run", "cases/case.yaml", "--report-dir", "r", "--device", "browser"]);
    let test =
        test.file("uixt.yaml", "serve: site\n").file("site/index.html", PAGE).file("site/api/data.json", "{\"a\": 1}");
    let test = test.file("cases/case.yaml", case).file("cases/beside.txt", "b").file("below.txt", "b");
    let output = test.command().env_remove("UIXT_BROWSER").output().expect("the program starts");
    test.ran(&output)
}

#[test]
fn a_path_continues_the_same_base_for_pages_and_requests() {
    let request = |path: &str| {
        format!(
            "- request: {{url: {path}}}\n  save: {{code: status_code}}\n- assert_value: {{value: $code, equals: 200}}\n"
        )
    };
    run("tags: [a]", &(request("/api/data.json") + "- open_url: /index.html\n- assert_title: Home\n")).code(0);
    run("base_url: /", &(request("/api/data.json") + "- open_url: /index.html\n")).code(0);
    run("base_url: /api", &request("data.json")).code(0);
    run("base_url: /api", &request("/data.json")).code(0);
    let without = Test::new(&["run", "a.yaml"]).file("a.yaml", "teststeps:\n- request: {url: /data.json}\n").run();
    without.code(3).says("`/data.json` is a path, and nothing says of what: write `base_url`");
}

#[test]
fn a_file_is_looked_for_beside_its_testcase_and_in_the_project() {
    let upload = |file: &str| {
        format!("- open_url: /index.html\n- upload: {{files: {file}, into: Up}}\n- assert_title: {file}\n")
    };
    run("tags: [a]", &(upload("beside.txt") + &upload("below.txt"))).code(0);
    let ran = run("tags: [a]", &upload("nowhere.txt")).code(3);
    let (cases, root) = (ran.path("cases"), ran.path(""));
    let root = root.display().to_string();
    let looked =
        format!("there is no file nowhere.txt; looked in {} or {}", cases.display(), root.trim_end_matches('/'));
    let ran = ran.says(&looked).then(&["check", "cases/case.yaml"]).code(0);
    ran.says("cases/case.yaml:4:3: upload: there is no file nowhere.txt").says("it must be there when the step runs");
}

#[test]
fn an_element_without_text_is_of_no_size_and_has_none() {
    let steps =
        |id: &str| format!("- open_url: /index.html\n- assert_text: {{selector: '#{id}', equals: '', timeout: 0.4}}\n");
    for (id, code) in [("none", 0), ("inner", 0), ("hidden", 1), ("clipped", 1), ("full", 1), ("nowhere", 1)] {
        run("tags: [a]", &steps(id)).code(code);
    }
}

#[test]
fn whatever_a_variable_holds_is_logged() {
    let steps = "- log: $list\n- log: [one]\n- log: 5\n- log: $number\n";
    let ran = run("variables: {list: [1, {a: b}], number: 7}", steps).code(0);
    let journal = ran.read("r/journal.jsonl");
    assert!(journal.contains(r#"[1,{\"a\":\"b\"}]"#) && journal.contains("\"message\":\"one\""), "{journal}");
}

#[test]
fn settings_of_a_testcase_that_is_referred_to_are_told_where_they_are_dropped() {
    let test = Test::new(&["check", "a.yaml"])
        .file("b.yaml", "config: {fail_on: [crash], dialogs: accept}\nteststeps:\n- log: b\n");
    let both = |config: &str| format!("config: {{{config}}}\nteststeps:\n- testcase: b.yaml\n");
    let ran = test.file("a.yaml", both("name: A")).run().code(0);
    let ran = ran.says("b.yaml: no effect of `fail_on`, `dialogs` where a.yaml refers to it");
    let ran = ran.test(&["check", "a.yaml"]).file("a.yaml", both("fail_on: [crash], dialogs: accept")).run().code(0);
    assert!(!ran.stderr.contains("no effect"), "{}", ran.stderr);
}
