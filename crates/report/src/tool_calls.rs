//! The actions of a case, and the project's tools that it called → what the calls of each tool add up to, and those of which they were made.

use std::time::Duration;

use serde_json::Value;
use uixt_core::tool_times::ToolTimes;

use crate::result::{ActionResult, CaseResult, Outcome};

/// The tool that calls those of other servers.
const OTHER: &str = "mcp";

/// Adds the calls of a case.
pub fn add(case: &CaseResult, times: &mut ToolTimes) {
    let attempts = case.steps.iter().flat_map(|step| &step.attempts);
    for action in attempts.flat_map(|attempt| &attempt.actions) {
        let (elapsed, waiting) = (Duration::from_millis(action.elapsed_ms), Duration::from_millis(action.waiting_ms));
        times.add(&name(action), action.outcome <= Outcome::Flaky, elapsed, waiting);
        action.parts.iter().for_each(|parts| times.join(parts));
    }
    times.join(&case.own_tools);
}

/// Returns what a tool is called; one of another server is `server/tool`.
fn name(action: &ActionResult) -> String {
    let named = |key: &str| action.arguments.get(key).and_then(Value::as_str);
    match (named("server"), named("tool")) {
        (Some(server), Some(tool)) if action.tool == OTHER => format!("{server}/{tool}"),
        _ => action.tool.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::sample;
    use super::*;

    #[test]
    fn calls_and_what_they_are_made_of_add_up() {
        let mut parts = ToolTimes::default();
        parts.add("tap", true, Duration::from_millis(100), Duration::from_millis(90));
        let batch = ActionResult { waiting_ms: 90, parts: Some(Box::new(parts)), ..sample::action("batch", json!({})) };
        let failed = sample::failing("tap", Outcome::Failed, "NotFound", "no");
        let other = sample::action("mcp", json!({"server": "shop", "tool": "add", "arguments": {}}));
        let mut case = sample::healed();
        case.steps = [batch, failed, other].map(|action| sample::step(1, action)).into();
        case.own_tools.add("log_in", true, Duration::from_secs(1), Duration::from_millis(90));
        let mut times = ToolTimes::default();
        add(&case, &mut times);
        let figures = times.figures();
        let told: Vec<_> = figures.iter().map(|one| (one.tool.as_str(), one.calls, one.succeeded)).collect();
        assert_eq!(told, [("log_in", 1, 1), ("tap", 2, 1), ("batch", 1, 1), ("shop/add", 1, 1)]);
        assert_eq!((figures[1].waiting_ms, figures[1].working_ms), (90, 320));
    }
}
