//! `TeamCity`: service messages on standard output, a flow for each case.
//!
//! <https://www.jetbrains.com/help/teamcity/service-messages.html>

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use super::cause::Cause;
use super::{Options, Report, wording};
use crate::result::{CaseResult, Outcome, RunResult};

struct TeamCity<W> {
    out: W,
    text: String,
}

/// Begins the messages.
#[expect(clippy::unnecessary_wraps, reason = "as `FORMATS` calls it")]
pub(super) fn open(_: &Path, _: &RunResult, _: &Options) -> io::Result<Box<dyn Report>> {
    Ok(Box::new(TeamCity { out: io::stdout(), text: String::new() }))
}

impl<W: Write> Report for TeamCity<W> {
    fn case(&mut self, case: &CaseResult) -> io::Result<()> {
        self.text.clear();
        push_case(&mut self.text, case);
        self.out.write_all(self.text.as_bytes())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.flush()
    }
}

fn push_case(out: &mut String, case: &CaseResult) {
    let suite = ("name", case.file.as_str());
    let test = ("name", if case.name.is_empty() { case.id.as_str() } else { case.name.as_str() });
    let flow = ("flowId", case.id.as_str());
    let duration = case.elapsed_ms.to_string();
    push(out, "testSuiteStarted", &[suite, flow]);
    push(out, "testStarted", &[test, flow]);
    match case.outcome {
        Outcome::Passed => {}
        Outcome::Healed | Outcome::Flaky => {
            let value = ("value", wording::outcome(case.outcome));
            push(out, "testMetadata", &[("testName", test.1), ("name", "outcome"), value, flow]);
        }
        Outcome::Skipped => {
            let reason = case.error.as_ref().map_or("", |error| error.message.as_str());
            push(out, "testIgnored", &[test, ("message", reason), flow]);
        }
        Outcome::Failed | Outcome::Errored => {
            let why = Cause::of(case);
            push(out, "testFailed", &[test, ("message", &why.headline()), ("details", &details(&why)), flow]);
        }
    }
    push(out, "testFinished", &[test, ("duration", &duration), flow]);
    push(out, "testSuiteFinished", &[suite, flow]);
}

/// Says where it happened, what kind it is of, and what may help.
fn details(why: &Cause) -> String {
    let place = why.action.map(|action| &action.place).or(why.step.map(|step| &step.place));
    let lines = place.map(wording::place).into_iter().chain([why.kind().to_owned()]).chain(why.suggestions());
    lines.collect::<Vec<_>>().join("\n")
}

fn push(out: &mut String, message: &str, attributes: &[(&str, &str)]) {
    out.push_str("##teamcity[");
    out.push_str(message);
    for (name, value) in attributes {
        out.extend([" ", name, "='"]);
        push_escaped(out, value);
        out.push('\'');
    }
    out.push_str("]\n");
}

fn push_escaped(out: &mut String, text: &str) {
    for c in wording::printable(text).chars() {
        match c {
            '\n' => out.push_str("|n"),
            '\r' => out.push_str("|r"),
            '\'' | '|' | '[' | ']' => out.extend(['|', c]),
            c if c.is_ascii() => out.push(c),
            c => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    let _ = write!(out, "|0x{unit:04x}");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn told(case: &CaseResult) -> String {
        let mut out = String::new();
        push_case(&mut out, case);
        out
    }

    #[test]
    fn a_test_that_fails_is_one_line_a_message() {
        let mut case = sample::case("a.yaml", "it's [登]|", Outcome::Failed);
        case.steps = vec![sample::step(1, sample::failing("log", Outcome::Failed, "Assertion", "a\n]##teamcity[x]"))];
        case.id = "a.yaml#0".into();
        let text = told(&case);
        let name = "it|'s |[|0x767b|]||";
        let id = &case.id;
        let expected = [
            format!("##teamcity[testSuiteStarted name='a.yaml' flowId='{id}']"),
            format!("##teamcity[testStarted name='{name}' flowId='{id}']"),
            format!(
                "##teamcity[testFailed name='{name}' message='log: a|n|]##teamcity|[x|]' \
                 details='testcases/login.yaml:7:3|nAssertion' flowId='{id}']"
            ),
            format!("##teamcity[testFinished name='{name}' duration='{}' flowId='{id}']", case.elapsed_ms),
            format!("##teamcity[testSuiteFinished name='a.yaml' flowId='{id}']"),
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_was_not_run_is_ignored() {
        let (_, cases) = sample::run();
        let skipped = cases.iter().find(|case| case.outcome == Outcome::Skipped).unwrap();
        assert!(told(skipped).contains("##teamcity[testIgnored name='On iOS' message='no ios device' "));
        let passed = cases.iter().find(|case| case.outcome == Outcome::Passed).unwrap();
        assert!(!told(passed).contains("testFailed") && !told(passed).contains("testIgnored"));
    }
}
