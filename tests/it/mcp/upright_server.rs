//! A server that others wrote and that does right, as steps, the shell and hosts meet it: what is kept secret, what is
//! refused beforehand, and what a file of servers may say.

use serde_json::{Value, json};

use crate::support::mcp_stdio::Server;
use crate::support::raw_server::{reply, serve};
use crate::support::{Ran, Test, nobody};

/// Tells what it is told, what its environment holds, and how far it is.
const SERVER: &str = r#"
import json, os, sys, time
def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()
ECHO = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}, "count": {"type": "integer", "default": 5}}}
TOOLS = [{"name": "echo", "inputSchema": ECHO}, {"name": "tell", "inputSchema": {"type": "object"}},
         {"name": "fail", "inputSchema": ECHO}, {"name": "advance", "inputSchema": {"type": "object"}}]
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method, params, result = message["method"], message.get("params") or {}, {}
    if method == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "plain", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": TOOLS}
    elif method == "tools/call":
        with open("calls.jsonl", "a") as calls:
            calls.write(json.dumps(params) + "\n")
        arguments = params.get("arguments") or {}
        told = json.dumps(arguments)
        if params["name"] == "tell":
            told = "\n".join(os.environ.get(name, "") for name in arguments["names"])
        if params["name"] == "advance":
            token = params["_meta"]["progressToken"]
            time.sleep(0.2)
            send(method="notifications/progress", params={"progressToken": token, "progress": 3})
            time.sleep(0.4)
        result = {"content": [{"type": "text", "text": told}], "isError": params["name"] == "fail"}
    send(id=message["id"], result=result)
"#;

/// The settings of the server, with others beside or in their place.
fn plain(more: &Value) -> Value {
    let mut settings = json!({"command": "python3", "args": ["plain.py"]});
    let map = settings.as_object_mut().expect("a map");
    map.extend(more.as_object().expect("a map").clone());
    settings
}

fn test(words: &[&str], servers: &Value) -> Test {
    let file = json!({ "mcpServers": servers }).to_string();
    Test::new(words).file("plain.py", SERVER).file("mcp.json", file)
}

/// Calls a tool from the shell.
fn call(servers: &Value, tool: &str, arguments: &Value) -> Ran {
    test(&["mcp", "call", "plain", tool, &arguments.to_string(), "--mcp-config", "mcp.json"], servers).run()
}

fn steps(servers: &Value, steps: &str) -> Ran {
    let case = format!("config: {{mcp_config_path: mcp.json}}\nteststeps:\n{steps}");
    test(&["run", "case.yaml", "--report-dir", "out"], servers).file("case.yaml", case).run()
}

#[test]
fn values_are_used_as_they_are_and_secrets_shown_nowhere() {
    let env = json!({"API_KEY": "hush-\"4711\"\nsecond-line", "MODE": "production", "PLACE": "/tmp/some/place"});
    let servers = json!({"plain": plain(&json!({ "env": env }))});
    let ran = steps(
        &servers,
        r#"- mcp: {server: plain, tool: tell, arguments: {names: [API_KEY, MODE, PLACE]}}
  save: {told: text}
- mcp: {server: plain, tool: echo, arguments: {text: $told}}
- assert_value: {value: $told, equals: "hush-\"4711\"\nsecond-line\nproduction\n/tmp/some/place"}
"#,
    );
    let ran = ran.code(0);
    let sent = ran.read("calls.jsonl");
    let sent: Value = serde_json::from_str(sent.lines().nth(1).expect("a second call")).expect("JSON");
    assert_eq!(sent["arguments"]["text"], "hush-\"4711\"\nsecond-line\nproduction\n/tmp/some/place");
    for part in ["hush-", "second-line"] {
        assert!(!ran.stdout.contains(part) && !ran.stderr.contains(part), "{part}\n{}", ran.stdout);
        for file in ["out/summary.json", "out/events.jsonl", "out/report.html", "out/junit.xml"] {
            if ran.path(file).is_file() {
                assert!(!ran.read(file).contains(part), "{part} is in {file}");
            }
        }
    }
    let printed = call(&servers, "tell", &json!({"names": ["API_KEY", "MODE", "PLACE"]})).code(0);
    assert_eq!(printed.stdout.trim(), "••••••\nproduction\n/tmp/some/place");
}

#[test]
fn what_is_relayed_to_a_host_is_as_it_was() {
    let servers = json!({"plain": plain(&json!({"env": {"API_KEY": "hush-hush-4711"}}))});
    let test = test(&[], &servers);
    let script = test.path("plain.py");
    let file = json!({"mcpServers": {"plain": {"command": "python3", "args": [script], "env": {"API_KEY": "hush-hush-4711"}}}});
    let test = test.file("mcp.json", file.to_string());
    let mut server = Server::start_with(&["--with", test.path("mcp.json").to_str().expect("a path")]);
    server.initialize();
    let told = server.call(1, "plain__tell", &json!({"names": ["API_KEY"]}));
    assert_eq!(told["result"]["content"][0]["text"], "hush-hush-4711", "{told}");
    let params = json!({"name": "plain__advance", "arguments": {}, "_meta": {"progressToken": "t1"}});
    server.send(2, "tools/call", &params);
    let (_, notified) = server.hear_answer(2);
    let progress = notified.iter().find(|it| it["method"] == "notifications/progress").expect("progress");
    assert_eq!(progress["params"], json!({"progressToken": "t1", "progress": 3.0}), "no total, no message");
}

#[test]
fn arguments_are_held_to_the_servers_own_schema() {
    let servers = json!({"plain": plain(&json!({}))});
    for (tool, arguments, told) in [
        ("echo", json!({"text": "a", "cuont": 1}), "did you mean count?"),
        ("echo", json!({}), "missing: text"),
        ("echo", json!({"text": "a", "count": "many"}), "`count` must be a whole number"),
        ("ehco", json!({}), "it has no tool `ehco` (did you mean `echo`?)"),
    ] {
        let ran = call(&servers, tool, &arguments).code(2).says(told);
        assert!(!ran.path("calls.jsonl").exists(), "{told}: nothing is sent");
        let step = format!("- mcp: {{server: plain, tool: {tool}, arguments: {arguments}, expect_error: true}}\n");
        let ran = steps(&servers, &step).code(3);
        assert!(ran.read("out/summary.json").contains("BadArgument") && !ran.path("calls.jsonl").exists(), "{told}");
    }
    call(&servers, "tell", &json!({"names": []})).code(0);
    // Defaults are the server's own matter.
    call(&servers, "echo", &json!({"text": "a"})).code(0).prints("{\"text\": \"a\"}");
    steps(&servers, "- mcp: {server: plain, tool: fail, arguments: {text: a}, expect_error: true}\n").code(0);
}

#[test]
fn servers_are_switched_off_and_keys_of_other_hosts_passed_over() {
    let servers = json!({
        "plain": plain(&json!({"oauthScopes": ["a"]})),
        "off": plain(&json!({"enabled": false})), "inactive": plain(&json!({"isActive": false})),
        "asks": plain(&json!({"env": {"KEY": "${input:key}"}})), "file": plain(&json!({"envFile": "bad.env"})),
    });
    let tell = json!({"names": ["A"]});
    let ran = call(&servers, "tell", &tell).code(0).says("warning: mcp.json:1:");
    assert!(ran.stderr.contains("server `plain`: unknown key `oauthScopes`; it is passed over"), "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("oauthScopes").count(), 1, "{}", ran.stderr);
    for (name, told) in [
        ("off", "the server `off` is disabled"),
        ("inactive", "the server `inactive` is disabled"),
        ("asks", "`${input:key}` is asked for in an editor"),
        ("file", "bad.env: line 1: variables within values are not replaced"),
    ] {
        let words = ["mcp", "call", name, "tell", "--mcp-config", "mcp.json"];
        test(&words, &servers).file("bad.env", "A=${B}\n").run().code(2).says(told);
    }
    let servers = json!({"plain": plain(&json!({"envFile": "good.env", "env": {"B": "own"}}))});
    let arguments = json!({"names": ["A", "B", "MY_TOKEN"]}).to_string();
    let words = ["mcp", "call", "plain", "tell", &arguments, "--mcp-config", "mcp.json"];
    let ran = test(&words, &servers).file("good.env", "A='x y'\nB=file\nMY_TOKEN=abcdef\n").run().code(0);
    assert_eq!(ran.stdout.trim(), "x y\nown\n••••••");
    let typo = json!({"plain": plain(&json!({"evn": {}}))});
    call(&typo, "tell", &json!({})).code(2).says("unknown key `evn` (did you mean `env`?)");
}

/// Answers every request with a status; returns where.
fn refusing(status: &'static str) -> String {
    serve(move |_, stream| reply(stream, status, &[], b""))
}

#[test]
fn what_cannot_be_reached_says_what_to_do() {
    let list = |servers: &Value| test(&["mcp", "list", "--mcp-config", "mcp.json"], servers).run();
    list(&json!({})).prints("no servers in mcp.json: its `mcpServers` is empty");
    let spaced = list(&json!({"a": {"command": "python3 plain.py -v"}})).code(3);
    let spaced = spaced.prints("the rest goes into `args`: \"command\": \"python3\", \"args\": [\"plain.py\",\"-v\"]");
    assert!(spaced.stdout.contains("failed"));
    let closed = format!("http://{}/mcp?key=hush-hush-4711", nobody());
    for kind in ["http", "sse"] {
        let ran = list(&json!({"a": {"url": closed, "type": kind}})).code(3);
        let ran = ran.prints(&format!("connection refused: nobody listens at http://{}/mcp", nobody_of(&closed)));
        assert!(!ran.stdout.contains("hush") && !ran.stderr.contains("hush"), "{}", ran.stdout);
    }
    let url = format!("http://{}/mcp", refusing("401 Unauthorized"));
    list(&json!({"a": {"url": url}})).code(3).prints("it wants a credential: set `headers`");
    list(&json!({"a": {"url": url, "type": "sse"}})).code(3).prints("it wants a credential: set `headers`");
    let headers = json!({"a": {"url": url, "headers": {"Authorization": "Bearer x"}}});
    list(&headers).code(3).prints("it does not take the credential in `headers`");
}

/// Returns host and port of a URL.
fn nobody_of(url: &str) -> &str {
    url.split('/').nth(2).expect("a host")
}

#[test]
fn servers_that_are_not_there_are_told_with_what_else_is_wrong() {
    let case = "config: {mcp_config_path: mcp.json}\nteststeps:\n- tap_elment: {text: x}\n- mcp: {server: nope, tool: echo}\n\
                - mcp: {server: uixt, tool: home}\n";
    let test = test(&["check", "a.yaml"], &json!({"plain": plain(&json!({}))})).file("a.yaml", case);
    let ran = test.run().code(2).says("tap_elment").says("there is no server `nope`");
    ran.says("`uixt` is this program itself").says("3 errors");
}

#[test]
fn a_server_that_lies_of_itself_is_found_out() {
    let old = SERVER.replace("2025-06-18", "1999-01-01");
    let twice = SERVER.replace(
        "\"name\": \"tell\", \"inputSchema\": {\"type\": \"object\"}",
        "\"name\": \"echo\", \"inputSchema\": {\"type\": \"objekt\"}",
    );
    let odd = SERVER.replace(
        "TOOLS = [",
        "TOOLS = [{\"name\": \"odd\", \"inputSchema\": {\"type\": \"objekt\", \"properties\": 5}}, ",
    );
    let servers = json!({"mcpServers": {
        "old": {"command": "python3", "args": ["old.py"]}, "twice": {"command": "python3", "args": ["twice.py"]},
        "odd": {"command": "python3", "args": ["odd.py"]},
    }});
    let test =
        Test::new(&["mcp", "call", "old", "tell", "--mcp-config", "mcp.json"]).file("mcp.json", servers.to_string());
    let test = test.file("old.py", old).file("twice.py", twice).file("odd.py", odd);
    let ran = test.run().code(3).says("an unknown protocol version, `1999-01-01`");
    let ran = ran.then(&["mcp", "tools", "twice", "--mcp-config", "mcp.json"]).code(0);
    let ran = ran.prints("echo(text: string, count?: integer)");
    ran.then(&["mcp", "call", "odd", "odd", "--mcp-config", "mcp.json"]).code(3).says("its `type` must be \"object\"");
}
