//! A failed call's error → the same with the codes and details that programs expect of these tools.

use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use uixt_call::ToolRow;
use uixt_locate::{Error, Kind, Object};

use super::converter::LOOKUP;

/// This run of the program, as errors name it.
static RUN: LazyLock<String> = LazyLock::new(|| {
    let began = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    format!("run-{began:x}-{}", std::process::id())
});

/// Returns what a tool takes, as an error tells it.
fn expected(tool: &str) -> Option<Value> {
    Some(match tool {
        "browser_click" => json!({"ref": "string"}),
        "browser_type" => json!({"ref": "string", "text": "string"}),
        "browser_wait_for" => json!({"timeout": "number"}),
        "browser_snapshot" => json!({"selector": "string", "condition": "string", "text": "string"}),
        _ => return None,
    })
}

/// Gives the error of a tool of this set its code. What does not hold has none: nothing went wrong with the call.
pub fn coded(tool: &ToolRow, mut error: Error, given: &Object) -> Error {
    let Some(expected) = expected(tool.name) else { return error };
    let code = match error.kind {
        Kind::NotFound => "ELEMENT_NOT_FOUND",
        Kind::BadArgument => "PARAMETER_FORMAT_ERROR",
        Kind::Assertion | Kind::Interrupted => return error.with("runId", RUN.as_str()),
        _ => "MCP_CALL_FAILED",
    };
    if let Some(cause) = error.details.shift_remove("code") {
        error = error.with("cause", cause);
    }
    let named = ["selector", "ref"].iter().find_map(|name| given.get(*name)).and_then(Value::as_str);
    let mut error = error.with("code", code).with("runId", RUN.as_str());
    if let Some(named) = named {
        error = error.with("selector", named);
    }
    if error.kind == Kind::BadArgument {
        error = error.with("expectedFormat", expected).with("actualFormat", shape(given));
    }
    if error.details.contains_key(LOOKUP) { error } else { error.with(LOOKUP, json!({"tries": []})) }
}

/// Tells the types of what was given, not what it was: there may be secrets in it.
fn shape(given: &Object) -> Value {
    let kind = |value: &Value| match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    given.iter().take(10).map(|(name, value)| (name.clone(), json!(kind(value)))).collect::<Object>().into()
}

#[cfg(test)]
mod tests {
    use uixt_call::Table;

    use super::*;
    use crate::by_ref;
    use crate::elements::element;

    #[test]
    fn a_failure_has_the_code_of_its_kind() {
        let given = json!({"selector": "登录", "value": "secret", "timeout": [1]}).as_object().cloned().unwrap();
        let table = Table::new(by_ref::TOOLS.iter().chain(element::TOOLS).map(|row| &**row));
        let of = |kind, tool| coded(table.find(tool).unwrap(), Error::new(kind, "m").with("code", "AMBIGUOUS"), &given);
        let missing = of(Kind::NotFound, "browser_type");
        assert_eq!(missing.details["code"], "ELEMENT_NOT_FOUND");
        assert_eq!((&missing.details["cause"], &missing.details["selector"]), (&json!("AMBIGUOUS"), &json!("登录")));
        assert!(missing.details["runId"].as_str().is_some_and(|run| run.starts_with("run-")));
        let wrong = of(Kind::BadArgument, "browser_type");
        assert_eq!(wrong.details["code"], "PARAMETER_FORMAT_ERROR");
        assert_eq!(wrong.details["expectedFormat"], json!({"ref": "string", "text": "string"}));
        assert_eq!(wrong.details["actualFormat"], json!({"selector": "string", "value": "string", "timeout": "array"}));
        assert_eq!(of(Kind::Transport, "browser_click").details["code"], "MCP_CALL_FAILED");
        assert_eq!(of(Kind::NotFound, "tap_element").details["code"], "AMBIGUOUS");
        let unmet = coded(table.find("browser_snapshot").unwrap(), Error::new(Kind::Assertion, "m"), &given);
        assert!(!unmet.details.contains_key("code"));
    }
}
