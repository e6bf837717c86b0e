//! What is wrong with testcases, and what should be known of them, as it is printed.

use crate::cli::exit::{Exit, Failure};
use crate::testcase;

/// Renders errors one below the other, with their count at the end.
pub(in crate::cli) fn failure(errors: &[testcase::Error]) -> Failure {
    use std::io::IsTerminal as _;
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let mut text: String = errors.iter().map(|error| error.render(colour) + "\n\n").collect();
    let files: std::collections::BTreeSet<&str> = errors.iter().map(|error| error.file.as_str()).collect();
    text.push_str(&format!("{}, {}; nothing was run", count(errors.len(), "error"), count(files.len(), "file")));
    Failure::rendered(Exit::Usage, text)
}

/// Prints warnings on standard error.
pub(in crate::cli) fn warn<'a>(warnings: impl Iterator<Item = &'a String>) {
    use std::io::Write as _;
    let mut stderr = std::io::stderr().lock();
    for warning in warnings {
        // Whoever does not listen is not told.
        let _ = writeln!(stderr, "warning: {warning}");
    }
}

/// `1 error`, `2 errors`.
pub(in crate::cli) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
