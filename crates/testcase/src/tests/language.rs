//! Control flow, hooks, checks of values, requests and formulas: what they become.

use super::*;

fn step(text: &str) -> Step {
    let case = read(&format!(
        "config: {{variables: {{n: 5, user: 小明, list: [1, 2], map: {{a: {{b: 7}}}}}}}}\nteststeps:\n- {text}\n"
    ));
    case.unwrap_or_else(|errors| panic!("{text}: {}", errors[0].render(false))).steps.remove(0)
}

#[test]
fn steps_say_when_and_how_often() {
    let read = step(
        "{home: , when: '$n > 3 and user == \"x\"', retry: 2, optional: true, tags: [a], repeat: {until: n == 1, max: 3}}",
    );
    assert_eq!(read.when.unwrap().expression, "$n > 3 and user == \"x\"");
    assert_eq!(read.retry, Some(Retry { times: 2, interval: 0.0 }));
    assert!(read.optional && read.tags == ["a"]);
    let repeat = read.repeat.unwrap();
    assert_eq!((repeat.until.unwrap().expression.as_str(), repeat.max, repeat.times), ("n == 1", 3, None));
    assert_eq!(step("{home: , loops: 3}").repeat.unwrap().times, Some(json!(3)));
    assert_eq!(step("{home: , loops: 0}").repeat, None);
    // Only answers to requests had other names in older versions.
    assert_eq!(step("{get_text: a, extract: {t: text}}").extracts[0].query, "text");
    assert_eq!(step("{request: {url: 'http://h/'}, extract: {t: text}}").extracts[0].query, "body");
    assert_eq!(step("{home: , repeat: $n}").repeat.unwrap().times, Some(json!("$n")));
    assert_eq!(step("{home: , when: '${n > 3}'}").when.unwrap().expression, "n > 3");
    assert_eq!(step("{home: , when: '${len($user)}'}").when.unwrap().expression, "len($user)");
    assert_eq!(step("{home: , when: '${n} > ${n}'}").when.unwrap().expression, "${n} > ${n}");
}

#[test]
fn groups_and_choices_hold_steps() {
    let Body::Group(steps) = step("{name: g, steps: [home: , {get_text: a, save: t}, {log: $t}]}").body else {
        panic!()
    };
    assert_eq!(steps.len(), 3);
    let Body::Choice { condition, then, otherwise } = step("{if: n == 5, then: [home: ], else: {log: x}}").body else {
        panic!()
    };
    assert_eq!((condition.expression.as_str(), then.len(), otherwise.len()), ("n == 5", 1, 1));
    let table = [
        ("{if: n}", "2:4 `if` stands without `then`"),
        ("{home: , then: [home: ]}", "2:12 `then` stands without `if`"),
        ("{steps: []}", "2:4 `steps` is empty"),
        ("{home: , repeat: {max: 3}}", "2:20 `repeat` does not say how often"),
        ("{home: , repeat: 2, loops: 3}", "2:23 a step has either `repeat` or `loops`"),
        ("{home: , when: ''}", "2:18 `when` is a condition, not an empty text"),
        ("{steps: [{log: $t}, {get_text: a, save: t}]}", "2:18 unknown variable `t`"),
        ("{home: , while: n}", "2:12 `while` of a step has no meaning here"),
        ("{home: , extract: {a: 'body.[['}}", "2:25"),
        ("{log: a, export: [zz]}", "2:3 the step does not set `zz`"),
        ("{steps: [log: a], export: [zz]}", "2:3 the step does not set `zz`"),
        ("{parameters: {p: [1]}, steps: [{get_text: a, save: p}]}", "2:34 `p` is a parameter"),
        (
            "{parameters: {p: [1]}, steps: [{log: a, setup_hooks: [{p: '${get_timestamp()}'}]}]}",
            "2:58 `p` is a parameter",
        ),
        ("{get_text: a, save: p, parameters: {p: [1]}}", "2:3 `p` is a parameter"),
    ];
    for (text, expected) in table {
        let found = messages(&format!(
            "teststeps:\n- {}\n",
            text.replace("if: n}", "if: true}").replace("if: n,", "if: true,").replace("while: n", "while: true")
        ));
        assert!(found.first().is_some_and(|found| found.starts_with(expected)), "{text}: {found:?}");
    }
}

#[test]
fn hooks_are_calls_variables_or_steps() {
    let text = "config: {setup_hooks: ['${sleep(1)}', {token: '${gen_random_string(5)}'}], teardown_hooks: [{home: }], on_failure: [screenshot: ]}
teststeps: [{log: $token, setup_hooks: [{n: '${max(1, 2)}'}], teardown_hooks: ['${max($n, 3)}']}]";
    let case = read(text).unwrap();
    assert!(
        matches!(&case.config.setup[..], [Hook::Evaluate { .. }, Hook::Assign { variable, .. }] if variable == "token")
    );
    assert!(matches!(&case.config.teardown[..], [Hook::Step(_)]) && case.config.on_failure.len() == 1);
    assert!(matches!(&case.steps[0].setup[..], [Hook::Assign { .. }]) && case.steps[0].teardown.len() == 1);
    let found = messages("config: {setup_hooks: [x, '${f($request)}']}\nteststeps: [home: ]");
    assert_eq!(
        found,
        [
            "1:24 this item of `setup_hooks` calls nothing",
            "1:28 unknown function `f`",
            "1:32 unknown variable `request`"
        ]
    );
    let found = messages("config: {variables: {n: 1}}\nteststeps: [{home: , teardown_hooks: [{n: 0}]}]");
    assert_eq!(found, ["2:40 a hook sets the variable `n` by an expression only"]);
}

#[test]
fn values_are_checked_by_expression_or_query() {
    let checks = "validate: [{eq: [status_code, 200]}, {check: $n, assert: greater_than, expect: 3, msg: few}, {contains: [content.items.0.name, '$user']}, {check: 'headers.\"Content-Type\"', comparator: startswith, expected: text}]";
    let read = step(&format!("{{request: {{url: 'http://h/'}}, {checks}}}"));
    let shown: Vec<_> = read
        .validate
        .iter()
        .map(|check| (check.actual.clone().unwrap(), check.action.params["assert"].clone()))
        .collect();
    assert_eq!(shown[0], (Actual::Query("status_code".to_owned()), json!("equals")));
    assert_eq!(shown[1], (Actual::Expression(json!("$n")), json!("greater_than")));
    assert_eq!(shown[2].0, Actual::Query("body.items[0].name".to_owned()));
    assert_eq!(read.validate[1].action.params, json!({"name": "$n", "assert": "greater_than", "expect": 3}));
    assert_eq!(read.validate[1].message, Some(json!("few")));
    let table = [
        (
            "{home: , validate: [{check: ui_ai, assert: exists, expect: x}]}",
            "2:46 `ui_ai` cannot be asserted with `exists`",
        ),
        (
            "{home: , validate: [{check: ui_ocr, assert: ai_assert, expect: x}]}",
            "2:47 `ui_ocr` cannot be asserted with `ai_assert`",
        ),
        (
            "{home: , validate: [{check: status_code, assert: exists, expect: x}]}",
            "2:52 `exists` is for what is on the screen",
        ),
        ("{home: , validate: [{contains: [body, '']}]}", "2:4"),
        ("{android: {actions: [method: home]}, validate: [eq: [status_code, 200]]}", "2:5"),
        ("{home: , validate: [eq: [5, 5]]}", "2:28 `check` is an expression or a query, not a number"),
    ];
    for (text, expected) in table {
        let found = messages(&format!("teststeps:\n- {text}\n"));
        assert!(found.first().is_some_and(|found| found.starts_with(expected)), "{text}: {found:?}");
    }
}

#[test]
fn requests_know_their_config() {
    let text = "config: {base_url: '${ENV(HOST, http://a)}', headers: {A: '1', b: '2'}, verify: false, request_timeout: 5, think_time: {strategy: multiply, setting: 2, limit: 5}}
teststeps:
- {name: r, request: {method: GET, url: /get, headers: {B: x}, timeout: 1}, extract: [{token: content.token}]}
- {think_time: {time: 2}}
- {think_time: 3}
- {transaction: {name: t, type: start}}
- {shell: {string: ls, expect_exit_code: 1}}";
    let vocabulary = Vocabulary {
        find: &|name| ["request", "shell", "sleep"].into_iter().find(|known| *known == name),
        facts: &|_| None,
        check: &|_, _| Vec::new(),
    };
    let case = parse("a.yaml", text, &vocabulary, &Overrides::default()).unwrap();
    let expected = json!({"method": "GET", "url": "/get", "headers": {"A": "1", "B": "x"}, "timeout": 1, "base_url": "${ENV(HOST, http://a)}", "verify": false});
    assert_eq!(case.steps[0].actions()[0].params, expected);
    assert_eq!(
        (case.steps[0].extracts[0].variable.as_str(), case.steps[0].extracts[0].query.as_str()),
        ("token", "body.token")
    );
    assert_eq!((&case.steps[1].actions()[0].params, &case.steps[2].actions()[0].params), (&json!(4.0), &json!(5.0)));
    assert!(matches!(&case.steps[3].body, Body::Nothing { .. }));
    assert_eq!(case.steps[4].actions()[0].method, "shell");
}

#[test]
fn a_web_socket_gets_the_headers_of_the_config_where_it_is_opened() {
    let text = "config: {headers: {A: b}}
teststeps:
- {websocket: {type: open, url: 'ws://a/'}}
- {websocket: {type: r, url: 'ws://a/'}}
- {websocket: {type: w, url: 'ws://a/', text: a, new_connection: true}}
- {websocket: {type: $act, url: 'ws://a/'}, variables: {act: open}}";
    let vocabulary = Vocabulary {
        find: &|name| (name == "websocket").then_some("websocket"),
        facts: &|_| None,
        check: &|_, _| Vec::new(),
    };
    let case = parse("a.yaml", text, &vocabulary, &Overrides::default()).unwrap();
    let given: Vec<bool> = case.steps.iter().map(|step| step.actions()[0].params.get("headers").is_some()).collect();
    assert_eq!(given, [true, false, true, true]);
}

#[test]
fn formulas_evaluate_or_say_where_they_fail() {
    let case = read("config: {variables: {n: 5, text: '12', user: 小明, nothing: null, off: 'False', list: [1, {id: 9}], map: {a: {b: 7}, z: 1}}}\nteststeps: [home: ]").unwrap();
    let scope = case.scope(&Overrides::default()).for_step(&case.steps[0]);
    let shown = |text: &str| match scope.evaluate(&json!(text)) {
        Ok(value) => value,
        Err(error) => json!([error.message, error.offset, error.length]),
    };
    let table = [
        ("${n + 1}", json!(6)),
        ("x${n + 1}y", json!("x6y")),
        ("${user | upper}", json!("小明")),
        ("${'a' if n > 3 else missing_env}", json!("a")),
        ("${list[1].id}", json!(9)),
        ("${true}", json!(true)),
        ("${map}", json!({"a": {"b": 7}, "z": 1})),
        ("${ map.a }", json!({"b": 7})),
        ("${max(n, len(user)) * 2}", json!(10)),
        ("${md5(str($n))}", json!("e4da3b7fbbce2345d7772b0674a318d5")),
        ("${ENV('NO_SUCH_THING_X', 'd') ~ '!'}", json!("d!")),
        ("${text | int + 1}", json!(13)),
        ("${[n, 2] | join('-')}", json!("5-2")),
        ("${map.c | default('none')}", json!("none")),
        ("${'id' in list[1]}", json!(true)),
        ("ab ${map.c}", json!(["there is no `c`; there are: a, z", 9, 1])),
        ("ab ${list[7] == 1}", json!(["there is no item 7: the list has 2", 10, 1])),
        ("小 ${n / 0}", json!(["unable to divide by zero", 4, 5])),
        ("${ENV('NO_SUCH_THING_X') ~ 1}", json!(["ENV: the environment variable `NO_SUCH_THING_X` is not set", 2, 3])),
        ("${text > 3}", json!(["`text` is the text \"12\", and `3` is a number", 2, 4])),
        ("${text * 2}", json!(["`text` is the text \"12\", not a number", 2, 4])),
        ("${n + text}", json!(["`text` is the text \"12\", not a number", 6, 4])),
        ("${n > 1 and text in [12, 13]}", json!(["`text` is the text \"12\", and `[12, 13]` is a list", 12, 4])),
        ("${nothing < 10}", json!(["`nothing` is null, which is neither greater nor less than anything", 2, 7])),
        ("${list > 3}", json!(["`list` is a list, which is neither greater nor less than anything", 2, 4])),
        ("${'x' ~ nothing}", json!(["`nothing` is null, not a text", 8, 7])),
        ("${off == false}", json!(["`off` is the text \"False\", and `false` is a boolean", 2, 3])),
        ("${text is odd}", json!(["the text \"12\" is not a number: did you mean `… | int`?", 10, 3])),
        ("${user | int}", json!(["the text \"小明\" is not a whole number", 9, 3])),
        ("${nothing | int}", json!(["null is not a whole number", 12, 3])),
        ("${user | int(0)}", json!(0)),
        ("${off | bool}", json!(false)),
        ("${'yes' if off else 'no'}", json!("no")),
        ("${not off}", json!(true)),
        ("${off and true}", json!(false)),
        ("${off or 'b'}", json!("b")),
        ("${1 < n < 6 and text | int > 3}", json!(true)),
        ("${n not in [1, 2]}", json!(true)),
        ("${list[1].id + list[0] * 2 ** 2}", json!(13)),
        (
            "${range(99999) | join('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')}",
            json!(null),
        ),
    ];
    let mut wrong = Vec::new();
    for (text, expected) in table {
        let found = shown(text);
        if expected.is_null() {
            assert!(found[0].as_str().unwrap().contains("too large"), "{found}");
        } else if text.contains("n / 0") {
            assert_eq!((&found[1], &found[2]), (&expected[1], &expected[2]), "{text}: {found}");
        } else if found != expected {
            wrong.push(format!("{text}: {found}, not {expected}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn formulas_are_checked_at_their_place() {
    let table = [
        ("x ${usr.name}", "usr", "unknown variable `usr`"),
        ("你 ${n | uper}", "uper", "unknown filter `uper`"),
        ("${n is deffined}", "deffined", "unknown test `deffined`"),
        ("${[n] | select('od')}", "'od'", "unknown test `od`"),
        ("${[n] | selectattr('x', 'grater', 5)}", "'grater'", "unknown test `grater`"),
        ("${[n] | map('uper')}", "'uper'", "unknown filter `uper`"),
        ("${n + nope(1)}", "nope", "unknown function `nope`"),
        ("${n + max(1)}", "max", "max takes 2 arguments, not 1"),
        ("${n + max(1, [2, 3])}", "", ""),
        ("${n +}", "+", "this is not an expression: unexpected end of input, expected expression"),
        ("${n + (2 * }", "${", "a variable's name ends with `}`"),
        ("${n == '$n'}", "$n'", "a text in quotes is taken as it is in a condition or formula"),
        ("a {{ n }} b", "{{", "`{{ }}` means nothing here"),
        ("a {{ other }} b", "", ""),
        ("${md5(n)}", "${", "`n` in this call is a text, not the variable"),
        ("${md5($n)}", "", ""),
    ];
    for (text, marker, message) in table {
        let expected = if message.is_empty() {
            Vec::new()
        } else {
            let column = 10 + text[..text.find(marker).unwrap()].chars().count();
            vec![format!("3:{column} {message}")]
        };
        assert_eq!(
            messages(&format!("config: {{variables: {{n: 5}}}}\nteststeps:\n- {{log: \"{text}\"}}\n")),
            expected,
            "{text}"
        );
    }
}

#[test]
fn a_condition_shows_its_caret_inside_the_string() {
    let text = "config: {variables: {n: 5}}\nteststeps:\n- {home: , when: \"n > 3 and usr == '小明'\"}\n";
    assert_eq!(
        shown(text)[0],
        "error: unknown variable `usr`
  --> cases/login.yaml:3:29
   |
 3 | - {home: , when: \"n > 3 and usr == '小明'\"}
   |                             ^^^
   = known: n"
    );
}

#[test]
fn only_what_may_be_compared_is_put_in_order_or_added_up() {
    let config = "{numbers: [10, 9.5], texts: [b, A], digits: ['10', '9'], mixed: ['10', 9], words: [a, 1], holes: [1, null], rows: [{n: 2}, {n: '1'}], named: {a: 2, b: '1'}}";
    let case = read(&format!("config: {{variables: {config}}}\nteststeps: [home: ]")).unwrap();
    let scope = case.scope(&Overrides::default());
    let table = [
        ("numbers | sort", Ok(json!([9.5, 10]))),
        ("texts | sort", Ok(json!(["A", "b"]))),
        ("texts | max", Ok(json!("b"))),
        ("numbers | min", Ok(json!(9.5))),
        ("numbers | sum", Ok(json!(19.5))),
        ("range(3) | sum + 1", Ok(json!(4))),
        ("numbers | sort(reverse=true) | first", Ok(json!(10))),
        ("[{'n': 2}, {'n': 1}] | sort(attribute='n') | first", Ok(json!({"n": 1}))),
        ("[{'n': 2}, {'n': 1}] | sum(attribute='n')", Ok(json!(3))),
        ("named | dictsort | length", Ok(json!(2))),
        ("digits | sort", Err("sort: the text \"10\" is not compared with the text \"9\"")),
        ("mixed | sort", Err("sort: the text \"10\" is not compared with a number")),
        ("mixed | min", Err("min: the text \"10\" is not compared with a number")),
        ("words | max", Err("max: the text \"a\" is not compared with a number")),
        ("mixed | sum", Err("sum: the text \"10\" is not a number")),
        ("holes | sum", Err("sum: null is not a number")),
        ("holes | max", Err("max: there is null in the list, which is neither greater nor less than anything")),
        ("rows | sort(attribute='n')", Err("sort: a number is not compared with the text \"1\"")),
        ("rows | min(attribute='n')", Err("min: a number is not compared with the text \"1\"")),
        ("rows | sum('n')", Err("sum: the text \"1\" is not a number")),
        ("digits | sum(start='')", Err("sum: the text \"10\" is not a number")),
        ("named | dictsort(by='value')", Err("dictsort: a number is not compared with the text \"1\"")),
    ];
    for (formula, expected) in table {
        let found = scope.evaluate(&json!(format!("${{{formula}}}")));
        let found = found.as_ref().map_err(|error| error.message.as_str());
        assert_eq!(found, expected.as_ref().map_err(|message| *message), "{formula}");
    }
}

#[test]
fn items_are_chosen_by_the_rules_of_operators() {
    let config = "{rows: [{n: 7, t: a, on: 'false'}, {n: 2, t: b, on: 'true'}], texts: [{n: '7'}], holes: [{n: 1}, {m: 2}], deep: [{a: {b: 1}}]}";
    let case = read(&format!("config: {{variables: {config}}}\nteststeps: [home: ]")).unwrap();
    let scope = case.scope(&Overrides::default());
    let table = [
        ("(rows | selectattr('n', 'gt', 5) | first).t", Ok(json!("a"))),
        ("rows | rejectattr('n', '>=', 5) | map(attribute='t')", Ok(json!(["b"]))),
        ("rows | selectattr('on') | map(attribute='n') | list", Ok(json!([2]))),
        ("rows | map(attribute='t') | map('upper') | join(',')", Ok(json!("A,B"))),
        ("deep | map(attribute='a.b')", Ok(json!([1]))),
        ("[1, 2, 3] | select('odd')", Ok(json!([1, 3]))),
        ("[1, 2, 3] | reject('in', [2])", Ok(json!([1, 3]))),
        ("['', 'false', 'x'] | select", Ok(json!(["x"]))),
        ("holes | selectattr('n', 'defined') | length", Ok(json!(1))),
        ("holes | map(attribute='n', default=0)", Ok(json!([1, 0]))),
        ("rows | groupby('t') | map(attribute='0')", Ok(json!(["a", "b"]))),
        ("range(5) | batch(2)", Ok(json!([[0, 1], [2, 3], [4]]))),
        ("range(5) | slice(2)", Ok(json!([[0, 1, 2], [3, 4]]))),
        ("[1, 2] | zip(['a', 'b'])", Ok(json!([[1, "a"], [2, "b"]]))),
        ("'a b/ü' | urlencode", Ok(json!("a%20b/%C3%BC"))),
        ("'a\nb' | indent(2)", Ok(json!("a\n  b"))),
        ("7 is gt 5 and 7 is not eq 8", Ok(json!(true))),
        ("texts | selectattr('n', 'gt', 5)", Err("the text \"7\" is not compared with a number")),
        ("texts | selectattr('n', 'eq', 7)", Err("the text \"7\" is not compared with a number")),
        ("texts | rejectattr('n', 'in', [7])", Err("the text \"7\" is not compared with a list")),
        ("'7' is eq 7", Err("the text \"7\" is not compared with a number")),
        ("'7' is not odd", Err("the text \"7\" is not a number: did you mean `… | int`?")),
        ("holes | selectattr('n', 'eq', 1)", Err("there is no `n`; there are: m")),
        ("holes | map(attribute='n')", Err("there is no `n`; there are: m")),
        ("holes | groupby('n')", Err("there is no `n`; there are: m")),
        ("[1, '1'] | groupby('n')", Err("groupby: there is no `n` in an item")),
        ("range(5) | slice(1000000000)", Err("slice: 1000000000 is more than 10000")),
        ("[1] | batch(1000000000, 0)", Err("batch: 1000000000 is more than 10000")),
        ("'a\nb' | indent(1000000000)", Err("indent: 1000000000 is more than 200")),
    ];
    for (formula, expected) in table {
        let found = scope.evaluate(&json!(format!("${{{formula}}}")));
        let found = found.as_ref().map_err(|error| error.message.as_str());
        assert_eq!(found, expected.as_ref().map_err(|message| *message), "{formula}");
    }
}
