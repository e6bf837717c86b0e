//! Faults of a rack of phones, on each way to a phone: each has its own error, in time, and the next step works when the device
//! does; nothing is run again, and nothing that may have happened is sent twice.
//!
//! The table of what came of each is printed (`cargo nextest run --test it phone::faults:: --no-capture`) and kept in target/faults.md.

mod list;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;

use self::list::{Expected, Fault, TAP};
use crate::support::debian_adbd;
use crate::support::{items, text};

/// A way to a phone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Embedded,
    Face,
    Adbd,
    DirectFace,
    DirectAdbd,
}

const WAYS: [Way; 5] = [Way::Embedded, Way::Face, Way::Adbd, Way::DirectFace, Way::DirectAdbd];
/// In how many parts the faults of a way are tried, side by side, each on a phone of its own.
const PARTS: usize = 3;

impl Way {
    fn name(self) -> &'static str {
        match self {
            Self::Embedded => "(a) embedded phone",
            Self::Face => "(b) adb server, phone's adbd",
            Self::Adbd => "(c) adb server, Debian's adbd",
            Self::DirectFace => "(d) straight to the phone's adbd",
            Self::DirectAdbd => "(d) straight to Debian's adbd",
        }
    }

    fn server(self) -> &'static str {
        if matches!(self, Self::DirectFace | Self::DirectAdbd) { "none" } else { uixt::adb::DEFAULT_ADDRESS }
    }

    /// Returns a command whose further arguments are one that runs where the phone is; says why where there is none.
    fn place(self) -> Option<Command> {
        let way = if self.server() == "none" { "direct" } else { "server" };
        match self {
            Self::Embedded => Some(Command::new("env")),
            Self::Face | Self::DirectFace => debian_adbd::alone().then(|| debian_adbd::beside(way, Path::new("phone"))),
            Self::Adbd | Self::DirectAdbd => Some(debian_adbd::beside(way, &debian_adbd::adbd()?)),
        }
    }

    fn device(self) -> &'static str {
        if self == Self::Embedded { "phone" } else { "android:127.0.0.1:5555" }
    }
}

/// What came of a fault on a way.
struct Row {
    fault: &'static str,
    way: Way,
    /// What was shown, how long it took, and whether the next step passed.
    said: String,
    seconds: f64,
    recovered: bool,
    complaint: Option<String>,
}

/// Writes a fault as a testcase, the so-manieth of its way.
fn case(fault: &Fault, number: usize) -> String {
    let taps = format!("/data/local/tmp/taps-{number}");
    let mut steps = format!("- name: begins\n  home:\n- name: before\n  {TAP}\n");
    let mut push = |name: &str, from: &str, to: &str| {
        writeln!(steps, "- name: {name}\n  push_file: {{from: {from}, to: {to}}}").expect("a text");
    };
    if fault.name.contains("10 MB") {
        push("before", "long", "/data/local/tmp/long");
    }
    let place = fault.program.map(|(program, _)| format!("/data/local/tmp/uixt-faults/{program}"));
    if let Some(place) = &place {
        push("goes wrong", &format!("{number:02}.sh"), place);
    }
    let shell = |name: &str, command: &str| format!("- name: {name}\n  shell: {{string: {}}}\n", Value::from(command));
    if !fault.inject.is_empty() {
        steps.push_str(&shell("goes wrong", fault.inject));
    }
    writeln!(steps, "- name: meets it\n  {}", fault.step).expect("a text");
    if !fault.mend.is_empty() {
        steps.push_str(&shell("is mended", fault.mend));
    }
    if let Some(place) = &place {
        writeln!(steps, "- name: is mended\n  push_file: {{from: nothing, to: {place}}}").expect("a text");
    }
    steps.push_str(fault.proof.replace("TAPS", &taps).trim_start());
    format!("config: {{name: {}}}\nteststeps:\n{steps}- name: after\n  {}\n", Value::from(fault.name), fault.after)
}

/// Reads what came of a case.
fn row(fault: &Fault, way: Way, case: &Value) -> Row {
    let steps = items(&case["steps"]);
    let passed = |step: &Value| step["outcome"] == "passed";
    let is_met = |step: &&Value| text(&step["name"]).starts_with("meets it");
    let met: Vec<&Value> = steps.iter().filter(is_met).collect();
    let seconds = met.iter().filter_map(|step| step["elapsed_ms"].as_f64()).sum::<f64>() / 1000.0;
    let attempts = || steps.iter().map(|step| items(&step["attempts"]));
    let actions = met.iter().flat_map(|step| items(&step["attempts"])).flat_map(|attempt| items(&attempt["actions"]));
    let error = actions.map(|action| &action["error"]).find(|error| !error.is_null());
    let said = error.map_or("passed".to_owned(), |error| {
        format!("{}: {}", text(&error["kind"]), text(&error["message"]).replace('\n', " "))
    });
    let is_right = match (&fault.expected, error) {
        (Expected::Pass, None) => true,
        (Expected::Error(kind, part), Some(error)) => error["kind"] == *kind && text(&error["message"]).contains(part),
        _ => false,
    };
    let others = steps.iter().filter(|step| !is_met(step)).find(|step| !passed(step));
    let recovered = steps.last().is_some_and(|step| text(&step["name"]).starts_with("after") && passed(step));
    let complaint = if met.is_empty() {
        Some("it was not tried".to_owned())
    } else if let Some(other) = others {
        Some(format!("`{}` did not pass: {other}", text(&other["name"])))
    } else if attempts().any(|attempts| attempts.len() != 1) {
        Some("a step was run again".to_owned())
    } else if !is_right || seconds > fault.within {
        Some(format!("{said}, after {seconds:.1} s"))
    } else {
        (!recovered).then(|| "the last step did not run".to_owned())
    };
    Row { fault: fault.name, way, said, seconds, recovered, complaint }
}

/// Runs the cases, and returns the summary.
fn run(mut place: Command, way: Way, folder: &Path) -> Value {
    let reports = folder.join("results");
    place.env_remove("UIXT_DEVICE").env_remove("UIXT_ADB_SERVER").stdin(Stdio::null());
    place.arg(env!("CARGO_BIN_EXE_uixt")).args(["run", "-c", "cases", "--screenshots", "never"]);
    place.args(["--device", way.device(), "--adb-server", way.server()]);
    place.arg("--report-dir").arg(&reports).current_dir(folder);
    let output = place.output().expect("the script starts");
    let summary = fs::read(reports.join("summary.json"));
    let summary = summary.unwrap_or_else(|_| panic!("{}: {}", way.name(), String::from_utf8_lossy(&output.stderr)));
    serde_json::from_slice(&summary).expect("JSON")
}

/// Tries every third fault of a way, from the given one on.
fn try_part(way: Way, part: usize) -> Vec<Row> {
    let Some(place) = way.place() else { return Vec::new() };
    let faults: Vec<Fault> = list::all().into_iter().filter(|fault| fault.on.contains(&way)).collect();
    let faults: Vec<&Fault> = faults.iter().skip(part).step_by(PARTS).collect();
    let folder = tempfile::tempdir().expect("a folder");
    let cases = folder.path().join("cases");
    fs::create_dir(&cases).expect("a folder");
    let write = |name: &str, bytes: &[u8]| fs::write(cases.join(name), bytes).expect("a file");
    write("big", &vec![7; 1 << 20]);
    write("long", &vec![b'x'; 10_000_000]);
    write("nothing", b"");
    for (number, fault) in faults.iter().enumerate() {
        write(&format!("{number:02}.yaml"), case(fault, number).as_bytes());
        if let Some((_, script)) = fault.program {
            let script = script.replace("TAPS", &format!("/data/local/tmp/taps-{number}"));
            write(&format!("{number:02}.sh"), script.as_bytes());
        }
    }
    let summary = run(place, way, folder.path());
    let ran = items(&summary["cases"]);
    assert_eq!(ran.len(), faults.len(), "{summary}");
    faults.iter().zip(ran).map(|(fault, case)| row(fault, way, case)).collect()
}

/// Asks for a device without naming one, where there are two; straight to them, nothing but a name leads to one.
const AMONG_TWO: &str = r#"
[[ $1 == none ]] || { adb connect localhost:5555 >/dev/null && adb -s localhost:5555 wait-for-device; } || exit 100
TIMEFORMAT=%R
time "$0" call get_screen_size --adb-server "$1" >&2
code=$?
"$0" call get_screen_size --adb-server "$1" --device android:127.0.0.1:5555 && echo recovered
exit $code
"#;

/// Two devices, and nobody says which.
fn among_two(way: Way) -> Option<Row> {
    let mut place = way.place()?;
    place.args(["bash", "-c", AMONG_TWO, env!("CARGO_BIN_EXE_uixt"), way.server()]);
    let output = place.output().expect("the script starts");
    let said = String::from_utf8_lossy(&output.stderr);
    let (said, seconds) = said.trim_end().rsplit_once('\n').unwrap_or_default();
    let told: Value = serde_json::from_str(said).unwrap_or_else(|error| panic!("{error}: {said}"));
    let said = format!("{}: {}", text(&told["kind"]), text(&told["message"]));
    let recovered = String::from_utf8_lossy(&output.stdout).contains("recovered");
    let wanted = if way.server() == "none" { (3, "no device is connected: ") } else { (2, "localhost:5555") };
    let is_right = output.status.code() == Some(wanted.0) && said.contains(wanted.1) && recovered;
    let complaint = (!is_right).then(|| format!("{said} {:?}", output.status));
    let seconds = seconds.parse().unwrap_or_default();
    Some(Row { fault: "two devices, and none is named", way, said, seconds, recovered, complaint })
}

/// Writes the rows as a table, in the order of the faults; those that cannot happen say why.
fn table(rows: &[Row]) -> String {
    let mut table = "| fault | way | shown | took | the next step |\n|---|---|---|---|---|\n".to_owned();
    let mut names: Vec<&str> =
        list::all().iter().map(|fault| fault.name).chain(rows.iter().map(|row| row.fault)).collect();
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(*name));
    for name in names {
        for way in WAYS {
            let tried = rows.iter().find(|row| row.fault == name && row.way == way);
            let why_not = list::all().into_iter().find(|fault| fault.name == name && !fault.why_not.is_empty());
            let line = match (tried, why_not) {
                (Some(Row { said, seconds, recovered, .. }), _) => {
                    let next = if *recovered { "passed" } else { "FAILED" };
                    format!("{} | {seconds:.1} s | {next}", said.replace('|', "\\|"))
                }
                (None, Some(fault)) if !fault.on.contains(&way) => format!("– ({}) | | ", fault.why_not),
                // It is alone there, or what the way needs is missing here, which was said.
                _ => "– | | ".to_owned(),
            };
            writeln!(table, "| {name} | {} | {line} |", way.name()).expect("a text");
        }
    }
    table
}

#[test]
fn every_fault_has_its_error_in_time_and_the_next_step_works() {
    let rows: Vec<Row> = thread::scope(|scope| {
        let parts = WAYS.iter().flat_map(|way| (0..PARTS).map(move |part| (*way, part)));
        let running: Vec<_> = parts.map(|(way, part)| scope.spawn(move || try_part(way, part))).collect();
        let among: Vec<_> = WAYS[1..].iter().map(|way| scope.spawn(move || among_two(*way))).collect();
        let among = among.into_iter().filter_map(|thread| thread.join().expect("no panic")).collect::<Vec<_>>();
        let tried = running.into_iter().flat_map(|thread| thread.join().expect("no panic"));
        tried.chain(among).collect()
    });
    let table = table(&rows);
    println!("{table}");
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/faults.md");
    fs::write(&kept, table).expect("the table is kept");
    let complaints = rows.iter().filter_map(|row| {
        row.complaint.as_ref().map(|complaint| format!("{}, {}: {complaint}", row.fault, row.way.name()))
    });
    let complaints: Vec<String> = complaints.collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
