//! A case → a trace of Playwright's: a ZIP that its trace viewer opens, with the steps as actions, pictures, and the testcase's file.
//!
//! Source of the format: version 10, as `playwright-core` 1.65 writes and reads it. Knows results only; what a device told of a failure
//! is read where the failure says that it lies.

mod actions;
mod archive;
mod elements;
mod film;
mod network;
mod pictures;

use std::io;
use std::path::Path;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use sha1::{Digest as _, Sha1};
use uixt_core::video::{self, Video};

use self::archive::Archive;
use super::AtomicFile;
use super::picture::Picture;
use crate::result::CaseResult;

/// The version of the format.
const VERSION: u32 = 10;
/// Where the clock of a trace stands as the case begins, in milliseconds: 0 stands for a time that nobody knows.
const START: i64 = 1_000;
/// The only page of a trace.
const PAGE: &str = "page@1";

/// A trace that is written.
struct Trace<'a> {
    /// The report's folder.
    dir: &'a Path,
    case: &'a CaseResult,
    lines: String,
    archive: Archive,
    /// What was filmed of the case.
    video: Option<Video>,
}

/// Writes the trace of a case of the report in `dir` into the file `to`. `source` is the text of the testcase's file.
pub fn write(dir: &Path, case: &CaseResult, source: Option<&str>, to: &Path) -> io::Result<()> {
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let name = to.file_name().and_then(|name| name.to_str()).unwrap_or("trace.zip");
    let archive = Archive::new(AtomicFile::create(folder, name)?);
    let mut trace = Trace { dir, case, lines: String::new(), archive, video: video::read(dir, &case.id) };
    trace.begin();
    trace.actions()?;
    trace.video()?;
    trace.log();
    trace.console();
    if let Some(source) = source {
        trace.source(source)?;
    }
    trace.archive.text("trace.trace", &trace.lines)?;
    let network = trace.network();
    trace.archive.text("trace.network", &network)?;
    trace.archive.finish()
}

impl Trace<'_> {
    fn push(&mut self, event: &Value) {
        self.lines.push_str(&event.to_string());
        self.lines.push('\n');
    }

    /// Returns a time of the case on the trace's clock, in milliseconds.
    fn time(&self, at: DateTime<Utc>) -> i64 {
        (at - self.case.at).num_milliseconds().max(0) + START
    }

    /// Tells what the trace is of.
    fn begin(&mut self) {
        let case = self.case;
        let device = case.device.as_ref();
        let name = if case.name.is_empty() { &case.file } else { &case.name };
        let (width, height) = self.first_size().unwrap_or((1280, 720));
        self.push(&json!({
            "version": VERSION, "type": "context-options", "origin": "library", "sdkLanguage": "javascript",
            "title": name, "browserName": device.map_or("", |device| &device.name),
            "platform": device.map_or("", |device| &device.platform),
            "wallTime": case.at.timestamp_millis(), "monotonicTime": START,
            "options": {"viewport": {"width": width, "height": height}},
        }));
    }

    /// Returns the size of the first picture.
    fn first_size(&self) -> Option<(u32, u32)> {
        let actions = self.case.steps.iter().flat_map(|step| &step.attempts).flat_map(|attempt| &attempt.actions);
        let mut paths = actions.filter_map(|action| action.screenshot.as_deref());
        paths.find_map(|path| Picture::find(self.dir, path)?.size)
    }

    /// Writes what the case's log says, and why it ended, as the output beside the actions.
    fn log(&mut self) {
        let case = self.case;
        for line in &case.log {
            let kind = if line.level == "info" { "stdout" } else { "stderr" };
            let text = format!("{}: {}\n", line.level, line.message);
            self.push(&json!({"type": kind, "timestamp": self.time(line.at), "text": text}));
        }
        if let Some(error) = &case.error {
            let end = START + i64::try_from(case.elapsed_ms).unwrap_or(0);
            let text = format!("{}: {}\n", error.kind, error.message);
            self.push(&json!({"type": "stderr", "timestamp": end, "text": text}));
        }
    }

    /// Adds the testcase's file under the name by which the viewer looks for it: what SHA-1 makes of its path.
    fn source(&mut self, text: &str) -> io::Result<()> {
        let path = &self.case.file;
        let digest: String = Sha1::digest(path.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let end = name.rfind('.').filter(|at| *at > 0).map_or("", |at| &name[at..]);
        self.archive.text(&format!("src/{digest}{end}"), text)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::super::sample;
    use super::*;

    /// Returns the names of a trace's files, and its events.
    fn opened(path: &Path) -> (Vec<String>, Vec<Value>) {
        let mut archive = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
        let mut text = String::new();
        archive.by_name("trace.trace").unwrap().read_to_string(&mut text).unwrap();
        let names = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
        (names, text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    #[test]
    fn a_case_is_a_trace_with_its_steps_pictures_and_source() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("screenshots")).unwrap();
        for name in ["0041", "0042"] {
            std::fs::write(dir.path().join(format!("screenshots/{name}.png")), sample::png(1080, 2400)).unwrap();
        }
        let case = &sample::run().1[1];
        let to = dir.path().join("out/trace.zip");
        write(dir.path(), case, Some("config: {}\n"), &to).unwrap();
        let (names, events) = opened(&to);
        let of = |kind: &str| events.iter().filter(|event| event["type"] == kind).collect::<Vec<_>>();
        assert_eq!((events[0]["version"].as_u64(), &events[0]["type"]), (Some(10), &json!("context-options")));
        let titles: Vec<_> = of("before").iter().map(|event| event["title"].clone()).collect();
        assert_eq!(titles.len(), 4);
        assert_eq!(titles[1], "tap_element \"登录\"");
        let failed = of("after")[3]["error"]["message"].clone();
        assert!(failed.as_str().unwrap().starts_with("not there within 10 s"), "{failed}");
        let point = &of("input")[0]["point"];
        assert_eq!((point["x"].as_f64(), point["y"].as_f64()), (Some(540.0), Some(1464.0)));
        assert_eq!(of("screencast-frame").len(), 2);
        assert!(names.contains(&"screenshots/0041.png".to_owned()), "{names:?}");
        assert!(names.iter().any(|name| name.starts_with("src/") && name.len() == 49), "{names:?}");
    }
}
