//! `uixt convert`: the short form of a testcase in HttpRunner's form means the same requests.

use std::fs;
use std::path::Path;

use uixt::testcase::{self, Overrides, TestCase};
use uixt::tools;

use crate::support::Test;

fn load(path: &Path) -> TestCase {
    let vocabulary = uixt::cli::vocabulary();
    let loaded = testcase::load(&[path.to_path_buf()], &vocabulary, &Overrides::default());
    let shown = |errors: Vec<testcase::Error>| errors.iter().map(|error| error.render(false)).collect::<String>();
    loaded.map_err(shown).unwrap_or_else(|errors| panic!("{errors}")).remove(0)
}

/// Returns every request of a case, in order, before its variables are known.
fn requests(case: &TestCase) -> Vec<String> {
    let mut requests = Vec::new();
    case.each_action(&mut |action| {
        let request = tools::table().request(action).map_err(|error| error.message);
        requests.push(request.map_or_else(|message| message, |request| serde_json::to_string(&request).expect("JSON")));
    });
    requests
}

const LOG_IN: &str = r#"{
  "config": {"name": "Log in: 小明", "variables": {"user": "小明", "at": [0.5, 0.5]}},
  "teststeps": [
    {"name": "several actions", "loops": 2, "android": {"actions": [
      {"method": "home"},
      {"method": "tap_xy", "params": [540, 1200], "options": {"identifier": "a # b", "pre_mark_operation": true}},
      {"method": "tap_ocr", "params": "登录", "index": -1, "ignore_NotFoundError": true},
      {"method": "swipe", "params": [0.5, 0.8, 0.5, 0.2], "duration": 0.5},
      {"method": "swipe_to_tap_texts", "params": ["a", "b: c"], "options": {"max_retry_times": 3, "direction": "left"}},
      {"method": "input", "params": "007"}
    ]}, "validate": [
      {"check": "ui_ocr", "assert": "exists", "expect": "^W", "msg": "not \"in\""},
      {"not_equal": ["ui_foreground_app", "com.uixt.settings"]}
    ]},
    {"name": "one action", "android": {"actions": [{"method": "sleep", "params": "0.10"}]}},
    {"name": "a list in a variable stays as it is", "android": {"actions": [{"method": "swipe", "params": "$at", "duration": 1}]}},
    {"shell": {"string": "true", "expect_exit_code": 0}},
    {"validate": [{"check": "$user", "assert": "equals", "expect": "小明"}]}
  ]
}"#;

#[test]
fn the_short_form_means_the_same() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("testcases/httprunner_login.yaml");
    let sample = fs::read_to_string(sample).expect("the sample");
    for (name, text) in [("sample.yaml", sample.as_str()), ("log_in.json", LOG_IN)] {
        let ran = Test::new(&["convert", name, "-o", "short.yaml"]).file(name, text).run().code(0).prints("wrote");
        let (before, after) = (load(&ran.path(name)), load(&ran.path("short.yaml")));
        assert_eq!(requests(&before), requests(&after), "{}", ran.read("short.yaml"));
        assert!(requests(&before).len() > 5);
        let short = ran.read("short.yaml");
        let long = short.matches("actions:").count();
        assert_eq!(
            long,
            usize::from(name.ends_with("json")),
            "only what the short form cannot say keeps the other: {short}"
        );
    }
}

#[test]
fn options_that_do_nothing_are_no_difference() {
    let text = "teststeps:
- {name: a, android: {actions: [{method: swipe, params: [0.5, 0.8, 0.5, 0.2], options: {press_duration: 0.1}}]}}
- {name: b, android: {actions: [{method: swipe, params: [0.5, 0.8, 0.5, 0.2], options: {index: 1, regex: true}}]}}
- {name: c, android: {actions: [{method: home, options: {press_duration: 0.1, anti_risk: true}}]}}
";
    Test::new(&["convert", "a.yaml"]).file("a.yaml", text).run().code(0).prints("swipe");
}

#[test]
fn comments_are_told_of_and_files_are_not_overwritten() {
    let text = "# why\nconfig: {name: a}\nteststeps:\n- log: a\n";
    let test = || Test::new(&["convert", "a.yaml"]).file("a.yaml", text);
    test().run().code(0).says("comments of a.yaml are not kept").prints("- log: a");
    let taken = Test::new(&["convert", "a.yaml", "-o", "b.yaml"]).file("a.yaml", text).file("b.yaml", "mine");
    let ran = taken.run().code(2).says("b.yaml already exists");
    assert_eq!(ran.read("b.yaml"), "mine");
    Test::new(&["convert", "a.yaml"]).file("a.yaml", "teststeps:\n- tap_elemnt: a\n").run().code(2).says("a.yaml:2:3");
}
