//! A call as a model wrote it → a request whose arguments are right, and the answer of another server as this program would print its own.

use serde_json::{Value, json};
use uixt_call::{CallToolRequest, CallToolResult, Content, Exposure, ToolRow};
use uixt_locate::{Error, Kind};

use super::request::Request;
use crate::cli::project_tools;
use crate::mcp::client::{Servers, refused};
use crate::runner::refused_arguments;
use crate::tools;
use crate::uniform::{Call, Definition, Definitions, Object};

/// The server that is this program itself.
pub(in crate::cli) const OWN: &str = "uixt";

pub(in crate::cli) async fn checked(call: &Call, servers: &Servers) -> Result<Request, Error> {
    match call.server.as_str() {
        OWN => own(call),
        _ => remote(call, servers).await,
    }
}

/// Checks a call of the own table as the call itself is checked: a text may have come from anywhere, and calls what agents may.
fn own(call: &Call) -> Result<Request, Error> {
    if let Some(request) = of_project(call)? {
        return Ok(request);
    }
    let tool = tools::find(&call.tool).filter(|tool| tool.exposure == Exposure::Everyone);
    let tool = tool.ok_or_else(|| tools::table().unknown_tool_error(&call.tool))?;
    let prepared = tools::table().prepare(tool, call.arguments.clone())?;
    let checked = tool.checks(device_apart(tool, prepared), tools::table());
    checked.map_err(|message| Error::new(Kind::BadArgument, format!("{}: {message}", tool.name)))?;
    Ok(Request::Own(CallToolRequest::new(tool.name).with_arguments(call.arguments.clone())))
}

/// Checks a call of a tool that the project made and offers agents; none where it is of another tool.
fn of_project(call: &Call) -> Result<Option<Request>, Error> {
    let found = project_tools::find(&call.tool).map_err(|failure| Error::bad_argument(failure.to_string()))?;
    let Some(tool) = found.filter(|tool| tool.for_agents) else { return Ok(None) };
    let wrong = tool.check(&Value::Object(call.arguments.clone()), &|_| false);
    if !wrong.is_empty() {
        return Err(refused_arguments(&tool, &wrong));
    }
    Ok(Some(Request::Own(CallToolRequest::new(tool.name.clone()).with_arguments(call.arguments.clone()))))
}

/// Takes out what names the device of a call, which tools that work on one do not see.
fn device_apart(tool: &ToolRow, mut arguments: Object) -> Object {
    if tool.needs_device {
        arguments.retain(|name, _| name != "platform" && name != "serial");
    }
    arguments
}

/// Checks a call of a server that no file names and whose tools this program has itself, as that server's definition says.
fn served(call: &Call, row: &'static ToolRow, defined: &Definitions) -> Result<Request, Error> {
    let takes = |name: &str| row.schema().properties().any(|(known, _)| known == name);
    let arguments = match defined.find(&call.server, &call.tool) {
        Some(definition) => definition.check_beside(call.arguments.clone(), &takes).map_err(|wrong| refused(&wrong))?,
        None => call.arguments.clone(),
    };
    own(&Call { arguments, ..call.clone() })
}

/// Checks a call of another server: against the definitions that there are, or else by what the server says of its tool.
async fn remote(call: &Call, servers: &Servers) -> Result<Request, Error> {
    let defined = servers.definitions();
    let is_defined = defined.of(&call.server).next().is_some();
    let is_named = servers.config().names().contains(&call.server.as_str());
    if let Some(row) = tools::table().served(&call.server, &call.tool).filter(|_| !is_named) {
        return served(call, row, defined);
    }
    let definition = defined.find(&call.server, &call.tool);
    let arguments = match definition {
        Some(definition) => definition.check(call.arguments.clone()),
        None if is_named => listed(call, servers).await?.check(call),
        None if is_defined => defined.check(call),
        None => return Err(unknown_server(call, servers)),
    };
    let arguments = arguments.map_err(|complaint| refused(&complaint))?;
    if let Some(server) = definition.and_then(|_| servers.get(&call.server).ok()) {
        server.learn(None).await;
    }
    if is_defined && !is_named {
        let message = format!("{}: its arguments are right, but no file names the server `{}`", call.tool, call.server);
        return Err(Error::new(Kind::BadArgument, format!("{message}; give one with --mcp-config FILE")));
    }
    let request = CallToolRequest::new(call.tool.clone()).with_arguments(arguments);
    Ok(Request::Remote(call.server.clone(), request))
}

/// Says that nobody names the server, and which are named.
fn unknown_server(call: &Call, servers: &Servers) -> Error {
    let why = match servers.config().check(&call.server) {
        Err(why) => why,
        Ok(()) => format!("there is no server `{}`", call.server),
    };
    let names = servers.config().names();
    let near = names.iter().find(|name| name.eq_ignore_ascii_case(&call.server));
    let why = near.map_or(why.clone(), |near| {
        format!("there is no server `{}` (did you mean `{near}`?); valid: {}", call.server, names.join(", "))
    });
    let own = tools::find(&call.tool).map(|tool| format!("; this program's own `{0}` is <{OWN}><{0}>", tool.name));
    Error::new(Kind::BadArgument, format!("{}: {why}{}", call.tool, own.unwrap_or_default()))
}

/// Asks a server for its tools.
async fn listed(call: &Call, servers: &Servers) -> Result<Definitions, Error> {
    let server = servers.get(&call.server).map_err(|message| Error::new(Kind::BadArgument, message))?;
    let mut definitions = Definitions::default();
    for tool in server.tools().await? {
        let schema = Value::Object((*tool.input_schema).clone());
        definitions = definitions.with_tool(&call.server, Definition::from_schema(&tool.name, &schema));
    }
    Ok(definitions)
}

/// Makes a call of another server; returns what is printed of its answer.
pub(super) async fn answer(server: &str, request: CallToolRequest, servers: &Servers) -> Value {
    let tool = request.name.to_string();
    let remote = servers.get(server).map_err(|message| Error::new(Kind::BadArgument, message));
    let answered = match remote {
        Ok(remote) => {
            let answered = remote.call_tool(request, None, &uixt_call::Call::default()).await;
            answered.map(|result| {
                let mut shown = object(server, &tool, result);
                remote.mask(&mut shown);
                shown
            })
        }
        Err(error) => Err(error),
    };
    answered.unwrap_or_else(|error| error.object(&tool))
}

/// Writes an answer in the form of the own ones, unless it has that form.
fn object(server: &str, tool: &str, result: CallToolResult) -> Value {
    let is_error = result.is_failure();
    if let Some(object) =
        result.structured_content.as_ref().filter(|object| object["success"] == Value::Bool(!is_error))
    {
        return object.clone();
    }
    let texts: Vec<&str> = result.content.iter().filter_map(Content::as_text).collect();
    let mut object = json!({"action": tool, "success": !is_error, "message": texts.join("\n"), "server": server});
    if is_error {
        object["kind"] = Kind::Service.name().into();
    }
    if let Some(structured) = result.structured_content {
        object["result"] = structured;
    }
    let others: Vec<Value> = result.content.iter().filter(|content| content.as_text().is_none()).map(kind_of).collect();
    if !others.is_empty() {
        object["contents"] = others.into();
    }
    object
}

/// Names what is no text: a picture is too long to print.
fn kind_of(content: &Content) -> Value {
    let value = serde_json::to_value(content).unwrap_or_default();
    json!({"type": value["type"], "mimeType": value["mimeType"]})
}
