//! The value that a check is about: an expression, or a query into the last result.

use serde_json::Value;

use super::context::StepContext;
use super::evaluation;
use super::extraction;
use crate::result::Failure;
use crate::testcase::{self, Actual, Scope};
use uixt_core::action::MobileAction;

/// Adds the value as the argument `value` of a check whose own arguments are evaluated already.
pub(super) async fn add_actual(
    cx: &StepContext<'_>,
    scope: &Scope,
    actual: &Actual,
    check: &mut MobileAction,
) -> Result<(), Failure> {
    let value = match actual {
        Actual::Expression(expression) => {
            let value = evaluation::value(cx, scope, expression).await;
            value.map_err(|problem| problem.cx(cx, check.span, "check"))?
        }
        Actual::Query(query) => {
            let query = evaluation::value(cx, scope, &Value::String(query.clone())).await;
            let query = query.map_err(|problem| problem.cx(cx, check.span, "check"))?;
            let query = query.as_str().unwrap_or_default();
            let last = cx.run.last.lock();
            if check.params["assert"] == "not_contains" {
                extraction::refuse_empty(&last, query)?;
            }
            extraction::found(&last, query, "check")?
        }
    };
    match &mut check.params {
        Value::Object(params) => _ = params.insert("value".to_owned(), value),
        _ => _ = check.options.insert("value".to_owned(), value),
    }
    Ok(())
}

/// Calls a value in messages as it is written: an expression rather than what came of it.
pub(super) fn add_name(written: &MobileAction, evaluated: &mut MobileAction) {
    let (Value::Object(params), "assert_value") = (&written.params, written.method.as_str()) else { return };
    let name = params.get("name").or(params.get("value").filter(|value| testcase::holds_variables(value)));
    if let (Some(name), Value::Object(params)) = (name, &mut evaluated.params) {
        let name = name.as_str().map_or_else(|| name.to_string(), str::to_owned);
        params.insert("name".to_owned(), Value::String(name));
    }
}
