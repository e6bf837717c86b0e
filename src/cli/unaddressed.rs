//! Configs that list several devices → what is to be said of them: steps that name none of them run on one only.

use super::requires;
use crate::action::MobileAction;
use crate::testcase::{Body, Hook, Step, TestCase};
use crate::tools;

/// Returns a warning for a case, and for each that it refers to, whose config lists devices that nothing runs on, unless a
/// step says so.
pub(super) fn warnings(case: &TestCase) -> Vec<String> {
    let mut warnings: Vec<String> = case.cases().into_iter().filter_map(warning).collect();
    warnings.sort();
    warnings.dedup();
    warnings
}

fn warning(case: &TestCase) -> Option<String> {
    let devices = &case.config.devices;
    let is_driven = requires::drives;
    let count = devices.iter().filter(|device| is_driven(&device.platform)).count();
    let first = devices.iter().find(|device| is_driven(&device.platform))?;
    let second = devices.iter().find(|device| device.place != first.place)?;
    let of_it = match (count, first.options.iter().find(|option| option.key == "serial")) {
        (1, _) => format!("all steps run on the one of `{}`, which alone is supported so far", first.platform),
        (_, _) if addresses(case) => return None,
        (_, Some(serial)) => {
            let serial = serial.value.as_str().map_or_else(|| serial.value.to_string(), str::to_owned);
            format!("steps that name no `serial` run on the first, {serial}")
        }
        (_, None) => "steps that name no `serial` run on the first".to_owned(),
    };
    let count = devices.len();
    Some(format!(
        "{}:{}:{}: `config` lists {count} devices: {of_it}",
        case.file, second.place.line, second.place.column
    ))
}

/// Tells whether every step that acts on a device says on which, or the case selects devices itself.
fn addresses(case: &TestCase) -> bool {
    let mut selects = false;
    case.each_action(&mut |action| {
        selects |= tools::find(&action.method).is_some_and(|tool| tool.name == "select_device");
    });
    let config = &case.config;
    let hooks = [&config.setup, &config.teardown, &config.on_failure];
    selects || (hooks.into_iter().all(|hooks| all_named(hooks)) && case.steps.iter().all(is_named))
}

fn all_named(hooks: &[Hook]) -> bool {
    hooks.iter().all(|hook| !matches!(hook, Hook::Step(step) if !is_named(step)))
}

fn is_named(step: &Step) -> bool {
    let inner = match &step.body {
        Body::Actions(_) | Body::Nothing { .. } => true,
        Body::Group(steps) => steps.iter().all(is_named),
        Body::Choice { then, otherwise, .. } => then.iter().chain(otherwise).all(is_named),
        Body::Case(case) => case.config.serial().is_some() || case.steps.iter().all(is_named),
    };
    inner && all_named(&step.setup) && all_named(&step.teardown) && (step.serial.is_some() || acts_nowhere(step))
}

/// Tells whether no action of the step itself goes to a device that it does not name.
fn acts_nowhere(step: &Step) -> bool {
    let mut actions = step.actions().iter().chain(step.validate.iter().map(|check| &check.action));
    !step.screenshot && !step.closes_popups && actions.all(goes_nowhere)
}

fn goes_nowhere(action: &MobileAction) -> bool {
    let names_device = action.params.get("serial").is_some() || action.options.contains_key("serial");
    names_device || tools::find(&action.method).is_some_and(|tool| !tool.needs_device)
}
