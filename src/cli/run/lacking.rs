//! A testcase and the platform that it is to run on → what its steps want that no device of the platform has, told before it runs.

use uixt_call::unsupported;
use uixt_core::action::MobileAction;

use crate::testcase::{Body, Step, TestCase};
use crate::tools;

/// Most steps that are named.
const NAMED: usize = 5;

/// Says which steps cannot work, each with its place; none where all may. Steps that a condition may leave out, that may fail, or that are
/// for another device are not looked at.
pub(super) fn refusal(case: &TestCase, platform: &str) -> Option<String> {
    let mut lacks = Vec::new();
    look(case, &case.steps, platform, &mut lacks);
    let more = lacks.len().saturating_sub(NAMED);
    lacks.truncate(NAMED);
    if more > 0 {
        lacks.push(format!("and {more} more"));
    }
    (!lacks.is_empty()).then(|| lacks.join("\n"))
}

fn look(case: &TestCase, steps: &[Step], platform: &str, lacks: &mut Vec<String>) {
    let is_certain = |step: &&Step| {
        let is_here = step.platform.as_deref().is_none_or(|other| other == platform)
            && step.serial.is_none()
            && step.device.is_none();
        is_here && step.when.is_none() && step.tags.is_empty() && !step.optional
    };
    for step in steps.iter().filter(is_certain) {
        match &step.body {
            Body::Actions(actions) => {
                let place = || format!("{}:{}:{}", case.file, step.place.line, step.place.column);
                lacks.extend(
                    actions.iter().filter_map(|action| lack(action, platform)).map(|why| format!("{}: {why}", place())),
                );
            }
            Body::Group(steps) => look(case, steps, platform, lacks),
            Body::Case(other) => look(other, &other.steps, platform, lacks),
            Body::Choice { .. } | Body::Nothing { .. } => {}
        }
    }
}

fn lack(action: &MobileAction, platform: &str) -> Option<String> {
    let tool = tools::find(unsupported::known(tools::table(), &action.method)?)?;
    let arguments = tools::table().request(action).ok()?.arguments.unwrap_or_default();
    let other = |name: &str| arguments.contains_key(name);
    if other("serial") || other("platform") {
        return None;
    }
    let lacking = tool.lacks(platform, &arguments)?;
    let what = match lacking.value {
        Some((_, value)) => format!("{}: {value}", tool.name),
        None => tool.name.to_owned(),
    };
    Some(format!("{platform} cannot do `{what}`: {}", lacking.reason))
}
