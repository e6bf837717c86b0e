//! `report.html`: one page for people, with everything escaped and nothing loaded from elsewhere.
//!
//! The page's frame is a template with a style sheet and a script beside it; cases and steps, of which there may be tens of
//! thousands, are written directly (`case`, `step`). The frame's head tells what only the end of the run knows, so cases
//! are put aside on disk first.

mod case;
mod changes;
mod escape;
mod film;
mod inspector;
mod overview;
mod step;
mod trend;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use minijinja::{Environment, context};

pub use self::trend::PastRun;
use super::atomic_file::AtomicFile;
use super::previous::Previous;
use super::spool::Spool;
use super::{Options, Report, wording};
use crate::result::{CaseResult, Outcome, RunResult};

/// Name of the page.
pub const FILE: &str = "report.html";

/// Where the cases belong in the template; no escaped text can look like it.
const CASES: &str = "<!--cases-->";
/// How many cases the strip at the top shows one by one.
const LONGEST_STRIP: usize = 400;

struct Html {
    draft: AtomicFile,
    run: RunResult,
    /// What did not pass stands before all else.
    failed: case::Writer,
    others: case::Writer,
    strip: Vec<Outcome>,
    cases: usize,
    overview: overview::Overview,
    changes: Option<changes::Changes>,
    /// Earlier runs, the oldest first.
    trend: Vec<PastRun>,
}

/// Begins `report.html` in the folder `dir`.
pub(super) fn open(dir: &Path, run: &RunResult, options: &Options) -> io::Result<Box<dyn Report>> {
    let folder = || Folder { dir: dir.to_owned(), embed: options.self_contained };
    let failed = run.totals.failed + run.totals.errored;
    Ok(Box::new(Html {
        draft: AtomicFile::create(dir, FILE)?,
        run: run.clone(),
        failed: case::Writer::new(folder(), Spool::create(dir, "report.failed")?, failed),
        others: case::Writer::new(
            folder(),
            Spool::create(dir, "report.cases")?,
            run.totals.cases.saturating_sub(failed),
        ),
        strip: Vec::new(),
        cases: 0,
        overview: overview::Overview::of(run),
        changes: Previous::find(dir, run, options.compare.as_deref())?.map(changes::Changes::since),
        trend: options.trend.clone(),
    }))
}

/// Where pictures lie and how the page names them.
struct Folder {
    dir: PathBuf,
    /// Whether pictures are written into the page.
    embed: bool,
}

impl Report for Html {
    fn case(&mut self, case: &CaseResult) -> io::Result<()> {
        if self.strip.len() <= LONGEST_STRIP {
            self.strip.push(case.outcome);
        }
        self.cases += 1;
        self.overview.case(case, self.cases);
        if let Some(changes) = &mut self.changes {
            changes.case(case, self.cases);
        }
        let part = if case.outcome >= Outcome::Failed { &mut self.failed } else { &mut self.others };
        part.case(case, self.cases)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        let page = self.frame().map_err(io::Error::other)?;
        let (head, foot) = page.split_once(CASES).ok_or_else(|| io::Error::other("the page has no place for cases"))?;
        self.draft.write_all(head.as_bytes())?;
        self.failed.copy_all(&mut self.draft)?;
        self.others.copy_all(&mut self.draft)?;
        self.draft.write_all(foot.as_bytes())?;
        self.draft.keep()
    }
}

impl Html {
    fn frame(&self) -> Result<String, minijinja::Error> {
        let run = &self.run;
        let strip: Vec<_> = if self.strip.len() > LONGEST_STRIP { Vec::new() } else { self.strip.clone() };
        Environment::new().render_named_str(
            "page.html",
            include_str!("page.html"),
            context! {
                style => concat!(include_str!("style.css"), include_str!("film.css")),
                script => concat!(include_str!("script.js"), include_str!("film.js")),
                outcome => if run.interrupted { "interrupted" } else { wording::outcome(run.outcome) },
                class => step::class(run.outcome),
                kinds => kinds(run),
                cases => run.totals.cases,
                steps => run.totals.steps,
                not_run => run.not_run,
                causes => run.causes.clone(),
                duration => wording::duration(run.elapsed_ms),
                models => (!run.usage.is_nothing()).then(|| wording::usage(&run.usage).replacen("models: ", "", 1)),
                at => run.at.format("%Y-%m-%d %H:%M:%S").to_string(),
                paths => run.paths.iter().map(|path| wording::one_line(path).into_owned()).collect::<Vec<_>>(),
                devices => self.overview.devices(),
                lanes => if self.cases > 1 { self.overview.lanes() } else { Vec::new() },
                are_lanes_cut => self.overview.is_cut(),
                slowest => self.overview.slowest(),
                trend => trend::told(&self.trend, run),
                changes => self.changes.as_ref().map(changes::Changes::told),
                uixt => run.uixt.as_str(),
                strip => strip.into_iter().map(step::class).collect::<Vec<_>>(),
            },
        )
    }
}

/// Returns the class, the word and the number of every outcome, the gravest first.
fn kinds(run: &RunResult) -> Vec<(&'static str, &'static str, u64)> {
    let totals = &run.totals;
    let kinds = [
        (Outcome::Failed, totals.failed),
        (Outcome::Errored, totals.errored),
        (Outcome::Flaky, totals.flaky),
        (Outcome::Healed, totals.healed),
        (Outcome::Passed, totals.passed),
        (Outcome::Skipped, totals.skipped),
    ];
    let some = kinds.into_iter().filter(|(_, count)| *count > 0);
    some.map(|(outcome, count)| (step::class(outcome), wording::outcome(outcome), count)).collect()
}

/// Returns what a case is called where its file is not shown beside it.
fn name(case: &CaseResult) -> String {
    wording::one_line(if case.name.is_empty() { &case.file } else { &case.name }).into_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::sample;
    use super::*;
    use crate::result::Device;

    fn written(dir: &Path, cases: &[CaseResult], options: &Options) -> String {
        let mut report = open(dir, &sample::run().0, options).unwrap();
        for case in cases {
            report.case(case).unwrap();
        }
        report.finish().unwrap();
        std::fs::read_to_string(dir.join("report.html")).unwrap()
    }

    #[test]
    fn nothing_hostile_becomes_markup() {
        let dir = tempfile::tempdir().unwrap();
        let mut cases = sample::run().1;
        let evil = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7*7 }}<!--cases-->";
        for case in &mut cases {
            let device = Device { platform: evil.into(), serial: evil.into(), name: evil.into() };
            case.device = Some(device);
            case.tags = vec![evil.into()];
            case.name = evil.into();
            case.file = evil.into();
            for step in &mut case.steps {
                step.name = evil.into();
                for action in step.attempts.iter_mut().flat_map(|attempt| &mut attempt.actions) {
                    action.message = evil.into();
                    action.arguments.insert(evil.into(), evil.into());
                    action.tool = evil.into();
                    action.place.file = evil.into();
                    action.screenshot = Some(evil.into());
                    if let Some(error) = &mut action.error {
                        error.kind = evil.into();
                        error.message = evil.into();
                        error.details = Some(serde_json::json!({ evil: [evil], "more": { evil: evil } }));
                    }
                }
            }
        }
        let page = written(dir.path(), &cases, &Options::default());
        assert_eq!(page.matches("<script").count(), 1, "only the page's own");
        assert!(!page.contains("<img"));
        assert!(!page.contains(CASES));
        assert!(page.contains("{{ 7*7 }}"));
    }

    #[test]
    fn pictures_are_linked_or_embedded() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("screenshots")).unwrap();
        for name in ["0041", "0042"] {
            std::fs::write(dir.path().join(format!("screenshots/{name}.png")), sample::png(1080, 2400)).unwrap();
        }
        let page = written(dir.path(), &sample::run().1, &Options::default());
        assert!(page.contains("src=\"screenshots/0042.png\""));
        assert!(page.contains("<circle"), "the tap is drawn");
        let page = written(dir.path(), &sample::run().1, &Options { self_contained: true, ..Options::default() });
        assert!(!page.contains("src=\"screenshots/"));
        assert_eq!(page.matches("src=\"data:image/png;base64,").count(), 2);
        assert_eq!(page.matches("http").count(), page.matches("http-equiv").count(), "nothing from elsewhere");
    }

    #[test]
    fn failed_cases_are_open_and_missing_pictures_are_said() {
        let dir = tempfile::tempdir().unwrap();
        let page = written(dir.path(), &sample::run().1, &Options::default());
        assert_eq!(page.matches("<details class=\"case f\" id=c2 open data-id=").count(), 1);
        assert_eq!(page.matches("<details class=\"case p\" id=c1 data-id=").count(), 1);
        let place = |case: &str| page.find(case).unwrap();
        assert!(place("id=c2 open") < place("id=c1 "), "what did not pass comes first");
        assert!(page.contains("screenshots/0042.png is missing or no picture"));
        assert!(page.contains("testcases/login.yaml:7:3"));
    }

    #[test]
    fn what_a_model_mended_is_shown_as_a_difference() {
        let dir = tempfile::tempdir().unwrap();
        let page = written(dir.path(), &[sample::healed()], &Options::default());
        assert!(page.contains("<del>- tap_element: {\"text\":\"&lt;Sign in") || page.contains("&lt;Sign in"), "{page}");
        assert!(page.contains("<ins>+ tap_element") && page.contains("models: 1 call, 4,230 tokens"), "{page}");
    }

    #[test]
    fn long_cases_and_many_of_them_come_in_pieces() {
        let dir = tempfile::tempdir().unwrap();
        let mut run = sample::run().0;
        (run.totals.cases, run.totals.failed, run.totals.errored) = (251, 0, 0);
        let mut report = open(dir.path(), &run, &Options::default()).unwrap();
        report.case(&sample::long(1_001)).unwrap();
        for number in 1..251 {
            report.case(&sample::case("a.yaml", &number.to_string(), Outcome::Passed)).unwrap();
        }
        report.finish().unwrap();
        let page = std::fs::read_to_string(dir.path().join("report.html")).unwrap();
        let count = |part: &str| page.matches(part).count();
        assert_eq!(count("<ol class=\"steps long\" style=\"--n:100\">"), 10);
        assert_eq!(count("<ol class=\"steps long\" style=\"--n:1\">"), 1);
        assert_eq!(count("<div class=group style=\"--n:100\">"), 2);
        assert_eq!(count("<div class=group style=\"--n:51\">"), 1);
        assert_eq!(count("<div"), count("</div>"));
    }

    #[test]
    fn a_thousand_plain_steps_are_small() {
        let dir = tempfile::tempdir().unwrap();
        let page = written(dir.path(), &[sample::long(1_000)], &Options::default());
        assert!(page.len() < 250_000, "{}", page.len());
    }

    /// Run with `--release -- --ignored --nocapture`; the budget is 8 µs a step.
    #[test]
    #[ignore = "measures a release build"]
    fn plain_steps_are_fast() {
        let dir = tempfile::tempdir().unwrap();
        let cases = [sample::long(20_000)];
        let begin = Instant::now();
        let page = written(dir.path(), &cases, &Options::default());
        let each = begin.elapsed().as_nanos() / 20_000;
        println!("{each} ns a step, {} bytes", page.len());
        assert!(each <= 8_000, "{each} ns");
    }
}
