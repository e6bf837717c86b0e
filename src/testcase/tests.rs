//! Whole testcases through the reader: what they become, and how broken ones are shown.

use super::*;
use crate::action::{Complaint, MobileAction};
use serde_json::{Value, json};

const NAMES: [&str; 16] = [
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
];

/// Stands for the tool table: knows the arguments of `tap_element`, and that `tap_xy` takes two numbers.
fn check(action: &MobileAction, holds: &dyn Fn(&Value) -> bool) -> Vec<Complaint> {
    let complaint = |path: String, at_key, message: &str| Complaint {
        path,
        at_key,
        message: message.to_owned(),
        hint: None,
        help: None,
    };
    let unknown = |prefix: &str, key: &str| Complaint {
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
        _ => Vec::new(),
    }
}

fn later(name: &str) -> Option<String> {
    let known = ["tap_ocr", "tap_cv", "start_to_goal"].contains(&name);
    known.then(|| format!("`{name}` is not supported yet"))
}

pub(super) fn read(text: &str) -> Result<TestCase, Vec<Error>> {
    read_with(text, &Overrides::default())
}

fn read_with(text: &str, overrides: &Overrides) -> Result<TestCase, Vec<Error>> {
    let vocabulary = Vocabulary { names: &NAMES, check: &check, later: &later };
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
    case.steps.iter().flat_map(|step| &step.actions).map(|action| (action.method.as_str(), &action.params)).collect()
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
    assert_eq!(step.actions.len(), 4);
    assert_eq!(step.actions[3].options["timeout"], json!(5));
    assert_eq!((step.actions[3].span.line, step.actions[3].span.column), (9, 7));
    let check = &step.validate[0];
    assert_eq!(check.action.method, "assert_visible");
    assert_eq!(check.action.params, json!({"text": "Welcome, $user", "regex": true}));
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
    assert_eq!(Value::Object(case.steps[0].actions[0].options.clone()), json!({"index": -1, "x": 1}));
    assert_eq!(Value::Object(case.steps[1].actions[0].options.clone()), json!({"duration": 1}));
}

#[test]
fn every_check_becomes_an_assertion() {
    let table = [
        ("{check: ui_ocr, assert: not_exists, expect: 5}", "assert_not_visible", json!({"text": "5", "regex": true})),
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

#[test]
fn errors_are_shown_at_their_place() {
    let table = [
        (
            "teststeps:\n- tap_element: {text: Sign in, timout: 5}\n",
            "error: unknown argument `timout` of tap_element
  --> cases/login.yaml:2:32
   |
 2 | - tap_element: {text: Sign in, timout: 5}
   |                                ^^^^^^ did you mean `timeout`?
   = valid: text, id, timeout, index",
        ),
        (
            "config: {variables: {user: 小明}}\nteststeps:\n- input: 你好 $usr，再见\n",
            "error: unknown variable `usr`
  --> cases/login.yaml:3:13
   |
 3 | - input: 你好 $usr，再见
   |               ^^^^ did you mean `$user`?
   = known: user; write `$$` for a `$` sign",
        ),
        (
            "teststeps:\n- name: 登录\n  android:\n    actions:\n    - {method: tap_by_selector, params: 登录, options: {index: 1}, 序号: 2}\n",
            "error: unknown argument `序号` of tap_by_selector
  --> cases/login.yaml:5:66
   |
 5 |     - {method: tap_by_selector, params: 登录, options: {index: 1}, 序号: 2}
   |                                                                    ^^^^
   = valid: text, id, timeout, index",
        ),
        (
            "teststeps:\n- tap_elemnt: x\n",
            "error: unknown tool `tap_elemnt`
  --> cases/login.yaml:2:3
   |
 2 | - tap_elemnt: x
   |   ^^^^^^^^^^ did you mean `tap_element`?
   = `uixt tools` lists the tools",
        ),
        (
            "config:\n  nmae: x\nteststeps:\n- home:\n",
            "error: unknown key `nmae` of `config`
  --> cases/login.yaml:2:3
   |
 2 |   nmae: x
   |   ^^^^ did you mean `name`?
   = valid: name, variables, environs, tags, requires, case_timeout, android, ios, harmony, browser",
        ),
        (
            "teststeps:\n- app_launch: \"${md5(1, 2)} ${nope(3)}\"\n",
            "error: md5 takes 1 argument, not 2
  --> cases/login.yaml:2:16
   |
 2 | - app_launch: \"${md5(1, 2)} ${nope(3)}\"
   |                ^^^^^^^^^^^^",
        ),
        (
            "config: {name: x}\n",
            "error: missing teststeps
  --> cases/login.yaml:1:1
   |
 1 | config: {name: x}
   | ^
   = a testcase is a map with `config` and `teststeps`",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(shown(text)[0], expected, "\n{}", shown(text)[0]);
    }
}

#[test]
fn all_errors_of_a_file_are_found() {
    let text = "config: {name: x, parameters: {a: [1]}, tags: [a b]}
teststeps:
- tap_ocr: x
  loops: 3
- app_launch:
- tap_xy: [0.5, z, $x]
- home:
  sleep: 1
- name: nothing
- 5
- home
- android: {actions: [{params: 1}, 7], acts: []}
- validate: [{check: ui_ai, assert: ai_assert, expect: x}, {check: ui_ocr, assert: exist, expect: [1]}]
- validate: [{check: status_code, assert: equal, expect: 200}, home: , {check: ui_selector, assert: equal, expect: x}]
";
    assert_eq!(
        messages(text),
        [
            "1:19 `parameters` is not supported yet",
            "1:48 an item of `tags` is one word",
            "3:3 `tap_ocr` is not supported yet",
            "4:3 `loops` is not supported yet",
            "5:3 app_launch: missing: package_name",
            "6:17 tap_xy: not a number",
            "6:20 unknown variable `x`",
            "8:3 a step does one thing; this one has `home`",
            "9:3 the step does nothing",
            "10:3 a step is a map, not a number",
            "11:3 a step is a map, not a string",
            "12:23 an action has a `method`",
            "12:36 an action is a map",
            "12:40 unknown key `acts` of `android`",
            "13:22 `ui_ai` is not supported yet",
            "13:37 `ai_assert` is not supported yet",
            "13:84 unknown assert `exist`",
            "14:22 unknown check `status_code`",
            "14:64 `home` asserts nothing",
            "14:101 `ui_selector` cannot be asserted with `equal`",
        ]
    );
}

#[test]
fn the_example_of_httprunner_waits_for_later_versions_only() {
    let text = r#"config: {name: demo, android: [{serial: "${ENV(SERIAL)}", uia2: false}], ai_options: {llm_service: openai/gpt-4o}}
teststeps:
  - name: open settings
    loops: 1
    android:
      actions:
        - {method: app_launch, params: com.android.settings}
        - {method: tap_ocr, params: "^Wi", options: {regex: true, index: 0, scope: [0,0,1,0.5], ignore_NotFoundError: true}}
        - {method: swipe, params: [0.5,0.8,0.5,0.2]}
    validate:
      - {check: ui_ocr, assert: exists, expect: Wi-Fi, msg: not found}
      - {check: ui_foreground_app, assert: equal, expect: com.android.settings, msg: wrong app}
"#;
    assert_eq!(messages(text), ["1:74 `ai_options` is not supported yet", "8:20 `tap_ocr` is not supported yet"]);
    let possible = text.replace("tap_ocr", "tap_by_selector").replace(", ai_options: {llm_service: openai/gpt-4o}", "");
    let possible =
        possible.replace("regex: true, index: 0, scope: [0,0,1,0.5], ignore_NotFoundError: true", "index: 0");
    assert_eq!(messages(&possible), [""; 0]);
}

#[test]
fn keys_that_change_nothing_are_accepted() {
    let text =
        "config: {base_url: '', verify: false, headers: {a: b}, weight: 1, path: x, request_timeout: 3, export: [],
  auto_popup_handler: false, parameters: , ios: [{udid: 1, ignore_popup: true}]}
teststeps:
- {home: , loops: 1, setup_hooks: [], extract: {}, ignore_popup: true, export: }
- screenshot:
";
    assert_eq!(messages(text), [""; 0]);
    assert_eq!(messages("teststeps: [{home: , screenshot: step}]"), ["1:22 `screenshot` is not supported yet"]);
}

#[test]
fn names_that_cannot_work_are_refused() {
    let table: [(&str, &[&str]); 12] = [
        ("config: {variables: {a-b: 1}}\nteststeps: [home: ]", &["1:22 `a-b` is not a name for a variable"]),
        (
            "config: {variables: {a: $b, b: '${c}$a', c: 1}}\nteststeps: [home: ]",
            &["1:25 variables refer to each other: a → b → a"],
        ),
        ("config: {variables: {a: x$a}}\nteststeps: [home: ]", &["1:25 variable `a` refers to itself"]),
        (
            "config: {variables: {a: 1}}\nteststeps: [{log: $a$b, variables: {a: $a, b: $b}}]",
            &["2:47 variable `b` refers to itself"],
        ),
        ("config: {name: $n}\nteststeps: [home: ]", &["1:16 unknown variable `n`"]),
        ("teststeps: [{home: , name: $n}]", &["1:28 unknown variable `n`"]),
        (
            "teststeps: [{validate: [{check: ui_ocr, assert: exists, expect: $e, msg: $m}]}]",
            &["1:65 unknown variable `e`", "1:74 unknown variable `m`"],
        ),
        (
            "teststeps:\n- log: |\n    one $5\n    two $x and $x\n",
            &["4:9 unknown variable `x`", "4:16 unknown variable `x`"],
        ),
        ("teststeps:\n- log: \"\\\"q\\\" 登 $x\"\n", &["2:17 unknown variable `x`"]),
        ("teststeps:\n- log: >-\n    a\n    ${f(\n", &["4:5 a call ends with `)}`"]),
        ("teststeps:\n- log: &a $x\n- log: *a\n", &["2:11 unknown variable `x`"]),
        (
            "teststeps: {a: 1}\nextra: 1",
            &["1:12 `teststeps` is a list, not a map", "2:1 unknown key `extra` of a testcase"],
        ),
    ];
    for (text, expected) in table {
        assert_eq!(messages(text), expected, "{text}");
    }
}

#[test]
fn broken_files_are_refused() {
    let table = [
        ("", "1:1 the file is empty"),
        ("# only a comment", "1:1 the file is empty"),
        ("- home:", "1:1 this is a list"),
        ("teststeps: []", "1:1 `teststeps` is empty"),
        ("teststeps:", "1:1 `teststeps` is empty"),
        ("teststeps: [{home: , home: }]", "1:22 duplicate key `home`"),
        (
            "teststeps: [{android: , ios: {actions: [{method: home}]}}]",
            "1:25 a step does one thing; this one has `android`",
        ),
        ("config: [1]\nteststeps: [home: ]", "1:9 `config` is a map, not a list"),
        ("config: {case_timeout: -1}\nteststeps: [home: ]", "1:24 `case_timeout` is a number of seconds above 0"),
        ("config: {android: [{serail: x}]}\nteststeps: [home: ]", "1:21 unknown key `serail` of a device of `android`"),
        ("teststeps: [{android: {actions: [], method: home}}]", "1:37 `method` stands beside `actions`"),
        (
            "teststeps: [{validate: [{check: ui_ocr, assert: exists, expect: ''}]}]",
            "1:65 `expect` is empty, which any screen satisfies",
        ),
        ("teststeps: [{validate: [{check: ui_ocr, assert: exists}]}]", "1:25 a check has `expect`"),
        ("teststeps: [{validate: [eq: [status_code, 200]]}]", "1:25 unknown assert `eq`"),
    ];
    for (text, expected) in table {
        assert_eq!(messages(text).first().map(String::as_str), Some(expected), "{text}");
    }
}

#[test]
fn overrides_are_known_variables() {
    let text = "config: {variables: {a: x$a}}\nteststeps: [log: $given $a]";
    let mut overrides = Overrides::default();
    overrides.variables.insert("given".to_owned(), json!(1));
    overrides.variables.insert("a".to_owned(), json!(2));
    assert!(read_with(text, &overrides).is_ok());
}

#[test]
fn hostile_files_end_soon() {
    let many = |line: &dyn Fn(usize) -> String, count: usize| (0..count).map(line).collect::<String>();
    let variables = many(&|n| format!("    v{n}: $v{}\n", n + 1), 20_000);
    let steps = many(&|n| format!("- {{log: $w{n}, variables: {{x: 1}}}}\n"), 15_000);
    let table = [
        format!("config:\n  variables:\n{variables}    v20000: 1\nteststeps: [home: ]"),
        format!("config:\n  variables:\n{variables}    v20000: 1\nteststeps:\n{steps}"),
        format!("teststeps: [log: '{}']", "$x".repeat(1_000_000)),
        format!("teststeps: [log: '{}']", "${f(".repeat(500_000)),
        format!("teststeps: [log: '{}']", "${f(1,".repeat(300_000)),
    ];
    for text in table {
        let began = std::time::Instant::now();
        let errors = read(&text).unwrap_err();
        assert!(!errors.is_empty() && errors.len() <= 100);
        let length = errors.iter().map(|error| error.render(false).len()).max();
        assert!(length < Some(4000), "{length:?}");
        assert!(began.elapsed().as_secs() < 8, "{:?} {:.60}", began.elapsed(), text);
    }
}
