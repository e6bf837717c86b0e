//! The samples as the driver's own tests on other ways to a phone than the embedded one: through Debian's adb server to Debian's adbd.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Samples that measure a movement made of many commands to the millisecond: a device to which each takes a while is late.
const TIMED: [&str; 4] = ["sim_swipe_direction", "sim_swipe_in_area", "sim_swipe_point_to_point", "swipe_direction"];
/// In how many parts the samples run, side by side, each on a phone of its own.
const PARTS: usize = 3;

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Returns every third sample, from the given one on.
fn samples(part: usize) -> Vec<PathBuf> {
    let files = std::fs::read_dir(in_repository("testcases/tools")).expect("the samples");
    let mut files: Vec<PathBuf> = files.map(|entry| entry.expect("an entry").path()).collect();
    let is_timed = |path: &Path| path.file_stem().is_some_and(|stem| TIMED.iter().any(|name| stem == *name));
    files.retain(|path| path.extension().is_some_and(|end| end == "yaml") && !is_timed(path));
    files.sort();
    files.into_iter().skip(part).step_by(PARTS).collect()
}

/// Returns Debian's adbd, which `tests/all.sh` fetches, or says why there is none.
fn adbd() -> Option<PathBuf> {
    let folder = in_repository("target/adbd");
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    let missing = match (folder.join("root").is_dir(), is_root) {
        (false, _) => "tests/all.sh could not fetch Debian's adbd into target/adbd",
        (_, false) => "adbd and its namespaces need root",
        _ => return Some(folder),
    };
    eprintln!("skipped: {missing}");
    None
}

/// Returns a command whose further arguments are one that runs where adbd is device 127.0.0.1:5555 of an adb server of its own;
/// none where there is no adbd.
pub(crate) fn on_adbd() -> Option<Command> {
    let mut command = Command::new(in_repository("tests/adbd/run.sh"));
    command.arg(adbd()?).arg(env!("CARGO_BIN_EXE_uixt")).stdin(Stdio::null());
    command.env_remove("UIXT_DEVICE").env_remove("UIXT_ADB_SERVER").env_remove("ANDROID_SERIAL").env("NO_COLOR", "1");
    Some(command)
}

fn through_adbd(part: usize) {
    let Some(mut command) = on_adbd() else { return };
    let reports = tempfile::tempdir().expect("a folder");
    command.arg(env!("CARGO_BIN_EXE_uixt")).arg("run").args(samples(part));
    command.args(["--device", "android:127.0.0.1:5555", "--report-dir"]).arg(reports.path().join("results"));
    let output = command.current_dir(in_repository("")).output().expect("the script starts");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success(), "{said}");
    let passed = said.lines().filter(|line| line.starts_with("passed ")).count();
    assert_eq!(passed, samples(part).len(), "{said}");
}

#[test]
fn samples_pass_through_a_real_adbd_1() {
    through_adbd(0);
}

#[test]
fn samples_pass_through_a_real_adbd_2() {
    through_adbd(1);
}

#[test]
fn samples_pass_through_a_real_adbd_3() {
    through_adbd(2);
}
