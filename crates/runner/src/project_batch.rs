//! A batch among whose steps are tools of the project → a call of each step, one after the other, until one fails; answered as any batch.

use std::sync::Arc;
use std::time::Instant;

use serde_json::{Map, Value, json};
use uixt_call::arrival::Arrival;
use uixt_call::{
    BATCH, Call, CallTimes, CallToolRequest, CallToolResult, Content, DIFF, SECRETS, ToolRow, mask, take_then,
};
use uixt_locate::{Error, Kind};

use super::own_tool;
use super::project_tools::{ProjectTools, named, reached};
use crate::testcase::TestCase;

/// Most steps of a batch.
const MAX: usize = 100;

/// A batch that calls tools of the project.
pub(super) struct Batch {
    steps: Vec<Step>,
    /// The project's tools.
    cases: Vec<Arc<TestCase>>,
    /// Whether it is asked what all of it changed.
    then: bool,
    /// The device that all steps go to, where the call names one.
    device: Map<String, Value>,
}

struct Step {
    tool: String,
    arguments: Map<String, Value>,
}

/// What came of the steps so far.
#[derive(Default)]
struct Done {
    results: Vec<Value>,
    pictures: Vec<Content>,
    secrets: Vec<String>,
    device: Option<(String, String)>,
}

/// Reads a call as a batch that calls tools of the project; none where it is anything else, or wrong.
pub(super) fn of(tools: &ProjectTools, row: &'static ToolRow, request: &CallToolRequest) -> Option<Batch> {
    if row.name != BATCH {
        return None;
    }
    let mut arguments = request.arguments.clone()?;
    let then = take_then(&mut arguments);
    let steps = match arguments.shift_remove("steps")? {
        // As some models write a list.
        Value::String(text) => serde_json::from_str(&text).ok()?,
        steps => steps,
    };
    let steps = steps.as_array()?.iter().map(Step::of).collect::<Option<Vec<_>>>()?;
    let is_row = |step: &Step| tools.options.table.find(&step.tool).is_some();
    if steps.len() > MAX || steps.iter().all(is_row) {
        return None;
    }
    let cases = tools.offered().ok()?;
    let is_any = steps.iter().any(|step| !is_row(step) && named(&cases, &step.tool).is_some());
    is_any.then_some(Batch { steps, cases, then, device: arguments })
}

impl Step {
    fn of(written: &Value) -> Option<Self> {
        let arguments = written.get("arguments").and_then(Value::as_object).cloned().unwrap_or_default();
        Some(Self { tool: written.get("tool")?.as_str()?.to_owned(), arguments })
    }
}

impl Batch {
    /// Makes the calls, once all of them are found right.
    pub(super) async fn make(mut self, tools: &ProjectTools, request: CallToolRequest, call: Call) -> CallToolResult {
        if let Some(why) = self.problem(tools) {
            return CallToolResult::failure(&Error::bad_argument(format!("{BATCH}: {why}")), BATCH);
        }
        reached(&call).await;
        let (mut done, count) = (Done::default(), self.steps.len());
        let steps = std::mem::take(&mut self.steps);
        let mut failure = None;
        for (number, step) in (1..).zip(steps) {
            let name = self.name(tools, &step.tool);
            call.progress.begin(number - 1, count, || format!("step {number} of {count}: {name}"));
            let asks = self.then && number == count;
            let result = self.step(tools, (&name, step, asks), &request, &call).await;
            if let Some(failed) = done.take(number, &name, result) {
                failure = Some(failed);
                break;
            }
        }
        call.arrival.pass();
        done.answer(failure, self.then)
    }

    /// Says what is wrong with the first step that is.
    fn problem(&self, tools: &ProjectTools) -> Option<String> {
        let table = tools.options.table;
        let wrong = |step: &Step| match named(&self.cases, &step.tool).filter(|_| table.find(&step.tool).is_none()) {
            Some((_, tool)) => {
                let wrong = tool.settle(Value::Object(step.arguments.clone())).err()?;
                Some(own_tool::refused(tool, &wrong).message)
            }
            None => table.problem_in_batch(&step.tool, &step.arguments),
        };
        let problem = (1..).zip(&self.steps).find_map(|(number, step)| Some((number, wrong(step)?)));
        if let Some((number, problem)) = problem {
            return Some(format!("step {number}: {problem}"));
        }
        if !self.device.is_empty() {
            return Some(
                "tools of the project go to the session's device: `select_device` chooses it before".to_owned(),
            );
        }
        let last = self.steps.last().and_then(|step| table.find(&step.tool));
        let tells = !self.then || last.is_some_and(ToolRow::takes_then);
        (!tells).then(|| "`then` needs a last step that takes it, which a tool of the project does not".to_owned())
    }

    /// Returns what a tool is called.
    fn name(&self, tools: &ProjectTools, written: &str) -> String {
        let row = tools.options.table.find(written).map(|row| row.name);
        let own = named(&self.cases, written).map(|(_, tool)| tool.name.as_str());
        row.or(own).unwrap_or(written).to_owned()
    }

    /// Makes one of the calls, and counts it.
    async fn step(
        &self,
        tools: &ProjectTools,
        (name, mut step, asks): (&str, Step, bool),
        batch: &CallToolRequest,
        call: &Call,
    ) -> CallToolResult {
        if asks {
            step.arguments.insert("then".to_owned(), DIFF.into());
        }
        let (began, times) = (Instant::now(), CallTimes::default());
        let inner = Call {
            cancel: call.cancel.clone(),
            progress: call.progress.clone(),
            screenshots: call.screenshots.clone(),
            is_whole: call.is_whole,
            arrival: Arrival::default(),
            times: times.clone(),
        };
        let (name_of_call, arguments) = (name.to_owned().into(), Some(step.arguments));
        let request = CallToolRequest { name: name_of_call, arguments, ..batch.clone() };
        let result = match named(&self.cases, name) {
            Some((case, tool)) => tools.made(case, tool, request, &inner).await,
            None => tools.inner.call(request, inner).await,
        };
        call.times.add_call(name, !result.is_failure(), began.elapsed(), &times);
        call.times.add_waited(times.waited());
        result
    }
}

impl Done {
    /// Takes in what came of a step; returns the error of the batch where it failed.
    fn take(&mut self, number: usize, tool: &str, mut result: CallToolResult) -> Option<Error> {
        self.secrets.extend(result.take_beside(SECRETS).iter().flat_map(mask::texts));
        self.device = result.device().or(self.device.take());
        let answer = result.structured_content.take().unwrap_or_default();
        if result.is_failure() {
            let kind = serde_json::from_value(answer["kind"].clone()).unwrap_or(Kind::Service);
            let message = answer["message"].as_str().unwrap_or_default();
            let mut error = Error::new(kind, format!("step {number}, {tool}: {message}"));
            error.details.extend(answer["details"].as_object().cloned().unwrap_or_default());
            return Some(
                error.with("step", number).with("tool", tool).with("results", std::mem::take(&mut self.results)),
            );
        }
        self.pictures.extend(result.content.into_iter().filter(|one| !matches!(one, Content::Text { .. })));
        self.results.push(answer);
        None
    }

    /// Returns the answer where all steps passed; the last one tells what the batch changed.
    fn passed(&mut self, then: bool) -> CallToolResult {
        let message = format!("{} steps done", self.results.len());
        let last = self.results.last_mut().filter(|_| then).and_then(Value::as_object_mut);
        let diff = last.and_then(|last| last.shift_remove(DIFF));
        let results = std::mem::take(&mut self.results);
        let mut answer = json!({"action": BATCH, "success": true, "message": message, "results": results});
        diff.into_iter().for_each(|diff| answer[DIFF] = diff);
        CallToolResult::structured(answer)
    }

    fn answer(mut self, failure: Option<Error>, then: bool) -> CallToolResult {
        let mut result = match failure {
            Some(error) => CallToolResult::failure(&error, BATCH),
            None => self.passed(then),
        };
        result.content.append(&mut self.pictures);
        if !self.secrets.is_empty() {
            result.put_beside(SECRETS, self.secrets.into());
        }
        if let Some((platform, serial)) = self.device {
            result.put_beside("platform", platform.into());
            result.put_beside("serial", serial.into());
        }
        result
    }
}
