//! `junit.xml`: a `testsuite` per testcase file and device, a `testcase` per case, after Jenkins' junit-10 schema with the
//! elements that Surefire added for reruns.
//!
//! Cases of several devices finish interleaved and a suite's totals stand before its cases; so cases are put aside on disk
//! and gathered at the end.

mod case;

use std::collections::HashMap;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, Utc};
use quick_junit::{Property, TestSuite};
use uixt_core::tool_times::ToolTimes;

use super::atomic_file::AtomicFile;
use super::spool::Spool;
use super::{Options, Report, wording};
use crate::result::{CaseResult, Device, Failure, ModelUsage, Outcome, RunResult};

struct Junit {
    draft: AtomicFile,
    spool: Spool,
    run: RunResult,
    suites: Vec<Suite>,
    /// Where the suite of a file and a device (platform and serial) stands in `suites`.
    index: HashMap<(String, Option<(String, String)>), usize>,
}

/// What is known of a suite without its cases.
struct Suite {
    file: String,
    device: Option<Device>,
    at: DateTime<Utc>,
    elapsed_ms: u64,
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    cases: Vec<Range<u64>>,
}

/// Begins `junit.xml` in the folder `dir`.
pub(super) fn open(dir: &Path, run: &RunResult, _: &Options) -> io::Result<Box<dyn Report>> {
    let draft = AtomicFile::create(dir, "junit.xml")?;
    let spool = Spool::create(dir, "junit.cases")?;
    Ok(Box::new(Junit { draft, spool, run: run.clone(), suites: Vec::new(), index: HashMap::new() }))
}

impl Report for Junit {
    fn case(&mut self, case: &CaseResult) -> io::Result<()> {
        let text = case_text(case)?;
        let stretch = self.spool.push(&text)?;
        self.suite(case).add(case, stretch);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        if let Some(case) = unfinished(&self.run) {
            self.case(&case)?;
        }
        let (head, foot) = self.frame()?;
        self.draft.write_all(head.as_bytes())?;
        let mut devices: HashMap<&str, usize> = HashMap::new();
        self.suites.iter().for_each(|suite| *devices.entry(&suite.file).or_default() += 1);
        for suite in &self.suites {
            let (head, foot) = suite.frame(devices[suite.file.as_str()] > 1, &self.run.uixt)?;
            self.draft.write_all(head.as_bytes())?;
            for stretch in &suite.cases {
                self.spool.copy(stretch, &mut self.draft)?;
            }
            self.draft.write_all(foot.as_bytes())?;
        }
        self.draft.write_all(foot.as_bytes())?;
        self.draft.keep()
    }
}

impl Junit {
    fn suite(&mut self, case: &CaseResult) -> &mut Suite {
        let device = case.device.as_ref().map(|device| (device.platform.clone(), device.serial.clone()));
        let next = self.suites.len();
        let at = *self.index.entry((case.file.clone(), device)).or_insert(next);
        if at == next {
            self.suites.push(Suite::begin(case));
        }
        &mut self.suites[at]
    }

    /// Returns what stands before the first suite and after the last.
    fn frame(&self) -> io::Result<(String, String)> {
        let sum = |count: fn(&Suite) -> usize| self.suites.iter().map(count).sum();
        let mut report = quick_junit::Report::new("uixt");
        report.set_time(Duration::from_millis(self.run.elapsed_ms));
        report.tests = sum(|suite| suite.tests);
        report.failures = sum(|suite| suite.failures);
        report.errors = sum(|suite| suite.errors);
        let text = report.to_string().map_err(io::Error::other)?;
        // The schema knows `skipped` on suites only.
        split(&text.replacen(" skipped=\"0\"", "", 1), "</testsuites>")
    }
}

impl Suite {
    fn begin(case: &CaseResult) -> Self {
        Self {
            file: case.file.clone(),
            device: case.device.clone(),
            at: case.at,
            elapsed_ms: 0,
            tests: 0,
            failures: 0,
            errors: 0,
            skipped: 0,
            cases: Vec::new(),
        }
    }

    fn add(&mut self, case: &CaseResult, stretch: Range<u64>) {
        self.tests += 1;
        match case.outcome {
            Outcome::Skipped => self.skipped += 1,
            Outcome::Passed | Outcome::Healed | Outcome::Flaky => {}
            Outcome::Failed => self.failures += 1,
            Outcome::Errored => self.errors += 1,
        }
        self.at = self.at.min(case.at);
        self.elapsed_ms = self.elapsed_ms.saturating_add(case.elapsed_ms);
        match self.cases.last_mut() {
            Some(last) if last.end == stretch.start => last.end = stretch.end,
            _ => self.cases.push(stretch),
        }
    }

    /// Returns what stands before the suite's cases and after them; `shared` where the file ran on several devices.
    fn frame(&self, shared: bool, uixt: &str) -> io::Result<(String, String)> {
        let name = match &self.device {
            Some(device) if shared => format!("{} ({} {})", self.file, device.name, device.serial),
            _ => self.file.clone(),
        };
        let mut suite = TestSuite::new(&*wording::one_line(&name));
        suite.set_timestamp(self.at).set_time(Duration::from_millis(self.elapsed_ms));
        suite.add_properties(self.properties(uixt));
        suite.tests = self.tests;
        suite.failures = self.failures;
        suite.errors = self.errors;
        suite.skipped = self.skipped;
        let text = suite_text(suite)?;
        let begin = text.find("    <testsuite ").unwrap_or(0);
        let end = text.find("</testsuites>").unwrap_or(text.len());
        split(&text[begin..end], "    </testsuite>")
    }

    fn properties(&self, uixt: &str) -> Vec<Property> {
        let device = self
            .device
            .iter()
            .flat_map(|device| [("device", &device.name), ("platform", &device.platform), ("serial", &device.serial)]);
        let told = device.map(|(name, value)| Property::new(name, &*wording::one_line(value)));
        told.chain([Property::new("uixt", uixt)]).collect()
    }
}

fn suite_text(suite: TestSuite) -> io::Result<String> {
    let mut report = quick_junit::Report::unnamed();
    report.add_test_suite(suite);
    report.to_string().map_err(io::Error::other)
}

/// Splits before the last `mark`; text from a testcase cannot hold one, since its `<` is escaped.
fn split(text: &str, mark: &str) -> io::Result<(String, String)> {
    let at = text.rfind(mark).ok_or_else(|| io::Error::other("the JUnit writer changed its layout"))?;
    Ok((text[..at].to_owned(), text[at..].to_owned()))
}

/// Returns a case that errors for a run that did not work without any other sign of it, so that it cannot look passed.
fn unfinished(run: &RunResult) -> Option<CaseResult> {
    let silent = run.outcome >= Outcome::Failed && run.totals.failed == 0 && run.totals.errored == 0;
    let left = match run.not_run {
        0 => String::new(),
        1 => ": 1 case was not run".to_owned(),
        many => format!(": {many} cases were not run"),
    };
    let (kind, message) = match run.interrupted {
        true => ("Interrupted", format!("the run was interrupted{left}")),
        false => ("Run", "the run did not work, although no case failed: its log says why".to_owned()),
    };
    silent.then(|| CaseResult {
        id: "uixt".to_owned(),
        name: "the run comes to its end".to_owned(),
        file: "uixt".to_owned(),
        device: None,
        tags: Vec::new(),
        at: run.at,
        elapsed_ms: 0,
        outcome: Outcome::Errored,
        error: Some(Failure { kind: kind.to_owned(), message, details: None }),
        steps: Vec::new(),
        exports: serde_json::Map::new(),
        log: Vec::new(),
        usage: ModelUsage::default(),
        own_tools: ToolTimes::default(),
    })
}

/// Returns the case's element as it stands in its suite.
fn case_text(case: &CaseResult) -> io::Result<String> {
    let mut suite = TestSuite::new("");
    suite.add_test_case(case::test_case(case));
    let text = suite_text(suite)?;
    let begin = text.find("        <testcase ").unwrap_or(text.len());
    split(&text[begin..], "    </testsuite>").map(|(element, _)| element)
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn written(cases: &[CaseResult]) -> String {
        of_run(&sample::run().0, cases)
    }

    fn of_run(run: &RunResult, cases: &[CaseResult]) -> String {
        let dir = tempfile::tempdir().unwrap();
        let mut report = open(dir.path(), run, &Options::default()).unwrap();
        for case in cases {
            report.case(case).unwrap();
        }
        report.finish().unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "temporary files are gone");
        std::fs::read_to_string(dir.path().join("junit.xml")).unwrap()
    }

    #[test]
    fn cases_of_a_suite_stand_together() {
        let cases: Vec<_> = [("b", "1", "x"), ("a", "1", "y"), ("b", "1", "z"), ("b", "2", "w")]
            .iter()
            .map(|&(file, serial, name)| CaseResult {
                device: Some(sample::device(serial)),
                ..sample::case(file, name, Outcome::Passed)
            })
            .collect();
        let text = written(&cases);
        let xml = roxmltree::Document::parse(&text).unwrap();
        let suites = xml.root_element().children().filter(|node| node.has_tag_name("testsuite"));
        let found: Vec<_> = suites
            .map(|suite| {
                let cases = suite.children().filter_map(|node| node.attribute("name")).collect::<String>();
                (suite.attribute("name").unwrap(), suite.attribute("tests").unwrap(), cases)
            })
            .collect();
        let expected = [("b (Pixel 7 1)", "2", "xz"), ("a", "1", "y"), ("b (Pixel 7 2)", "1", "w")];
        assert_eq!(found, expected.map(|(name, tests, cases)| (name, tests, cases.to_owned())));
    }

    #[test]
    fn every_outcome_has_its_element() {
        let (run, cases) = sample::run();
        let text = written(&cases);
        let xml = roxmltree::Document::parse(&text).unwrap();
        let count = |tag| xml.descendants().filter(|node| node.has_tag_name(tag)).count() as u64;
        assert_eq!(count("testcase"), run.totals.cases);
        assert_eq!(count("failure"), run.totals.failed);
        assert_eq!(count("error"), run.totals.errored);
        assert_eq!(count("skipped"), run.totals.skipped);
        assert_eq!(count("flakyFailure"), 1);
        let root = xml.root_element();
        assert_eq!(root.attribute("tests"), Some(run.totals.cases.to_string().as_str()));
        assert_eq!(root.attribute("skipped"), None);
        let failure = xml.descendants().find(|node| node.has_tag_name("failure")).unwrap();
        assert_eq!(failure.attribute("type"), Some("NotFound"));
        let message = "assert_visible \"Welcome, 小明\": not there within 10 s; nearest text: \"Welcome, guest\" (e7)";
        assert_eq!(failure.attribute("message"), Some(message));
        assert!(failure.text().unwrap().starts_with("testcases/login.yaml:7:3\n"));
        assert!(text.contains("[[ATTACHMENT|screenshots/0042.png]]"));
    }

    #[test]
    fn an_interrupted_run_does_not_look_passed() {
        let mut run = sample::run().0;
        (run.interrupted, run.outcome) = (true, Outcome::Errored);
        assert!(!of_run(&run, &[]).contains("<error"), "its own failures say enough");
        run.totals = crate::result::Totals::default();
        let text = of_run(&run, &[sample::case("a.yaml", "a", Outcome::Passed)]);
        assert!(text.contains("<testsuites name=\"uixt\" tests=\"2\" failures=\"0\" errors=\"1\""), "{text}");
        assert!(text.contains("type=\"Interrupted\""));
        run.not_run = 4;
        assert!(of_run(&run, &[]).contains("message=\"the run was interrupted: 4 cases were not run\""));
        run.interrupted = false;
        assert!(of_run(&run, &[]).contains("type=\"Run\""), "it did not work");
    }

    #[test]
    fn hostile_text_stays_text() {
        let mut case = sample::case("a.yaml", "x\u{0}\u{1b}[1m\u{ffff}]]></testcase>🎉", Outcome::Failed);
        case.steps = vec![sample::step(1, sample::failing("log", Outcome::Failed, "A\u{8}", "</testsuite>]]>\u{c}&"))];
        let text = written(&[case]);
        let xml = roxmltree::Document::parse(&text).unwrap();
        let forbidden = |c: char| (c < ' ' && c != '\n') || c == '\u{ffff}';
        assert!(!text.contains(forbidden));
        let case = xml.descendants().find(|node| node.has_tag_name("testcase")).unwrap();
        assert!(case.attribute("name").unwrap().ends_with("]]></testcase>🎉"));
        let failure = case.first_element_child().unwrap();
        assert_eq!(failure.attribute("message"), Some("log: </testsuite>]]>\u{fffd}&"));
    }
}
