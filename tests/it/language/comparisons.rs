//! Comparisons that would prove nothing, and verdicts beside them: the right case passes, the same with a mistake fails and says which.

use crate::support::{Ran, Test};

const DATA: &str = r#"def data():
    return {"items": [{"id": "1", "name": "a"}, {"id": "2"}], "none": []}
"#;

/// Runs a check of what a function returned.
fn check(check: &str, assert: &str, expect: &str) -> Ran {
    let case = format!(
        "config: {{name: data}}\nteststeps:\n- call_function: data\n  validate:\n  - {{check: \"result.{check}\", assert: {assert}, expect: {expect}}}\n"
    );
    Test::new(&["run", "case.yaml"]).file("debugtalk.py", DATA).file("case.yaml", case).run()
}

#[test]
fn a_field_that_no_item_has_filters_nothing() {
    for (right, assert, expect) in [
        ("items[?id=='7']", "length_equals", "0"),
        ("items[?id=='2'].id", "equals", "['2']"),
        ("items[?name=='b'].id", "not_contains", "'1'"),
        ("items[?name==`null`].id", "equals", "['2']"),
        ("none[?id=='7']", "length_equals", "0"),
    ] {
        check(right, assert, expect).code(0);
    }
    let lost = "no item of `result.items` has `idd`; they have: id, name";
    for (broken, assert, expect) in [
        ("items[?idd=='7']", "length_equals", "0"),
        ("items[?idd=='7'].id", "not_contains", "'1'"),
        ("items[?!(idd=='7')].id", "length_equals", "2"),
        ("items[?id=='7' || idd=='7']", "length_equals", "0"),
    ] {
        check(broken, assert, expect).code(1).says(lost);
    }
    check("items[].nam", "not_contains", "x").code(1).says("no item of `result.items` has `nam`; they have: id, name");
}

#[test]
fn what_an_empty_list_lacks_proves_nothing() {
    check("none[].n", "length_equals", "0").code(0);
    check("none[].n", "equals", "[]").code(0);
    check("none", "not_contains", "x").code(0);
    check("none[].n", "not_contains", "x").code(1).says("looks into a list that has no items");
    check("none[?n=='1'].n", "not_contains", "x").code(1).says("looks into a list that has no items");
}

#[test]
fn texts_are_ordered_by_all_of_their_digits() {
    let order = |value: &str, less: &str| {
        let case = format!(
            "config: {{name: order}}\nteststeps:\n- assert_value: {{value: \"{value}\", less_than: \"{less}\"}}\n"
        );
        Test::new(&["run", "case.yaml"]).file("case.yaml", case).run()
    };
    for (value, less) in
        [("007", "+60"), (".5", "1e3"), ("9007199254740992", "9007199254740993"), ("0.1", "0.10000000000000000001")]
    {
        order(value, less).code(0);
        order(less, value).code(1).says("expected less_than");
    }
    order("7px", "60").code(1).says("texts have an order only where both are numbers");
}

#[test]
fn a_row_is_not_overridden() {
    let run = |arguments: &[&str]| {
        let test = Test::new(arguments).file(
            "case.yaml",
            "config: {name: rows, parameters: {user: [a, b]}, variables: {n: 1}}\nteststeps:\n- log: $user $n\n",
        );
        test.run()
    };
    run(&["run", "case.yaml"]).code(0).says("[user=b]");
    run(&["run", "case.yaml", "--var", "n=2"]).code(0);
    run(&["run", "case.yaml", "--var", "user=x"])
        .code(2)
        .says("--var user: the variable `user` is bound by `parameters` of case.yaml")
        .says("nothing was run");
}

#[test]
fn what_was_let_pass_without_its_target_did_nothing() {
    let run = |steps: &str| {
        let test = Test::new(&["run", "case.yaml", "--device", "phone", "--report-dir", "out"]);
        test.file("case.yaml", format!("config: {{name: absent}}\nteststeps:\n{steps}")).run()
    };
    let absent =
        |more: &str| format!("- tap_element: {{text: Nope{more}, timeout: 0.1, ignore_NotFoundError: true}}\n");
    let ran = run(&absent("")).code(0).says("skipped absent");
    ran.says("no step did anything: ignored: \"Nope\": not there within 0.1 s");
    run(&(absent("") + "- tap_element: {text: Settings}\n")).code(0).says("passed  absent");
    run(&(absent("") + "- assert_visible: {text: Settings, timeout: 5}\n")).code(0).says("passed  absent");
    for place in [", within: {text: Nowhere}", ", near: {text: Nowhere}"] {
        run(&(absent(place) + "- press_button: home\n")).code(1).says("\"Nowhere\", is not there");
    }
}

#[test]
fn a_number_is_no_text() {
    let call = |text: &str| {
        let arguments = format!("{{\"text\": {text}, \"timeout\": 0.1}}");
        Test::new(&["call", "assert_visible", &arguments, "--device", "phone"]).run()
    };
    call("1.10").code(2).prints("`text` must be a string, not 1.1: write it in quotes");
    call("\"1.10\"").code(1).prints("\\\"1.10\\\": not there");
    // A testcase's file is read as it is written.
    for (name, text) in [
        (
            "case.json",
            r#"{"config": {"name": "n"}, "teststeps": [{"name": "x", "assert_visible": {"text": 1.10, "timeout": 0.1}}]}"#,
        ),
        ("case.yaml", "config: {name: n}\nteststeps:\n- assert_visible: {text: 1.10, timeout: 0.1}\n"),
        (
            "case.yaml",
            "config: {name: n, variables: {v: 1.10}}\nteststeps:\n- assert_visible: {text: $v, timeout: 0.1}\n",
        ),
    ] {
        Test::new(&["run", name, "--device", "phone"]).file(name, text).run().code(1).says("\"1.10\": not there");
    }
}
