//! Files as people wrote them for `HttpRunner`: each loads and converts, or says at its place what to write instead.

use crate::support::Test;

/// Lines of a step → what `uixt check` says of it; every file has one step of one platform.
const REFUSED: [(&str, &[&str]); 6] = [
    ("{method: live_e2e, interval: 5}", &["a.yaml:4:32", "write the steps that it should take"]),
    ("{method: sleep_strict, params: 1}", &["a.yaml:4:32", "write sleep instead"]),
    ("{method: swipe_to_tap_texts, params: [a], wait_time: 1}", &["a.yaml:4:76", "write `interval`"]),
    (
        "{method: swipe_to_tap_texts, params: [], function: '${split_by_comma($ups)}'}",
        &["a.yaml:4:74", "write what it calls as `params`"],
    ),
    ("{method: tap_ocr, params: a, options: {time_limit: $ups}}", &["a.yaml:4:74", "write `timeout`"]),
    ("{method: tap_cv, screenshot_with_ui_types: [dyhouse]}", &["a.yaml:4:", "unknown control `dyhouse`"]),
];

fn case(platform: &str, action: &str) -> String {
    format!("config: {{variables: {{ups: 'a,b'}}}}\nteststeps:\n- name: one\n  {platform}: {{actions: [{action}]}}\n")
}

#[test]
fn what_means_nothing_any_more_says_what_to_write() {
    for (action, words) in REFUSED {
        let ran = Test::new(&["check", "a.yaml"]).file("a.yaml", case("android", action)).run().code(2);
        words.iter().fold(ran, |ran, word| ran.says(word));
    }
}

#[test]
fn every_platform_of_httprunner_is_read() {
    let check = |text: String| Test::new(&["check", "a.yaml"]).file("a.yaml", text).run();
    let steps = "teststeps:\n- harmony: {actions: [{method: home}]}\n";
    check(steps.to_owned()).code(0);
    check(format!("config: {{harmony: [{{connect_key: $id, log_on: true}}], variables: {{id: x}}}}\n{steps}")).code(0);
    check(format!("config: {{requires: [harmony], harmony: [{{connect_key: x}}]}}\n{steps}")).code(0);
    check(case("harmony", "{method: home}")).code(0);
    check(format!("config: {{harmony: [{{conect_key: x}}]}}\n{steps}")).code(2).says("connect_key");
}

#[test]
fn the_device_that_is_listed_first_is_the_cases() {
    let run = |devices: &str| {
        let text = format!("config: {{{devices}}}\nteststeps:\n- home:\n");
        let arguments = ["run", "a.yaml", "--adb-server", "127.0.0.1:1", "--hdc-server", "127.0.0.1:2"];
        Test::new(&arguments).file("a.yaml", text).run()
    };
    run("android: [{serial: none-such}], harmony: [{connect_key: x}]").says("127.0.0.1:1");
    run("harmony: [{connect_key: x}], android: [{serial: none-such}]").says("127.0.0.1:2");
}

#[test]
fn old_spellings_beside_the_devices_are_read() {
    let text = "config:
  name: old
  description: nothing that changes anything
  links: [{url: 'http://a/', name: b}]
  base_url: http://127.0.0.1:9
  parameters: {user: [a, b]}
  parameters_setting: {strategy: random, iteration: 3}
teststeps:
- request: {method: GET, url: /, params: {user: $user}}
  extract: [{token: headers.x-token}]
  validate:
  - eq: [headers.Content-Type, application/json]
  - eq: [content.items.0.content-id, 1]
";
    Test::new(&["check", "a.yaml"]).file("a.yaml", text).run().code(0);
    let table = [
        ("config: {custom_marks: [a]}", "write `tags`"),
        ("config: {usefixtures: [a]}", "write `setup_hooks`"),
        ("config: {parameters: {a: '${parameterize(b/none.csv)}'}}", "= paths are relative to the testcase's folder"),
    ];
    for (config, word) in table {
        let text = format!("{config}\nteststeps:\n- log: a\n");
        Test::new(&["check", "a.yaml"]).file("a.yaml", text).run().code(2).says(word);
    }
    let request = "teststeps:\n- request:\n    method: GET\n    url: http://127.0.0.1:9\n    http2: true\n";
    let jsonpath = "  validate:\n  - eq: [$.cookies.a, b]\n- gRPC: {url: a}\n";
    let text = format!("{request}{jsonpath}");
    let ran = Test::new(&["check", "a.yaml"]).file("a.yaml", text).run().code(2);
    let ran = ran.says("a.yaml:5:12").says("leave `http2` out").says("this is JSONPath");
    ran.says("write a `shell` step that calls a client for it");
}

#[test]
fn several_actions_with_checks_become_a_group() {
    let actions = "{method: app_launch, params: com.uixt.shop}, {method: sleep, params: 0}";
    let checks = "  loops: 2\n  validate:\n  - {check: ui_ocr, assert: exists, expect: Sign in, msg: not there}\n";
    let text = case("android", actions) + checks;
    let ran = Test::new(&["convert", "a.yaml", "-o", "b.yaml"]).file("a.yaml", &text).run().code(0);
    let short = std::fs::read_to_string(ran.path("b.yaml")).unwrap();
    assert!(short.contains("- app_launch: com.uixt.shop\n") && short.contains("assert_visible: "), "{short}");
    ran.then(&["run", "b.yaml", "--device", "phone"]).code(0).says("1 passed");
    // A group would close pop-ups after each of its steps.
    let closing = format!("{text}  auto_popup_handler: true\n");
    let ran = Test::new(&["convert", "a.yaml"]).file("a.yaml", closing).run().code(0);
    assert!(ran.stdout.contains("actions:"), "{}", ran.stdout);
}
