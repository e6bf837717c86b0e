//! Calls of other MCP servers' tools, which the session is told of ([`OtherServers`](uixt_toolkit::OtherServers)); this knows no protocol.

use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_call::{CallToolResult, Content, Exposure, Shape, ToolKind, ToolRow, Toolset};
use uixt_locate::{Error, Kind};
use uixt_toolkit::{ActionTool, Context, Picture, Reply, Tool, other_servers};
use uixt_uniform::Definitions;

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<Mcp>()];

/// Longest time that a call may be given, in seconds.
const MAX_SECONDS: f64 = 3600.0;

/// What a start of the server may add to a call, with the pauses before it.
const STARTING: Duration = Duration::from_mins(2);

/// Longest text of an answer, in bytes, that is kept twice: as it is and read as JSON.
const READ: usize = 1 << 20;

/// Call a tool of another MCP server, which the file of servers names.
#[derive(Deserialize, JsonSchema)]
struct Mcp {
    /// Server, as the file names it.
    #[schemars(length(min = 1))]
    server: String,
    /// Its tool.
    #[schemars(length(min = 1))]
    tool: String,
    /// The tool's arguments: a map, JSON text, or `<server><tool>{…}</tool></server>`.
    #[serde(default)]
    arguments: Given,
    /// Seconds; the server's own by default, 30.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
    /// Passes where the tool answers with an error, and only then.
    #[serde(default)]
    expect_error: bool,
}

/// Arguments as a model wrote them, which only whoever calls can read.
#[derive(Clone, Debug, Default, Deserialize)]
struct Given(Value);

impl JsonSchema for Given {
    fn schema_name() -> Cow<'static, str> {
        "Given".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["object", "string"]})
    }
}

impl Mcp {
    fn patience(&self) -> Option<Duration> {
        self.timeout.map(|seconds| Duration::from_secs_f64(seconds.clamp(0.0, MAX_SECONDS)))
    }

    /// Calls a tool of our own that answers for the server's.
    async fn call_own(mut self, row: &'static ToolRow, cx: &Context) -> Result<Reply, Error> {
        let wrong = |message: String| Error::bad_argument(format!("{}: {message}", self.tool));
        if row.needs_device {
            let why = "it works on a device, which this step has none of; write it as a step of its own";
            return Err(wrong(format!("{why}: `{}: …`", row.name)));
        }
        let given = std::mem::take(&mut self.arguments.0);
        let given = uixt_uniform::read_arguments(&self.server, &self.tool, given).map_err(wrong)?;
        let takes = |name: &str| row.schema().properties().any(|(known, _)| known == name);
        let arguments = match Definitions::shipped().find(&self.server, row.name) {
            Some(definition) => definition.check_beside(given, &takes),
            None => Ok(given),
        };
        let arguments = arguments.map_err(|problem| Error::bad_argument(problem.to_string()))?;
        match cx.invoker()?.invoke(row.name, arguments, cx).await {
            Ok(reply) => self.judge(Answer::of(reply.into_result(row.name))),
            Err(error) if self.expect_error && error.kind != Kind::BadArgument => {
                self.judge(Answer::of(CallToolResult::failure(&error, row.name)))
            }
            Err(error) => Err(error),
        }
    }

    /// Judges an answer: an error is one, unless it is what was expected.
    fn judge(&self, answer: Answer) -> Result<Reply, Error> {
        let called = format!("{} of {}", self.tool, self.server);
        match (answer.is_error, self.expect_error) {
            (false, false) => Ok(answer.reply(format!("Called {called}"))),
            (true, true) => Ok(answer.reply(format!("{called} answered with an error, as expected"))),
            (false, true) => {
                let message = format!("{called} should have answered with an error, and did not: {}", answer.text);
                Err(Error::new(Kind::Assertion, message).with("text", answer.text))
            }
            (true, false) => {
                let message = format!("{called} answered with an error: {}", answer.text);
                let error = Error::new(answer.kind.unwrap_or(Kind::Service), message).with("text", answer.text);
                Err(error.with("structured", answer.structured))
            }
        }
    }
}

/// An answer, read.
struct Answer {
    text: String,
    structured: Value,
    is_error: bool,
    /// What another uixt says of its error.
    kind: Option<Kind>,
    /// The kinds of what it holds: text, image, …
    kinds: Vec<Value>,
    pictures: Vec<Vec<u8>>,
}

impl Answer {
    fn of(result: CallToolResult) -> Self {
        let text = result.content.iter().filter_map(Content::as_text).collect::<Vec<_>>().join("\n");
        let is_error = result.is_failure();
        let structured = result.structured_content.unwrap_or_else(|| read(&text));
        let kind = structured.get("kind").and_then(|kind| serde_json::from_value(kind.clone()).ok());
        let kinds = result.content.iter().map(kind_of).collect();
        let pictures = result.content.iter().filter_map(Content::to_png).collect();
        Self { text, structured, is_error, kind, kinds, pictures }
    }

    /// Takes an error of the protocol for the tool's answer.
    fn refused(error: Error) -> Self {
        let structured = json!({"code": error.details.get("code")});
        Self { text: error.message, structured, is_error: true, kind: None, kinds: Vec::new(), pictures: Vec::new() }
    }

    fn reply(self, message: String) -> Reply {
        let result = if self.structured.is_null() { self.text.as_str().into() } else { self.structured.clone() };
        let mut reply = Reply::new(message).with("result", result).with("text", self.text);
        reply = reply.with("structured", self.structured).with("is_error", self.is_error).with("content", self.kinds);
        reply.pictures = self.pictures.into_iter().map(Picture::from).collect();
        reply
    }
}

/// Codes that say that the call was none, or that the server is broken (JSON-RPC 2.0 §5.1), whatever the tool would have said.
const OF_PROTOCOL: [i64; 5] = [-32700, -32600, -32601, -32602, -32603];

/// Tells whether an error is what the tool answers with, as some servers do instead of `isError`: it has a code of its own.
fn is_answer(error: &Error) -> bool {
    error.details.get("code").and_then(Value::as_i64).is_some_and(|code| !OF_PROTOCOL.contains(&code))
}

/// Reads a text as JSON where it is an object or a list; null where it is not.
fn read(text: &str) -> Value {
    let is_json = text.len() <= READ && text.trim_start().starts_with(['{', '[']);
    if is_json { serde_json::from_str(text).unwrap_or_default() } else { Value::Null }
}

fn kind_of(content: &Content) -> Value {
    let value = serde_json::to_value(content).unwrap_or_default();
    let field = |key: &str| value.get(key).cloned().unwrap_or_default();
    match value.get("mimeType") {
        Some(kind) => json!({"type": field("type"), "mime_type": kind}),
        None => json!({"type": field("type")}),
    }
}

impl Tool for Mcp {
    const NAME: &'static str = "mcp";
    const SET: Option<Toolset> = None;
    const KIND: ToolKind = ToolKind::Other;
    const VALUES: &'static [&'static str] = &["arguments"];
    const PARAMS: Shape = Shape::Fields(&["server", "tool", "arguments"]);
    const EXPOSURE: Exposure = Exposure::Testcase;
    const NEEDS_DEVICE: bool = false;
    const MAIN: Option<&'static str> = Some("result");

    fn limit(&self) -> Duration {
        self.patience().unwrap_or(Duration::from_secs_f64(MAX_SECONDS)) + STARTING
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let servers = other_servers::of(cx);
        let is_named = servers.as_ref().is_some_and(|servers| servers.names(&self.server));
        if let Some(row) = cx.table.served(&self.server, &self.tool).filter(|_| !is_named) {
            return self.call_own(row, cx).await;
        }
        let Some(servers) = servers else {
            let message = "mcp: it is a step of testcases, and no file names servers here; from the shell \
                           `uixt mcp call SERVER TOOL` calls a tool of theirs, with --mcp-config FILE";
            return Err(Error::new(Kind::BadArgument, message));
        };
        let progress = cx.progress.clone();
        let arguments = servers.check(&self.server, &self.tool, self.arguments.0.clone(), self.patience()).await?;
        let answer = match servers.call(&self.server, &self.tool, arguments, self.patience(), progress).await {
            Ok(result) => Answer::of(result),
            Err(error) if self.expect_error && is_answer(&error) => Answer::refused(error),
            Err(error) => return Err(error),
        };
        self.judge(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(is_error: bool, text: &str) -> Answer {
        let content = vec![Content::text(text)];
        Answer::of(if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) })
    }

    fn mcp(expect_error: bool) -> Mcp {
        Mcp { server: "s".to_owned(), tool: "t".to_owned(), arguments: Given::default(), timeout: None, expect_error }
    }

    #[test]
    fn an_error_never_passes_unless_it_is_expected() {
        let kind = |expects: bool, answer: Answer| mcp(expects).judge(answer).map(|_| ()).map_err(|error| error.kind);
        assert_eq!(kind(false, answer(true, "no")), Err(Kind::Service));
        assert_eq!(kind(false, answer(true, r#"{"kind": "NotFound"}"#)), Err(Kind::NotFound));
        assert_eq!(kind(true, answer(true, "no")), Ok(()));
        assert_eq!(kind(true, answer(false, "yes")), Err(Kind::Assertion));
    }

    #[test]
    fn an_error_with_a_code_of_its_own_is_an_answer() {
        let error = |code: i64| Error::new(Kind::Service, "server `s`: nope").with("code", code);
        assert!(is_answer(&error(-32000)) && is_answer(&error(7)));
        assert!(!is_answer(&error(-32602)) && !is_answer(&error(-32603)), "a call that is none");
        assert!(!is_answer(&Error::new(Kind::Transport, "it was gone")), "no answer at all");
        let reply = mcp(true).judge(Answer::refused(error(-32000))).expect("as expected");
        assert_eq!((&reply.fields["is_error"], &reply.fields["result"]["code"]), (&json!(true), &json!(-32000)));
    }

    #[test]
    fn a_text_that_is_json_is_read() {
        let fields = |text: &str| mcp(false).judge(answer(false, text)).expect("good").fields;
        assert_eq!(fields(r#"{"a": 1}"#)["result"], json!({"a": 1}));
        assert_eq!(fields("12")["result"], "12");
        assert_eq!(fields("12")["structured"], Value::Null);
        assert_eq!(fields("12")["content"], json!([{"type": "text"}]));
    }
}
