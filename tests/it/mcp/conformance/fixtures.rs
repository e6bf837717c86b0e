//! Tools, resources and prompts that a client can be tried with, as the conformance suite of the protocol wants them: a file of data,
//! and the few things that a tool in it can do. One provider among others; it knows no device.

#![expect(deprecated, reason = "logging and sampling belong to protocol versions that clients speak")]

use std::collections::HashMap;
use std::future::ready;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompletionInfo, ContentBlock,
    CreateMessageRequestParams, ElicitRequestParams, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    ProgressNotificationParam, Prompt, ReadResourceResponse, ReadResourceResult, Reference, Resource, ResourceTemplate,
    Tool,
};
use rmcp::service::ServiceError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use uixt::mcp::http::HangUp;
use uixt::mcp::server::{Answer, Asked, Connection, Gravity, Provider};
use uixt_call::Boxed;

/// How long the client may take to answer a question.
const ASKING: Duration = Duration::from_mins(1);

static SUITE: LazyLock<Suite> =
    LazyLock::new(|| serde_json::from_str(include_str!("suite.json")).expect("the file is good"));

#[derive(Deserialize)]
struct Suite {
    tools: Vec<FixedTool>,
    resources: Vec<FixedResource>,
    templates: Vec<FixedTemplate>,
    prompts: Vec<FixedPrompt>,
}

/// A tool, what it does before it answers, and its answer, in which `{{name}}` is an argument or the client's `reply`.
#[derive(Deserialize)]
struct FixedTool {
    tool: Tool,
    #[serde(default)]
    acts: Vec<Act>,
    result: Value,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Act {
    WaitMs(u64),
    Log(String),
    /// How far it is, and of how much.
    Progress(f64, f64),
    /// Ends the stream of the answer; the client asks for the rest.
    HangUp,
    /// Asks the client's model.
    Sample(Value),
    /// Asks the person at the client.
    Elicit(Value),
}

#[derive(Deserialize)]
struct FixedResource {
    resource: Resource,
    contents: Value,
}

#[derive(Deserialize)]
struct FixedTemplate {
    template: ResourceTemplate,
    contents: Value,
}

#[derive(Deserialize)]
struct FixedPrompt {
    prompt: Prompt,
    messages: Value,
    /// What may be proposed for an argument.
    #[serde(default)]
    completions: HashMap<String, Vec<String>>,
}

/// What stands for `{{name}}`.
type Names = HashMap<String, String>;

/// The fixtures for one client.
pub(super) struct Fixtures {
    connection: Arc<Connection>,
}

impl Fixtures {
    /// Offers them to the client that is reached by `connection`.
    pub(super) fn new(connection: Arc<Connection>) -> Self {
        Self { connection }
    }

    async fn call_fixed(
        &self,
        tool: &FixedTool,
        mut names: Names,
        asked: &Asked,
    ) -> Result<CallToolResponse, ErrorData> {
        for act in &tool.acts {
            match self.act(act, &names, asked).await {
                Ok(reply) => names.extend(reply.map(|reply| ("reply".to_owned(), reply))),
                Err(error) => return Ok(CallToolResult::error(vec![ContentBlock::text(error.to_string())]).into()),
            }
        }
        filled::<CallToolResult>(&tool.result, &names).map(Into::into)
    }

    /// Does one thing; returns what the client replied, where it was asked.
    async fn act(&self, act: &Act, names: &Names, asked: &Asked) -> Result<Option<String>, ServiceError> {
        match act {
            Act::WaitMs(milliseconds) => tokio::time::sleep(Duration::from_millis(*milliseconds)).await,
            Act::Log(text) => self.connection.log(Gravity::Info, text.as_str().into()).await,
            Act::Progress(done, total) => {
                if let Some(token) = asked.meta.get_progress_token() {
                    let progress = ProgressNotificationParam::new(token, *done).with_total(*total);
                    asked.peer.notify_progress(progress).await?;
                }
            }
            Act::HangUp => asked.extensions.get::<HangUp>().into_iter().for_each(HangUp::now),
            Act::Sample(question) => {
                let question: CreateMessageRequestParams = filled(question, names).map_err(ServiceError::McpError)?;
                let reply = timely(asked.peer.create_message(question)).await?;
                return Ok(Some(text_of(&json!(reply.message.content))));
            }
            Act::Elicit(question) => {
                let question: ElicitRequestParams = filled(question, names).map_err(ServiceError::McpError)?;
                let reply = timely(asked.peer.create_elicitation(question)).await?;
                let (action, content) = (json!(reply.action), reply.content.unwrap_or_default());
                let action = action.as_str().unwrap_or_default();
                return Ok(Some(format!("action={action}, content={content}")));
            }
        }
        Ok(None)
    }
}

/// Waits for the client, but not for ever.
async fn timely<T>(reply: impl Future<Output = Result<T, ServiceError>>) -> Result<T, ServiceError> {
    tokio::time::timeout(ASKING, reply).await.unwrap_or(Err(ServiceError::Timeout { timeout: ASKING }))
}

/// Returns the text of content, be it one block or several.
fn text_of(content: &Value) -> String {
    match content {
        Value::Array(blocks) => blocks.iter().map(text_of).collect(),
        block => block["text"].as_str().unwrap_or_default().to_owned(),
    }
}

/// Puts values in for names, and reads what comes of it.
fn filled<T: DeserializeOwned>(value: &Value, names: &Names) -> Result<T, ErrorData> {
    serde_json::from_value(fill(value, names)).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn fill(value: &Value, names: &Names) -> Value {
    match value {
        Value::String(text) => {
            let put = |text: String, (name, value): (&String, &String)| text.replace(&format!("{{{{{name}}}}}"), value);
            names.iter().fold(text.clone(), put).into()
        }
        Value::Array(items) => items.iter().map(|item| fill(item, names)).collect(),
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), fill(value, names))).collect(),
        other => other.clone(),
    }
}

fn names(arguments: Option<&Map<String, Value>>) -> Names {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    arguments.into_iter().flatten().map(|(name, value)| (name.clone(), text(value))).collect()
}

/// Reads a URI by a template with one `{name}`.
fn matched(template: &str, uri: &str) -> Option<(String, String)> {
    let (before, rest) = template.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    let value = uri.strip_prefix(before)?.strip_suffix(after)?;
    (!value.is_empty() && !value.contains('/')).then(|| (name.to_owned(), value.to_owned()))
}

/// Returns the contents of a resource with its URI and kind.
fn contents(
    uri: &str,
    kind: Option<&String>,
    contents: &Value,
    names: &Names,
) -> Result<ReadResourceResponse, ErrorData> {
    let mut contents = contents.clone();
    contents["uri"] = uri.into();
    contents["mimeType"] = kind.map(String::as_str).into();
    filled::<ReadResourceResult>(&json!({"contents": [contents]}), names).map(Into::into)
}

impl Provider for Fixtures {
    fn tools(&self, _: &Asked) -> Boxed<'_, Vec<Tool>> {
        Box::pin(ready(SUITE.tools.iter().map(|fixed| fixed.tool.clone()).collect()))
    }

    fn call<'a>(&'a self, request: &'a CallToolRequestParams, asked: &'a Asked) -> Answer<'a, CallToolResponse> {
        let fixed = SUITE.tools.iter().find(|fixed| fixed.tool.name == request.name)?;
        Some(Box::pin(self.call_fixed(fixed, names(request.arguments.as_ref()), asked)))
    }

    fn resources(&self, _: &Asked) -> Boxed<'_, Vec<Resource>> {
        Box::pin(ready(SUITE.resources.iter().map(|fixed| fixed.resource.clone()).collect()))
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        SUITE.templates.iter().map(|fixed| fixed.template.clone()).collect()
    }

    fn read<'a>(&'a self, uri: &'a str, _: &'a Asked) -> Answer<'a, ReadResourceResponse> {
        let fixed = SUITE.resources.iter().find(|fixed| fixed.resource.uri == uri);
        let answer = if let Some(fixed) = fixed {
            contents(uri, fixed.resource.mime_type.as_ref(), &fixed.contents, &Names::new())
        } else {
            let found = |fixed: &'static FixedTemplate| Some((fixed, matched(&fixed.template.uri_template, uri)?));
            let (fixed, name) = SUITE.templates.iter().find_map(found)?;
            contents(uri, fixed.template.mime_type.as_ref(), &fixed.contents, &Names::from([name]))
        };
        Some(Box::pin(ready(answer)))
    }

    fn knows(&self, uri: &str) -> bool {
        SUITE.resources.iter().any(|fixed| fixed.resource.uri == uri)
    }

    fn prompts(&self) -> Vec<Prompt> {
        SUITE.prompts.iter().map(|fixed| fixed.prompt.clone()).collect()
    }

    fn prompt<'a>(&'a self, request: &'a GetPromptRequestParams, _: &'a Asked) -> Answer<'a, GetPromptResponse> {
        let fixed = SUITE.prompts.iter().find(|fixed| fixed.prompt.name == request.name)?;
        let names = names(request.arguments.as_ref());
        let answer = filled::<GetPromptResult>(&json!({"messages": fixed.messages}), &names);
        Some(Box::pin(ready(answer.map(Into::into))))
    }

    fn complete<'a>(&'a self, request: &'a CompleteRequestParams, _: &'a Asked) -> Answer<'a, CompletionInfo> {
        let Reference::Prompt(prompt) = &request.r#ref else { return None };
        let fixed = SUITE.prompts.iter().find(|fixed| fixed.prompt.name == prompt.name)?;
        let known = fixed.completions.get(&request.argument.name).into_iter().flatten();
        let values = known.filter(|value| value.starts_with(&request.argument.value)).cloned().collect();
        let answer = CompletionInfo::with_all_values(values).map_err(|error| ErrorData::internal_error(error, None));
        Some(Box::pin(ready(answer)))
    }
}

#[test]
fn the_file_is_read_and_names_are_filled() {
    assert_eq!(SUITE.tools.len(), 14);
    let names = Names::from([("id".to_owned(), "7".to_owned())]);
    assert_eq!(fill(&json!({"a": ["{{id}}-{{other}}", 1]}), &names), json!({"a": ["7-{{other}}", 1]}));
    assert_eq!(matched("test://{id}/data", "test://7/data"), Some(("id".to_owned(), "7".to_owned())));
    for uri in ["test:///data", "test://7/8/data", "test://7"] {
        assert_eq!(matched("test://{id}/data", uri), None, "{uri}");
    }
}

#[test]
fn questions_are_what_the_protocol_has() {
    for act in SUITE.tools.iter().flat_map(|fixed| &fixed.acts) {
        match act {
            Act::Elicit(question) => {
                let read: ElicitRequestParams = filled(question, &Names::new()).unwrap();
                assert_eq!(json!(read)["requestedSchema"]["properties"], question["requestedSchema"]["properties"]);
            }
            Act::Sample(question) => drop(filled::<CreateMessageRequestParams>(question, &Names::new()).unwrap()),
            _ => {}
        }
    }
}
