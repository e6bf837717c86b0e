//! A name that is not valid → the valid one that was probably meant.

/// Longest name, in bytes, that somebody may have meant: what is compared is the square of it.
const MAX_LEN: usize = 64;
/// Most names that are compared.
const MAX: usize = 2_000;

/// Returns the valid name that is nearest to the written one, if any is near enough: one slip for every three characters, and one in
/// shorter names, or else an abbreviation (`idx`). Case, `_`, `-` and spaces count for nothing.
pub fn nearest<'a>(written: &str, valid: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if written.len() > MAX_LEN {
        return None;
    }
    let bare = |name: &str| name.to_lowercase().replace(['_', '-', ' '], "");
    let wanted = bare(written);
    let candidates = valid.into_iter().take(MAX).filter(|name| name.len() <= MAX_LEN);
    candidates
        .map(|name| (distance(&wanted, &bare(name)), name))
        .filter(|(distance, name)| {
            *distance <= (name.chars().count() / 3).max(1) || is_abbreviation(&wanted, &bare(name))
        })
        .filter(|(distance, name)| *distance < name.chars().count().max(wanted.chars().count()))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Counts the slips between two names; a letter that is held for too long is one, however often it stands there.
fn distance(written: &str, name: &str) -> usize {
    let once = |text: &str| {
        let mut letters: Vec<char> = text.chars().collect();
        letters.dedup();
        letters
    };
    let slips = strsim::damerau_levenshtein(written, name);
    if slips > 1 && once(written) == once(name) { 1 } else { slips }
}

/// Tells whether a text of three or four letters is a name with some of its later letters left out.
fn is_abbreviation(text: &str, name: &str) -> bool {
    let mut letters = name.chars();
    matches!(text.chars().count(), 3 | 4)
        && text.chars().next() == name.chars().next()
        && text.chars().all(|wanted| letters.any(|letter| letter == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_only() {
        assert_eq!(nearest("sessionId", ["code", "session_id"]), Some("session_id"));
        assert_eq!(nearest("timout", ["text", "timeout"]), Some("timeout"));
        assert_eq!(nearest("tap-xy", ["tap_xy"]), Some("tap_xy"));
        assert_eq!(nearest("idx", ["url", "index"]), Some("index"));
        assert_eq!(nearest("tappp", ["tap_xy", "tap"]), Some("tap"));
        for (written, valid) in [("query", "task"), ("zz", "text"), ("a", "x"), (&"x".repeat(70), "x")] {
            assert_eq!(nearest(written, [valid]), None, "{written}");
        }
    }
}
