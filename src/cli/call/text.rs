//! A model's text → the requests in it, each checked before any is made.

use std::io::Read as _;

use rmcp::model::CallToolRequestParams;
use serde_json::{Value, json};

use super::super::exit::Failure;
use crate::tools::{self, Error, Kind, arguments};
use crate::uniform::{self, Call, Definitions, Object};

/// The server that is this program itself.
const OWN: &str = "uixt";
/// The word for standard input.
const STDIN: &str = "-";

/// A request, or the answer to a call that cannot be made.
pub(super) type Checked = Result<CallToolRequestParams, Value>;

/// Tells whether a word is a text with calls in it, or says where one is, rather than the name of a tool.
pub(super) fn is_one(word: &str) -> bool {
    word == STDIN || word.contains('<')
}

/// Reads the calls of a text, or of standard input.
pub(super) fn read(word: &str) -> Result<Vec<Checked>, Failure> {
    let text = if word == STDIN { standard_input()? } else { word.to_owned() };
    let found = uniform::read_calls(&text, &is_known).map_err(Failure::usage)?;
    for note in &found.notes {
        eprintln!("note: {note}");
    }
    Ok(found.calls.iter().map(checked).collect())
}

/// Reads a little more than what is read as calls, so that a longer text is refused rather than cut.
fn standard_input() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let most = uniform::LARGEST as u64 + 1;
    let read = std::io::stdin().lock().take(most).read_to_end(&mut bytes);
    read.map_err(|error| Failure::errored(format!("cannot read standard input: {error}")))?;
    if bytes.len() > uniform::LARGEST {
        return Err(Failure::usage(format!("the text is longer than {} MiB", uniform::LARGEST >> 20)));
    }
    String::from_utf8(bytes).map_err(|_| Failure::usage("what stands on standard input is no UTF-8"))
}

fn is_known(name: &str) -> bool {
    name == OWN || tools::find(name).is_some() || Definitions::shipped().names(name)
}

fn checked(call: &Call) -> Checked {
    let done = match call.server.as_str() {
        OWN => own(call),
        _ => Err(remote(call)),
    };
    done.map_err(|error| error.object(&call.tool))
}

/// Checks a call of the own table as the call itself is checked.
fn own(call: &Call) -> Result<CallToolRequestParams, Error> {
    let tool = tools::find(&call.tool).ok_or_else(|| arguments::unknown_tool_error(&call.tool))?;
    let prepared = arguments::prepare(tool, call.arguments.clone())?;
    tool.checks(device_apart(tool, prepared))
        .map_err(|message| Error::new(Kind::BadArgument, format!("{}: {message}", tool.name)))?;
    Ok(CallToolRequestParams::new(tool.name).with_arguments(call.arguments.clone()))
}

/// Takes out what names the device of a call, which tools that work on one do not see.
fn device_apart(tool: &tools::ActionTool, mut arguments: Object) -> Object {
    if tool.needs_device {
        arguments.retain(|name, _| name != "platform" && name != "serial");
    }
    arguments
}

/// Says why a call of another server is not made: its arguments are wrong, or nobody knows where the server is.
fn remote(call: &Call) -> Error {
    match Definitions::shipped().check(call) {
        Err(complaint) => {
            let unknown: Vec<&str> = complaint.unknown.iter().map(|unknown| unknown.name.as_str()).collect();
            let error = Error::new(Kind::BadArgument, complaint.to_string());
            match complaint.valid.is_empty() && complaint.unknown.is_empty() {
                true => error,
                false => error
                    .with("missing", json!(complaint.missing))
                    .with("unknown", json!(unknown))
                    .with("valid", json!(complaint.valid)),
            }
        }
        Ok(_) => Error::new(
            Kind::BadArgument,
            format!("{}: its arguments are right, but no server `{}` is named", call.tool, call.server),
        ),
    }
}
