//! A call of a server whose tools are known beforehand → the same call, its arguments as the definition has them, or a refusal.

use rmcp::model::CallToolRequestParams;
use serde_json::json;

use crate::tools::{Error, Kind};
use crate::uniform::{Complaint, Definitions};

/// Tells whether a tool's definition is shipped.
pub(super) fn knows(server: &str, tool: &str) -> bool {
    Definitions::shipped().find(server, tool).is_some()
}

/// Checks a call against the definitions that are shipped; a tool that none of them is about is left as it is.
pub(super) fn checked(server: &str, request: CallToolRequestParams) -> Result<CallToolRequestParams, Error> {
    let Some(definition) = Definitions::shipped().find(server, &request.name) else { return Ok(request) };
    let mut request = request;
    let given = request.arguments.take().unwrap_or_default();
    let arguments = definition.check(given).map_err(|complaint| refused(&complaint))?;
    Ok(request.with_arguments(arguments))
}

/// Returns a complaint as the error of a call, its names for programs, too.
pub fn refused(complaint: &Complaint) -> Error {
    let error = Error::new(Kind::BadArgument, complaint.to_string());
    if complaint.valid.is_empty() && complaint.unknown.is_empty() && complaint.missing.is_empty() {
        return error;
    }
    let unknown: Vec<&str> = complaint.unknown.iter().map(|unknown| unknown.name.as_str()).collect();
    error
        .with("missing", json!(complaint.missing))
        .with("unknown", json!(unknown))
        .with("valid", json!(complaint.valid))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(server: &str, tool: &'static str, arguments: &serde_json::Value) -> Result<serde_json::Value, String> {
        let arguments = arguments.as_object().expect("a map").clone();
        let request = CallToolRequestParams::new(tool).with_arguments(arguments);
        checked(server, request).map(|request| json!(request.arguments)).map_err(|error| error.message)
    }

    #[test]
    fn only_known_tools_of_known_servers_are_checked() {
        let defaults = json!({"task": "a", "max_steps": 50, "use_vision": true});
        assert_eq!(call("browser_use", "browser_use_execute_task", &json!({"task": "a"})), Ok(defaults));
        let refused = call("browser_use", "browser_use_execute_task", &json!({"query": "a"})).expect_err("refused");
        assert!(refused.contains("missing: task; unknown: query; valid: task"), "{refused}");
        let query = json!({"query": "a"});
        assert_eq!(call("another", "browser_use_execute_task", &query), Ok(query.clone()));
        assert_eq!(call("browser_use", "browser_new_tool", &query), Ok(query));
    }
}
