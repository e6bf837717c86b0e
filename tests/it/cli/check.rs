//! `uixt check`: every error of every file, each at its place.

use serde_json::json;

use crate::support::Test;

/// Files that cannot be loaded, each in its own way.
const BROKEN: [(&str, &str); 5] = [
    ("broken/1-argument.yaml", "teststeps:\n- tap_element: {text: Sign in, timout: 5}\n"),
    ("broken/2-tool.yaml", "teststeps:\n- home:\n- tap_elemnt: Sign in\n"),
    ("broken/3-key.yaml", "config:\n  name: a\n  name: b\nteststeps:\n- home:\n"),
    ("broken/4-expression.yaml", "config: {variables: {user: 小明}}\nteststeps:\n- log: 你好 $usr，再见\n"),
    ("broken/5-tab.yaml", "teststeps:\n- log: a\n\tname: b\n"),
];

const SHOWN: &str = "\
error: unknown argument `timout` of tap_element
  --> broken/1-argument.yaml:2:32
   |
 2 | - tap_element: {text: Sign in, timout: 5}
   |                                ^^^^^^ did you mean `timeout`?
   = valid: text, id, role, ref, selector, test_id, label, placeholder, description, index, within, near, regex, exact, fuzzy, source, image, control, confidence, present, timeout, x, y, duration, ai

error: unknown tool `tap_elemnt`
  --> broken/2-tool.yaml:3:3
   |
 3 | - tap_elemnt: Sign in
   |   ^^^^^^^^^^ did you mean `tap_element`?
   = `uixt tools` lists the tools

error: duplicate key `name`
  --> broken/3-key.yaml:3:3
   |
 3 |   name: b
   |   ^^^^ first on line 2

error: unknown variable `usr`
  --> broken/4-expression.yaml:3:11
   |
 3 | - log: 你好 $usr，再见
   |             ^^^^ did you mean `$user`?
   = known: user; write `$$` for a `$` sign

error: a tab indents this line
  --> broken/5-tab.yaml:3:1
   |
 3 |  name: b
   | ^
   = YAML is indented with spaces

5 errors, 5 files; nothing was run
";

fn broken(arguments: &[&str]) -> Test {
    BROKEN.iter().fold(Test::new(arguments), |test, (name, text)| test.file(name, text))
}

#[test]
fn five_broken_files_get_five_carets() {
    let ran = broken(&["check", "broken"]).run().code(2);
    assert_eq!(ran.stderr, SHOWN);
    assert_eq!(ran.stdout, "");
}

#[test]
fn errors_come_as_json_for_programs() {
    let ran = broken(&["check", "broken", "--format", "json"]).run().code(2);
    let errors = ran.printed()["errors"].as_array().cloned().unwrap();
    let places: Vec<_> = errors.iter().map(|error| (error["line"].clone(), error["column"].clone())).collect();
    assert_eq!(json!(places), json!([[2, 32], [3, 3], [3, 3], [3, 11], [3, 1]]));
    assert_eq!(errors[0]["file"], "broken/1-argument.yaml");
    assert_eq!(errors[0]["message"], "unknown argument `timout` of tap_element");
    assert_eq!(errors[0]["hint"], "did you mean `timeout`?");
    assert_eq!(errors[3]["source"], "- log: 你好 $usr，再见");
}

#[test]
fn a_file_that_is_not_there_hides_no_other_error() {
    let ran = broken(&["check", "broken", "nope.yaml", "--format", "json"]).run().code(2);
    let errors = ran.printed()["errors"].as_array().cloned().unwrap();
    assert_eq!(errors.len(), 6);
    assert_eq!(errors[0]["message"], "nope.yaml: there is no such file or folder");
}

#[test]
fn what_is_met_and_is_no_testcase_is_one_error() {
    let test = Test::new(&["check", "."])
        .file("a.yaml", "teststeps:\n- log: a\n")
        .file("all/summary.json", "[]")
        .file("all/junit.xml", "")
        .file("out/journal.jsonl", "")
        .file("out/summary.json", "{\"success\": true, \"details\": []}");
    test.run().code(0).prints("1 testcase: no errors");
    let data = Test::new(&["check", ".", "--format", "json"]).file("data.json", "{\"a\": 1, \"b\": 2, \"c\": 3}");
    assert_eq!(data.run().code(2).printed()["errors"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_function_that_is_not_there_is_found_before_the_run() {
    for call in ["sgin", "{name: sgin}", "[sgin, 1]"] {
        let test = Test::new(&["check", "a.yaml"]).file("debugtalk.py", "def sign(a=0):\n    return a\n");
        let ran = test.file("a.yaml", format!("teststeps:\n- call_function: {call}\n")).run().code(2);
        ran.says("there is no function `sgin`").says("did you mean `sign`?");
    }
}

#[test]
fn what_is_right_passes() {
    let right = "config: {name: a, variables: {x: 1}}\nteststeps:\n- log: $x $given\n- app_launch: com.uixt.shop\n";
    let test =
        Test::new(&["check", "right", "--var", "given=1"]).file("right/a.yaml", right).file("right/b.yml", right);
    let ran = test.run().code(0).prints("2 testcases: no errors");
    let ran = ran.then(&["check", "right/a.yaml", "--var", "given=1", "--format", "json"]).code(0);
    assert_eq!(ran.printed(), json!({"testcases": 1, "errors": [], "warnings": []}));
    ran.then(&["check", "right/a.yaml"]).code(2).says("unknown variable `given`");
}

#[test]
fn a_tool_is_known_by_every_spelling() {
    let steps = "teststeps:\n- uixt__log: a\n- TapXY: [0.5, 0.5]\n- tapXy: {x: 0, y: 0}\n- Home:\n";
    let more = "- android: {actions: [{method: uixt__sleep, params: 0}]}\n  validate: [{AssertVisible: x}, {uixt__assert_visible: x}]\n";
    Test::new(&["check", "a.yaml"]).file("a.yaml", format!("{steps}{more}")).run().code(0);
    let wrong = "teststeps:\n- uixt__tap_elemnt: x\n- TapCV: x\n- home:\n  validate: [Home: ]\n- validte: []\n";
    let ran = Test::new(&["check", "a.yaml"]).file("a.yaml", wrong).run().code(2);
    let ran = ran.says("unknown tool `uixt__tap_elemnt`").says("did you mean `tap_element`?");
    let ran = ran.says("unknown control `x`").says("`Home` asserts nothing");
    ran.says("unknown key `validte` of a step").says("did you mean `validate`?");
}

#[test]
fn a_broken_file_keeps_everything_from_running() {
    let right = "teststeps:\n- log: never\n";
    let test = broken(&["run", "0-right.yaml", "broken/2-tool.yaml", "--device", "phone"]).file("0-right.yaml", right);
    let ran = test.run().code(2).says("unknown tool `tap_elemnt`").says("nothing was run");
    assert!(!ran.path("results").exists());
}

#[test]
fn paths_that_hold_nothing_are_errors() {
    Test::new(&["check", "nope.yaml"]).run().code(2).says("nope.yaml: there is no such file or folder");
    Test::new(&["check", "empty"])
        .file("empty/readme.md", "")
        .run()
        .code(2)
        .says("there is no testcase in this folder");
}

#[test]
fn a_variable_of_the_command_line_that_nothing_mentions_is_mistyped() {
    let case = "config: {variables: {user: a}}\nteststeps:\n- log: $user\n";
    let mistyped = Test::new(&["run", "a.yaml", "--var", "usr=x"]).file("a.yaml", case);
    mistyped.run().code(2).says("no testcase defines or mentions the variable `usr`").says("did you mean `user`?");
    let mentioned = "teststeps:\n- log: ok\n  when: other is defined\n";
    let given = ["check", "a.yaml", "--var", "other=1"];
    Test::new(&given).file("a.yaml", mentioned).run().code(0);
}

#[test]
fn one_equals_sign_is_taken_for_a_slip() {
    let text = "config: {anti_risk: true}\nteststeps:\n- {log: a, when: n = 4, variables: {n: 4}}\n";
    Test::new(&["check", "a.yaml"]).file("a.yaml", text).run().code(2).says("did you mean `==`?");
    let run = ["run", "a.yaml", "--report-dir", "out"];
    Test::new(&run).file("a.yaml", text.replace('=', "==")).run().code(0);
}

#[test]
fn a_variable_for_another_testcase_that_nothing_there_mentions_is_mistyped() {
    let sub = "config: {variables: {user: bob}}\nteststeps:\n- testcase: deep.yml\n  variables: {who: $user}\n";
    let test = |main: &str| {
        Test::new(&["check", "main.yaml"])
            .file("main.yaml", format!("teststeps:\n{main}"))
            .file("sub.yml", sub)
            .file("deep.yml", "teststeps:\n- log: $who $extra\n- api: call.yml\n")
            .file("call.yml", "request: {url: \"http://localhost/\"} # host_name\n")
            .file("open.yml", "config: {variables: \"${ {'a': 1} }\"}\nteststeps: [log: a]\n")
    };
    let wrong = test("- {testcase: sub.yml, variables: {usr: alice, extra: 1}}\n").run().code(2);
    wrong.says("mentions no variable `usr`").says("main.yaml:2:").says("did you mean `user`?");
    for right in [
        "{testcase: sub.yml, variables: {user: alice, extra: 1, host_name: a}}",
        "{testcase: sub.yml, variables: {base: 1, user: $base, extra: 1}}",
        "{testcase: sub.yml, variables: {usr: 1, extra: 1}, when: usr == 1}",
        "{testcase: {teststeps: [log: $own]}, variables: {own: 1}}",
        "{testcase: open.yml, variables: {usr: 1}}",
        "{testcase: sub.yml, variables: \"${ {'extra': 1} }\"}",
    ] {
        test(&format!("- {right}\n")).run().code(0);
    }
    test("- {testcase: sub.yml, variables: {usr: alice, extra: 1}}\n")
        .file("debugtalk.py", "def f(): pass\n")
        .run()
        .code(0);
    test("- {testcase: {teststeps: [log: $own]}, variables: {own: 1, won: 1}}\n")
        .run()
        .code(2)
        .says("no variable `won`");
}

#[test]
fn what_is_exported_is_defined_and_an_empty_step_is_refused() {
    let table = [
        ("config: {export: [zz]}\nteststeps:\n- log: a\n", "names `zz`, which nothing defines"),
        ("teststeps:\n- {name: a, validate: []}\n", "the step does nothing"),
        ("teststeps:\n- {log: a}\n- {validate: []}\n", "the step does nothing"),
    ];
    for (text, expected) in table {
        Test::new(&["check", "a.yaml"]).file("a.yaml", text).run().code(2).says(expected);
    }
}

#[test]
fn steps_that_do_nothing_are_named() {
    let text =
        "teststeps:\n- {name: a, transaction: {name: t, type: start}}\n- {name: b, rendezvous: {name: r}}\n- log: c\n";
    for command in [&["check", "a.yaml"][..], &["run", "a.yaml"]] {
        let ran = Test::new(command).file("a.yaml", text).run().code(0);
        ran.says("a.yaml:2:3: transactions").says("a.yaml:3:3: a rendezvous");
    }
}

#[test]
fn data_in_a_folder_is_told_from_a_testcase() {
    let test = Test::new(&["check", "."]).file("a.yaml", "teststeps:\n- log: a\n");
    let ran = test.file("data/d.json", r#"[{"name": "a"}, {"name": "b"}]"#).run().code(2);
    ran.says("is not a testcase: it is a list").says("dot in front");
    let test = Test::new(&["check", "."]).file("a.yaml", "teststeps:\n- log: a\n");
    test.file("b.yam", "teststeps:\n- log: a\n").run().code(2).says("b.yam").says("does not end in .yaml");
}

#[test]
fn what_a_config_says_of_its_device_is_checked() {
    for (device, wrong) in [
        ("android: {adb_server_port: abc}", "`adb_server_port` is a port, 1 to 65535, not `abc`"),
        ("android: {uia2: maybe}", "`uia2` is true or false, not `maybe`"),
        ("ios: {port: 70000}", "`port` is a port, 1 to 65535, not `70000`"),
        ("ios: {snapshot_max_depth: 90}", "`snapshot_max_depth` is a number of levels, 1 to 62, not `90`"),
        ("ios: {webDriverAgentUrl: localhost}", "`webDriverAgentUrl` is an address, http://HOST:PORT, not `localhost`"),
        ("harmony: {connect_key: [1]}", "`connect_key` is one value, not a list"),
        ("harmony: {agent: none.so}", "`agent`: there is no file"),
    ] {
        let case = format!("config: {{{device}}}\nteststeps:\n- home:\n");
        let ran = Test::new(&["check", "a.yaml"]).file("a.yaml", &case).run().code(2);
        assert!(ran.stderr.contains("a.yaml:1:") && ran.stderr.contains(wrong), "{device}: {}", ran.stderr);
    }
    let case = "config: {ios: {port: $port, udid: \"${ENV(UDID)}\"}}\nteststeps:\n- home:\n";
    Test::new(&["check", "a.yaml", "--var", "port=8100"]).file("a.yaml", case).run().code(0);
}

#[test]
fn what_yaml_made_of_a_text_is_told_beside_what_is_wrong_with_it() {
    for (text, said) in [
        ("config: {name: Pay, then list}\nteststeps:\n- home:\n", "write it in quotes, \"Pay, then list\""),
        ("teststeps:\n- assert_visible: {role: button, text: Hi, there}\n", "write it in quotes, \"Hi, there\""),
        ("teststeps:\n- assert_visible: #id\n", "begins a comment: write it in quotes, \"#id\""),
        (
            "teststeps:\n- tap: X\n  present: true\n",
            "it is an argument of `tap`: write it under that, `- tap: {…, present: …}`",
        ),
        ("teststeps:\n- tap: X\n  back:\n", "write `- back:` as a step of its own"),
    ] {
        Test::new(&["check", "a.yaml"]).file("a.yaml", text).run().code(2).says(said);
    }
    // A key that was meant keeps the list of those that there are.
    let meant = "teststeps:\n- tap: {text: X, modifers: 1}\n- home:\n  foo: 1\n";
    let ran = Test::new(&["check", "a.yaml"]).file("a.yaml", meant).run().code(2).says("= valid: text, id, ");
    assert!(!ran.stderr.contains("in quotes") && !ran.stderr.contains("it is an argument of"), "{}", ran.stderr);
    let curly = "teststeps:\n- tap: “Sign in”\n- tap: Say “yes”\n";
    let ran = Test::new(&["check", "a.yaml"]).file("a.yaml", curly).run().code(0);
    assert_eq!(
        ran.stderr.matches("are a part of the text; straight ones are not: \"Sign in\"").count(),
        1,
        "{}",
        ran.stderr
    );
    assert_eq!(ran.stderr.matches("are a part of the text").count(), 1, "{}", ran.stderr);
    let cut = "config: {requires: [sh]}  #1\nteststeps:\n- assert_not_visible: Order #7\n- home:  # go home\n- tap: \"Room #5\"\n\
               - input:\n    text: |\n      a #b\n    into: Name's #id # rest\n";
    let ran = Test::new(&["check", "a.yaml"]).file("a.yaml", cut).run().code(0);
    let warnings: Vec<&str> = ran.stderr.lines().collect();
    assert!(
        matches!(warnings[..], [first, second] if first.contains("a.yaml:3:29: `#7` is a comment here") && second.contains("a.yaml:9:18: `#id # rest`")),
        "{warnings:?}"
    );
    let misspelt = "config: {requires: [browsr]}\nteststeps:\n- home:\n";
    Test::new(&["check", "a.yaml"]).file("a.yaml", misspelt).run().code(0).says("did you mean `browser`?");
}

#[test]
fn variables_of_the_command_line_may_be_for_the_cases_or_for_what_runs_before_them() {
    let test = |arguments: &[&str]| {
        Test::new(arguments)
            .file("uixt.yaml", "before_run: parts/log_in.yaml\n")
            .file("parts/log_in.yaml", "teststeps:\n- log: $user\n")
            .file("a.yaml", "config: {variables: {site: x}}\nteststeps:\n- log: $site\n")
    };
    test(&["run", "a.yaml", "--var", "site=y", "--var", "user=ann"]).run().code(0);
    test(&["run", "a.yaml", "--var", "sit=y", "--var", "user=ann"])
        .run()
        .code(2)
        .says("mentions the variable `sit`\n  = did you mean `site`?");
}

#[test]
fn what_a_project_serves_is_no_testcase_unless_it_is_named() {
    let test = |arguments: &[&str]| {
        Test::new(arguments)
            .file("uixt.yaml", "serve: pages\n")
            .file("pages/api/products.json", "[1]\n")
            .file("a.yaml", "teststeps:\n- log: a\n")
    };
    test(&["check"]).run().code(0).prints("1 testcase: no errors");
    test(&["check", "pages/api/products.json"]).run().code(2).says("this is a list");
}
