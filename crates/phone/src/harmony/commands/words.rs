//! Options of a command line → their values, as `getopt` reads them.

/// Returns the value behind an option: `-b NAME`, `-bNAME`.
pub(super) fn value<'a>(words: &'a [String], option: &str) -> Option<&'a str> {
    words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix(option) {
        Some("") => words.get(at + 1).map(String::as_str),
        Some(value) if !option.starts_with("--") => Some(value),
        _ => None,
    })
}

/// Tells whether an option is there.
pub(super) fn has(words: &[String], option: &str) -> bool {
    words.iter().any(|word| word == option)
}
