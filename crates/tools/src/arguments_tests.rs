//! Arguments as testcases and agents write them, read by the table of all tools.

use serde_json::{Value, json};
use uixt_core::action::MobileAction;

fn action(method: &str, params: Value, options: Value) -> MobileAction {
    let Value::Object(options) = options else { panic!("options are a map") };
    MobileAction { method: method.to_owned(), params, options, ..MobileAction::default() }
}

fn arguments(method: &str, params: Value, options: Value) -> Value {
    let request = crate::groups::table().request(&action(method, params, options)).expect("a good action");
    Value::Object(request.arguments.unwrap_or_default())
}

fn no_variables(_: &Value) -> bool {
    false
}

#[test]
fn params_of_every_shape_become_named_arguments() {
    assert_eq!(arguments("tap_xy", json!([0, 0.5]), json!({"duration": 1})), json!({"x": 0, "y": 0.5, "duration": 1}));
    assert_eq!(arguments("swipe", json!("up"), json!({})), json!({"direction": "up"}));
    assert_eq!(
        arguments("swipe", json!([0.5, 0.8, 0.5, 0.2]), json!({})),
        json!({"from_x": 0.5, "from_y": 0.8, "to_x": 0.5, "to_y": 0.2})
    );
    assert_eq!(arguments("app_launch", json!({"packageName": "a.b"}), json!({})), json!({"package_name": "a.b"}));
    assert_eq!(arguments("home", json!(""), json!({})), json!({}));
    assert_eq!(arguments("input", json!(123), json!({})), json!({"text": "123"}));
    assert_eq!(arguments("sleep", json!("0.5"), json!({})), json!({"seconds": 0.5}));
}

#[test]
fn a_name_of_a_list_may_be_spelt_otherwise() {
    for (method, spelling, name) in [
        ("press_button", "volumeUp", "volume_up"),
        ("press_button", "VOLUMEDOWN", "volume_down"),
        ("press_button", "home", "home"),
        ("set_orientation", "Reverse-Landscape", "reverse_landscape"),
        ("press_button", "volume", "volume"),
    ] {
        let arguments = arguments(method, json!(spelling), json!({}));
        assert!(arguments.as_object().is_some_and(|map| map.values().any(|value| value == name)), "{arguments}");
    }
}

#[test]
fn a_point_above_1_is_for_the_tool_that_takes_pixels() {
    let named = |params: Value| {
        let request = crate::groups::table().request(&action("tap_xy", params, json!({}))).expect("a good action");
        (request.name.to_string(), Value::Object(request.arguments.unwrap_or_default()))
    };
    let pixels = ("tap_abs_xy".to_owned(), json!({"x": 540, "y": 1200}));
    assert_eq!(named(json!([540, 1200])), pixels);
    assert_eq!(named(json!({"x": 540, "y": 1200})), pixels);
    assert_eq!(named(json!(["540", "1200"])).0, "tap_abs_xy");
    for fractions in [json!([0.5, 0.5]), json!([0, 1]), json!([1, 1]), json!([540, 0.5]), json!([1.5, 1.5])] {
        assert_eq!(named(fractions).0, "tap_xy");
    }
    assert_eq!(crate::groups::table().check(&action("tap_xy", json!([540, 1200]), json!({})), &no_variables), []);
    let complaints =
        crate::groups::table().check(&action("swipe", json!([0.5, 1.5, 0.5, 0.2]), json!({})), &no_variables);
    assert!(complaints[0].message.contains("`from_y` is 1.5"), "{complaints:?}");
    assert_eq!(
        crate::groups::table().check(&action("swipe", json!([540, 1800, 540, 600]), json!({})), &no_variables),
        []
    );
    assert_eq!(arguments("swipe_to_tap_texts", json!(["a", "b"]), json!({})), json!({"texts": ["a", "b"]}));
}

#[test]
fn options_travel_beside_the_arguments() {
    let request =
        crate::groups::table().request(&action("tap_xy", json!([0, 0]), json!({"identifier": "a"}))).expect("good");
    assert_eq!(request.options.identifier.as_deref(), Some("a"));
    assert!(!request.arguments.expect("arguments").contains_key("identifier"));
}

#[test]
fn a_wrong_argument_is_named_with_what_is_valid() {
    let error = crate::groups::table()
        .prepare(
            crate::groups::find("tap_xy").expect("a tool"),
            json!({"x": 0.5, "yy": 1}).as_object().expect("a map").clone(),
        )
        .expect_err("y is missing");
    assert_eq!(
        error.message,
        "tap_xy: missing: y; unknown: yy (did you mean y?); valid: x, y, duration, platform, serial"
    );
    assert_eq!(error.details["missing"], json!(["y"]));
    let call = |tool: &str, arguments: Value| {
        let arguments = arguments.as_object().expect("a map").clone();
        crate::groups::table()
            .prepare(crate::groups::find(tool).expect("a tool"), arguments)
            .expect_err("it is wrong")
            .message
    };
    let device = call("get_foreground_app", json!({"device": "A"}));
    assert!(device.contains("device (did you mean serial?); valid: platform, serial"), "{device}");
    let batch = call("batch", json!({"steps": [{"input": {"text": "a"}}]}));
    assert!(batch.contains("a step is {tool, arguments}"), "{batch}");
}

#[test]
fn arguments_are_taken_as_clients_write_them() {
    let prepared = |tool: &str, arguments: Value| {
        let arguments = arguments.as_object().expect("a map").clone();
        crate::groups::table()
            .prepare(crate::groups::find(tool).expect("a tool"), arguments)
            .map(Value::Object)
            .map_err(|error| error.message)
    };
    for (tool, written, meant) in [
        ("wait_for", json!({"text": "a", "id": null, "timeout": null}), json!({"text": "a"})),
        (
            "input",
            json!({"text": "x", "into": {"label": "a", "text": null, "within": {"id": "b", "text": null}}}),
            json!({"text": "x", "into": {"label": "a", "within": {"id": "b"}}}),
        ),
        (
            "input",
            json!({"text": "{\"a\": 1}", "into": "{\"label\": \"a\"}"}),
            json!({"text": "{\"a\": 1}", "into": {"label": "a"}}),
        ),
        ("batch", json!({"steps": "[{\"tool\": \"home\"}]"}), json!({"steps": [{"tool": "home"}]})),
        ("assert_count", json!({"text": "a", "equals": 2.0}), json!({"text": "a", "equals": 2})),
        ("assert_value", json!({"value": null, "equals": null}), json!({"value": null, "equals": null})),
        ("tap_element", json!({"text": "[1]", "near": "{broken"}), json!({"text": "[1]", "near": "{broken"})),
    ] {
        assert_eq!(prepared(tool, written), Ok(meant), "{tool}");
    }
    assert!(prepared("app_launch", json!({"package_name": null})).is_err_and(|said| said.contains("package_name")));
    assert!(prepared("home", json!({"no_such": null})).is_err_and(|said| said.contains("no_such")));
}

#[test]
fn complaints_lead_to_their_place() {
    let complaints = crate::groups::table()
        .check(&action("tap_element", json!({"text": "a", "timout": 5}), json!({})), &no_variables);
    assert_eq!(complaints.len(), 1);
    assert_eq!(complaints[0].path, "/params/timout");
    assert_eq!(complaints[0].message, "unknown argument `timout` of tap_element");
    assert_eq!(complaints[0].hint.as_deref(), Some("did you mean `timeout`?"));
    let complaints = crate::groups::table().check(&action("tap_xy", json!([0.5, 2]), json!({})), &no_variables);
    assert_eq!(complaints[0].path, "/params/1");
    assert_eq!(complaints[0].message, "`y` must be at most 1.0, not 2; `tap_abs_xy` takes pixels");
    for (written, meant) in [("max_retry", "max_retry_times"), ("tap_ofset", "tap_offset"), ("timout", "timeout")] {
        let complaints = crate::groups::table()
            .check(&action("tap_ocr", json!({"text": "a", written: 3}), json!({})), &no_variables);
        assert_eq!(complaints[0].hint, Some(format!("did you mean `{meant}`?")), "{written}");
    }
    let complaints =
        crate::groups::table().check(&action("tap_xy", json!([0.5, 0.5]), json!({"time_limit": 3})), &no_variables);
    assert_eq!(complaints[0].path, "/options/time_limit");
    assert!(complaints[0].message.ends_with("write `timeout`"), "{complaints:?}");
}

#[test]
fn a_misspelt_key_of_a_target_in_an_argument_is_found_at_load() {
    let into = json!({"text": "$user", "into": {"id": "$id", "indx": 7, "within": {"text": "a", "exct": true}}});
    let holds = |value: &Value| value.to_string().contains('$');
    let mut complaints = crate::groups::table().check(&action("input", into.clone(), json!({})), &holds);
    complaints.sort_by(|a, b| a.path.cmp(&b.path));
    let paths: Vec<&str> = complaints.iter().map(|complaint| complaint.path.as_str()).collect();
    assert_eq!(paths, ["/params/into/indx", "/params/into/within/exct"]);
    assert_eq!(complaints[0].message, "unknown argument `into.indx` of input");
    assert_eq!(complaints[0].hint.as_deref(), Some("did you mean `index`?"));
    assert_eq!(complaints[1].hint.as_deref(), Some("did you mean `exact`?"));
    let error = crate::groups::table()
        .prepare(crate::groups::find("input").expect("a tool"), into.as_object().expect("a map").clone());
    assert!(error.is_err_and(|error| error.message.contains("into.indx (did you mean index?)")));
    let typed = json!({"text": "a", "into": {"id": "a", "index": "x"}});
    assert_eq!(crate::groups::table().check(&action("input", typed, json!({})), &holds)[0].path, "/params/into/index");
}

#[test]
fn a_misspelt_key_of_any_map_is_told_what_is_valid_there() {
    let auth = json!({"url": "http://a/", "auth": {"basik": {}}});
    let complaints = crate::groups::table().check(&action("request", auth, json!({})), &no_variables);
    assert_eq!(complaints[0].path, "/params/auth/basik");
    assert_eq!(complaints[0].help.as_deref(), Some("valid there: basic, bearer"));
    let complaints = crate::groups::table()
        .check(&action("batch", json!([{"tool": "home", "argument": {}}]), json!({})), &no_variables);
    assert_eq!(complaints[0].hint.as_deref(), Some("did you mean `arguments`?"));
    assert_eq!(complaints[0].path, "/params/0/argument");
}

#[test]
fn only_what_could_fail_otherwise_may_ignore_absence() {
    let ignoring = |method, ignore: Value| action(method, json!("Save"), json!({"ignore_NotFoundError": ignore}));
    for method in ["assert_visible", "assert_not_visible", "wait_for", "app_launch", "get_source"] {
        let complaints = crate::groups::table().check(&ignoring(method, json!(true)), &no_variables);
        assert_eq!(complaints.len(), 1, "{method}");
        assert_eq!(complaints[0].path, "/options/ignore_NotFoundError", "{method}");
        assert!(crate::groups::table().request(&ignoring(method, json!(true))).is_err(), "{method}");
        assert_eq!(crate::groups::table().check(&ignoring(method, json!(false)), &no_variables), []);
    }
    assert_eq!(crate::groups::table().check(&ignoring("tap_element", json!(true)), &no_variables), []);
    let holds = |value: &Value| value == "$flag";
    assert_eq!(crate::groups::table().check(&ignoring("tap_element", json!("$flag")), &holds), []);
    assert_eq!(crate::groups::table().check(&ignoring("tap_element", json!("yes")), &holds).len(), 1);
}

#[test]
fn what_holds_variables_is_checked_at_the_call() {
    let holds = |value: &Value| value.as_str().is_some_and(|text| text.contains('$'));
    assert_eq!(crate::groups::table().check(&action("tap_xy", json!(["$x", 0.5]), json!({})), &holds), []);
    assert_eq!(crate::groups::table().check(&action("tap_xy", json!("$point"), json!({})), &holds), []);
    assert_eq!(crate::groups::table().check(&action("tap_xy", json!(["$x", 3]), json!({})), &holds).len(), 1);
}

#[test]
fn an_unknown_tool_has_a_nearest_name_or_a_reason() {
    let message = |name: &str| crate::groups::table().unknown_tool_error(name).message;
    assert!(message("tap_elment").ends_with("did you mean `tap_element`?"));
    assert!(message("sleep_strict").contains("does not exist any more: write sleep"));
}
