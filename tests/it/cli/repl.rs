//! `uixt repl`: steps that are typed one by one, at a real terminal and through a pipe, and what is saved of them.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::counterparts::client_of;
use crate::support::{Ran, Test, text};

const PHONE: (&str, &str) = ("uixt.yaml", "device: phone\n");

/// Types lines through a pipe.
fn piped(test: Test, lines: &str) -> Ran {
    let mut command = test.command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().expect("the program starts");
    process.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("it reads");
    let output = process.wait_with_output().expect("it ends");
    test.ran(&output)
}

fn repl(arguments: &[&str]) -> Test {
    let arguments: Vec<&str> = ["repl"].iter().chain(arguments).copied().collect();
    Test::new(&arguments).file(PHONE.0, PHONE.1)
}

/// Types at a terminal; returns what was shown.
#[track_caller]
fn typed(turns: &Value) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(PHONE.0), PHONE.1).expect("a file");
    let data = folder.path().join(".uixt");
    let command = json!(["env", format!("UIXT_DATA_DIR={}", data.display()), env!("CARGO_BIN_EXE_uixt"), "repl"]);
    let arguments = [&json!(folder.path()), &command, turns].map(Value::to_string);
    let mut done = client_of("terminal.py", &arguments.each_ref().map(String::as_str));
    let history = fs::read_dir(&data).into_iter().flatten().flatten().map(|entry| entry.path());
    let history = history.filter(|path| path.ends_with("repl_history")).find_map(|path| fs::read_to_string(path).ok());
    done["history"] = history.unwrap_or_default().into();
    done
}

#[test]
fn what_passed_is_saved_and_runs() {
    let lines = "\
app_clear: com.uixt.shop
launch com.uixt.shop
{get_text: {role: heading}, save: title}
tap_element: {text: Nowhere at all, timeout: 0.3}
assert_visible: $title
input: {text: $user, into: User name}
input secret123 into Password
tap e1234
- tap_element: {role: button, text: Sign in}
see Welcome, alice
log: nothing of this
:undo
:list
:save log_in.yaml
:save log_in.yaml
";
    let ran = piped(repl(&["--var", "user=alice"]), lines).code(1);
    let (stdout, stderr) = (ran.stdout.clone(), ran.stderr.clone());
    assert!(stdout.contains("Launched com.uixt.shop (0.") && stdout.contains("title = Log in"), "{stdout}");
    assert!(stdout.contains("forgot log: nothing of this") && stdout.contains("saved log_in.yaml"), "{stdout}");
    assert!(stderr.contains("\"Nowhere at all\": not there within 0.3 s"), "{stderr}");
    assert!(stderr.contains("log_in.yaml already exists") && stderr.contains(":save! FILE"), "{stderr}");
    let saved = ran.read("log_in.yaml");
    let expected = "\
# What was typed secretly is read from PASSWORD in the environment or in .env.
config:
  name: Log in
  variables: {user: alice, password: \"${ENV(PASSWORD)}\"}
teststeps:
- app_clear: com.uixt.shop
- app_launch: com.uixt.shop
- get_text: {role: heading}
  save: title
- assert_visible: $title
- input: {text: $user, into: User name}
- input: {text: $password, into: Password, secret: true}
- tap_element: {role: button, text: Sign in}
- assert_visible: \"Welcome, alice\"
";
    assert_eq!(saved, expected);
    ran.test(&["run", "log_in.yaml"]).file(".env", "PASSWORD=secret123\n").run().code(0);
}

#[test]
fn refs_become_targets_and_control_flow_stays() {
    let lines = "\
app_clear: com.uixt.shop
app_launch: com.uixt.shop
:screen
";
    let shown = piped(repl(&[]), lines).code(0);
    let line = shown.stdout.lines().find(|line| line.contains("\"Remember me\"")).expect("a checkbox").to_owned();
    let reference = line.trim().split(' ').next().expect("a ref");
    let lines = format!(
        "{lines}tap {reference}\n{{repeat: 2, steps: [log: again]}}\n{{log: never, when: 1 > 2}}\n:save refs.yaml\n"
    );
    let ran = piped(repl(&[]), &lines).code(0);
    let saved = ran.read("refs.yaml");
    assert!(saved.contains("- tap: {id: remember}"), "{saved}");
    assert!(saved.contains("- repeat: 2\n  steps:\n"), "{saved}");
    assert!(
        !saved.contains("never") && ran.stdout.contains("skipped: when `1 > 2` does not hold"),
        "{saved}{}",
        ran.stdout
    );
    ran.then(&["run", "refs.yaml"]).code(0);
}

#[test]
fn mistakes_are_told_as_in_testcases() {
    let lines = "tap_element: {text: a, timout: 5}\nlog: $nobody\n:sav x\ntapp Log in\n:save none.yaml\n";
    let ran = piped(repl(&[]), lines).code(1);
    for part in [
        "--> step:1:24",
        "did you mean `timeout`?",
        "unknown variable `nobody`",
        "did you mean `:save`?",
        "`tapp` is not a tool",
        "nothing is saved: no step has passed yet",
    ] {
        assert!(ran.stderr.contains(part), "`{part}` is not in\n{}", ran.stderr);
    }
    assert!(!ran.path("none.yaml").exists());
    piped(repl(&[]), "log: fine\n:quit\nlog: never read $nobody\n").code(0);
    // The device is to blame, and not what was typed.
    let absent = ["--device", "android", "--adb-server", "127.0.0.1:1"];
    piped(repl(&absent), "tap Log in\n:nope\n").code(3);
}

#[test]
fn a_terminal_completes_remembers_and_interrupts() {
    let began = Instant::now();
    let done = typed(&json!([
        {"wait": "type a step, or :help"},
        {"wait": "uixt> ", "type": "app_laun\t"},
        {"wait": "app_launch: ", "type": "com.uixt.shop\r"},
        {"wait": "Launched com.uixt.shop"},
        {"wait": "uixt> ", "type": "input: {in\t\t"},
        {"wait": "into: ", "type": "\u{3}"},
        {"wait": "uixt> ", "type": "tap_element: {id: rem\t"},
        {"wait": "remember", "type": "}\r"},
        {"wait": "Tapped"},
        {"wait": "uixt> ", "type": "wait_for: {text: Nobody comes, timeout: 600}\r"},
        {"wait": "timeout: 600}", "type": ""},
        {"wait": "failed: interrupted", "press": "\u{3}"},
        {"wait": "uixt> ", "type": "\u{1b}[A\u{1b}[A\r"},
        {"wait": "Tapped"},
        {"wait": "uixt> ", "type": "input: {text: secret123, into: Password}\r"},
        {"wait": "uixt> ", "type": ":list\r"},
        {"wait": "teststeps:"},
        {"wait": "uixt> ", "type": "\u{4}"},
    ]));
    assert!(began.elapsed() < Duration::from_mins(1), "nothing waited for 600 s");
    assert_eq!(done["code"], 0, "{done}");
    let shown = text(&done["shown"]);
    let list = shown.split("teststeps:").last().expect("a list");
    assert_eq!(list.matches("tap_element: {id: remember}").count(), 2, "{shown}");
    assert!(!list.contains("Nobody comes") && list.contains("$password"), "{list}");
    let history = text(&done["history"]);
    assert!(history.contains("app_launch: com.uixt.shop") && !history.contains("secret123"), "{history}");
}

#[test]
fn a_terminal_that_can_shows_the_screen() {
    let done = typed(&json!([
        {"wait": "uixt> ", "type": ":screen\r"},
        {"wait": "a=q,t=d,f=24", "type": "\u{1b}_Gi=31;OK\u{1b}\\\u{1b}[?62;c"},
        {"wait": "a=T,f=100,"},
        {"wait": "uixt> ", "type": ":screen\r"},
        // One that can not says so, or nothing.
        {"wait": "a=q,t=d,f=24", "type": "\u{1b}[?62;c"},
        {"wait": "picture: "},
        {"wait": "uixt> ", "type": ":quit\r"},
    ]));
    let shown = text(&done["shown"]);
    let mut encoded = String::new();
    let begin = shown.find("\u{1b}_Ga=T,f=100,").expect("a picture");
    for part in shown[begin..].split("\u{1b}_G").skip(1) {
        let (keys, rest) = part.split_once(';').expect("keys");
        let data = rest.split('\u{1b}').next().expect("data");
        assert!(data.len() <= 4096, "{}", data.len());
        encoded.push_str(data);
        if keys.contains("m=0") {
            break;
        }
    }
    let bytes = STANDARD.decode(encoded).expect("base64");
    let picture = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
    assert_eq!((picture.info().width, picture.info().height), (1080, 2400));
    assert_eq!(done["code"], 0, "{done}");
}

#[test]
fn a_pipe_gets_the_path_of_the_picture() {
    let ran = piped(repl(&[]), "home:\n:screen\n").code(0);
    assert!(ran.stdout.contains("\npicture: ") && !ran.stdout.contains('\u{1b}'), "{}", ran.stdout);
    let path = ran.stdout.lines().find_map(|line| line.strip_prefix("picture: ")).expect("a path");
    let file = fs::File::open(path).expect("a file");
    let picture = png::Decoder::new(std::io::BufReader::new(file)).read_info().expect("a PNG");
    assert_eq!((picture.info().width, picture.info().height), (1080, 2400));
}
