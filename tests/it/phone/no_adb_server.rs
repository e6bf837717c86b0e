//! Phones without an adb server: `--adb-server none` against the phone's own adbd, and against Debian's.

use std::process::Command;
use std::time::{Duration, Instant};

use uixt::adb::sync::Stat;
use uixt::adb::{Device, Direct, KeyPlaces};

use crate::support::counterparts::Phone;
use crate::support::{Test, text};

/// Returns a phone with an adbd, and the address of that.
fn phone(admission: &str) -> (Phone, String) {
    let phone = Phone::start_with(&["--adbd-port", "0", "--adbd-auth", admission], 1);
    let address = format!("127.0.0.1:{}", phone.adbds[0]);
    (phone, address)
}

/// Runs with a home of its own, and without an adb server.
fn directly(arguments: &[&str], address: &str) -> Test {
    let device = format!("android:{address}");
    Test::new(&[arguments, &["--adb-server", "none", "--device", &device]].concat()).file("home/keep", "")
}

trait AtHome {
    fn at_home(self) -> crate::support::Ran;
}

impl AtHome for Test {
    fn at_home(self) -> crate::support::Ran {
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
    let (_phone, address) = phone("all");
    let listed = directly(&["devices", "--format", "json"], &address).at_home().code(0).printed();
    let found = listed.as_array().expect("a list").iter().find(|device| device["serial"] == address.as_str());
    assert_eq!(text(&found.expect("the phone")["status"]), "online");
    let suite = concat!(env!("CARGO_MANIFEST_DIR"), "/testcases/shop_purchase.yaml");
    let ran = directly(&["run", suite, "--report-dir", "out"], &address).at_home().code(0);
    assert!(!ran.path("home/.android").exists());
}

#[test]
fn a_testcase_names_its_phone_by_address() {
    let (_phone, address) = phone("all");
    let case =
        format!("config:\n  android: [{{serial: '{address}'}}]\nteststeps:\n- home:\n- assert_visible: Settings\n");
    let arguments = ["run", "case.yaml", "--report-dir", "out", "--adb-server", "none"];
    Test::new(&arguments).file("case.yaml", case).file("home/keep", "").at_home().code(0);
}

#[test]
fn a_phone_that_asks_is_shown_the_key_that_is_kept() {
    let (_phone, address) = phone("any-key");
    let ran = directly(&["call", "get_screen_size"], &address).at_home().code(0);
    let key = ran.read("home/.android/adbkey");
    assert!(key.starts_with("-----BEGIN PRIVATE KEY-----\n"), "{key}");
    assert!(ran.read("home/.android/adbkey.pub").ends_with('\n'));
}

#[test]
fn a_phone_whose_owner_does_not_answer_says_what_to_tap() {
    let (_phone, address) = phone("none");
    let before = Instant::now();
    let ran = directly(&["call", "get_screen_size"], &address).at_home().code(3);
    assert!(before.elapsed() < Duration::from_secs(40), "{:?}", before.elapsed());
    ran.says("Allow USB debugging").says("RSA key").says("tap `Allow`");
}

#[test]
fn a_list_tells_of_a_phone_whose_owner_is_asked() {
    let (phone, address) = phone("ask");
    let ran = directly(&["devices"], &address).at_home().code(0);
    ran.prints(&format!("android:{address}")).prints("unauthorized").says("tap `Allow`");
    // The question has gone with who asked.
    assert!(!phone.shell("dumpsys window").contains("UsbDebuggingActivity"));
}

#[test]
fn where_no_phone_answers_the_error_says_what_to_do() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let ran = directly(&["call", "get_screen_size"], &closed.to_string()).at_home().code(3);
    ran.says(&closed.to_string()).says("connection refused").says("adb tcpip 5555");
}

#[test]
fn a_phone_that_went_away_and_came_back_is_used_again() {
    let (phone, address) = phone("all");
    let port = phone.adbds[0].to_string();
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
        let _phone = Phone::start_with(&["--adbd-port", &port], 1);
        assert_eq!(device.shell("exit 3").await.expect("an answer").exit, 3);
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
    assert!(before.elapsed() < Duration::from_secs(10));
    assert_eq!(device.shell("exit 4").await.expect("the next call").exit, 4);
}

#[test]
fn commands_and_files_go_straight_to_the_phones_adbd() {
    let (_phone, address) = phone("all");
    runtime().block_on(hold(&Device::new(nowhere(), &address), "/data/local/tmp"));
}

/// What runs Debian's adbd in `$1`, and then `$2…`, in a network of their own, since it listens on every address.
const ALONE: &str = r#"
ip link set lo up
root=$1 lib=$1/usr/lib/x86_64-linux-gnu; shift
"$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$lib/android:$lib" "$root/usr/lib/android-sdk/platform-tools/adbd" &
adbd=$!
trap 'kill $adbd' EXIT
"$@"
"#;

#[test]
fn commands_and_files_go_straight_to_debians_adbd() {
    let Some(adbd) = crate::support::debian_adbd::adbd() else { return };
    let mut command = Command::new("unshare");
    command
        .args(["-n", "-m", "sh", "-c", ALONE, "sh"])
        .arg(adbd.join("root"))
        .arg(std::env::current_exe().expect("this program"));
    let name = module_path!().split_once("::").map(|(_, module)| format!("{module}::beside_debians_adbd"));
    command.args(["--exact", &name.expect("a module"), "--ignored", "--nocapture"]);
    let output = command.output().expect("unshare starts");
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"), "{output:?}");
}

/// Runs where Debian's adbd is the only program, so that there is no adb server either.
#[test]
#[ignore = "the test above starts it where it may run"]
fn beside_debians_adbd() {
    const ADDRESS: &str = "127.0.0.1:5555";
    crate::support::counterparts::wait_until("adbd listens", 20, || std::net::TcpStream::connect(ADDRESS).is_ok());
    runtime().block_on(hold(&Device::new(nowhere(), ADDRESS), "/tmp"));
    // Without an adb program nobody needs to say that there is no adb server.
    let listed = Test::new(&["devices", "--device", "android:127.0.0.1:5555"]).file("home/keep", "");
    let output = listed.command().env("PATH", "/nowhere").output().expect("the program starts");
    listed.ran(&output).code(0).prints("android:127.0.0.1:5555").prints("online");
    // With one, it is said how to start it.
    let with_adb = Test::new(&["devices", "--device", "android:127.0.0.1:5555"]).file("bin/adb", "");
    let output = with_adb.command().env("PATH", with_adb.path("bin")).output().expect("the program starts");
    with_adb.ran(&output).code(3).says("adb start-server").says("--adb-server none");
}
