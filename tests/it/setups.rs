//! The samples as the driver's own tests on each way to a phone other than the embedded one: through Debian's adb server to the
//! phone's adbd and to Debian's, and straight to both.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

use crate::adbd::Server;
use crate::counterparts::Phone;

/// Samples whose touches are made of several commands and measured to the millisecond: a device to which each takes a while is late.
const TIMED: [&str; 5] =
    ["double_tap_xy", "sim_swipe_direction", "sim_swipe_in_area", "sim_swipe_point_to_point", "swipe_direction"];
/// In how many parts the samples run, side by side, each on a phone of its own.
const PARTS: usize = 3;

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns every third sample, from the given one on; `without` are left out.
fn samples(part: usize, without: &[&str]) -> Vec<PathBuf> {
    let files = std::fs::read_dir(in_repository("testcases/tools")).expect("the samples");
    let mut files: Vec<PathBuf> = files.map(|entry| entry.expect("an entry").path()).collect();
    let is_left_out = |path: &Path| path.file_stem().is_some_and(|stem| without.iter().any(|name| stem == *name));
    files.retain(|path| path.extension().is_some_and(|end| end == "yaml") && !is_left_out(path));
    files.sort();
    files.into_iter().skip(part).step_by(PARTS).collect()
}

/// Says what is left out, and why, where it is seen with `--no-capture`.
fn say_what_is_left_out() {
    eprintln!("left out of Debian's adbd: {}", TIMED.join(", "));
    eprintln!(
        "each command takes a process or three there, so that a movement of 800 ms takes 1.1 to 1.6 s (24 of 24 tries), and two taps \
         come too late for one on a busy machine"
    );
}

/// Tells whether namespaces may be made here; says so where not.
pub(crate) fn alone() -> bool {
    let mut alone = Command::new("unshare");
    alone.args(["--net", "--mount", "--pid", "--fork", "--mount-proc", "true"]);
    let may = alone.output().is_ok_and(|output| output.status.success());
    if !may {
        eprintln!(
            "skipped: what is killed and started there needs namespaces of its own, which `unshare` may not make here"
        );
    }
    may
}

/// Returns Debian's adbd, which `tests/all.sh` fetches, or says why it cannot be tried.
pub(crate) fn adbd() -> Option<PathBuf> {
    let folder = in_repository("target/adbd");
    if !folder.join("root").is_dir() {
        eprintln!("skipped: tests/all.sh could not fetch Debian's adbd into target/adbd");
        return None;
    }
    // It listens on every address, and writes where a device's files are.
    alone().then_some(folder)
}

/// Returns a command whose further arguments are one that runs where `adbd` (as `tests/adbd/run.sh` has it) is device
/// 127.0.0.1:5555, behind an adb server or not.
pub(crate) fn beside(way: &str, adbd: &Path) -> Command {
    let mut command = Command::new(in_repository("tests/adbd/run.sh"));
    command.arg(way).arg(adbd).arg(env!("CARGO_BIN_EXE_uixt"));
    undisturbed(command)
}

/// Takes away what the machine's own set-up would change.
fn undisturbed(mut command: Command) -> Command {
    command.env_remove("UIXT_DEVICE").env_remove("UIXT_ADB_SERVER").env_remove("ANDROID_SERIAL").env("NO_COLOR", "1");
    command.stdin(Stdio::null());
    command
}

/// Runs samples by a command that ends with the program; all of them must pass.
#[track_caller]
fn pass(mut command: Command, samples: &[PathBuf], way: &[&str]) {
    let reports = tempfile::tempdir().expect("a folder");
    command.arg("run").args(samples).args(way).arg("--report-dir").arg(reports.path().join("results"));
    let Output { status, stdout, stderr } = command.current_dir(in_repository("")).output().expect("it starts");
    let said = [stdout, stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(status.success(), "{said}");
    let passed = said.lines().filter(|line| line.starts_with("passed ")).count();
    assert_eq!(passed, samples.len(), "{said}");
}

/// Runs the samples on Debian's adbd.
fn on_debians_adbd(way: &str, part: usize) {
    let Some(adbd) = adbd() else { return };
    say_what_is_left_out();
    let mut command = beside(way, &adbd);
    command.arg(env!("CARGO_BIN_EXE_uixt"));
    let server = if way == "direct" { "none" } else { uixt::adb::DEFAULT_ADDRESS };
    pass(command, &samples(part, &TIMED), &["--device", "android:127.0.0.1:5555", "--adb-server", server]);
}

/// Runs all samples, the timed ones, too, on the adbds of phones: each part on one of its own, behind the server that `serve`
/// starts for it.
fn on_the_phones_adbd(serve: fn(u16) -> (Option<Server>, String)) {
    let phones = Phone::start_with(&["--adbd-port", "0", "--count", &PARTS.to_string()], PARTS);
    thread::scope(|scope| {
        for (part, port) in phones.adbds.iter().enumerate() {
            scope.spawn(move || {
                let (_running, server) = serve(*port);
                let command = undisturbed(Command::new(env!("CARGO_BIN_EXE_uixt")));
                let device = format!("android:127.0.0.1:{port}");
                pass(command, &samples(part, &[]), &["--device", &device, "--adb-server", &server]);
            });
        }
    });
}

#[test]
fn samples_pass_through_a_real_adb_server_to_the_phones_adbd() {
    // A server for each phone: some samples select the first device that is listed.
    on_the_phones_adbd(|port| {
        let server = Server::start();
        server.connect(port);
        let address = server.address();
        (Some(server), address)
    });
}

#[test]
fn samples_pass_straight_to_the_phones_adbd() {
    on_the_phones_adbd(|_| (None, "none".to_owned()));
}

#[test]
fn samples_pass_through_a_real_adb_server_to_a_real_adbd_1() {
    on_debians_adbd("server", 0);
}

#[test]
fn samples_pass_through_a_real_adb_server_to_a_real_adbd_2() {
    on_debians_adbd("server", 1);
}

#[test]
fn samples_pass_through_a_real_adb_server_to_a_real_adbd_3() {
    on_debians_adbd("server", 2);
}

#[test]
fn samples_pass_straight_to_a_real_adbd_1() {
    on_debians_adbd("direct", 0);
}

#[test]
fn samples_pass_straight_to_a_real_adbd_2() {
    on_debians_adbd("direct", 1);
}

#[test]
fn samples_pass_straight_to_a_real_adbd_3() {
    on_debians_adbd("direct", 2);
}
