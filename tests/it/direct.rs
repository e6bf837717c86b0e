//! Phones without an adb server: `--adb-server none` against the phone's own adbd, and against Debian's.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use uixt::adb::sync::Stat;
use uixt::adb::{Device, Direct, KeyPlaces};

use super::counterparts::Running;
use super::support::{Test, text};

/// The virtual phone's own adbd, in a process of its own.
struct Adbd {
    process: Running,
    address: String,
}

impl Adbd {
    fn start(port: u16, admission: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_uixt"));
        command.args(["phone", "--port", "0", "--adbd-auth", admission, "--adbd-port", &port.to_string()]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = Running(command.spawn().expect("the phone starts"));
        let lines = BufReader::new(process.0.stdout.take().expect("a pipe")).lines();
        let address = lines.map(|line| line.expect("a line")).nth(1).expect("two addresses");
        Self { process, address }
    }

    fn port(&self) -> u16 {
        self.address.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port")
    }

    fn serial(&self) -> String {
        format!("android:{}", self.address)
    }
}

/// Runs with a home of its own, and without an adb server.
fn directly(arguments: &[&str], serial: &str) -> Test {
    Test::new(&[arguments, &["--adb-server", "none", "--device", serial]].concat()).file("home/keep", "")
}

trait AtHome {
    fn at_home(self) -> super::support::Ran;
}

impl AtHome for Test {
    fn at_home(self) -> super::support::Ran {
        let home = self.path("home");
        let output =
            self.command().env("HOME", home).env_remove("ADB_VENDOR_KEYS").output().expect("the program starts");
        self.ran(&output)
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

fn nowhere() -> Direct {
    Direct::new(KeyPlaces { folder: "/dev/null/no folder".into(), others: Vec::new() })
}

#[test]
fn a_suite_passes_and_no_key_is_made_where_none_is_wanted() {
    let phone = Adbd::start(0, "all");
    let listed = directly(&["devices", "--format", "json"], &phone.serial()).at_home().code(0).printed();
    let found = listed.as_array().expect("a list").iter().find(|device| device["serial"] == phone.address.as_str());
    assert_eq!(text(&found.expect("the phone")["status"]), "online");
    let suite = concat!(env!("CARGO_MANIFEST_DIR"), "/testcases/shop_purchase.yaml");
    let ran = directly(&["run", suite, "--report-dir", "out"], &phone.serial()).at_home().code(0);
    assert!(!ran.path("home/.android").exists());
}

#[test]
fn a_testcase_names_its_phone_by_address() {
    let phone = Adbd::start(0, "all");
    let case = format!(
        "config:\n  android: {{serial: '{}'}}\nteststeps:\n- home:\n- assert_visible: Settings\n",
        phone.address
    );
    let arguments = ["run", "case.yaml", "--report-dir", "out", "--adb-server", "none"];
    Test::new(&arguments).file("case.yaml", case).file("home/keep", "").at_home().code(0);
}

#[test]
fn a_phone_that_asks_is_shown_the_key_that_is_kept() {
    let phone = Adbd::start(0, "any-key");
    let ran = directly(&["call", "get_screen_size"], &phone.serial()).at_home().code(0);
    let key = ran.read("home/.android/adbkey");
    assert!(key.starts_with("-----BEGIN PRIVATE KEY-----\n"), "{key}");
    assert!(ran.read("home/.android/adbkey.pub").ends_with('\n'));
}

#[test]
fn a_phone_whose_owner_does_not_answer_says_what_to_tap() {
    let phone = Adbd::start(0, "none");
    let before = Instant::now();
    let ran = directly(&["call", "get_screen_size"], &phone.serial()).at_home().code(3);
    assert!(before.elapsed() < Duration::from_secs(40), "{:?}", before.elapsed());
    ran.says("Allow USB debugging").says("RSA key").says("tap `Allow`");
}

#[test]
fn where_no_phone_answers_the_error_says_what_to_do() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let ran = directly(&["call", "get_screen_size"], &format!("android:{closed}")).at_home().code(3);
    ran.says(&closed.to_string()).says("connection refused").says("adb tcpip 5555");
}

#[test]
fn a_phone_that_went_away_and_came_back_is_used_again() {
    let phone = Adbd::start(0, "all");
    let (port, address) = (phone.port(), phone.address.clone());
    runtime().block_on(async {
        let device = Device::new(nowhere(), &address).with_deadline(Duration::from_secs(20));
        assert_eq!(device.shell("exit 7").await.expect("an answer").exit, 7);
        let (slow, ()) = tokio::join!(device.shell("sleep 30"), async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            drop(phone);
        });
        let told = slow.expect_err("the phone is gone").to_string();
        assert!(told.contains("closed midway"), "{told}");
        let gone = device.shell("true").await.expect_err("the phone is gone").to_string();
        assert!(gone.contains("no phone answers"), "{gone}");
        let phone = Adbd::start(port, "all");
        assert_eq!(device.shell("exit 3").await.expect("an answer").exit, 3);
        drop(phone);
    });
}

/// Holds a device to what the driver needs of every way.
async fn hold(device: &Device, folder: &str) {
    let output = device.shell("echo out; echo err >&2; exit 7").await.expect("a command");
    assert_eq!((output.stdout.as_slice(), output.stderr.as_slice(), output.exit), (&b"out\n"[..], &b"err\n"[..], 7));
    let file: Vec<u8> = (0..=255).cycle().take(3_000_001).collect();
    let path = format!("{folder}/uixt-direct-test");
    device.push(file.as_slice(), &path, 0o644).await.expect("a push");
    assert_eq!(device.stat(&path).await.expect("a stat").map(|Stat { size, .. }| size), Some(3_000_001));
    assert!(device.pull(&path).await.expect("a pull") == file);
    assert!(device.exec(&format!("cat {path}")).await.expect("an exec") == file);
    device.shell(&format!("rm {path}")).await.expect("a command");
    assert_eq!(device.stat(&path).await, Ok(None));
    let many = (0..20).map(|number| async move { device.shell(&format!("sleep 0.05; echo {number}")).await });
    for (number, output) in futures_util::future::join_all(many).await.into_iter().enumerate() {
        assert_eq!(String::from_utf8_lossy(&output.expect("a command").stdout), format!("{number}\n"));
    }
    let hasty = device.with_deadline(Duration::from_millis(300));
    let before = Instant::now();
    assert!(hasty.shell("sleep 20").await.expect_err("a deadline").to_string().contains("no answer"));
    assert!(before.elapsed() < Duration::from_secs(2));
    assert_eq!(device.shell("exit 4").await.expect("the next call").exit, 4);
}

#[test]
fn commands_and_files_go_straight_to_the_phones_adbd() {
    let phone = Adbd::start(0, "all");
    runtime().block_on(hold(&Device::new(nowhere(), &phone.address), "/data/local/tmp"));
}
