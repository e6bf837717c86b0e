//! An action of a step → the request for its tool: evaluated, and with what the tool has to know of the testcase and the step.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::context::{StepContext, failure};
use super::evaluation::{self, unevaluated};
use super::position::{Position, Purpose};
use super::{Keep, Screenshots, address, check, milliseconds};
use crate::result::Failure;
use crate::testcase::{Check, Scope, Step, written_variables};
use uixt_call::{Aim, CallToolRequest, WrittenGoal};
use uixt_core::action::MobileAction;
use uixt_core::dialogs::Dialogs;
use uixt_locate::Kind;

/// Evaluates an action and says beside it what its tool has to know of the testcase and the step.
pub(super) async fn request(
    cx: &StepContext<'_>,
    scope: &Scope,
    position: Position<'_>,
    action: &MobileAction,
    purpose: Purpose<'_>,
) -> Result<CallToolRequest, Failure> {
    let step = position.step;
    let params = evaluation::written(cx, scope, &action.params).await.map_err(|problem| unevaluated(cx, &problem))?;
    let options = match action.options.is_empty() {
        true => Map::new(),
        false => evaluated_map(cx, scope, &action.options).await?,
    };
    let mut evaluated = MobileAction { method: action.method.clone(), params, options, span: action.span };
    if let Purpose::Check(Check { actual: Some(actual), .. }) = purpose {
        check::add_actual(cx, scope, actual, &mut evaluated).await?;
    }
    check::add_name(action, &mut evaluated);
    let mut request =
        cx.run.options.table.request(&evaluated).map_err(|error| failure(Kind::BadArgument, error.message))?;
    address::check(action, &request)?;
    address::check_own(cx, action, &evaluated, &request)?;
    reach_functions(cx, &mut request);
    tell_testcase(cx, &mut request);
    tell_goal(cx, scope, action, &mut request).await?;
    if cx.run.tool(&request.name).is_some_and(|tool| tool.needs_device) {
        address::add(cx, &mut request, scope, step).await?;
        tell_touches(cx, step, &mut request);
        tell_begin(position, &mut request);
        ask_for_evidence(cx, &mut request);
        tell_failures(cx, &mut request);
        address::add_base(cx, scope, &mut request).await?;
        if cx.run.options.screenshots == Screenshots::Step {
            request.options.mark_is_implied = !request.options.pre_mark_operation;
            request.options.pre_mark_operation = true;
        }
    }
    Ok(request)
}

/// Asks for touches to be told to a server, where the config or the step says so.
fn tell_touches(cx: &StepContext<'_>, step: &Step, request: &mut CallToolRequest) {
    if step.anti_risk || cx.case.config.anti_risk || cx.run.planned.case.config.anti_risk {
        request.options.risk_is_implied = !request.options.anti_risk;
        request.options.anti_risk = true;
    }
}

/// Says since when the step runs that a call belongs to, unless it is the step's only one.
fn tell_begin(position: Position<'_>, request: &mut CallToolRequest) {
    if position.step.actions().len() + position.step.validate.len() > 1 {
        request.options.step_ms = Some(milliseconds(position.began));
    }
}

/// Asks for what the device tells beside the answer, where the run keeps it.
fn ask_for_evidence(cx: &StepContext<'_>, request: &mut CallToolRequest) {
    if cx.run.options.evidence != Keep::None {
        request.options.evidence = cx.run.options.evidence.into();
    }
}

/// Says what that goes wrong beside the call fails it, and what becomes of dialogs that no step answers.
fn tell_failures(cx: &StepContext<'_>, request: &mut CallToolRequest) {
    let case = &cx.run.planned.case;
    let (fail_on, dialogs) = (case.fail_on(), case.config.dialogs);
    if !fail_on.is_empty() || dialogs != Dialogs::Fail {
        (request.options.fail_on, request.options.dialogs) = (fail_on.to_vec(), dialogs);
    }
}

/// Says which Python file the functions of a testcase are in that a step refers to.
fn reach_functions(cx: &StepContext<'_>, request: &mut CallToolRequest) {
    if std::ptr::eq(cx.case, &raw const cx.run.planned.case) {
        return;
    }
    let path = cx.case.functions.as_ref().map(|python| python.functions.path().to_path_buf());
    request.options.functions = Some(path.unwrap_or_default());
}

/// Says which testcase a call stands in, where it may name files beside it.
fn tell_testcase(cx: &StepContext<'_>, request: &mut CallToolRequest) {
    let names_files = cx.run.tool(&request.name).is_some_and(|tool| tool.names_files);
    if !names_files && !request.arguments.as_ref().is_some_and(names_picture) {
        return;
    }
    request.options.testcase = Some(testcase(cx));
}

/// Says how a testcase writes a goal, and what the variables in it hold, so that it is found again whatever they hold.
async fn tell_goal(
    cx: &StepContext<'_>,
    scope: &Scope,
    action: &MobileAction,
    request: &mut CallToolRequest,
) -> Result<(), Failure> {
    let Some(Aim::Goal(key)) = cx.run.tool(&request.name).map(|tool| tool.aim) else { return Ok(()) };
    let given = request.arguments.as_ref().and_then(|arguments| arguments.get(key)?.as_str()).unwrap_or_default();
    let written = match &action.params {
        Value::String(text) => Some(text.as_str()),
        Value::Object(map) => ["goal", "prompt"].iter().find_map(|key| map.get(*key)?.as_str()),
        Value::Array(items) => items.first().and_then(Value::as_str),
        _ => None,
    };
    let goal = written.unwrap_or(given).to_owned();
    let mut variables = Vec::new();
    for name in written_variables(&goal) {
        let value = evaluation::value(cx, scope, &Value::String(name.clone())).await;
        match value.map_err(|problem| unevaluated(cx, &problem))? {
            Value::String(text) => variables.push((name, text)),
            other => variables.push((name, other.to_string())),
        }
    }
    request.options.written = Some(WrittenGoal { goal, variables });
    request.options.testcase = Some(testcase(cx));
    Ok(())
}

/// Returns the file of the testcase that a call stands in.
fn testcase(cx: &StepContext<'_>) -> PathBuf {
    std::path::absolute(&cx.case.path).unwrap_or_else(|_| cx.case.path.clone())
}

fn names_picture(arguments: &Map<String, Value>) -> bool {
    arguments.iter().any(|(key, value)| match value {
        _ if matches!(key.as_str(), "image" | "element_type") => true,
        Value::Object(inner) => names_picture(inner),
        Value::Array(items) => items.iter().filter_map(Value::as_object).any(names_picture),
        _ => false,
    })
}

async fn evaluated_map(
    cx: &StepContext<'_>,
    scope: &Scope,
    map: &Map<String, Value>,
) -> Result<Map<String, Value>, Failure> {
    match evaluation::written(cx, scope, &Value::Object(map.clone())).await {
        Ok(Value::Object(map)) => Ok(map),
        Ok(_) => unreachable!("a map stays a map"),
        Err(problem) => Err(unevaluated(cx, &problem)),
    }
}
