//! Whole testcases through the reader: what they become, and how broken ones are shown.

mod broken;
mod files;
mod language;
mod mutations;

use super::*;
use crate::action::{Diagnostic, MobileAction};
use serde_json::{Value, json};

const NAMES: [&str; 22] = [
    "request",
    "shell",
    "app_launch",
    "open_app",
    "tap_element",
    "tap_by_selector",
    "tap_xy",
    "input",
    "text",
    "sleep",
    "home",
    "swipe",
    "log",
    "screenshot",
    "assert_visible",
    "assert_not_visible",
    "assert_foreground_app",
    "get_text",
    "tap_ocr",
    "tap_cv",
    "start_to_goal",
    "ai_assert",
];

/// Stands for the tool table: knows the names, the arguments of `tap_element`, and that `tap_xy` takes two numbers.
fn check(action: &MobileAction, holds: &dyn Fn(&Value) -> bool) -> Vec<Diagnostic> {
    let complaint = |path: String, at_key, message: &str| Diagnostic {
        path,
        at_key,
        message: message.to_owned(),
        hint: None,
        help: None,
    };
    let unknown = |prefix: &str, key: &str| Diagnostic {
        hint: (key == "timout").then(|| "did you mean `timeout`?".to_owned()),
        help: Some("valid: text, id, timeout, index".to_owned()),
        ..complaint(format!("{prefix}/{key}"), true, &format!("unknown argument `{key}` of {}", action.method))
    };
    let bad = |key: &&String| !["text", "id", "timeout", "index", "identifier", "into"].contains(&key.as_str());
    match (action.method.as_str(), &action.params) {
        ("tap_element" | "tap_by_selector", params) => {
            let flat = params.as_object().into_iter().flat_map(|map| map.keys()).filter(bad);
            let options = action.options.keys().filter(bad);
            flat.map(|key| unknown("/params", key)).chain(options.map(|key| unknown("/options", key))).collect()
        }
        ("tap_xy", Value::Array(items)) => {
            let wrong = items.iter().enumerate().filter(|(_, item)| !item.is_number() && !holds(item));
            wrong.map(|(at, _)| complaint(format!("/params/{at}"), false, "tap_xy: not a number")).collect()
        }
        ("tap_xy", _) => vec![complaint("/params".to_owned(), false, "tap_xy: missing: x, y")],
        ("app_launch", Value::Null) => {
            vec![complaint("/params".to_owned(), false, "app_launch: missing: package_name")]
        }
        ("tap_ocr" | "tap_cv" | "start_to_goal", _) => {
            vec![complaint("/method".to_owned(), false, &format!("`{}` is not supported yet", action.method))]
        }
        (method, _) if find(method).is_none() => vec![Diagnostic {
            hint: (method == "tap_elemnt").then(|| "did you mean `tap_element`?".to_owned()),
            help: Some("`uixt tools` lists the tools".to_owned()),
            ..complaint("/method".to_owned(), false, &format!("unknown tool `{method}`"))
        }],
        _ => Vec::new(),
    }
}

fn find(name: &str) -> Option<&'static str> {
    let bare = name.strip_prefix("uixt__").unwrap_or(name);
    NAMES.into_iter().find(|known| known.eq_ignore_ascii_case(bare))
}

fn facts(name: &str) -> Option<ToolFacts> {
    let facts = |name: &str| ToolFacts {
        needs_device: !["request", "shell", "sleep", "log"].contains(&name),
        asserts: name.starts_with("assert_") || name == "ai_assert",
        takes_picture: name == "tap_cv",
        for_agents: name != "shell",
    };
    find(name).map(facts)
}

pub(super) fn read(text: &str) -> Result<TestCase, Vec<Error>> {
    read_with(text, &Overrides::default())
}

fn read_with(text: &str, overrides: &Overrides) -> Result<TestCase, Vec<Error>> {
    let vocabulary = Vocabulary { find: &find, facts: &facts, check: &check };
    parse("cases/login.yaml", text, &vocabulary, overrides)
}

fn shown(text: &str) -> Vec<String> {
    read(text).unwrap_err().iter().map(|error| error.render(false)).collect()
}

fn messages(text: &str) -> Vec<String> {
    let at = |error: &Error| error.span.map_or(String::new(), |span| format!("{}:{} ", span.line, span.column));
    match read(text) {
        Ok(_) => Vec::new(),
        Err(errors) => errors.iter().map(|error| at(error) + &error.message).collect(),
    }
}

fn actions(case: &TestCase) -> Vec<(&str, &Value)> {
    case.steps.iter().flat_map(super::Step::actions).map(|action| (action.method.as_str(), &action.params)).collect()
}

const LONG: &str = r#"config: {name: Log in, variables: {user: 小明}}
teststeps:
- name: Log in
  android:
    actions:
    - {method: app_launch, params: com.uixt.shop}
    - {method: tap_by_selector, params: User name}
    - {method: input, params: $user}
    - {method: tap_by_selector, params: Sign in, timeout: 5}
  validate:
  - {check: ui_ocr, assert: exists, expect: "Welcome, $user", msg: not signed in}
"#;

const SHORT: &str = r"config: {name: Log in, variables: {user: 小明}, tags: [smoke]}
teststeps:
- app_launch: com.uixt.shop
- input: {text: $user, into: User name}
- tap_element: {text: Sign in, timeout: 5}
- home:
- name: check
  assert_visible: Welcome, $user
  validate:
  - assert_visible: Welcome
  - equal: [ui_foreground_app, com.uixt.shop, wrong app]
";

#[test]
fn httprunners_form_is_read() {
    let case = read(LONG).unwrap();
    let step = &case.steps[0];
    assert_eq!((case.config.name.as_str(), step.name.as_deref()), ("Log in", Some("Log in")));
    assert_eq!(step.platform.as_deref(), Some("android"));
    assert_eq!(step.actions().len(), 4);
    assert_eq!(step.actions()[3].options["timeout"], json!(5));
    assert_eq!((step.actions()[3].span.line, step.actions()[3].span.column), (9, 7));
    let check = &step.validate[0];
    assert_eq!(check.action.method, "assert_visible");
    assert_eq!(check.action.params, json!({"text": "Welcome, $user", "regex": true, "source": "auto"}));
    assert_eq!(check.message, Some(json!("not signed in")));
}

#[test]
fn the_short_form_is_read() {
    let case = read(SHORT).unwrap();
    let expected = [
        ("app_launch", json!("com.uixt.shop")),
        ("input", json!({"text": "$user", "into": "User name"})),
        ("tap_element", json!({"text": "Sign in", "timeout": 5})),
        ("home", Value::Null),
        ("assert_visible", json!("Welcome, $user")),
    ];
    assert_eq!(actions(&case), expected.iter().map(|(name, params)| (*name, params)).collect::<Vec<_>>());
    assert_eq!(case.config.tags, ["smoke"]);
    let step = &case.steps[4];
    assert_eq!((step.place.line, step.place.column), (7, 3));
    assert_eq!(step.validate[1].action.params, json!({"package_name": "com.uixt.shop"}));
    assert_eq!(step.validate[1].message, Some(json!("wrong app")));
}

#[test]
fn json_files_are_read() {
    let text = r#"{"config": {"name": "j", "android": [{"serial": "${ENV(SERIAL)}", "adb_server_port": 5037}], "case_timeout": 9.5},
        "teststeps": [{"android": {"serial": 123, "actions": [{"method": "TEXT", "params": 5, "options": {"index": 1, "x": 1}, "index": -1}]}},
                      {"ios": {"method": "tap_xy", "params": [0.5, 0.5], "duration": 1}}]}"#;
    let case = read(text).unwrap();
    assert_eq!(case.config.devices[0].options[1].value, json!(5037));
    assert_eq!(case.config.case_timeout, Some(9.5));
    assert_eq!(case.steps[0].serial.as_deref(), Some("123"));
    assert_eq!(Value::Object(case.steps[0].actions()[0].options.clone()), json!({"index": -1, "x": 1}));
    assert_eq!(Value::Object(case.steps[1].actions()[0].options.clone()), json!({"duration": 1}));
}

#[test]
fn every_check_becomes_an_assertion() {
    let table = [
        (
            "{check: ui_ocr, assert: not_exists, expect: 5}",
            "assert_not_visible",
            json!({"text": "5", "regex": true, "source": "auto"}),
        ),
        ("{check: ui_label, assert: equal, expect: a}", "assert_visible", json!({"text": "a", "exact": true})),
        ("{not_equal: [ui_name, a]}", "assert_not_visible", json!({"text": "a", "exact": true})),
        (
            "{check: ui_foreground_app, assert: not_equal, expect: a}",
            "assert_foreground_app",
            json!({"package_name": "a", "not": true}),
        ),
        ("{check: ui_selector, assert: exists, expect: '#a'}", "assert_visible", json!({"selector": "#a"})),
        ("{check: ui_selector, assert: not_exists, expect: '#a'}", "assert_not_visible", json!({"selector": "#a"})),
    ];
    for (item, method, params) in table {
        let case = read(&format!("teststeps:\n- validate:\n  - {item}\n")).unwrap();
        let action = &case.steps[0].validate[0].action;
        assert_eq!((action.method.as_str(), &action.params), (method, &params), "{item}");
    }
}
