//! Codes that agents, testcases and texts give: what they print and return, and what fails.

use serde_json::{Value, json};

use super::{ask, only_python, run, server};
use crate::support::Test;

#[test]
fn a_session_keeps_its_variables_and_tells_all_of_a_call() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = server(&only_python(folder.path()), &[]);
    let example = json!({"code": "print('Hello World'); result = 2 + 3; print(result)", "timeout": 30});
    let answer = ask(&mut server, 1, "execute", &example);
    assert_eq!((&answer["stdout"], &answer["stderr"]), (&json!("Hello World\n5\n"), &json!("")));
    assert_eq!((&answer["return_code"], &answer["timeout_used"]), (&json!(0), &json!(30)));
    assert_eq!(answer["session_id"], "default");
    for (id, (code, result)) in (2..).zip([
        ("result", json!(5)),
        ("[result, 'é', None, {'a': 1.5}]", json!([5, "é", null, {"a": 1.5}])),
        ("x = result", json!(null)),
        ("def twice(n):\n    return n * 2\ntwice(x)", json!(10)),
        ("import asyncio\nasync def later():\n    await asyncio.sleep(0)\n    return 'later'\nasyncio.run(later())", json!("later")),
        ("import json, decimal, datetime, sqlite3, zoneinfo, hashlib, random, csv, re\nsqlite3.connect(':memory:').execute('select 6 * 7').fetchone()[0]", json!(42)),
        ("import shutil\nopen('a.txt', 'w').write('a')\nshutil.copy2('a.txt', 'b.txt')", json!("b.txt")),
        ("from concurrent.futures import ThreadPoolExecutor\nlist(ThreadPoolExecutor(4).map(twice, range(3)))", json!([0, 2, 4])),
        ("input", json!("<built-in function input>")),
        ("10 ** 30", json!("1000000000000000000000000000000")),
        ("float('nan')", json!("nan")),
        ("'\\ud800'", json!("?")),
    ]) {
        let answer = run(&mut server, id, code);
        assert_eq!(answer["result"], result, "{code}: {answer}");
    }
    let answer = run(&mut server, 50, "{1, 2}");
    let note = answer["notes"][0].as_str().expect("a note");
    assert_eq!(
        (&answer["result"], note),
        (&json!("{1, 2}"), "the result is shown as Python shows it: set (set is no value of JSON)")
    );
}

#[test]
fn what_fails_says_where() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = server(&only_python(folder.path()), &[]);
    for (id, (code, name, message)) in (1..).zip([
        ("x = 1\nx / 0", "ZeroDivisionError", "ZeroDivisionError: division by zero (line 2 of the code)"),
        ("def f():\n    raise ValueError('no')\nf()", "ValueError", "ValueError: no (line 2 of the code)"),
        ("x = (", "SyntaxError", "SyntaxError: '(' was never closed"),
        ("import sys; sys.exit(3)", "SystemExit", "the code ended with 3"),
        ("assert 1 == 2", "AssertionError", "AssertionError (line 1 of the code)"),
        ("import nowhere", "ModuleNotFoundError", "ModuleNotFoundError: No module named 'nowhere'"),
        ("input()", "EOFError", "EOFError: EOF when reading a line"),
    ]) {
        let answer = run(&mut server, id, code);
        assert_eq!((&answer["kind"], &answer["details"]["code"]), (&json!("Assertion"), &json!(name)), "{answer}");
        assert!(answer["message"].as_str().is_some_and(|told| told.starts_with(message)), "{answer}");
    }
    let answer = run(&mut server, 20, "def f():\n    return 1 / 0\nprint('before')\nf()");
    let stderr = answer["details"]["stderr"].as_str().expect("a text");
    assert!(stderr.contains("return 1 / 0") && stderr.contains("line 4, in <module>"), "{stderr}");
    assert!(!stderr.contains("<string>"), "nothing of uixt: {stderr}");
    assert_eq!(answer["details"]["stdout"], "before\n");
    // It stays what it was.
    assert_eq!(run(&mut server, 21, "x")["result"], 1);
}

#[test]
fn files_go_in_and_come_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = server(&only_python(folder.path()), &[]);
    let code = "import csv\nrows = list(csv.reader(open('data/in.csv')))\nopen('out.txt', 'w').write(rows[1][0])\n\
                open('out.bin', 'wb').write(open('in.bin', 'rb').read() + b'\\xff')";
    let files = json!({"data/in.csv": "name\n小明\n", "in.bin": {"base64": "AAE="}});
    let arguments = json!({"code": code, "files": files, "outputs": ["out.txt", "out.bin"]});
    let answer = ask(&mut server, 1, "execute", &arguments);
    assert_eq!(answer["outputs"], json!({"out.txt": "小明", "out.bin": {"base64": "AAH/"}}), "{answer}");
    let missing = ask(&mut server, 2, "execute", &json!({"code": "1", "outputs": ["nothing.txt"]}));
    assert_eq!(missing["details"]["code"], "OutputMissing", "{missing}");
    let link = json!({"code": "import os; os.symlink('/etc/passwd', 'link')", "outputs": ["link"]});
    assert_eq!(ask(&mut server, 3, "execute", &link)["details"]["code"], "OutputMissing");
    for (id, arguments) in (4..).zip([
        json!({"code": "1", "files": {"../a": "a"}}),
        json!({"code": "1", "outputs": ["/etc/passwd"]}),
        json!({"code": "1", "files": {"a": "x".repeat((1 << 20) + 1)}}),
        json!({"code": "1", "files": {"a": {"base64": "?"}}}),
        json!({"code": "1", "timeout": 301}),
        json!({"code": ""}),
        json!({"code": "1", "session_id": ""}),
    ]) {
        assert_eq!(ask(&mut server, id, "execute", &arguments)["kind"], "BadArgument");
    }
}

#[test]
fn a_text_calls_it_and_a_file_of_servers_goes_first() {
    let text = r#"<microsandbox><microsandbox_execute>{"code": "2 + 3", "timeout": "5"}</microsandbox_execute></microsandbox>"#;
    let ran = Test::new(&["call", text]).run().code(0);
    assert_eq!((&ran.printed()["result"], &ran.printed()["timeout_used"]), (&json!(5), &json!(5)));
    let more = r#"<microsandbox><microsandbox_execute>{"code": "open('a').read()", "files": {"a": "x"}}</microsandbox_execute></microsandbox>"#;
    assert_eq!(Test::new(&["call", more]).run().code(0).printed()["result"], "x");
    let wrong = r#"<microsandbox><microsandbox_execute>{"kode": "1"}</microsandbox_execute></microsandbox>"#;
    let told = Test::new(&["call", wrong]).run().code(2).printed();
    assert_eq!(
        told["message"],
        "microsandbox_execute: missing: code; unknown: kode (did you mean code?); valid: code, session_id, timeout"
    );
    let told = Test::new(&["call", wrong, "--lang", "zh"]).run().code(2).printed();
    assert!(
        told["message"].as_str().is_some_and(|told| told.starts_with("工具调用验证失败: 缺少必需参数: ['code']")),
        "{told}"
    );
    let failing = r#"<microsandbox><microsandbox_execute>{"code": "1 / 0"}</microsandbox_execute></microsandbox>"#;
    Test::new(&["call", failing]).run().code(1);
    // A tool of a server that has such a name, and is another.
    let foreign = r#"<microsandbox><tap_xy>{"x": 1, "y": 1}</tap_xy></microsandbox>"#;
    Test::new(&["call", foreign, "--device", "phone"]).run().code(2).prints("unknown tool `tap_xy` of `microsandbox`");
    let notes = format!("{}/testcases/mcp/notes.py", env!("CARGO_MANIFEST_DIR"));
    let servers = json!({"mcpServers": {"microsandbox": {"command": "python3", "args": [notes]}}}).to_string();
    let ran = Test::new(&["call", text, "--mcp-config", "mcp.json"]).file("mcp.json", servers).run();
    assert_ne!(ran.code, Some(0), "the server of that name has no such tool: {}", ran.stdout);
    // The other servers whose tools are our own.
    let page = r#"<browser_use><browser_get_current_url>{}</browser_get_current_url></browser_use>"#;
    let told = Test::new(&["call", page, "--device", "phone"]).run().code(3).printed();
    assert_eq!((&told["action"], &told["kind"]), (&json!("browser_get_current_url"), &json!("Unsupported")), "{told}");
}

/// Runs a testcase of these steps; returns its exit code and what was said of it.
fn case(steps: &str, files: &[(&str, &str)]) -> (Option<i32>, String) {
    let text = format!("config: {{name: a}}\nteststeps:\n{steps}");
    let test = Test::new(&["run", "a.yaml", "--report-dir", "results"]).file("a.yaml", text);
    let ran = files.iter().fold(test, |test, (name, text)| test.file(name, text)).run();
    (ran.code, format!("{}{}", ran.stdout, ran.stderr))
}

#[test]
fn steps_save_what_codes_give_and_fail_with_them() {
    let good = "- microsandbox_execute: {code: 'total = sum(range(5)); total'}\n  save: total\n\
                - microsandbox_execute: {code: 'total * 2'}\n  save: twice\n\
                - assert_value: {value: $twice, equals: 20}\n\
                - mcp: {server: microsandbox, tool: microsandbox_execute, arguments: {code: total + 1}}\n  save: more\n\
                - assert_value: {value: '${more.result}', equals: 11}\n\
                - mcp: {server: microsandbox, tool: microsandbox_execute, arguments: {code: 1 / 0}, expect_error: true}\n";
    let (code, said) = case(good, &[]);
    assert_eq!(code, Some(0), "{said}");
    for (steps, exit, words) in [
        ("- microsandbox_execute: {code: '1 / 0'}\n", 1, "ZeroDivisionError: division by zero (line 1 of the code)"),
        ("- microsandbox_execute: {code: 'import sys; sys.exit(2)'}\n", 1, "the code ended with 2"),
        (
            "- mcp: {server: microsandbox, tool: microsandbox_execute, arguments: {code: 1 / 0}}\n",
            1,
            "ZeroDivisionError",
        ),
        (
            "- mcp: {server: microsandbox, tool: microsandbox_execute, arguments: {kode: 1}}\n",
            2,
            "missing: code; unknown: kode",
        ),
        ("- mcp: {server: microsandbox, tool: tap_xy, arguments: {x: 1}}\n", 2, "there is no server `microsandbox`"),
        ("- mcp: {server: browser_use, tool: browser_go_back}\n", 3, "it works on a device"),
        ("- microsandbox_execute: {kode: '1'}\n", 2, "kode"),
        ("- microsandbox_install_package: numpy\n", 3, "--allow-packages"),
    ] {
        let (code, said) = case(steps, &[]);
        assert!(code == Some(exit) && said.contains(words), "{steps}: {code:?}\n{said}");
    }
}

#[test]
fn agents_are_told_both_ends_of_what_is_long() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = server(&only_python(folder.path()), &[]);
    let answer = run(&mut server, 1, "print('begin', 'x' * 100000, 'end')");
    let stdout = answer["stdout"].as_str().expect("a text");
    assert!(
        stdout.starts_with("begin xxx") && stdout.ends_with("xxx end\n") && stdout.len() < 10_000,
        "{}",
        stdout.len()
    );
    assert_eq!(answer["truncated"]["stdout"], json!({"printed": 100_011, "kept": 65_536}));
    assert!(answer["cut"].is_string(), "{answer}");
    let answer = run(&mut server, 2, "print('x' * 100000)\nraise ValueError('at the end')");
    let stderr = answer["details"]["stderr"].as_str().expect("a text");
    assert!(stderr.ends_with("ValueError: at the end\n"), "{stderr}");
    assert_eq!(answer["details"]["return_code"], 1);
    let listed = server.ask(3, "tools/list", &json!({}));
    let names: Vec<&Value> =
        listed["result"]["tools"].as_array().expect("tools").iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names.len(), 7, "{names:?}");
}
