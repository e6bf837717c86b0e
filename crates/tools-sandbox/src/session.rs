//! The sessions of the sandbox: which there are, and how they end.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_locate::Error;
use uixt_sandbox::{Described, IDLE};
use uixt_toolkit::{Context, Reply, Tool};

use super::{sandbox, told};

/// List the sessions of the sandbox.
#[derive(Deserialize, JsonSchema)]
pub(super) struct ListSessions {}

impl Tool for ListSessions {
    const NAME: &'static str = "microsandbox_list_sessions";
    const SET: Option<Toolset> = Some(Toolset::Microsandbox);
    const KIND: ToolKind = ToolKind::Read;
    const ANSWER: &'static [&'static str] = &["sessions", "total_count"];
    const MAIN: Option<&'static str> = Some("sessions");
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let sessions: Vec<Value> = sandbox(cx).0.list().iter().map(described).collect();
        let count = sessions.len();
        Ok(Reply::new(counted(count, "session is open", "sessions are open"))
            .with("sessions", sessions)
            .with("total_count", count))
    }
}

fn described(session: &Described) -> Value {
    json!({
        "session_id": session.name,
        "created_at": session.created.to_rfc3339(),
        "last_accessed": session.accessed.to_rfc3339(),
        "execution_count": session.calls,
        "type": "python",
        "is_running": session.is_running,
    })
}

/// Close a session of the sandbox; its variables, files and packages are gone.
#[derive(Deserialize, JsonSchema)]
pub(super) struct CloseSession {
    /// Session to close.
    #[schemars(length(min = 1))]
    session_id: String,
}

impl Tool for CloseSession {
    const NAME: &'static str = "microsandbox_close_session";
    const SET: Option<Toolset> = Some(Toolset::Microsandbox);
    const KIND: ToolKind = ToolKind::Other;
    const PARAMS: Shape = Shape::Fields(&["session_id"]);
    const ANSWER: &'static [&'static str] = &["session_id"];
    const NEEDS_DEVICE: bool = false;

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        sandbox(cx).0.close(&self.session_id).map_err(|error| told::refused(&error))?;
        Ok(Reply::new(format!("Closed the session {}", self.session_id)).with("session_id", self.session_id))
    }
}

/// Close the sessions of the sandbox that nobody has used for long.
#[derive(Deserialize, JsonSchema)]
pub(super) struct CleanupExpired {
    /// Seconds without a call; 3600 by default.
    #[serde(default)]
    #[schemars(range(min = 0))]
    max_age: Option<u64>,
}

impl Tool for CleanupExpired {
    const NAME: &'static str = "microsandbox_cleanup_expired";
    const SET: Option<Toolset> = Some(Toolset::Microsandbox);
    const KIND: ToolKind = ToolKind::Other;
    const PARAMS: Shape = Shape::Fields(&["max_age"]);
    const ANSWER: &'static [&'static str] = &["cleaned_sessions", "count"];
    const MAIN: Option<&'static str> = Some("cleaned_sessions");
    const NEEDS_DEVICE: bool = false;

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let cleaned = sandbox(cx).0.cleanup(Duration::from_secs(self.max_age.unwrap_or(IDLE)));
        let (message, count) = (counted(cleaned.len(), "session was closed", "sessions were closed"), cleaned.len());
        Ok(Reply::new(message).with("cleaned_sessions", cleaned).with("count", count))
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
