//! A code in Python that a caller gives → what it printed and gave.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Bound, Shape, ToolKind, Toolset};
use uixt_locate::{Error, Object};
use uixt_sandbox::{Code, MOST_SECONDS, TIMEOUT};
use uixt_toolkit::{Context, Reply, Tool};

use super::{USUAL, sandbox, told};

/// How much longer a call may take than its code: Python starts, and another call of the session may come first.
const AROUND: Duration = Duration::from_secs(60 + MOST_SECONDS);

/// Run Python code in a sandbox without network or files of the host; variables last from call to call.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Execute {
    /// Python code; the value of a last expression is the result.
    #[schemars(length(min = 1))]
    code: String,
    /// Session whose variables and files it sees, `default` if left out; made if new.
    #[serde(default)]
    #[schemars(length(min = 1, max = 64))]
    session_id: Option<String>,
    /// Seconds, then Python is ended; 30 by default.
    #[serde(default)]
    #[schemars(range(min = 1, max = 300))]
    timeout: Option<u64>,
    /// Files to put in first, by name: text or {"base64": …}; 1 MiB each.
    #[serde(default)]
    files: Object,
    /// Names of files to give back; 1 MiB each.
    #[serde(default)]
    outputs: Vec<String>,
}

impl Execute {
    fn seconds(&self) -> u64 {
        self.timeout.unwrap_or(TIMEOUT)
    }
}

impl Tool for Execute {
    const NAME: &'static str = "microsandbox_execute";
    const SET: Option<Toolset> = Some(Toolset::Microsandbox);
    const KIND: ToolKind = ToolKind::Other;
    const PARAMS: Shape = Shape::Fields(&["code"]);
    const ANSWER: &'static [&'static str] = &[
        "result",
        "stdout",
        "stderr",
        "return_code",
        "execution_time",
        "session_id",
        "timeout_used",
        "walls",
        "truncated",
        "outputs",
        "notes",
        "cut",
    ];
    const VALUES: &'static [&'static str] = &["files"];
    const MAIN: Option<&'static str> = Some("result");
    const BOUND: Option<Bound> = Some(Bound::Printed);
    const NEEDS_DEVICE: bool = false;
    // It reaches nothing but its own folder.
    const DESTRUCTIVE: bool = false;

    fn limit(&self) -> Duration {
        Duration::from_secs(self.seconds()) + AROUND
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let (seconds, name) = (self.seconds(), self.session_id.unwrap_or_else(|| USUAL.to_owned()));
        let limit = Duration::from_secs(seconds);
        let code = Code { text: self.code, limit, files: self.files, outputs: self.outputs };
        let sandbox = sandbox(cx);
        let done = Box::pin(sandbox.0.execute(&name, &code)).await;
        told::execution(done, &name, seconds)
    }
}
