//! The regular expressions of `regex: true`.

use regex::Regex;

/// Compiles a pattern of `regex: true`; it is found anywhere in a text.
pub fn pattern(text: &str) -> Result<Regex, String> {
    regex::RegexBuilder::new(text).size_limit(1 << 20).build().map_err(|error| {
        let reason = error.to_string();
        format!(
            "`{text}` is not a regular expression: {}; as a text it is written '{}'",
            reason.lines().last().unwrap_or_default().trim_start_matches("error: "),
            regex::escape(text)
        )
    })
}

/// Compiles a pattern of an assertion, which must be able to fail: what fits nothing at all and anything else is refused.
pub fn telling_pattern(text: &str) -> Result<Regex, String> {
    let pattern = pattern(text)?;
    if pattern.is_match("") && pattern.is_match("\u{a4}") {
        return Err(format!("`{text}` matches any text, even an empty one: say what must be in it"));
    }
    Ok(pattern)
}
