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
    /// Finds it: a step that ended like the case, then what went wrong outside of the steps, then any that did not pass.
    pub(super) fn of(case: &'a CaseResult) -> Self {
        let like_the_case = Self::all(case).find(|cause| cause.outcome() == Some(case.outcome));
        match like_the_case {
            Some(cause) => cause,
            None if case.error.is_some() => Self { step: None, action: None, failure: case.error.as_ref() },
            None => Self::all(case).next().unwrap_or(Self { step: failed_step(case), action: None, failure: None }),
        }
    }

    /// Returns the failure of each step that did not pass; a step that never ended has none.
    pub(super) fn all(case: &'a CaseResult) -> impl Iterator<Item = Self> {
        let failed = case.steps.iter().filter(|step| step.outcome >= Outcome::Failed).map(Self::of_step);
        failed.filter(|cause| cause.action.is_some() || cause.failure.is_some())
    }

    /// Finds a step's failure: the first of its last attempt, else what went wrong outside of any action.
    fn of_step(step: &'a StepResult) -> Self {
        let actions = step.attempts.last().map_or(&[][..], |last| &last.actions);
        match actions.iter().find(|action| action.outcome >= Outcome::Failed) {
            Some(action) if step.error.is_none() || action.outcome == step.outcome => Self::at(step, action),
            _ => Self { step: Some(step), action: None, failure: step.error.as_deref() },
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.action.map(|action| action.outcome).or(self.step.map(|step| step.outcome))
    }

    /// Takes this action's failure as the cause.
    pub(super) fn at(step: &'a StepResult, action: &'a ActionResult) -> Self {
        Self { step: Some(step), action: Some(action), failure: action.error.as_deref() }
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

    /// Returns `tool arguments: message`, or the step's name instead of the call where no call went wrong.
    pub(super) fn headline(&self) -> String {
        match (self.action, self.step) {
            (Some(action), _) => format!("{}: {}", wording::call(&action.tool, &action.arguments), self.message()),
            (None, Some(step)) if self.failure.is_some() && !step.name.is_empty() => {
                format!("{}: {}", step.name, self.message())
            }
            (None, _) => self.message().to_owned(),
        }
    }

    /// Returns what may be meant instead of a target that was not there, a line each.
    pub(super) fn suggestions(&self) -> Vec<String> {
        self.action.map(|action| wording::suggestions(&action.tool, self.failure)).unwrap_or_default()
    }

    /// Returns the facts for a program.
    pub(super) fn details(&self) -> Option<&'a serde_json::Value> {
        self.failure.and_then(|failure| failure.details.as_ref())
    }
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
