//! The ways in which `HttpRunner` passes wrongly: each of them fails or is refused here.
//!
//! Those of AI steps stand in `ai/steps_in_words.rs`: `ai_assert` as an action that records and never fails, a plan that cannot be read and
//! counts as finished, a planned call of an unknown tool that is passed over.

use serde_json::json;

use crate::support::bench::Bench;
use crate::support::counterparts::Phone;
use crate::support::tampered::tampered;
use crate::support::{Ran, Test};

fn run(arguments: &[&str], text: &str) -> Ran {
    let arguments = [&["run", "case.yaml", "--report-dir", "out"], arguments].concat();
    Test::new(&arguments).file("case.yaml", text).run()
}

fn on_phone(text: &str) -> Ran {
    run(&["--device", "phone"], text)
}

/// Runs a case on a phone that does not find the program that reads the screen.
fn on_blind_phone(text: &str) -> Ran {
    let phone = Phone::start();
    let address = tampered(&phone.address(), " uiautomator dump", "xuiautomator dump").to_string();
    run(&["--device", "android", "--adb-server", &address], text)
}

/// Runs a case on a phone that does not tell which app is in front.
fn on_silent_phone(text: &str) -> Ran {
    let phone = Phone::start();
    let address = tampered(&phone.address(), "dumpsys", "dumbsys").to_string();
    run(&["--device", "android", "--adb-server", &address], text)
}

fn checked(check: &str, assert: &str, expect: &str) -> String {
    format!(
        "teststeps:\n- name: a\n  android: {{actions: [{{method: home}}]}}\n  validate:\n  - {{check: {check}, assert: {assert}, expect: {expect}, msg: wrong}}\n"
    )
}

#[test]
fn what_this_device_cannot_do_does_not_pass() {
    for method in ["secondary_click", "secondary_click_by_selector", "hover_by_selector"] {
        let params = if method == "secondary_click" { "[0.5, 0.5]" } else { "a" };
        let text = format!("teststeps:\n- android: {{actions: [{{method: {method}, params: {params}}}]}}\n");
        let ran = on_phone(&text);
        assert_ne!(ran.code, Some(0), "{method}\n{}", ran.stderr);
        ran.says(method);
    }
}

#[test]
fn a_malformed_file_is_not_dropped() {
    let test = Test::new(&["run", ".", "--device", "phone", "--report-dir", "out"])
        .file("good.yaml", "teststeps:\n- log: a\n")
        .file("bad.yaml", "config: {name: no steps}\nteststep:\n- log: b\n")
        .file("worse.yaml", "teststeps:\n- log: [\n");
    let ran = test.run().code(2).says("bad.yaml").says("worse.yaml");
    assert!(!ran.path("out").exists(), "the good one was run");
}

#[test]
fn another_app_in_front_fails() {
    let cases = [("equal", "com.example.other", "should be"), ("not_equal", "com.uixt.launcher", "should not be")];
    std::thread::scope(|scope| {
        for (assert, app, says) in cases {
            scope.spawn(move || {
                let says = format!("wrong: {app} {says} in front");
                on_phone(&checked("ui_foreground_app", assert, app)).code(1).says(&says);
            });
        }
    });
}

#[test]
fn an_app_in_front_that_cannot_be_told_is_no_pass() {
    for assert in ["equal", "not_equal"] {
        on_silent_phone(&checked("ui_foreground_app", assert, "com.example.other")).code(3);
    }
}

#[test]
fn an_unknown_tool_is_refused() {
    on_phone("teststeps:\n- android: {actions: [{method: tap_everything, params: a}]}\n")
        .code(2)
        .says("unknown tool `tap_everything`");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_tool_of_an_agent_is_an_error() {
    let bench = Bench::start().await;
    let answer = bench.named("tap_everything", json!({"text": "a"})).await;
    assert_eq!((&answer.object["success"], answer.kind()), (&json!(false), "BadArgument"));
}

#[test]
fn going_on_after_a_failure_does_not_pass() {
    run(&["--device", "phone", "-c"], "teststeps:\n- assert_visible: {text: No such text, timeout: 0}\n- log: b\n")
        .code(1);
}

#[test]
fn the_absence_of_a_text_is_not_proved_by_a_screen_that_cannot_be_read() {
    for assert in ["not_exists", "not_equal"] {
        on_blind_phone(&checked("ui_ocr", assert, "No such text")).code(3).says("uiautomator");
    }
}

#[test]
fn ignoring_an_absent_target_hides_no_other_error() {
    let text = "teststeps:\n- android:\n    actions:\n    - {method: tap_ocr, params: Skip, ignore_NotFoundError: true, timeout: 1}\n";
    on_blind_phone(text).code(3).says("uiautomator");
    on_phone(text).code(0);
    let kept = "teststeps:\n- get_text: {text: Skip, timeout: 0, ignore_NotFoundError: true}\n  save: said\n";
    on_phone(&format!("{kept}- assert_value: {{value: \"${{said or 'none'}}\", equals: none}}\n")).code(0);
    on_phone(&format!("{kept}- log: it said $said\n")).code(3).says("`said` is null");
}

#[test]
fn a_check_that_would_be_skipped_is_refused() {
    on_phone(&checked("status_code", "equal", "200")).code(2).says("there is no result for `status_code`");
    on_phone(&checked("ui_image", "exists", "a.png")).code(2).says("there is no file a.png");
}

#[test]
fn what_would_let_an_assertion_pass_is_refused() {
    for action in ["assert_visible, params: a, ignore_NotFoundError: true", "tap_ocr, params: a, time_limit: 5"] {
        on_phone(&format!("teststeps:\n- android: {{actions: [{{method: {action}}}]}}\n")).code(2);
    }
}

#[test]
fn ai_steps_without_a_model_are_errors_and_pass_nothing_over() {
    for action in ["ai_assert, params: a dog is shown", "ai_query, params: a", "start_to_goal, params: buy it"] {
        let ran = on_phone(&format!("teststeps:\n- android: {{actions: [{{method: {action}}}]}}\n"));
        ran.code(3).says("no model is configured: set OPENAI_BASE_URL to its address");
    }
    on_phone(&checked("ui_ai", "ai_assert", "a dog")).code(3).says("no model is configured");
}

#[test]
fn a_selector_that_is_written_as_text_is_refused() {
    for text in ["//android.widget.Button[@text='Sign in']", "(//button)[2]", "button[text='Sign in']"] {
        let file = format!("teststeps:\n- assert_not_visible: \"{text}\"\n");
        let ran = Test::new(&["check", "a.yaml"]).file("a.yaml", file).run().code(2);
        ran.says("looks like a selector: write {selector: ");
    }
    for text in ["#sign_in", "Settings > Wi-Fi", "(optional)", "/sdcard/a", "a // b", "[new]"] {
        let file = format!("teststeps:\n- assert_not_visible: \"{text}\"\n");
        Test::new(&["check", "a.yaml"]).file("a.yaml", file).run().code(0);
    }
}

#[test]
fn nothing_is_absent_from_a_screen_that_is_off() {
    let absent = [
        "assert_not_visible: No such text",
        "wait_for: {text: No such text, gone: true, timeout: 1}",
        "assert_count: {text: No such text, equals: 0}",
        "{name: a, android: {actions: [{method: log, params: a}]}, validate: [{check: ui_ocr, assert: not_exists, expect: No such text}]}",
        "assert_visible: {text: No such text, timeout: 0}",
        "tap_ocr: {text: No such text, timeout: 0}",
    ];
    for dark in ["lock:", "keycode: 223"] {
        for step in absent {
            on_phone(&format!("teststeps:\n- home:\n- {dark}\n- {step}\n")).code(3).says("unlock");
        }
    }
    on_phone(&format!("teststeps:\n- home:\n- {}\n- {}\n", absent[0], absent[2])).code(0);
}

#[test]
fn no_touch_has_an_effect_on_a_screen_that_is_off() {
    let touches = [
        "tap_xy: [0.5, 0.5]",
        "tap_abs_xy: [540, 1200]",
        "double_tap_xy: [0.5, 0.5]",
        "long_press: [0.5, 0.5]",
        "swipe: up",
        "swipe_direction: up",
        "swipe_coordinate: [0.5, 0.8, 0.5, 0.2]",
        "drag: [0.5, 0.8, 0.5, 0.2]",
        "scroll: down",
        "sim_click_at_point: [0.5, 0.5]",
        "sim_swipe_direction: up",
        "sim_swipe_point_to_point: [0.5, 0.8, 0.5, 0.2]",
        "swipe_to_tap_text: No such text",
        "tap_element: {text: Settings, timeout: 0}",
        "input: {text: a, timeout: 0}",
    ];
    std::thread::scope(|scope| {
        for dark in ["lock:", "keycode: 26"] {
            scope.spawn(move || {
                for touch in touches {
                    on_phone(&format!("teststeps:\n- home:\n- {dark}\n- {touch}\n")).code(3).says("unlock");
                }
            });
        }
    });
    let lit = touches[..12].iter().map(|touch| format!("- {touch}\n")).collect::<String>();
    on_phone(&format!("teststeps:\n- lock:\n- unlock:\n{lit}")).code(0);
}

#[test]
fn the_absence_of_the_second_one_proves_nothing() {
    for step in ["assert_not_visible: {text: Settings, index: 1}", "wait_for: {text: Settings, index: 7, gone: true}"] {
        on_phone(&format!("teststeps:\n- {step}\n")).code(2).says("assert_count");
    }
}

#[test]
fn what_any_text_satisfies_is_refused() {
    for step in [
        "assert_text: {text: Settings, matches: '.*'}",
        "assert_visible: {text: '.*', regex: true}",
        "wait_for: {text: 'a?', regex: true}",
        "assert_value: {value: 1, matches: '\\d*'}",
        "{name: a, android: {actions: [{method: home}]}, validate: [{check: ui_ocr, assert: exists, expect: '.*'}]}",
    ] {
        on_phone(&format!("teststeps:\n- {step}\n")).code(2).says("any text");
    }
}

#[test]
fn what_a_referenced_testcase_requires_is_required() {
    let ran = Test::new(&["run", "case.yaml", "--report-dir", "out", "--no-skip"])
        .file("case.yaml", "teststeps:\n- testcase: sub.yaml\n")
        .file("sub.yaml", "config: {requires: [no-such-program]}\nteststeps:\n- log: a\n")
        .run();
    ran.code(3).says("requires no-such-program");
}

#[test]
fn what_is_known_of_an_assertion_is_checked_before_the_run() {
    for comparison in ["contains: ''", "name: b", "assert: eqals, expect: 1"] {
        let text =
            format!("config: {{variables: {{u: a}}}}\nteststeps:\n- assert_value: {{value: $u, {comparison}}}\n");
        let ran = Test::new(&["check", "case.yaml"]).file("case.yaml", text).run();
        assert_eq!(ran.code, Some(2), "{comparison}");
    }
}

#[test]
fn a_text_that_is_no_pattern_of_itself_is_not_absent() {
    let text = "teststeps:\n- app_launch: com.uixt.shop\n- input: {text: Total (EUR), into: User name}\n- validate:\n  - {check: ui_ocr, assert: ASSERT, expect: 'Total (EUR)'}\n  log: a\n";
    for assert in ["exists", "not_exists"] {
        on_phone(&text.replace("ASSERT", assert)).code(1).says(r"Total \(EUR\)");
    }
}

#[test]
fn a_ref_does_not_pass_to_what_another_row_of_a_list_says() {
    let ran = on_phone(
        "config: {name: Refs}\n\
         teststeps:\n\
         - app_launch: com.uixt.settings\n\
         - {snapshot: {}, save: before}\n\
         - assert_value: {value: $before, contains: \"e8 text \\\"On\\\"\"}\n\
         - {swipe: up}\n\
         - {snapshot: {diff: true}, save: after}\n\
         - log: $after\n\
         - assert_value: {value: $after, contains: \"- e8 text \\\"On\\\"\"}\n\
         - tap_element: {ref: e8, timeout: 1}\n",
    );
    ran.code(1).says("stale ref e8");
}

#[test]
fn what_a_dark_screen_does_not_do_fails() {
    let steps = [
        ("home:", "this key does nothing"),
        ("back:", "this key does nothing"),
        ("press_button: back", "this key does nothing"),
        ("keycode: enter", "this key does nothing"),
        ("close_popups:", "whether a dialog lies over the app"),
        ("app_launch: com.uixt.settings", "call `unlock` first"),
        ("assert_foreground_app: {package_name: com.example.other, not: true}", "call `unlock` first"),
    ];
    std::thread::scope(|scope| {
        for (step, says) in steps {
            scope.spawn(move || {
                on_phone(&format!("teststeps:\n- lock:\n- {step}\n")).code(3).says("the screen is off").says(says);
            });
        }
    });
    on_phone(
        "config: {auto_popup_handler: true}\n\
         teststeps:\n\
         - lock:\n\
         - keycode: volume_up\n\
         - press_button: volume_down\n\
         - snapshot:\n\
         - press_button: power\n\
         - unlock:\n\
         - home:\n",
    )
    .code(0);
}

#[test]
fn what_no_tree_tells_of_is_not_absent_while_it_is_shown() {
    let open = "teststeps:\n- app_terminate: com.uixt.trouble\n- open_url: uixt-trouble://windows\n";
    for check in [
        "assert_not_visible: {text: The draft is kept, timeout: 0.5}",
        "assert_count: {text: The draft is kept, equals: 0, timeout: 0.5}",
        "wait_for: {text: The draft is kept, gone: true, timeout: 0.5}",
    ] {
        let ran = on_phone(&format!("{open}- tap_element: Save\n- {check}\n"));
        ran.code(1).says("a toast is shown, which no tree of elements tells of");
    }
    on_phone(&format!("{open}- tap_element: Save\n- assert_not_visible: The draft is kept\n")).code(0);
    // A system before Android 11 passes over `--windows`, and tells of the page alone.
    let on_old_phone = |text: &str| {
        let phone = Phone::start();
        let address = tampered(&phone.address(), "--windows", "--windoow").to_string();
        run(&["--device", "android", "--adb-server", &address], text)
    };
    let city = format!("{open}- tap_element: Find a city\n");
    let ran = on_old_phone(&format!("{city}- assert_not_visible: {{text: Bern, timeout: 0.5}}\n"));
    ran.code(1).says("this Android (10 or before) tells only of the window that has the touches");
    on_old_phone(&format!("{open}- assert_not_visible: Bern\n- tap_element: Choose a size\n- assert_visible: Large\n"))
        .code(0);
    on_phone(&format!("{city}- assert_not_visible: {{text: Bern, timeout: 0.5}}\n")).code(1).says("still there");
}
