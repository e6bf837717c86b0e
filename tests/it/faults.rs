//! What goes wrong in a rack of phones, with a real adb server and a real adbd: each fault has its own error, in time, and the
//! next step works when the device does.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::setups;
use crate::support::{items, text};

/// One thing that goes wrong.
struct Fault {
    name: &'static str,
    /// A command of the host that makes it go wrong, and one that mends it.
    inject: &'static str,
    mend: &'static str,
    /// The step that meets it, and one that works again afterwards.
    step: &'static str,
    after: &'static str,
    expected: Expected,
    /// Seconds within which the step must have ended.
    within: f64,
}

enum Expected {
    /// The kind of the error, and a part of what it says.
    Error(&'static str, &'static str),
    /// The fault is none for this step.
    Pass,
}

use Expected::{Error, Pass};

const TAP: &str = "tap_xy: [0.5, 0.02]";
const LOOK: &str = "assert_visible: {id: clock}";
const SHOT: &str = "screenshot:";

/// Writes a program that takes the place of one of Android's.
macro_rules! program {
    ($name:literal, $script:literal) => {
        concat!("printf '%s\\n' '#!/bin/sh' '", $script, "' > /data/faults/", $name, "; chmod +x /data/faults/", $name)
    };
}
const NO_PROGRAM: &str = "rm /data/faults/*";

const FAULTS: &[Fault] = &[
    Fault {
        name: "the adb server is killed between two calls",
        inject: "adb kill-server",
        mend: "adb start-server; plug",
        step: TAP,
        after: TAP,
        expected: Error("Transport", "adb server"),
        within: 5.0,
    },
    Fault {
        name: "the adb server is killed within a call",
        inject: program!("input", "adb kill-server; sleep 60"),
        mend: "rm /data/faults/*; adb start-server; plug",
        step: TAP,
        after: TAP,
        expected: Error("Transport", "adb server"),
        within: 5.0,
    },
    Fault {
        name: "adbd is killed between two calls",
        inject: "unplug",
        mend: "plug",
        step: TAP,
        after: TAP,
        // Offline, or closed midway where the server notices it only then.
        expected: Error("Transport", ""),
        within: 5.0,
    },
    Fault {
        name: "adbd is killed within a call",
        inject: program!("input", "unplug; sleep 60"),
        mend: "rm /data/faults/*; plug",
        step: TAP,
        after: TAP,
        expected: Error("Transport", "127.0.0.1:5555"),
        within: 5.0,
    },
    Fault {
        name: "the device is unplugged",
        inject: "adb disconnect 127.0.0.1:5555",
        mend: "plug",
        step: LOOK,
        after: LOOK,
        expected: Error("Transport", "127.0.0.1:5555"),
        within: 15.0,
    },
    Fault {
        name: "another device comes",
        inject: "adb connect 127.0.0.2:5555; adb -s 127.0.0.2:5555 wait-for-device",
        mend: "adb disconnect 127.0.0.2:5555",
        step: TAP,
        after: TAP,
        expected: Pass,
        within: 5.0,
    },
    Fault {
        name: "a command prints 10 MB",
        inject: program!("dumpsys", "head -c 10000000 /dev/zero | tr \"\\\\0\" x"),
        mend: NO_PROGRAM,
        step: "get_foreground_app:",
        after: "get_foreground_app:",
        expected: Error("Device", "no app in front"),
        within: 10.0,
    },
    Fault {
        name: "a command never returns",
        inject: program!("input", "sleep 600"),
        mend: NO_PROGRAM,
        step: TAP,
        after: TAP,
        expected: Error("Device", "no answer within 30 s"),
        within: 35.0,
    },
    Fault {
        name: "a picture is cut off",
        inject: program!("screencap", "/data/programs/screencap \"$@\" | head -c 2000"),
        mend: NO_PROGRAM,
        step: SHOT,
        after: SHOT,
        expected: Error("Device", "screencap"),
        within: 10.0,
    },
    Fault {
        name: "a picture is empty",
        inject: program!("screencap", "exit 0"),
        mend: NO_PROGRAM,
        step: SHOT,
        after: SHOT,
        expected: Error("Device", "screencap"),
        within: 10.0,
    },
    Fault {
        name: "a dump is empty",
        inject: program!(
            "uiautomator",
            ": > /data/local/tmp/none; cp /data/local/tmp/none \"$2\"; echo \"UI hierchary dumped to: $2\""
        ),
        mend: NO_PROGRAM,
        step: LOOK,
        after: LOOK,
        expected: Error("Device", "uiautomator"),
        within: 25.0,
    },
    Fault {
        name: "the screen is never idle",
        inject: program!("uiautomator", "echo \"ERROR: could not get idle state.\"; exit 1"),
        mend: NO_PROGRAM,
        step: LOOK,
        after: LOOK,
        expected: Error("Device", "idle"),
        within: 30.0,
    },
    Fault {
        name: "the device has no room",
        inject: "mount -t tmpfs -o size=64k none /data/local/tmp",
        mend: "umount /data/local/tmp",
        step: "push_file: {from: big.bin, to: /data/local/tmp/big.bin}",
        after: "push_file: {from: big.bin, to: /data/local/tmp/big.bin}",
        expected: Error("Device", "o space left"),
        within: 10.0,
    },
    Fault {
        name: "the screen turns while a step looks for something",
        inject: "(sleep 0.2; settings() { adb -s 127.0.0.1:5555 shell settings put system \"$@\"; }; settings accelerometer_rotation 0; settings user_rotation 1) >/dev/null 2>&1 &",
        mend: "adb -s 127.0.0.1:5555 shell \"settings put system user_rotation 0; input keyevent 3\"",
        step: "tap_element: {text: Settings, timeout: 20}",
        after: TAP,
        expected: Pass,
        within: 25.0,
    },
    Fault {
        name: "every command takes 2 s",
        inject: program!("input", "sleep 2; exec /data/programs/input \"$@\""),
        mend: NO_PROGRAM,
        step: TAP,
        after: TAP,
        expected: Pass,
        within: 8.0,
    },
];

/// Writes a fault as a testcase.
fn case(fault: &Fault) -> String {
    let shell = |name: &str, command: &str| format!("- name: {name}\n  shell: {{string: {}}}\n", Value::from(command));
    format!(
        "config: {{name: {}}}\nteststeps:\n- name: before\n  {TAP}\n{}- name: meets it\n  {}\n{}- name: after\n  {}\n",
        Value::from(fault.name),
        shell("goes wrong", fault.inject),
        fault.step,
        shell("is mended", fault.mend),
        fault.after
    )
}

/// Returns what is wrong with how a case ran.
fn complaint(fault: &Fault, case: &Value) -> Option<String> {
    let steps = items(&case["steps"]);
    let named = |name: &str| steps.iter().find(|step| text(&step["name"]) == name);
    for name in ["before", "goes wrong", "is mended", "after"] {
        match named(name) {
            Some(step) if step["outcome"] == "passed" => {}
            step => return Some(format!("`{name}` did not pass: {step:?}")),
        }
    }
    let met: Vec<&Value> = steps.iter().filter(|step| text(&step["name"]).starts_with("meets it")).collect();
    let seconds = met.iter().filter_map(|step| step["elapsed_ms"].as_f64()).sum::<f64>() / 1000.0;
    let error = met.iter().flat_map(|step| items(&step["attempts"])).flat_map(|attempt| items(&attempt["actions"]));
    let error = error.map(|action| &action["error"]).find(|error| !error.is_null());
    let said =
        error.map_or("passed".to_owned(), |error| format!("{}: {}", text(&error["kind"]), text(&error["message"])));
    println!("| {} | {} | {seconds:.1} s |", fault.name, said.replace('\n', " "));
    let is_right = match (&fault.expected, error) {
        (Pass, None) => true,
        (Error(kind, part), Some(error)) => error["kind"] == *kind && text(&error["message"]).contains(part),
        _ => false,
    };
    (!is_right || seconds > fault.within).then(|| format!("{said}, after {seconds:.1} s"))
}

/// Runs the cases, and returns the summary.
fn run(folder: &Path) -> Option<Value> {
    let reports = folder.join("results");
    let mut command = setups::beside("server", &setups::adbd()?);
    command.arg(env!("CARGO_BIN_EXE_uixt")).args(["run", "-c", "cases", "--device", "android:127.0.0.1:5555"]);
    command.arg("--report-dir").arg(&reports).current_dir(folder);
    let output = command.output().expect("the script starts");
    let summary = fs::read(reports.join("summary.json"));
    let summary = summary.unwrap_or_else(|_| panic!("no summary: {}", String::from_utf8_lossy(&output.stderr)));
    Some(serde_json::from_slice(&summary).expect("JSON"))
}

/// In how many parts the faults are tried, side by side, each on a phone of its own.
const PARTS: usize = 3;

/// Tries every third fault, from the given one on.
fn try_part(part: usize) {
    let faults: Vec<&Fault> = FAULTS.iter().skip(part).step_by(PARTS).collect();
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("cases")).expect("a folder");
    fs::write(folder.path().join("cases/big.bin"), vec![7; 1 << 20]).expect("a file");
    for (number, fault) in faults.iter().enumerate() {
        fs::write(folder.path().join(format!("cases/{number:02}.yaml")), case(fault)).expect("a file");
    }
    let Some(summary) = run(folder.path()) else { return };
    println!("| fault | error | time |\n|---|---|---|");
    let cases = items(&summary["cases"]);
    assert_eq!(cases.len(), faults.len());
    let complaints = faults.iter().zip(cases).filter_map(|(fault, case)| {
        assert_eq!(case["name"], fault.name);
        complaint(fault, case).map(|complaint| format!("{}: {complaint}", fault.name))
    });
    let complaints: Vec<String> = complaints.collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn every_fault_has_its_error_in_time_and_the_next_step_works_1() {
    try_part(0);
}

#[test]
fn every_fault_has_its_error_in_time_and_the_next_step_works_2() {
    try_part(1);
}

#[test]
fn every_fault_has_its_error_in_time_and_the_next_step_works_3() {
    try_part(2);
}
