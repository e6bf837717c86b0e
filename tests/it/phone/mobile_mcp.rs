//! The virtual phone, driven by another project's server for agents, what came of each call being asked from the phone itself.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// Returns where npm installed it, or says why it cannot be tried.
fn mobile_mcp() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/mobile-mcp");
    let mut alone = Command::new("unshare");
    alone.args(["--net", "--pid", "--fork", "--mount-proc", "true"]);
    let missing = match folder.join("node_modules").is_dir() {
        false => "tests/all.sh could not install mobile-mcp into target/mobile-mcp",
        // It is to reach nothing but the phone, at the usual port of an adb server.
        true if !alone.output().is_ok_and(|output| output.status.success()) => {
            "mobile-mcp needs namespaces of its own, which `unshare` may not make here"
        }
        true => return Some(folder),
    };
    eprintln!("skipped: {missing}");
    None
}

fn in_tests(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(name)
}

fn seen_by(server: &Path) -> Value {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/test-venv/bin/python");
    let mut command = Command::new(in_tests("alone.sh"));
    command.arg(env!("CARGO_BIN_EXE_uixt")).arg(python).arg(in_tests("mobile_mcp_client.py")).arg(server);
    let output = command.stdin(Stdio::null()).output().expect("the script starts");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{stdout}{stderr}");
    serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}\n{stdout}{stderr}"))
}

#[test]
fn mobile_mcp_drives_the_phone() {
    let Some(server) = mobile_mcp() else { return };
    let seen = seen_by(&server);
    assert_eq!(seen["server"], "mobile-mcp");
    assert_eq!(seen["devices"], json!([["uixt-phone", "android", seen["model"]]]));
    assert_eq!(seen["size"], json!(["Screen size is 1080x2400 pixels", "Physical size: 1080x2400\n"]));
    assert_eq!(seen["in_front"], "com.uixt.shop");
    assert_eq!(seen["bounds"][0], seen["bounds"][1], "where the element is");
    // The password's field before and after the tap on it, then both fields after one on the other.
    assert_eq!(seen["focus"], json!(["false", "true", "false", "true"]));
    assert_eq!(seen["typed"], "alice & 'bob' $HOME");
    assert_eq!(seen["picture"][0], json!([1080, 2400]));
    // A cursor may blink between two pictures.
    assert!(seen["picture"][1].as_f64() < Some(0.001), "the picture is not the phone's: {seen}");
    assert!(seen["picture"][2].as_u64() > Some(100), "the picture is empty: {seen}");
    assert_eq!(seen["after_home"], "com.uixt.launcher");
}
