//! A name that is not valid → the valid one that was probably meant.

/// Longest name, in bytes, that somebody may have meant: what is compared is the square of it.
const MAX_LEN: usize = 64;
/// Most names that are compared.
const MAX: usize = 2_000;

/// Returns the valid name that is nearest to the written one, if any is near enough; case, `_` and `-` count for nothing.
pub(super) fn nearest<'a>(written: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if written.len() > MAX_LEN {
        return None;
    }
    let bare = |name: &str| name.to_lowercase().replace(['_', '-', ' '], "");
    let wanted = bare(written);
    let candidates = valid.into_iter().take(MAX).filter(|name| name.len() <= MAX_LEN);
    candidates
        .map(|name| (strsim::damerau_levenshtein(&wanted, &bare(name)), name))
        .filter(|(distance, name)| *distance <= 1 + name.chars().count() / 4)
        .filter(|(distance, name)| *distance < name.chars().count().max(wanted.chars().count()))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_only() {
        assert_eq!(nearest("sessionId", ["code", "session_id"]), Some("session_id"));
        assert_eq!(nearest("timout", ["text", "timeout"]), Some("timeout"));
        assert_eq!(nearest("query", ["task", "max_steps", "use_vision"]), None);
        assert_eq!(nearest("a", ["x", "y"]), None);
        assert_eq!(nearest(&"x".repeat(70), ["x"]), None);
    }
}
