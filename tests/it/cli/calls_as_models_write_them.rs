//! `uixt call` with calls as models write them: a JSON string, or text with `<server><tool>{…}</tool></server>` in it.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Deserializer, Value, json};

use crate::support::{Ran, Test};

const PHONE: [&str; 2] = ["--device", "phone"];

/// Runs `uixt call` with a text on standard input.
fn piped(text: &str, options: &[&str]) -> Ran {
    let test = Test::new(&[&["call", "-"], options].concat());
    let mut command = test.command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().expect("the program starts");
    // A program that has read enough closes its end.
    let _ = process.stdin.take().expect("a pipe").write_all(text.as_bytes());
    let output = process.wait_with_output().expect("it ends");
    test.ran(&output)
}

/// Reads the answers, one JSON object after the other.
fn answers(ran: &Ran) -> Vec<Value> {
    Deserializer::from_str(&ran.stdout).into_iter().map(|answer| answer.expect("JSON")).collect()
}

#[test]
fn arguments_come_as_an_object_as_a_string_and_as_text() {
    let plain = r#"{"x": 0.5, "y": 0.25}"#;
    let quoted = json!(plain).to_string();
    let text = format!("I tap it.\n```xml\n<uixt>\n<uixt__tap_xy>\n{plain}\n</uixt__tap_xy>\n</uixt>\n```");
    for words in [vec!["tap_xy", plain], vec!["tap_xy", &quoted], vec![&text]] {
        let ran = Test::new(&[&["call"], &words[..], &PHONE].concat()).run().code(0);
        let wanted =
            json!({"action": "tap_xy", "success": true, "message": "Tapped at 0.50, 0.25", "x": 0.5, "y": 0.25});
        assert_eq!(answers(&ran), [wanted]);
        assert_eq!(ran.stderr, "");
    }
}

#[test]
fn calls_of_a_text_are_made_in_their_order_up_to_the_first_that_fails() {
    let text = r#"<think><uixt><home/></uixt></think>
        <uixt><app_launch>{"package_name": "com.uixt.shop"}</app_launch></uixt>
        <uixt><get_foreground_app/><assert_visible>{"text": "No such text", "timeout": "0.2"}</assert_visible></uixt>
        <uixt><home></home></uixt>"#;
    let ran = piped(text, &PHONE).code(1);
    let ran = ran.says("note: line 1: `<uixt>` within a thought is not called").says("the call after it was not made");
    let answers = answers(&ran);
    let actions: Vec<&Value> = answers.iter().map(|answer| &answer["action"]).collect();
    assert_eq!(actions, ["app_launch", "get_foreground_app", "assert_visible"]);
    assert!(answers[1].to_string().contains("com.uixt.shop"), "{}", answers[1]);
    assert_eq!(answers[2]["kind"], "NotFound");
}

#[test]
fn no_call_is_made_where_one_is_wrong() {
    let text = "<uixt><app_launch>{\"package_name\": \"com.uixt.shop\"}</app_launch>\n<tap_xy>{\"x\": 1, \"yy\": 1}</tap_xy></uixt>\n\
                <uixt><tap_elemnt>{}</tap_elemnt></uixt>";
    let ran = piped(text, &PHONE).code(2).says("2 of 3 calls cannot be made; none was");
    let answers = answers(&ran);
    assert_eq!(
        answers[0]["message"],
        "tap_xy: missing: y; unknown: yy (did you mean y?); valid: x, y, duration, platform, serial"
    );
    assert_eq!(answers[1]["message"], "unknown tool `tap_elemnt`, did you mean `tap_element`?");
    assert_eq!(answers.len(), 2);
    // The answer to one wrong call is the same in every form.
    let single = Test::new(&["call", "tap_xy", r#"{"x": 1, "yy": 1}"#, "--device", "phone"]).run().code(2);
    assert_eq!(single.printed(), answers[0]);
}

#[test]
fn a_text_that_cannot_be_read_is_refused_as_a_whole() {
    for (text, words) in [
        (
            "<uixt><home>{}</home></uixt> <uixt><home>{}</uixt>",
            "line 1: `<home>`: `</uixt>` stands where `</home>` is expected",
        ),
        ("<uixt>\n<tap_xy>{\"x\": 0.5, \"y\": 0.5", "line 2: `<tap_xy>`: the arguments are not JSON: EOF"),
        ("nothing to do", "no call `<server><tool>{…}</tool></server>` in the text"),
        ("", "no call"),
    ] {
        let ran = piped(text, &PHONE).code(2).says(words);
        assert_eq!(ran.stdout, "");
    }
    Test::new(&["call", "<uixt><home/></uixt>", "more"]).run().code(2).says("write nothing behind it");
    Test::new(&["call", "log", r#"{"message": "a", "message": "b"}"#]).run().code(2).says("`message` is given twice");
    Test::new(&["call", "log", r#"{"message": "a"} b"#]).run().code(2).says("text after the arguments: `b`");
    let two = "<uixt><screenshot/><screenshot/></uixt>";
    Test::new(&["call", two, "--output", "a.png"]).run().code(2).says("--output takes the answer of one call");
    piped(&"x".repeat((1 << 20) + 1), &[]).code(2).says("longer than 1 MiB");
}

#[test]
fn a_text_reaches_no_more_of_this_computer_than_an_agent_and_a_typed_call_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let mark = folder.path().join("mark");
    let touch = json!({"string": format!("touch {}", mark.display())}).to_string();
    let batch = json!({"steps": [{"tool": "shell", "arguments": {"string": format!("touch {}", mark.display())}}]});
    let pull = json!({"device_path": "/sdcard/a", "local_path": mark}).to_string();
    for text in [
        format!("<think>..</think>Sure! <uixt><home/><shell>{touch}</shell></uixt>"),
        format!("<uixt><home/><uixt__shell>{touch}</uixt__shell></uixt>"),
        format!("<uixt><home/><pull_file>{pull}</pull_file></uixt>"),
        format!("<uixt><home/><request>{}</request></uixt>", json!({"url": "http://127.0.0.1:1/"})),
        format!("<uixt><home/><call_function>{}</call_function></uixt>", json!({"expression": "${f()}"})),
    ] {
        for ran in [piped(&text, &PHONE), Test::new(&["call", &text, "--device", "phone"]).run()] {
            let answers = answers(&ran.code(2).says("1 of 2 calls cannot be made; none was"));
            let told = answers[0]["message"].as_str().expect("a text");
            assert!(answers.len() == 1 && told.contains("is for testcases only, and is not offered here"), "{told}");
        }
    }
    let ran = piped(&format!("<uixt><batch>{batch}</batch></uixt>"), &PHONE);
    assert!(ran.code != Some(0) && ran.stdout.contains("is for testcases only"), "{}", ran.stdout);
    assert!(!mark.exists(), "a step of a batch is a call, too");
    Test::new(&["call", "shell", &touch]).run().code(0);
    assert!(mark.exists(), "what a person types is meant");
}

#[test]
fn calls_of_other_servers_are_checked_before_they_are_sent() {
    let text = "<browser_use><browser_use_execute_task>{\"query\": \"x\"}</browser_use_execute_task></browser_use>";
    let ran = Test::new(&["call", text]).run().code(2);
    assert_eq!(
        ran.printed()["message"],
        "browser_use_execute_task: missing: task; unknown: query; valid: task, max_steps, use_vision"
    );
    let ran = Test::new(&["call", text, "--lang", "zh"]).run().code(2);
    assert_eq!(
        ran.printed()["message"],
        "工具调用验证失败: 缺少必需参数: ['task']; 无效参数: ['query']，有效参数: ['use_vision', 'task', 'max_steps']"
    );
    let ran = Test::new(&["call", "tap_xy", r#"{"x": 1, "yy": 1}"#, "--lang", "zh", "--device", "phone"]).run().code(2);
    assert_eq!(
        ran.printed()["message"],
        "工具调用验证失败: 缺少必需参数: ['y']; 无效参数: ['yy']，有效参数: ['y', 'x', 'serial', 'platform', 'duration']; 'yy' 是否应为 'y'?"
    );
    let ran = Test::new(&["call", "<browser_us><browser_go_back>{}</browser_go_back></browser_us>"]).run().code(2);
    assert!(ran.printed()["message"].to_string().contains("there is no server `browser_us`"), "{}", ran.stdout);
}

/// A file of servers: one that keeps notes, and one that has the name of a known server and is none.
fn servers() -> String {
    let script = format!("{}/testcases/mcp/notes.py", env!("CARGO_MANIFEST_DIR"));
    let notes = json!({"command": "python3", "args": [script]});
    json!({"mcpServers": {"notes": notes, "browser_use": notes}}).to_string()
}

fn with_servers(words: &[&str]) -> Ran {
    Test::new(&[words, &["--mcp-config", "mcp.json"]].concat()).file("mcp.json", servers()).run()
}

#[test]
fn calls_of_other_servers_are_sent_and_mixed_with_own_ones() {
    let text = "<notes><add>{\"text\": 5}</add></notes> <uixt><log>{\"message\": \"between\"}</log></uixt> <notes><read_all/></notes>";
    let ran = with_servers(&["call", text, "--device", "phone"]).code(0);
    let answers = answers(&ran);
    assert_eq!(answers[0]["result"], json!({"id": 1, "count": 1}));
    assert_eq!(
        (&answers[0]["action"], &answers[0]["server"], &answers[0]["success"]),
        (&json!("add"), &json!("notes"), &json!(true))
    );
    assert_eq!(answers[1]["action"], "log");
    // The number became the text that the server's schema asks for.
    assert_eq!(answers[2]["result"], json!({"notes": ["5"]}));
    let failing = "<notes><remove>{\"id\": 7}</remove><read_all></read_all></notes>";
    let ran = with_servers(&["call", failing]).code(3).says("the call after it was not made");
    assert_eq!(ran.printed()["message"], "there is no note 7");
}

#[test]
fn a_servers_own_schema_says_what_is_wrong() {
    let text = "<notes><add>{\"txet\": \"a\"}</add><remove>{\"id\": \"first\"}</remove><ad>{}</ad><read_all>{\"x\": 1}</read_all></notes>";
    let ran = with_servers(&["call", text]).code(2).says("4 of 4 calls cannot be made; none was");
    let messages: Vec<Value> = answers(&ran).into_iter().map(|answer| answer["message"].clone()).collect();
    assert_eq!(
        messages,
        [
            "add: missing: text; unknown: txet (did you mean text?); valid: text",
            "remove: `id` must be a whole number, not the string \"first\"; valid: id",
            "ad: unknown tool `ad` of `notes`, did you mean `add`?; valid: add, remove, read_all",
            "read_all: unknown: x; it takes no arguments",
        ]
    );
}

#[test]
fn what_cannot_be_called_is_said_with_what_can() {
    let ran = with_servers(&["call", "<Notes><add>{}</add></Notes>"]).code(2);
    ran.prints("did you mean `notes`?");
    let ran = with_servers(&["call", "<other><add>{}</add></other>"]).code(2);
    assert!(!ran.stdout.contains("microsandbox"), "{}", ran.stdout);
    Test::new(&["call", "mcp", r#"{"server": "a", "tool": "b"}"#]).run().code(2).prints("uixt mcp call SERVER TOOL");
    let large = r#"{"number": 12345678901234567890123}"#;
    with_servers(&["mcp", "call", "notes", "add", large]).code(2).says("12345678901234567890123 does not fit");
}

#[test]
fn calls_of_known_servers_are_checked_on_every_way() {
    let wrong = "missing: task; unknown: query; valid: task, max_steps, use_vision";
    let tool = ["mcp", "call", "browser_use", "browser_use_execute_task", r#"{"query": "x"}"#];
    with_servers(&tool).code(2).says(wrong);
    let case = "config: {name: a, mcp_config_path: mcp.json}\nteststeps:\n\
                - mcp: {server: browser_use, tool: browser_use_execute_task, arguments: {query: x}}\n";
    let ran = Test::new(&["run", "a.yaml", "--device", "phone"]).file("a.yaml", case).file("mcp.json", servers()).run();
    ran.code(2).says(wrong).says("nothing was run");
    // What no definition is about is the server's own matter.
    with_servers(&["mcp", "call", "browser_use", "read_all"]).code(0).prints("notes");
    Test::new(&["call", "home", "--mcp-config", "mcp.json"]).run().code(2).says("are for texts with calls in them");
}
