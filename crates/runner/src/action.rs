//! One action of a step: evaluated, called, its answer read, kept and written down.

use std::io;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::context::{Last, StepContext, StepEnd};
use super::done::{Done, png_of};
use super::entry::came_of;
use super::evaluation;
use super::last_act::LastAct;
use super::mask;
use super::position::{Position, Purpose};
use super::written_secret::holds_secret;
use super::{evidence, extraction, milliseconds, picture, request};
use crate::result::{Event, Failure, ModelUsage, Outcome, Seen};
use crate::secrets::Secrets;
use crate::testcase::{Check, Scope};
use uixt_call::mask::{MASK, hide_typed, masked};
use uixt_call::{CAUSE, Call, CallTimes, CallToolRequest, CallToolResult, PAGE_ERRORS, SLOW};
use uixt_core::action::MobileAction;
use uixt_core::tool_times::ToolTimes;
use uixt_core::written;
use uixt_locate::{Error, Kind};

/// Makes a call and writes it down.
pub(super) async fn act(
    cx: &StepContext<'_>,
    scope: &Scope,
    position: Position<'_>,
    action: &MobileAction,
    purpose: Purpose<'_>,
) -> io::Result<StepEnd> {
    picture::before(cx, &action.method, position.number).await?;
    let (began, started) = (Utc::now(), Instant::now());
    let mut done = perform(cx, scope, position, action, purpose).await;
    let is_ignored = done.object.get("ignored") == Some(&Value::Bool(true));
    match purpose {
        Purpose::Check(check) => explain(cx, scope, check, &mut done).await,
        Purpose::Body { is_last } => {
            note_act(cx, position, action, &done, started);
            tell_replay(cx, position, &mut done);
            tell_rows(cx, action, &mut done);
            if done.tool == "select_device" && done.error.is_none() {
                cx.run.note_selection();
            }
            *cx.run.last.lock() = Last { tool: done.tool.clone(), object: std::mem::take(&mut done.object) };
            if is_last && done.error.is_none() {
                done.error = extraction::keep(cx, scope, position.step).await.err();
            }
        }
        // Nothing pops up on a screen that is off, and who only has pop-ups closed beside steps did not ask.
        Purpose::Beside if done.tool == "close_popups" => {
            done.error = done.error.take().filter(|error| !is_dark(error));
        }
        Purpose::Beside => {}
    }
    if done.error.as_ref().is_some_and(|error| error.kind == Kind::Transport.name())
        && cx.run.tool(&done.tool).is_some_and(|tool| tool.needs_device)
    {
        cx.run.note_lost_device();
    }
    let end = match &done.error {
        Some(error) => came_of(error),
        None if is_ignored => {
            *cx.run.ignored.lock() = Some(done.message.clone());
            StepEnd::NOTHING
        }
        None if !done.mended.is_empty() => StepEnd { outcome: Outcome::Healed, ..StepEnd::NOTHING },
        None => StepEnd { outcome: Outcome::Passed, ..StepEnd::NOTHING },
    };
    *cx.run.usage.lock() += done.usage;
    let elapsed_ms = milliseconds(started);
    write_down(cx, scope, position, action, (done, end.outcome, began, elapsed_ms)).await?;
    if Duration::from_millis(elapsed_ms) > SLOW {
        let seconds = Duration::from_millis(elapsed_ms).as_secs_f64();
        let message = format!("slow: step {}, {} took {seconds:.1} s", position.number, action.method);
        cx.run.log("warn", message)?;
    }
    Ok(end)
}

/// Notes what was done to a device, so that what comes of it is told before the case ends.
fn note_act(cx: &StepContext<'_>, position: Position<'_>, action: &MobileAction, done: &Done, began: Instant) {
    if cx.run.tool(&done.tool).is_some_and(|tool| tool.needs_device && !tool.read_only) {
        let (tool, place) = (done.tool.clone(), cx.place(action.span));
        let closes_popups = position.step.closes_popups;
        let expects_status = done.arguments.contains_key("status");
        let last = LastAct { step: position.number, tool, place, began, closes_popups, expects_status };
        *cx.run.last_act.lock() = Some(last);
    }
}

/// Says of a picture that differs that the rows of a table share it, unless its name tells them apart.
fn tell_rows(cx: &StepContext<'_>, action: &MobileAction, done: &mut Done) {
    let has_rows = cx.case.config.parameters.is_some() || cx.run.planned.case.config.parameters.is_some();
    let is_named_by_row =
        action.params.to_string().contains('$') || Value::Object(action.options.clone()).to_string().contains('$');
    if let Some(error) = done.error.as_mut().filter(|_| has_rows && !is_named_by_row)
        && error.details.as_ref().is_some_and(|details| details.get("comparison").is_some())
    {
        error.message.push_str("; the rows of this testcase are all held against this picture: where they look different, put a parameter into `name`, such as `name: home-$lang`");
    }
}

/// Notes a goal that was replayed, and says so of a step behind it that fails: what was planned for another state of the app may have led
/// elsewhere.
fn tell_replay(cx: &StepContext<'_>, position: Position<'_>, done: &mut Done) {
    let mut replayed = cx.run.replayed.lock();
    if done.object.get("replayed").and_then(Value::as_u64).is_some_and(|count| count > 0) {
        *replayed = Some(format!("the goal of step {}", position.number));
    }
    if let (Some(goal), Some(error)) = (&*replayed, &mut done.error)
        && [Kind::Assertion, Kind::NotFound, Kind::WaitTimeout].iter().any(|kind| error.kind == kind.name())
    {
        let how = "to have it planned anew, run with `--ai-cache off`, or delete it from its `.goals.yaml`";
        error.message = format!("{}; {goal} was replayed, not planned: {how}", error.message);
    }
}

/// Tells whether something failed since the screen is off.
fn is_dark(error: &Failure) -> bool {
    error.details.as_ref().and_then(|details| details.get("code")).is_some_and(|code| code == "SCREEN_OFF")
}

/// Puts the message of a check that does not hold before the tool's own.
async fn explain(cx: &StepContext<'_>, scope: &Scope, check: &Check, done: &mut Done) {
    if let (Some(error), Some(message)) = (&mut done.error, &check.message) {
        let message = evaluation::value(cx, scope, message).await.unwrap_or_else(|_| message.clone());
        let message = message.as_str().map_or_else(|| message.to_string(), str::to_owned);
        error.message = format!("{message}: {}", error.message);
    }
}

async fn write_down(
    cx: &StepContext<'_>,
    scope: &Scope,
    position: Position<'_>,
    action: &MobileAction,
    (mut done, outcome, began, elapsed_ms): (Done, Outcome, DateTime<Utc>, u64),
) -> io::Result<()> {
    let before = cx.run.last_picture.lock().clone().filter(|last| last.is_of(cx));
    if cx.run.tool(&done.tool).is_some_and(|tool| tool.needs_device && !tool.read_only) {
        picture::outdate(cx);
    }
    let screenshot = picture::of(cx, &done, outcome).await?;
    let secrets = scope.secrets();
    evidence::keep(cx, position, (&mut done, outcome), (before.as_ref(), screenshot.as_deref()), &secrets)?;
    picture::note(cx, &done, position.number, screenshot.as_deref());
    log_warnings(cx, position.number, &done, screenshot.is_some(), &secrets)?;
    cx.run.sink.emit(Event::ActionFinished {
        case: cx.run.id.clone(),
        step: position.number,
        attempt: position.attempt,
        tool: done.tool,
        arguments: secrets.object(masked(&done.arguments)),
        outcome,
        began,
        elapsed_ms,
        waiting_ms: done.waiting_ms,
        message: secrets.text(done.message),
        error: done.error.map(|error| mask::failure(&secrets, error)),
        place: cx.place(action.span),
        screenshot,
        mark: done.mark,
        lookup: done.lookup.map(|lookup| mask::lookup(&secrets, lookup)),
        seen: done.seen.into_iter().map(|seen| Seen { what: secrets.text(seen.what), ..seen }).collect(),
        usage: done.usage,
        mended: done.mended.into_iter().map(|mended| mask::mended(&secrets, mended)).collect(),
        parts: done.parts,
    })
}

/// Writes down which of an action's options did nothing.
fn log_warnings(cx: &StepContext<'_>, step: u32, done: &Done, has_picture: bool, secrets: &Secrets) -> io::Result<()> {
    for warning in &done.warnings {
        cx.run.log("warn", secrets.text(format!("step {step}, {}: {warning}", done.tool)))?;
    }
    match &done.file_name {
        Some(_) if !has_picture => {
            let message = "`screenshot_file_name` has no effect: no picture was taken";
            cx.run.log("warn", format!("step {step}, {}: {message}", done.tool))
        }
        _ => Ok(()),
    }
}

/// Evaluates an action, calls its tool and reads the answer.
async fn perform(
    cx: &StepContext<'_>,
    scope: &Scope,
    position: Position<'_>,
    action: &MobileAction,
    purpose: Purpose<'_>,
) -> Done {
    let request = match request::request(cx, scope, position, action, purpose).await {
        Ok(request) => request,
        Err(failure) => return refused(action, failure),
    };
    let (tool, arguments) = (request.name.to_string(), request.arguments.clone().unwrap_or_default());
    let mut secrets = uixt_call::mask::secrets(&arguments);
    secrets.iter().for_each(|secret| scope.add_secret(secret));
    if let Some(identifier) = request.options.identifier.clone() {
        tracing::info!(tool, identifier = scope.secrets().text(identifier), "call");
    }
    let file_name = request.options.screenshot_file_name.clone();
    let asked = scope.take_pending_sleep();
    let times = CallTimes::default();
    let result = match asked.is_zero() || cx.sleep(asked).await {
        true => call(cx, request, times.clone()).await,
        false => CallToolResult::failure(&Error::new(Kind::Interrupted, "interrupted"), &tool),
    };
    let mut done = read(tool, arguments, result);
    done.waiting_ms = u64::try_from((asked + times.waited()).as_millis()).unwrap_or_default();
    cx.run.add_waited(times.waited());
    done.parts = times.take_parts();
    done.file_name = file_name.map(|name| scope.secrets().text(name));
    // A field may turn out to be one for passwords.
    let typed = hide_typed(&mut done.arguments, &done.object);
    typed.iter().for_each(|text| scope.add_secret(text));
    secrets.extend(typed);
    hide(&secrets, &mut done);
    if let Some(error) = done.error.as_mut().filter(|error| error.kind == Kind::Interrupted.name()) {
        error.message = cx.interruption().message;
    }
    done
}

/// Hides a call's own secrets in what it said, where even short ones tell something.
fn hide(own: &[String], done: &mut Done) {
    let mut secrets = Secrets::default();
    own.iter().for_each(|secret| _ = secrets.add_anywhere(secret));
    if let Some(error) = &mut done.error {
        error.message = secrets.text(std::mem::take(&mut error.message));
        if let Some(cause) = error.details.as_mut().and_then(|details| details.get_mut(CAUSE)) {
            secrets.mask(cause);
        }
        let said = error.details.as_mut().and_then(|details| details.get_mut(PAGE_ERRORS));
        said.into_iter().for_each(|said| secrets.mask(said));
    }
    done.message = secrets.text(std::mem::take(&mut done.message));
}

/// Builds the failure of an action that could not be called at all.
fn refused(action: &MobileAction, failure: Failure) -> Done {
    let params = written::as_texts(&action.params);
    let arguments = match &*params {
        Value::Null => Map::new(),
        _ if holds_secret(action) => Map::from_iter([("params".to_owned(), MASK.into())]),
        Value::Object(map) => map.clone(),
        other => Map::from_iter([("params".to_owned(), other.clone())]),
    };
    Done {
        tool: action.method.clone(),
        object: Map::new(),
        arguments,
        message: String::new(),
        error: Some(failure),
        pictures: Vec::new(),
        file_name: None,
        warnings: Vec::new(),
        mark: None,
        lookup: None,
        seen: Vec::new(),
        usage: ModelUsage::default(),
        mended: Vec::new(),
        waiting_ms: 0,
        parts: ToolTimes::default(),
        evidence: None,
    }
}

/// Makes the call. When the run is stopped or the case's time is over, the call is ended.
async fn call(cx: &StepContext<'_>, request: CallToolRequest, times: CallTimes) -> CallToolResult {
    let cancel = CancellationToken::new();
    let on_device = cx.run.tool(&request.name).is_none_or(|tool| tool.needs_device);
    let call = cx.caller(&request.name).call(request, Call { times, ..Call::until(cancel.clone()) });
    tokio::pin!(call);
    tokio::select! {
        biased;
        result = &mut call => return result,
        () = cx.late() => {}
        // A gesture may come to its end; what touches no device, such as `sleep`, need not.
        () = cx.stopped() => if on_device
            && let Ok(result) = tokio::time::timeout(cx.timeout(), &mut call).await {
                return result;
            }
    }
    cancel.cancel();
    call.await
}

fn read(tool: String, arguments: Map<String, Value>, mut result: CallToolResult) -> Done {
    let mut object = match result.structured_content.take() {
        Some(Value::Object(object)) => object,
        _ => Map::new(),
    };
    let evidence = evidence::take(&mut object);
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let failed = result.is_failure() || object.get("success") != Some(&Value::Bool(true));
    let error = failed.then(|| Failure {
        kind: Some(text("kind")).filter(|kind| !kind.is_empty()).unwrap_or_else(|| Kind::Service.name().to_owned()),
        message: text("message"),
        details: object.get("details").cloned(),
    });
    let warnings = object.get("warnings").and_then(Value::as_array).into_iter().flatten();
    let beside = |key: &str| result.beside(key).cloned();
    let lookup = beside("lookup").or_else(|| object.get("details")?.get("lookup").cloned());
    let (mark, seen) = (beside("mark"), beside("seen"));
    let of_model = |key: &str| object.get(key).or_else(|| object.get("details")?.get(key)).cloned();
    let usage = of_model("usage").and_then(|usage| serde_json::from_value(usage).ok()).unwrap_or_default();
    let mended = of_model("mended").and_then(|mended| serde_json::from_value(mended).ok()).unwrap_or_default();
    Done {
        tool,
        arguments,
        message: if failed { String::new() } else { text("message") },
        error,
        pictures: result.content.iter().filter_map(png_of).collect(),
        file_name: None,
        warnings: warnings.filter_map(Value::as_str).map(str::to_owned).collect(),
        mark: mark.and_then(|mark| serde_json::from_value(mark).ok()),
        lookup: lookup.and_then(|lookup| serde_json::from_value(lookup).ok()),
        seen: seen.and_then(|seen| serde_json::from_value(seen).ok()).unwrap_or_default(),
        usage,
        mended,
        waiting_ms: 0,
        parts: ToolTimes::default(),
        evidence,
        object,
    }
}
