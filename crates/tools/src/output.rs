//! What the answers of tools hold, as JSON Schemas: the fields that all have, and those of each tool.
//!
//! A field of one name is of one type whatever tool answers it, so that types stand here once. An answer that does not fit is found
//! by the tests, which hold every answer of every sample to its schema.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{ActionTool, Object};

/// The fields of each tool beside those of every answer.
const FIELDS: &[(&str, &str)] = &[
    ("list_available_devices", "devices count"),
    ("select_device", "platform serial name"),
    ("snapshot browser_snapshot browser_get_ax_tree", "snapshot"),
    ("screenshot get_screen_size", "width height"),
    ("get_source", "package_name source cut"),
    (
        "tap_by_selector tap_cv browser_click_element secondary_click secondary_click_by_selector hover hover_by_selector",
        "element x y",
    ),
    ("tap_element", "element x y target usage model"),
    ("tap_ocr", "element x y text source"),
    ("get_screen_texts", "texts"),
    ("assert_ocr", "text source"),
    ("find_image", "places"),
    ("assert_image", "rect"),
    ("tap_xy tap_abs_xy double_tap_xy", "x y"),
    ("long_press", "element x y duration"),
    ("sim_click_at_point", "x y duration"),
    ("swipe swipe_direction", "direction from_x from_y to_x to_y duration"),
    ("swipe_coordinate drag", "from_x from_y to_x to_y duration"),
    ("sim_swipe_direction sim_swipe_in_area sim_swipe_point_to_point", "direction from_x from_y to_x to_y duration"),
    ("scroll browser_scroll_down browser_scroll_up", "direction amount moved end"),
    ("scroll_to swipe_to_find browser_scroll_to_text", "element swipes rect"),
    ("swipe_to_tap_app", "app_name tapped_text swipes x y"),
    ("swipe_to_tap_text", "text tapped_text swipes x y"),
    ("swipe_to_tap_texts", "texts tapped_text swipes x y"),
    ("input sim_input set_clipboard get_pasteboard", "text"),
    ("clear_text backspace clear_images assert_count clear_cookies", "count"),
    ("keycode", "keycode"),
    ("press_button", "button"),
    ("set_ime", "ime former"),
    ("get_ime", "ime installed"),
    ("app_launch app_uninstall app_clear", "package_name"),
    ("app_terminate cold_launch", "package_name was_running"),
    (
        "app_info",
        "package_name version_name version_code min_sdk target_sdk first_install_time last_update_time path is_system permissions \
         is_running",
    ),
    ("app_permissions", "package_name permissions"),
    ("open_url browser_navigate browser_search_google", "url package_name foreground status dialog type"),
    ("list_packages", "packages count"),
    ("get_foreground_app", "package_name app_name activity"),
    ("lock", "was_awake was_locked locked"),
    ("unlock", "was_awake was_locked"),
    ("get_orientation", "orientation auto"),
    ("set_orientation", "orientation former"),
    ("device_info", "platform serial name manufacturer model version width height api_level density battery powered"),
    ("logcat", "count found log truncated"),
    ("get_text", "text role id cut"),
    ("find_element", "ref text role rect confidence"),
    ("wait_for", "rect url title method status"),
    ("assert_visible assert_attribute", "element"),
    ("assert_text", "text"),
    ("assert_foreground_app", "package_name"),
    ("assert_value", "value"),
    ("close_popups", "closed count"),
    ("sleep sleep_random browser_wait browser_wait_for", "seconds"),
    ("sleep_ms", "milliseconds"),
    ("batch", "results cut"),
    ("patch_ui_state", "status instance_id version patches_applied skipped_patches"),
    ("run_action", "status instance_id version patches_applied skipped_patches navigate"),
    ("undo_patch", "status instance_id version undone patches_undone"),
    ("get_schema access_instance", "status instance_id version schema"),
    ("list_instances", "status instances count"),
    ("validate_completion", "status instance_id version intent score held count findings next_step"),
    ("wait_for_instance", "status instance_id version seconds state"),
    (
        "start_to_goal browser_use_execute_task ai_action",
        "content steps replayed healed mended stored proposed problems usage model",
    ),
    ("finished", "content"),
    ("locate", "ref name x y target usage model"),
    ("browser_extract_content", "data usage model"),
    ("ai_query", "data thought usage model"),
    ("ai_assert", "thought usage model"),
    ("forward reload web_login_none_ui", "url title dialog type"),
    ("list_tabs", "tabs count"),
    ("open_tab switch_tab browser_open_tab browser_switch_tab", "tab_index url title"),
    ("web_close_tab browser_close_tab", "tab_index count"),
    ("drag_to", "element onto from_x from_y to_x to_y"),
    ("select_option browser_select_dropdown_option", "element options values"),
    ("upload", "element files"),
    ("accept_dialog dismiss_dialog", "dialog type"),
    ("press_key browser_send_keys", "key"),
    ("get_attribute", "element value"),
    ("assert_url", "url"),
    ("assert_title", "title"),
    ("browser_click", "element x y ref confidence"),
    ("browser_type", "text ref confidence"),
    ("browser_input_text", "text count"),
    ("browser_get_dropdown_options", "element options"),
    ("browser_drag_drop", "from_x from_y to_x to_y"),
    ("browser_save_pdf", "path count"),
    ("browser_screenshot", "width height path"),
    ("browser_done", "text"),
    ("browser_get_page_info", "url title count page_id width height page_width page_height scroll_x scroll_y"),
    ("browser_get_current_url", "url"),
    ("browser_get_content", "content cut"),
];

/// The fields of each type; all others are texts.
const TYPES: &[(&str, &str)] = &[
    (
        "integer",
        "count width height swipes keycode found api_level density battery milliseconds tab_index page_id page_width page_height scroll_x scroll_y held undone replayed",
    ),
    ("number", "score x y from_x from_y to_x to_y duration amount seconds"),
    ("boolean", "moved end was_running is_system is_running was_awake was_locked locked auto powered healed"),
    ("object", "permissions truncated schema state usage"),
];

/// Returns the schema of a field.
fn field(name: &str) -> Value {
    let texts = || json!({"type": "array", "items": {"type": "string"}});
    match name {
        "rect" => {
            json!({"type": "array", "items": {"type": "integer"}, "description": "Left, top, right, bottom in pixels."})
        }
        "texts" => json!({"type": "array", "items": {"type": ["string", "object"]}}),
        "packages" | "installed" | "options" | "values" | "files" | "problems" => texts(),
        "devices" | "closed" | "results" | "tabs" | "places" | "instances" | "findings" | "patches_applied"
        | "skipped_patches" | "patches_undone" | "steps" | "mended" => {
            json!({"type": "array", "items": {"type": "object"}})
        }
        // That of an answer over HTTP, and of a call; that of a system, and of an instance.
        "status" | "version" => json!({"type": ["integer", "string"]}),
        // Whatever was compared, and answered.
        "value" | "data" => json!({}),
        "target" => json!({"type": ["object", "null"]}),
        "version_code" | "min_sdk" | "target_sdk" => json!({"type": ["integer", "null"]}),
        "confidence" => json!({"type": ["number", "null"]}),
        "ref" | "package_name" | "former" => json!({"type": ["string", "null"]}),
        _ => {
            let of = TYPES.iter().find(|(_, names)| names.split_whitespace().any(|known| known == name));
            json!({"type": of.map_or("string", |(kind, _)| kind)})
        }
    }
}

/// Returns the schema of a tool's structured answer, be it that it did what it was asked or that it failed.
pub fn schema(tool: &ActionTool) -> Arc<Object> {
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
    let own = FIELDS.iter().filter(|(tools, _)| tools.split_whitespace().any(|name| name == tool.name));
    for name in own.flat_map(|(_, fields)| fields.split_whitespace()) {
        properties.insert(name.to_owned(), field(name));
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
    use super::super::{Exposure, all, find};
    use super::*;

    #[test]
    fn every_name_is_a_tool_s_that_agents_are_offered_and_stands_once() {
        let names: Vec<&str> = FIELDS.iter().flat_map(|(tools, _)| tools.split_whitespace()).collect();
        for name in &names {
            let tool = find(name).unwrap_or_else(|| panic!("{name} is no tool"));
            assert_eq!((tool.name, tool.exposure), (*name, Exposure::Everyone));
            assert_eq!(names.iter().filter(|other| other == &name).count(), 1, "{name} stands twice");
        }
        for tool in all() {
            let schema = Value::Object(Arc::unwrap_or_clone(schema(tool)));
            uixt_schema::Validator::new(&schema, uixt_schema::Draft::V7)
                .unwrap_or_else(|error| panic!("{}: {error}", tool.name));
            let main = tool.main.filter(|_| tool.exposure == Exposure::Everyone);
            assert!(main.is_none_or(|main| schema["properties"].get(main).is_some()), "{}: its main field", tool.name);
        }
    }
}
