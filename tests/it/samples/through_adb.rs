//! The samples as the driver's own tests on each way to a phone other than the embedded one: through Debian's adb server to the
//! phone's adbd and to Debian's, and straight to both.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;

use crate::support::adb_server::Server;
use crate::support::counterparts::Phone;
use crate::support::debian_adbd::in_repository;
use crate::support::debian_adbd::{adbd, beside, undisturbed};

/// Samples whose touches are made of several commands and measured to the millisecond: a device to which each takes a while is late.
const TIMED: [&str; 6] = [
    "double_tap_xy",
    "drag",
    "sim_swipe_direction",
    "sim_swipe_in_area",
    "sim_swipe_point_to_point",
    "swipe_direction",
];
/// In how many parts the samples run, side by side, each on a phone of its own.
const PARTS: usize = 3;

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
        "each command takes a process or three there, so that a movement of 800 ms takes 1.1 to 1.6 s (24 of 24 tries), and on a \
         busy machine two taps come too late for one, and a press of 100 ms picks up what it must not"
    );
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
