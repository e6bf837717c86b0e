//! Files that refer to each other, and the older shapes of files.

use super::*;
use std::path::Path;

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn loaded(folder: &Path, file: &str) -> Result<Vec<TestCase>, Vec<Error>> {
    let vocabulary = Vocabulary { find: &find, facts: &facts, check: &check };
    load(&[folder.join(file)], &vocabulary, &Overrides::default())
}

fn all_messages(folder: &Path, file: &str) -> Vec<String> {
    let shown = |error: &Error| {
        let last = |place: &str| place.rsplit('/').next().unwrap_or_default().to_owned();
        let from: Vec<String> = error.referred.iter().map(|place| last(place)).collect();
        format!("{} {} {}", last(&error.file), error.message.replace(&*folder.to_string_lossy(), ""), from.join(" "))
    };
    loaded(folder, file).err().unwrap_or_default().iter().map(shown).collect()
}

#[test]
fn testcases_refer_to_others_with_arguments() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(
        at,
        &[
            ("uixt.yaml", "variables: {who: project}"),
            (
                "common/login.yaml",
                "config: {variables: {password: own, who: mine}, export: [token]}\nteststeps:\n- {log: $user $password $far}\n- {get_text: a, save: token}",
            ),
            (
                "a.yaml",
                "config: {variables: {far: away, who: outer}}\nteststeps:\n- {testcase: common/login.yaml, variables: {user: x$far, password: given}}\n- log: $token",
            ),
            ("b.yaml", "teststeps: [{testcase: common/login.yaml}]"),
            (
                "c.yaml",
                "teststeps: [{testcase: {config: {variables: {q: 1}, parameters: {p: [1, 2]}}, teststeps: [log: $q$p]}}]",
            ),
        ],
    );
    let cases = loaded(at, "a.yaml").unwrap();
    let step = &cases[0].steps[0];
    let Body::Case(login) = &step.body else { panic!() };
    assert_eq!((step.export.as_slice(), login.steps.len()), (&["token".to_owned()][..], 2));
    let scope = cases[0].scope(&Overrides::default());
    let inner = scope.for_step(step).for_case(login);
    assert_eq!(inner.evaluate_text("$user $password $far $who"), Ok("xaway given away mine".to_owned()));
    inner.save("token", json!("t1"));
    assert!(scope.evaluate_text("$token").is_err());
    scope.keep(&step.export, &inner).unwrap();
    assert_eq!(scope.evaluate_text("$token"), Ok("t1".to_owned()));
    assert_eq!(
        all_messages(at, "b.yaml"),
        ["login.yaml unknown variable `user` b.yaml:1:24", "login.yaml unknown variable `far` b.yaml:1:24"]
    );
    let inline = loaded(at, "c.yaml").unwrap();
    assert!(inline[0].steps[0].parameters.is_some());
}

#[test]
fn cycles_and_chains_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(
        at,
        &[
            ("uixt.yaml", ""),
            ("a.yaml", "teststeps: [{testcase: b.yaml}]"),
            ("b.yaml", "teststeps: [{testcase: ./a.yaml}]"),
            ("self.yaml", "teststeps: [{testcase: self.yaml}]"),
            (
                "none.yaml",
                "teststeps: [{testcase: nope.yaml}, {testcase: a.py}, {testcase: $x}, {testcase: ../out.yaml}]",
            ),
        ],
    );
    for n in 0..20 {
        let text = format!("teststeps: [{{testcase: f{}.yaml}}]", n + 1);
        write(at, &[(format!("f{n}.yaml").as_str(), text.as_str())]);
    }
    write(at, &[("f20.yaml", "teststeps: [home: ]")]);
    std::fs::write(at.parent().unwrap().join("out.yaml"), "teststeps: [home: ]").ok();
    let cycle = all_messages(at, "a.yaml");
    assert!(cycle[0].starts_with("b.yaml testcases refer to each other:") && cycle[0].contains(" → "), "{cycle:?}");
    assert!(all_messages(at, "self.yaml")[0].contains("refer to each other"));
    assert!(all_messages(at, "f0.yaml")[0].contains("more than 16 testcases"), "{:?}", all_messages(at, "f0.yaml"));
    assert!(loaded(at, "f5.yaml").is_ok());
    let found = all_messages(at, "none.yaml");
    let expected = [
        "there is no file nope.yaml",
        "a.py is not a testcase",
        "a path cannot hold an expression",
        "../out.yaml lies outside",
    ];
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn api_files_lie_under_a_step() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(
        at,
        &[
            ("proj.json", "{}"),
            (
                "api/get.yml",
                "name: get\nvariables: {id: 1, deep: x$id}\nrequest: {method: GET, url: '/$id/$deep/$key'}\nextract: {token: body.token}\nvalidate: [{eq: [status_code, 200]}, {eq: [body.a, 1]}]",
            ),
            (
                "a.yml",
                "config: {base_url: 'http://h'}\nteststeps:\n- {name: n, api: api/get.yml, variables: {id: 2, key: k}, validate: [{eq: [status_code, 404]}]}\n- log: $token",
            ),
            ("b.yml", "teststeps: [{api: api/get.yml}]"),
        ],
    );
    let case = &loaded(at, "a.yml").unwrap()[0];
    let step = &case.steps[0];
    assert_eq!(step.name.as_deref(), Some("n"));
    assert_eq!(step.actions()[0].params["base_url"], json!("http://h"));
    let scope = case.scope(&Overrides::default()).for_step(step);
    assert_eq!(scope.evaluate(&step.actions()[0].params["url"]), Ok(json!("/2/x2/k")));
    let expects: Vec<_> = step.validate.iter().map(|check| check.action.params["expect"].clone()).collect();
    assert_eq!(expects, [json!(1), json!(404)]);
    assert_eq!(all_messages(at, "b.yml"), ["get.yml unknown variable `key` b.yml:1:19"]);
    assert_eq!(loaded(at, "").unwrap_err().len(), 1);
}

#[test]
fn older_shapes_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(
        at,
        &[
            ("proj.json", "{}"),
            (
                "v1.yml",
                "- config: {name: old, request: {base_url: 'http://h', headers: {A: b}}, variables: [{a: 1}, {b: $a}]}\n- test: {name: t, request: {url: /, method: GET}, extract: [{x: content.y}], validators: [{check: status_code, comparator: eq, expected: 200}]}\n- test: {request: {url: /$x$b, method: GET}}",
            ),
            (
                "suite.yml",
                "config: {name: s, variables: {user: suite}}\ntestcases:\n- {name: one, testcase: case.yml, weight: 2}\n- {name: two, testcase: case.yml, variables: {user: two}, parameters: {p: [1, 2]}}",
            ),
            ("suites.yml", "config: {name: s}\ntestcases:\n  one: {testcase: case.yml}"),
            ("case.yml", "config: {variables: {user: own}}\nteststeps: [log: $user]"),
        ],
    );
    let old = &loaded(at, "v1.yml").unwrap()[0];
    assert_eq!((old.config.name.as_str(), old.steps.len()), ("old", 2));
    assert_eq!(old.steps[0].actions()[0].params["headers"], json!({"A": "b"}));
    let suite = &loaded(at, "suite.yml").unwrap()[0];
    let scope = suite.scope(&Overrides::default());
    for (step, user) in suite.steps.iter().zip(["suite", "two"]) {
        let Body::Case(case) = &step.body else { panic!() };
        assert_eq!(scope.for_step(step).for_case(case).evaluate_text("$user"), Ok(user.to_owned()));
    }
    assert_eq!(loaded(at, "suites.yml").unwrap()[0].steps[0].name.as_deref(), Some("one"));
}

#[test]
fn python_functions_are_known_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    write(
        at,
        &[
            ("debugtalk.py", "def add(a, b):\n    return a + b\n\ndef rows():\n    return [{'n': 1}, {'n': 2}]\n"),
            (
                "a.yml",
                "config: {variables: {n: '${add(1, 2)}'}, parameters: {p: '${rows()}'}}\nteststeps: [log: '$n ${add($n, 1) * 2} $p']",
            ),
            ("b.yml", "config: {plugin: x.so}\nteststeps: [log: '${ad(1, 2)}']"),
        ],
    );
    let case = &loaded(at, "a.yml").unwrap()[0];
    let scope = case.scope(&Overrides::default());
    let rows = case.config.parameters.as_ref().unwrap().rows(&scope).unwrap();
    let second = scope.with_row(rows.last().unwrap().unwrap());
    assert_eq!(second.evaluate_text("$n ${add($n, 1) * 2} ${p.n}"), Ok("3 8 2".to_owned()));
    let found = all_messages(at, "b.yml");
    assert!(found[0].contains("`x.so` cannot be called") && found[1].contains("unknown function `ad`"), "{found:?}");
}

#[test]
fn rows_win_and_make_things_new() {
    let case = read("config: {variables: {user: own, hello: 'hi $user'}, parameters: {user: [a, b]}}\nteststeps: [{log: $hello, variables: {x: '$p!'}, parameters: {p: [1, 2]}}]").unwrap();
    let base = case.scope(&Overrides::default());
    assert_eq!(base.evaluate_text("$hello"), Ok("hi own".to_owned()));
    let rows: Vec<_> = case.config.parameters.as_ref().unwrap().rows(&base).unwrap().map(Result::unwrap).collect();
    let second = base.with_row(rows[1].clone());
    assert_eq!(second.evaluate_text("$hello"), Ok("hi b".to_owned()));
    let step = second.for_step(&case.steps[0]);
    let rows = case.steps[0].parameters.as_ref().unwrap().rows(&step).unwrap();
    let found: Vec<_> = rows.map(|row| step.with_row(row.unwrap()).evaluate_text("$hello $x").unwrap()).collect();
    assert_eq!(found, ["hi b 1!", "hi b 2!"]);
}

#[test]
fn what_a_browser_stored_lies_beside_the_testcases_that_use_it() {
    let folder = tempfile::tempdir().unwrap();
    let case = "config: {name: a}\nteststeps: [{log: a}]";
    write(folder.path(), &[("all/a.yaml", case), ("all/state.json", r#"{"cookies": [], "origins": []}"#)]);
    assert_eq!(loaded(folder.path(), "all").map(|cases| cases.len()).unwrap(), 1);
    assert!(!all_messages(folder.path(), "all/state.json").is_empty(), "named, it is to be one");
    write(folder.path(), &[("other/a.yaml", case), ("other/b.json", r#"{"cookies": [], "more": 1}"#)]);
    assert!(all_messages(folder.path(), "other")[0].contains("is not a testcase"));
}
