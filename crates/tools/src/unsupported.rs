//! Names that are known and not in the table: what to write instead.

use super::PREFIX;
use super::arguments::snake_case;

/// Names of old files that mean nothing today, with what to write instead.
const GONE: &[(&str, &str)] = &[
    ("live_e2e", "the steps that it should take: `screenshot` and `sleep` under `repeat`, for example,"),
    ("sleep_strict", "sleep"),
    ("video_crawler", "the steps that it should take: `swipe` and `sleep_random` under `repeat`, for example,"),
];

/// Returns the bare name of what is a tool, will be one or was one, for any spelling of it.
pub fn known(name: &str) -> Option<&'static str> {
    super::find(name).map(|tool| tool.name).or_else(|| find(name).map(|(known, _)| known))
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
    fn names_are_known_by_every_spelling() {
        for spelling in ["ai_action", "uixt__ai_action", "AiAction", "AI_ACTION"] {
            assert_eq!(known(spelling), Some("ai_action"), "{spelling}");
        }
        assert_eq!((known("uixt__tap_xy"), known("TapXY"), known("nope")), (Some("tap_xy"), Some("tap_xy"), None));
    }
}
