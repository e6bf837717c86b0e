//! Files and code that agents, texts and testcases search, which tools a task needs, and what is proposed where none will do.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::mcp_stdio::Server;
use crate::support::{Test, items, text};

/// A project with source code, a log, and what lies beside it.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [
        ("app/src/main.py", "import os\n\n\ndef main():\n    return label('Pay now')\n"),
        ("app/src/Shop.kt", "class Shop {\n    fun pay() = 1\n}\n"),
        ("app/logs/app.log", "start\nERROR Payment failed\n"),
        ("app/.gitignore", "*.log\n"),
        ("secret.txt", "def secret"),
    ] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    folder
}

fn server(folder: &Path, home: &Path, options: &[&str]) -> Server {
    let mut command = Command::new(env!("CARGO_BIN_EXE_uixt"));
    command.args(["mcp-server", "--device", "phone"]).args(options).current_dir(folder);
    command.env("HOME", home).env_remove("XDG_CONFIG_HOME").env_remove("UIXT_DEVICE");
    let mut server = Server::of(command);
    server.initialize();
    server
}

#[track_caller]
fn ask(server: &mut Server, id: u64, tool: &str, arguments: &Value) -> Value {
    server.call(id, tool, arguments)["result"]["structuredContent"].take()
}

#[test]
fn an_agent_searches_the_folder_that_it_is_offered() {
    let folder = project();
    let app = folder.path().join("app");
    symlink(folder.path().join("secret.txt"), app.join("link.txt")).expect("a link");
    let mut server = server(&app, folder.path(), &["--toolsets", "mcp-search-tool", "--allow-dir", "."]);
    let found =
        ask(&mut server, 1, "search_file_content", &json!({"file_path": "src/main.py", "regex_pattern": "def.*"}));
    assert_eq!((&found["matches"], &found["count"]), (&json!(["Line 4: def main():"]), &json!(1)), "{found}");
    let found = ask(&mut server, 2, "list_code_definitions", &json!({"directory_path": "src/"}));
    assert_eq!(found["count"], 3);
    assert_eq!(
        found["definitions"][1],
        json!({"type": "method", "name": "pay", "file": "src/Shop.kt", "line": 2, "signature": "fun pay()", "parent": "Shop"})
    );
    let found = ask(
        &mut server,
        3,
        "search_file_content",
        &json!({"file_path": "src/*.py", "regex_pattern": "Pay", "context": 1}),
    );
    assert_eq!(found["matches"][0], "src/main.py: Line 4- def main():\nLine 5:     return label('Pay now')");
    let whole = app.join("src").canonicalize().expect("a folder");
    let found = ask(&mut server, 4, "search_file_content", &json!({"file_path": whole, "regex_pattern": "class"}));
    assert_eq!((&found["files"], &found["searched"]), (&json!(["src/Shop.kt"]), &json!(2)));
    // What git leaves out is searched where it is named.
    let all = ask(&mut server, 5, "search_file_content", &json!({"file_path": ".", "regex_pattern": "ERROR|secret"}));
    assert_eq!((&all["count"], &all["searched"]), (&json!(0), &json!(2)), "{all}");
    let log =
        ask(&mut server, 6, "search_file_content", &json!({"file_path": "logs/app.log", "regex_pattern": "ERROR"}));
    assert_eq!(log["matches"], json!(["Line 2: ERROR Payment failed"]));
    for (id, path) in (10..).zip(["../secret.txt", "link.txt", "/etc/passwd", "src/../../secret.txt", "none", ""]) {
        let refused = ask(&mut server, id, "search_file_content", &json!({"file_path": path, "regex_pattern": "def"}));
        assert_eq!(refused["kind"], "BadArgument", "{path}: {refused}");
    }
    for (id, (arguments, said)) in (20..).zip([
        (json!({"file_path": "src", "regex_pattern": "(a"}), "cannot be read: unclosed group"),
        (json!({"file_path": "src", "regex_pattern": "((a{999}){999}){999}"}), "needs more than 10 MiB"),
        (json!({"file_path": "src", "regex_pattern": "a", "glob": "[a"}), "the glob `[a` cannot be read"),
    ]) {
        let refused = ask(&mut server, id, "search_file_content", &arguments);
        assert!(text(&refused["message"]).contains(said), "{refused}");
    }
    // What would take a backtracking matcher years.
    let long = format!("{}\n", "a".repeat(50_000));
    std::fs::write(app.join("src/a.txt"), long).expect("a file");
    let found = ask(
        &mut server,
        30,
        "search_file_content",
        &json!({"file_path": "src/a.txt", "regex_pattern": "^(a+)+(a|aa)*[bc]$"}),
    );
    assert_eq!(found["count"], 0);
    for (id, arguments) in (40..).zip([json!({}), json!({"file_path": "src/main.py", "directory_path": "src"})]) {
        let refused = ask(&mut server, id, "list_code_definitions", &arguments);
        assert!(text(&refused["message"]).contains("`file_path`"), "{refused}");
    }
    let refused = ask(&mut server, 50, "list_code_definitions", &json!({"file_path": "logs/app.log"}));
    assert!(text(&refused["message"]).contains("known: Rust, Python, Go"), "{refused}");
}

/// A host starts a server wherever it likes.
#[test]
fn paths_begin_at_the_folder_that_is_offered_wherever_the_server_was_started() {
    let folder = project();
    std::fs::write(folder.path().join("only_here.txt"), "def").expect("a file");
    let mut server = server(folder.path(), folder.path(), &["--allow-dir", "app"]);
    for (id, (path, searched)) in (1..).zip([(".", 2), ("src", 2), ("*/*.kt", 1), ("src/main.py", 1)]) {
        let found = ask(&mut server, id, "search_file_content", &json!({"file_path": path, "regex_pattern": "e"}));
        assert_eq!(found["searched"], searched, "{path}: {found}");
    }
    // What lies outside is told of in no other way than what is not there.
    let said = |path: &str, found: Value| text(&found["message"]).replace(path, "PATH");
    let [here, nowhere] = ["only_here.txt", "nowhere.txt"].map(|path| {
        said(path, ask(&mut server, 10, "search_file_content", &json!({"file_path": path, "regex_pattern": "e"})))
    });
    assert_eq!(here, nowhere);
}

#[test]
fn without_a_folder_nothing_is_read_for_agents_and_texts() {
    let folder = project();
    let mut server = server(folder.path(), folder.path(), &[]);
    let refused =
        ask(&mut server, 1, "search_file_content", &json!({"file_path": "secret.txt", "regex_pattern": "def"}));
    assert!(text(&refused["message"]).contains("`--allow-dir DIR`"), "{refused}");
    let call = r#"<mcp-search-tool><search_file_content>{"file_path": "src/main.py", "regex_pattern": "def.*"}</search_file_content></mcp-search-tool>"#;
    let test = Test::new(&["call", call]).file("src/main.py", "def main(): pass\n");
    let ran = test.run().code(2).prints("`--allow-dir DIR`");
    let ran = ran.then(&["call", call, "--allow-dir", "."]).code(0);
    assert_eq!(ran.printed()["matches"], json!(["Line 1: def main(): pass"]));
    // What a person types is meant.
    let ran = ran.then(&["call", "list_code_definitions", r#"{"file_path": "src/main.py"}"#]).code(0);
    assert_eq!(ran.printed()["definitions"][0]["name"], "main");
    let wrong = r#"<mcp-search-tool><search_file_content>{"path": "a"}</search_file_content></mcp-search-tool>"#;
    let ran = ran.then(&["call", wrong, "--lang", "zh"]).code(2);
    assert!(
        text(&ran.printed()["message"]).starts_with("工具调用验证失败: 缺少必需参数: ['file_path', 'regex_pattern']"),
        "{}",
        ran.stdout
    );
    ran.then(&["call", call, "--allow-dir", "none"]).code(2).says("--allow-dir: none");
}

#[test]
fn a_server_tells_of_wrong_arguments_in_chinese() {
    let folder = project();
    let mut server = server(folder.path(), folder.path(), &["--lang", "zh", "--allow-dir", "."]);
    let wrong = ask(&mut server, 1, "search_file_content", &json!({"path": "a"}));
    assert!(
        text(&wrong["message"]).starts_with("工具调用验证失败: 缺少必需参数: ['file_path', 'regex_pattern']"),
        "{wrong}"
    );
    let good = ask(&mut server, 2, "search_file_content", &json!({"file_path": "secret.txt", "regex_pattern": "def"}));
    assert_eq!((&good["success"], &good["count"]), (&json!(true), &json!(1)));
}

#[test]
fn a_step_of_a_testcase_calls_them_as_a_server_s() {
    let case = r"
teststeps:
- mcp: {server: mcp-search-tool, tool: search_file_content, arguments: {file_path: src/main.py, regex_pattern: def.*}}
  save: {lines: structured.matches}
- assert_value: {value: $lines, equals: ['Line 1: def main(): pass']}
- mcp: {server: mcp-search-tool, tool: list_code_definitions, arguments: {directory_path: src/}}
  save: {count: structured.count}
- assert_value: {value: $count, equals: 1}
- mcp: {server: mcp-search-tool, tool: analyze_tool_needs, arguments: {task_description: 创建数据可视化图表}}
- mcp: {server: mcp-search-tool, tool: search_and_install_tools, arguments: {task_description: 需要处理PDF文件, reason: 当前工具不支持PDF操作}}
";
    let test = Test::new(&["run", "a.yaml"]).file("a.yaml", case).file("src/main.py", "def main(): pass\n");
    test.file("uixt.yaml", "device: phone\n").run().code(0);
    // What is cut off proves nothing.
    let case = "teststeps:\n- search_file_content: {file_path: a.txt, regex_pattern: a, max_matches: 2}\n  save: {count: count}\n";
    let test = Test::new(&["run", "a.yaml"]).file("a.yaml", case).file("a.txt", "a\na\na\n");
    test.file("uixt.yaml", "device: phone\n").run().code(1).says("`count` was cut: there are more than 2");
}

#[test]
fn a_task_is_told_what_it_needs_and_what_is_missing() {
    let folder = project();
    let mut server = server(folder.path(), folder.path(), &[]);
    let needs =
        |server: &mut Server, id, task: &str| ask(server, id, "analyze_tool_needs", &json!({"task_description": task}));
    let told = needs(&mut server, 1, "Tap the login button");
    assert_eq!(
        (&told["has_sufficient_tools"], &told["recommended_action"]),
        (&json!(true), &json!("use_existing_tools"))
    );
    let told = needs(&mut server, 2, "把深色模式打开");
    assert_eq!(
        (&told["has_sufficient_tools"], &told["recommended_action"]),
        (&json!(true), &json!("turn_on_toolset")),
        "{told}"
    );
    let first = &told["recommended_mcp_tools"][0];
    assert_eq!(
        (&first["name"], &first["toolset"], &first["is_on"]),
        (&json!("set_appearance"), &json!("device"), &json!(false))
    );
    assert!(
        text(&first["why"]).contains("`--toolsets core,device`")
            && text(&told["overall_assessment"]).starts_with("现有工具足够")
    );
    for (id, task) in (3..).zip(["Send an e-mail by SMTP", "创建数据可视化图表"]) {
        let told = needs(&mut server, id, task);
        assert_eq!(
            (&told["has_sufficient_tools"], &told["recommended_action"]),
            (&json!(false), &json!("search_and_install_tools")),
            "{told}"
        );
    }
    let told = needs(&mut server, 9, "Run a shell command on this computer");
    let shell = items(&told["recommended_mcp_tools"]).iter().find(|one| one["name"] == "shell").expect("shell");
    assert!(shell["is_on"] == false && text(&shell["why"]).contains("only testcases may call it"), "{shell}");
}

#[test]
fn what_is_proposed_is_not_installed() {
    let folder = project();
    std::fs::create_dir_all(folder.path().join(".config/uixt")).expect("a folder");
    let servers = json!({"mcpServers": {"pdf-reader": {"command": "no-such-program"}, "weather": {"command": "no-such-program"}}});
    std::fs::write(folder.path().join(".config/uixt/mcp.json"), servers.to_string()).expect("a file");
    let registry =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("testcases/files/.registry.json"))
            .expect("a list");
    std::fs::write(folder.path().join("app/registry.json"), registry).expect("a file");
    std::fs::write(folder.path().join("app/uixt.yaml"), "registry: registry.json\n").expect("a file");
    let app = folder.path().join("app");
    let mut server = server(&app, folder.path(), &["--allow-dir", "."]);
    let propose = |server: &mut Server, id, arguments: &Value| ask(server, id, "search_and_install_tools", arguments);
    let told = propose(&mut server, 1, &json!({"task_description": "Read a PDF file", "reason": "no tool reads PDF"}));
    assert_eq!((&told["success"], &told["installed_tools"]), (&json!(true), &json!([])));
    let named = |source: &str| {
        items(&told["proposals"]).iter().find(|one| one["source"] == source).cloned().unwrap_or_default()
    };
    let own = named("servers file");
    assert_eq!(own["name"], "pdf-reader", "{told}");
    assert!(text(&own["command"]).starts_with("uixt mcp-server --with "), "{own}");
    let listed = named("registry");
    let lines =
        json!({"command": "npx", "args": ["-y", "@example/pdf-tools@1.0.0"], "env": {"PDF_LICENSE": "${PDF_LICENSE}"}});
    assert_eq!(listed["lines"], json!({"mcpServers": {"pdf_tools": lines}}), "{told}");
    let told = propose(&mut server, 2, &json!({"task_description": "Turn on dark mode"}));
    assert_eq!(told["proposals"][0]["command"], "uixt mcp-server --toolsets core,device", "{told}");
    let told = propose(&mut server, 3, &json!({"task_description": "Bake bread", "registry": "registry.json"}));
    assert_eq!(
        (&told["proposals"], &told["message"]),
        (&json!([]), &json!("nothing fits this task; nothing was installed"))
    );
    let refused = propose(&mut server, 4, &json!({"task_description": "a", "registry": "../secret.txt"}));
    assert_eq!(refused["kind"], "BadArgument");
}
