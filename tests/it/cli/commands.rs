//! The other commands: call, tools, devices, init, schema, completions.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use uixt_schema::{Draft, Validator};

use crate::support::counterparts::Phone;
use crate::support::{Test, nobody};

#[test]
fn a_call_prints_its_answer() {
    let ran = Test::new(&["call", "tap_xy", r#"{"x": 0.5, "y": 0.5}"#, "--device", "phone"]).run().code(0);
    assert_eq!(
        ran.printed(),
        json!({"action": "tap_xy", "success": true, "message": "Tapped at 0.50, 0.50", "x": 0.5, "y": 0.5})
    );
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_call_keeps_its_picture() {
    let ran = Test::new(&["call", "screenshot", "--device", "phone", "--output", "shot.png"]).run().code(0);
    assert_eq!(fs::read(ran.path("shot.png")).unwrap()[..8], *b"\x89PNG\r\n\x1a\n");
}

#[test]
fn a_wrong_call_says_what_is_right() {
    let ran = Test::new(&["call", "tap_xy", r#"{"x": 0.5, "yy": 0.5}"#, "--device", "phone"]).run().code(2);
    let valid = ["x", "y", "duration", "platform", "serial"];
    assert_eq!(
        ran.printed(),
        json!({"action": "tap_xy", "success": false, "message": "tap_xy: missing: y; unknown: yy (did you mean y?); valid: x, y, duration, platform, serial",
            "kind": "BadArgument", "details": {"missing": ["y"], "unknown": ["yy"], "valid": valid}})
    );
    let ran = Test::new(&["call", "tap_elemnt", "--device", "phone"]).run().code(2);
    assert_eq!(ran.printed()["message"], "unknown tool `tap_elemnt`, did you mean `tap_element`?");
    Test::new(&["call", "log", "[1]"]).run().code(2).says("the arguments must be a JSON object");
    Test::new(&["call", "log", "{"]).run().code(2).says("the arguments are not JSON").says("'{\"message\": …}'");
    Test::new(&["call", "tap", "Shop", "Lab"])
        .run()
        .code(2)
        .prints("`x` must be a number, not")
        .prints("valid: text, id, role");
    let ran = Test::new(&["call", "tap_element", "timout=5", "--device", "phone"]).run().code(2);
    assert!(ran.printed()["message"].as_str().unwrap().contains("unknown: timout (did you mean timeout?)"));
}

#[test]
fn a_call_is_written_as_in_a_testcase() {
    let ran = Test::new(&["call", "tap_xy", "0.5", "y=0.25", "--device", "phone"]).run();
    ran.code(0).prints("Tapped at 0.50, 0.25");
}

#[test]
fn a_call_that_fails_exits_1_and_one_without_a_device_3() {
    let arguments = r#"{"text": "No such text", "timeout": 0.2}"#;
    let ran = Test::new(&["call", "assert_visible", arguments, "--device", "phone"]).run().code(1);
    assert_eq!(ran.printed()["kind"], "NotFound");
    Test::new(&["call", "home", "--adb-server", &nobody()]).run().code(3).prints("--device phone");
    let of_project = |arguments: &[&str]| Test::new(arguments).file("uixt.yaml", "device: phone\n").run();
    of_project(&["call", "home", "--adb-server", &nobody()]).code(0);
    of_project(&["call", "home", "--adb-server", &nobody(), "--device", "android"]).code(3);
}

#[test]
fn tools_are_listed_in_every_format() {
    let json = Test::new(&["tools", "--format", "json"]).run().code(0).printed();
    let names: Vec<&str> = json.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(names.len() >= 26 && names.contains(&"tap") && !names.contains(&"tap_xy"), "{names:?}");
    for tool in json.as_array().unwrap() {
        Validator::new(&tool["inputSchema"], Draft::V2020_12)
            .unwrap_or_else(|error| panic!("{}: {error}", tool["name"]));
    }
    let table = Test::new(&["tools"]).run().code(0).stdout;
    let markdown = Test::new(&["tools", "--format", "markdown"]).run().code(0).stdout;
    for name in names {
        assert!(table.lines().any(|line| line.starts_with(name)), "{name} is not in the table");
        assert!(
            markdown.lines().any(|line| line.starts_with(&format!("| `{name}` | "))),
            "{name} is not in the markdown"
        );
    }
    assert!(markdown.lines().all(|line| line.replace("\\|", "").matches('|').count() == 4), "{markdown}");
}

#[test]
fn one_tool_tells_what_its_arguments_mean() {
    let page = Test::new(&["tools", "hover"]).run().code(0).stdout;
    assert!(page.starts_with("hover\n"), "{page}");
    let timeout = page.lines().find(|line| line.starts_with("timeout ")).unwrap_or_else(|| panic!("{page}"));
    assert!(timeout.split_whitespace().count() > 3, "{timeout}");
    let secret = Test::new(&["tools", "input"]).run().code(0).stdout;
    assert!(secret.lines().any(|line| line.starts_with("text ") && line.ends_with("(required)")), "{secret}");
    Test::new(&["tools", "tap_xy"]).run().code(0).prints("`tap`: ");
    Test::new(&["tools", "swipe"]).run().code(0).prints("goes. One of up, down, left, right.");
    Test::new(&["tools", "set_clipboard_text"]).run().code(2).says("write `set_clipboard`");
    Test::new(&["tools", "tapp"]).run().code(2).says("unknown tool `tapp`").says("tap");
}

#[test]
fn devices_are_listed() {
    let phone = Phone::start();
    let ran = Test::new(&["devices", "--adb-server", &phone.address()]).run().code(0);
    assert!(ran.stdout.starts_with("android:uixt-phone\t"), "{}", ran.stdout);
    let ran = Test::new(&["devices", "--format", "json", "--adb-server", &phone.address()]).run().code(0);
    assert_eq!(ran.printed()[0]["serial"], "uixt-phone");
    let address = nobody();
    Test::new(&["devices", "--adb-server", &address]).run().says(&format!("no adb server at {address}"));
}

fn testcases(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        // Those have tools of their own, which the schema knows in their folder only.
        let is_own = |name| path.ends_with(name);
        if ["own_tools", "cookbook/tools", "cookbook/own_tool.yaml"].into_iter().any(is_own) {
            continue;
        }
        if path.is_dir() {
            testcases(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "yaml") && !path.ends_with("uixt.yaml") {
            into.push(path);
        }
    }
}

/// Testcases as the documentation shows them; those in testcases/ are checked beside them.
const SAMPLES: [&str; 3] = [
    include_str!("../../../src/cli/testcases/init/phone.yaml"),
    "config: {name: Log in, variables: {user: 小明}}
teststeps:
- app_launch: com.uixt.shop
- input: {text: 42, into: User name, timeout: $patience}
- tap_element: {text: Sign in, timeout: 5}
- assert_visible: Welcome, $user
",
    "config: {name: Log in}
teststeps:
- name: Log in
  android:
    actions:
    - {method: app_launch, params: com.uixt.shop}
    - {method: tap_by_selector, params: Sign in, timeout: 5}
  validate:
  - {check: ui_ocr, assert: exists, expect: Welcome, msg: not signed in}
",
];

#[test]
fn the_schema_accepts_samples_and_refuses_mistakes() {
    let schema = Test::new(&["schema"]).run().code(0).printed();
    let validator = Validator::new(&schema, Draft::V2020_12).unwrap();
    let accept = |name: &str, text: &str| {
        let value: Value = serde_saphyr::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let wrong = validator.violations(&value);
        assert!(wrong.is_empty(), "{name}: {wrong:#?}");
    };
    SAMPLES.iter().for_each(|text| accept("a sample", text));
    let mut files = Vec::new();
    testcases(&Path::new(env!("CARGO_MANIFEST_DIR")).join("testcases"), &mut files);
    for file in files {
        accept(&file.display().to_string(), &fs::read_to_string(&file).unwrap());
    }
    for wrong in [
        json!({}),
        json!({"teststeps": []}),
        json!({"teststeps": [{"tap_elemnt": "x"}]}),
        json!({"teststeps": [{"tap_xy": {"x": 0.5, "yy": 0.5}}]}),
        json!({"teststeps": [{"tap_xy": {"x": 0.5, "y": 0.5, "yy": 0.5}}]}),
        json!({"teststeps": [{"tap_element": {"text": "x", "timeout": "soon"}}]}),
        json!({"teststeps": [{"swipe": {"direction": "sideways"}}]}),
        json!({"teststeps": [{"log": "a"}], "confg": {}}),
        json!({"teststeps": [{"log": "a"}], "config": {"name": 5}}),
    ] {
        assert!(!validator.is_valid(&wrong), "{wrong}");
    }
}

#[test]
fn what_commands_were_called_before_goes_on_and_is_not_listed() {
    let help = Test::new(&["--help"]).run().code(0).stdout;
    for old in ["skill", "trace", "models"] {
        assert!(!help.contains(&format!("  {old} ")), "{help}");
        Test::new(&["help", old]).run().code(0).prints("Usage: ");
    }
    assert_eq!(Test::new(&["skill"]).run().code(0).stdout, Test::new(&["session", "skill"]).run().code(0).stdout);
    assert_eq!(Test::new(&["models"]).run().code(0).stdout, Test::new(&["ocr", "status"]).run().code(0).stdout);
    Test::new(&["trace", "nowhere"]).run().code(2).says("name the report folder of a run");
    Test::new(&["report", "a", "b", "--trace"]).run().code(2).says("--trace takes the report folder of one run");
    for record in [&["record", "a.yaml"][..], &["repl", "--record", "a.yaml"]] {
        Test::new(record).file("a.yaml", "x").run().code(2).says("already exists");
    }
    Test::new(&["repl", "--record", "a.yaml", "--var", "a=b"]).run().code(2).says("cannot be used with");
    let files = Test::new(&["ocr"]).run().code(2).stderr;
    assert!(files.contains("<FILE>"), "{files}");
}

#[test]
fn completions_are_scripts() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = Test::new(&["completions", shell]).run().code(0).stdout;
        assert!(script.contains("UIXT_COMPLETE"), "{shell}");
    }
    let script = Test::new(&["completions", "bash"]).run().stdout;
    let mut bash = Command::new("bash").arg("-n").stdin(Stdio::piped()).spawn().expect("bash is on the PATH");
    bash.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    assert!(bash.wait().unwrap().success());
}

/// Returns what is offered for the last of some words.
fn offered(words: &[&str], adb_server: &str) -> String {
    let test = Test::new(&[&["--", "uixt"], words].concat());
    let output =
        test.command().env("UIXT_COMPLETE", "fish").env("UIXT_ADB_SERVER", adb_server).output().expect("uixt starts");
    String::from_utf8(output.stdout).expect("a text")
}

#[test]
fn tools_options_and_devices_are_completed() {
    let nobody = &nobody();
    let tools = offered(&["call", "assert_vi"], nobody);
    assert_eq!(tools.trim(), "assert_visible\tAssert that an element is on the screen.");
    assert!(offered(&["run", "--report-"], nobody).contains("--report-dir"));
    assert!(offered(&["mcp-"], nobody).starts_with("mcp-server"));
    let kinds = offered(&["run", "--device", ""], nobody);
    for kind in ["phone", "android", "browser"] {
        assert!(kinds.lines().any(|line| line.starts_with(kind)), "{kind}: {kinds}");
    }
    let phone = Phone::start();
    let devices = offered(&["run", "--device", "android:"], &phone.address());
    assert!(devices.starts_with("android:"), "{devices}");
}

#[test]
fn only_results_go_to_standard_output() {
    let ran = Test::new(&["run", "a.yaml"]).file("a.yaml", "teststeps:\n- log: hello\n").run().code(0).says("1 passed");
    assert_eq!(ran.stdout, "");
    Test::new(&["no-such-command"]).run().code(2).says("unrecognized subcommand");
    Test::new(&["run"]).run().code(2);
    Test::new(&["run", "a.yaml", "--device", "pixel"])
        .run()
        .code(2)
        .says("unknown device `pixel`; valid: phone, iphone, harmony-phone, android[:SERIAL]");
}
