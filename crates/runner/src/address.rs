//! Which device an action goes to: the one that it names itself, its step, a step around it, or the config of a testcase that a step refers
//! to.

use serde_json::Value;

use super::context::{StepContext, failure};
use super::evaluation::{self, unevaluated};
use crate::result::Failure;
use crate::testcase::{Scope, Step, TestCase};
use uixt_call::{Aim, CallToolRequest, arguments};
use uixt_core::action::MobileAction;
use uixt_locate::Kind;

/// Arguments that choose a device, or mean to.
const DEVICE: [&str; 3] = ["serial", "platform", "device"];

/// Adds the device that the action is for, where its step or its testcase says so.
pub(super) async fn add(
    cx: &StepContext<'_>,
    request: &mut CallToolRequest,
    scope: &Scope,
    step: &Step,
) -> Result<(), Failure> {
    let arguments = request.arguments.get_or_insert_default();
    if let Some(platform) = &step.platform {
        arguments.entry("platform").or_insert_with(|| platform.as_str().into());
    }
    if let Some(written) = &step.serial
        && let Some(serial) = serial(cx, scope, &Value::String(written.clone())).await?
    {
        arguments.entry("serial").or_insert_with(|| serial.into());
    }
    if let Some(device) = cx.device.filter(|device| device.selections == cx.run.selections()) {
        if let (Some(platform), false) = (device.platform, arguments.contains_key("serial")) {
            arguments.entry("platform").or_insert_with(|| platform.into());
        }
        arguments.entry("serial").or_insert_with(|| device.serial.into());
    }
    Ok(())
}

/// Says what paths continue, where the testcase's config says it, or else that of the run's own.
pub(super) async fn add_base(
    cx: &StepContext<'_>,
    scope: &Scope,
    request: &mut CallToolRequest,
) -> Result<(), Failure> {
    let configs = [&cx.case.config, &cx.run.planned.case.config];
    let Some(base) = configs.into_iter().find_map(|config| config.base_url.as_ref()) else { return Ok(()) };
    if cx.run.tool(&request.name).is_none_or(|tool| tool.aim != Aim::Address) {
        return Ok(());
    }
    let base = evaluation::value(cx, scope, base).await.map_err(|problem| unevaluated(cx, &problem))?;
    if !is_nothing(&base) {
        request.options.base_url = Some(base.as_str().map_or_else(|| base.to_string(), str::to_owned));
    }
    Ok(())
}

/// Refuses an action whose own `serial` is an expression without a value: it would go to some other device.
pub(super) fn check(action: &MobileAction, request: &CallToolRequest) -> Result<(), Failure> {
    let written = action.params.get("serial").or_else(|| action.options.get("serial"));
    let Some(text) = written.and_then(Value::as_str).filter(|text| text.contains('$')) else { return Ok(()) };
    let found = request.arguments.as_ref().and_then(|arguments| arguments.get("serial"));
    if found.is_none_or(is_nothing) { Err(without_value(text)) } else { Ok(()) }
}

/// Refuses a device that came in the argument of a project's tool which one of its steps hands on whole: it is not for whoever calls
/// the tool to choose.
pub(super) fn check_own(
    cx: &StepContext<'_>,
    action: &MobileAction,
    evaluated: &MobileAction,
    request: &CallToolRequest,
) -> Result<(), Failure> {
    let (Some(own), Some(tool)) = (&cx.case.tool, cx.run.tool(&request.name)) else { return Ok(()) };
    if !tool.needs_device || action.params.is_object() || !evaluated.params.is_object() {
        return Ok(());
    }
    let given = |key: &str| request.arguments.as_ref().is_some_and(|arguments| arguments.contains_key(key));
    let is_own = |key: &str| arguments::valid(tool).any(|name| name == key);
    let Some(key) = DEVICE.into_iter().find(|key| given(key) && !is_own(key)) else { return Ok(()) };
    let message = format!(
        "{}: `{key}` may not be given, since `{}` hands its argument on whole: its steps go to the device of whoever calls it",
        tool.name, own.name
    );
    Err(failure(Kind::BadArgument, message))
}

/// Returns the serial that the config of a testcase names for its first device; none where it leaves it open, or the command
/// line names the device.
pub(super) async fn of_case(cx: &StepContext<'_>, scope: &Scope, case: &TestCase) -> Result<Option<String>, Failure> {
    match case.config.serial().filter(|_| !cx.run.options.device_is_named) {
        None => Ok(None),
        Some(option) => serial(cx, scope, &option.value).await.map_err(|failure| Failure {
            message: format!("{}\n{}:{}:{}", failure.message, case.file, option.place.line, option.place.column),
            ..failure
        }),
    }
}

/// Evaluates a serial. Written as an empty text it means any device; an expression must have a value.
async fn serial(cx: &StepContext<'_>, scope: &Scope, written: &Value) -> Result<Option<String>, Failure> {
    let value = evaluation::value(cx, scope, written).await.map_err(|problem| unevaluated(cx, &problem))?;
    match (is_nothing(&value), written.as_str().filter(|text| text.contains('$'))) {
        (false, _) => Ok(Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))),
        (true, None) => Ok(None),
        (true, Some(text)) => Err(without_value(text)),
    }
}

fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
}

fn without_value(written: &str) -> Failure {
    let message = format!("`serial: {written}` is empty, which names no device; leave `serial` out for the case's own");
    failure(Kind::BadArgument, message)
}
