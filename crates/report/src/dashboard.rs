//! Events of a run → a UI instance that shows the run while it goes on: what did not pass first, what runs, the last screens.
//!
//! Whoever emits events only notes what is needed of each ([`note`]); the [`Dashboard`] is filled apart from the run.

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Map, Value, json};

use super::wording;
use crate::result::{Device, Entry, Event, Failure, Outcome};

/// Cases that are listed which did not pass; all are counted.
const NOT_PASSED: usize = 100;
/// Cases that are listed which finished last.
const LAST: usize = 12;
/// Devices whose screens are shown.
const SCREENS: usize = 12;

/// What a dashboard is to know of an event.
pub enum Note {
    Run {
        cases: u64,
    },
    Case {
        case: String,
        name: String,
        file: String,
        device: Option<Device>,
        steps: u32,
    },
    Step {
        case: String,
        step: u32,
        name: String,
    },
    Action {
        case: String,
        screenshot: Option<String>,
        error: Option<String>,
    },
    Broken {
        case: String,
        step: u32,
        name: String,
        error: Option<String>,
    },
    Done {
        case: String,
        outcome: Outcome,
        elapsed_ms: u64,
        error: Option<Failure>,
    },
    End {
        outcome: Outcome,
        elapsed_ms: u64,
        interrupted: bool,
    },
    /// Nothing more happens, whether there was an end or not.
    Over,
}

/// Returns what a dashboard is to know of an event; nothing of most.
pub fn note(entry: &Entry) -> Option<Note> {
    match &entry.event {
        Event::RunStarted { cases, .. } => Some(Note::Run { cases: *cases }),
        Event::CaseStarted { case, name, file, device, steps, .. } => {
            let (case, name, file) = (case.clone(), name.clone(), file.clone());
            Some(Note::Case { case, name, file, device: device.clone(), steps: *steps })
        }
        Event::StepStarted { case, step, name, .. } => {
            Some(Note::Step { case: case.clone(), step: *step, name: name.clone() })
        }
        Event::ActionFinished { case, screenshot, error, .. } if screenshot.is_some() || error.is_some() => {
            let error = error.as_ref().map(|error| error.message.clone());
            Some(Note::Action { case: case.clone(), screenshot: screenshot.clone(), error })
        }
        Event::StepFinished { case, step, name, outcome, error, .. } if *outcome >= Outcome::Failed => {
            let error = error.as_ref().map(|error| error.message.clone());
            Some(Note::Broken { case: case.clone(), step: *step, name: name.clone(), error })
        }
        Event::CaseFinished { case, outcome, elapsed_ms, error, .. } => {
            Some(Note::Done { case: case.clone(), outcome: *outcome, elapsed_ms: *elapsed_ms, error: error.clone() })
        }
        Event::RunFinished { outcome, elapsed_ms, interrupted } => {
            Some(Note::End { outcome: *outcome, elapsed_ms: *elapsed_ms, interrupted: *interrupted })
        }
        _ => None,
    }
}

/// A run as its instance shows it.
pub struct Dashboard {
    title: String,
    report: String,
    cases: u64,
    counts: BTreeMap<Outcome, u64>,
    running: BTreeMap<String, Running>,
    not_passed: Vec<Value>,
    last: VecDeque<Value>,
    /// What a device is called, and where its last screen is.
    screens: Vec<(String, Option<String>)>,
    end: Option<String>,
    /// What was told last, by path.
    told: Map<String, Value>,
}

struct Running {
    name: String,
    file: String,
    device: String,
    steps: u32,
    step: u32,
    step_name: String,
    /// Why an action failed last.
    error: Option<String>,
    /// The step that failed first, and why.
    broken: Option<(String, String)>,
}

impl Dashboard {
    /// A dashboard of this title that names the report at the end.
    pub fn new(title: String, report: String) -> Self {
        Self {
            title,
            report,
            cases: 0,
            counts: BTreeMap::new(),
            running: BTreeMap::new(),
            not_passed: Vec::new(),
            last: VecDeque::new(),
            screens: Vec::new(),
            end: None,
            told: Map::new(),
        }
    }

    /// Returns the instance before anything has happened.
    pub fn instance(&self, id: &str) -> Value {
        let table = |key: &str, label: &str, columns: Value| json!({"key": key, "label": label, "type": "table", "columns": columns});
        let block = |id: &str, fields: Value| json!({"id": id, "type": "form", "bind": "state.params", "props": {"fields": fields}});
        let column = |key: &str, label: &str| json!({"key": key, "label": label});
        json!({
            "instance_id": id, "title": self.title,
            "state": {"params": {"progress": 0}, "runtime": {"message": "The run begins", "status": "running"}},
            "blocks": [
                block("progress", json!([
                    {"key": "progress", "label": "Progress", "type": "progress"},
                    {"key": "left", "label": "Time left", "type": "badge"}])),
                block("not_passed", json!([])),
                block("running", json!([table("running", "Running",
                    json!([column("case", "Case"), column("device", "Device"), column("step", "Step")]))])),
                block("screens", json!([])),
                block("last", json!([table("last", "Finished last",
                    json!([column("case", "Case"), column("outcome", "Outcome"), column("time", "Time")]))])),
            ],
            "actions": [],
        })
    }

    /// Takes note of what happened; returns the path of a picture in the report folder that is now a device's last screen, and
    /// which of the screens that is.
    pub fn take(&mut self, note: Note) -> Option<(usize, String)> {
        match note {
            Note::Run { cases } => self.cases = cases,
            Note::Case { case, name, file, device, steps } => {
                let device = device.map(|device| device.name).unwrap_or_default();
                let running =
                    Running { name, file, device, steps, step: 0, step_name: String::new(), error: None, broken: None };
                self.running.insert(case, running);
            }
            Note::Step { case, step, name } => {
                if let Some(running) = self.running.get_mut(&case) {
                    // It may be tried again from its start.
                    if step <= running.step {
                        running.broken = None;
                    }
                    (running.step, running.step_name, running.error) = (step, name, None);
                }
            }
            Note::Broken { case, step, name, error } => {
                if let Some(running) = self.running.get_mut(&case) {
                    let why = error.or(running.error.take()).unwrap_or_default();
                    running.broken.get_or_insert_with(|| (format!("step {step}, {name}"), why));
                }
            }
            Note::Action { case, screenshot, error } => {
                let running = self.running.get_mut(&case)?;
                running.error = error.or(running.error.take());
                let device = running.device.clone();
                return screenshot.and_then(|path| Some((self.screen(device)?, path)));
            }
            Note::Done { case, outcome, elapsed_ms, error } => self.finished(&case, outcome, elapsed_ms, error),
            Note::End { outcome, elapsed_ms, interrupted } => {
                let how = if interrupted { "Interrupted" } else { wording::outcome(outcome) };
                self.end = Some(format!("{how} in {}", wording::duration(elapsed_ms)));
                self.running.clear();
            }
            Note::Over => {
                self.end.get_or_insert_with(|| "Ended without a result".to_owned());
                self.running.clear();
            }
        }
        None
    }

    /// Returns the place of a device among the screens.
    fn screen(&mut self, device: String) -> Option<usize> {
        let known = self.screens.iter().position(|(known, _)| *known == device);
        known.or_else(|| {
            (self.screens.len() < SCREENS).then(|| {
                self.screens.push((device, None));
                self.screens.len() - 1
            })
        })
    }

    /// Shows a picture as the last screen of a device.
    pub fn show(&mut self, screen: usize, url: String) {
        if let Some((_, shown)) = self.screens.get_mut(screen) {
            *shown = Some(url);
        }
    }

    fn finished(&mut self, case: &str, outcome: Outcome, elapsed_ms: u64, error: Option<Failure>) {
        *self.counts.entry(outcome).or_default() += 1;
        let Some(running) = self.running.remove(case) else { return };
        if outcome >= Outcome::Failed && self.not_passed.len() < NOT_PASSED {
            let (step, why) = running.broken.unwrap_or_default();
            let why = error.map_or(why, |error| error.message);
            self.not_passed.push(json!({
                "case": format!("{} ({})", running.name, running.file), "outcome": wording::outcome(outcome),
                "step": step, "why": why.chars().take(300).collect::<String>(),
            }));
        }
        self.last.push_front(json!({
            "case": running.name, "outcome": wording::outcome(outcome), "time": wording::duration(elapsed_ms),
        }));
        self.last.truncate(LAST);
    }

    /// Returns what is to be set, by path, since this was last asked; `elapsed_ms` is how long the run has lasted.
    pub fn changes(&mut self, elapsed_ms: u64) -> Vec<(String, Value)> {
        let mut changes = self.state(elapsed_ms);
        changes.retain(|(path, value)| self.told.get(path) != Some(value));
        self.told.extend(changes.iter().cloned());
        changes
    }

    fn state(&self, elapsed_ms: u64) -> Vec<(String, Value)> {
        let done: u64 = self.counts.values().sum();
        let running = |running: &Running| {
            let step = match running.step {
                0 => String::new(),
                step => format!("{step} of {}: {}", running.steps.max(step), running.step_name),
            };
            json!({"case": running.name, "device": running.device, "step": step})
        };
        let table = json!([{"key": "not_passed", "label": "Not passed", "type": "table", "columns": [
            {"key": "case", "label": "Case"}, {"key": "outcome", "label": "Outcome"}, {"key": "step", "label": "Step"},
            {"key": "why", "label": "Why"}]}]);
        let mut state = vec![
            ("state.params.progress".to_owned(), json!(done * 100 / self.cases.max(1))),
            ("state.params.left".to_owned(), self.left(done, elapsed_ms).into()),
            ("state.runtime.message".to_owned(), self.message(done).into()),
            ("state.runtime.status".to_owned(), json!(if self.end.is_some() { "finished" } else { "running" })),
            ("state.params.running".to_owned(), self.running.values().map(running).collect()),
            ("state.params.last".to_owned(), self.last.iter().cloned().collect()),
        ];
        if !self.not_passed.is_empty() {
            state.push(("state.params.not_passed".to_owned(), self.not_passed.clone().into()));
            state.push(("blocks.1.props.fields".to_owned(), table));
        }
        if !self.screens.is_empty() {
            let field = |(number, (device, _)): (usize, &(String, Option<String>))| {
                json!({"key": format!("screen_{number}"), "label": format!("Last screen of {device}"), "type": "image",
                    "imageHeight": "360px", "showDownload": false})
            };
            for (number, (_, url)) in self.screens.iter().enumerate() {
                state.extend(url.clone().map(|url| (format!("state.params.screen_{number}"), url.into())));
            }
            state.push(("blocks.3.props.fields".to_owned(), self.screens.iter().enumerate().map(field).collect()));
        }
        state
    }

    fn message(&self, done: u64) -> String {
        let counts: Vec<String> = self
            .counts
            .iter()
            .rev()
            .map(|(outcome, count)| format!("{count} {}", wording::outcome(*outcome)))
            .collect();
        let counts = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
        match &self.end {
            Some(end) => {
                let mut letters = end.chars();
                let end: String =
                    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default();
                format!("{end}. {done} of {} cases{counts}. Report: {}", self.cases, self.report)
            }
            None => format!("{done} of {} cases{counts}", self.cases),
        }
    }

    /// Says how long what is left may take, where it takes as long as what is done.
    fn left(&self, done: u64, elapsed_ms: u64) -> String {
        if self.end.is_some() {
            return "none".to_owned();
        }
        if done == 0 {
            return String::new();
        }
        let left = elapsed_ms / done * self.cases.saturating_sub(done);
        match left / 1_000 {
            0..=4 => "a few seconds".to_owned(),
            5..=59 => format!("about {} s", left.div_ceil(5_000) * 5),
            _ => format!("about {} min", left.div_ceil(60_000)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(id: &str, device: &str) -> Note {
        let device = Device { platform: "android".to_owned(), serial: device.to_owned(), name: device.to_owned() };
        Note::Case {
            case: id.to_owned(),
            name: id.to_uppercase(),
            file: format!("{id}.yaml"),
            device: Some(device),
            steps: 3,
        }
    }

    fn done(id: &str, outcome: Outcome) -> Note {
        let error = (outcome >= Outcome::Failed).then(|| Failure {
            kind: "NotFound".to_owned(),
            message: "\"OK\": not there".to_owned(),
            details: None,
        });
        Note::Done { case: id.to_owned(), outcome, elapsed_ms: 1_500, error }
    }

    #[test]
    fn what_did_not_pass_stands_first_and_only_what_changed_is_told() {
        let mut shown = Dashboard::new("Run".to_owned(), "r/report.html".to_owned());
        let value = |changes: &[(String, Value)], path: &str| {
            changes.iter().find(|(known, _)| known == path).map(|(_, value)| value.clone())
        };
        shown.take(Note::Run { cases: 4 });
        shown.take(case("a", "one"));
        shown.take(Note::Step { case: "a".to_owned(), step: 2, name: "tap".to_owned() });
        let first = shown.changes(100);
        assert_eq!(value(&first, "state.runtime.message"), Some(json!("0 of 4 cases")));
        assert_eq!(
            value(&first, "state.params.running"),
            Some(json!([{"case": "A", "device": "one", "step": "2 of 3: tap"}]))
        );
        assert_eq!(shown.changes(200), []);

        shown.take(Note::Broken { case: "a".to_owned(), step: 2, name: "tap".to_owned(), error: None });
        assert_eq!(
            shown.take(Note::Action { case: "a".to_owned(), screenshot: Some("s/1.png".to_owned()), error: None }),
            Some((0, "s/1.png".to_owned()))
        );
        shown.show(0, "/ui/files/run/x".to_owned());
        shown.take(done("a", Outcome::Failed));
        shown.take(case("b", "two"));
        shown.take(done("b", Outcome::Passed));
        let second = shown.changes(40_000);
        assert_eq!(value(&second, "state.runtime.message"), Some(json!("2 of 4 cases: 1 failed, 1 passed")));
        assert_eq!(value(&second, "state.params.left"), Some(json!("about 40 s")));
        assert_eq!(value(&second, "state.params.screen_0"), Some(json!("/ui/files/run/x")));
        let failed = value(&second, "state.params.not_passed").expect("a failure");
        assert_eq!(failed[0]["step"], "step 2, tap");
        assert_eq!(failed[0]["why"], "\"OK\": not there");

        shown.take(Note::End { outcome: Outcome::Failed, elapsed_ms: 42_000, interrupted: false });
        let third = shown.changes(42_000);
        assert_eq!(
            value(&third, "state.runtime.message"),
            Some(json!("Failed in 42.0 s. 2 of 4 cases: 1 failed, 1 passed. Report: r/report.html"))
        );
        assert_eq!(value(&third, "state.params.left"), Some(json!("none")));
    }

    #[test]
    fn many_cases_do_not_grow_it() {
        let mut shown = Dashboard::new("Run".to_owned(), "r/report.html".to_owned());
        shown.take(Note::Run { cases: 5_000 });
        for number in 0..5_000 {
            let id = format!("c{number}");
            shown.take(case(&id, &format!("device {}", number % 40)));
            shown.take(Note::Action { case: id.clone(), screenshot: Some("s.png".to_owned()), error: None });
            shown.take(done(&id, Outcome::Errored));
        }
        let size: usize = shown.changes(9_000_000).iter().map(|(_, value)| value.to_string().len()).sum();
        assert!(size < 40_000, "{size}");
    }
}
