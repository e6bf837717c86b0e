//! `.env` file → environment variables of testcases. Knows nothing of what they are for.
//!
//! One `NAME=value` (or `NAME: value`) a line, `#` comments, an `export` before it and quotes around the value are taken off.

use super::error::Error;
use super::source::Source;
use crate::action::Span;
use std::collections::BTreeMap;
use std::path::Path;

/// Name of the file that a project's testcases see.
pub(super) const FILE: &str = ".env";

/// Reads a file for [`super::Overrides::environs`].
pub fn read_environs(path: &Path) -> Result<BTreeMap<String, String>, Vec<Error>> {
    let shown = path.to_string_lossy().replace('\\', "/");
    parse(&Source::read(path, &shown)?)
}

/// Reads the text of such a file; lines are not shown in errors, as they may hold secrets.
pub(super) fn parse(source: &Source) -> Result<BTreeMap<String, String>, Vec<Error>> {
    let mut environs = BTreeMap::new();
    let mut errors = Vec::new();
    let lines = (1..).map_while(|number| source.line(number).map(|line| (number, line)));
    for (number, line) in lines.filter(|(_, line)| !is_comment(line)) {
        if let Some((name, value)) = definition(line) {
            environs.insert(name.to_owned(), value.to_owned());
        } else {
            let span =
                Span { line: number, column: 1, length: u32::try_from(line.chars().count()).unwrap_or(u32::MAX) };
            let error = Error::at(source, span, "this line defines nothing");
            let error = Error { line: None, ..error };
            errors.push(error.with_help(Some("write `NAME=value`".to_owned())));
        }
    }
    if errors.is_empty() { Ok(environs) } else { Err(errors) }
}

fn is_comment(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

fn definition(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=').or_else(|| line.split_once(':'))?;
    let name = name.trim();
    let usable =
        !name.is_empty() && !name.contains(|character: char| character.is_whitespace() || character.is_control());
    usable.then(|| (name, unquoted(value.trim())))
}

fn unquoted(value: &str) -> &str {
    let within = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    within('"').or_else(|| within('\'')).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_define_or_are_refused() {
        let text = "# comment\n\nA=1\nexport B = 'x y'\nC: \"q\"\nD=a=b:c\nE=\nF='\n";
        let environs = parse(&Source::of(".env", text)).unwrap();
        let pairs: Vec<_> = environs.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(pairs, ["A=1", "B=x y", "C=q", "D=a=b:c", "E=", "F='"]);
        let errors = parse(&Source::of(".env", "A=1\nsecret word\n=x")).unwrap_err();
        assert_eq!(errors.len(), 2);
        assert!(!errors[0].render(false).contains("secret"));
    }
}
