//! A tool's answer → the same answer, or what of it is not as the tool's own `outputSchema` says.
//!
//! The protocol demands of servers that a tool with an `outputSchema` answers with structured content that is as the schema says, unless
//! the answer is an error. What is not cannot be relied on: it must not pass.

use std::collections::HashMap;

use serde_json::Value;
use uixt_call::{CallToolResult, ToolDefinition};

use crate::uniform::Schema;

/// What the tools of a server say that they answer with.
#[derive(Debug, Default)]
pub(super) struct Outputs(HashMap<String, Option<Schema>>);

impl Outputs {
    pub(super) fn of(tools: &[ToolDefinition]) -> Self {
        let schema = |tool: &ToolDefinition| Some(Value::Object((**tool.output_schema.as_ref()?).clone()));
        Self(tools.iter().filter_map(|tool| Some((tool.name.to_string(), Schema::of(&schema(tool)?)))).collect())
    }

    /// Checks an answer; the error says what is wrong.
    pub(super) fn check(&self, tool: &str, answer: &CallToolResult) -> Result<(), String> {
        let Some(schema) = self.0.get(tool).filter(|_| !answer.is_failure()) else { return Ok(()) };
        let Some(structured) = &answer.structured_content else {
            let message = "has no `structuredContent`, which a tool with an `outputSchema` must answer with";
            return Err(format!("the answer of its tool `{tool}` {message}"));
        };
        let errors = schema.as_ref().map(|schema| schema.errors(structured)).unwrap_or_default();
        match errors.as_slice() {
            [] => Ok(()),
            errors => Err(format!(
                "the answer of its tool `{tool}` breaks the tool's own `outputSchema`: {}",
                errors.join("; ")
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use uixt_call::Content;

    use super::*;

    #[test]
    fn an_answer_is_held_to_what_its_tool_says() {
        let mut tool = ToolDefinition::new("count", "", Arc::default());
        let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
        tool.output_schema = Some(Arc::new(schema.as_object().expect("a map").clone()));
        let outputs = Outputs::of(&[tool, ToolDefinition::new("free", "", Arc::default())]);
        let check = |tool: &str, answer: CallToolResult| outputs.check(tool, &answer).err().unwrap_or_default();
        assert_eq!(check("count", CallToolResult::structured(json!({"n": 1, "m": 2}))), "");
        assert!(check("count", CallToolResult::structured(json!({"n": "x"}))).contains("`n` must be a whole number"));
        let text = || vec![Content::text("1")];
        assert!(check("count", CallToolResult::success(text())).contains("no `structuredContent`"));
        assert_eq!(check("count", CallToolResult::error(text())), "");
        assert_eq!(check("free", CallToolResult::success(text())), "");
    }
}
