//! A call of a server whose tools are known beforehand → the same call, its arguments as the definition has them, or a refusal.

use serde_json::json;
use uixt_call::CallToolRequest;
use uixt_locate::{Error, Kind};

use crate::uniform::{Definition, Problem};

/// Checks a call against its tool's definition.
pub(super) fn checked(definition: &Definition, request: CallToolRequest) -> Result<CallToolRequest, Error> {
    let mut request = request;
    let given = request.arguments.take().unwrap_or_default();
    let arguments = definition.check(given).map_err(|complaint| refused(&complaint))?;
    Ok(request.with_arguments(arguments))
}

/// Returns a complaint as the error of a call, its names for programs, too.
pub fn refused(complaint: &Problem) -> Error {
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
    use crate::uniform::Definitions;

    #[test]
    fn a_call_has_the_defaults_of_its_definition_or_is_refused() {
        let definition =
            Definitions::shipped().find("browser_use", "browser_use_execute_task").expect("a shipped definition");
        let call = |arguments: serde_json::Value| {
            let arguments = arguments.as_object().expect("a map").clone();
            let request = CallToolRequest::new("browser_use_execute_task").with_arguments(arguments);
            checked(definition, request).map(|request| json!(request.arguments)).map_err(|error| error.message)
        };
        assert_eq!(call(json!({"task": "a"})), Ok(json!({"task": "a", "max_steps": 50, "use_vision": true})));
        let refused = call(json!({"query": "a"})).expect_err("refused");
        assert!(refused.contains("missing: task; unknown: query; valid: task"), "{refused}");
    }
}
