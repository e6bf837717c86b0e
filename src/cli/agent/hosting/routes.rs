//! `HttpRunner`'s routes: a call or an action as JSON, for a device that the path names → the same table, its answer as JSON.
//!
//! An answer is `{code, message, result}`: `code` is 0 where it was done and otherwise what `uixt call` would exit with, `result` the
//! tool's own object, `pictures` what it shows. The status is no 2xx where it was not done. Knows nothing of MCP but its requests.

use std::sync::Arc;

use axum::extract::rejection::JsonRejection;
use axum::extract::{DefaultBodyLimit, Json, Path, State};
use axum::http::StatusCode;
use axum::http::header::{ALLOW, HeaderValue};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Router, routing::MethodFilter};
use serde_json::{Map, Value, json};
use uixt_call::{Call, CallToolRequest, CallToolResult, Caller, Content, Exposure};
use uixt_locate::{Error, Kind};

use crate::action::MobileAction;
use crate::cli::exit::Exit;
use crate::mcp::client::Servers;
use crate::mcp::http::LARGEST;
use crate::tools;

/// The name of this program's own table among servers.
const OWN: &str = "uixt";
/// The keys of a call of a tool.
const CALL_KEYS: [&str; 3] = ["mcp_server", "tool_name", "args"];

/// What the routes reach: the table with other servers' tools beside it, and those servers.
#[derive(Clone)]
struct Reached {
    caller: Arc<dyn Caller>,
    others: Arc<Servers>,
}

type Shared = State<Reached>;
type Body = Result<Json<Value>, JsonRejection>;

/// The device that a path names.
type Device = Path<(String, String)>;

/// Serves a caller's tools by these routes.
pub(super) fn routes(caller: Arc<dyn Caller>, others: Arc<Servers>) -> Router {
    let hello = || async { envelope(StatusCode::OK, Exit::Passed, "success", &about()) };
    let ping = || async { envelope(StatusCode::OK, Exit::Passed, "success", &"pong".into()) };
    Router::new()
        .route("/", axum::routing::on(MethodFilter::GET.or(MethodFilter::POST), hello))
        .route("/ping", get(ping))
        .route("/api/v1/{platform}/{serial}/tool/invoke", post(invoke).fallback(not_posted))
        .route("/api/v1/{platform}/{serial}/uixt/action", post(act).fallback(not_posted))
        .route("/api/v1/{platform}/{serial}/uixt/actions", post(act_all).fallback(not_posted))
        .route("/api/{*rest}", any(|| async { wrong(StatusCode::NOT_FOUND, NO_ROUTE) }))
        .layer(DefaultBodyLimit::max(LARGEST))
        .with_state(Reached { caller, others })
}

async fn not_posted() -> Response {
    let mut response = wrong(StatusCode::METHOD_NOT_ALLOWED, "this route takes POST");
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
    response
}

const NO_ROUTE: &str =
    "there is no such route; under /api/v1/<platform>/<serial>/ stand tool/invoke, uixt/action and uixt/actions";

fn about() -> Value {
    json!({"name": "uixt", "version": env!("CARGO_PKG_VERSION"), "mcp": "/mcp", "routes": [
        "GET /ping",
        "POST /api/v1/:platform/:serial/tool/invoke",
        "POST /api/v1/:platform/:serial/uixt/action",
        "POST /api/v1/:platform/:serial/uixt/actions",
    ]})
}

/// Calls a tool: `{mcp_server, tool_name, args}`.
async fn invoke(State(Reached { caller, others }): Shared, Path(device): Device, body: Body) -> Response {
    let request = match object(body).and_then(|body| Ok(call(body)?)) {
        Ok((server, request)) => tool_of(&others, &server, request).await,
        Err(refused) => Err(refused),
    };
    match request {
        Ok(request) => answer(&perform(caller.as_ref(), &device, request).await),
        Err(refused) => refused.into_response(),
    }
}

/// Does one action: `{method, params, options}`.
async fn act(State(Reached { caller, .. }): Shared, Path(device): Device, body: Body) -> Response {
    match object(body).and_then(|body| Ok(action(body)?)) {
        Ok(action) => match tools::table().request(&action) {
            Ok(request) => answer(&perform(caller.as_ref(), &device, request).await),
            Err(error) => answer(&CallToolResult::failure(&error, &action.method)),
        },
        Err(refused) => refused.into_response(),
    }
}

/// Does a list of actions until one fails; all are checked before the first is done.
async fn act_all(State(Reached { caller, .. }): Shared, Path(device): Device, body: Body) -> Response {
    let requests = match json(body).and_then(|body| Ok(actions(body)?)).and_then(|actions| requests(&device, &actions))
    {
        Ok(requests) => requests,
        Err(refused) => return refused.into_response(),
    };
    let (count, mut results) = (requests.len(), Vec::new());
    for (number, request) in (1..).zip(requests) {
        let done = Done::of(&caller.call(request, Call::default()).await);
        let (status, exit, message) = (done.status, done.exit, done.message.clone());
        results.push(done.shown());
        if exit != Exit::Passed {
            let message = format!("action {number} of {count}: {message}");
            return envelope(status, exit, &message, &results.into());
        }
    }
    envelope(StatusCode::OK, Exit::Passed, "success", &results.into())
}

/// Turns actions into calls to the device of the path; none is made where one of them cannot be.
fn requests(device: &(String, String), actions: &[MobileAction]) -> Result<Vec<CallToolRequest>, Refused> {
    let numbered = (1..).zip(actions).map(|(number, action)| {
        checked(device, action).map_err(|error| {
            let (status, exit) = failed(Some(error.kind));
            let message = format!("action {number} of {}: {}; nothing was done", actions.len(), error.message);
            Refused { status, exit, message }
        })
    });
    numbered.collect()
}

fn checked(device: &(String, String), action: &MobileAction) -> Result<CallToolRequest, Error> {
    let request = addressed(device, tools::table().request(action)?)?;
    let tool = tools::find(&request.name).filter(|tool| tool.exposure == Exposure::Everyone);
    let tool = tool.ok_or_else(|| tools::table().unknown_tool_error(&request.name))?;
    tools::table().prepare(tool, request.arguments.clone().unwrap_or_default())?;
    Ok(request)
}

async fn perform(caller: &dyn Caller, device: &(String, String), request: CallToolRequest) -> CallToolResult {
    let name = request.name.clone();
    match addressed(device, request) {
        Ok(request) => caller.call(request, Call::default()).await,
        Err(error) => CallToolResult::failure(&error, &name),
    }
}

/// Directs a call to the device of the path, where it is for a device at all.
fn addressed((platform, serial): &(String, String), mut request: CallToolRequest) -> Result<CallToolRequest, Error> {
    if tools::find(&request.name).is_some_and(|tool| tool.needs_device) {
        let arguments = request.arguments.get_or_insert_default();
        for (key, value) in [("platform", platform), ("serial", serial)] {
            let named = arguments.insert(key.to_owned(), value.as_str().into());
            if let Some(other) = named.filter(|named| named != value.as_str()) {
                let message = format!("the path names the {key} {value}, the arguments {other}");
                return Err(Error::new(Kind::BadArgument, message));
            }
        }
    }
    Ok(request)
}

/// Why a request comes to no call.
struct Refused {
    status: StatusCode,
    exit: Exit,
    message: String,
}

impl From<String> for Refused {
    fn from(message: String) -> Self {
        Self { status: StatusCode::BAD_REQUEST, exit: Exit::Usage, message }
    }
}

impl Refused {
    fn into_response(self) -> Response {
        envelope(self.status, self.exit, &self.message, &Value::Null)
    }
}

fn json(body: Body) -> Result<Value, Refused> {
    let refused = |rejection: JsonRejection| Refused {
        status: rejection.status(),
        exit: Exit::Usage,
        message: rejection.body_text(),
    };
    body.map(|Json(value)| value).map_err(refused)
}

fn object(body: Body) -> Result<Map<String, Value>, Refused> {
    match json(body)? {
        Value::Object(object) => Ok(object),
        _ => Err("the body must be a JSON object".to_owned().into()),
    }
}

/// Reads a call of a tool, and whose it is.
fn call(mut body: Map<String, Value>) -> Result<(String, CallToolRequest), String> {
    if let Some(unknown) = body.keys().find(|key| !CALL_KEYS.contains(&key.as_str())) {
        return Err(format!("unknown key `{unknown}`; valid: {}", CALL_KEYS.join(", ")));
    }
    let server = match body.remove("mcp_server") {
        None | Some(Value::Null) => OWN.to_owned(),
        Some(Value::String(name)) => name,
        Some(_) => return Err("`mcp_server` is a server's name".to_owned()),
    };
    let Some(Value::String(tool)) = body.remove("tool_name") else {
        return Err("`tool_name` names the tool to call".to_owned());
    };
    let arguments = match body.remove("args") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(arguments)) => arguments,
        Some(_) => return Err("`args` is an object of the tool's arguments".to_owned()),
    };
    Ok((server, CallToolRequest::new(tool).with_arguments(arguments)))
}

/// Returns the request for a server's tool: another's is listed as `server__tool`; that of a server which nobody names may be one of ours.
async fn tool_of(others: &Servers, server: &str, request: CallToolRequest) -> Result<CallToolRequest, Refused> {
    let is_named = uixt_call::Servers::names(others, server);
    if server == OWN || (!is_named && tools::table().served(server, &request.name).is_some()) {
        return Ok(request);
    }
    let found = others.listed_as(server, &request.name).await.map_err(|error| {
        let (status, exit) = failed(Some(error.kind));
        Refused { status, exit, message: error.message }
    })?;
    Ok(CallToolRequest::new(found).with_arguments(request.arguments.unwrap_or_default()))
}

/// Reads `{method, params, options}`; what else stands there is an option, too.
fn action(mut body: Map<String, Value>) -> Result<MobileAction, String> {
    let Some(Value::String(method)) = body.remove("method") else {
        return Err("an action has a `method`, which names the tool".to_owned());
    };
    let params = body.remove("params").unwrap_or_default();
    let mut options = match body.remove("options") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(options)) => options,
        Some(_) => return Err("`options` is an object".to_owned()),
    };
    options.extend(body);
    Ok(MobileAction { method, params, options, ..MobileAction::default() })
}

fn actions(body: Value) -> Result<Vec<MobileAction>, String> {
    let Value::Array(items) = body else { return Err("the body must be a list of actions".to_owned()) };
    if items.is_empty() {
        return Err("the list of actions is empty, so there is nothing to do".to_owned());
    }
    let numbered = items.into_iter().enumerate().map(|(place, item)| match item {
        Value::Object(item) => action(item).map_err(|message| format!("action {}: {message}", place + 1)),
        _ => Err(format!("action {} is not an object", place + 1)),
    });
    numbered.collect()
}

/// What came of a call.
struct Done {
    status: StatusCode,
    exit: Exit,
    message: String,
    result: Value,
    pictures: Vec<Value>,
}

impl Done {
    fn of(result: &CallToolResult) -> Self {
        let object = result.structured_content.clone().unwrap_or_else(|| texts(result));
        let kind = serde_json::from_value(object["kind"].clone()).ok();
        let is_done = !result.is_failure() && object["success"] != Value::Bool(false);
        let (mut status, exit) = if is_done { (StatusCode::OK, Exit::Passed) } else { failed(kind) };
        if let Some(told) = object["details"]["code"].as_str().and_then(of_instance).filter(|_| !is_done) {
            status = told;
        }
        let message = object["message"].as_str().unwrap_or(if is_done { "success" } else { "failed" }).to_owned();
        let pictures = result.content.iter().filter_map(picture).collect();
        Self { status, exit, message, result: object, pictures }
    }

    /// Returns it as an item of a list.
    fn shown(self) -> Value {
        let mut result = self.result;
        if let (false, Some(object)) = (self.pictures.is_empty(), result.as_object_mut()) {
            object.insert("pictures".to_owned(), self.pictures.into());
        }
        result
    }
}

/// Returns what another server said in words only.
fn texts(result: &CallToolResult) -> Value {
    let texts: Vec<_> = result.content.iter().filter_map(Content::as_text).collect();
    json!({"text": texts})
}

fn picture(item: &Content) -> Option<Value> {
    match item {
        Content::Image { data, mime_type, .. } => Some(json!({"mime_type": mime_type, "data": data})),
        _ => None,
    }
}

/// Returns the status of what was not done, and what `uixt call` would exit with.
fn failed(kind: Option<Kind>) -> (StatusCode, Exit) {
    match kind {
        Some(Kind::BadArgument) => (StatusCode::BAD_REQUEST, Exit::Usage),
        Some(Kind::Unsupported) => (StatusCode::NOT_IMPLEMENTED, Exit::Errored),
        Some(kind) if kind.is_failure() => (StatusCode::UNPROCESSABLE_ENTITY, Exit::Failed),
        _ => (StatusCode::BAD_GATEWAY, Exit::Errored),
    }
}

/// Returns the status that goes with the code of a UI instance's failure; the kind says the others.
fn of_instance(code: &str) -> Option<StatusCode> {
    match code {
        "INVALID_INSTANCE" | "PATH_NOT_FOUND" => Some(StatusCode::NOT_FOUND),
        "SCHEMA_MUTATION" => Some(StatusCode::FORBIDDEN),
        "DUPLICATE_ID" | "INSTANCE_EXISTS" => Some(StatusCode::CONFLICT),
        _ => None,
    }
}

fn answer(result: &CallToolResult) -> Response {
    let done = Done::of(result);
    let (status, exit, message) = (done.status, done.exit, done.message.clone());
    envelope(status, exit, &message, &done.shown())
}

fn wrong(status: StatusCode, message: &str) -> Response {
    envelope(status, Exit::Usage, message, &Value::Null)
}

fn envelope(status: StatusCode, exit: Exit, message: &str, result: &Value) -> Response {
    (status, Json(json!({"code": exit as u8, "message": message, "result": result}))).into_response()
}
