//! The events of a run → the devices on which cases fail one after the other, in the same way, before anything in them has passed.

use std::collections::HashMap;

use crate::result::{Event, Outcome};

/// After how many such cases a device is examined.
const CASES: u32 = 2;

/// What is known of the cases so far.
#[derive(Default)]
pub(super) struct EarlyFailures {
    open: HashMap<String, Case>,
    /// By the serials of devices.
    devices: HashMap<String, Row>,
}

/// A case that runs.
#[derive(Default)]
struct Case {
    serial: String,
    has_passed_any: bool,
    why: String,
}

/// Cases that failed one after the other.
struct Row {
    /// Why the last one failed, without what differs by chance.
    way: String,
    why: String,
    count: u32,
}

impl EarlyFailures {
    /// Takes note of an event.
    pub(super) fn note(&mut self, event: &Event) {
        match event {
            Event::CaseStarted { case, device: Some(device), .. } => {
                self.open.insert(case.clone(), Case { serial: device.serial.clone(), ..Case::default() });
            }
            Event::ActionFinished { case, error: Some(error), .. }
            | Event::StepFinished { case, error: Some(error), .. } => {
                if let Some(case) = self.open.get_mut(case) {
                    case.why.clone_from(&error.message);
                }
            }
            Event::StepFinished { case, outcome: Outcome::Passed | Outcome::Healed, .. } => {
                if let Some(case) = self.open.get_mut(case) {
                    case.has_passed_any = true;
                }
            }
            Event::CaseFinished { case, outcome, error, .. } => {
                let Some(mut case) = self.open.remove(case).filter(|_| *outcome != Outcome::Skipped) else { return };
                if let Some(error) = error {
                    case.why.clone_from(&error.message);
                }
                self.end(case, *outcome);
            }
            _ => {}
        }
    }

    fn end(&mut self, case: Case, outcome: Outcome) {
        let Case { serial, has_passed_any, why } = case;
        if has_passed_any || outcome < Outcome::Failed || why.is_empty() {
            self.devices.remove(&serial);
            return;
        }
        let way = without_numbers(&why);
        match self.devices.get_mut(&serial).filter(|row| row.way == way) {
            Some(row) => row.count += 1,
            None => _ = self.devices.insert(serial, Row { way, why, count: 1 }),
        }
    }

    /// Returns why the cases on a device fail, once so many have that it is worth a look.
    pub(super) fn due(&mut self, serial: &str) -> Option<String> {
        let row = self.devices.get_mut(serial).filter(|row| row.count == CASES)?;
        // It is told once, however many follow.
        row.count += 1;
        Some(format!("{CASES} cases in a row failed in the same way before any of their steps had passed: {}", row.why))
    }
}

/// Leaves numbers out: times and places differ by chance.
fn without_numbers(text: &str) -> String {
    text.chars().filter(|sign| !sign.is_ascii_digit() && *sign != '.').collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::result::{Device, Failure, ModelUsage, Place};

    fn failure(message: &str) -> Failure {
        Failure { kind: "NotFound".to_owned(), message: message.to_owned(), details: None }
    }

    fn ran(failures: &mut EarlyFailures, passed: bool, outcome: Outcome, why: &str) -> Option<String> {
        let device = Device { platform: "android".to_owned(), serial: "A".to_owned(), name: "Phone".to_owned() };
        let (case, name, file) = ("a#0".to_owned(), "a".to_owned(), "a".to_owned());
        failures.note(&Event::CaseStarted {
            case: case.clone(),
            name,
            file,
            device: Some(device),
            tags: Vec::new(),
            steps: 2,
        });
        let place = Place { file: String::new(), line: 1, column: 1 };
        let step = |outcome, error| Event::StepFinished {
            case: "a#0".to_owned(),
            step: 1,
            name: String::new(),
            place: place.clone(),
            outcome,
            elapsed_ms: 1,
            error,
        };
        if passed {
            failures.note(&step(Outcome::Passed, None));
        }
        failures.note(&step(outcome, (!why.is_empty()).then(|| failure(why))));
        let usage = ModelUsage::default();
        failures.note(&Event::CaseFinished { case, outcome, elapsed_ms: 1, error: None, exports: Map::new(), usage });
        failures.due("A")
    }

    #[test]
    fn a_device_is_examined_once_after_two_cases_that_fail_alike() {
        let mut failures = EarlyFailures::default();
        let why = "com.a: not in front within 20.1 s";
        assert_eq!(ran(&mut failures, false, Outcome::Failed, why), None);
        let told = ran(&mut failures, false, Outcome::Failed, "com.a: not in front within 20.3 s");
        assert!(told.is_some_and(|told| told.ends_with("not in front within 20.1 s")));
        assert_eq!(ran(&mut failures, false, Outcome::Failed, why), None, "it was told");
    }

    #[test]
    fn what_passes_anything_or_fails_otherwise_begins_anew() {
        let mut failures = EarlyFailures::default();
        for (passed, outcome, why) in [
            (false, Outcome::Failed, "one"),
            (true, Outcome::Failed, "one"),
            (false, Outcome::Failed, "one"),
            (false, Outcome::Errored, "other"),
            (false, Outcome::Failed, "one"),
            (true, Outcome::Passed, ""),
            (false, Outcome::Failed, "one"),
        ] {
            assert_eq!(ran(&mut failures, passed, outcome, why), None, "{why}");
        }
    }
}
