//! A project from nothing: `init`, `run` without a path, what is said at the end of a run, `doctor`.

use std::fs;

use serde_json::Value;

use crate::support::counterparts::Phone;
use crate::support::{Test, items, nobody};

#[test]
fn a_new_project_is_green_and_is_not_made_twice() {
    let ran = Test::new(&["init", "shop"]).run().code(0).then(&["run", "shop", "--report-dir", "out"]).code(0);
    assert_eq!(ran.json("out/summary.json")["cases"][0]["device"]["name"], "virtual phone");
    ran.then(&["init", "shop"]).code(2).says("already exists; nothing was changed");
}

#[test]
fn a_new_project_of_both_kinds_runs_whole_without_a_path_and_keeps_the_files_of_others() {
    let test = Test::new(&["init", "--both", "--ci", "github"]).file(".gitignore", "/build\n");
    let made = test.run().code(0).prints("./.gitignore is left as it was; it would have been\n  /results\n");
    assert_eq!(made.read(".gitignore"), "/build\n");
    let version = format!("uixt=={}\n", env!("CARGO_PKG_VERSION"));
    assert!(made.read(".github/workflows/uixt.yml").contains(&version));
    for file in ["testcases/phone/settings.yaml", "testcases/web/sign_in.yaml"] {
        let text = made.read(file);
        let schema = text.lines().next().and_then(|line| line.strip_prefix("# yaml-language-server: $schema="));
        let folder = made.path(file);
        assert!(folder.parent().expect("a folder").join(schema.expect("a schema")).is_file(), "{text}");
    }
    let made = made.then(&["init", "--ci", "gitlab"]).code(0).prints("./.gitlab-ci.yml");
    let run = made.test(&["run", "--report-dir", "out"]);
    let output = run.web_command().output().expect("it starts");
    let ran = run.ran(&output).code(0);
    let cases: Vec<Value> = items(&ran.json("out/summary.json")["cases"]).to_vec();
    assert_eq!(cases.len(), 2);
    assert!(cases.iter().all(|case| case["outcome"] == "passed"), "{cases:?}");
}

#[test]
fn without_a_path_the_project_is_run_from_any_folder_of_it() {
    let case = |name: &str| format!("config: {{name: {name}}}\nteststeps:\n- log: a\n");
    let test = Test::new(&["check"])
        .file("uixt.yaml", "device: phone\n")
        .file("testcases/a.yaml", case("a"))
        .file("compose.yaml", "services: {}\n")
        .file("package.json", "{}\n")
        .file("node_modules/x/y.json", "{}\n")
        .file("venv/pyvenv.cfg", "")
        .file("venv/z.json", "{}\n")
        .file("deep/er/notes.txt", "");
    let mut command = test.command();
    command.current_dir(test.path("deep/er"));
    let output = command.output().expect("it starts");
    let ran = test.ran(&output).code(0).prints("1 testcase: no errors");
    // Without the usual folder it is the whole project.
    fs::rename(ran.path("testcases"), ran.path("cases")).expect("it is moved");
    let ran = ran.then(&["run", "--report-dir", "out"]).code(0).says("(./cases/a.yaml)");
    drop(ran);
    Test::new(&["run"]).run().code(2).says("no path is named, and this is no project").says("uixt init");
}

#[test]
fn a_run_that_did_not_pass_says_what_to_type_next() {
    let test = Test::new(&["run", "a.yaml", "--var", "word=x", "--device", "phone", "--report-dir", "my out"])
        .file("a.yaml", "teststeps:\n- assert_value: {value: $word, equals: y}\n");
    let ran = test.run().code(1).says("  uixt studio 'my out' ");
    assert!(!ran.stderr.contains("uixt doctor"), "{}", ran.stderr);
    let line = ran.stderr.lines().find(|line| line.contains("runs what did not pass again")).expect("a command");
    let command = line.split(" #").next().expect("a command").trim();
    assert_eq!(command, "uixt run a.yaml --var word=x --device phone --report-dir 'my out' --failed 'my out'");
    let again =
        ["run", "a.yaml", "--var", "word=x", "--device", "phone", "--report-dir", "my out", "--failed", "my out"];
    let ran = ran.then(&again).code(1).says("1 failed in");
    // A run that does not begin leaves no report that passes for its own.
    fs::write(ran.path("a.yaml"), "teststeps:\n- tapp: x\n").expect("it is written");
    let ran =
        ran.then(&["run", "a.yaml", "--report-dir", "my out"]).code(2).says("junit.xml of an earlier run was removed");
    assert!(!ran.path("my out/junit.xml").exists());
    let ran = ran.then(&["report", "my out"]).code(1);
    assert!(ran.path("my out/junit.xml").exists());
    Test::new(&["run", "a.yaml", "--device", "android", "--adb-server", &nobody()])
        .file("a.yaml", "teststeps:\n- home:\n")
        .run()
        .code(3)
        .says("  uixt doctor ");
    let passed = Test::new(&["run", "a.yaml"]).file("a.yaml", "teststeps:\n- log: a\n").run().code(0);
    assert!(!passed.stderr.contains('#'), "{}", passed.stderr);
}

/// Returns what is said of something.
fn finding<'a>(findings: &'a Value, name: &str) -> &'a Value {
    items(findings).iter().find(|finding| finding["name"] == name).unwrap_or_else(|| panic!("{name}: {findings}"))
}

#[test]
fn the_doctor_tells_what_is_here_what_is_missing_and_what_mends_it() {
    let phone = Phone::start();
    let ran = Test::new(&["doctor", "--json", "--adb-server", &phone.address()])
        .file("uixt.yaml", "device: browser\n")
        .run()
        // The project's browser is switched off.
        .code(3);
    let told = ran.printed();
    assert_eq!(finding(&told, "android")["state"], "ready");
    assert!(finding(&told, "android")["message"].as_str().is_some_and(|text| text.contains("uixt-phone")));
    let browser = finding(&told, "chromium");
    assert_eq!((&browser["state"], finding(&told, "firefox")["state"] == "absent"), (&Value::from("wrong"), true));
    assert!(browser["help"].as_str().is_some_and(|help| help.contains("apt-get install chromium")), "{browser}");
    // What another device needs is another thing.
    ran.then(&["doctor", "--device", "phone"]).code(0).prints("absent  chromium ").prints("ready   virtual phones ");
    let other = ["doctor", "--device", "android:nowhere", "--adb-server", &phone.address()];
    Test::new(&other).run().code(3).prints("wrong   android         android:nowhere is not there");
    let nobody = nobody();
    let test = Test::new(&["doctor", "--device", "android", "--adb-server", &nobody]);
    let output = test.command().env("UIXT_QUEUE", "redis://127.0.0.1:1/x").output().expect("it starts");
    let ran = test.ran(&output).code(3).prints("wrong   queue ").prints("wrong   android ").prints("adb start-server");
    let widest = ran.stdout.lines().map(|line| line.chars().count()).max();
    assert!(widest.is_some_and(|widest| widest < 130), "{}", ran.stdout);
}
