//! Names that are known and not in the table: what to write instead, or that their time has not come.

use super::PREFIX;
use super::arguments::snake_case;

/// Actions of `HttpRunner` and of the table's plan that this version does not have yet, with what does the like today.
const LATER: &[(&str, &str)] = &[
    ("ai_action", ""),
    ("ai_assert", ""),
    ("ai_query", ""),
    ("app_clear", ""),
    ("app_info", ""),
    ("app_install", ""),
    ("app_start", "app_launch"),
    ("app_stop", "app_terminate"),
    ("app_uninstall", ""),
    ("backspace", ""),
    ("close_popups", ""),
    ("cold_launch", "app_terminate and app_launch"),
    ("delete", ""),
    ("double_tap", ""),
    ("double_tap_xy", ""),
    ("drag", "swipe with four numbers"),
    ("finished", ""),
    ("get_pasteboard", ""),
    ("hover", ""),
    ("hover_by_selector", ""),
    ("keycode", "press_button"),
    ("long_press", "tap_element or tap_xy with a duration"),
    ("open_url", ""),
    ("push_media", ""),
    ("right_click", ""),
    ("screenrecord", ""),
    ("scroll", "swipe"),
    ("secondary_click", ""),
    ("secondary_click_by_selector", ""),
    ("set_ime", ""),
    ("sim_click_at_point", "tap_xy"),
    ("sim_input", "input"),
    ("sim_swipe_direction", "swipe"),
    ("sim_swipe_in_area", "swipe"),
    ("sim_swipe_point_to_point", "swipe"),
    ("start_to_goal", ""),
    ("swipe_to_tap_app", "app_launch"),
    ("swipe_to_tap_text", ""),
    ("swipe_to_tap_texts", ""),
    ("tap_cv", "tap_element"),
    ("tap_ocr", "tap_element, which finds the text among the screen's elements"),
    ("upload", ""),
    ("web_close_tab", ""),
    ("web_login_none_ui", ""),
];

/// Names of old files that mean nothing today, with what to write instead.
const GONE: &[(&str, &str)] = &[
    ("live_e2e", "the steps that it should take"),
    ("sleep_strict", "sleep"),
    ("video_crawler", "the steps that it should take"),
];

/// Returns the bare name of what is a tool, will be one or was one, for any spelling of it.
pub fn known(name: &str) -> Option<&'static str> {
    let other = || find(GONE, name).or_else(|| find(LATER, name)).map(|(known, _)| known);
    super::find(name).map(|tool| tool.name).or_else(other)
}

/// Returns what to say of a name that is known and not in the table.
pub(super) fn later(name: &str) -> Option<String> {
    if let Some((known, instead)) = find(GONE, name) {
        return Some(format!("`{known}` does not exist any more: write {instead} instead"));
    }
    let (known, instead) = find(LATER, name)?;
    Some(match instead {
        "" => format!("`{known}` is not supported yet"),
        _ => format!("`{known}` is not supported yet: use {instead}"),
    })
}

fn find(list: &[(&'static str, &'static str)], name: &str) -> Option<(&'static str, &'static str)> {
    let bare = snake_case(name.strip_prefix(PREFIX).unwrap_or(name));
    list.iter().find(|(known, _)| *known == bare).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_the_table_is_not_later() {
        for (name, _) in LATER.iter().chain(GONE) {
            assert!(crate::tools::find(name).is_none(), "{name} is in the table and still called later");
        }
    }
    #[test]
    fn names_are_known_by_every_spelling() {
        for spelling in ["double_tap", "uixt__double_tap", "DoubleTap", "DOUBLE_TAP"] {
            assert_eq!(known(spelling), Some("double_tap"), "{spelling}");
        }
        assert_eq!((known("uixt__tap_xy"), known("TapXY"), known("nope")), (Some("tap_xy"), Some("tap_xy"), None));
    }
}
