//! The values of variables at run time: which definition wins, and what an expression evaluates to.
//!
//! `--var` wins over the rows of parameters, these over a step's variables, these over what steps have saved, this over
//! `--env-file`, `.env` and `environs`, these over the `variables` of the config, these over those of `uixt.yaml`. A step in a
//! group sees the group's variables below its own; a case that a step refers to sees the step's variables above its own, and
//! all others of that step below. A variable is evaluated when it is first used, and keeps its value: for the case, or for the
//! step that defines it. A step's variable that mentions its own name means the one it hides; one that the step saves anew has
//! the new value from then on.

use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::case::{Condition, Step, TestCase};
use super::evaluation::{Evaluation, View};
use super::expression::{ExpressionError, Reach};
use super::functions::text_of;
use super::layer::Layer;
use super::python::Python;
use super::variables_expression;
use crate::host::Files;
use crate::secrets::Secrets;
use uixt_core::functions::{Asked, Asker};

/// What the command line says about variables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// `--var`: taken as they are, no expressions.
    pub variables: Map<String, Value>,
    /// `--env-file`: secret, seen by `${ENV(…)}` and as variables.
    pub environs: BTreeMap<String, String>,
    /// `--seed`: what chance begins with.
    pub seed: Option<u64>,
}

/// The variables of one run of a case, or of one step of it.
#[derive(Clone, Debug)]
pub struct Scope {
    pub(super) case: Arc<Case>,
    /// Those of the step, and of the groups that it stands in, the innermost last.
    pub(super) layers: Vec<Arc<Layer>>,
    /// Who waits for the calls of Python functions, where somebody may stop to.
    pub(super) asked: Option<Asked>,
}

/// What all steps of a run share.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) overrides: Arc<Overrides>,
    pub(super) environs: Map<String, Value>,
    pub(super) config: Layer,
    /// The row that the case runs with.
    pub(super) row: Map<String, Value>,
    /// The step that refers to this case, and the variables of it that win here.
    pub(super) outer: Option<(Scope, BTreeSet<String>)>,
    /// What steps have saved; never evaluated again, since it comes from devices.
    pub(super) saved: Mutex<Map<String, Value>>,
    pub(super) files: Files,
    pub(super) functions: Option<Python>,
    pub(super) shared: Arc<Shared>,
}

/// What the cases of one run have in common with those that they refer to.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) sleep: Mutex<Duration>,
    pub(super) secrets: Mutex<Arc<Secrets>>,
}

impl Scope {
    /// Returns what chance begins with, where it was said.
    pub(super) fn seed(&self) -> Option<u64> {
        self.case.overrides.seed
    }

    pub(super) fn of(case: &TestCase, overrides: &Overrides) -> Self {
        Scope::within(case, overrides.clone(), Arc::default(), None)
    }

    fn within(
        case: &TestCase,
        overrides: Overrides,
        shared: Arc<Shared>,
        outer: Option<(Scope, BTreeSet<String>)>,
    ) -> Self {
        let hidden = |name: &String| outer.as_ref().is_some_and(|(scope, _)| scope.defines(name));
        let project = case.project.variables.iter().filter(|(name, _)| !hidden(name));
        let mut definitions: Map<String, Value> = project.map(|(name, value)| (name.clone(), value.clone())).collect();
        definitions.extend(case.config.variables.clone());
        definitions.extend(case.config.environs.clone());
        let mut secret = case.project.environs.clone();
        secret.extend(overrides.environs);
        definitions.extend(secret.iter().map(|(name, value)| (name.clone(), escaped(value).into())));
        let folder = case.path.parent().map(std::path::Path::to_path_buf).unwrap_or_default();
        secret.values().for_each(|value| shared.add_secret(value));
        let case = Case {
            overrides: Arc::new(Overrides { environs: secret, ..overrides }),
            environs: case.config.environs.clone(),
            config: Layer::of(definitions, case.config.variables_from.as_deref()),
            row: Map::new(),
            outer,
            saved: Mutex::default(),
            files: Files::of_project(&case.project.root).seen_from(folder),
            functions: case.functions.clone(),
            shared,
        };
        Scope { case: Arc::new(case), layers: Vec::new(), asked: None }
    }

    /// Returns the variables of a step, within those that are seen here; all others keep the values that they have.
    #[must_use]
    pub fn for_step(&self, step: &Step) -> Scope {
        self.with_layer(Layer::of(step.variables.clone(), step.variables_from.as_deref()))
    }

    fn with_layer(&self, layer: Layer) -> Scope {
        let mut layers = self.layers.clone();
        layers.push(Arc::new(layer));
        Scope { case: Arc::clone(&self.case), layers, asked: self.asked.clone() }
    }

    /// Returns the same variables, for evaluations that make no more calls once this asker is gone.
    #[must_use]
    pub fn asked_by(&self, asker: &Asker) -> Scope {
        Scope { asked: Some(asker.asked()), ..self.clone() }
    }

    /// Returns the variables of a step, or of a case, that runs with a row of its parameters: the row wins over all but `--var`.
    ///
    /// A row of a step's parameters is given to what [`Scope::for_step`] returned. What depends on the row is evaluated anew: for
    /// a case, all of its variables, and nothing is saved yet; for a step, its own.
    #[must_use]
    pub fn with_row(&self, row: Map<String, Value>) -> Scope {
        let mut scope = self.clone();
        let Some(own) = scope.layers.pop() else {
            return Scope { case: Arc::new(self.case.anew(row)), layers: Vec::new(), asked: self.asked.clone() };
        };
        // The step's variables may name those of the row, which therefore lies below them; it wins all the same.
        scope.with_layer(Layer::row(row)).with_layer(own.anew())
    }

    /// Returns the variables of a case that runs again, with the row that it has: nothing is saved yet, and all is evaluated anew.
    #[must_use]
    pub fn anew(&self) -> Scope {
        Scope { case: Arc::new(self.case.anew(self.case.row.clone())), layers: Vec::new(), asked: self.asked.clone() }
    }

    /// Returns a copy of a case's variables as they stand: what is saved from here on changes only one of them.
    #[must_use]
    pub fn as_it_stands(&self) -> Scope {
        Scope { case: Arc::new(self.case.as_it_stands()), layers: self.layers.clone(), asked: self.asked.clone() }
    }

    /// Returns the same variables for a case that was read anew: expressions call the functions of that one.
    #[must_use]
    pub fn going_on_in(&self, case: &TestCase) -> Scope {
        let own = Case { functions: case.functions.clone(), ..self.case.as_it_stands() };
        Scope { case: Arc::new(own), layers: self.layers.clone(), asked: self.asked.clone() }
    }

    /// Returns the variables of a case that a step refers to: its own, over which those of the step win, and below them the ones
    /// that are seen here. What it saves stays there until it is [kept](Scope::keep).
    #[must_use]
    pub fn for_case(&self, case: &TestCase) -> Scope {
        // What goes wrong with them is said by the first that looks for a variable.
        let _ = variables_expression::settle(self);
        let rows = self.layers.iter().filter(|layer| layer.is_row);
        let own = self.layers.iter().rev().find(|layer| !layer.is_row);
        let names = rows.chain(own).flat_map(|layer| layer.names()).collect();
        let overrides = Overrides::clone(&self.case.overrides);
        Scope::within(case, overrides, Arc::clone(&self.case.shared), Some((self.clone(), names)))
    }

    /// Says whether a variable is defined for a step that sees all of this.
    pub(super) fn defines(&self, name: &str) -> bool {
        Evaluation::of(self).defines(name, View::of(self))
    }

    /// Keeps variables of a case that a step referred to for the steps that follow.
    pub fn keep(&self, names: &[String], from: &Scope) -> Result<(), ExpressionError> {
        variables_expression::settle(from)?;
        for name in names {
            self.save(name, Evaluation::of(from).variable(name, Reach::default(), View::of(from))?);
        }
        Ok(())
    }

    /// Tells whether a condition holds: a text that says `false`, `0` or nothing does not, as `--var` gives texts only.
    pub fn holds(&self, condition: &Condition) -> Result<bool, ExpressionError> {
        variables_expression::settle(self)?;
        Ok(match Evaluation::of(self).formula(&condition.expression, View::of(self))? {
            Value::Null => false,
            Value::Bool(flag) => flag,
            Value::Number(number) => number.as_f64() != Some(0.0),
            Value::String(text) => !super::comparison::denies(&text),
            Value::Array(items) => !items.is_empty(),
            Value::Object(map) => !map.is_empty(),
        })
    }

    /// Tells whether all variables are known by their names: none of `variables: ${…}` is still to be evaluated.
    pub fn is_settled(&self) -> bool {
        variables_expression::is_settled(self)
    }

    /// Evaluates every `variables: ${…}` that is seen here.
    pub fn settle(&self) -> Result<(), ExpressionError> {
        variables_expression::settle(self)
    }

    /// Tells whether an evaluation may take long: whether functions of a file of the user's can be called.
    pub fn may_block(&self) -> bool {
        let case = &self.case;
        case.functions.is_some() || case.outer.as_ref().is_some_and(|(outer, _)| outer.may_block())
    }

    /// Tells whether the evaluation of this value may take long.
    pub fn may_block_on(&self, value: &Value) -> bool {
        self.may_block() && holds_dollar(value)
    }

    /// Replaces the expressions in a value; a string that is one expression becomes what that is, of any type.
    pub fn evaluate(&self, value: &Value) -> Result<Value, ExpressionError> {
        if !holds_dollar(value) {
            return Ok(value.clone());
        }
        variables_expression::settle(self)?;
        Evaluation::of(self).value(value, View::of(self))
    }

    /// Replaces the expressions in a text.
    pub fn evaluate_text(&self, text: &str) -> Result<String, ExpressionError> {
        self.evaluate(&Value::String(text.to_owned())).map(|value| text_of(&value))
    }

    /// Sets a variable for what follows: also for the rest of a step, or of a group, whose own variable it replaces.
    pub fn save(&self, name: &str, value: Value) {
        let _ = variables_expression::settle(self);
        for layer in self.layers.iter().filter(|layer| !layer.is_row && layer.defines(name)) {
            locked(&layer.settled).insert(name.to_owned(), value.clone());
        }
        locked(&self.case.saved).insert(name.to_owned(), value);
    }

    /// Returns how long `${sleep(…)}` asked to wait since this was last asked.
    pub fn take_pending_sleep(&self) -> Duration {
        std::mem::take(&mut *locked(&self.case.shared.sleep))
    }

    /// Counts a value that was called a secret, however short, among those that must be masked from here on.
    pub fn add_secret(&self, value: &str) {
        Arc::make_mut(&mut locked(&self.case.shared.secrets)).add_marked(value);
    }

    /// Returns the values that must be masked: those of `--env-file` and `.env`, what `${ENV(…)}` returned so far, and what
    /// was added.
    pub fn secrets(&self) -> Arc<Secrets> {
        Arc::clone(&locked(&self.case.shared.secrets))
    }
}

impl Shared {
    /// Counts a value of the environment among the secrets, unless it is too short to be one.
    pub(super) fn add_secret(&self, value: &str) {
        Arc::make_mut(&mut locked(&self.secrets)).add(value);
    }
}

impl Case {
    /// Returns the case with the values that it has.
    fn as_it_stands(&self) -> Case {
        Case {
            config: self.config.as_it_stands(),
            saved: Mutex::new(locked(&self.saved).clone()),
            outer: self.outer.clone(),
            ..self.anew(self.row.clone())
        }
    }

    /// Returns the case as it begins with a row.
    fn anew(&self, row: Map<String, Value>) -> Case {
        Case {
            overrides: Arc::clone(&self.overrides),
            environs: self.environs.clone(),
            config: self.config.anew(),
            row,
            outer: self.outer.clone(),
            saved: Mutex::default(),
            files: self.files.clone(),
            functions: self.functions.clone(),
            shared: Arc::clone(&self.shared),
        }
    }
}

/// Says whether a value holds anything that could be an expression.
fn holds_dollar(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('$'),
        Value::Array(items) => items.iter().any(holds_dollar),
        Value::Object(map) => map.values().any(holds_dollar),
        _ => false,
    }
}

/// A lock is only held to copy values, so that a poisoned one still holds whole values.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn escaped(text: &str) -> String {
    text.replace('$', "$$")
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use super::*;
    use serde_json::json;

    const CASE: &str = "config:
  variables: {user: 小明, n: 3, list: [1, $n], greeting: 'Hello $user', map: {key: v}, id: '${gen_random_string(8)}', hidden: outer, none: ,
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
            ("[$none]", json!({"error": "`none` is null, which no longer text can hold", "at": 1})),
            ("[${none or ''}]", json!("[]")),
            ("a $map.key", json!({"error": "`map` is a map, and `.key` behind it is text", "at": 2})),
            ("a ${map.key}, $map.other", json!("a v, {\"key\":\"v\"}.other")),
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
        assert_eq!(shown(&scope, "a${sleep(1.5)}${sleep(1)}"), json!("a1.51"));
        assert_eq!(scope.take_pending_sleep(), Duration::from_millis(2500));
        assert_eq!(scope.take_pending_sleep(), Duration::ZERO);
        assert_eq!(scope.secrets().values().count(), 0);
        let path = shown(&scope, "$path");
        assert_eq!(scope.secrets().values().collect::<Vec<_>>(), [path.as_str().unwrap()]);
    }

    #[test]
    fn what_a_step_saves_replaces_its_own_variable() {
        let case = read(CASE).unwrap();
        let scope = case.scope(&Overrides::default());
        let step = scope.for_step(&case.steps[0]);
        assert_eq!(shown(&step, "$user"), json!("step"));
        step.save("user", json!("saved"));
        assert_eq!((shown(&step, "$user"), shown(&scope, "$user")), (json!("saved"), json!("saved")));
        assert_eq!(shown(&scope.for_step(&case.steps[0]), "$user"), json!("step"));
    }

    #[test]
    fn values_that_double_end() {
        let definition = |form: &str, n: u32| format!("v{n}: {}", form.replace('@', &format!("$v{}", n + 1)));
        let chain = |form: &str| (0..30).map(|n| definition(form, n)).collect::<Vec<_>>().join(", ");
        for form in ["'@@'", "[@, @]", "{a: @, b: @}"] {
            let text = format!("config: {{variables: {{{}, v30: xxxxxxxx}}}}\nteststeps: [log: $v0]", chain(form));
            let began = std::time::Instant::now();
            let value = shown(&read(&text).unwrap().scope(&Overrides::default()), "$v0");
            assert_eq!(value["error"], json!("the value is too large"), "{form}");
            assert!(began.elapsed().as_secs() < 5);
        }
    }
}
