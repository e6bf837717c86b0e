//! Events of a run → lines and a progress bar on stderr, while it runs.
//!
//! Nothing here may slow the run: an event only notes what changed; the bar draws itself ten times a second from that
//! note, and lines about cases that passed are gathered while they come quickly.

mod case_lines;
mod output;

use std::io::{IsTerminal, Write, stderr};
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};

use super::wording;
use crate::result::{Entry, Event, Outcome, RunResult};
use case_lines::{CaseLines, Style};
use output::Output;

/// How long lines about cases may be gathered on a terminal, in milliseconds.
const GATHER_MS: i64 = 100;

/// What a person sees of a run while it goes on.
pub struct Terminal {
    output: Output,
    style: Style,
    case_lines: CaseLines,
    gathered: String,
    printed: DateTime<Utc>,
}

impl Terminal {
    /// Shows the run on stderr: with a progress bar where `tty` says that stderr is a terminal, in colour where wanted.
    pub fn new(tty: bool, colour: bool) -> Self {
        Self::to(Box::new(stderr()), tty, colour)
    }

    /// Finds out by itself what stderr can show; `NO_COLOR` and `TERM=dumb` turn colours off.
    pub fn detect() -> Self {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let tty = stderr().is_terminal();
        Self::new(tty && !dumb, tty && !dumb && !set("NO_COLOR"))
    }

    fn to(stream: Box<dyn Write + Send>, tty: bool, colour: bool) -> Self {
        let style = Style { colour };
        Self {
            output: Output::new(stream, tty, style),
            style,
            case_lines: CaseLines::default(),
            gathered: String::new(),
            printed: DateTime::UNIX_EPOCH,
        }
    }

    /// Names pictures by their path in the report folder `dir`.
    #[must_use]
    pub fn in_folder(mut self, dir: &Path) -> Self {
        dir.clone_into(&mut self.case_lines.folder);
        self
    }

    /// Tells each case that is skipped on a line of its own; otherwise one line at the end tells a reason and how many there were.
    #[must_use]
    pub fn telling_each_skip(mut self, tells: bool) -> Self {
        self.case_lines.tells_each_skip = tells;
        self
    }

    /// Takes note of an event.
    pub fn event(&mut self, entry: &Entry) {
        match &entry.event {
            Event::RunStarted { cases, .. } => self.output.begin(*cases),
            Event::StepStarted { case, step, name, .. } => self.output.step(case, *step, name),
            Event::CaseStarted { case, name, device, .. } => {
                self.output.case(case, name, device.as_ref());
                self.case_lines.take(&entry.event);
            }
            Event::CaseFinished { case, outcome, .. } => {
                self.output.finished(case, *outcome);
                self.case_lines.take(&entry.event);
                self.case_lines.tell(&entry.event, self.style, &mut self.gathered);
                if *outcome >= Outcome::Healed || !self.output.is_bar() {
                    self.print(entry.at);
                }
            }
            event @ (Event::ActionFinished { outcome, .. } | Event::StepFinished { outcome, .. }) => {
                if *outcome >= Outcome::Healed || self.case_lines.suspects {
                    self.case_lines.take(event);
                }
            }
            Event::Log { case, message, .. } if case.is_none() || is_told_at_once(message) => {
                self.gathered.push_str(&warning(case.as_deref(), message));
                self.print(entry.at);
            }
            Event::DeviceChanged { .. } => self.case_lines.take(&entry.event),
            Event::Log { .. } | Event::OwnToolFinished { .. } | Event::RunFinished { .. } => {}
        }
        if !self.gathered.is_empty() && entry.at - self.printed >= TimeDelta::milliseconds(GATHER_MS) {
            self.print(entry.at);
        }
    }

    /// Takes the bar away and says how the run ended, where the reports are, and which commands are next, each with what it does.
    pub fn finish(mut self, run: &RunResult, reports: &[PathBuf], next: &[(String, &str)]) {
        self.case_lines.tell_skips(self.style, &mut self.gathered);
        self.print(run.at);
        self.output.end();
        let mut text = String::from("\n");
        for cause in &run.causes {
            text.extend(["cause: ", &cause.replace('\n', "\n  "), "\n\n"]);
        }
        text.push_str(&self.style.paint(run.outcome, &summary_line(run)));
        text.push('\n');
        for path in reports {
            text.extend(["  ", &path.to_string_lossy(), "\n"]);
        }
        let widest = next.iter().map(|(command, _)| command.chars().count()).max().unwrap_or_default();
        for (command, meaning) in next {
            text.push_str(&format!("  {command:<widest$}  # {meaning}\n"));
        }
        self.output.print(&text);
    }

    fn print(&mut self, at: DateTime<Utc>) {
        if !self.gathered.is_empty() {
            self.output.print(&self.gathered);
            self.gathered.clear();
        }
        self.printed = at;
    }
}

/// Tells whether a warning is of all steps that follow, or of what no step tells, so that whoever looks on should know now; others stand
/// in the reports.
fn is_told_at_once(message: &str) -> bool {
    let is_kept = |message: &str| {
        message.contains(", assert_screenshot: ")
            && [": kept as ", ": replaced "].iter().any(|word| message.contains(word))
    };
    message.contains(" stopped answering: ")
        || message.contains("its quarantine ended on ")
        || message.contains("it passed, and is in quarantine until ")
        || message.contains("the goal was not stored: ")
        || message.contains("`anti_risk`: touches are not reported")
        || message.contains(", went wrong in the page: ")
        || is_kept(message)
}

/// Writes a warning on one line, whatever a server put into it.
fn warning(case: Option<&str>, message: &str) -> String {
    let case = case.and_then(|id| id.rsplit_once('#')).map(|(file, rest)| {
        let row = rest.split(['~', '@']).next().filter(|row| *row != "0");
        row.map_or_else(|| format!("{file}: "), |row| format!("{file}, row {row}: "))
    });
    let case = case.unwrap_or_default();
    let line: String = message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("warning: {case}{line}\n")
}

/// Returns `3 passed, 1 failed, 1 errored in 12.3 s`.
pub fn summary_line(run: &RunResult) -> String {
    let totals = &run.totals;
    let counts = [
        (totals.passed, Outcome::Passed),
        (totals.healed, Outcome::Healed),
        (totals.flaky, Outcome::Flaky),
        (totals.failed, Outcome::Failed),
        (totals.errored, Outcome::Errored),
        (totals.skipped, Outcome::Skipped),
    ];
    let some = counts.iter().filter(|(count, _)| *count > 0);
    let mut said: Vec<String> =
        some.map(|(count, outcome)| format!("{count} {}", wording::outcome(*outcome))).collect();
    said.extend((run.not_run > 0).then(|| format!("{} not run", run.not_run)));
    let said = if said.is_empty() { "no cases".to_owned() } else { said.join(", ") };
    let interrupted = if run.interrupted { "interrupted: " } else { "" };
    let models = if run.usage.is_nothing() { String::new() } else { format!("; {}", wording::usage(&run.usage)) };
    format!("{interrupted}{said} in {}{models}", wording::duration(run.elapsed_ms))
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;
    use std::sync::Arc;
    use std::time::Instant;

    use serde_json::json;

    use super::super::sample;
    use super::*;
    use crate::result::{CaseResult, Place};

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl Write for Page {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl Page {
        fn text(&self) -> String {
            String::from_utf8(self.0.lock().clone()).unwrap()
        }
    }

    /// Returns the events that a case adds up from.
    fn events(case: &CaseResult) -> Vec<Event> {
        let id = &case.id;
        let mut events = vec![Event::CaseStarted {
            case: id.clone(),
            name: case.name.clone(),
            file: case.file.clone(),
            device: case.device.clone(),
            tags: Vec::new(),
            steps: 1,
        }];
        for step in &case.steps {
            let (name, place) = (step.name.clone(), step.place.clone());
            let (case, number) = (id.clone(), step.number);
            events.push(Event::StepStarted { case, step: number, name: name.clone(), place: place.clone() });
            for attempt in &step.attempts {
                let action = attempt.actions[0].clone();
                events.push(Event::ActionFinished {
                    case: id.clone(),
                    step: number,
                    attempt: attempt.number,
                    tool: action.tool,
                    arguments: action.arguments,
                    outcome: action.outcome,
                    began: action.at,
                    elapsed_ms: action.elapsed_ms,
                    waiting_ms: action.waiting_ms,
                    message: action.message,
                    error: action.error.map(|error| *error),
                    place: action.place,
                    screenshot: action.screenshot,
                    mark: action.mark,
                    lookup: action.lookup.map(|lookup| *lookup),
                    seen: action.seen.clone(),
                    usage: action.usage,
                    mended: action.mended.clone(),
                    parts: action.parts.map(|parts| *parts).unwrap_or_default(),
                });
            }
            let (case, outcome, elapsed_ms) = (id.clone(), step.outcome, step.elapsed_ms);
            events.push(Event::StepFinished { case, step: number, name, place, outcome, elapsed_ms, error: None });
        }
        let (case_id, outcome, elapsed_ms, error) = (id.clone(), case.outcome, case.elapsed_ms, case.error.clone());
        events.push(Event::CaseFinished {
            case: case_id,
            outcome,
            elapsed_ms,
            error,
            exports: serde_json::Map::new(),
            usage: case.usage,
        });
        events
    }

    fn entry(event: Event) -> Entry {
        Entry { v: 1, seq: 1, at: sample::start(), event }
    }

    fn told(tty: bool) -> String {
        let page = Page::default();
        let mut terminal = Terminal::to(Box::new(page.clone()), tty, false).in_folder(Path::new("results/1"));
        let (run, cases) = sample::run();
        terminal.event(&entry(Event::RunStarted {
            uixt: String::new(),
            paths: Vec::new(),
            cases: 5,
            shard: None,
            seed: None,
        }));
        cases.iter().flat_map(events).for_each(|event| terminal.event(&entry(event)));
        terminal.finish(&run, &[PathBuf::from("results/1/report.html")], &[]);
        page.text()
    }

    #[test]
    fn a_warning_says_which_case_and_row_it_is_of() {
        assert_eq!(warning(None, "a\nb"), "warning: a b\n");
        assert_eq!(warning(Some("a.yaml#0~2"), "slow"), "warning: a.yaml: slow\n");
        assert_eq!(warning(Some("a#b.yaml#3@Pixel 8"), "slow"), "warning: a#b.yaml, row 3: slow\n");
    }

    #[test]
    fn a_failure_says_where_and_why() {
        let text = told(false);
        let failed = "FAILED  Log in (testcases/login.yaml) on virtual phone, 5.4 s\n  \
                      step 4, testcases/login.yaml:7:3: assert_visible \"Welcome, 小明\"\n  \
                      not there within 10 s; nearest text: \"Welcome, guest\" (e7)\n  \
                      results/1/screenshots/0042.png\n";
        assert!(text.contains(failed), "{text}");
        assert!(text.contains("passed  Say (testcases/log.yaml), 0.31 s\n"));
        assert!(text.contains("skipped On iOS (testcases/ios.yaml): no ios device\n"));
        assert!(text.contains("ERRORED 掉线  (testcases/lost.yaml), 0.31 s\n"));
        let end = "\n1 passed, 1 flaky, 1 failed, 1 errored, 1 skipped in 12.3 s\n  results/1/report.html\n";
        assert!(text.ends_with(end), "{text}");
        assert!(!text.contains('\u{1b}'));
        assert_eq!(told(true), text, "the bar changes no line");
    }

    #[test]
    fn cases_that_are_skipped_for_one_reason_are_one_line() {
        let told = |tells_each| {
            let page = Page::default();
            let mut terminal = Terminal::to(Box::new(page.clone()), false, false).telling_each_skip(tells_each);
            for (name, reason) in [("a", "no browser"), ("b", "no ios device"), ("c", "no browser")] {
                let mut case = sample::case(name, name, Outcome::Skipped);
                case.error = Some(sample::failure("Skipped", reason));
                events(&case).into_iter().for_each(|event| terminal.event(&entry(event)));
            }
            terminal.finish(&sample::run().0, &[], &[]);
            page.text()
        };
        let each = "skipped a (a): no browser\nskipped b (b): no ios device\nskipped c (c): no browser\n\n";
        assert!(told(true).starts_with(each), "{}", told(true));
        let gathered =
            "skipped 2 cases: no browser\nskipped b (b): no ios device\n        (`--verbose` names each)\n\n";
        assert!(told(false).starts_with(gathered), "{}", told(false));
    }

    #[test]
    fn a_retry_that_passes_is_no_failure() {
        let page = Page::default();
        let mut terminal = Terminal::to(Box::new(page.clone()), false, false);
        let mut case = sample::run().1.pop().unwrap();
        case.outcome = Outcome::Errored;
        case.error = Some(sample::failure("Interrupted", "stopped\nhere"));
        for event in events(&case) {
            terminal.event(&entry(event));
        }
        assert_eq!(page.text(), "ERRORED Pay 🎉 ]]> (testcases/pay.yaml), 0.31 s\n  stopped\n  here\n");
    }

    #[test]
    fn what_a_model_mended_and_cost_is_told() {
        let page = Page::default();
        let mut terminal = Terminal::to(Box::new(page.clone()), false, false);
        let case = sample::healed();
        for event in events(&case) {
            terminal.event(&entry(event));
        }
        let told = "healed  Goal (testcases/goal.yaml), 0.31 s\n  step 1, testcases/login.yaml:4:3:\n  Reached in 5 steps; mended: step 4\n";
        assert_eq!(page.text(), told);
        let mut run = sample::run().0;
        run.totals.healed = 1;
        run.usage = case.usage;
        assert!(summary_line(&run).starts_with("1 passed, 1 healed, 1 flaky"), "{}", summary_line(&run));
        assert!(summary_line(&run).ends_with("; models: 1 call, 4,230 tokens, 2.1 s"), "{}", summary_line(&run));
    }

    #[test]
    fn a_step_with_a_name_of_its_own_is_told_by_it() {
        let page = Page::default();
        let mut terminal = Terminal::to(Box::new(page.clone()), false, false);
        let mut case = sample::case("a.yaml", "a", Outcome::Failed);
        let mut step = sample::step(1, sample::failing("tap_xy", Outcome::Failed, "NotFound", "gone"));
        step.name = "Sign in".to_owned();
        case.steps = vec![step];
        for event in events(&case) {
            terminal.event(&entry(event));
        }
        assert!(page.text().contains(": Sign in: tap_xy"), "{}", page.text());
    }

    #[test]
    fn a_failure_that_its_step_forgave_is_not_told() {
        let page = Page::default();
        let mut terminal = Terminal::to(Box::new(page.clone()), false, false);
        let mut case = sample::case("a.yaml", "a", Outcome::Failed);
        let mut forgiven = sample::step(1, sample::failing("tap_xy", Outcome::Failed, "NotFound", "forgiven"));
        forgiven.outcome = Outcome::Passed;
        case.steps = vec![forgiven];
        case.error = Some(sample::failure("Assertion", "told"));
        for event in events(&case) {
            terminal.event(&entry(event));
        }
        assert_eq!(page.text(), "FAILED  a (a.yaml), 0.31 s\n  told\n");
    }

    #[test]
    fn two_devices_of_a_name_are_told_by_their_serials() {
        let page = Page::default();
        let mut terminal = Terminal::to(Box::new(page.clone()), false, false);
        let case = |id: &str, name: &str, serial: &str| {
            let (name, serial) = (name.to_owned(), serial.to_owned());
            let device = crate::result::Device { platform: "android".to_owned(), serial, name };
            CaseResult { device: Some(device), ..sample::case(id, id, Outcome::Passed) }
        };
        let cases = [case("a", "Pixel 8", "a1"), case("b", "Pixel 8", "b2"), case("c", "Pixel 9", "c3")];
        let (first, rest): (Vec<_>, Vec<_>) =
            cases.iter().flat_map(events).partition(|event| matches!(event, Event::CaseStarted { .. }));
        first.into_iter().chain(rest).for_each(|event| terminal.event(&entry(event)));
        terminal.finish(&sample::run().0, &[], &[]);
        let text = page.text();
        assert!(text.contains(" on Pixel 8 (a1), ") && text.contains(" on Pixel 8 (b2), "), "{text}");
        assert!(text.contains(" on Pixel 9, "), "{text}");
    }

    #[test]
    fn an_interrupted_run_says_so() {
        let (mut run, _) = sample::run();
        run.interrupted = true;
        run.totals = crate::result::Totals::default();
        assert_eq!(summary_line(&run), "interrupted: no cases in 12.3 s");
        run.not_run = 4;
        assert_eq!(summary_line(&run), "interrupted: 4 not run in 12.3 s");
    }

    /// Run with `--release -- --ignored --nocapture`; the budget is 1 µs a step.
    #[test]
    #[ignore = "measures a release build"]
    fn a_log_step_costs_little() {
        let place = Place { file: "a.yaml".into(), line: 1, column: 1 };
        let case = CaseResult {
            steps: (1..=100_000).map(|n| sample::step(n, sample::action("log", json!({"message": "hello"})))).collect(),
            ..sample::case(&place.file, "a", Outcome::Passed)
        };
        let events: Vec<Entry> = events(&case).into_iter().map(entry).collect();
        for tty in [false, true] {
            let mut terminal = Terminal::to(Box::new(Page::default()), tty, true);
            terminal.event(&entry(Event::RunStarted {
                uixt: String::new(),
                paths: Vec::new(),
                cases: 1,
                shard: None,
                seed: None,
            }));
            let begin = Instant::now();
            for entry in &events {
                terminal.event(entry);
            }
            let each = begin.elapsed().as_nanos() / 100_000;
            println!("{each} ns a step, bar: {tty}");
            assert!(each <= 1_000, "{each} ns");
        }
    }
}
