//! An expression → its value, as a [`Scope`] defines the variables. Bounded in size, depth and chain.

use serde_json::{Map, Value};
use std::time::Duration;

use super::cycles::{LONGEST_CHAIN, cycle};
use super::expression::{Argument, ExpressionError, Part, Reach, parse};
use super::functions::{self, Surroundings, text_of};
use super::names::refused;
use super::nearest;
use super::scope::{Layer, Scope, locked};

/// Most bytes of one evaluated value, with 32 for each value in it.
const LARGEST: usize = 8 * 1024 * 1024;
/// Deepest nesting of an evaluated value.
const DEEPEST: usize = 128;

/// Replaces the expressions in a value, as the scope's step sees the variables.
pub(super) fn evaluate(scope: &Scope, value: &Value) -> Result<Value, ExpressionError> {
    Evaluation { scope, trail: Vec::new(), room: LARGEST }.value(value, View::Step)
}

/// From where an expression sees variables: a step, or the config, which knows nothing of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    Step,
    Config,
}

struct Evaluation<'a> {
    scope: &'a Scope,
    /// The variables that are being evaluated, each needed by the one before.
    trail: Vec<(View, String)>,
    room: usize,
}

impl Evaluation<'_> {
    fn value(&mut self, value: &Value, view: View) -> Result<Value, ExpressionError> {
        match value {
            Value::String(text) => self.text(text, view),
            Value::Array(items) => items.iter().map(|item| self.value(item, view)).collect::<Result<_, _>>(),
            Value::Object(entries) => {
                let evaluated = entries.iter().map(|(key, value)| Ok((key.clone(), self.value(value, view)?)));
                evaluated.collect::<Result<Map<_, _>, _>>().map(Value::Object)
            }
            other => Ok(other.clone()),
        }
    }

    fn text(&mut self, text: &str, view: View) -> Result<Value, ExpressionError> {
        let parts = parse(text)?;
        self.parts(&parts, view)
    }

    fn parts(&mut self, parts: &[Part], view: View) -> Result<Value, ExpressionError> {
        if let [part] = parts {
            return self.part(part, view);
        }
        let mut text = String::new();
        for part in parts {
            let value = self.part(part, view)?;
            text.push_str(&text_of(&value));
        }
        Ok(Value::String(text))
    }

    fn part(&mut self, part: &Part, view: View) -> Result<Value, ExpressionError> {
        match part {
            Part::Text(text) => Ok(Value::String(text.clone())),
            Part::Variable { name, reach } => {
                let value = self.variable(name, *reach, view).map_err(|error| moved(error, *reach))?;
                self.charge(&value, *reach)?;
                Ok(value)
            }
            Part::Call { name, arguments, reach } => {
                let value = self.call(name, arguments, *reach, view).map_err(|error| moved(error, *reach))?;
                self.charge(&value, *reach)?;
                Ok(value)
            }
        }
    }

    fn variable(&mut self, name: &str, reach: Reach, view: View) -> Result<Value, ExpressionError> {
        let scope = self.scope;
        if let Some(value) = scope.case.overrides.variables.get(name) {
            return Ok(value.clone());
        }
        let hides_itself = self.trail.last().is_some_and(|(from, last)| *from == View::Step && last == name);
        if let Some(layer) = scope.step.as_deref()
            && view == View::Step
            && !hides_itself
            && layer.definitions.contains_key(name)
        {
            return self.definition(layer, View::Step, name, reach);
        }
        if view == View::Step
            && let Some(value) = locked(&scope.case.saved).get(name)
        {
            return Ok(value.clone());
        }
        if scope.case.config.definitions.contains_key(name) {
            return self.definition(&scope.case.config, View::Config, name, reach);
        }
        Err(self.unknown(name, reach))
    }

    fn definition(&mut self, layer: &Layer, view: View, name: &str, reach: Reach) -> Result<Value, ExpressionError> {
        if let Some(value) = locked(&layer.settled).get(name) {
            return Ok(value.clone());
        }
        if self.trail.iter().any(|(from, other)| *from == view && other == name) {
            return Err(ExpressionError::at(reach, cycle(self.trail.iter().map(|(_, name)| name.as_str()), name)));
        }
        if self.trail.len() >= LONGEST_CHAIN {
            return Err(ExpressionError::at(reach, "more than 32 variables refer to each other in a chain"));
        }
        self.trail.push((view, name.to_owned()));
        let value = self.value(layer.definitions.get(name).unwrap_or(&Value::Null), view);
        self.trail.pop();
        Ok(locked(&layer.settled).entry(name.to_owned()).or_insert(value?).clone())
    }

    fn unknown(&self, name: &str, reach: Reach) -> ExpressionError {
        let place = self.trail.last().map_or(String::new(), |(_, variable)| format!(" in variable `{variable}`"));
        let case = &self.scope.case;
        let step = self.scope.step.iter().flat_map(|layer| layer.definitions.keys());
        let known: Vec<&str> = step.chain(case.config.definitions.keys()).map(String::as_str).collect();
        let mut error = ExpressionError::at(reach, format!("unknown variable `{name}`{place}"));
        error.hint = nearest::hint(name, known);
        error
    }

    fn call(&mut self, name: &str, arguments: &[Argument], reach: Reach, view: View) -> Result<Value, ExpressionError> {
        functions::check(name, arguments.len()).map_err(|refusal| refused(refusal, reach))?;
        let mut values = Vec::new();
        for argument in arguments {
            values.push(match argument {
                Argument::Literal(value) => value.clone(),
                Argument::Parts(parts) => self.parts(parts, view)?,
            });
        }
        functions::call(name, self, &values).map_err(|message| ExpressionError::at(reach, message))
    }

    /// Takes a value's size from what an evaluation may use, so that variables that double each other end.
    fn charge(&mut self, value: &Value, reach: Reach) -> Result<(), ExpressionError> {
        let size = weight(value, DEEPEST).and_then(|size| self.room.checked_sub(size));
        self.room = size.ok_or_else(|| ExpressionError::at(reach, "the value is too large"))?;
        Ok(())
    }
}

/// Returns the size of a value, or none where it is nested more deeply than allowed.
fn weight(value: &Value, depth: usize) -> Option<usize> {
    let depth = depth.checked_sub(1)?;
    match value {
        Value::String(text) => Some(text.len() + 32),
        Value::Array(items) => items.iter().try_fold(32, |sum, item| Some(sum + weight(item, depth)?)),
        Value::Object(entries) => {
            entries.iter().try_fold(32, |sum, (key, value)| Some(sum + key.len() + 32 + weight(value, depth)?))
        }
        _ => Some(32),
    }
}

/// An error inside of a variable's definition is shown at the variable.
fn moved(error: ExpressionError, reach: Reach) -> ExpressionError {
    ExpressionError { offset: reach.offset, length: reach.length, ..error }
}

impl Surroundings for Evaluation<'_> {
    fn environ(&mut self, name: &str) -> Result<Option<String>, String> {
        let scope = self.scope;
        let mentions_itself = self.trail.contains(&(View::Config, name.to_owned()));
        let found = if let Some(value) = scope.case.overrides.environs.get(name) {
            Some(value.clone())
        } else if scope.case.environs.contains_key(name) && !mentions_itself {
            let value = self.definition(&scope.case.config, View::Config, name, Reach::default());
            Some(text_of(&value.map_err(|error| error.message)?))
        } else {
            std::env::var(name).ok()
        };
        locked(&scope.case.secrets).extend(found.clone().filter(|value| !value.is_empty()));
        Ok(found)
    }

    fn table(&mut self, path: &str) -> Result<Value, String> {
        self.scope.case.files.table(path)
    }

    fn wait(&mut self, time: Duration) {
        let mut sleep = locked(&self.scope.case.sleep);
        *sleep = sleep.saturating_add(time);
    }
}
