//! Secrets: whatever a run writes or says, they are not in it.

use std::fs;
use std::path::Path;

use crate::support::written::written;
use crate::support::{Ran, Test};

/// Every file below a folder that holds one of `secrets`.
fn holding(folder: &Path, secrets: &[&str], into: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            holding(&path, secrets, into);
            continue;
        }
        let bytes = fs::read(&path).expect("a file");
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().filter(|line| secrets.iter().any(|secret| line.contains(secret)));
        into.extend(lines.map(|line| format!("{}: {line}", path.display())));
    }
}

#[track_caller]
fn assert_hidden(ran: &Ran, secrets: &[&str]) {
    let mut found = Vec::new();
    holding(&ran.path("out"), secrets, &mut found);
    assert!(found.is_empty(), "{}", found.join("\n"));
    for secret in secrets {
        assert!(!ran.stderr.contains(secret) && !ran.stdout.contains(secret), "{secret} is in\n{}", ran.stderr);
    }
}

#[test]
fn what_an_env_file_holds_is_not_shown() {
    let long = "eyJhbGciOi.".repeat(15);
    let text = "config: {name: Log in with $TOKEN}
teststeps:
- log: a $TOKEN, $QUOTED
- sleep: $PIN
- sleep: $QUOTED
- name: look for $LONG
  assert_visible: {text: $LONG, timeout: 0.1}
- get_text: {id: $LONG, timeout: 0.1}
- input: {text: $LONG, timeout: 0.1}
";
    let env = format!("TOKEN=tok-5512-abc\nPIN=48213975\nQUOTED=pa\"ss\\\\word99\nLONG={long}\n");
    let arguments = ["run", "a.yaml", "-c", "--device", "phone", "--env-file", "env", "--report-dir", "out"];
    let ran = Test::new(&arguments).file("a.yaml", text).file("env", env).run().code(3);
    let ran = ran.says("Log in with ••••••");
    assert_eq!(
        ran.json("out/summary.json")["cases"][0]["steps"][1]["attempts"][0]["actions"][0]["arguments"]["seconds"],
        "••••••"
    );
    assert_hidden(&ran, &["tok-5512", "48213975", "ss\\word99", "ss\\\\word99", "ss\\\\\\\\word99", "eyJhbGciOi"]);
}

#[test]
fn a_secret_of_one_call_is_a_secret_for_the_whole_case() {
    let text = "teststeps:
- input: {text: hunter2hunter2, secret: true, timeout: 0.1}
- log: hunter2hunter2
- assert_visible: {text: hunter2hunter2, timeout: 0.1}
- android: {actions: [{method: input, params: swordfish77, secret: $flag, timeout: 0.1}]}
- android: {actions: [{method: input, params: swordfish77, secret: true, timeout: '${ENV(NO_SUCH_VARIABLE)}'}]}
";
    let arguments = ["run", "a.yaml", "-c", "--device", "phone", "--var", "flag=true", "--report-dir", "out"];
    let ran = Test::new(&arguments).file("a.yaml", text).run().code(3);
    assert_eq!(ran.json("out/summary.json")["totals"]["steps"], 5);
    assert_hidden(&ran, &["hunter2", "swordfish"]);
}

#[test]
fn what_is_typed_into_a_password_field_is_a_secret() {
    let text = "teststeps:
- app_launch: com.uixt.shop
- input: {text: hunter2hunter2, into: Password}
- input: hunter2hunter2
- assert_visible: {text: hunter2hunter2, timeout: 0.2}
";
    let ran = Test::new(&["run", "a.yaml", "--device", "phone", "--report-dir", "out", "--screenshots", "never"]);
    assert_hidden(&ran.file("a.yaml", text).run().code(1), &["hunter2"]);
}

#[test]
fn credentials_of_a_request_are_masked_everywhere() {
    let testcase = "config: {name: x}\nteststeps:\n- request: {url: \"http://user:hunter2pass@127.0.0.1:1/\", \
                    headers: {Authorization: Bearer topsecretvalue, X-Note: topsecretvalue}, cookies: {sid: cookievalue}}\n";
    let ran = Test::new(&["run", "a.yaml", "--report-dir", "out"]).file("a.yaml", testcase).run().code(3);
    let files = written("out").chain(["out/journal.jsonl".to_owned()]);
    let written: Vec<String> = files.map(|name| ran.read(&name)).collect();
    for secret in ["hunter2pass", "topsecretvalue", "cookievalue"] {
        assert!(!ran.stdout.contains(secret) && !ran.stderr.contains(secret), "{secret} is printed");
        assert!(written.iter().all(|text| !text.contains(secret)), "{secret} is written");
    }
}

#[test]
fn a_short_secret_counts_where_it_was_marked() {
    let text = "teststeps:
- log: §7
- input: {text: §7, secret: true, timeout: 0.1}
- assert_visible: {text: §7, timeout: 0.1}
- log: §8
";
    let arguments = ["run", "a.yaml", "-c", "--device", "phone", "--env-file", "env", "--report-dir", "out"];
    let ran = Test::new(&arguments).file("a.yaml", text).file("env", "SHORT=§8\n").run().code(1);
    let steps = &ran.json("out/summary.json")["cases"][0]["steps"];
    let shown = [0, 2, 3].map(|step| steps[step]["attempts"][0]["actions"][0]["arguments"].to_string());
    assert!(shown[0].contains("§7") && !shown[1].contains("§7") && shown[2].contains("§8"), "{shown:?}");
    assert!(!steps[1].to_string().contains("§7"), "what its own call says: {steps}");
}

#[test]
fn a_secret_in_a_url_is_masked_as_urls_write_it() {
    let text = "teststeps:\n- request: {url: \"http://127.0.0.1:1/?token=$TOKEN\"}\n";
    let arguments = ["run", "a.yaml", "--env-file", "env", "--report-dir", "out"];
    let ran = Test::new(&arguments).file("a.yaml", text).file("env", "TOKEN=tok en/5512\n").run().code(3);
    assert_hidden(&ran, &["en/5512", "en%2F5512"]);
}

#[test]
fn a_secret_that_nobody_gave_is_told_before_anything_runs() {
    let text = "config: {variables: {pin: \"${ENV(NO_SUCH_PIN_HERE)}\"}}\nteststeps:\n- log: first\n- log: $pin\n";
    let test = |arguments: &[&str]| Test::new(arguments).file("a.yaml", text).file("env", "NO_SUCH_PIN_HERE=4821\n");
    for (command, code) in [("check", 0), ("run", 2)] {
        let ran = test(&[command, "a.yaml"]).run().code(code);
        ran.says("a.yaml:4:3").says("`NO_SUCH_PIN_HERE`, which is not set").says("--env-file").says("--var pin=");
        test(&[command, "a.yaml", "--env-file", "env"]).run().code(0);
        test(&[command, "a.yaml", "--var", "pin=1"]).run().code(0);
    }
}

#[test]
fn where_two_texts_differ_tells_no_character_of_a_secret() {
    let steps = "teststeps:\n- app_launch: com.uixt.shop\n- input: {text: secret123, into: Password, secret: true}\n\
                 - assert_text: {id: password, equals: secret123, timeout: 0.3}\n";
    let ran =
        Test::new(&["run", "a.yaml", "--device", "phone", "--report-dir", "r"]).file("a.yaml", steps).run().code(1);
    assert!(!ran.stderr.contains("they differ"), "{}", ran.stderr);
    assert!(!ran.read("r/summary.json").contains("they differ at character"), "the report tells it");
    // As `od` and the like write it.
    let steps = "config: {variables: {pw: \"${ENV(PW)}\"}}\nteststeps:\n- shell: {string: \"printf %s $pw | od -An -tx1\"}\n  save: {o: stdout}\n- log: $o\n";
    let ran = Test::new(&["run", "a.yaml", "--report-dir", "r"])
        .file("uixt.yaml", "{}\n")
        .file(".env", "PW=hunter22secret\n");
    let ran = ran.file("a.yaml", steps).run().code(0);
    assert!(!ran.read("r/summary.json").contains("68 75 6e 74"), "{}", ran.read("r/summary.json"));
}
