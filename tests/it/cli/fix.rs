//! `uixt fix`: targets that were not there, mended by what their failures suggest; and what is left alone, with the reason.

use std::fs;

use serde_json::{Value, json};

use crate::support::goals;
use crate::support::model::{Does, Model};
use crate::support::{Ran, Test, items, text};

/// Windows' line ends, comments and a value in quotes stay as they are.
const LOG_IN: &str = "# Who logs in.\r\nconfig: {name: Log in}\r\nteststeps:\r\n- app_launch: com.uixt.shop\r\n\
    - input: {text: alice, into: User name}\r\n- input:   {text: secret123, into: Password}\r\n\
    - tap_element: {role: button,   text: 'Sgin in', timeout: 1}   # the only one\r\n- assert_visible: {text: Cart is empty, timeout: 5}\r\n";

fn run(file: &str, text: &str) -> Ran {
    Test::new(&["run", file, "--device", "phone", "-c", "--report-dir", "results/one"]).file(file, text).run()
}

/// Returns the suggestions of every failed action.
fn suggestions(ran: &Ran) -> Vec<Value> {
    let journal = ran.read("results/one/journal.jsonl");
    let entries = journal.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let failed = entries.filter(|entry| entry["event"] == "action_finished" && entry["outcome"] == "failed");
    failed.map(|entry| entry["error"]["details"]["suggestions"].clone()).collect()
}

/// Returns the lines in which two texts differ.
fn differing<'a>(old: &'a str, new: &'a str) -> Vec<(&'a str, &'a str)> {
    assert_eq!(old.split('\n').count(), new.split('\n').count());
    old.split('\n').zip(new.split('\n')).filter(|(one, other)| one != other).collect()
}

#[test]
fn a_mistyped_target_is_mended_in_one_line() {
    let ran = run("log_in.yaml", LOG_IN).code(1).says("try: tap_element: {role: button, text: Sign in}");
    let suggested = suggestions(&ran);
    let first = &items(&suggested[0])[0];
    assert_eq!(first["target"], json!({"role": "button", "text": "Sign in"}));
    assert!(first["score"].as_f64().is_some_and(|score| score > 0.8) && text(&first["why"]).contains("same role"));
    assert_eq!(suggested[1], Value::Null, "nothing on that page is like `Cart is empty`");
    for report in ["junit.xml", "report.html"] {
        assert!(
            ran.read(&format!("results/one/{report}")).contains("try: tap_element: {role: button, text: "),
            "{report}"
        );
    }
    let details =
        &ran.json("results/one/summary.json")["cases"][0]["steps"][3]["attempts"][0]["actions"][0]["error"]["details"];
    assert_eq!(details["suggestions"], suggested[0]);

    let ran = ran.then(&["fix", "--dry-run"]).code(1);
    assert_eq!(ran.read("log_in.yaml"), LOG_IN, "a dry run writes nothing");
    let hunk = "-- tap_element: {role: button,   text: 'Sgin in', timeout: 1}   # the only one\r\n\
                +- tap_element: {role: button,   text: 'Sign in', timeout: 1}   # the only one\r\n";
    let ran = ran.prints("--- a/log_in.yaml\n+++ b/log_in.yaml\n@@ -4,5 +4,5 @@\n").prints(hunk);

    let ran = ran.then(&["fix"]).code(2).says("there is no terminal to ask at: --yes writes, --dry-run shows");
    let ran = ran.then(&["fix", "results/one/journal.jsonl", "--yes"]).code(0);
    let ran = ran.prints("log_in.yaml:7:3\n").prints("1 change written, 0 left").prints("uixt run log_in.yaml");
    let changed = ran.read("log_in.yaml");
    assert_eq!(differing(LOG_IN, &changed).len(), 1);
    assert_eq!(changed, LOG_IN.replace("Sgin", "Sign"));
    assert_eq!(fs::read_dir(ran.path(".")).expect("a folder").count(), 2, "nothing is left beside it");
    let ran = ran.then(&["run", "log_in.yaml", "--device", "phone"]).code(0);
    ran.then(&["fix", "results/one", "--yes"])
        .code(1)
        .says("log_in.yaml:7:3: left as it is: the file was changed since the run");
}

#[test]
fn every_form_of_a_step_is_mended_where_it_stands() {
    let main = "teststeps:\n- testcase: parts/sign_in.yaml\n- &menu\n  tap_element:\n    text: Gren tea  # a comment\n    timeout: 1\n\
                - {name: again, tap_element: Green tea}\n";
    let part = "teststeps:\n- app_launch: com.uixt.shop\n- input: {text: alice, into: Usre name, timeout: 1}\n\
                - input: {text: alice, into: User name}\n- input: {text: secret123, into: Password}\n\
                - android:\n    actions:\n    - method: tap_ocr\n      params: Sign inn\n      timeout: 1\n- tap_element: Sign in\n";
    let ran = Test::new(&["run", "main.yaml", "--device", "phone", "-c", "--report-dir", "results/one"])
        .file("main.yaml", main)
        .file("parts/sign_in.yaml", part)
        .run()
        .code(1);
    assert_eq!(suggestions(&ran).len(), 3, "{}", ran.stderr);
    let ran = ran.then(&["fix", "--yes"]).code(0).prints("3 changes written, 0 left").prints("uixt run main.yaml\n");
    let mended = part.replace("into: Usre name", "into: User name").replace("params: Sign inn", "params: Sign in");
    assert_eq!(ran.read("parts/sign_in.yaml"), mended);
    assert_eq!(ran.read("main.yaml"), main.replace("text: Gren tea  #", "text: Green tea  #"));

    let hrp = r#"{"config": {"name": "a"}, "teststeps": [{"name": "x", "android": {"actions": [
  {"method": "app_launch", "params": "com.uixt.shop"},
  {"method": "tap_element", "params": "Remembr me", "timeout": 1}, {"method": "home"}]}}]}"#;
    let ran = run("hrp.json", hrp).code(1).then(&["fix", "--yes"]).code(0);
    assert_eq!(ran.read("hrp.json"), hrp.replace("Remembr me", "Remember me"));
}

#[test]
fn an_assertion_is_marked_and_only_mended_where_that_is_said() {
    let case = "teststeps:\n- app_launch: com.uixt.shop\n- assert_visible: {text: Usre name, timeout: 1}\n";
    let ran = run("a.yaml", case).code(1).says("try: assert_visible: User name (unless the app is wrong)");
    assert_eq!(suggestions(&ran)[0][0]["may_be_bug"], true);
    let ran = ran
        .then(&["fix", "--yes"])
        .code(1)
        .says("a.yaml:3:3: left as it is: an assertion failed: the app may be wrong");
    assert_eq!(ran.read("a.yaml"), case);
    let ran = ran.then(&["fix", "--dry-run"]).code(1);
    assert_eq!(ran.stdout.trim(), "");
    let ran = ran.then(&["fix", "--yes", "--assertions"]).code(0);
    assert_eq!(ran.read("a.yaml"), case.replace("Usre", "User"));
}

#[test]
fn what_cannot_be_written_is_left_with_the_reason() {
    let case = "config: {variables: {button: Sgin in}}\nteststeps:\n- app_launch: com.uixt.shop\n\
                - tap_element: {text: $button, timeout: 1}\n\
                - tap_element: {text: Nothing of the sort, timeout: 1}\n\
                - parameters: {word: [Sgin in]}\n  tap_element: {text: $word, timeout: 1}\n\
                - tap_element: &name {text: Remembr me, timeout: 1}\n- tap_element: *name\n";
    let ran = run("a.yaml", case).code(1);
    assert_eq!(suggestions(&ran)[1], Value::Null, "nothing is like it");
    let ran = ran.then(&["fix", "--yes"]).code(1);
    let ran = ran
        .says("a.yaml:4:3: left as it is: its target comes from `{\"text\":\"$button\"}`: change it where it is set");
    let ran = ran
        .says("a.yaml:7:3: left as it is: its target comes from")
        .says("change it by hand")
        .prints("0 changes written, 4 left");
    assert_eq!(ran.read("a.yaml"), case);
    let other = case.replace("text: $button", "text: Sign up").replace("Remembr me", "Remembr mi");
    fs::write(ran.path("a.yaml"), &other).expect("a file");
    let ran = ran
        .then(&["fix", "--yes"])
        .code(1)
        .says("a.yaml:4:3: left as it is: the file was changed since the run: run it again");
    assert_eq!(ran.read("a.yaml"), other);
    let gone = ran.test(&["fix", "--yes"]);
    fs::remove_file(gone.path("a.yaml")).expect("a file");
    gone.run().code(1).says("fix runs in the folder in which the run was started");
}

#[test]
fn there_may_be_nothing_to_fix() {
    Test::new(&["fix"]).run().code(2).says("there is no run in `results/`");
    Test::new(&["fix", "here"]).run().code(2).says("here is not a run's folder: it has no journal.jsonl");
    let ran =
        run("a.yaml", "teststeps:\n- app_launch: com.uixt.shop\n- tap_element: {text: Checkout, timeout: 1}\n").code(1);
    assert_eq!(suggestions(&ran), [Value::Null]);
    ran.then(&["fix"]).code(0).prints("nothing to fix: no failed step of results/one has a suggestion");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_orders_the_suggestions() {
    let page =
        "data:text/html,<button>Save%20draft</button><button>Save%20drafts</button><button>Saved%20draft</button>";
    let case = format!("teststeps:\n- open_url: \"{page}\"\n- tap_element: {{text: Save drfat, timeout: 1}}\n");
    let arguments = ["run", "save.yaml", "--device", "browser", "--report-dir", "results/one"];
    let ran = goals::run(Test::new(&arguments).file("save.yaml", case), &[]).await.code(1);
    let suggested = suggestions(&ran);
    let count = items(&suggested[0]).len();
    assert!(count > 1, "{suggested:?}");
    let answer = format!("{{\"order\": [{count}]}}").leak();
    let (model, variables) = Model::start([Does::Says(answer), Does::Says("the first")]).await;
    let ran = goals::run(ran.test(&["fix", "--dry-run", "--ai"]), &variables).await;
    let shown = model.shown();
    assert!(shown.len() == 1 && shown[0].contains("suggestion 1 (") && shown[0].contains("Save drfat"), "{shown:?}");
    let target = &items(&suggested[0])[count - 1]["target"];
    let last = target.as_str().map_or_else(|| text(&target["text"]).to_owned(), str::to_owned);
    let ran = ran.code(1).prints(&last);
    goals::run(ran.test(&["fix", "--dry-run", "--ai"]), &variables).await.code(3).says("does not order");
}
