//! What a call leaves on the device, and on this computer, when it fails or is given up: nothing.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use uixt::adb::{Device, Server};
use uixt::driver::android::Android;
use uixt::driver::{Driver as _, Error, Install};
use uixt::phone::Phone;
use uixt::phone::system::Options;

use crate::support::Test;
use crate::support::counterparts;
use crate::support::tampered::tampered;

const TEMPORARY: &str = "/data/local/tmp";
const INSTALL: Install = Install { replace: true, downgrade: false, grant: false };

/// A phone, the way to it, and a driver whose way may be tampered with.
struct Bench {
    _phone: Phone,
    device: Device,
    android: Android,
    folder: TempDir,
}

impl Bench {
    async fn start(tamper: Option<(&'static str, &'static str)>) -> Self {
        let phone = Phone::start(Options::default(), 0).await.expect("a phone starts");
        let address = phone.address().to_string();
        let device = device(&address);
        let way = match tamper {
            Some((part, other)) => tampered(&address, part, other).to_string(),
            None => address,
        };
        let android = Android::open(Server::new(way), "uixt-phone", None).await.expect("the phone is there");
        Self { _phone: phone, device, android, folder: tempfile::tempdir().expect("a folder") }
    }

    /// Returns a file of this computer that is sent.
    fn file(&self, name: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, b"\x89PNG\r\n\x1a\n").expect("a file");
        path
    }

    /// Begins something, waits until its file is on the device, and gives it up.
    async fn give_up(&self, folder: &str, work: impl AsyncFnOnce(Android)) {
        let android = self.android.clone();
        tokio::select! {
            () = work(android) => panic!("it came to its end"),
            () = until(&self.device, folder, false) => {}
        }
    }
}

fn device(address: &str) -> Device {
    Server::new(address).device("uixt-phone")
}

async fn listed(device: &Device, folder: &str) -> String {
    let output = device.shell(&format!("ls -A {folder}")).await.expect("the phone answers");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Waits until a folder of the device is empty, or is not.
async fn until(device: &Device, folder: &str, empty: bool) {
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        let found = listed(device, folder).await;
        if found.is_empty() == empty {
            return;
        }
        assert!(Instant::now() < end, "{folder}: {found}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_that_is_given_up_leaves_no_file() {
    let bench = Bench::start(None).await;
    let film = bench.folder.path().join("a.mp4");
    let record = async |android: Android| {
        android.record(Duration::from_mins(1), &film).await.expect("nothing fails");
    };
    bench.give_up(TEMPORARY, record).await;
    until(&bench.device, TEMPORARY, true).await;
    assert!(!film.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_installation_that_is_given_up_leaves_no_file() {
    let bench = Bench::start(Some(("pm install -t ", "sleep 99     ;"))).await;
    let file = bench.file("a.apk");
    let install = async |android: Android| android.install(&file, INSTALL).await.expect("nothing fails");
    bench.give_up(TEMPORARY, install).await;
    until(&bench.device, TEMPORARY, true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_installation_that_fails_leaves_no_file() {
    // A shell that refuses the whole line removes nothing at its end.
    let bench = Bench::start(Some(("pm install -t ", "pm install & t"))).await;
    let error = bench.android.install(&bench.file("a.apk"), INSTALL).await.expect_err("the shell refuses it");
    assert!(matches!(error, Error::Device { .. }), "{error}");
    assert_eq!(listed(&bench.device, TEMPORARY).await, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_that_the_gallery_does_not_take_is_removed() {
    let bench = Bench::start(Some((
        "am broadcast -a android.intent.action.MEDIA",
        "xm broadcast -a android.intent.action.MEDIA",
    )))
    .await;
    let error = bench.android.add_media(&bench.file("a.png"), "a.png").await.expect_err("nobody tells the gallery");
    assert!(matches!(error, Error::Device { .. }), "{error}");
    until(&bench.device, "/sdcard/DCIM/uixt", true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_program_ends_only_when_it_has_tidied_up() {
    let phone = counterparts::Phone::start();
    let address = phone.address();
    let arguments = ["run", "case.yaml", "--report-dir", "out", "--case-timeout", "1", "--device", "android"];
    let arguments = [&arguments[..], &["--adb-server", &address]].concat();
    Test::new(&arguments).file("case.yaml", "teststeps:\n- screenrecord: 60\n").run().code(3);
    assert_eq!(listed(&device(&address), TEMPORARY).await, "");
}

#[test]
fn a_command_of_the_host_does_not_outlive_a_run_that_is_killed() {
    let case = "teststeps:\n- shell: \"sleep 432 & echo $! > first; mv first pid; sleep 433\"\n";
    let test = Test::new(&["run", "--device", "phone", "a.yaml"]).file("a.yaml", case);
    let mut command = test.command();
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let mut run = command.spawn().expect("the program starts");
    let end = Instant::now() + Duration::from_secs(30);
    let pid = loop {
        if let Ok(pid) = std::fs::read_to_string(test.path("pid")) {
            break pid.trim().to_owned();
        }
        assert!(Instant::now() < end, "the step begins");
        std::thread::sleep(Duration::from_millis(20));
    };
    let is_there = || std::fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|words| words.contains("432"));
    assert!(is_there());
    run.kill().expect("it is killed");
    run.wait().expect("it ends");
    let end = Instant::now() + Duration::from_secs(20);
    while is_there() {
        assert!(Instant::now() < end, "{pid} was left behind");
        std::thread::sleep(Duration::from_millis(20));
    }
}
