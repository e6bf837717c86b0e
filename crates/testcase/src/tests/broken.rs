//! Broken testcases, and exactly how they are shown.

use super::*;

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
   = valid: name, device, variables, environs, tags, requires, lock, quarantine, case_timeout, reset, fail_on, dialogs, parameters, parameters_setting, setup_hooks, teardown_hooks, on_failure, export, functions, think_time, base_url, headers, verify, request_timeout, auto_popup_handler, mcp_config_path, anti_risk, ai_options, android, ios, harmony, browser",
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
fn what_a_step_cannot_be_or_run_on_is_told() {
    let table = [
        (
            "teststeps:\n- tap:\u{a0}x\n",
            "error: a step must be a map, not a string
  --> cases/login.yaml:2:3
   |
 2 | - tap:\u{a0}x
   |   ^^^^^^
   = the sign behind `:` is a no-break space: write a plain one",
        ),
        (
            "config: {browser: [{name: buyer}, {name: seller}]}\nteststeps:\n- {device: sellr, home: }\n",
            "error: the config names no device `sellr`
  --> cases/login.yaml:3:12
   |
 3 | - {device: sellr, home: }
   |            ^^^^^
   = the config names buyer, seller",
        ),
        (
            "teststeps:\n- {device: a, home: }\n",
            "error: the config names no device, and none `a`
  --> cases/login.yaml:2:12
   |
 2 | - {device: a, home: }
   |            ^
   = name them there, `browser: [{name: buyer}, {name: seller}]`, and the step's here, `device: seller`",
        ),
        (
            "config: {browser: {name: a}, android: {name: a}}\nteststeps:\n- {home: }\n",
            "error: two devices are called `a`
  --> cases/login.yaml:1:46
   |
 1 | config: {browser: {name: a}, android: {name: a}}
   |                                              ^",
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
            "1:48 an item of `tags` is one word",
            "3:3 `tap_ocr` is not supported yet",
            "5:3 app_launch: missing: package_name",
            "6:17 tap_xy: not a number",
            "6:20 unknown variable `x`",
            "8:3 a step does one thing; this one has `home`",
            "9:3 the step does nothing",
            "10:3 a step must be a map, not a number",
            "11:3 a step must be a map, not a string",
            "12:23 an action has a `method`",
            "12:36 an action is a map",
            "12:40 unknown key `acts` of `android`",
            "13:84 unknown assert `exist`",
            "14:14 there is no result for `status_code` to look into",
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
    assert_eq!(messages(text), ["8:20 `tap_ocr` is not supported yet"]);
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
    assert_eq!(
        messages("teststeps: [{home: , screenshot: step}]"),
        ["1:34 `screenshot` must be true or false, not a string"]
    );
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
            &["1:12 `teststeps` must be a list, not a map", "2:1 unknown key `extra` of a testcase"],
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
        ("config: [1]\nteststeps: [home: ]", "1:9 `config` must be a map, not a list"),
        (
            "config: {case_timeout: -1}\nteststeps: [home: ]",
            "1:24 `case_timeout` is a number of seconds above 0 and at most 1,000,000",
        ),
        ("config: {android: [{serail: x}]}\nteststeps: [home: ]", "1:21 unknown key `serail` of a device of `android`"),
        ("teststeps: [{android: {actions: [], method: home}}]", "1:37 `method` stands beside `actions`"),
        (
            "teststeps: [{validate: [{check: ui_ocr, assert: exists, expect: ''}]}]",
            "1:65 `expect` is empty, which any screen satisfies",
        ),
        ("teststeps: [{validate: [{check: ui_ocr, assert: exists}]}]", "1:25 a check has `expect`"),
        ("teststeps: [{home: , nam: x}]", "1:22 unknown key `nam` of a step"),
        ("teststeps: [{home: , tap_ocr: x}]", "1:22 `tap_ocr` is not supported yet"),
        ("teststeps: [{validate: [eq: [status_code, 200]]}]", "1:25 there is no result for `status_code` to look into"),
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
        assert!(began.elapsed().as_secs() < 30, "{:?} {:.60}", began.elapsed(), text);
    }
}
