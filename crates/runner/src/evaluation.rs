//! Expressions of steps → values, so that one that calls a slow function neither outlives the run nor keeps its thread.

use std::time::Duration;

use serde_json::{Map, Value};

use super::context::{StepContext, failure};
use crate::functions::Asker;
use crate::result::Failure;
use crate::testcase::{Condition, ExpressionError, Parameters, Rows, Scope};
use uixt_core::action::Span;
use uixt_core::written;
use uixt_locate::Kind;

/// Why there is no value.
pub(super) enum Problem {
    Expression(ExpressionError),
    /// The run or the case's time ended first.
    CutOff,
}

impl From<ExpressionError> for Problem {
    fn from(error: ExpressionError) -> Self {
        Self::Expression(error)
    }
}

impl Problem {
    /// Returns the message for a failure of what is placed already.
    pub(super) fn message(&self) -> String {
        match self {
            Self::Expression(error) => match &error.hint {
                Some(hint) => format!("{}, {hint}", error.message),
                None => error.message.clone(),
            },
            Self::CutOff => "interrupted".to_owned(),
        }
    }

    /// Returns the failure of an expression that stands at `place` and is called `what`.
    pub(super) fn cx(&self, cx: &StepContext<'_>, place: Span, what: &str) -> Failure {
        match self {
            Self::CutOff => cx.interruption(),
            Self::Expression(error) => {
                let column = place.column + u32::try_from(error.offset).unwrap_or(0);
                let place = format!("{}:{}:{column}", cx.case.file, place.line);
                failure(Kind::BadArgument, format!("{what}: {}\n{place}", self.message()))
            }
        }
    }
}

/// Returns the failure of an action whose arguments have no value.
pub(super) fn unevaluated(cx: &StepContext<'_>, problem: &Problem) -> Failure {
    match problem {
        Problem::CutOff => cx.interruption(),
        Problem::Expression(error) => {
            let message = match &error.within {
                Some(text) => format!("{}\n  {text}\n  {}", problem.message(), error.caret()),
                None => problem.message(),
            };
            failure(Kind::BadArgument, message)
        }
    }
}

/// Replaces the expressions in a value.
pub(super) async fn value(cx: &StepContext<'_>, scope: &Scope, value: &Value) -> Result<Value, Problem> {
    written(cx, scope, value).await.map(written::meanings)
}

/// Replaces the expressions in a value in which numbers stay as they are [written](mod@uixt_core::written).
pub(super) async fn written(cx: &StepContext<'_>, scope: &Scope, value: &Value) -> Result<Value, Problem> {
    if !scope.may_block_on(value) {
        return Ok(scope.evaluate(value)?);
    }
    let value = value.clone();
    apart(cx, scope, move |scope| scope.evaluate(&value)).await
}

/// Evaluates for what the expression does, and waits as long as it asked for.
pub(super) async fn effect(cx: &StepContext<'_>, scope: &Scope, expression: &Value) -> Result<Value, Problem> {
    let found = value(cx, scope, expression).await?;
    settle(cx, scope).await?;
    Ok(found)
}

/// Tells whether a condition holds.
pub(super) async fn holds(cx: &StepContext<'_>, scope: &Scope, condition: &Condition) -> Result<bool, Problem> {
    let holds = if scope.may_block() {
        let condition = condition.clone();
        apart(cx, scope, move |scope| scope.holds(&condition)).await?
    } else {
        scope.holds(condition)?
    };
    settle(cx, scope).await?;
    Ok(holds)
}

/// Returns the rows of parameters.
pub(super) async fn rows(cx: &StepContext<'_>, scope: &Scope, parameters: &Parameters) -> Result<Rows, Problem> {
    if !scope.may_block() {
        return Ok(parameters.rows(scope)?);
    }
    let parameters = parameters.clone();
    apart(cx, scope, move |scope| parameters.rows(scope)).await
}

/// Keeps variables of a case that a step referred to.
pub(super) async fn keep(cx: &StepContext<'_>, scope: &Scope, names: Vec<String>, from: &Scope) -> Result<(), Problem> {
    if !from.may_block() {
        return Ok(scope.keep(&names, from)?);
    }
    let scope = scope.clone();
    apart(cx, from, move |from| scope.keep(&names, from)).await
}

/// Returns the variables that are defined among these.
pub(super) async fn variables(cx: &StepContext<'_>, scope: &Scope, names: &[String]) -> Map<String, Value> {
    let mut found = Map::new();
    for name in names {
        match value(cx, scope, &Value::String(format!("${name}"))).await {
            Ok(value) => _ = found.insert(name.clone(), value),
            Err(problem) => tracing::warn!(name, "export: {}", problem.message()),
        }
    }
    found
}

/// Evaluates `variables: ${…}`, used or not.
pub(super) async fn definitions(cx: &StepContext<'_>, scope: &Scope) -> Result<(), Problem> {
    match (scope.is_settled(), scope.may_block()) {
        (true, _) => Ok(()),
        (false, false) => Ok(scope.settle()?),
        (false, true) => apart(cx, scope, Scope::settle).await,
    }
}

/// Waits as long as `${sleep(…)}` asked for.
async fn settle(cx: &StepContext<'_>, scope: &Scope) -> Result<(), Problem> {
    let asked = scope.take_pending_sleep();
    match asked == Duration::ZERO || cx.sleep(asked).await {
        true => Ok(()),
        false => Err(Problem::CutOff),
    }
}

/// Evaluates on a thread that may be left behind. What it calls then ends, and whatever it would call next does not begin:
/// neither a function nor its thread outlives the run.
async fn apart<T: Send + 'static>(
    cx: &StepContext<'_>,
    scope: &Scope,
    work: impl FnOnce(&Scope) -> Result<T, ExpressionError> + Send + 'static,
) -> Result<T, Problem> {
    let asker = Asker::default();
    let scope = scope.asked_by(&asker);
    let working = tokio::task::spawn_blocking(move || work(&scope));
    tokio::select! {
        biased;
        () = cx.stopped() => Err(Problem::CutOff),
        () = cx.late() => Err(Problem::CutOff),
        done = working => match done {
            Ok(done) => Ok(done?),
            // The runtime ends, or the evaluation did in a way that it must not.
            Err(_) => Err(Problem::CutOff),
        },
    }
}
