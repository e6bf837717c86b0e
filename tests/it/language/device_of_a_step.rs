//! Which device and which functions a step reaches: its own, its testcase's, those of the one that refers to it.

use crate::support::counterparts::Phone;
use crate::support::{Ran, Test, items, text};

const REFER: &str = "teststeps:\n- testcase: b.yaml\n- home:\n";

/// Runs `a.yaml`, which may refer to `b.yaml`, at the adb server of a phone that is called uixt-phone.
fn run(arguments: &[&str], a: &str, b: &str) -> Ran {
    let (phone, address) = phone();
    let all = [&["run", "a.yaml", "--report-dir", "out", "--adb-server", &address], arguments].concat();
    let ran = Test::new(&all).file("a.yaml", a).file("b.yaml", b).run();
    drop(phone);
    ran
}

fn phone() -> (Phone, String) {
    let phone = Phone::start();
    let address = phone.address();
    (phone, address)
}

#[test]
fn a_testcase_that_a_step_refers_to_has_functions_of_its_own() {
    let refer =
        "config: {functions: one.py}\nteststeps:\n- testcase: b.yaml\n- CHECK\n".replace("CHECK", &asks("outer"));
    let own = format!(
        "config: {{functions: two.py}}\nteststeps:\n- {}\n- {}\n",
        asks("inner"),
        "assert_value: {value: '${who()}', equals: inner}"
    );
    let without = "teststeps:\n- call_function: {name: who}\n";
    let run = |inner: &str| {
        Test::new(&["run", "a.yaml", "--report-dir", "out"])
            .file("a.yaml", &refer)
            .file("b.yaml", inner)
            .file("one.py", "def who():\n    return 'outer'\n")
            .file("two.py", "def who():\n    return 'inner'\n\ndef only_here():\n    return 1\n")
            .run()
    };
    run(&own).code(0);
    run(&own.replace("{name: who}", "{name: only_here}").replace("$name", "inner")).code(0);
    run(without).code(3).says("there are no functions");
}

/// A step that calls `who` and checks its answer.
fn asks(answer: &str) -> String {
    format!("call_function: {{name: who}}\n  save: name\n- assert_value: {{value: $name, equals: {answer}}}")
}

#[test]
fn a_testcase_that_a_step_refers_to_runs_on_the_device_that_it_names() {
    let named = |serial: &str| format!("config: {{android: [{{serial: {serial}}}]}}\nteststeps:\n- home:\n");
    let ran = run(&[], REFER, &named("$here").replace("config: {", "config: {variables: {here: uixt-phone}, ")).code(0);
    let summary = ran.json("out/summary.json");
    let serial =
        |at: usize| summary["cases"][0]["steps"][at]["attempts"][0]["actions"][0]["arguments"]["serial"].clone();
    assert_eq!((serial(0), serial(1)), ("uixt-phone".into(), serde_json::Value::Null));
    run(&[], REFER, &named("elsewhere")).code(3).says("device elsewhere is not connected");
    run(&["--device", "android"], REFER, &named("elsewhere")).code(0);
    run(&[], REFER, &named("''")).code(0);
    run(&[], REFER, &named("'${trim(\" \")}'")).code(3).says("is empty, which names no device").says("b.yaml:1:");
    let selecting =
        named("elsewhere").replace("- home:", "- select_device: {platform: android, serial: uixt-phone}\n- home:");
    run(&[], REFER, &selecting).code(0);
}

#[test]
fn a_testcase_at_another_adb_server_is_refused() {
    let b = "config: {android: [{serial: x, adb_server_port: 1}]}\nteststeps:\n- home:\n";
    run(&[], REFER, b).code(2).says("b.yaml:1:20: ").says("is at the adb server 127.0.0.1:1, and a.yaml");
    run(&["--device", "android"], REFER, b).code(0);
}

#[test]
fn a_serial_without_a_value_is_no_device() {
    let config = "config: {variables: {x: '', n: null, here: uixt-phone}}\nteststeps:\n- ";
    let go = |step: &str| run(&[], &format!("{config}{step}\n"), "");
    for serial in ["$x", "$n", "'${x ~ \" \"}'"] {
        go(&format!("android: {{serial: {serial}, actions: [{{method: home}}]}}"))
            .code(3)
            .says("is empty, which names no device");
        go(&format!("home: {{serial: {serial}}}")).code(3).says("is empty, which names no device");
    }
    go("android: {serial: $here, actions: [{method: home}]}").code(0);
    go("android: {serial: '', actions: [{method: home}]}").code(0);
    go("home: {serial: $here}").code(0);
    let device = |serial: &str| {
        let text = format!("config: {{variables: {{x: ''}}, android: [{{serial: {serial}}}]}}\nteststeps:\n- home:\n");
        run(&[], &text, "")
    };
    device("$x").code(2).says("a.yaml:1:49: `serial: $x` is empty");
    device("''").code(0);
    device("null").code(0);
}

#[test]
fn several_devices_are_told_of_where_steps_do_not_choose() {
    let check = |config: &str, steps: &str| {
        let text = format!("config: {{{config}}}\nteststeps:\n{steps}");
        Test::new(&["check", "a.yaml"]).file("a.yaml", text).run().code(0)
    };
    let two = "android: [{serial: a}, {serial: b}]";
    let warning = "warning: a.yaml:1:33: `config` lists 2 devices: steps that name no `serial` run on the first, a";
    check(two, "- home:\n").says(warning);
    check(two, "- android: {serial: b, actions: [{method: home}]}\n- steps: [home: ]\n").says(warning);
    check("harmony: [{connect_key: x}], android: [{}]", "- home:\n")
        .says("steps that name no `serial` run on the first");
    for steps in [
        "- android: {serial: b, actions: [{method: home}]}\n- log: x\n",
        "- home: {serial: b}\n",
        "- select_device: {platform: android, serial: b}\n- home:\n",
    ] {
        let quiet = check(two, steps);
        assert_eq!(quiet.stderr, "", "{steps}");
    }
    let ran =
        run(&[], &format!("config: {{{}}}\nteststeps:\n- home:\n", two.replace("serial: a", "serial: uixt-phone")), "")
            .code(0)
            .says("run on the first, uixt-phone");
    let log = ran.json("out/summary.json")["cases"][0]["log"].clone();
    assert!(text(&items(&log)[0]["message"]).contains("run on the first, uixt-phone"));
    run(&["--device", "phone"], &format!("config: {{{two}}}\nteststeps:\n- home:\n"), "").code(0);
}

#[test]
fn phones_of_one_case_are_told_apart_by_their_names() {
    let phones = Phone::start_with(&["--count", "2"], 0);
    let case = "config:
  android: [{serial: uixt-phone-1, name: caller}, {serial: uixt-phone-2, name: callee}]
teststeps:
- device: callee
  app_launch: com.uixt.shop
- app_launch: com.uixt.settings
- device: callee
  assert_visible: Sign in
- device: caller
  assert_visible: Settings
";
    let run = |text: &str, arguments: &[&str]| {
        let address = phones.address();
        let all = [&["run", "--report-dir", "out", "--adb-server", &address], arguments, &["a.yaml"]].concat();
        Test::new(&all).file("a.yaml", text).file("0.yaml", "teststeps:\n- home:\n").run()
    };
    run(case, &[]).code(0);
    run(&case.replace("uixt-phone-2, ", "uixt-phone-3, "), &[]).code(3).says("device uixt-phone-3 is not connected");
    let same = "`callee` and `caller` are the same device, uixt-phone-2";
    run(case, &["--device", "android:uixt-phone-2"]).code(2).says(same).says("a.yaml:2:51: ");
    run(case, &[".", "--device", "android:uixt-phone-1", "--device", "android:uixt-phone-2"])
        .code(2)
        .says("a.yaml: its steps go to uixt-phone-2, which --device gives to all cases");
    let unnamed = case.replace("{serial: uixt-phone-2, name", "{name");
    run(&unnamed, &[]).code(2).says("`callee` is not the case's own device").says("= give its `serial`");
}
