//! `--allure DIR`: results in Allure 2's files, a `*-result.json` per case, with pictures beside them as `*-attachment.png`.
//!
//! What a file is called depends on the case and its start alone: results that are written again replace themselves, and
//! several runs may share a folder.

mod case;

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde_json::json;

use super::atomic_file::AtomicFile;
use super::{Options, Report, ci, identity, picture};
use crate::result::{CaseResult, RunResult};

/// How many devices the environment names.
const MOST_DEVICES: usize = 64;

struct Allure {
    /// The report's folder, where the pictures are.
    pictures: PathBuf,
    dir: PathBuf,
    uixt: String,
    devices: BTreeMap<String, String>,
}

/// Begins the results in the folder that the options name.
pub(super) fn open(dir: &Path, run: &RunResult, options: &Options) -> io::Result<Box<dyn Report>> {
    let results = options.allure.clone().unwrap_or_else(|| dir.join("allure-results"));
    fs::create_dir_all(&results)?;
    Ok(Box::new(Allure { pictures: dir.to_owned(), dir: results, uixt: run.uixt.clone(), devices: BTreeMap::new() }))
}

impl Report for Allure {
    fn case(&mut self, case: &CaseResult) -> io::Result<()> {
        if let Some(device) = case.device.as_ref().filter(|_| self.devices.len() < MOST_DEVICES) {
            self.devices.insert(device.serial.clone(), format!("{}, {}", device.name, device.platform));
        }
        let mut result = case::result(case);
        case::attach(&mut result, &mut |path| self.attachment(case, path));
        let mut file = AtomicFile::create(&self.dir, &format!("{}-result.json", identity::of_run_of(case)))?;
        serde_json::to_writer(&mut file, &result)?;
        file.keep()
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        let mut file = AtomicFile::create(&self.dir, "environment.properties")?;
        let about = [("uixt", self.uixt.as_str()), ("platform", std::env::consts::OS)];
        let devices = self.devices.iter().map(|(serial, told)| (format!("device.{serial}"), told.as_str()));
        for (key, value) in about.into_iter().map(|(key, value)| (key.to_owned(), value)).chain(devices) {
            writeln!(file, "{} = {}", property(&key, true), property(value, false))?;
        }
        file.keep()?;
        self.executor()
    }
}

impl Allure {
    /// Puts a picture beside the results; returns its name there, or none where it is missing.
    fn attachment(&self, case: &CaseResult, path: &str) -> Option<(String, &'static str)> {
        let found = picture::Picture::find(&self.pictures, path)?;
        let name = format!("{}-attachment.{}", identity::of_picture(case, path), found.ending());
        super::link(&self.pictures.join(picture::inside(path)?), &self.dir, &name).ok()?;
        Some((name, found.kind))
    }

    /// Says which CI server runs this, where one does that can be named.
    fn executor(&self) -> io::Result<()> {
        let Some(job) = ci::Job::detect() else { return Ok(()) };
        let mut file = AtomicFile::create(&self.dir, "executor.json")?;
        let mut executor = json!({"name": job.server, "type": job.kind, "buildName": job.name});
        if let Some(number) = job.number {
            executor["buildOrder"] = number.into();
        }
        if let Some(url) = job.url {
            executor["buildUrl"] = url.into();
        }
        serde_json::to_writer(&mut file, &executor)?;
        file.keep()
    }
}

/// Escapes a part of a line as Java's properties files want it.
fn property(text: &str, is_key: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            ' ' | ':' | '=' | '#' | '!' if is_key => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::sample;
    use super::*;

    fn options(dir: &Path) -> Options {
        Options { allure: Some(dir.join("allure")), ..Options::default() }
    }

    fn write(dir: &Path) -> Vec<(String, Value)> {
        let (run, cases) = sample::run();
        let mut report = open(dir, &run, &options(dir)).unwrap();
        cases.iter().for_each(|case| report.case(case).unwrap());
        report.finish().unwrap();
        let entries = fs::read_dir(dir.join("allure")).unwrap().map(|entry| entry.unwrap());
        let read = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().unwrap();
            let value = serde_json::from_slice(&fs::read(entry.path()).unwrap()).unwrap_or(Value::Null);
            (name, value)
        };
        entries.map(read).collect()
    }

    fn results(written: &[(String, Value)]) -> Vec<&Value> {
        written.iter().filter(|(name, _)| name.ends_with("-result.json")).map(|(_, value)| value).collect()
    }

    #[test]
    fn every_outcome_has_its_status() {
        let dir = tempfile::tempdir().unwrap();
        let written = write(dir.path());
        let mut told: Vec<_> = results(&written)
            .iter()
            .map(|result| {
                let flaky = result["statusDetails"]["flaky"] == true;
                (result["status"].as_str().unwrap().to_owned(), flaky)
            })
            .collect();
        told.sort();
        let expected = [("broken", false), ("failed", false), ("passed", false), ("passed", true), ("skipped", false)];
        assert_eq!(told, expected.map(|(status, flaky)| (status.to_owned(), flaky)));
    }

    #[test]
    fn a_picture_lies_beside_the_result_that_names_it() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("screenshots")).unwrap();
        fs::write(dir.path().join("screenshots/0042.png"), sample::png(3, 7)).unwrap();
        let written = write(dir.path());
        let names = |ending: &str| written.iter().filter(|(name, _)| name.ends_with(ending)).count();
        assert_eq!(names("-attachment.png"), 1);
        let failed = results(&written).into_iter().find(|result| result["status"] == "failed").unwrap();
        let step = &failed["steps"][3];
        let source = step["attachments"][0]["source"].as_str().unwrap();
        assert!(written.iter().any(|(name, _)| name == source));
        assert_eq!(step["attachments"][0]["type"], "image/png");
        assert_eq!(failed["steps"][1]["attachments"], Value::Null, "a picture that is missing is not promised");
    }

    #[test]
    fn what_is_written_again_replaces_itself() {
        let dir = tempfile::tempdir().unwrap();
        let before = write(dir.path()).len();
        assert_eq!(write(dir.path()).len(), before);
    }

    #[test]
    fn properties_are_escaped() {
        assert_eq!(property("device.127.0.0.1:5555", true), "device.127.0.0.1\\:5555");
        assert_eq!(property("a\\b\nc = d", false), "a\\\\b c = d");
    }
}
