//! What variables and expressions are worth, as a [`Scope`] defines them.

use serde_json::Value;

use super::evaluation::{Evaluation, View};
use super::functions::text_of;
use super::parts::{ExpressionError, Reach};
use super::scope::Scope;
use super::variables_expression;

impl Scope {
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

    /// Tells whether all variables are known by their names: none of `variables: ${…}` is still to be evaluated.
    pub fn is_settled(&self) -> bool {
        variables_expression::is_settled(self)
    }

    /// Evaluates every `variables: ${…}` that is seen here.
    pub fn settle(&self) -> Result<(), ExpressionError> {
        variables_expression::settle(self)
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
            layer.settled.lock().insert(name.to_owned(), value.clone());
        }
        self.case.saved.lock().insert(name.to_owned(), value);
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

#[cfg(test)]
mod tests {
    use super::super::overrides::Overrides;
    use super::super::tests::read;
    use super::*;
    use serde_json::json;
    use std::sync::Arc;
    use std::time::Duration;

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
        let project = crate::case::Project { variables: project.as_object().cloned().unwrap(), ..Default::default() };
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
