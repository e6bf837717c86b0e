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
    let output = test.web_command().output().expect("the program starts");
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

#[test]
fn files_of_every_tool_are_looked_for_beside_the_testcase_and_then_below_the_project() {
    let shell = "- shell: {string: ls, cwd: sub}\n  save: {told: stdout}\n- assert_value: {value: $told, contains: inner.txt}\n";
    let test = Test::new(&["run", "cases/case.yaml", "--report-dir", "r"]).file("uixt.yaml", "{}\n");
    let test = test.file("cases/sub/inner.txt", "").file("cases/case.yaml", format!("teststeps:\n{shell}"));
    test.run().code(0);
    let push = "- push_file: {from: beside.txt, to: /sdcard/a.txt}\n- push_file: {from: below.txt, to: /sdcard/b.txt}\n- push_file: {from: none.txt}\n";
    let test =
        Test::new(&["run", "cases/case.yaml", "--device", "phone", "--report-dir", "r"]).file("uixt.yaml", "{}\n");
    let test = test
        .file("cases/beside.txt", "1")
        .file("below.txt", "2")
        .file("cases/case.yaml", format!("teststeps:\n{push}"));
    let ran = test.run().code(3).says("step 3, ");
    let (cases, root) = (ran.path("cases"), ran.path(""));
    let root = root.display().to_string();
    ran.says(&format!("there is no file none.txt; looked in {} or {}", cases.display(), root.trim_end_matches('/')));
    // What `save_storage_state` wrote below the project is found from a testcase in a folder.
    let saved = "- open_url: /index.html\n- save_storage_state: state.json\n- assert_title: Home\n";
    run("tags: [a]", saved).code(0);
    let state = "{\"cookies\": [], \"origins\": []}";
    let case = "config: {browser: {storage_state: state.json}}\nteststeps:\n- open_url: \"about:blank\"\n";
    let test = Test::new(&["run", "cases/case.yaml", "--report-dir", "r"]).file("uixt.yaml", "device: browser\n");
    let test = test.file("state.json", state).file("cases/case.yaml", case);
    let output = test.web_command().output().expect("the program starts");
    test.ran(&output).code(0);
}

#[test]
fn a_case_gets_the_kind_of_device_that_it_requires_or_names() {
    let home = "teststeps:\n- home:\n";
    let project = |case: &str, args: &[&str]| {
        let args = [&["run", "case.yaml", "--report-dir", "r"], args].concat();
        Test::new(&args).file("uixt.yaml", "device: browser\n").file("case.yaml", case.to_owned() + home).run()
    };
    let is_phone =
        |ran: Ran| assert!(ran.json("r/summary.json")["cases"][0]["device"]["platform"] == "android", "{}", ran.stderr);
    is_phone(project("config: {requires: phone}\n", &[]).code(0));
    is_phone(project("config: {device: phone}\n", &[]).code(0));
    is_phone(project("config: {device: browser}\n", &["--device", "phone"]).code(0));
    let skipped = project("config: {requires: phone}\n", &["--device", "browser"]).code(0);
    skipped.says("requires android, and none of the devices is one");
    let of_project = "device: browser\nrequires: [browser]\n";
    let test = Test::new(&["run", "case.yaml", "--device", "phone"]).file("uixt.yaml", of_project);
    test.file("case.yaml", home).run().code(0).says("skipped case (case.yaml): requires browser");
    let wrong = project("config: {device: phnoe}\n", &[]).code(2);
    wrong.says("unknown device `phnoe`; valid: phone, iphone, harmony-phone, android[:SERIAL]").says("case.yaml:1:18");
}

#[test]
fn a_selector_that_no_engine_takes_is_refused_with_its_place() {
    for (selector, why) in [
        ("p[", "selector `p[`: character 2: this `[` is not closed"),
        ("p[a=]", "character 5: a value is missing behind `=`"),
        ("p[a='x]", "character 5: this `'` is not closed"),
        ("div:has(p", "character 8: this `(` is not closed"),
        ("div)p", "character 4: this `)` closes nothing"),
    ] {
        let case = format!("teststeps:\n- tap: {{selector: \"{selector}\"}}\n");
        Test::new(&["check", "a.yaml"]).file("a.yaml", case).run().code(2).says(why);
    }
    for selector in ["p[title='a]b']", "ul > li:nth-child(2n+1)", "a[href$='(x)']", "//p[@a='(']"] {
        let case = format!("teststeps:\n- tap: {{selector: \"{selector}\"}}\n");
        Test::new(&["check", "a.yaml"]).file("a.yaml", case).run().code(0);
    }
}
