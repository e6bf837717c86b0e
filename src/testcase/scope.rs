//! The values of variables at run time: which definition wins, and what an expression evaluates to.
//!
//! `--var` wins over a step's variables, these over `environs` (and `--env-file`), these over the `variables` of the config,
//! these over those of `uixt.yaml`. A variable is evaluated when it is first used, and keeps its value: for the case, or for
//! the step that defines it. A step's variable that mentions its own name means the one it hides.

use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::case::{Step, TestCase};
use super::expression::{Argument, ExpressionError, Part, Reach, parse};
use super::functions::{self, Surroundings, text_of};
use super::nearest;
use super::table::Files;

/// Most bytes of one evaluated value, with 32 for each value in it.
const LARGEST: usize = 8 * 1024 * 1024;
/// Deepest nesting of an evaluated value.
const DEEPEST: usize = 128;
/// Most variables that may refer to each other in a chain.
pub(super) const LONGEST_CHAIN: usize = 32;

/// What the command line says about variables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// `--var`: taken as they are, no expressions.
    pub variables: Map<String, Value>,
    /// `--env-file`: secret, seen by `${ENV(…)}` and as variables.
    pub environs: BTreeMap<String, String>,
}

/// The variables of one run of a case, or of one step of it.
#[derive(Clone, Debug)]
pub struct Scope {
    case: Arc<Case>,
    step: Option<Arc<Layer>>,
}

#[derive(Debug)]
struct Case {
    overrides: Overrides,
    environs: Map<String, Value>,
    config: Layer,
    files: Files,
    sleep: Mutex<Duration>,
    secrets: Mutex<BTreeSet<String>>,
}

/// Definitions, and the values of those that have been used.
#[derive(Debug, Default)]
struct Layer {
    definitions: Map<String, Value>,
    settled: Mutex<HashMap<String, Value>>,
}

impl Layer {
    fn of(definitions: Map<String, Value>) -> Self {
        Layer { definitions, settled: Mutex::default() }
    }
}

impl Scope {
    pub(super) fn of(case: &TestCase, overrides: &Overrides) -> Self {
        let mut definitions = case.project.variables.clone();
        definitions.extend(case.config.variables.clone());
        definitions.extend(case.config.environs.clone());
        definitions.extend(overrides.environs.iter().map(|(name, value)| (name.clone(), escaped(value).into())));
        let folder = case.path.parent().map(std::path::Path::to_path_buf).unwrap_or_default();
        let case = Case {
            secrets: Mutex::new(overrides.environs.values().cloned().collect()),
            overrides: overrides.clone(),
            environs: case.config.environs.clone(),
            config: Layer::of(definitions),
            files: Files { folder, root: case.project.root.clone() },
            sleep: Mutex::default(),
        };
        Scope { case: Arc::new(case), step: None }
    }

    /// Returns the variables of a step; those of the case keep the values that they have.
    #[must_use]
    pub fn for_step(&self, step: &Step) -> Scope {
        Scope { case: Arc::clone(&self.case), step: Some(Arc::new(Layer::of(step.variables.clone()))) }
    }

    /// Replaces the expressions in a value; a string that is one expression becomes what that is, of any type.
    pub fn evaluate(&self, value: &Value) -> Result<Value, ExpressionError> {
        Evaluation { scope: self, trail: Vec::new(), room: LARGEST }.value(value, View::Step)
    }

    /// Replaces the expressions in a text.
    pub fn evaluate_text(&self, text: &str) -> Result<String, ExpressionError> {
        self.evaluate(&Value::String(text.to_owned())).map(|value| text_of(&value))
    }

    /// Returns how long `${sleep(…)}` asked to wait since this was last asked.
    pub fn take_pending_sleep(&self) -> Duration {
        std::mem::take(&mut *locked(&self.case.sleep))
    }

    /// Returns the values that must be masked: those of `--env-file` and what `${ENV(…)}` returned so far.
    pub fn secrets(&self) -> Vec<String> {
        locked(&self.case.secrets).iter().cloned().collect()
    }
}

/// A lock is only held to copy values, so that a poisoned one still holds whole values.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn escaped(text: &str) -> String {
    text.replace('$', "$$")
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

pub(super) fn refused(refusal: functions::Refusal, reach: Reach) -> ExpressionError {
    ExpressionError { hint: refusal.hint, help: refusal.help, ..ExpressionError::at(reach, refusal.message) }
}

/// Says which variables of a trail need each other, beginning with the one that is needed again.
pub(super) fn cycle<'a>(trail: impl Iterator<Item = &'a str>, again: &'a str) -> String {
    let chain: Vec<&str> = trail.skip_while(|name| *name != again).chain([again]).collect();
    if chain.len() == 2 {
        return format!("variable `{again}` refers to itself");
    }
    format!("variables refer to each other: {}", chain.join(" → "))
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

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use super::*;
    use serde_json::json;

    const CASE: &str = "config:
  variables: {user: 小明, n: 3, list: [1, $n], greeting: 'Hello $user', id: '${gen_random_string(8)}', hidden: outer, none: ,
    from_env: '${ENV(A)}', base: config, path: '${ENV(PATH)}', self_env: '${ENV(SELF_ENV)}', late: '${md5($missing_later)}',
    missing_later: 1}
  environs: {A: environ $n, base: environs, SELF_ENV: '${ENV(SELF_ENV, unset)}'}
teststeps:
- {log: x, variables: {user: step, hidden: inner $hidden, twice: $user$user}}
";

    fn scope() -> Scope {
        read(CASE).unwrap().scope(&Overrides::default())
    }

    fn shown(scope: &Scope, text: &str) -> Value {
        scope.evaluate(&json!(text)).unwrap_or_else(|error| json!({"error": error.message, "at": error.offset}))
    }

    #[test]
    fn expressions_evaluate() {
        let scope = scope();
        let table = [
            ("plain", json!("plain")),
            ("$n", json!(3)),
            ("${n}", json!(3)),
            (" $n", json!(" 3")),
            ("$list", json!([1, 3])),
            ("l=$list", json!("l=[1,3]")),
            ("$greeting!", json!("Hello 小明!")),
            ("$$n $5.00 $", json!("$n $5.00 $")),
            ("[$none]", json!("[]")),
            ("$none", Value::Null),
            ("${max($n, 2.5)}", json!(3)),
            ("${max($n, 10)}x", json!("10x")),
            ("${md5(hello)}", json!("5d41402abc4b2a76b9719d911017c592")),
            ("${split_by_comma('a,$n')}", json!(["a", "$n"])),
            ("${split_by_comma(a$n)}", json!(["a3"])),
            ("$from_env", json!("environ 3")),
            ("$base", json!("environs")),
            ("$self_env", json!("unset")),
            ("x $usr", json!({"error": "unknown variable `usr`", "at": 2})),
            (
                "${ENV(NO_SUCH_VARIABLE_HERE)}",
                json!({"error": "ENV: the environment variable `NO_SUCH_VARIABLE_HERE` is not set", "at": 0}),
            ),
            ("${P(none.csv)}", json!({"error": "P: there is no file none.csv", "at": 0})),
        ];
        for (text, expected) in table {
            assert_eq!(shown(&scope, text), expected, "{text}");
        }
        assert_eq!(scope.evaluate(&json!({"$n": ["$n", 1, "${n}0"]})), Ok(json!({"$n": [3, 1, "30"]})));
        assert_eq!(scope.evaluate_text("$n"), Ok("3".to_owned()));
    }

    #[test]
    fn a_variable_is_evaluated_once() {
        let scope = scope();
        let first = shown(&scope, "$id");
        assert_eq!((first.as_str().map(str::len), &shown(&scope, "$id")), (Some(8), &first));
        let case = read(CASE).unwrap();
        assert_eq!(shown(&scope.for_step(&case.steps[0]), "$id"), first);
        assert_ne!(shown(&case.scope(&Overrides::default()), "$id"), first);
    }

    #[test]
    fn the_nearer_definition_wins() {
        let case = read(CASE).unwrap();
        let mut overrides = Overrides::default();
        overrides.environs.insert("A".to_owned(), "from $file".to_owned());
        let scope = case.scope(&overrides);
        let step = scope.for_step(&case.steps[0]);
        let table = [
            ("$user", json!("小明"), json!("step")),
            ("$greeting", json!("Hello 小明"), json!("Hello 小明")),
            ("$hidden", json!("outer"), json!("inner outer")),
            ("$A", json!("from $file"), json!("from $file")),
            ("${ENV(A)}", json!("from $file"), json!("from $file")),
        ];
        for (text, outside, inside) in table {
            assert_eq!((shown(&scope, text), shown(&step, text)), (outside, inside), "{text}");
        }
        assert_eq!(shown(&step, "$twice"), json!("stepstep"));
        overrides.variables.insert("user".to_owned(), json!("$n"));
        let step = case.scope(&overrides).for_step(&case.steps[0]);
        assert_eq!(shown(&step, "$user $greeting $twice"), json!("$n Hello $n $n$n"));
    }

    #[test]
    fn a_project_is_the_outermost() {
        let mut case = read(CASE).unwrap();
        let project = json!({"user": "project", "only": "$n here"});
        let project =
            super::super::case::Project { variables: project.as_object().cloned().unwrap(), ..Default::default() };
        case.project = Arc::new(project);
        let scope = case.scope(&Overrides::default());
        assert_eq!(shown(&scope, "$user, $only"), json!("小明, 3 here"));
    }

    #[test]
    fn sleeps_and_secrets_are_kept_for_the_runner() {
        let scope = scope();
        assert_eq!(shown(&scope, "a${sleep(1.5)}${sleep(1)}"), json!("a"));
        assert_eq!(scope.take_pending_sleep(), Duration::from_millis(2500));
        assert_eq!(scope.take_pending_sleep(), Duration::ZERO);
        assert!(scope.secrets().is_empty());
        let path = shown(&scope, "$path");
        assert_eq!(scope.secrets(), [path.as_str().unwrap()]);
    }

    #[test]
    fn values_that_double_end() {
        let chain = |form: &str| {
            (0..30).map(|n| format!("v{n}: {}, ", form.replace('@', &format!("$v{}", n + 1)))).collect::<String>()
        };
        for form in ["'@@'", "[@, @]", "{a: @, b: @}"] {
            let text = format!("config: {{variables: {{{} v30: xxxxxxxx}}}}\nteststeps: [log: $v0]", chain(form));
            let began = std::time::Instant::now();
            let value = shown(&read(&text).unwrap().scope(&Overrides::default()), "$v0");
            assert_eq!(value["error"], json!("the value is too large"), "{form}");
            assert!(began.elapsed().as_secs() < 5);
        }
    }
}
