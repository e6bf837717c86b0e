//! A testcase and what the command line says → errors for secrets that nobody gave, before anything is touched.
//!
//! A variable has a value only once something needs it, so that one which nothing needs may stay without. An error is therefore only what
//! would be one in every run that comes so far: a step of the case itself that runs once whatever holds, and names a variable of the
//! config which is `${ENV(NAME)}` and nothing else.

use std::collections::BTreeSet;

use serde_json::Value;

use super::case::{Body, Hook, Step, TestCase};
use super::error::Error;
use super::expression::parse;
use super::overrides::Overrides;
use super::parts::{Argument, Part};
use crate::action::MobileAction;

impl TestCase {
    /// Returns an error for each variable that a step is sure to need and that the environment does not have.
    pub fn unset(&self, overrides: &Overrides) -> Vec<Error> {
        let scope = self.scope(overrides);
        if self.config.parameters.is_some() || self.config.variables_from.is_some() || scope.may_block() {
            return Vec::new();
        }
        let from = |name: &str| environment(self.config.variables.get(name)?);
        let mut passed = self.assigned();
        let mut errors = Vec::new();
        for (step, action) in self.steps.iter().filter(|step| is_sure(step)).flat_map(actions) {
            let mut named = BTreeSet::new();
            variables(&action.params, &mut named);
            action.options.values().for_each(|value| variables(value, &mut named));
            named.retain(|name| !step.variables.contains_key(name));
            for name in named.into_iter().filter(|name| from(name).is_some()) {
                if passed.insert(name.clone()) && scope.evaluate_text(&format!("${{{name}}}")).is_err() {
                    errors.push(error(self, action, &name, &from(&name).unwrap_or_default()));
                }
            }
        }
        errors
    }

    /// Returns the variables that hooks and steps may give another value.
    fn assigned(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        hooked(&self.config.setup, &mut names);
        self.each_step(&mut |step| {
            hooked(&step.setup, &mut names);
            hooked(&step.teardown, &mut names);
            names.extend(step.saves.iter().map(|save| save.variable.clone()));
            names.extend(step.extracts.iter().map(|extract| extract.variable.clone()));
            names.extend(step.export.iter().cloned());
        });
        names
    }
}

fn error(case: &TestCase, action: &MobileAction, name: &str, from: &str) -> Error {
    let message = format!("`${name}` is the environment variable `{from}`, which is not set");
    let help = format!(
        "write `{from}=…` into .env or a file for --env-file, set it in the environment, or say --var {name}=…"
    );
    Error::in_case(case, action.span, message).with_help(Some(help))
}

/// Tells whether a step runs once, whatever holds.
fn is_sure(step: &Step) -> bool {
    let is_plain = step.parameters.is_none() && step.repeat.is_none() && step.variables_from.is_none();
    is_plain && step.when.is_none() && step.tags.is_empty() && matches!(step.body, Body::Actions(_))
}

fn actions(step: &Step) -> impl Iterator<Item = (&Step, &MobileAction)> {
    step.actions().iter().map(move |action| (step, action))
}

fn hooked(hooks: &[Hook], names: &mut BTreeSet<String>) {
    names.extend(hooks.iter().filter_map(|hook| match hook {
        Hook::Assign { variable, .. } => Some(variable.clone()),
        Hook::Evaluate { .. } | Hook::Step(_) => None,
    }));
}

/// Returns the name in `${ENV(NAME)}`, where a value is that alone.
fn environment(value: &Value) -> Option<String> {
    let parts = parse(value.as_str()?).ok()?;
    let [Part::Call { name, arguments, .. }] = &parts[..] else { return None };
    match &arguments[..] {
        [Argument::Parts(parts)] if name == "ENV" => match &parts[..] {
            [Part::Text(text)] => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Finds the variables that stand in the texts of a value.
fn variables(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if text.contains('$') => {
            names.extend(parse(text).into_iter().flatten().filter_map(variable));
        }
        Value::Array(items) => items.iter().for_each(|item| variables(item, names)),
        Value::Object(map) => map.values().for_each(|value| variables(value, names)),
        _ => {}
    }
}

fn variable(part: Part) -> Option<String> {
    match part {
        Part::Variable { name, .. } => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use super::*;

    fn unset(config: &str, steps: &str) -> Vec<String> {
        let text =
            format!("config: {{variables: {{pin: '${{ENV(NO_SUCH_PIN_HERE)}}'{config}}}}}\nteststeps:\n{steps}\n");
        read(&text).unwrap().unset(&Overrides::default()).into_iter().map(|error| error.message).collect()
    }

    #[test]
    fn what_a_step_is_sure_to_need_must_be_set() {
        let missing = ["`$pin` is the environment variable `NO_SUCH_PIN_HERE`, which is not set"];
        assert_eq!(unset("", "- log: a $pin\n- log: ${pin}"), missing);
        assert_eq!(unset("}, environs: {NO_SUCH_PIN_HERE: '1'", "- log: $pin"), [""; 0]);
        for steps in [
            "- log: a $$pin",
            "- {log: $pin, variables: {pin: 1}}",
            "- {log: $pin, when: '1 == 2'}",
            "- {get_text: x, save: pin}\n- log: $pin",
            "- {steps: [{log: $pin}], when: '1 == 2'}",
        ] {
            assert_eq!(unset("", steps), [""; 0], "{steps}");
        }
    }
}
