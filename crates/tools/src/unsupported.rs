//! Names that are known and not in the table: what to write instead, or that their time has not come.

use super::PREFIX;
use super::arguments::snake_case;

/// Actions of `HttpRunner` and of the table's plan that this version does not have yet, with what does the like today.
const LATER: &[(&str, &str)] = &[];

/// Names of old files that mean nothing today, with what to write instead.
const GONE: &[(&str, &str)] = &[
    ("live_e2e", "the steps that it should take: `screenshot` and `sleep` under `repeat`, for example,"),
    ("sleep_strict", "sleep"),
    ("video_crawler", "the steps that it should take: `swipe` and `sleep_random` under `repeat`, for example,"),
];

/// Returns the bare name of what is a tool, will be one or was one, for any spelling of it.
pub fn known(name: &str) -> Option<&'static str> {
    let other = || [GONE, LATER].iter().find_map(|list| find(list, name)).map(|(known, _)| known);
    super::find(name).map(|tool| tool.name).or_else(other)
}

/// Returns what to say of a name that is known and not in the table.
pub(super) fn later(name: &str) -> Option<String> {
    if let Some((known, instead)) = find(GONE, name) {
        return Some(format!("`{known}` does not exist any more: write {instead} instead"));
    }
    let (known, instead) = find(LATER, name)?;
    Some(format!("`{known}` is not supported yet: use {instead}"))
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
            assert!(crate::find(name).is_none(), "{name} is in the table and still called later");
        }
    }
    #[test]
    fn names_are_known_by_every_spelling() {
        for spelling in ["ai_action", "uixt__ai_action", "AiAction", "AI_ACTION"] {
            assert_eq!(known(spelling), Some("ai_action"), "{spelling}");
        }
        assert_eq!((known("uixt__tap_xy"), known("TapXY"), known("nope")), (Some("tap_xy"), Some("tap_xy"), None));
    }
}
