//! The name that somebody probably meant.

pub(super) use uixt_schema::nearest;

/// Returns what stands beside the caret: "did you mean `…`?".
pub(super) fn hint<'a>(written: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(written, valid).map(|name| format!("did you mean `{name}`?"))
}
