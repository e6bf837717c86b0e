//! How sessions are called.

/// The session that is meant where none is named.
pub(super) const USUAL: &str = "default";

/// Checks the name of a session.
pub(super) fn name(text: &str) -> Result<String, String> {
    let fits = |sign: char| sign.is_ascii_alphanumeric() || "._-".contains(sign);
    match !text.is_empty() && text.len() <= 64 && text.chars().all(fits) && !text.starts_with('-') {
        true => Ok(text.to_owned()),
        false => Err("a session's name has 1 to 64 letters, digits, `.`, `_` and `-`".to_owned()),
    }
}
