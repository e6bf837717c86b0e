//! The name that somebody probably meant.

/// Most names that are compared.
const MAX: usize = 2_000;

/// Returns the valid name that is nearest to the written one, if any is near enough.
pub(super) fn nearest<'a>(written: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if written.len() > 64 {
        return None;
    }
    let lower = written.to_lowercase().replace('-', "_");
    let reach = (lower.chars().count() / 3).max(1);
    valid
        .into_iter()
        .take(MAX)
        .map(|name| (strsim::damerau_levenshtein(&lower, &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= reach)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Returns what stands beside the caret: "did you mean `…`?".
pub(super) fn hint<'a>(written: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(written, valid).map(|name| format!("did you mean `{name}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_only() {
        assert_eq!(nearest("timout", ["text", "timeout"]), Some("timeout"));
        assert_eq!(nearest("tap-xy", ["tap_xy"]), Some("tap_xy"));
        assert_eq!(nearest("zz", ["text", "timeout"]), None);
    }
}
