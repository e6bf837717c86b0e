//! What stands around the steps of a tool that the project made: the arguments of a call, and its answer.

use serde_json::{Map, Value};

use super::context::{StepContext, failure};
use super::evaluation::{self, unevaluated};
use super::extraction::RESULT;
use crate::result::Failure;
use crate::testcase::{OwnTool, Scope, Step};
use uixt_core::action::Diagnostic;
use uixt_locate::{Error, Kind};

/// Returns the answer of a call that passed.
pub(super) fn answer(tool: &str, value: Value) -> Map<String, Value> {
    let fields: [(&str, Value); 4] = [
        ("action", tool.into()),
        ("success", true.into()),
        ("message", format!("{tool}: done").into()),
        (RESULT, value),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// Returns the arguments of a step's call, as the steps of the tool see them.
pub(super) async fn arguments(
    cx: &StepContext<'_>,
    scope: &Scope,
    step: &Step,
    tool: &OwnTool,
) -> Result<Map<String, Value>, Failure> {
    let written = step.arguments.as_deref().unwrap_or(&Value::Null);
    let arguments = evaluation::written(cx, scope, written).await.map_err(|problem| unevaluated(cx, &problem))?;
    tool.settle(arguments).map_err(|wrong| failure(Kind::BadArgument, refused(tool, &wrong).message))
}

/// Says everything that is wrong with the arguments of a call.
pub fn refused(tool: &OwnTool, wrong: &[Diagnostic]) -> Error {
    let told = wrong.iter().map(|one| match &one.hint {
        Some(hint) => format!("{}, {hint}", one.message),
        None => one.message.clone(),
    });
    let message = format!("{}: {}; {}", tool.name, told.collect::<Vec<_>>().join("; "), tool.valid());
    Error::new(Kind::BadArgument, message).with("valid", tool.names())
}
