//! GitHub Actions: a summary of the job in Markdown, and an annotation at the place of each failure.
//!
//! <https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions>

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::cause::Cause;
use super::{Options, Report, wording};
use crate::result::{CaseResult, Outcome, Place, RunResult};

/// How many annotations of a kind GitHub shows of a step.
const ANNOTATIONS: usize = 10;
/// How many cases the summary names; it may hold 1 MiB for all commands of a step.
const NAMED: usize = 200;
/// How many characters of a reason are shown.
const WHY: usize = 400;

/// What GitHub Actions is told of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Github {
    /// Whether failures are annotated, on standard output.
    pub annotations: bool,
    /// The file that the job's summary is added to.
    pub summary: Option<PathBuf>,
    /// The working directory below the repository's folder, from which GitHub names files.
    pub folder: PathBuf,
}

impl Github {
    pub(super) fn is_told(&self) -> bool {
        self.annotations || self.summary.is_some()
    }
}

struct Told<W> {
    to: Github,
    out: W,
    run: RunResult,
    annotated: usize,
    rows: String,
    named: usize,
    unnamed: usize,
}

/// Begins what GitHub is told.
#[expect(clippy::unnecessary_wraps, reason = "as `FORMATS` calls it")]
pub(super) fn open(_: &Path, run: &RunResult, options: &Options) -> io::Result<Box<dyn Report>> {
    Ok(Box::new(told(options.github.clone(), run, io::stdout())))
}

fn told<W: Write>(to: Github, run: &RunResult, out: W) -> Told<W> {
    Told { to, out, run: run.clone(), annotated: 0, rows: String::new(), named: 0, unnamed: 0 }
}

impl<W: Write> Report for Told<W> {
    fn case(&mut self, case: &CaseResult) -> io::Result<()> {
        if case.outcome < Outcome::Healed {
            return Ok(());
        }
        if self.named < NAMED {
            self.named += 1;
            push_row(&mut self.rows, case);
        } else {
            self.unnamed += 1;
        }
        if self.to.annotations && case.outcome >= Outcome::Failed && self.annotated < ANNOTATIONS {
            self.annotated += 1;
            writeln!(self.out, "{}", annotation(case, &self.to.folder))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.out.flush()?;
        let Some(path) = &self.to.summary else { return Ok(()) };
        let text = self.summary();
        File::options().append(true).create(true).open(path)?.write_all(text.as_bytes())
    }
}

impl<W> Told<W> {
    fn summary(&self) -> String {
        let run = &self.run;
        let outcome = if run.interrupted { "interrupted" } else { wording::outcome(run.outcome) };
        let mut text = format!("## uixt: {outcome}\n\n");
        let _ = writeln!(text, "{}\n", cell(&super::summary_line(run)));
        if !self.rows.is_empty() {
            text.push_str("| case | outcome | time | why |\n| --- | --- | ---: | --- |\n");
            text.push_str(&self.rows);
        }
        if self.unnamed > 0 {
            let _ = writeln!(text, "\n{} more are in the report.", self.unnamed);
        }
        text.push('\n');
        text
    }
}

fn push_row(rows: &mut String, case: &CaseResult) {
    let name = if case.name.is_empty() { &case.file } else { &case.name };
    let (why, place) = why(case);
    let place = place.map(|place| format!(" ({})", wording::place(place))).unwrap_or_default();
    let _ = writeln!(
        rows,
        "| {} | {} | {} | {} |",
        cell(name),
        wording::outcome(case.outcome),
        wording::duration(case.elapsed_ms),
        cell(&format!("{}{place}", wording::shortened(&why, WHY))),
    );
}

/// Says why a case did not simply pass, and where.
fn why(case: &CaseResult) -> (String, Option<&Place>) {
    if case.outcome < Outcome::Failed {
        return (String::new(), None);
    }
    let why = Cause::of(case);
    (why.headline(), why.action.map(|action| &action.place).or(why.step.map(|step| &step.place)))
}

/// Returns text as a cell of a table shows it, with no markup of its own.
fn cell(text: &str) -> String {
    let mut out = String::new();
    for c in wording::one_line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '#' | '!' => out.extend(['\\', c]),
            // A name is no mention.
            '@' => out.push_str("&#64;"),
            c => out.push(c),
        }
    }
    out
}

fn annotation(case: &CaseResult, folder: &Path) -> String {
    let (message, place) = why(case);
    let name = if case.name.is_empty() { &case.file } else { &case.name };
    let file = place.map_or(case.file.as_str(), |place| &place.file);
    let at = place.map(|place| format!(",line={},col={}", place.line, place.column)).unwrap_or_default();
    let file = folder.join(file).to_string_lossy().replace('\\', "/");
    format!("::error file={}{at},title={}::{}", property(&file), property(name), data(&message))
}

/// Escapes what follows a command's `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a command's property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn lines(cases: &[CaseResult], to: Github) -> String {
        let mut out = Vec::new();
        let mut report = Box::new(told(to, &sample::run().0, &mut out));
        cases.iter().for_each(|case| report.case(case).unwrap());
        report.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    fn failing(number: usize) -> CaseResult {
        let mut case = sample::case("a,b.yaml", &format!("50%: {number}"), Outcome::Failed);
        case.steps = vec![sample::step(1, sample::failing("log", Outcome::Failed, "Assertion", "a\r\n::error::b"))];
        case
    }

    #[test]
    fn no_more_is_annotated_than_is_shown_and_nothing_becomes_a_command() {
        let annotations = Github { annotations: true, ..Github::default() };
        let cases: Vec<_> = (0..25).map(failing).collect();
        let text = lines(&cases, annotations);
        assert_eq!(text.lines().count(), ANNOTATIONS);
        let first = text.lines().next().unwrap();
        let expected = "::error file=testcases/login.yaml,line=7,col=3,title=50%25%3A 0::log: a%0D%0A::error::b";
        assert_eq!(first, expected);
        let below = Github { annotations: true, folder: "apps/shop".into(), ..Github::default() };
        let text = lines(&cases[..1], below);
        assert!(text.starts_with("::error file=apps/shop/testcases/login.yaml,line=7"), "{text}");
    }

    #[test]
    fn the_summary_is_added_to_what_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("summary.md");
        std::fs::write(&path, "before\n").unwrap();
        let mut cases = sample::run().1;
        cases[1].name = "<b>|`x`".into();
        assert_eq!(lines(&cases, Github { summary: Some(path.clone()), ..Github::default() }), "");
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.starts_with("before\n## uixt: errored\n"), "{text}");
        assert!(text.contains("| &lt;b&gt;\\|\\`x\\` | failed | "), "{text}");
        assert_eq!(text.matches(" | errored | ").count(), 1);
        assert!(!text.contains("| Say |"), "what passed is not listed");
    }

    #[test]
    fn a_long_run_has_a_short_summary() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("summary.md");
        let cases: Vec<_> = (0..2_000).map(failing).collect();
        lines(&cases, Github { summary: Some(path.clone()), ..Github::default() });
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.len() < 100_000 && text.contains("1800 more are in the report."), "{}", text.len());
    }
}
