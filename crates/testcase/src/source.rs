//! A testcase file's text, read within limits, and where its lines begin. Knows nothing of YAML.

use crate::action::Span;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::error::Error;

/// Greatest size of a testcase file, in bytes; a greater one is not read.
pub(super) const LARGEST: u64 = 4 * 1024 * 1024;

/// The text of one file.
#[derive(Debug)]
pub(super) struct Source {
    /// Path as it was given, with `/`.
    pub(super) file: String,
    /// The text without a byte order mark.
    pub(super) text: String,
    /// Byte offset of each line's first character.
    starts: Vec<usize>,
}

impl Source {
    /// Takes a text that is already in memory.
    pub(super) fn of(file: &str, text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
        let starts = line_starts(&text);
        Source { file: file.to_owned(), text, starts }
    }

    /// Reads a file of at most [`LARGEST`] bytes of UTF-8.
    pub(super) fn read(path: &Path, file: &str) -> Result<Self, Vec<Error>> {
        let bytes = read_limited(path).map_err(|message| vec![Error::of_file(file, message)])?;
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Source::of(file, &text)),
            Err(error) => Err(vec![not_utf8(file, error.as_bytes(), error.utf8_error().valid_up_to())]),
        }
    }

    /// Returns a line without its end, counted from 1.
    pub(super) fn line(&self, number: u32) -> Option<&str> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index + 1).copied().unwrap_or(self.text.len());
        Some(self.text.get(start..end)?.trim_end_matches(['\n', '\r']))
    }

    /// Says what made a key of the end of a text, as in `{name: Pay, then list}`; nothing where the key is one that was meant.
    pub(super) fn cut_text(&self, key: Span) -> Option<String> {
        let characters: Vec<char> = self.line(key.line)?.chars().collect();
        let start = usize::try_from(key.column).ok()?.checked_sub(1)?;
        let end = start + usize::try_from(key.length).ok()?;
        let (before, name) = (characters.get(..start)?, characters.get(start..end)?);
        let after: String = characters.get(end..)?.iter().collect();
        let (before, name): (String, String) = (before.iter().collect(), name.iter().collect());
        let (_, text) = before.trim_end().strip_suffix(',')?.rsplit_once(": ")?;
        let is_cut = after.trim_start().starts_with([',', '}']) && !text.contains(['{', '}', '[', ']', '"', '\'']);
        is_cut.then(|| format!("a comma ends a text inside {{ }}: write it in quotes, \"{text}, {name}\""))
    }

    /// Returns the place of the text between two byte offsets.
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        let line = self.starts.partition_point(|begin| *begin <= start).max(1);
        let begin = self.starts.get(line - 1).copied().unwrap_or(0);
        let characters = |from: usize, to: usize| self.text.get(from..to).map_or(0, |part| count(part.chars().count()));
        Span { line: count(line), column: characters(begin, start) + 1, length: characters(start, end) }
    }
}

impl Error {
    /// Returns an error about a place of a file.
    pub(super) fn at(source: &Source, span: Span, message: impl Into<String>) -> Self {
        Error {
            file: source.file.clone(),
            span: Some(span),
            message: message.into(),
            hint: None,
            help: None,
            line: source.line(span.line).map(str::to_owned),
            referred: Vec::new(),
        }
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = |index: usize| bytes[index] == b'\n' || (bytes[index] == b'\r' && bytes.get(index + 1) != Some(&b'\n'));
    std::iter::once(0).chain((0..bytes.len()).filter(|index| ends(*index)).map(|index| index + 1)).collect()
}

/// Reads a regular file, never more than [`LARGEST`] bytes of it.
pub(super) fn read_limited(path: &Path) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| format!("cannot be read: {error}");
    let facts = std::fs::metadata(path).map_err(failed)?;
    if !facts.is_file() {
        return Err("is not a regular file".to_owned());
    }
    if facts.len() > LARGEST {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    File::open(path).map_err(failed)?.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST { Err(too_large()) } else { Ok(bytes) }
}

fn too_large() -> String {
    format!("is larger than {} MiB", LARGEST / 1024 / 1024)
}

fn not_utf8(file: &str, bytes: &[u8], offset: usize) -> Error {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Error::of_file(file, "is UTF-16; save it as UTF-8");
    }
    let before = String::from_utf8_lossy(&bytes[..offset]);
    let starts = line_starts(&before);
    let begin = starts.last().copied().unwrap_or(0);
    let column = before.get(begin..).map_or(0, |part| part.trim_start_matches('\u{feff}').chars().count());
    let rest = bytes[begin..].split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let mut error = Error::of_file(file, format!("not UTF-8: byte 0x{:02x} at offset {offset}", bytes[offset]));
    error.span = Some(Span { line: count(starts.len()), column: count(column) + 1, length: 1 });
    error.line = Some(String::from_utf8_lossy(rest).trim_start_matches('\u{feff}').to_owned());
    error.help = Some("save the file as UTF-8".to_owned());
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_spans_count_characters() {
        let source = Source::of("a.yaml", "\u{feff}one\r\n登录 x\n\nlast");
        assert_eq!(source.line(1), Some("one"));
        assert_eq!(source.line(2), Some("登录 x"));
        assert_eq!(source.line(4), Some("last"));
        assert_eq!(source.line(5), None);
        let at = source.text.find('x').unwrap();
        assert_eq!(source.span(at, at + 1), Span { line: 2, column: 4, length: 1 });
        assert_eq!(source.span(0, 3), Span { line: 1, column: 1, length: 3 });
    }

    #[test]
    fn a_bad_byte_is_named_with_its_place() {
        let error = not_utf8("a.yaml", b"ok\nna\xffme", 5);
        assert_eq!(error.message, "a.yaml: not UTF-8: byte 0xff at offset 5");
        assert_eq!(error.span, Some(Span { line: 2, column: 3, length: 1 }));
    }
}
