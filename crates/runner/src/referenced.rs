//! `testcase:`: the phases of another file's case, with variables of its own; or the steps of a tool of the project, with its arguments.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::address;
use serde_json::{Map, Value};

use super::context::{Device, Last, StepContext, StepEnd};
use super::{entry, evaluation, own_tool, phases, plain_step};
use crate::result::{Event, Outcome};
use crate::testcase::{OwnTool, Scope, Step, TestCase};

/// Runs the case and keeps what it exports where it passed. Its parameters, where it has any, are the step's.
pub(super) async fn run(cx: &StepContext<'_>, scope: &Scope, step: &Step, case: &Arc<TestCase>) -> io::Result<StepEnd> {
    if let Some(tool) = &case.tool {
        return self::tool(cx, scope, step, case, tool).await;
    }
    let limit = case.config.case_timeout.map(plain_step::seconds);
    let deadline = [cx.deadline, limit.map(|limit| Instant::now() + limit)].into_iter().flatten().min();
    let inner = scope.for_case(case);
    let named = match address::of_case(cx, &inner, case).await {
        Ok(named) => named,
        Err(failure) => return entry::broken(cx, scope, "config", step.place, failure),
    };
    let own = named.as_deref().map(|serial| Device { platform: None, serial, selections: cx.run.selections() });
    let cx = StepContext { case, deadline, device: own.or(cx.device), ..*cx };
    let end = phases::run(&cx, &inner, limit).await?;
    if end.broke {
        return Ok(end);
    }
    let names = case.config.export.iter().chain(&step.export).cloned().collect();
    match evaluation::keep(&cx, scope, names, &inner).await {
        Ok(()) => Ok(end),
        Err(problem) => {
            let failure = problem.cx(&cx, step.place, "export");
            Ok(end.and(entry::broken(&cx, scope, "export", step.place, failure)?))
        }
    }
}

/// Runs the tool that a step calls, and tells how long that took.
async fn tool(
    cx: &StepContext<'_>,
    scope: &Scope,
    step: &Step,
    case: &TestCase,
    tool: &OwnTool,
) -> io::Result<StepEnd> {
    let (began, waited) = (Instant::now(), cx.run.waited());
    let end = answered(cx, scope, step, case, tool).await?;
    let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    cx.run.sink.emit(Event::OwnToolFinished {
        case: cx.run.id.clone(),
        tool: tool.name.clone(),
        outcome: end.outcome,
        elapsed_ms: milliseconds(began.elapsed()),
        waiting_ms: milliseconds(cx.run.waited().saturating_sub(waited)),
    })?;
    Ok(end)
}

/// Runs the tool; its answer is what the step looks into.
async fn answered(
    cx: &StepContext<'_>,
    scope: &Scope,
    step: &Step,
    case: &TestCase,
    tool: &OwnTool,
) -> io::Result<StepEnd> {
    let arguments = match own_tool::arguments(cx, scope, step, tool).await {
        Ok(arguments) => arguments,
        Err(failure) => return entry::broken(cx, scope, "arguments", step.place, failure),
    };
    let (end, value) = tool_steps(cx, scope, case, tool, arguments).await?;
    if let Some(value) = value {
        let name = tool.name.clone();
        *cx.run.last.lock() = Last { object: own_tool::answer(&name, value), tool: name };
    }
    Ok(end)
}

/// Runs the steps; returns the tool's value where they passed.
pub(super) async fn tool_steps(
    cx: &StepContext<'_>,
    scope: &Scope,
    case: &TestCase,
    tool: &OwnTool,
    arguments: Map<String, Value>,
) -> io::Result<(StepEnd, Option<Value>)> {
    for parameter in tool.parameters.iter().filter(|parameter| parameter.is_secret) {
        let given = arguments.get(&parameter.name).map(uixt_call::mask::texts).unwrap_or_default();
        given.iter().for_each(|secret| scope.add_secret(secret));
    }
    let inner = &scope.for_tool(case, arguments);
    let cx = &StepContext { case, ..*cx };
    let end = phases::run(cx, inner, None).await?;
    if end.broke {
        return Ok((end, None));
    }
    let Some(returned) = &tool.returned else { return Ok((end, Some(Value::Null))) };
    match evaluation::value(cx, inner, returned).await {
        Ok(value) => Ok((StepEnd { outcome: end.outcome.max(Outcome::Passed), ..end }, Some(value))),
        Err(problem) => {
            let failure = problem.cx(cx, tool.returned_at, "return");
            Ok((end.and(entry::broken(cx, inner, "return", tool.returned_at, failure)?), None))
        }
    }
}
