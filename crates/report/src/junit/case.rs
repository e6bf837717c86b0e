//! A case → its `testcase` element: how it ended and why, the tries before, and a line per step.

use std::time::Duration;

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestRerun};

use super::super::cause::Cause;
use super::super::{comparison, picture, wording};
use crate::result::{ActionResult, CaseResult, Outcome, StepResult};

/// How many steps before the failed one a failure's text lists.
const STEPS_BEFORE: usize = 10;
/// How many failures beside the first a failure's text lists.
const FAILURES: usize = 50;

/// Returns the case as `quick-junit` knows it.
pub(super) fn test_case(case: &CaseResult) -> TestCase {
    let mut test = TestCase::new(&*wording::one_line(&case.name), status(case));
    test.set_classname(&*wording::one_line(&class_name(&case.file)));
    test.set_time(Duration::from_millis(case.elapsed_ms));
    let output = output(case);
    if !output.is_empty() {
        test.set_system_out(&*wording::printable(&output));
    }
    test
}

/// Returns a file's name without its ending and without dots: what reads classes, such as Jenkins, takes what stands before the last dot
/// as their package.
fn class_name(file: &str) -> String {
    let name = [".yaml", ".yml"].iter().find_map(|ending| file.strip_suffix(ending)).unwrap_or(file);
    name.replace('.', "_")
}

fn status(case: &CaseResult) -> TestCaseStatus {
    let mut status = match case.outcome {
        Outcome::Passed | Outcome::Healed | Outcome::Flaky => TestCaseStatus::success(),
        Outcome::Skipped => TestCaseStatus::skipped(),
        Outcome::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Outcome::Errored => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    match case.outcome {
        Outcome::Passed | Outcome::Healed => {}
        Outcome::Flaky => _ = status.add_reruns(case.steps.iter().flat_map(reruns)),
        Outcome::Skipped => {
            if let Some(reason) = &case.error {
                status.set_message(&*wording::one_line(&reason.message));
            }
        }
        Outcome::Failed | Outcome::Errored => describe(&mut status, case),
    }
    status
}

/// Says what failed: type, message, and a text with the place, the cause and the steps before.
fn describe(status: &mut TestCaseStatus, case: &CaseResult) {
    let why = Cause::of(case);
    status.set_type(&*wording::one_line(why.kind()));
    status.set_message(&*wording::one_line(&why.headline()));
    status.set_description(&*wording::printable(&description(case, &why)));
    if let Some(step) = why.step {
        status.add_reruns(reruns(step));
    }
}

fn description(case: &CaseResult, why: &Cause) -> String {
    let mut text = String::new();
    if let Some(place) = why.action.map(|action| &action.place).or(why.step.map(|step| &step.place)) {
        text.push_str(&wording::place(place));
        text.push('\n');
    }
    text.push_str(&why.headline());
    push_suggestions(&mut text, why);
    if let Some(details) = why.details() {
        text.push_str("\ndetails: ");
        text.push_str(&details.to_string());
    }
    push_others(&mut text, case, why);
    let before = why.step.map_or(0, |step| case.steps.iter().take_while(|other| other.number < step.number).count());
    let shown = &case.steps[before.saturating_sub(STEPS_BEFORE)..before];
    if !shown.is_empty() {
        text.push_str("\nsteps before:\n");
        for step in shown {
            push_step(&mut text, step);
        }
    }
    text
}

/// Appends what may be meant instead of a target that was not there.
fn push_suggestions(text: &mut String, cause: &Cause) {
    for line in cause.suggestions() {
        text.push('\n');
        text.push_str(&line);
    }
}

/// Appends the steps that did not pass either, where the case went on.
fn push_others(text: &mut String, case: &CaseResult, why: &Cause) {
    let first = why.step.map(|step| step.number);
    let others: Vec<Cause> = Cause::all(case).filter(|cause| cause.step.map(|step| step.number) != first).collect();
    for cause in others.iter().take(FAILURES) {
        let Some(step) = cause.step else { continue };
        let place = cause.action.map_or(&step.place, |action| &action.place);
        text.push_str(&format!(
            "\n\nstep {} {}, too: {}\n",
            step.number,
            wording::outcome(step.outcome),
            wording::place(place)
        ));
        text.push_str(&cause.headline());
        push_suggestions(text, cause);
    }
    if others.len() > FAILURES {
        text.push_str(&format!("\n\nand {} more", others.len() - FAILURES));
    }
}

/// Returns the tries of a step that did not decide its outcome.
fn reruns(step: &StepResult) -> impl Iterator<Item = TestRerun> {
    let decided = usize::from(step.outcome != Outcome::Flaky);
    let before = step.attempts.len().saturating_sub(decided);
    step.attempts[..before].iter().filter(|attempt| attempt.outcome >= Outcome::Failed).map(move |attempt| {
        let kind = if attempt.outcome == Outcome::Errored { NonSuccessKind::Error } else { NonSuccessKind::Failure };
        let mut rerun = TestRerun::new(kind);
        let failed = attempt.actions.iter().find(|action| action.outcome >= Outcome::Failed);
        match failed.map(|action| (action, Cause::at(step, action))) {
            Some((action, cause)) => {
                rerun.set_type(&*wording::one_line(cause.kind()));
                rerun.set_message(&*wording::one_line(&cause.headline()));
                let text = format!("{}\n{}", wording::place(&action.place), cause.headline());
                rerun.set_stack_trace(&*wording::printable(&text));
            }
            None => _ = rerun.set_type("Unknown"),
        }
        rerun
    })
}

/// Returns a line per step, with the pictures that belong to it in the form that Jenkins' attachments plugin reads.
fn output(case: &CaseResult) -> String {
    let mut text = String::new();
    for line in case.log.iter().filter(|line| line.message.contains(wording::RUNS_AGAIN)) {
        text.extend(["warning: ", &*wording::one_line(&line.message), "\n"]);
    }
    for step in &case.steps {
        push_step(&mut text, step);
        let actions = step.attempts.iter().flat_map(|attempt| &attempt.actions);
        for path in actions.flat_map(comparison::pictures) {
            if picture::inside(path).is_some() {
                text.extend(["[[ATTACHMENT|", path, "]]\n"]);
            }
        }
    }
    text
}

/// Appends `1 passed app_launch com.uixt.shop 0.31 s`, and a line per action where there are several.
fn push_step(text: &mut String, step: &StepResult) {
    let mut line = format!("{} {}", step.number, wording::outcome(step.outcome));
    if let Some(name) = wording::own_name(step) {
        line.push(' ');
        line.push_str(name);
    }
    let only = wording::only_action(step);
    if let Some(action) = only {
        line.push_str(if wording::own_name(step).is_some() { ": " } else { " " });
        line.push_str(&wording::call(&action.tool, &action.arguments));
    }
    if let Some(error) = &step.error {
        line.push_str(": ");
        line.push_str(&error.message);
    }
    push_line(text, &line, step.elapsed_ms);
    for action in step.attempts.iter().flat_map(|attempt| &attempt.actions).filter(|action| !action.mended.is_empty()) {
        text.extend(["  ", &*wording::one_line(&action.message), "\n"]);
    }
    if only.is_none() {
        for attempt in &step.attempts {
            let which = if step.attempts.len() > 1 { format!("attempt {}: ", attempt.number) } else { String::new() };
            for action in &attempt.actions {
                push_action(text, &which, action);
            }
        }
    }
}

fn push_action(text: &mut String, attempt: &str, action: &ActionResult) {
    let call = wording::call(&action.tool, &action.arguments);
    let line = format!("  {attempt}{} {call}", wording::outcome(action.outcome));
    push_line(text, &line, action.elapsed_ms);
}

fn push_line(text: &mut String, line: &str, elapsed_ms: u64) {
    text.push_str(&wording::one_line(line));
    text.push(' ');
    wording::push_duration(text, elapsed_ms);
    text.push('\n');
}
