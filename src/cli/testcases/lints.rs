//! Testcases that can be loaded → warnings of what they say in vain: devices that nothing runs on, steps and options that do nothing.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use uixt_call::mask;
use uixt_core::host::Files;

use super::requires;
use crate::action::MobileAction;
use crate::testcase::{Body, CommentCut, Hook, Step, TestCase};
use crate::tools;

/// Options of browsers that are `HttpRunner`'s and do nothing here, and why.
const WITHOUT_EFFECT: [(&str, &str); 2] = [
    (
        "browser_id",
        "each case has a browser of its own, with a fresh profile; `webdriver_url` names one that runs somewhere",
    ),
    ("log_on", "the console is always read: `logcat` returns it, and its errors stand beside a failed step"),
];

/// Returns the warnings of a case and of those that it refers to; those of its devices unless the command line names one.
pub(in crate::cli) fn warnings(case: &TestCase, names_device: bool) -> Vec<String> {
    let devices = case.cases().into_iter().filter(|_| !names_device).filter_map(idle_devices);
    let options = case.cases().into_iter().flat_map(idle_options);
    let settings = distinct(dropped_settings(case));
    let told = [devices.collect(), idle_steps(case), options.collect(), missing_uploads(case), curly_quotes(case)];
    let told = [told.as_slice(), &[cut_texts(case), misspelt_requirements(case)]].concat();
    let told: Vec<String> = told.into_iter().flat_map(distinct).collect();
    [told, settings].concat()
}

/// Texts that a comment cuts: `tap: Room #5` taps on Room.
fn cut_texts(case: &TestCase) -> Vec<String> {
    let told = |case: &TestCase, cut: &CommentCut| {
        format!(
            "{}:{}:{}: `{}` is a comment here; where it is a part of the text, put all of it in quotes",
            case.file, cut.line, cut.column, cut.comment
        )
    };
    case.cases().into_iter().flat_map(|case| case.comment_cuts.iter().map(|cut| told(case, cut))).collect()
}

/// Requirements that are no program's name but nearly a kind of device: their cases would be skipped everywhere.
fn misspelt_requirements(case: &TestCase) -> Vec<String> {
    let unmet = |word: &String| requires::unmet(word).filter(|reason| reason.contains("; did you mean `"));
    case.config.requires.iter().filter_map(unmet).map(|reason| format!("{}: {reason}", case.file)).collect()
}

/// Texts that stand whole in quotes of the typographic kind, as word processors write them: YAML takes those for a part of the text.
fn curly_quotes(case: &TestCase) -> Vec<String> {
    let mut warnings = Vec::new();
    case.each_step_with_case(&mut |case, step| {
        let Body::Actions(actions) = &step.body else { return };
        for text in actions.iter().filter_map(|action| curly(&action.params)) {
            let straight = text.trim_matches(['“', '”', '‘', '’']);
            warnings.push(format!(
                "{}:{}:{}: the quotes of {text} are a part of the text; straight ones are not: \"{straight}\"",
                case.file, step.place.line, step.place.column
            ));
        }
    });
    warnings
}

fn curly(value: &Value) -> Option<&str> {
    let is_in = |text: &&str| {
        [('“', '”'), ('‘', '’')].iter().any(|(open, close)| text.starts_with(*open) && text.ends_with(*close))
    };
    match value {
        Value::String(text) => Some(text.as_str()).filter(is_in),
        Value::Array(items) => items.iter().find_map(curly),
        Value::Object(map) => map.values().find_map(curly),
        _ => None,
    }
}

fn distinct(warnings: impl IntoIterator<Item = String>) -> Vec<String> {
    let distinct: BTreeSet<String> = warnings.into_iter().collect();
    distinct.into_iter().collect()
}

/// Steps that are accepted and do nothing, though nobody wished that.
fn idle_steps(case: &TestCase) -> Vec<String> {
    let mut warnings = Vec::new();
    case.each_step_with_case(&mut |case, step| {
        if let Body::Nothing { reason, is_wished: false } = &step.body {
            warnings.push(format!("{}:{}:{}: {reason}", case.file, step.place.line, step.place.column));
        }
    });
    warnings
}

/// Settings of testcases that a case refers to and that say something else: the case decides for all.
fn dropped_settings(case: &TestCase) -> Vec<String> {
    let own = &case.config;
    let others = case.cases().into_iter().filter(|other| !std::ptr::eq(*other, case));
    let told = others.filter_map(|other| {
        let config = &other.config;
        let dropped = [
            ("reset", config.reset.is_some() && config.reset != own.reset),
            ("fail_on", config.fail_on.is_some() && config.fail_on != own.fail_on),
            ("dialogs", !config.dialogs.is_fail() && config.dialogs != own.dialogs),
            ("case_timeout", config.case_timeout.is_some() && config.case_timeout != own.case_timeout),
        ];
        let names: Vec<String> =
            dropped.iter().filter(|(_, is_dropped)| *is_dropped).map(|(name, _)| format!("`{name}`")).collect();
        let (file, names) = (&other.file, names.join(", "));
        (!names.is_empty())
            .then(|| format!("{file}: no effect of {names} where {} refers to it: its own hold", case.file))
    });
    told.collect()
}

/// Files that are to be uploaded and are not there yet.
fn missing_uploads(case: &TestCase) -> Vec<String> {
    let mut warnings = Vec::new();
    case.each_step_with_case(&mut |case, step| {
        let folder = case.path.parent().unwrap_or(Path::new(""));
        let files = Files::of_project(&case.project.root).seen_from(folder);
        let uploads = step
            .actions()
            .iter()
            .filter(|action| tools::find(&action.method).is_some_and(|tool| tool.name == "upload"));
        let requests = uploads.filter_map(|action| tools::table().request(action).ok()?.arguments);
        let named =
            requests.filter_map(|mut arguments| arguments.shift_remove("files")).flat_map(|files| mask::texts(&files));
        for refused in named.filter(|file| !file.contains('$')).filter_map(|file| files.asset(&file).err()) {
            warnings.push(format!(
                "{}:{}:{}: upload: {refused}: it must be there when the step runs",
                case.file, step.place.line, step.place.column
            ));
        }
    });
    warnings
}

fn idle_options(case: &TestCase) -> Vec<String> {
    let browsers = case.config.devices.iter().filter(|device| device.platform == "browser");
    let options = browsers.flat_map(|browser| &browser.options);
    let given = options.filter(|option| !matches!(option.value, Value::Null | Value::Bool(false)));
    let known = given
        .filter_map(|option| WITHOUT_EFFECT.iter().find(|(key, _)| *key == option.key).map(|known| (option, known)));
    let warning = known.map(|(option, (key, why))| {
        format!("{}:{}:{}: `{key}` has no effect: {why}", case.file, option.place.line, option.place.column)
    });
    warning.collect()
}

/// A config that lists several devices without names, unless a step says that it runs on another than the first.
fn idle_devices(case: &TestCase) -> Option<String> {
    let devices = &case.config.devices;
    let first = devices.first()?;
    let second = devices.iter().find(|device| device.place != first.place && device.name.is_none())?;
    let of_it = match first.options.iter().find(|option| option.key == "serial") {
        _ if addresses(case) => return None,
        Some(serial) => {
            let serial = serial.value.as_str().map_or_else(|| serial.value.to_string(), str::to_owned);
            format!("steps that name no `serial` run on the first, {serial}")
        }
        None => "steps that name no `serial` run on the first".to_owned(),
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
        _ if step.device.is_some() => true,
        Body::Actions(_) | Body::Nothing { .. } => true,
        Body::Group(steps) => steps.iter().all(is_named),
        Body::Choice { then, otherwise, .. } => then.iter().chain(otherwise).all(is_named),
        Body::Case(case) => case.config.serial().is_some() || case.steps.iter().all(is_named),
    };
    inner
        && all_named(&step.setup)
        && all_named(&step.teardown)
        && (step.serial.is_some() || step.device.is_some() || acts_nowhere(step))
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
