//! One step of a planner: what it is shown, what it wants, what came of it.

use serde_json::{Value, json};
use uixt_ai::reading::{self, Act, Plan, Scale, Unreadable};
use uixt_call::{Aim, CallRecord, ToolKind};
use uixt_driver::{Point, Size};
use uixt_locate::{Error, Kind, Object};
use uixt_toolkit::gestures::place;

use crate::asking::Asker;
use crate::prompt;

/// What was done, as a planner is told it.
pub(super) struct Done {
    pub(super) thought: String,
    pub(super) tool: String,
    pub(super) arguments: Object,
    /// What came of it, or why nothing did.
    pub(super) outcome: Result<String, String>,
}

impl Done {
    pub(super) fn to_json(&self) -> Value {
        let (success, message) = match &self.outcome {
            Ok(message) => (true, message),
            Err(message) => (false, message),
        };
        json!({"thought": self.thought, "tool": self.tool, "arguments": self.arguments, "success": success, "message": message})
    }

    fn line(&self) -> String {
        let outcome = match &self.outcome {
            Ok(message) => message.clone(),
            Err(message) => format!("failed: {message}"),
        };
        let arguments = Value::Object(self.arguments.clone()).to_string();
        let line = format!("{} {arguments}: {outcome}", self.tool);
        line.chars().take(LINE).collect()
    }
}

/// Steps that a planner is reminded of, and characters of each.
const REMEMBERED: usize = 12;
const LINE: usize = 160;

/// Asks what to do next on the screen as it is; the inner error is why the answer is no plan, which the planner is told.
pub(super) async fn next(
    asker: &mut Asker,
    goal: &str,
    done: &[Done],
    screen: &str,
    differences: &[String],
) -> Result<Result<Plan, Unreadable>, Error> {
    let from = done.len().saturating_sub(REMEMBERED);
    let lines = (from + 1..).zip(&done[from..]).map(|(number, done)| format!("{number}. {}", done.line()));
    let so_far: Vec<String> = lines.collect();
    let so_far = if so_far.is_empty() { "nothing".to_owned() } else { format!("\n{}", so_far.join("\n")) };
    let changed = prompt::changed(differences);
    let reply = if asker.sees_pictures()? {
        let text = format!("{}{goal}\n\nDone so far: {so_far}{changed}", prompt::UI_TARS);
        asker.ask_with_picture(text).await?
    } else {
        let text = format!("Goal: {goal}\nDone so far: {so_far}{changed}\nThe screen now:\n{}", prompt::marked(screen));
        asker.ask_planner(text).await?
    };
    let offered = asker.tools();
    let tool = |name: &str| {
        let bare = name.strip_prefix(uixt_call::PREFIX).unwrap_or(name);
        offered.iter().find(|(known, ..)| known == bare).map(|(known, ..)| known.clone())
    };
    Ok(reading::plan(&reply, Scale::Thousand, tool))
}

/// Returns the point that an act names in fractions of a screen; none where it names none on it.
pub(super) fn point(act: &Act, size: Size) -> Option<Point> {
    let share = |key: &str| act.arguments.get(key).and_then(Value::as_f64);
    place::point(share("x")?, share("y")?, size).ok()
}

/// Does what a planner wants; the inner error is what it is told. Also tells the steps that a testcase would write for it.
pub(super) async fn act(asker: &Asker, act: &Act) -> Result<(Result<String, String>, Vec<CallRecord>), Error> {
    let mut arguments = act.arguments.clone();
    let tool = asker.cx.table.find(&act.tool);
    if let Some(Aim::Argument(place)) = tool.map(|tool| tool.aim)
        && let Some(reference) = arguments.shift_remove("ref")
    {
        arguments.insert(place.to_owned(), json!({"ref": reference}));
        if tool.is_some_and(|tool| tool.kind == ToolKind::Typing) {
            arguments.insert("clear".to_owned(), true.into());
        }
    }
    call(asker, &act.tool, arguments).await
}

/// Calls a tool for a goal; the inner error is one that a planner may do something about.
pub(super) async fn call(
    asker: &Asker,
    tool: &str,
    arguments: Object,
) -> Result<(Result<String, String>, Vec<CallRecord>), Error> {
    let (reply, records) = asker.invoke_watched(tool, arguments).await;
    match reply {
        Ok(reply) => Ok((Ok(reply.message), records)),
        // What the device or the run is at an end of is no matter of the plan.
        Err(error) if matches!(error.kind, Kind::Transport | Kind::Interrupted) => Err(asker.told(error)),
        Err(error) => Ok((Err(error.message), records)),
    }
}
