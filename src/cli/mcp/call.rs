//! `uixt mcp call`: calls of servers' tools, one or those of a model's text.

use std::time::Duration;

use clap::Args;
use serde_json::Value;
use uixt_call::{Call, CallToolRequest, CallToolResult};
use uixt_locate::{Error, Kind};

use super::asking::{remote, with};
use super::definitions::DefinitionsArgs;
use super::servers::ShellArgs;
use crate::cli::exit::{Done, Exit, Failure, print};
use crate::cli::format::Format;
use crate::cli::shell::call::checked::{OWN, checked};
use crate::cli::shell::call::ending::say_left;
use crate::cli::shell::call::language::Language;
use crate::cli::shell::call::request::Request;
use crate::cli::shell::call::text;
use crate::mcp::client::{Remote, Servers};
use crate::uniform;

#[derive(Args)]
pub(super) struct CallTool {
    /// Server, as the file names it. Or a model's text with calls in it, `<notes><add>{}</add></notes>`; `-` reads it from
    /// standard input.
    server: String,
    /// Its tool.
    tool: Option<String>,
    /// The tool's arguments: a JSON object, a JSON string that holds one, or a text with this one call in it.
    arguments: Option<String>,
    #[command(flatten)]
    servers: ShellArgs,
    #[command(flatten)]
    definitions: DefinitionsArgs,
    #[command(flatten)]
    lang: Language,
    /// Longest time that a call may take, in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// `json` prints the answer as the server gave it.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("must be a number of seconds above 0 and at most 86,400".to_owned()),
    }
}

impl CallTool {
    pub(super) fn run(self) -> Done {
        let servers = self.servers.servers(&self.definitions)?;
        if text::is_one(&self.server) {
            if self.tool.is_some() {
                return Err(Failure::usage(
                    "a text with calls in it holds their tools and arguments; write nothing behind it",
                ));
            }
            let calls = text::read(&self.server, &servers)?;
            return with(&servers, async |servers| Box::pin(self.make_all(&calls, servers)).await);
        }
        let Some(tool) = &self.tool else {
            let name = &self.server;
            return Err(Failure::usage(format!(
                "name a tool: `uixt mcp call {name} TOOL`; `uixt mcp tools {name}` lists them"
            )));
        };
        let arguments = self.arguments(tool)?;
        with(&servers, async |servers| {
            let remote = remote(servers, &self.server)?;
            let request = CallToolRequest::new(tool.clone()).with_arguments(arguments);
            let request = remote.checked(request, self.timeout).await.map_err(|error| self.failure(&error, tool))?;
            self.make(request, remote).await
        })
    }

    fn arguments(&self, tool: &str) -> Result<uniform::Object, Failure> {
        let given = self.arguments.as_deref().map_or(Value::Null, Value::from);
        uniform::read_arguments(&self.server, tool, given).map_err(Failure::usage)
    }

    /// Makes the calls of a text in their order, up to the first that does not succeed; none where one is wrong.
    async fn make_all(&self, calls: &[uniform::Call], servers: &Servers) -> Done {
        let (mut good, mut wrong) = (Vec::new(), Vec::new());
        for call in calls {
            if call.server == OWN {
                let message = format!("`<{OWN}>` is this program itself; `uixt call` calls its tools");
                return Err(Failure::usage(message));
            }
            match Box::pin(checked(call, servers)).await {
                Ok(Request::Remote(server, request)) => good.push((server, request)),
                Ok(Request::Own(_)) => {}
                Err(error) => wrong.push(self.failure(&error, &call.tool)),
            }
        }
        if !wrong.is_empty() {
            let told: Vec<String> = wrong.iter().map(Failure::to_string).collect();
            let mut text = told.join("\n");
            if calls.len() > 1 {
                text.push_str(&format!("\n{} of {} calls cannot be made; none was", wrong.len(), calls.len()));
            }
            return Err(Failure::rendered(wrong[0].exit, text));
        }
        let mut left = good.len();
        for (server, request) in good {
            left -= 1;
            let done = self.make(request, remote(servers, &server)?).await;
            if !matches!(done, Ok(Exit::Passed)) {
                say_left(left);
                return done;
            }
        }
        Ok(Exit::Passed)
    }

    /// Makes a call that was checked, and prints its answer.
    async fn make(&self, request: CallToolRequest, remote: &Remote) -> Done {
        let tool = request.name.to_string();
        let result = remote.call_tool(request, self.timeout, &Call::default()).await;
        let result = result.map_err(|error| self.failure(&error, &tool))?;
        print(&self.text(&result, remote))?;
        Ok(exit(&result))
    }

    /// Tells an error in the language that is asked for.
    fn failure(&self, error: &Error, tool: &str) -> Failure {
        let object = error.object(tool);
        let told = self.lang.told(&object);
        let message = told["message"].as_str().unwrap_or(&error.message);
        Failure::rendered(error.kind.into(), format!("error: {message}"))
    }

    /// Returns an answer as it is printed: without secrets.
    fn text(&self, result: &CallToolResult, remote: &Remote) -> String {
        match self.format {
            Format::Json => {
                let mut value = serde_json::to_value(result).unwrap_or_default();
                remote.mask(&mut value);
                serde_json::to_string_pretty(&value).unwrap_or_default()
            }
            Format::Table => remote.masked(&shown(result)),
        }
    }
}

/// Returns an answer for a person: its structured content, or else its texts, and what it holds beside.
fn shown(result: &CallToolResult) -> String {
    let mut lines = Vec::new();
    if let Some(structured) = &result.structured_content {
        lines.push(serde_json::to_string_pretty(structured).unwrap_or_default());
    }
    for content in &result.content {
        match content.as_text() {
            Some(text) if result.structured_content.is_none() => lines.push(text.to_owned()),
            Some(_) => {}
            None => {
                let value = serde_json::to_value(content).unwrap_or_default();
                let field = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default();
                lines.push(format!("[{} {}]", field("type"), field("mimeType")));
            }
        }
    }
    lines.join("\n")
}

fn exit(result: &CallToolResult) -> Exit {
    if !result.is_failure() {
        return Exit::Passed;
    }
    let kind = result.structured_content.as_ref().and_then(|object| object.get("kind")).cloned();
    kind.and_then(|kind| serde_json::from_value::<Kind>(kind).ok()).map_or(Exit::Errored, Exit::from)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uixt_call::Content;

    use super::*;

    #[test]
    fn an_answer_that_is_an_error_never_ends_well() {
        let of = |structured: Option<Value>| {
            let mut result = CallToolResult::error(vec![Content::text("no")]);
            result.structured_content = structured;
            exit(&result)
        };
        assert_eq!(of(None), Exit::Errored);
        // Whatever a server writes of itself.
        let kinds = [
            "Passed",
            "passed",
            "Assertion",
            "NotFound",
            "BadArgument",
            "Interrupted",
            "Service",
            "Transport",
            "Device",
            "",
        ];
        for kind in
            kinds.map(|kind| json!({"kind": kind})).into_iter().chain([json!({"kind": 0}), json!([]), json!(null)])
        {
            assert_ne!(of(Some(kind.clone())), Exit::Passed, "{kind}");
        }
    }
}
