//! A caller, and the tools of a project beside its own: a call of one → its steps, each a call of the caller within.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use uixt_call::{
    Boxed, Call, CallTimes, CallToolRequest, CallToolResult, Caller, META, PREFIX, SECRETS, ToolDefinition, mask,
};
use uixt_locate::{Error, Kind};

use super::context::{Run, StepContext, Stop};
use super::journal::Journal;
use super::{Keep, Options, Planned, Screenshots, Sink, own_tool, project_batch, referenced};
use crate::result::{Entry, Event, Failure, Outcome};
use crate::testcase::{Overrides, OwnTool, TestCase};

/// Tools that type a text, and take that it is a secret.
const TYPING: [&str; 2] = ["input", "set_clipboard"];

/// How long a call may take: its steps may be repeated as often as whoever calls it likes.
const LIMIT: Duration = Duration::from_mins(10);

/// Returns the steps of the tools of a project, or what is wrong with their files.
pub type ToolSource = Arc<dyn Fn() -> Result<Vec<Arc<TestCase>>, String> + Send + Sync>;

/// Offers a caller's tools and those of a project.
pub struct ProjectTools {
    pub(super) inner: Arc<dyn Caller>,
    /// Who answers the steps that a tool's file allows beyond what the caller does.
    beyond: Option<Arc<dyn Caller>>,
    source: ToolSource,
    pub(super) options: Options,
    /// Whether names begin with `uixt__`.
    is_prefixed: bool,
    only_for_agents: bool,
}

impl ProjectTools {
    /// Puts the tools of a project beside those of a caller, which are the table's.
    pub fn around(inner: Arc<dyn Caller>, source: ToolSource, options: Options) -> Self {
        let options = Options { screenshots: Screenshots::Never, evidence: Keep::None, ..options };
        Self { inner, beyond: None, source, options, is_prefixed: true, only_for_agents: false }
    }

    /// Offers only what agents may call; `beyond` answers what a tool's file allows beside that.
    #[must_use]
    pub fn for_agents(self, beyond: Arc<dyn Caller>, is_prefixed: bool) -> Self {
        Self { beyond: Some(beyond), only_for_agents: true, is_prefixed, ..self }
    }

    pub(super) fn offered(&self) -> Result<Vec<Arc<TestCase>>, String> {
        let mut cases = (self.source)()?;
        cases.retain(|case| case.tool.as_ref().is_some_and(|tool| tool.for_agents || !self.only_for_agents));
        Ok(cases)
    }

    async fn all(&self) -> Vec<ToolDefinition> {
        let mut tools = self.inner.list().await;
        match self.offered() {
            Ok(cases) => tools.extend(cases.iter().filter_map(|case| Some(self.listed(case.tool.as_ref()?)))),
            Err(why) => tracing::warn!("the project's tools are left out: {why}"),
        }
        tools
    }

    fn listed(&self, tool: &OwnTool) -> ToolDefinition {
        let name = if self.is_prefixed { format!("{PREFIX}{}", tool.name) } else { tool.name.clone() };
        let description = format!("{} (project)", tool.description.trim());
        let mut listed = ToolDefinition::new(name, description, Arc::new(tool.schema()));
        listed.meta = json!({META: {"project": tool.file}}).as_object().cloned();
        listed
    }

    async fn answer(&self, request: CallToolRequest, call: Call) -> CallToolResult {
        // None of them has the name of a row.
        if let Some(row) = self.options.table.find(&request.name) {
            return match project_batch::of(self, row, &request) {
                Some(batch) => batch.make(self, request, call).await,
                None => self.inner.call(request, call).await,
            };
        }
        let cases = match self.offered() {
            Ok(cases) => cases,
            Err(why) => return CallToolResult::failure(&Error::bad_argument(why), &request.name),
        };
        match named(&cases, &request.name) {
            Some((case, tool)) => {
                reached(&call).await;
                call.times.name_tool(tool.name.clone());
                let answer = self.made(case, tool, request, &call).await;
                call.arrival.pass();
                answer
            }
            None => self.inner.call(request, call).await,
        }
    }

    /// Calls a tool, once it is its turn.
    pub(super) async fn made(
        &self,
        case: &TestCase,
        tool: &OwnTool,
        request: CallToolRequest,
        call: &Call,
    ) -> CallToolResult {
        let arguments = match tool.settle(Value::Object(request.arguments.unwrap_or_default())) {
            Ok(arguments) => arguments,
            Err(wrong) => return CallToolResult::failure(&own_tool::refused(tool, &wrong), &tool.name),
        };
        let secrets = secrets(tool, &arguments);
        let failed = Arc::new(Mutex::new(Failed::default()));
        let sink = Sink::new(Journal::nowhere(), vec![observer(&failed, call)]);
        let (stop, planned) = (Stop::new(call.cancel.clone()), planned(case));
        let inner = Arc::new(Noted::of(&self.inner, &call.times, &secrets));
        let run = Run::new(&planned, tool.name.clone(), (&self.options, &sink, &stop), Arc::clone(&inner) as Arc<_>);
        let run = run.with_beyond(
            self.beyond.as_ref().map(|beyond| Arc::new(Noted::of(beyond, &call.times, &secrets)) as Arc<_>),
        );
        let scope = case.scope(&Overrides::default());
        let until = Instant::now() + LIMIT;
        let done = referenced::tool_steps(&StepContext::of(&run, Some(until)), &scope, case, tool, arguments).await;
        call.times.add_waited(run.waited());
        let mut answer = match done {
            Ok((end, Some(mut value))) if end.outcome < Outcome::Failed => {
                scope.secrets().mask(&mut value);
                CallToolResult::structured(Value::Object(own_tool::answer(&tool.name, value)))
            }
            Ok(_) => CallToolResult::structured_error(failed.lock().answer(tool)),
            Err(error) => CallToolResult::failure(&Error::new(Kind::Service, error.to_string()), &tool.name),
        };
        if !secrets.is_empty() {
            answer.put_beside(SECRETS, secrets.into());
        }
        if let Some((platform, serial)) = inner.device.lock().take() {
            answer.put_beside("platform", platform.into());
            answer.put_beside("serial", serial.into());
        }
        answer
    }
}

/// Returns the values of a tool's arguments that are secrets.
fn secrets(tool: &OwnTool, arguments: &Map<String, Value>) -> Vec<String> {
    let parameters = tool.parameters.iter().filter(|one| one.is_secret);
    parameters.filter_map(|one| arguments.get(&one.name)).flat_map(mask::texts).collect()
}

/// Finds the tool of a name.
pub(super) fn named<'a>(cases: &'a [Arc<TestCase>], name: &str) -> Option<(&'a Arc<TestCase>, &'a OwnTool)> {
    cases.iter().find_map(|case| Some((case, case.tool.as_deref().filter(|tool| tool.is_named(name))?)))
}

/// Waits until it is a call's turn: those that came with it wait for all of its steps.
pub(super) async fn reached(call: &Call) {
    tokio::select! {
        biased;
        () = call.cancel.cancelled() => {}
        () = call.arrival.reached() => {}
    }
}

/// Returns a tool's steps as a run has a testcase.
fn planned(case: &TestCase) -> Planned {
    let (lane, own_locks, locks, warnings, secrets) = Default::default();
    Planned { id: case.file.clone(), case: case.clone(), refusal: None, lane, own_locks, locks, warnings, secrets }
}

/// The step that failed last, and why.
#[derive(Default)]
struct Failed {
    /// What failed of the step that is under way, and the tool that it called.
    action: Option<(String, Failure)>,
    step: Option<(String, String)>,
}

impl Failed {
    fn note(&mut self, event: &Event) {
        match event {
            Event::ActionFinished { tool, error: Some(error), outcome, .. } if *outcome >= Outcome::Failed => {
                self.action = Some((tool.clone(), error.clone()));
                self.step = None;
            }
            Event::StepFinished { name, place, error, outcome, .. } if *outcome >= Outcome::Failed => {
                if let Some(error) = error {
                    self.action = Some((String::new(), error.clone()));
                }
                self.step = Some((name.clone(), format!("{}:{}:{}", place.file, place.line, place.column)));
            }
            _ => {}
        }
    }

    /// Returns the answer of the call: the step, its place, and what went wrong there.
    fn answer(&mut self, tool: &OwnTool) -> Value {
        let (inner, failure) = self.action.take().unwrap_or_else(|| {
            let (kind, message) = (Kind::Interrupted.name().to_owned(), "interrupted".to_owned());
            (String::new(), Failure { kind, message, details: None })
        });
        let kind = serde_json::from_value(failure.kind.as_str().into()).unwrap_or(Kind::Service);
        let mut error = match self.step.take() {
            None => Error::new(kind, format!("{}: {}", tool.name, failure.message)),
            Some((step, place)) => {
                let message = format!("{}: {place}, {step}: {}", tool.name, failure.message);
                Error::new(kind, message).with("step", step).with("place", place)
            }
        };
        if !inner.is_empty() {
            error = error.with("tool", inner);
        }
        if let Some(Value::Object(details)) = failure.details {
            error.details.extend(details);
        }
        error.object(&tool.name)
    }
}

/// Tells of each step, notes what failed, and counts the tools of the project that this one calls.
fn observer(failed: &Arc<Mutex<Failed>>, call: &Call) -> super::Observer {
    let (failed, progress, times) = (Arc::clone(failed), call.progress.clone(), call.times.clone());
    Box::new(move |entry: &Entry| {
        match &entry.event {
            Event::StepStarted { step, name, .. } => progress.relay(f64::from(*step), None, || name.clone()),
            Event::OwnToolFinished { tool, outcome, elapsed_ms, waiting_ms, .. } => {
                let (elapsed, waiting) = (Duration::from_millis(*elapsed_ms), Duration::from_millis(*waiting_ms));
                times.add_part(tool, *outcome <= Outcome::Flaky, elapsed, waiting);
            }
            _ => {}
        }
        failed.lock().note(&entry.event);
    })
}

/// Asks for whole answers, and notes which device they are of, and how long they took.
struct Noted {
    caller: Arc<dyn Caller>,
    times: CallTimes,
    /// What the tool's caller gave as a secret.
    secrets: Vec<String>,
    device: Mutex<Option<(String, String)>>,
}

impl Noted {
    fn of(caller: &Arc<dyn Caller>, times: &CallTimes, secrets: &[String]) -> Self {
        let (times, secrets) = (times.clone(), secrets.to_vec());
        Self { caller: Arc::clone(caller), times, secrets, device: Mutex::default() }
    }
}

impl Noted {
    /// Says of a text that is typed that it is a secret, where it is one: whoever looks on, such as a recording, must not keep it.
    fn marked(&self, mut request: CallToolRequest) -> CallToolRequest {
        let typed = |arguments: &Map<String, Value>| arguments.get("text").and_then(Value::as_str).map(str::to_owned);
        let arguments = request.arguments.as_mut().filter(|_| TYPING.contains(&request.name.as_ref()));
        if let Some(arguments) = arguments
            && typed(arguments)
                .is_some_and(|text| self.secrets.iter().any(|secret| !secret.is_empty() && text.contains(secret)))
        {
            arguments.insert("secret".to_owned(), true.into());
        }
        request
    }
}

impl Caller for Noted {
    fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
        self.caller.list()
    }

    fn call(&self, request: CallToolRequest, call: Call) -> Boxed<'_, CallToolResult> {
        Box::pin(async move {
            let request = self.marked(request);
            let (began, tool, times) = (Instant::now(), request.name.clone(), call.times.clone());
            let result = self.caller.call(request, Call { is_whole: true, ..call }).await;
            self.times.add_call(&tool, !result.is_failure(), began.elapsed(), &times);
            if let Some(device) = result.device() {
                *self.device.lock() = Some(device);
            }
            result
        })
    }
}

impl Caller for ProjectTools {
    fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
        Box::pin(self.all())
    }

    fn call(&self, request: CallToolRequest, call: Call) -> Boxed<'_, CallToolResult> {
        Box::pin(self.answer(request, call))
    }

    fn inner(&self) -> Option<&dyn Caller> {
        Some(&*self.inner)
    }
}
