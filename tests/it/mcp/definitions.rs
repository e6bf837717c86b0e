//! Calls of other MCP servers, held to what is known of their tools: at load, at the call, and at the answer.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Ran, Test};

/// A server whose tools say what they answer with, and whose arguments are what it answers.
const MIRROR: &str = r#"
import json, os, sys
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result, params = {}, message.get("params", {})
    if message["method"] == "initialize":
        info = {"name": "mirror", "version": "1"}
        result = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    elif message["method"] == "tools/list":
        result = {"tools": [
            {"name": "show", "inputSchema": {"type": "object"}, "outputSchema": SCHEMA},
            {"name": "browser_click_element", "inputSchema": {"type": "object"}, "outputSchema": SCHEMA},
            {"name": "key", "inputSchema": {"type": "object"}},
        ]}
    elif message["method"] == "tools/call":
        given = params.get("arguments") or {}
        result = {"content": [{"type": "text", "text": json.dumps(given)}]}
        if params["name"] == "key":
            result["content"][0]["text"] = "the key is " + os.environ["KEY"]
        elif given.get("error"):
            result["isError"] = True
        elif not given.get("bare"):
            result["structuredContent"] = given
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"#;

fn config() -> String {
    let server = json!({"command": "python3", "args": ["mirror.py"], "env": {"KEY": "${KEY:-none}"}});
    json!({"mcpServers": {"mirror": server, "browser_use": server}}).to_string()
}

fn test(words: &[&str]) -> Test {
    Test::new(words).file("mirror.py", MIRROR).file("mcp.json", config())
}

/// Runs a testcase of one step.
fn step(command: &str, step: &str, more: &[&str]) -> Test {
    let case = format!("config: {{name: a, mcp_config_path: mcp.json}}\nteststeps:\n- {step}\n");
    test(&[&[command, "a.yaml"], more].concat()).file("a.yaml", case)
}

fn run(text: &str) -> Ran {
    step("run", text, &["--device", "phone", "--report-dir", "out"]).run()
}

#[test]
fn an_answer_that_breaks_the_tools_own_schema_is_no_pass() {
    for (arguments, told) in [
        ("{n: x}", "the answer of its tool `show` breaks the tool's own `outputSchema`: `n` must be a whole number"),
        ("{}", "breaks the tool's own `outputSchema`: it needs \"n\""),
        ("{n: 1, bare: true}", "the answer of its tool `show` has no `structuredContent`"),
    ] {
        let ran = run(&format!("mcp: {{server: mirror, tool: show, arguments: {arguments}}}")).code(3);
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains(told), "{}{}", ran.stdout, ran.stderr);
        // It is no error of the tool's that may be expected either.
        run(&format!("mcp: {{server: mirror, tool: show, arguments: {arguments}, expect_error: true}}")).code(3);
    }
    run("mcp: {server: mirror, tool: show, arguments: {n: 1}}").code(0);
    run("mcp: {server: mirror, tool: show, arguments: {error: true}, expect_error: true}").code(0);
    let call = ["mcp", "call", "mirror", "show", r#"{"n": "x"}"#, "--mcp-config", "mcp.json"];
    test(&call).run().code(3).says("`n` must be a whole number");
    // The arguments of a tool that is defined here are checked without its list, and its answers are held to that all the same.
    let defined = r#"<browser_use><browser_click_element>{"index": 1}</browser_click_element></browser_use>"#;
    test(&["call", defined, "--mcp-config", "mcp.json"]).run().code(3).prints("it needs \\\"n\\\"");
}

#[test]
fn steps_are_held_to_definitions_at_load() {
    let wrong = "browser_click_element: missing: index; unknown: idx (did you mean index?); valid: index";
    let written = "mcp: {server: browser_use, tool: browser_click_element, arguments: {idx: 1}}";
    let ran = step("check", written, &[]).run().code(2).says(wrong).says("--> a.yaml:3:71");
    ran.then(&["run", "a.yaml", "--device", "phone"]).code(2).says("nothing was run");
    for (arguments, place) in [("{index: first}", "3:78"), ("{idx: $n}", "3:71"), ("'{\"idx\": 1}'", "3:70")] {
        let text = format!(
            "mcp: {{server: browser_use, tool: browser_click_element, arguments: {arguments}}}\n  variables: {{n: 1}}"
        );
        step("check", &text, &[]).run().code(2).says(&format!("a.yaml:{place}"));
    }
    let long = "{method: mcp, params: [browser_use, browser_click_element], options: {arguments: {idx: 1}}}";
    let case =
        format!("config: {{name: a, mcp_config_path: mcp.json}}\nteststeps:\n- android: {{actions: [{long}]}}\n");
    test(&["check", "a.yaml"]).file("a.yaml", case).run().code(2).says(wrong);
    let good = "mcp: {server: browser_use, tool: browser_click_element, arguments: {index: $n}}\n  variables: {n: x}";
    step("check", good, &[]).run().code(0);
    // What the variable holds is checked at the call.
    let ran = step("run", good, &["--device", "phone", "--report-dir", "out"]).run();
    assert_ne!(ran.code, Some(0));
    assert!(format!("{}{}", ran.stdout, ran.stderr).contains("`index` must be a whole number"), "{}", ran.stdout);
}

const DEFINITIONS: &str = "show:\n  description: Shows.\n  parameters:\n    n: {type: integer, required: true, aliases: [number]}\n    m: {type: integer, default: 7}\n";

#[test]
fn a_users_own_definitions_count_on_every_way() {
    let wrong = "mcp: {server: mirror, tool: show, arguments: {nn: 1}}";
    let told = "show: missing: n; unknown: nn (did you mean n?); valid: n, m";
    let with = ["--definitions", "defs"];
    let file = |test: Test| test.file("defs/mirror.yaml", DEFINITIONS);
    file(step("check", wrong, &with)).run().code(2).says(told).says("a.yaml:3:49");
    file(step("check", wrong, &["--definitions", "defs/mirror.yaml"])).run().code(2).says(told);
    step("check", wrong, &[]).run().code(0);
    let project = "definitions: [defs]\n";
    file(step("check", wrong, &[])).file("uixt.yaml", project).run().code(2).says(told);
    let good = "mcp: {server: mirror, tool: show, arguments: {number: '1'}}\n  validate:\n  - {check: structured.m, assert: equal, expect: 7}";
    file(step("run", good, &["--definitions", "defs", "--device", "phone", "--report-dir", "out"])).run().code(0);
    file(step("run", good, &["--device", "phone", "--report-dir", "out"])).file("uixt.yaml", project).run().code(0);
    let called = ["mcp", "call", "mirror", "show", r#"{"number": 1}"#, "--mcp-config", "mcp.json"];
    let ran = file(test(&[&called[..], &with].concat())).run().code(0);
    assert_eq!(ran.printed(), json!({"n": 1, "m": 7}));
    let text = r#"<mirror><show>{"number": 1}</show></mirror>"#;
    let ran = file(test(&["call", text, "--mcp-config", "mcp.json", "--definitions", "defs"])).run().code(0);
    assert_eq!(ran.printed()["result"], json!({"n": 1, "m": 7}));
}

#[test]
fn broken_definitions_are_told_with_their_place() {
    let good = "mcp: {server: mirror, tool: show, arguments: {n: 1}}";
    let broken = "show:\n  parameters:\n    n: {type: int}\n";
    let told = "show: n: unknown type `int`; valid: any, string";
    let ran = step("check", good, &["--definitions", "defs"]).file("defs/mirror.yaml", broken).run().code(2);
    ran.says(told).says("defs/mirror.yaml:3:15");
    let call = ["mcp", "call", "mirror", "show", "--mcp-config", "mcp.json", "--definitions", "mirror.yaml"];
    test(&call).file("mirror.yaml", broken).run().code(2).says(&format!("mirror.yaml:3:15: {told}"));
    let project = "definitions: [defs, ../other]\n";
    let ran = step("check", good, &[]).file("uixt.yaml", project).file("defs/a.yaml", "{}").run().code(2);
    ran.says("../other").says("uixt.yaml:1:21");
    step("check", good, &["--definitions", "none"]).run().code(2).says("none: cannot be read");
    step("check", good, &["--definitions", "uixt.yaml"]).file("uixt.yaml", "{}").run().code(0);
    let own = step("check", good, &["--definitions", "defs"]).file("defs/uixt.yaml", "home: {}").run().code(2);
    own.says("`uixt` is this program itself");
    Test::new(&["call", "home", "--definitions", "defs"]).run().code(2).says("--definitions");
}

#[test]
fn variables_of_files_reach_the_servers_and_are_masked() {
    let told = "mcp: {server: mirror, tool: key}\n  save: said\n- log: $said";
    let run = |more: &[&str]| step("run", told, &[&["--device", "phone", "--report-dir", "out"], more].concat());
    let said = |ran: &Ran| ran.read("out/journal.jsonl").contains("the key is none");
    assert!(said(&run(&[]).run().code(0)));
    for test in [
        run(&[]).file("uixt.yaml", "{}").file(".env", "KEY=apple-pie-17"),
        run(&["--env-file", "vars"]).file("vars", "KEY=apple-pie-17"),
        run(&["--env-file", "vars"]).file("vars", "KEY=apple-pie-17").file("uixt.yaml", "{}").file(".env", "KEY=none"),
    ] {
        let ran = test.run().code(0);
        assert!(!said(&ran));
        let all = format!("{}{}{}", ran.stdout, ran.stderr, ran.read("out/journal.jsonl"));
        assert!(!all.contains("apple-pie-17") && all.contains("the key is ••••••"), "{all}");
    }
    let words = ["mcp", "call", "mirror", "key", "--mcp-config", "mcp.json", "--env-file", "vars"];
    let ran = test(&words).file("vars", "KEY=apple-pie-17").run().code(0);
    assert!(ran.stdout.contains("the key is ••••••"), "{}", ran.stdout);
    let words = ["call", "<mirror><key/></mirror>", "--mcp-config", "mcp.json"];
    let ran = test(&words).file("uixt.yaml", "{}").file(".env", "KEY=apple-pie-17").run().code(0);
    assert!(ran.stdout.contains("the key is ••••••"), "{}", ran.stdout);
}

#[test]
fn arguments_of_a_step_come_in_every_form() {
    let text = "So:\n      ```xml\n      <mirror><show>{\"n\": 1}</show></mirror>\n      ```\n";
    for arguments in [
        "arguments: {n: 1}".to_owned(),
        "arguments: '{\"n\": 1}'".to_owned(),
        "arguments: '<mirror><show>{\"n\": 1}</show></mirror>'".to_owned(),
        "arguments: '<mirror><show>{\"n\": $n}</show></mirror>'".to_owned(),
        format!("arguments: |-\n      {text}"),
    ] {
        let check = "{check: structured.n, assert: equal, expect: 1}";
        run(&format!(
            "mcp:\n    server: mirror\n    tool: show\n    {arguments}\n  variables: {{n: 1}}\n  validate:\n  - {check}"
        ))
        .code(0);
    }
    let ran = run("mcp: {server: mirror, tool: show, arguments: '<mirror><key/></mirror>'}");
    assert_ne!(ran.code, Some(0));
    assert!(format!("{}{}", ran.stdout, ran.stderr).contains("the text calls `key` of `mirror`"), "{}", ran.stdout);
}

#[test]
fn the_shell_calls_servers_in_every_form_and_language() {
    let call = |words: &[&str]| test(&[&["mcp", "call"], words, &["--mcp-config", "mcp.json"]].concat()).run();
    let text = r#"I do: <mirror><show>{"n": 1}</show><show>{"n": 2}</show></mirror>"#;
    let ran = call(&[text]).code(0);
    assert_eq!(ran.stdout, "{\n  \"n\": 1\n}\n{\n  \"n\": 2\n}\n");
    let one = r#"<mirror><show>{"n": 1}</show></mirror>"#;
    assert_eq!(call(&["mirror", "show", one]).code(0).printed(), json!({"n": 1}));
    assert_eq!(call(&["mirror", "show", &json!("{\"n\": 1}").to_string()]).code(0).printed(), json!({"n": 1}));
    let whole = call(&[one, "--format", "json"]).code(0).printed();
    assert_eq!(whole["structuredContent"], json!({"n": 1}));
    let wrong = r#"{"idx": 1}"#;
    let zh = "工具调用验证失败: 缺少必需参数: ['index']; 无效参数: ['idx']，有效参数: ['index']";
    call(&["browser_use", "browser_click_element", wrong, "--lang", "zh"]).code(2).says(zh);
    let text = format!("<browser_use><browser_click_element>{wrong}</browser_click_element></browser_use>");
    let ran = call(&[&format!("{one}{text}"), "--lang", "zh"]).code(2).says(zh).says("1 of 2 calls cannot be made");
    assert_eq!(ran.stdout, "");
    call(&["<uixt><home/></uixt>"]).code(2).says("`uixt call` calls its tools");
    call(&["mirror"]).code(2).says("name a tool");
    call(&[one, "show"]).code(2).says("write nothing behind it");
    let failing = r#"<mirror><show>{"error": true}</show><show>{"n": 2}</show></mirror>"#;
    call(&[failing]).code(3).says("the call after it was not made");
}

#[test]
fn calls_that_are_relayed_are_held_to_definitions_too() {
    let test = test(&["mcp-server", "--device", "phone", "--with", "mcp.json"]);
    let mut server = test.command().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
    let mut input = server.stdin.take().expect("a pipe");
    let client = json!({"name": "test", "version": "1"});
    let start = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let wrong = json!({"name": "browser_use__browser_click_element", "arguments": {"idx": 1}});
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": start}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": wrong}),
    ] {
        writeln!(input, "{message}").expect("it reads");
    }
    let lines = BufReader::new(server.stdout.take().expect("a pipe")).lines();
    let mut answers = lines.map(|line| serde_json::from_str::<Value>(&line.expect("a line")).expect("JSON"));
    let answer = answers.find(|answer| answer["id"] == 2).expect("an answer");
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(answer.to_string().contains("missing: index; unknown: idx"), "{answer}");
    drop(input);
    server.wait().expect("it ends");
}
