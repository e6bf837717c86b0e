//! What prompts are filled with: the tools, what the session did, what failed, what stands on the screen.

use std::sync::{Arc, OnceLock};

use rmcp::ErrorData;
use serde_json::{Value, json};
use uixt_call::{Call, CallToolRequest, Caller, PREFIX, Table, ToolDefinition, ToolKind, ToolRow};

use crate::server::files::Folder;
use crate::server::provider::Asked;
use crate::server::session_log::{Entry, SessionLog};
use crate::server::table::said;

/// Most steps of the session that are told.
const MOST_STEPS: usize = 60;
/// Calls that are told before the one that failed.
const BEFORE: usize = 8;
/// Tokens of the screen in a prompt.
const SCREEN: u32 = 1_200;

/// Where the pieces come from.
#[derive(Clone)]
pub(in crate::server) struct Pieces {
    pub table: &'static Table,
    pub caller: Arc<dyn Caller>,
    pub session_log: Arc<SessionLog>,
    pub folder: Arc<OnceLock<Arc<Folder>>>,
}

impl Pieces {
    /// Names the tools that are listed, each with what it does.
    pub(super) async fn tools(&self) -> String {
        let line = |tool: ToolDefinition| {
            let name = tool.name.strip_prefix(PREFIX).unwrap_or(&tool.name).to_owned();
            format!("- {name}: {}", tool.description.unwrap_or_default())
        };
        self.caller.list().await.into_iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// Tells the calls that succeeded as the steps that they would be.
    pub(super) fn session(&self) -> String {
        let calls = self.session_log.calls();
        let steps: Vec<&Entry> = calls.iter().filter(|call| call.kind.is_none() && self.is_step(&call.tool)).collect();
        if steps.is_empty() {
            return String::new();
        }
        let refs = self.session_log.refs();
        let lines = steps.iter().skip(steps.len().saturating_sub(MOST_STEPS)).map(|call| step(call, &refs));
        let lines = lines.collect::<Vec<_>>().join("\n");
        format!(
            "\nWhat this session did with success, as steps (replace each ref by what it stands for):\n\n```yaml\n{lines}\n```\n"
        )
    }

    /// Tells of a call that failed, the last by default, and of those before it.
    pub(super) fn failure(&self, number: Option<&str>) -> Result<String, ErrorData> {
        let calls = self.session_log.calls();
        let failed = || calls.iter().filter(|call| call.kind.is_some());
        let at = match number {
            None => calls.iter().rposition(|call| call.kind.is_some()),
            Some(number) => calls.iter().position(|call| call.number.to_string() == number.trim()),
        };
        let Some(at) = at else {
            let numbers: Vec<String> = failed().map(|call| call.number.to_string()).collect();
            let known = if numbers.is_empty() {
                "no call failed in this session".to_owned()
            } else {
                format!("calls that failed: {}", numbers.join(", "))
            };
            let asked = number.map(|number| format!("there is no call {number}; ")).unwrap_or_default();
            let message = format!("{asked}{known}; or give `error` and `file`");
            return Err(ErrorData::invalid_params(message, None));
        };
        let before: Vec<String> = calls[at.saturating_sub(BEFORE)..at].iter().map(brief).collect();
        let before = if before.is_empty() { "nothing".to_owned() } else { format!("\n{}", before.join("\n")) };
        let call = serde_json::to_string_pretty(&calls[at].json()).unwrap_or_default();
        Ok(format!("\nThe call:\n\n```json\n{call}\n```\n\nBefore it: {before}\n"))
    }

    /// Tells what stands on the session's screen; empty where that cannot be seen.
    pub(super) async fn screen(&self, asked: &Asked) -> String {
        let arguments = json!({"max_tokens": SCREEN}).as_object().cloned().unwrap_or_default();
        let request = CallToolRequest::new("snapshot").with_arguments(arguments);
        let result = self.caller.call(request, Call::until(asked.ct.clone())).await;
        match result.is_failure() {
            true => format!("\nThe screen cannot be seen now: {}\n", said(&result, "message")),
            false => format!(
                "\nThe screen now:\n\n```\n{}\n```\n",
                self.session_log.masked(&said(&result, "snapshot")).replace("```", "ʼʼʼ")
            ),
        }
    }

    /// Tells why a case of a report failed.
    pub(super) fn reported(&self, report: &str, case: Option<&str>) -> Result<String, String> {
        let folder = self.folder.get().ok_or("no files are offered; begin the server with --allow-dir DIR")?;
        folder.failure(report, case)
    }

    pub(super) fn file(&self, path: &str) -> Result<String, String> {
        let folder = self.folder.get().ok_or("no files are offered; begin the server with --allow-dir DIR")?;
        folder.text(path)
    }

    /// Tells whether a call belongs into a testcase: looks do not.
    fn is_step(&self, tool: &str) -> bool {
        let is_step = |row: &ToolRow| match row.kind {
            ToolKind::Assert | ToolKind::Wait => true,
            _ => row.needs_device && !row.read_only,
        };
        tool == "get_text" || self.table.find(tool).is_some_and(is_step)
    }
}

fn step(call: &Entry, refs: &[(String, String)]) -> String {
    let arguments = call.arguments();
    let meant = arguments.get("ref").and_then(Value::as_str);
    let meant = meant.and_then(|name| refs.iter().find(|(known, _)| known == name));
    let comment = meant.map(|(name, line)| format!(" # {name}: {line}")).unwrap_or_default();
    // In a testcase a `$` begins an expression.
    let arguments = Value::Object(arguments.clone()).to_string().replace('$', "$$");
    format!("- {}: {arguments}{comment}", call.tool)
}

fn brief(call: &Entry) -> String {
    let outcome = call.kind.as_deref().map_or("passed".to_owned(), |kind| format!("failed ({kind})"));
    format!("- {} {} {}: {outcome}", call.number, call.tool, Value::Object(call.arguments().clone()))
}
