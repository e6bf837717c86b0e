//! The virtual iPhone, judged by clients that others wrote: each does many operations, and says which of them came to what they should.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::counterparts::{Iphones, client, judged, program};
use crate::support::npm;

/// Runs what follows in a network of its own, and ends it with all that it began.
const ALONE: [&str; 9] = [
    "unshare",
    "--net",
    "--pid",
    "--fork",
    "--kill-child",
    "--mount-proc",
    "sh",
    "-c",
    "ip link set lo up && exec \"$0\" \"$@\"",
];

fn in_tests(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(name)
}

fn python() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/test-venv/bin/python")
}

/// Runs a command; returns the JSON that it printed in its last line.
#[track_caller]
fn told(mut command: Command) -> Value {
    let output = command.stdin(Stdio::null()).env_remove("UIXT_DEVICE").output().expect("the judge starts");
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let last = stdout.lines().last().unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}, {}:\n{stdout}{stderr}", output.status))
}

/// Tells whether a command may run in a network of its own; says so where it may not.
fn may_be_alone(what: &str) -> bool {
    let may = Command::new(ALONE[0]).args(&ALONE[1..]).arg("true").output().is_ok_and(|output| output.status.success());
    if !may {
        eprintln!("skipped: {what} needs namespaces of its own, which `unshare` may not make here");
    }
    may
}

#[test]
fn appiums_driver_for_iphones() {
    let Some((node, folder)) = npm::appium() else { return };
    let iphones = Iphones::start(&[]);
    let mut command = Command::new(node);
    command.arg(in_tests("iphone_appium.mjs")).arg(&folder).arg(iphones.address(0)).arg(Iphones::udid(0));
    judged(&told(command), 56);
}

#[test]
fn facebook_wda_with_the_newest_and_with_an_old_webdriveragent() {
    for (manner, least) in [(&[][..], 54), (&["--old-wda"], 55)] {
        let iphones = Iphones::start(manner);
        judged(&client("iphone_facebook_wda.py", &iphones.address(0)), least);
    }
}

#[test]
fn what_looks_at_phones_on_usb() {
    let folder = tempfile::tempdir().expect("a folder");
    let socket = folder.path().join("usbmuxd.sock");
    let go_ios = npm::go_ios();
    let _iphones = Iphones::start(&["--count", "2", "--usbmuxd", socket.to_str().expect("a text")]);
    for name in ["idevice_id", "ideviceinfo", "iproxy"] {
        program(name);
    }
    let judge = |before: &[&str], what: &str| {
        let mut command = Command::new(before[0]);
        command.args(&before[1..]).arg(python()).arg(in_tests("iphone_usbmuxd.py")).arg(&socket);
        command.arg(go_ios.as_deref().unwrap_or(Path::new(""))).arg(what).args([0, 1].map(Iphones::udid));
        told(command)
    };
    let with_go_ios = usize::from(go_ios.is_some());
    judged(&judge(&["env"], "list"), 5 + with_go_ios);
    // What takes a port of this computer takes it in a network of its own. The socket is a file, and is reached from there, too.
    if may_be_alone("what forwards a port") {
        judged(&judge(&ALONE, "forward"), 2 + 2 * with_go_ios);
    }
}

#[test]
fn mobile_mcps_robot_for_webdriveragent() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/mobile-mcp");
    if !folder.join("node_modules").is_dir() {
        return eprintln!("skipped: tests/all.sh could not install mobile-mcp into target/mobile-mcp");
    }
    // Its port is always 8100.
    if !may_be_alone("mobile-mcp") {
        return;
    }
    let mut command = Command::new(in_tests("alone.sh"));
    command.env("PHONE", "--ios --old-wda --port 8100").arg(env!("CARGO_BIN_EXE_uixt"));
    command.arg(python()).arg(in_tests("iphone_mobile_mcp.py")).arg(&folder);
    judged(&told(command), 18);
}
