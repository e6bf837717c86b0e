//! Names that are known and not in the table, of old files and of other tools of the field: what to write instead.

use super::arguments::snake_case;
use super::{PREFIX, Table};

/// Names of old files that mean nothing today, with what to write instead.
const GONE: &[(&str, &str)] = &[
    ("live_e2e", "the steps that it should take: `screenshot` and `sleep` under `repeat`, for example,"),
    ("sleep_strict", "sleep"),
    ("video_crawler", "the steps that it should take: `swipe` and `sleep_random` under `repeat`, for example,"),
];

/// Words of Maestro, Playwright, Appium, Selenium, `WebdriverIO`, Robot Framework and their servers for agents, in `snake_case`, with what
/// does the same here.
const FOREIGN: &[(&str, &str)] = &[
    ("accept_alert", "`accept_dialog`"),
    ("activate_app", "`app_launch`"),
    ("add_media", "`push_media`"),
    ("aria_snapshot", "`snapshot`"),
    ("assert", "`assert_value`"),
    ("assert_element_visible", "`assert_visible`"),
    ("assert_equal", "`assert_value`"),
    ("assert_equals", "`assert_value`"),
    ("assert_false", "`assert_value`"),
    ("assert_that", "`assert_value`"),
    ("assert_true", "`assert_value`"),
    ("assert_with_ai", "`ai_assert`"),
    ("attach_file", "`upload`"),
    ("attribute_value", "`get_attribute`"),
    ("browser_open", "`open_url`"),
    ("capture_screenshot", "`screenshot`"),
    ("check", "`tap` on the checkbox, and `assert_state: {checked: true}`"),
    ("check_checkbox", "`tap` on the checkbox, and `assert_state: {checked: true}`"),
    ("choose_file", "`upload`"),
    ("choose_option", "`select_option`"),
    ("clear_app", "`app_clear`"),
    ("clear_app_data", "`app_clear`"),
    ("clear_field", "`clear_text`"),
    ("clear_input", "`clear_text`"),
    ("clear_state", "`app_clear`"),
    ("clear_value", "`clear_text`"),
    ("click", "`tap`"),
    ("click_element", "`tap`"),
    ("click_on", "`tap`"),
    ("close_app", "`app_terminate`"),
    ("console_messages", "`logcat`"),
    ("copy_text_from", "`get_text`"),
    ("dblclick", "`double_tap_xy`"),
    ("deep_link", "`open_url`"),
    ("delay", "`sleep`"),
    ("dismiss_alert", "`dismiss_dialog`"),
    ("dont_see", "`assert_not_visible`"),
    ("double_click", "`double_tap_xy`"),
    ("double_tap_on", "`double_tap_xy`"),
    ("drag_and_drop_to", "`drag_to`"),
    ("drag_to_element", "`drag_to`"),
    ("driver_find_element", "a target: `tap: {role: button, text: Save}` or `{selector: CSS}`"),
    ("dump_hierarchy", "`snapshot`"),
    ("element_click", "`tap`"),
    ("element_count_should_be", "`assert_count`"),
    ("element_send_keys", "`input`"),
    ("element_should_be_visible", "`assert_visible`"),
    ("element_should_not_be_visible", "`assert_not_visible`"),
    ("enter_text", "`input`"),
    ("erase_text", "`clear_text`"),
    ("eval_script", "`evaluate`"),
    ("execute_js", "`evaluate`"),
    ("execute_script", "`evaluate`"),
    ("expect", "`assert_visible`"),
    ("explicit_wait", "`wait_for`"),
    ("extended_wait_until", "`wait_for`"),
    ("extract_text", "`get_text`"),
    ("fill", "`input`"),
    ("fill_in", "`input`"),
    ("find_and_click", "`tap`"),
    ("find_elements", "`assert_count`, or `get_text` with a target"),
    ("force_stop", "`app_terminate`"),
    ("get_by_role", "`tap`"),
    ("get_by_text", "`tap`"),
    ("get_element_text", "`get_text`"),
    ("get_logs", "`logcat`"),
    ("get_page_source", "`snapshot`"),
    ("get_screenshot", "`screenshot`"),
    ("go_back", "`back`"),
    ("go_to", "`open_url`"),
    ("goto", "`open_url`"),
    ("handle_alert", "`accept_dialog`"),
    ("hide_keyboard", "`back`, or `press_key: Escape` on a page"),
    ("hierarchy", "`snapshot`"),
    ("implicitly_wait", "`wait_for`"),
    ("inner_text", "`get_text`"),
    ("input_text", "`input`"),
    ("is_checked", "`assert_state`"),
    ("is_displayed", "`assert_visible`"),
    ("is_enabled", "`assert_state`"),
    ("is_hidden", "`assert_not_visible`"),
    ("is_selected", "`assert_state`"),
    ("is_visible", "`assert_visible`"),
    ("key_event", "`press_key`"),
    ("key_press", "`press_key`"),
    ("keyboard_press", "`press_key`"),
    ("kill_app", "`app_terminate`"),
    ("launch_app", "`app_launch`"),
    ("load_url", "`open_url`"),
    ("locator_click", "`tap`"),
    ("long_click", "`long_press`"),
    ("long_press_on", "`long_press`"),
    ("mobile_click", "`tap`"),
    ("mobile_click_on_screen", "`tap`"),
    ("mobile_launch_app", "`app_launch`"),
    ("mobile_list_elements_on_screen", "`snapshot`"),
    ("mobile_long_click_gesture", "`long_press`"),
    ("mobile_take_screenshot", "`screenshot`"),
    ("mobile_terminate_app", "`app_terminate`"),
    ("mobile_type_keys", "`input`"),
    ("mouse_over", "`hover`"),
    ("move_to_element", "`hover`"),
    ("navigate", "`open_url`"),
    ("navigate_back", "`back`"),
    ("navigate_to", "`open_url`"),
    ("on_view", "`tap`"),
    ("open_deep_link", "`open_url`"),
    ("open_link", "`open_url`"),
    ("page_click", "`tap`"),
    ("page_evaluate", "`evaluate`"),
    ("page_fill", "`input`"),
    ("page_goto", "`open_url`"),
    ("page_locator", "a target: `tap: {role: button, text: Save}` or `{selector: CSS}`"),
    ("page_snapshot", "`snapshot`"),
    ("page_source", "`snapshot`"),
    ("paste_text", "`set_clipboard`"),
    ("pause", "`sleep`"),
    ("perform_click", "`tap`"),
    ("press", "`press_key`"),
    ("press_back", "`back`"),
    ("press_element", "`tap`"),
    ("press_sequence", "`press_key`"),
    ("press_sequentially", "`input`"),
    ("record_screen", "`screenrecord`"),
    ("refresh_page", "`reload`"),
    ("reload_page", "`reload`"),
    ("remove_app", "`app_uninstall`"),
    ("replace_text", "`input`"),
    ("reset_app", "`app_clear`"),
    ("rotate_screen", "`set_orientation`"),
    ("run_flow", "a step with `testcase: FILE`"),
    ("run_javascript", "`evaluate`"),
    ("run_script", "`evaluate`"),
    ("run_test", "a step with `testcase: FILE`"),
    ("save_screenshot", "`screenshot`"),
    ("scroll_into_view", "`scroll_to`"),
    ("scroll_into_view_if_needed", "`scroll_to`"),
    ("scroll_to_element", "`scroll_to`"),
    ("scroll_until_visible", "`scroll_to`"),
    ("see", "`assert_visible`"),
    ("select_by_visible_text", "`select_option`"),
    ("select_from_list", "`select_option`"),
    ("send_key", "`press_key`"),
    ("send_keys", "`input`"),
    ("set_clipboard_text", "`set_clipboard`"),
    ("set_input_files", "`upload`"),
    ("set_screen_orientation", "`set_orientation`"),
    ("set_text", "`input`"),
    ("set_value", "`input`"),
    ("should_contain", "`assert_text`"),
    ("should_not_see", "`assert_not_visible`"),
    ("should_see", "`assert_visible`"),
    ("start_app", "`app_launch`"),
    ("start_recording", "`screenrecord`"),
    ("start_screen_recording", "`screenrecord`"),
    ("stop_app", "`app_terminate`"),
    ("swipe_until_visible", "`scroll_to`"),
    ("switch_to_alert", "`accept_dialog`"),
    ("switch_to_window", "`switch_tab`"),
    ("switch_window", "`switch_tab`"),
    ("take_screenshot", "`screenshot`"),
    ("tap_and_hold", "`long_press`"),
    ("tap_by_text", "`tap`"),
    ("tap_on", "`tap`"),
    ("tap_on_element", "`tap`"),
    ("terminate_app", "`app_terminate`"),
    ("text_content", "`get_text`"),
    ("text_should_be", "`assert_text`"),
    ("title_should_be", "`assert_title`"),
    ("to_be_checked", "`assert_state`"),
    ("to_be_disabled", "`assert_state`"),
    ("to_be_enabled", "`assert_state`"),
    ("to_be_hidden", "`assert_not_visible`"),
    ("to_be_visible", "`assert_visible`"),
    ("to_contain_text", "`assert_text`"),
    ("to_have_attribute", "`assert_attribute`"),
    ("to_have_count", "`assert_count`"),
    ("to_have_text", "`assert_text`"),
    ("to_have_title", "`assert_title`"),
    ("to_have_url", "`assert_url`"),
    ("touch", "`tap`"),
    ("type", "`input`"),
    ("type_text", "`input`"),
    ("uncheck", "`tap` on the checkbox, and `assert_state: {checked: false}`"),
    ("upload_file", "`upload`"),
    ("visit", "`open_url`"),
    ("wait", "`sleep`"),
    ("wait_for_animation_to_end", "`wait_for`"),
    ("wait_for_download", "`wait_for`"),
    ("wait_for_element", "`wait_for`"),
    ("wait_for_idle", "`wait_for`"),
    ("wait_for_load_state", "`wait_for`"),
    ("wait_for_request", "`wait_for`"),
    ("wait_for_response", "`wait_for`"),
    ("wait_for_selector", "`wait_for`"),
    ("wait_for_timeout", "`sleep`"),
    ("wait_for_url", "`assert_url`"),
    ("wait_until", "`wait_for`"),
    ("wait_until_element_is_visible", "`wait_for`"),
    ("wait_until_visible", "`assert_visible`"),
    ("write_text", "`input`"),
];

/// Returns what does here what a word of another tool does there.
pub(super) fn foreign(name: &str) -> Option<&'static str> {
    let words = name.strip_prefix(PREFIX).unwrap_or(name).split(|sign: char| !sign.is_alphanumeric());
    let words: Vec<String> = words.filter(|word| !word.is_empty()).map(snake_case).collect();
    let bare = words.join("_");
    let bare = bare.as_str();
    // `page.click` and `driver.tap_on` are said of what does it.
    let tails = [bare].into_iter().chain(bare.split_once('_').map(|(_, tail)| tail));
    tails
        .filter(|tail| *tail == bare || OWNERS.iter().any(|owner| bare.starts_with(owner)))
        .find_map(|word| FOREIGN.iter().find(|(known, _)| *known == word))
        .map(|(_, instead)| *instead)
}

/// What words of other tools stand behind.
const OWNERS: [&str; 6] = ["page_", "driver_", "locator_", "element_", "browser_", "mobile_"];

/// Returns the bare name of what is a tool, will be one or was one, for any spelling of it.
pub fn known(table: &Table, name: &str) -> Option<&'static str> {
    table.find(name).map(|tool| tool.name).or_else(|| find(name).map(|(known, _)| known))
}

/// Returns what to say of a name that is known and not in the table.
pub(super) fn gone(name: &str) -> Option<String> {
    let (known, instead) = find(name)?;
    Some(format!("`{known}` does not exist any more: write {instead} instead"))
}

fn find(name: &str) -> Option<(&'static str, &'static str)> {
    let bare = snake_case(name.strip_prefix(PREFIX).unwrap_or(name));
    GONE.iter().find(|(known, _)| *known == bare).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_the_table_is_not_gone() {
        for (name, _) in GONE {
            assert!(crate::find(name).is_none(), "{name} is in the table and still called gone");
        }
    }

    #[test]
    fn words_of_others_lead_to_tools_of_the_table() {
        for (word, instead) in FOREIGN {
            assert!(crate::find(word).is_none(), "{word} is in the table and still called foreign");
            let named = instead.split('`').skip(1).step_by(2).map(|code| code.split(':').next().unwrap_or(code));
            let wrong: Vec<&str> = named.filter(|name| !name.starts_with('{') && crate::find(name).is_none()).collect();
            assert!(wrong.is_empty() || wrong == ["testcase"], "{word}: {wrong:?}");
        }
        for spelling in ["tapOn", "tap_on", "uixt__tapOn", "page.click", "mobile: click", "driver.click", "page_click"]
        {
            assert_eq!(foreign(spelling), Some("`tap`"), "{spelling}");
        }
        assert_eq!((foreign("x_click_y"), foreign("")), (None, None));
    }

    #[test]
    fn names_are_known_by_every_spelling() {
        for spelling in ["ai_action", "uixt__ai_action", "AiAction", "AI_ACTION"] {
            assert_eq!(known(crate::table(), spelling), Some("ai_action"), "{spelling}");
        }
        assert_eq!(
            (known(crate::table(), "uixt__tap_xy"), known(crate::table(), "TapXY"), known(crate::table(), "nope")),
            (Some("tap_xy"), Some("tap_xy"), None)
        );
    }
}
