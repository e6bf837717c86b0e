//! Several calls in one.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_call::{BATCH, Shape, Table, ToolKind, Toolset};
use uixt_locate::{Error, Object};
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

pub(super) const TOOLS: &[ActionTool] = &[ActionTool::of::<Batch>()];

/// Most steps of a batch.
const MAX: usize = 100;

/// How long a batch may take: a little less than others wait for its device.
const LIMIT: Duration = Duration::from_mins(65);

/// Call several tools, one after the other, until one fails.
#[derive(Deserialize, JsonSchema)]
struct Batch {
    /// Calls, each {tool, arguments}.
    #[schemars(length(min = 1))]
    steps: Vec<Step>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Step {
    tool: String,
    #[serde(default)]
    arguments: Object,
}

impl Tool for Batch {
    const NAME: &'static str = BATCH;
    const SET: Option<Toolset> = Some(Toolset::Flow);
    const KIND: ToolKind = ToolKind::Other;
    const PARAMS: Shape = Shape::Whole("steps");
    const MAIN: Option<&'static str> = Some("results");
    const ANSWER: &'static [&'static str] = &["results", "cut"];

    fn check_in(&self, table: &Table) -> Result<(), String> {
        if self.steps.is_empty() || self.steps.len() > MAX {
            return Err(format!("a batch has 1 to {MAX} steps, not {}", self.steps.len()));
        }
        let problem = |step: &Step| table.problem_in_batch(&step.tool, &step.arguments);
        let mut problems = (1..).zip(&self.steps).filter_map(|(number, step)| Some((number, problem(step)?)));
        problems.next().map_or(Ok(()), |(number, problem)| Err(format!("step {number}: {problem}")))
    }

    fn limit(&self) -> Duration {
        LIMIT
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let invoke = cx.invoker()?;
        let count = self.steps.len();
        let mut reply = Reply::default();
        let mut results: Vec<Value> = Vec::with_capacity(count);
        for (number, step) in (1..).zip(self.steps) {
            let name = cx.table.find(&step.tool).map_or_else(|| step.tool.clone(), |tool| tool.name.to_owned());
            cx.progress.begin(number - 1, count, || format!("step {number} of {count}: {name}"));
            let done = match invoke.invoke(&name, step.arguments, cx).await {
                Ok(done) => done,
                Err(error) => return Err(failed(number, &name, error, results)),
            };
            results.push(result(&name, &done));
            reply.pictures.extend(done.pictures);
            reply.mark = done.mark.or(reply.mark);
        }
        reply.message = format!("{count} steps done");
        Ok(reply.with("results", results))
    }
}

fn result(tool: &str, reply: &Reply) -> Value {
    let mut object = json!({"action": tool, "success": true, "message": reply.message});
    if let Value::Object(object) = &mut object {
        object.extend(reply.fields.clone());
    }
    object
}

/// Says which step failed; what came before it happened, and is listed.
fn failed(number: usize, tool: &str, mut error: Error, results: Vec<Value>) -> Error {
    error.message = format!("step {number}, {tool}: {}", error.message);
    error.with("step", number).with("tool", tool).with("results", results)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "a literal reads better without a reference")]
    fn check(steps: Value) -> Result<(), String> {
        serde_json::from_value::<Batch>(json!({"steps": steps}))
            .expect("the right types")
            .check_in(crate::groups::table())
    }

    #[test]
    fn steps_are_checked_before_any_is_taken() {
        assert_eq!(check(json!([{"tool": "home"}, {"tool": "sleep", "arguments": {"seconds": 0}}])), Ok(()));
        for (steps, expected) in [
            (json!([{"tool": "home"}, {"tool": "tap_elment", "arguments": {"text": "a"}}]), "step 2: unknown tool"),
            (json!([{"tool": "uixt__batch", "arguments": {"steps": []}}]), "step 1: a batch holds no batch"),
            (json!([{"tool": "home", "arguments": {"serial": "x"}}]), "step 1: `serial`"),
            (json!([{"tool": "select_device"}]), "step 1: select_device: a batch goes to one device"),
            (json!([{"tool": "tap_xy", "arguments": {"x": 0.5}}]), "step 1: tap_xy: missing: y"),
            (json!([]), "a batch has 1 to 100 steps"),
        ] {
            let error = check(steps.clone()).expect_err("it is wrong");
            assert!(error.starts_with(expected), "{steps}: {error}");
        }
    }
}
