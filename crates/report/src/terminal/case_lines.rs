//! What happened in each case that is running → the lines that tell it when it is done.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use serde_json::Value;
use uixt_core::page_fault::is_told;

use super::super::{comparison, picture, wording};
use crate::result::{Device, Event, Failure, Outcome, Place};

/// How many lines of a message are told; the reports have the rest.
const LINES: usize = 20;
/// How many failures of a case are told; the reports have the rest.
const FAILURES: usize = 20;
/// How many errors of a page are told beside a failure; the reports have the rest.
const PAGE_ERRORS: usize = 3;
/// How many characters of a line are told.
const COLUMNS: usize = 1_000;

/// Whether lines are coloured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) colour: bool,
}

impl Style {
    /// Returns the text in the colour of the outcome.
    pub(super) fn paint(self, outcome: Outcome, text: &str) -> String {
        let code = match outcome {
            Outcome::Skipped => "2",
            Outcome::Passed => "1;32",
            Outcome::Healed => "1;36",
            Outcome::Flaky => "1;33",
            Outcome::Failed => "1;31",
            Outcome::Errored => "1;35",
        };
        if self.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// What is known of the cases that are running.
#[derive(Default)]
pub(super) struct CaseLines {
    /// The report folder that pictures lie in.
    pub(super) folder: PathBuf,
    /// Whether an action failed in a step that has not ended.
    pub(super) suspects: bool,
    /// Whether each case that was skipped has a line of its own, as it ends.
    pub(super) tells_each_skip: bool,
    cases: HashMap<String, Case>,
    /// Why cases were skipped, in the order of the first of each reason.
    skips: Vec<Skips>,
    /// The serials that were seen of each name of a device.
    serials: HashMap<String, HashSet<String>>,
}

/// The cases that were skipped for one reason.
struct Skips {
    reason: String,
    count: usize,
    /// The first of them, as a line tells it.
    first: String,
}

#[derive(Default)]
struct Case {
    /// `Log in (testcases/login.yaml)`.
    title: String,
    device: Option<Device>,
    /// The first failed action of the newest attempt of the newest step.
    candidate: Option<Trouble>,
    /// The failures of steps that ended badly.
    troubles: Vec<Trouble>,
    /// How many more there were.
    untold: usize,
    /// The lines that tell what models mended.
    mended: String,
}

/// A failed action and the lines that tell it.
struct Trouble {
    step: u32,
    attempt: u32,
    outcome: Outcome,
    tool: String,
    text: String,
    /// Where in the text the call begins.
    call_at: usize,
}

impl CaseLines {
    fn see(&mut self, device: Option<&Device>) {
        if let Some(device) = device {
            self.serials.entry(device.name.clone()).or_default().insert(device.serial.clone());
        }
    }

    /// Returns ` on virtual phone`; of two devices of a name also the serial.
    fn place(&self, device: Option<&Device>) -> String {
        let Some(device) = device else { return String::new() };
        let is_one_of_many = self.serials.get(&device.name).is_some_and(|serials| serials.len() > 1);
        let serial = if is_one_of_many { format!(" ({})", device.serial) } else { String::new() };
        wording::one_line(&format!(" on {}{serial}", device.name)).into_owned()
    }

    /// Takes note of what the lines will need.
    pub(super) fn take(&mut self, event: &Event) {
        match event {
            Event::CaseStarted { case, name, file, device, .. } => {
                let (name, file) = (wording::one_line(name), wording::one_line(file));
                let case = self.cases.entry(case.clone()).insert_entry(Case::default()).into_mut();
                case.title = format!("{name} ({file})");
                case.device.clone_from(device);
                self.see(device.as_ref());
            }
            Event::DeviceChanged { case, device } => {
                if let Some(case) = self.cases.get_mut(case) {
                    case.device.clone_from(device);
                }
                self.see(device.as_ref());
            }
            Event::ActionFinished { case, outcome, .. } if *outcome >= Outcome::Failed => {
                let trouble = self.trouble(event);
                let case = self.cases.entry(case.clone()).or_default();
                if let Some(trouble) = trouble {
                    case.suspect(trouble);
                    self.suspects = true;
                }
            }
            Event::ActionFinished { case, step, place, message, mended, .. } if !mended.is_empty() => {
                let lines = &mut self.cases.entry(case.clone()).or_default().mended;
                lines.push_str(&format!("  step {step}, {}:\n", wording::one_line(&wording::place(place))));
                push_indented(lines, message);
            }
            Event::StepFinished { case, .. } => {
                if let Some(case) = self.cases.get_mut(case) {
                    case.step_ended(event);
                }
                self.suspects = self.cases.values().any(|case| case.candidate.is_some());
            }
            _ => {}
        }
    }

    /// Appends the lines of a case that has finished, and forgets it.
    pub(super) fn tell(&mut self, event: &Event, style: Style, out: &mut String) {
        let Event::CaseFinished { case: id, outcome, elapsed_ms, error, .. } = event else { return };
        let mut case = self.cases.remove(id).unwrap_or_default();
        if case.title.is_empty() {
            case.title = wording::one_line(id).into_owned();
        }
        if let (Outcome::Skipped, Some(reason), false) = (outcome, error, self.tells_each_skip) {
            let title = format!("{}{}", case.title, self.place(case.device.as_ref()));
            self.skipped(title, wording::one_line(&reason.message).into_owned());
            return;
        }
        let word = wording::outcome(*outcome);
        let word = if *outcome >= Outcome::Failed { word.to_uppercase() } else { word.to_owned() };
        out.push_str(&style.paint(*outcome, &format!("{word:<7}")));
        out.push(' ');
        out.push_str(&case.title);
        out.push_str(&self.place(case.device.as_ref()));
        match (outcome, error) {
            (Outcome::Skipped, Some(reason)) => {
                out.push_str(": ");
                out.push_str(&wording::one_line(&reason.message));
            }
            (Outcome::Skipped, None) => {}
            _ => {
                out.push_str(", ");
                wording::push_duration(out, *elapsed_ms);
            }
        }
        out.push('\n');
        out.push_str(&std::mem::take(&mut case.mended));
        if *outcome >= Outcome::Failed {
            out.push_str(&case.reason(*outcome, error.as_ref()));
        }
    }

    fn skipped(&mut self, title: String, reason: String) {
        match self.skips.iter_mut().find(|skips| skips.reason == reason) {
            Some(skips) => skips.count += 1,
            None => self.skips.push(Skips { reason, count: 1, first: title }),
        }
    }

    /// Appends a line for each reason why cases were skipped: the case, or how many there were.
    pub(super) fn tell_skips(&self, style: Style, out: &mut String) {
        for Skips { reason, count, first } in &self.skips {
            let cases = if *count == 1 { first.clone() } else { format!("{count} cases") };
            out.push_str(&style.paint(Outcome::Skipped, "skipped"));
            out.extend([" ", &cases, ": ", reason, "\n"]);
        }
        if self.skips.iter().any(|skips| skips.count > 1) {
            out.push_str("        (`--verbose` names each)\n");
        }
    }

    fn trouble(&self, event: &Event) -> Option<Trouble> {
        let Event::ActionFinished {
            step, attempt, tool, arguments, outcome, message, error, place, screenshot, ..
        } = event
        else {
            return None;
        };
        let mut text = format!("  step {step}, {}: ", wording::one_line(&wording::place(place)));
        let call_at = text.len();
        text.push_str(&wording::one_line(&wording::call(tool, arguments)));
        text.push('\n');
        push_indented(&mut text, error.as_ref().map_or(message, |error| &error.message));
        for line in wording::suggestions(tool, error.as_ref()) {
            push_indented(&mut text, &line);
        }
        push_page_errors(&mut text, error.as_ref());
        let difference = error.as_ref().and_then(|error| comparison::of(error).last().map(|(_, path)| *path));
        if let Some(path) = difference.or(screenshot.as_deref()).and_then(picture::inside) {
            push_indented(&mut text, &self.folder.join(path).to_string_lossy());
        }
        Some(Trouble { step: *step, attempt: *attempt, outcome: *outcome, tool: tool.clone(), text, call_at })
    }
}

impl Case {
    fn suspect(&mut self, trouble: Trouble) {
        let known = |other: &Trouble| (other.step, other.attempt) == (trouble.step, trouble.attempt);
        if !self.candidate.as_ref().is_some_and(known) {
            self.candidate = Some(trouble);
        }
    }

    fn step_ended(&mut self, event: &Event) {
        let Event::StepFinished { step, name, outcome, error, place, .. } = event else { return };
        let candidate = self.candidate.take().filter(|trouble| trouble.step == *step);
        if *outcome < Outcome::Failed {
            // Another try made up for it.
            self.troubles.retain(|trouble| trouble.step != *step);
            return;
        }
        let outside = || error.as_ref().map(|error| Trouble::outside(*step, *outcome, place, error));
        match candidate.or_else(outside) {
            Some(trouble) if self.troubles.len() < FAILURES => self.troubles.push(trouble.of_step(name)),
            Some(_) => self.untold += 1,
            None => {}
        }
    }

    /// Returns what went wrong outside of any step, unless a step tells of it, and then each step that failed.
    fn reason(mut self, outcome: Outcome, error: Option<&Failure>) -> String {
        // A case that was cut off has a step without an end.
        self.troubles.extend(self.candidate.take());
        let mut text = String::new();
        if let Some(error) = error.filter(|_| self.troubles.iter().all(|trouble| trouble.outcome != outcome)) {
            push_indented(&mut text, &error.message);
        }
        self.troubles.iter().for_each(|trouble| text.push_str(&trouble.text));
        if self.untold > 0 {
            text.push_str(&format!("  and {} more that did not pass\n", self.untold));
        }
        text
    }
}

impl Trouble {
    /// Tells of what went wrong in a step outside of any action.
    fn outside(step: u32, outcome: Outcome, place: &Place, error: &Failure) -> Self {
        let mut text = format!("  step {step}, {}: ", wording::one_line(&wording::place(place)));
        let call_at = text.len();
        text.push('\n');
        push_indented(&mut text, &error.message);
        Self { step, attempt: 1, outcome, tool: String::new(), text, call_at }
    }

    /// Adds the step's name where it says more than the name of its tool.
    fn of_step(mut self, name: &str) -> Self {
        if !name.is_empty() && name.split(' ').next() != Some(&self.tool) {
            let colon = if self.tool.is_empty() { "" } else { ": " };
            self.text.insert_str(self.call_at, &format!("{}{colon}", wording::one_line(name)));
        }
        self
    }
}

/// Appends the latest of what went wrong in the page meanwhile, but for what the message says already.
fn push_page_errors(out: &mut String, error: Option<&Failure>) {
    let Some(error) = error else { return };
    let errors = error.details.as_ref().and_then(|details| details.get("page_errors")?.as_array());
    let errors = errors.into_iter().flatten().filter_map(Value::as_str);
    let errors: Vec<&str> = errors.filter(|fault| !is_told(&error.message, fault)).collect();
    let untold = errors.len().saturating_sub(PAGE_ERRORS);
    if untold > 0 {
        out.push_str(&format!("  the page ({untold} more before, in the report):\n"));
    } else if !errors.is_empty() {
        out.push_str("  the page:\n");
    }
    for said in &errors[untold..] {
        push_indented(out, &format!("  {}", wording::one_line(said)));
    }
}

fn push_indented(out: &mut String, text: &str) {
    for line in wording::printable(text).lines().take(LINES) {
        out.push_str("  ");
        out.push_str(&wording::shortened(line, COLUMNS));
        out.push('\n');
    }
}
