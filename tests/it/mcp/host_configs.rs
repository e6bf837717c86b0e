//! `uixt mcp-server --print-config`: what is printed is what each host's file takes, and its command starts a server.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Ran, Test, items, text};

const JSON_HOSTS: [(&str, &str, &str); 10] = [
    ("claude", "mcpServers", "claude_desktop_config.json"),
    ("claude-code", "mcpServers", ".mcp.json"),
    ("cursor", "mcpServers", ".cursor/mcp.json"),
    ("vscode", "servers", ".vscode/mcp.json"),
    ("windsurf", "mcpServers", ".codeium/windsurf/mcp_config.json"),
    ("gemini", "mcpServers", ".gemini/settings.json"),
    ("zed", "context_servers", "settings.json"),
    ("opencode", "mcp", "opencode.json"),
    ("cline", "mcpServers", "cline_mcp_settings.json"),
    ("kiro", "mcpServers", ".kiro/settings/mcp.json"),
];

fn printed(options: &[&str]) -> Ran {
    Test::new(&[&["mcp-server"], options].concat()).run()
}

/// Reads TOML by Python's own reader; none where there is none.
fn read_toml(snippet: &str) -> Option<Value> {
    use std::io::Write as _;
    let script = "import json, sys, tomllib; print(json.dumps(tomllib.loads(sys.stdin.read())))";
    let mut python = Command::new("python3");
    let mut python =
        python.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    python.stdin.take()?.write_all(snippet.as_bytes()).ok()?;
    serde_json::from_slice(&python.wait_with_output().ok()?.stdout).ok()
}

/// Returns the program and the arguments that a snippet starts.
fn command(entry: &Value) -> Vec<String> {
    let words = match &entry["command"] {
        Value::Array(words) => words.clone(),
        program => std::iter::once(program).chain(items(&entry["args"])).cloned().collect(),
    };
    words.iter().map(|word| text(word).to_owned()).collect()
}

/// Starts a server as a host does, in another folder, and returns the names of its tools.
fn tools(words: &[String]) -> Vec<String> {
    use std::io::Write as _;
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Command::new(&words[0]);
    server
        .args(&words[1..])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut server = server.spawn().expect("the server starts");
    let client =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "host", "version": "0"}});
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}),
    ];
    let mut input = server.stdin.take().expect("a pipe");
    lines.iter().for_each(|line| writeln!(input, "{line}").expect("it reads"));
    drop(input);
    let output = server.wait_with_output().expect("it ends");
    let answers = String::from_utf8(output.stdout).expect("text");
    let listed =
        answers.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).find(|line| line["id"] == 2);
    let listed = listed.unwrap_or_else(|| panic!("no list: {answers}"));
    items(&listed["result"]["tools"]).iter().map(|tool| text(&tool["name"]).to_owned()).collect()
}

#[test]
fn each_snippet_starts_a_server_with_the_options_given() {
    for (host, key, file) in JSON_HOSTS {
        let ran = printed(&["--device", "phone", "--toolsets", "core,flow", "--print-config", host]).code(0).says(file);
        let entry = &ran.printed()[key]["uixt"];
        let words = command(entry);
        assert_eq!(words[0], env!("CARGO_BIN_EXE_uixt"), "{host}");
        assert_eq!(words[1..6], ["mcp-server", "--device", "phone", "--toolsets", "core,flow"], "{host}");
        let names = tools(&words);
        assert_eq!(names.len(), 20, "{host}");
        let names_servers = ["claude-code", "vscode", "gemini", "opencode"].contains(&host);
        assert_eq!(names[0].starts_with("uixt__"), !names_servers, "{host}");
    }
}

#[test]
fn the_snippet_for_codex_is_toml() {
    let ran = printed(&["--device", "phone", "--print-config", "codex"]).code(0).says("~/.codex/config.toml");
    if let Some(read) = read_toml(&ran.stdout) {
        assert_eq!(tools(&command(&read["mcp_servers"]["uixt"])).len(), 17);
    }
    let odd = "android:a\"b\\c";
    let ran = printed(&["--device", odd, "--print-config=codex"]).code(0);
    assert!(ran.stdout.contains(r#""android:a\"b\\c""#), "{}", ran.stdout);
    if let Some(read) = read_toml(&ran.stdout) {
        assert_eq!(read["mcp_servers"]["uixt"]["args"][2], odd);
    }
}

#[test]
fn options_are_written_for_another_folder_and_another_environment() {
    let test =
        Test::new(&["mcp-server", "--uia2", "--uia2-apks", "apks", "--no-prefix", "--print-config", "claude-code"]);
    let mut command_line = test.command();
    let output = command_line.env("UIXT_DEVICE", "phone").output().expect("the program starts");
    let ran = test.ran(&output).code(0).says("UIXT_DEVICE");
    let words = command(&ran.printed()["mcpServers"]["uixt"]);
    let apks = ran.path("apks").canonicalize().unwrap_or_else(|_| ran.path("apks"));
    assert_eq!(words[1..4], ["mcp-server", "--uia2=true", "--uia2-apks"]);
    assert!(words[4].starts_with('/') && words[4].ends_with(apks.file_name().unwrap().to_str().unwrap()), "{words:?}");
    assert_eq!(words.iter().filter(|word| *word == "--no-prefix").count(), 1);
}

#[test]
fn a_server_over_http_is_named_by_its_url() {
    let at = |host: &str, http: &str| printed(&["--http", http, "--device", "phone", "--print-config", host]).code(0);
    let ran = at("cursor", "127.0.0.1:8123");
    assert_eq!(ran.printed(), json!({"mcpServers": {"uixt": {"url": "http://127.0.0.1:8123/mcp"}}}));
    let ran = ran.says("mcp-server --http 127.0.0.1:8123 --device phone");
    assert_eq!(ran.stderr.lines().count(), 2);
    assert_eq!(
        at("vscode", "8123").printed()["servers"]["uixt"],
        json!({"type": "http", "url": "http://127.0.0.1:8123/mcp"})
    );
    let wide = at("windsurf", "0.0.0.0:8123").says("UIXT_MCP_TOKEN").printed();
    assert_eq!(wide["mcpServers"]["uixt"]["serverUrl"], "http://127.0.0.1:8123/mcp");
    assert_eq!(wide["mcpServers"]["uixt"]["headers"]["Authorization"], "Bearer ${env:UIXT_MCP_TOKEN}");
    let far = at("gemini", "https://phones.example/mcp");
    assert_eq!(far.printed()["mcpServers"]["uixt"]["httpUrl"], "https://phones.example/mcp");
    assert!(!far.stderr.contains("start the server"), "{}", far.stderr);
    printed(&["--http", "127.0.0.1:0", "--print-config", "cursor"]).code(2).says("name the port");
    printed(&["--http", "8123", "--print-config", "claude"]).code(2).says("Claude Desktop takes no URL in its file");
    printed(&["--http", "here", "--print-config", "cursor"]).code(2).says("an address is a port");
}

#[test]
fn an_unknown_host_is_told_which_there_are() {
    let ran = printed(&["--print-config", "cursr"]).code(2).says("a similar value exists: 'cursor'");
    ran.says("claude, claude-code, cursor, vscode, windsurf, codex, gemini, zed, opencode, cline, kiro");
}
