//! The driver against transcripts of commands, as devices of every version and maker print them: `tests/recordings`.
//!
//! A transcript answers a command line as a device's shell does, pipes to `grep` included, so that the driver's own patterns
//! are tried as well. Each is tried three times: as it is, with the line ends of an old terminal, and behind the warnings of
//! Android's loader.

use std::path::{Path, PathBuf};
use std::time::Duration;

use regex::Regex;

use super::Android;
use super::tests::phone;
use crate::adb::fake::{Fake, Reply};
use crate::driver::{Driver as _, Element, Error, LogQuery};

/// What stands before the lines that say where a format was seen, and what is read from it.
const NOTE: &str = "#: ";
const NOISE: &str = "WARNING: linker: /system/lib/libx.so: unused DT entry: type 0x1d arg 0x4e2a\n";

/// What commands printed on one device.
#[derive(Clone, Debug)]
pub(super) struct Transcript {
    pub(super) name: String,
    /// What is looked at, and what is to be seen.
    expected: Vec<(String, String)>,
    /// Commands, without what their arguments do not change, and what each printed.
    pub(super) sections: Vec<(String, String)>,
}

impl Transcript {
    fn read(path: &Path) -> Self {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let (mut expected, mut sections, mut has_source) = (Vec::new(), Vec::<(String, String)>::new(), false);
        for line in text.split_inclusive('\n') {
            if let Some(note) = line.strip_prefix(NOTE) {
                has_source |= note.starts_with("source ");
                if let Some((look, seen)) = note.trim_end().strip_prefix("expect ").and_then(|e| e.split_once(" => ")) {
                    expected.push((look.to_owned(), seen.to_owned()));
                }
            } else if let Some(command) = line.strip_prefix("$ ") {
                sections.push((command.trim_end().to_owned(), String::new()));
            } else if let Some((_, said)) = sections.last_mut() {
                said.push_str(line);
            }
        }
        assert!(has_source && !expected.is_empty() && !sections.is_empty(), "{name} tells no source, or nothing");
        Self { name, expected, sections }
    }

    /// Returns this transcript with everything that was said changed.
    fn changed(&self, change: impl Fn(&str) -> String) -> Self {
        let sections = self.sections.iter().map(|(command, said)| (command.clone(), change(said))).collect();
        Self { sections, ..self.clone() }
    }

    /// Answers a command line: commands one after the other, each with a `grep -E` behind it or none. What was ended does not run
    /// any more.
    fn answer(&self, line: &str) -> String {
        let commands = split(line);
        let ended = commands.iter().position(|command| command.starts_with("am force-stop ")).unwrap_or(commands.len());
        let is_gone = |place: usize, command: &str| place > ended && command.starts_with("pidof ");
        let run = commands.iter().enumerate().filter(|(place, command)| !is_gone(*place, command));
        run.map(|(_, command)| self.run(command)).collect()
    }

    fn run(&self, command: &str) -> String {
        if let Some((name, value)) = command.strip_prefix("echo ").and_then(|rest| rest.split_once("=$(")) {
            // Warnings go to the standard error, of which `$(…)` takes nothing.
            return format!("{name}={}\n", self.said(value.trim_end_matches(')')).lines().last().unwrap_or_default());
        }
        if let Some(word) = command.strip_prefix("echo ") {
            return format!("{word}\n");
        }
        let Some((command, pattern)) = command.split_once(" | grep -E ") else { return self.said(command).to_owned() };
        let pattern = Regex::new(pattern.trim_matches('\'')).unwrap();
        self.said(command).split_inclusive('\n').filter(|line| pattern.is_match(line)).collect()
    }

    /// Returns what a command said, or else one of which it is a part: `dumpsys window` says what `dumpsys window policy` does.
    fn said(&self, command: &str) -> &str {
        let is_part =
            |known: &str| command.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
        let known = self.sections.iter().filter(|(known, _)| is_part(known));
        known.max_by_key(|(known, _)| known.len()).map_or("", |(_, said)| said)
    }
}

/// Splits a command line at `;` and `&&`, where they are not quoted.
fn split(line: &str) -> Vec<String> {
    let (mut parts, mut quoted) = (vec![String::new()], false);
    for letter in line.replace("&&", ";").chars() {
        quoted ^= letter == '\'';
        if letter == ';' && !quoted {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).collect()
}

/// Reads every transcript.
pub(super) fn all() -> Vec<Transcript> {
    let mut paths = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/recordings"), &mut paths);
    paths.sort();
    paths.iter().map(|path| Transcript::read(path)).collect()
}

fn files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "txt") {
            into.push(path);
        }
    }
}

/// How long the driver waits for what a transcript may never show. A busy machine needs longer to see what it does show.
const SHORT: Duration = Duration::from_millis(60);
const LONG: Duration = Duration::from_secs(5);

async fn device(transcript: &Transcript, timeout: Duration) -> (Android, Fake) {
    let transcript = transcript.clone();
    let (mut android, fake) = phone(move |line| Reply::stdout(transcript.answer(line))).await;
    android.timeout = timeout;
    (android, fake)
}

/// Looks at a device in one way, and writes down what is seen.
async fn look(android: &Android, what: &str) -> String {
    let (what, argument) = what.split_once(' ').unwrap_or((what, ""));
    let seen = match what {
        "display" => android.display().await.map(|display| {
            format!("{}x{} {}", display.size.width, display.size.height, if display.lit { "lit" } else { "dark" })
        }),
        "front" => android.foreground().await.map(|f| [f.package, f.activity, f.name].join(" ").trim().to_owned()),
        "turned" => android.orientation().await.map(|turned| format!("{:?} auto={}", turned.orientation, turned.auto)),
        "lock" => android
            .lock_state()
            .await
            .map(|lock| format!("awake={} locked={} secure={}", lock.awake, lock.locked, lock.secure)),
        "details" => android.details().await.map(|d| {
            let numbers = [d.api_level, d.density, d.battery].map(|n| n.map_or("?".to_owned(), |n| n.to_string()));
            format!("{} | {} | {} | {}", d.manufacturer, d.model, d.version, numbers.join(" "))
        }),
        "app" => android.app_info(argument).await.map(|app| {
            let numbers = [app.min_sdk, app.target_sdk].map(|n| n.map_or("?".to_owned(), |n| n.to_string()));
            let granted = app.permissions.iter().filter(|permission| permission.granted).count();
            let code = app.version_code.unwrap_or_default();
            let numbers = numbers.join(" ");
            format!("`{}` {code} {numbers} system={} {} {granted} granted", app.version_name, app.system, app.path)
        }),
        "imes" => android.input_methods().await.map(|m| format!("{} of {}", m.current, m.installed.len())),
        "packages" => android.packages().await.map(|packages| packages.join(" ")),
        "launch" => android.launch(argument).await.map(|()| "launched".to_owned()),
        "open" => android.open_url(argument, None).await.map(|app| app.unwrap_or_else(|| "untold".to_owned())),
        "running" => android.is_running(argument).await.map(|running| running.to_string()),
        "stop" => android.terminate(argument).await.map(|was_running| format!("was running: {was_running}")),
        "install" => {
            let output = android.device().shell("pm install").await.unwrap();
            super::packages::succeeded("pm install", &output).map(|()| "installed".to_owned())
        }
        "log" => android
            .log(&LogQuery::default())
            .await
            .map(|lines| format!("{} lines, the last: {}", lines.len(), lines.last().cloned().unwrap_or_default())),
        "screen" => android.screen().await.map(|screen| {
            let mut words = Vec::new();
            let mut count = 0;
            screen.roots.iter().for_each(|root| {
                root.walk(&mut |element: &Element| {
                    count += 1;
                    words.extend((!element.name().is_empty() && !element.rect.is_empty()).then(|| element.name()));
                });
            });
            format!("{count} elements, {} windows: {}", screen.roots.len(), words.join(" | ").replace('\n', "\\n"))
        }),
        _ => panic!("`{what}` is not a way to look"),
    };
    seen.unwrap_or_else(|error: Error| format!("error: {error}"))
}

async fn check(transcript: &Transcript, how: &str, wrong: &mut Vec<String>) {
    let (android, _fake) = device(transcript, SHORT).await;
    for (what, expected) in &transcript.expected {
        let fits = |seen: &str| match expected.strip_prefix("error:") {
            Some(part) => seen.starts_with("error: ") && seen.contains(part.trim()),
            None => seen == *expected,
        };
        let mut seen = look(&android, what).await;
        if !fits(&seen) {
            let (patient, _fake) = device(transcript, LONG).await;
            seen = look(&patient, what).await;
        }
        if !fits(&seen) {
            wrong.push(format!("{} ({how}), {what}:\n  expected {expected}\n  seen     {seen}", transcript.name));
        }
    }
}

#[tokio::test]
async fn every_recording_is_read_as_it_is_meant() {
    let mut wrong = Vec::new();
    for transcript in all() {
        check(&transcript, "as it is", &mut wrong).await;
        let is_tree = |said: &str| said.contains("<hierarchy");
        let terminal = |said: &str| if is_tree(said) { said.to_owned() } else { said.replace('\n', "\r\n") };
        check(&transcript.changed(terminal), "CR LF", &mut wrong).await;
        check(&transcript.changed(|said| format!("{NOISE}{NOISE}{said}")), "warnings before", &mut wrong).await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn command_lines_are_answered_as_a_shell_does() {
    let sections = [("dumpsys window", "  a=1\nb=2\n"), ("getprop x", "y\n")];
    let sections = sections.map(|(command, said)| (command.to_owned(), said.to_owned())).to_vec();
    let transcript = Transcript { name: String::new(), expected: Vec::new(), sections };
    assert_eq!(transcript.answer("dumpsys window d | grep -E '^ *a=|;'; echo k=$(getprop x) && z"), "  a=1\nk=y\n");
}
