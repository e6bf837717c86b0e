//! What the answers of tools hold, as JSON Schemas: the fields that all have, and the type of every other.
//!
//! A field of one name is of one type whatever tool answers it, so that types stand here once. An answer that does not fit is found
//! by the tests, which hold every answer of every sample to its schema.

use std::sync::Arc;

use serde_json::{Value, json};
use uixt_call::{DIFF, ToolRow};
use uixt_locate::Object;

/// The fields of each type.
const TYPES: &[(&str, &str)] = &[
    (
        "integer",
        "count width height swipes keycode found api_level density battery milliseconds tab_index page_id page_width page_height scroll_x scroll_y held undone replayed return_code timeout_used total_count active_sessions searched skipped_more tool_count query_count research_loops dropped",
    ),
    ("number", "score latitude longitude x y from_x from_y to_x to_y duration amount seconds execution_time"),
    (
        "boolean",
        "has_sufficient_tools moved end was_running is_system is_running was_awake was_locked locked auto powered healed",
    ),
    (
        "object",
        "permissions truncated schema state usage outputs install_details performance_stats server_info metrics",
    ),
    (
        "string",
        "activity app_name appearance button content cut dialog diff direction element first_install_time foreground id ime instance_id \
         intent key last_update_time log manufacturer method model name navigate next_step onto orientation overall_assessment path platform \
         proposed recommended_action answer timestamp role serial session_id snapshot source stderr stdout stored tapped_text text thought title type url version_name",
    ),
];

/// Returns the schema of a field; none of one whose type is not known.
fn field(name: &str) -> Option<Value> {
    let texts = || json!({"type": "array", "items": {"type": "string"}});
    Some(match name {
        "rect" => {
            json!({"type": "array", "items": {"type": "integer"}, "description": "Left, top, right, bottom in pixels."})
        }
        "texts" => json!({"type": "array", "items": {"type": ["string", "object"]}}),
        "packages" | "installed" | "options" | "values" | "files" | "problems" | "walls" | "notes" | "issues"
        | "recommendations" | "cleaned_sessions" | "matches" | "installed_tools" | "search_queries" => texts(),
        "devices"
        | "closed"
        | "results"
        | "tabs"
        | "places"
        | "instances"
        | "findings"
        | "patches_applied"
        | "skipped_patches"
        | "patches_undone"
        | "sessions"
        | "definitions"
        | "skipped"
        | "proposals"
        | "recommended_mcp_tools"
        | "statements"
        | "sources"
        | "search_results"
        | "steps"
        | "mended" => {
            json!({"type": "array", "items": {"type": "object"}})
        }
        // That of an answer over HTTP, and of a call; that of a system, and of an instance.
        "status" | "version" => json!({"type": ["integer", "string"]}),
        // Whatever was compared, answered and computed.
        "value" | "data" | "result" => json!({}),
        "target" => json!({"type": ["object", "null"]}),
        "version_code" | "min_sdk" | "target_sdk" => json!({"type": ["integer", "null"]}),
        "confidence" => json!({"type": ["number", "null"]}),
        "ref" | "package_name" | "former" => json!({"type": ["string", "null"]}),
        _ => {
            let (of, _) = TYPES.iter().find(|(_, names)| names.split_whitespace().any(|known| known == name))?;
            json!({"type": of})
        }
    })
}

/// Returns the schema of a tool's structured answer, be it that it did what it was asked or that it failed.
pub fn schema(tool: &ToolRow) -> Arc<Object> {
    let mut properties = Object::new();
    for (name, schema) in [
        ("action", json!({"type": "string"})),
        ("success", json!({"type": "boolean"})),
        ("message", json!({"type": "string"})),
        ("kind", json!({"type": "string", "description": "What sort of failure."})),
        ("details", json!({"type": "object"})),
        ("warnings", json!({"type": "array", "items": {"type": "string"}})),
        ("ignored", json!({"type": "boolean"})),
    ] {
        properties.insert(name.to_owned(), schema);
    }
    let changed = [DIFF].into_iter().filter(|_| tool.takes_then());
    for name in tool.answer.iter().copied().chain(changed) {
        properties.insert(name.to_owned(), field(name).unwrap_or_else(|| json!({})));
    }
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": ["action", "success", "message"],
        "additionalProperties": false,
    });
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::groups::all;
    use uixt_call::Exposure;

    #[test]
    fn every_field_is_of_a_known_type_and_the_main_one_is_among_them() {
        for tool in all() {
            for name in tool.answer {
                assert!(field(name).is_some(), "{}: put its field {name} into TYPES in output.rs", tool.name);
            }
            let schema = Value::Object(Arc::unwrap_or_clone(schema(tool)));
            uixt_schema::Validator::new(&schema, uixt_schema::Draft::V7)
                .unwrap_or_else(|error| panic!("{}: {error}", tool.name));
            let main = tool.main.filter(|_| tool.exposure == Exposure::Everyone);
            assert!(main.is_none_or(|main| schema["properties"].get(main).is_some()), "{}: its main field", tool.name);
        }
        for (place, (_, names)) in TYPES.iter().enumerate() {
            let others = || TYPES.iter().enumerate().filter(|(other, _)| *other != place);
            let is_elsewhere =
                |name: &str| others().any(|(_, (_, names))| names.split_whitespace().any(|other| other == name));
            assert!(names.split_whitespace().all(|name| !is_elsewhere(name)), "{names}");
        }
    }
}
