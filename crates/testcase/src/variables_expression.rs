//! `variables: ${get_variables()}`: the expression that all variables of a config or step come from → these variables.
//!
//! It is evaluated when anything of the case or step first is; what it returns is never evaluated again.

use std::sync::atomic::Ordering;

use serde_json::Value;

use super::evaluation::{Evaluation, View};
use super::layer::{Layer, VariablesExpression};
use super::parts::{ExpressionError, Reach, is_name};
use super::scope::Scope;

/// Returns the expression of a layer whose variables are not known yet.
fn open(layer: &Layer) -> Option<&VariablesExpression> {
    layer.whole.as_ref().filter(|whole| !whole.is_settled.load(Ordering::Acquire))
}

/// Tells whether nothing of a scope is open.
pub(super) fn is_settled(scope: &Scope) -> bool {
    let is_open = scope.layers.iter().any(|layer| open(layer).is_some()) || open(&scope.case.config).is_some();
    !is_open && scope.case.outer.as_ref().is_none_or(|(outer, _)| is_settled(outer))
}

/// Evaluates what is still open of a scope, the outermost first.
pub(super) fn settle(scope: &Scope) -> Result<(), ExpressionError> {
    if let Some((outer, _)) = &scope.case.outer {
        settle(outer)?;
    }
    let case = &scope.case;
    if let Some(whole) = open(&case.config) {
        let wins = |name: &str| !case.environs.contains_key(name) && !case.overrides.environs.contains_key(name);
        of_layer(scope, &case.config, whole, View::CONFIG, wins)?;
    }
    for (at, layer) in scope.layers.iter().enumerate() {
        if let Some(whole) = open(layer) {
            of_layer(scope, layer, whole, View::of_layer(at), |_| true)?;
        }
    }
    Ok(())
}

/// Evaluates the expression of one layer; those of its variables that `wins` denies are defined otherwise.
fn of_layer(
    scope: &Scope,
    layer: &Layer,
    whole: &VariablesExpression,
    view: View,
    wins: impl Fn(&str) -> bool,
) -> Result<(), ExpressionError> {
    let text = whole.source.as_str().unwrap_or_default();
    let refused = |message: String| {
        let reach = Reach { offset: 0, length: text.chars().count() };
        Err(ExpressionError::at(reach, message).within(text))
    };
    let map = match Evaluation::of(scope).value(&whole.source, view)? {
        Value::Object(map) => map,
        other => return refused(format!("`variables` is a map; what this returns is {}", kind(&other))),
    };
    if let Some(name) = map.keys().find(|name| !is_name(name)) {
        return refused(format!("`variables`: `{name}` is not a name for a variable"));
    }
    layer.settled.lock().extend(map.into_iter().filter(|(name, _)| wins(name)));
    whole.is_settled.store(true, Ordering::Release);
    Ok(())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

#[cfg(test)]
mod tests {
    use super::super::overrides::Overrides;
    use super::super::tests::read;
    use super::super::{Body, Error};
    use serde_json::json;

    const CASE: &str = "config: {variables: \"${ {'user': 'ann', 'cost': '$5', 'env': 1} }\", environs: {env: 2}}
teststeps:
- {log: $user $cost $env $own, variables: \"${ {'own': user ~ '!', 'user': 'bob'} }\", export: [own]}
- {log: $user}
- {steps: [log: $own], variables: '${ {\"own\": 3} }', name: 'md5 ${md5(other)}'}
";

    #[test]
    fn variables_come_from_an_expression() {
        let case = read(CASE).unwrap();
        let scope = case.scope(&Overrides::default());
        assert_eq!(scope.evaluate_text("$user $cost $env"), Ok("ann $5 2".to_owned()));
        let step = scope.for_step(&case.steps[0]);
        assert_eq!(step.evaluate_text("$user $own"), Ok("bob ann!".to_owned()));
        step.save("own", json!("saved"));
        assert_eq!(step.evaluate_text("$own"), Ok("saved".to_owned()));
        let step = scope.for_step(&case.steps[0]);
        step.save("own", json!("saved"));
        assert_eq!(step.evaluate_text("$own"), Ok("saved".to_owned()), "before anything was evaluated");
        let mut overrides = Overrides::default();
        overrides.variables.insert("user".to_owned(), json!("eve"));
        assert_eq!(case.scope(&overrides).evaluate_text("$user"), Ok("eve".to_owned()));
        let row = scope.with_row(json!({"user": "row"}).as_object().cloned().unwrap());
        assert_eq!(row.evaluate_text("$user $cost"), Ok("row $5".to_owned()));
    }

    #[test]
    fn a_case_that_is_referred_to_sees_them_as_the_others() {
        let text = "teststeps: [{testcase: {config: {variables: {a: 1, b: 2}}, teststeps: [log: $a $b $c]}, variables: \"${ {'b': 3, 'c': 4} }\"}]";
        let case = read(text).unwrap();
        let Body::Case(inner) = &case.steps[0].body else { panic!() };
        let scope = case.scope(&Overrides::default()).for_step(&case.steps[0]);
        assert_eq!(scope.for_case(inner).evaluate_text("$a $b $c"), Ok("1 3 4".to_owned()));
    }

    #[test]
    fn what_is_no_map_of_variables_is_an_error() {
        let evaluated = |whole: &str| {
            let text = format!("config: {{variables: \"{whole}\"}}\nteststeps: [log: $a]");
            read(&text).unwrap().scope(&Overrides::default()).evaluate_text("$a").unwrap_err().message
        };
        assert_eq!(evaluated("${[1]}"), "`variables` is a map; what this returns is a list");
        assert_eq!(evaluated("${ {'1': 2} }"), "`variables`: `1` is not a name for a variable");
        assert_eq!(evaluated("${ {'b': 2} }"), "unknown variable `a`");
        let loaded = |config: &str| -> Vec<String> {
            let errors: Vec<Error> = read(&format!("config: {config}\nteststeps: [log: $a]")).err().unwrap_or_default();
            errors.into_iter().map(|error| error.message).collect()
        };
        assert_eq!(
            loaded("{variables: 'x ${f()}'}"),
            ["`variables` is a map, or one expression that returns a map", "unknown function `f`"]
        );
        assert_eq!(loaded("{variables: '${len($b)}'}"), ["unknown variable `b`"]);
    }
}
