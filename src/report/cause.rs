//! Why a case did not pass: the one failure that every report shows first.

use super::wording;
use crate::result::{ActionResult, CaseResult, Failure, Outcome, StepResult};

/// The failure that decided a case's outcome, with the step and the action that it came from.
#[derive(Clone, Copy)]
pub(super) struct Cause<'a> {
    pub(super) step: Option<&'a StepResult>,
    pub(super) action: Option<&'a ActionResult>,
    failure: Option<&'a Failure>,
}

impl<'a> Cause<'a> {
    /// Finds it: an action that ended like the case, then what went wrong outside of the steps, then any failed action.
    pub(super) fn of(case: &'a CaseResult) -> Self {
        let like_the_case = failures(case).find(|(_, action)| action.outcome == case.outcome);
        match like_the_case {
            Some((step, action)) => Self::at(step, action),
            None if case.error.is_some() => Self { step: None, action: None, failure: case.error.as_ref() },
            None => failures(case).next().map_or_else(
                || Self { step: failed_step(case), action: None, failure: None },
                |(step, action)| Self::at(step, action),
            ),
        }
    }

    /// Takes this action's failure as the cause.
    pub(super) fn at(step: &'a StepResult, action: &'a ActionResult) -> Self {
        Self { step: Some(step), action: Some(action), failure: action.error.as_ref() }
    }

    /// Returns the kind of failure.
    pub(super) fn kind(&self) -> &'a str {
        self.failure.map_or("Unknown", |failure| failure.kind.as_str())
    }

    /// Returns what happened, for a person; never empty.
    pub(super) fn message(&self) -> &'a str {
        let told = self.failure.map_or("", |failure| failure.message.as_str());
        let said = self.action.map_or("", |action| action.message.as_str());
        [told, said].into_iter().find(|text| !text.is_empty()).unwrap_or("no reason was recorded")
    }

    /// Returns `tool arguments: message`.
    pub(super) fn headline(&self) -> String {
        match self.action {
            Some(action) => format!("{}: {}", wording::call(&action.tool, &action.arguments), self.message()),
            None => self.message().to_owned(),
        }
    }

    /// Returns the facts for a program.
    pub(super) fn details(&self) -> Option<&'a serde_json::Value> {
        self.failure.and_then(|failure| failure.details.as_ref())
    }
}

fn failures(case: &CaseResult) -> impl Iterator<Item = (&StepResult, &ActionResult)> {
    case.steps.iter().filter(|step| step.outcome >= Outcome::Failed).filter_map(|step| {
        let last = step.attempts.last()?;
        last.actions.iter().find(|action| action.outcome >= Outcome::Failed).map(|action| (step, action))
    })
}

fn failed_step(case: &CaseResult) -> Option<&StepResult> {
    case.steps.iter().find(|step| step.outcome >= Outcome::Failed)
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn an_errored_case_is_not_blamed_on_an_earlier_failure() {
        let mut case = sample::case("a.yaml", "a", Outcome::Errored);
        case.steps = vec![
            sample::step(1, sample::failing("assert_visible", Outcome::Failed, "NotFound", "not there")),
            sample::step(2, sample::failing("tap_xy", Outcome::Errored, "Device", "gone")),
        ];
        assert_eq!(Cause::of(&case).headline(), "tap_xy: gone");
        case.steps.pop();
        case.error = Some(sample::failure("Transport", "cable pulled"));
        assert_eq!(Cause::of(&case).headline(), "cable pulled");
        case.error = None;
        assert_eq!(Cause::of(&case).headline(), "assert_visible: not there");
        case.steps.clear();
        assert_eq!(Cause::of(&case).headline(), "no reason was recorded");
    }
}
