//! One try of a step: its actions, then what must hold after them, each as a call.

use std::io;
use std::time::{Duration, Instant};

use base64::Engine as _;
use chrono::Utc;
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::mask::Mask;
use super::{Options, Planned, Screenshots, Sink, milliseconds};
use crate::action::MobileAction;
use crate::caller::{Caller, SLOW};
use crate::result::{Event, Failure, Mark, Outcome, Place};
use crate::testcase::{Check, Scope, Step};
use crate::tools::{self, CallOptions, Error, Kind, arguments};

/// How long a call in flight may go on after the run was stopped.
pub(super) const GRACE: Duration = Duration::from_millis(1500);

/// How long a picture of a failure may take.
const PICTURE: Duration = Duration::from_secs(10);

/// What a step needs beside its own data.
pub(super) struct Surroundings<'a> {
    pub planned: &'a Planned,
    pub options: &'a Options,
    pub sink: &'a Sink,
    pub stop: &'a CancellationToken,
    pub caller: &'a dyn Caller,
    /// When the case must have ended.
    pub deadline: Option<Instant>,
}

impl Surroundings<'_> {
    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Returns once the case's time is over; never where it has no end.
    async fn late(&self) {
        match self.deadline {
            Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
            None => std::future::pending().await,
        }
    }

    /// Waits; returns whether the run went on all the while and the case's time was not over.
    async fn sleep(&self, time: Duration) -> bool {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => false,
            () = self.late() => false,
            () = tokio::time::sleep(time) => true,
        }
    }
}

/// Where an action stands in the run.
struct Position<'a> {
    step: &'a Step,
    number: u32,
    attempt: u32,
}

/// What came of an action.
struct Done {
    tool: String,
    /// The whole answer.
    object: Map<String, Value>,
    arguments: Map<String, Value>,
    message: String,
    error: Option<Failure>,
    pictures: Vec<Vec<u8>>,
    mark: Option<Mark>,
}

/// Runs a step's actions and checks until one does not pass.
pub(super) async fn run(
    surroundings: &Surroundings<'_>,
    scope: &Scope,
    number: u32,
    attempt: u32,
    step: &Step,
) -> io::Result<Outcome> {
    let position = Position { step, number, attempt };
    let checks = step.validate.iter().map(|check| (&check.action, Some(check)));
    for (action, check) in step.actions().iter().map(|action| (action, None)).chain(checks) {
        let outcome = act(surroundings, scope, &position, action, check).await?;
        if outcome >= Outcome::Failed {
            return Ok(outcome);
        }
    }
    Ok(Outcome::Passed)
}

async fn act(
    surroundings: &Surroundings<'_>,
    scope: &Scope,
    position: &Position<'_>,
    action: &MobileAction,
    check: Option<&Check>,
) -> io::Result<Outcome> {
    let (began, started) = (Utc::now(), Instant::now());
    let mut done = perform(surroundings, scope, position.step, action).await;
    if let (Some(error), Some(message)) = (&mut done.error, check.and_then(|check| check.message.as_ref())) {
        let message = scope.evaluate(message).unwrap_or_else(|_| message.clone());
        let message = message.as_str().map_or_else(|| message.to_string(), str::to_owned);
        error.message = format!("{message}: {}", error.message);
    }
    let is_last = position.step.actions().last().is_some_and(|last| std::ptr::eq(last, action));
    if is_last && done.error.is_none() {
        done.error = save(scope, position.step, &done).err();
    }
    let elapsed_ms = milliseconds(started);
    let outcome = outcome_of(done.error.as_ref());
    let screenshot = picture(surroundings, &done, outcome).await?;
    let mask = Mask::of(scope.secrets());
    surroundings.sink.emit(Event::ActionFinished {
        case: surroundings.planned.id.clone(),
        step: position.number,
        attempt: position.attempt,
        tool: done.tool,
        arguments: mask.object(tools::masked(&done.arguments)),
        outcome,
        began,
        elapsed_ms,
        message: mask.text(done.message),
        error: done.error.map(|error| Failure {
            message: mask.text(error.message),
            details: error.details.map(|details| mask.value(details)),
            ..error
        }),
        place: Place {
            file: surroundings.planned.case.file.clone(),
            line: action.span.line,
            column: action.span.column,
        },
        screenshot,
        mark: done.mark,
    })?;
    if Duration::from_millis(elapsed_ms) > SLOW {
        log_slow(surroundings, position, &action.method, elapsed_ms)?;
    }
    Ok(outcome)
}

fn log_slow(surroundings: &Surroundings<'_>, position: &Position<'_>, method: &str, elapsed_ms: u64) -> io::Result<()> {
    let seconds = Duration::from_millis(elapsed_ms).as_secs_f64();
    surroundings.sink.emit(Event::Log {
        case: Some(surroundings.planned.id.clone()),
        level: "warn".to_owned(),
        message: format!("slow: step {}, {method} took {seconds:.1} s", position.number),
    })
}

fn outcome_of(error: Option<&Failure>) -> Outcome {
    let Some(error) = error else { return Outcome::Passed };
    let kind: Option<Kind> = serde_json::from_value(error.kind.as_str().into()).ok();
    if kind.is_some_and(Kind::is_failure) { Outcome::Failed } else { Outcome::Errored }
}

/// Evaluates an action, calls its tool and reads the answer.
async fn perform(surroundings: &Surroundings<'_>, scope: &Scope, step: &Step, action: &MobileAction) -> Done {
    let request = match request(surroundings, scope, step, action) {
        Ok(request) => request,
        Err(message) => return refused(action, message),
    };
    let (tool, arguments) = (request.name.to_string(), request.arguments.clone().unwrap_or_default());
    tools::secrets(&arguments).iter().for_each(|secret| add_secrets(scope, secret));
    if let Some(identifier) = CallOptions::from_meta(request.meta.as_ref()).identifier {
        tracing::info!(tool, identifier = Mask::of(scope.secrets()).text(identifier), "call");
    }
    let asked = scope.take_pending_sleep();
    let result = match asked.is_zero() || surroundings.sleep(asked).await {
        true => call(surroundings, request).await,
        false => Error::new(Kind::Interrupted, "interrupted").into_result(&tool),
    };
    let answered = result.structured_content.as_ref().and_then(Value::as_object).cloned().unwrap_or_default();
    let mut done = read(tool, arguments, result);
    // A field may turn out to be one for passwords.
    tools::hide_typed(&mut done.arguments, &answered).iter().for_each(|text| add_secrets(scope, text));
    if let Some(error) = done.error.as_mut().filter(|error| error.kind == Kind::Interrupted.name())
        && !surroundings.stop.is_cancelled()
    {
        error.message.push_str(": the case's time is over");
    }
    done
}

/// Hides every text in a value that a call named a secret, in all that the case shows from here on.
fn add_secrets(scope: &Scope, value: &Value) {
    match value {
        Value::String(text) => scope.add_secret(text),
        Value::Number(number) => scope.add_secret(&number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| add_secrets(scope, item)),
        Value::Object(object) => object.values().for_each(|value| add_secrets(scope, value)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Keeps what the step's `save` asks for; a field that is not there is an error, never an empty value.
fn save(scope: &Scope, step: &Step, done: &Done) -> Result<(), Failure> {
    for save in &step.saves {
        let main = tools::find(&done.tool).and_then(|tool| tool.main);
        let value = match save.field.as_deref().or(main) {
            Some(path) => at_path(&done.object, path).ok_or_else(|| no_field(done, &save.variable, path))?,
            None => Value::Object(done.object.clone()),
        };
        scope.save(&save.variable, value);
    }
    Ok(())
}

fn at_path(object: &Map<String, Value>, path: &str) -> Option<Value> {
    let mut parts = path.split('.');
    let first = object.get(parts.next()?)?;
    let inner = parts.try_fold(first, |value, part| match value {
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        other => other.get(part),
    });
    inner.cloned()
}

fn no_field(done: &Done, variable: &str, path: &str) -> Failure {
    let fields: Vec<&str> = done.object.keys().map(String::as_str).collect();
    Failure {
        kind: Kind::BadArgument.name().to_owned(),
        message: format!(
            "save: {variable}: the result of {} has no `{path}`; it has: {}",
            done.tool,
            fields.join(", ")
        ),
        details: None,
    }
}

/// Tells whether an action as it was written may say that what it types is a secret.
pub(super) fn holds_secret(action: &MobileAction) -> bool {
    let params = action.params.as_object().into_iter().flatten();
    let is_closed = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
    params.chain(&action.options).any(|(key, value)| arguments::snake_case(key) == "secret" && is_closed(value))
}

/// Builds the failure of an action that could not be called at all.
fn refused(action: &MobileAction, message: String) -> Done {
    let arguments = match &action.params {
        Value::Null => Map::new(),
        _ if holds_secret(action) => Map::from_iter([("params".to_owned(), tools::MASK.into())]),
        Value::Object(map) => map.clone(),
        other => Map::from_iter([("params".to_owned(), other.clone())]),
    };
    let error = Some(Failure { kind: Kind::BadArgument.name().to_owned(), message, details: None });
    Done {
        tool: action.method.clone(),
        object: Map::new(),
        arguments,
        message: String::new(),
        error,
        pictures: Vec::new(),
        mark: None,
    }
}

fn request(
    surroundings: &Surroundings<'_>,
    scope: &Scope,
    step: &Step,
    action: &MobileAction,
) -> Result<CallToolRequestParams, String> {
    let evaluate = |value: &Value| scope.evaluate(value).map_err(|error| error.to_string());
    let Value::Object(options) = evaluate(&Value::Object(action.options.clone()))? else {
        unreachable!("a map stays a map")
    };
    let evaluated =
        MobileAction { method: action.method.clone(), params: evaluate(&action.params)?, options, span: action.span };
    let mut request = arguments::request(&evaluated).map_err(|error| error.message)?;
    if tools::find(&request.name).is_some_and(|tool| tool.needs_device) {
        address(&mut request, scope, step)?;
        if surroundings.options.screenshots == Screenshots::Step {
            let options = CallOptions { pre_mark_operation: true, ..CallOptions::from_meta(request.meta.as_ref()) };
            request.meta = options.to_meta();
        }
    }
    Ok(request)
}

/// Adds the device that the step is for, where it says so.
fn address(request: &mut CallToolRequestParams, scope: &Scope, step: &Step) -> Result<(), String> {
    let arguments = request.arguments.get_or_insert_default();
    if let Some(platform) = &step.platform {
        arguments.entry("platform").or_insert_with(|| platform.as_str().into());
    }
    if let Some(serial) = &step.serial {
        let serial = scope.evaluate_text(serial).map_err(|error| error.to_string())?;
        if !serial.is_empty() {
            arguments.entry("serial").or_insert_with(|| serial.into());
        }
    }
    Ok(())
}

/// Makes the call. When the run is stopped or the case's time is over, the call is ended.
async fn call(surroundings: &Surroundings<'_>, request: CallToolRequestParams) -> CallToolResult {
    let cancel = CancellationToken::new();
    let on_device = tools::find(&request.name).is_none_or(|tool| tool.needs_device);
    let call = surroundings.caller.call(request, cancel.clone());
    tokio::pin!(call);
    tokio::select! {
        biased;
        result = &mut call => return result,
        () = surroundings.late() => {}
        // A gesture may come to its end; what touches no device, such as `sleep`, need not.
        () = surroundings.stop.cancelled() => if on_device
            && let Ok(result) = tokio::time::timeout(GRACE, &mut call).await {
                return result;
            }
    }
    cancel.cancel();
    call.await
}

fn read(tool: String, arguments: Map<String, Value>, result: CallToolResult) -> Done {
    let object = match result.structured_content {
        Some(Value::Object(object)) => object,
        _ => Map::new(),
    };
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let failed = result.is_error == Some(true) || object.get("success") != Some(&Value::Bool(true));
    let error = failed.then(|| Failure {
        kind: Some(text("kind")).filter(|kind| !kind.is_empty()).unwrap_or_else(|| Kind::Service.name().to_owned()),
        message: text("message"),
        details: object.get("details").cloned(),
    });
    let mark = result.meta.and_then(|meta| meta.0.get("uixt")?.get("mark").cloned());
    Done {
        tool,
        arguments,
        message: if failed { String::new() } else { text("message") },
        error,
        pictures: result.content.into_iter().filter_map(png_of).collect(),
        mark: mark.and_then(|mark| serde_json::from_value(mark).ok()),
        object,
    }
}

fn png_of(content: ContentBlock) -> Option<Vec<u8>> {
    match content {
        ContentBlock::Image(image) => base64::engine::general_purpose::STANDARD.decode(&image.data).ok(),
        _ => None,
    }
}

/// Keeps the picture that an action brought, or takes one where the options ask for it.
async fn picture(surroundings: &Surroundings<'_>, done: &Done, outcome: Outcome) -> io::Result<Option<String>> {
    if let Some(png) = done.pictures.first() {
        return surroundings.sink.picture(png).map(Some);
    }
    let on_device = tools::find(&done.tool).is_some_and(|tool| tool.needs_device);
    let wanted = match surroundings.options.screenshots {
        Screenshots::Never => false,
        Screenshots::Failure => outcome >= Outcome::Failed,
        Screenshots::Step => true,
    };
    let reachable = done.error.as_ref().is_none_or(|error| error.kind != Kind::Transport.name());
    if !on_device || !wanted || !reachable || surroundings.stop.is_cancelled() {
        return Ok(None);
    }
    let same_device = done.arguments.iter().filter(|(key, _)| matches!(key.as_str(), "platform" | "serial"));
    let arguments = same_device.map(|(key, value)| (key.clone(), value.clone())).collect();
    let request = CallToolRequestParams::new("screenshot").with_arguments(arguments);
    let taken = surroundings.caller.call(request, CancellationToken::new());
    let Ok(result) = tokio::time::timeout(PICTURE, taken).await else { return Ok(None) };
    match result.content.into_iter().find_map(png_of) {
        Some(png) => surroundings.sink.picture(&png).map(Some),
        None => Ok(None),
    }
}
