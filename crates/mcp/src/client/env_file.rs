//! The file that `envFile` names → variables. It is read by one plain rule, and refused where that may mean something else.

use std::path::Path;

/// Largest file, in bytes.
const LARGEST: u64 = 1 << 20;

/// Reads a file of `NAME=VALUE` lines.
pub(super) fn read(path: &Path) -> Result<Vec<(String, String)>, String> {
    let wrong = |message: String| format!("`envFile` {}: {message}", path.display());
    let file = std::fs::metadata(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    if !file.is_file() || file.len() > LARGEST {
        return Err(wrong(format!("is not a file of at most {} MiB", LARGEST >> 20)));
    }
    let text = std::fs::read_to_string(path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    parse(&text).map_err(wrong)
}

fn parse(text: &str) -> Result<Vec<(String, String)>, String> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim).zip(1..);
    let lines = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
    lines.map(|(line, number)| pair(line).map_err(|why| format!("line {number}: {why}"))).collect()
}

/// Reads a line; the error does not show it, since it may hold a secret.
fn pair(line: &str) -> Result<(String, String), &'static str> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=').ok_or("it is not NAME=VALUE")?;
    let name = name.trim();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(is_name) {
        return Err("what stands before `=` is not a name for a variable");
    }
    Ok((name.to_owned(), plain(value.trim())?.to_owned()))
}

/// Returns a value without its quotes.
fn plain(value: &str) -> Result<&str, &'static str> {
    let literal = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote).filter(|inner| !inner.contains(quote));
    if let Some(inner) = literal('\'') {
        return Ok(inner);
    }
    let value = literal('"').unwrap_or(value);
    if value.contains(['"', '\\', '`']) || value.starts_with('\'') || value.contains(" #") {
        return Err("only plain values are read, without escapes, comments behind them and further lines");
    }
    if value.contains("${") || value.contains("$(") {
        return Err("variables within values are not replaced; write the value, or put it in single quotes");
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_lines_are_read_and_others_refused() {
        let read = |text: &str| parse(text).map_err(|error| error.chars().take(6).collect::<String>());
        let pairs = |pairs: &[(&str, &str)]| Ok(pairs.iter().map(|(a, b)| ((*a).into(), (*b).into())).collect());
        assert_eq!(
            read("# a\n\nexport A=b c\nB = \"x=y\"\nC='$1'\nD="),
            pairs(&[("A", "b c"), ("B", "x=y"), ("C", "$1"), ("D", "")])
        );
        for text in ["A", "a b=c", "A=\"x", "A=\"a\\n\"", "A=${B}", "A='b", "A=b # c"] {
            assert_eq!(read(text), Err("line 1".to_owned()), "{text}");
        }
    }
}
