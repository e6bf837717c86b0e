//! What is wrong with a testcase, where it stands, and how that is shown to a person or a program.

use crate::action::Span;
use serde_json::{Value, json};
use std::fmt::Write as _;

use super::width::{columns, shown, shown_text};

/// Columns of a source line that are shown at most; a longer one is cut around the caret.
const WIDEST: usize = 120;

/// One error in a testcase or project file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The file as it was given, with `/`.
    pub file: String,
    /// Where in the file; none where the file as a whole is meant.
    pub span: Option<Span>,
    /// One sentence without its end.
    pub message: String,
    /// What stands beside the caret: "did you mean `timeout`?".
    pub hint: Option<String>,
    /// What stands below: "valid: text, id, …".
    pub help: Option<String>,
    /// The line that `span` lies in.
    pub line: Option<String>,
    /// Which places of other files refer to this one, the nearest first: `a.yaml:7:3`.
    pub referred: Vec<String>,
}

impl Error {
    /// Returns an error about a file as a whole; the message is put behind the file's name.
    pub fn of_file(file: &str, message: impl AsRef<str>) -> Self {
        let message = format!("{file}: {}", message.as_ref());
        Error { file: file.to_owned(), span: None, message, hint: None, help: None, line: None, referred: Vec::new() }
    }

    /// Returns an error about a file that is no testcase, at a line and a column, counted from 1, where there are any.
    pub fn of_another(file: &str, place: Option<(u64, u64)>, message: &str) -> Self {
        let Some((line, column)) = place else { return Error::of_file(file, message) };
        let number = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        let text = std::fs::read_to_string(file).unwrap_or_default();
        let shown = usize::try_from(line).ok().and_then(|line| text.lines().nth(line.checked_sub(1)?));
        let span = Span { line: number(line), column: number(column), length: 1 };
        Error { span: Some(span), line: shown.map(str::to_owned), ..Error::of_whole(file, message) }
    }

    pub(super) fn of_whole(file: &str, message: impl Into<String>) -> Self {
        let (hint, help, referred) = Default::default();
        Error { file: file.to_owned(), span: None, message: message.into(), hint, help, line: None, referred }
    }

    pub(super) fn with_hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }

    /// Returns the error as a warning is written: its place, what is wrong, what to do.
    pub fn on_one_line(&self) -> String {
        let place = self.span.map(|span| format!("{}:{}:{}: ", self.file, span.line, span.column)).unwrap_or_default();
        let help = self.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        format!("{place}{}{help}", self.message)
    }

    pub(super) fn with_help(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }

    /// Returns the error as `check` and `run` print it, without a last line break.
    pub fn render(&self, colour: bool) -> String {
        let paint = Paint(colour);
        let mut text = format!("{}: {}", paint.red("error"), paint.bold(&shown_text(&self.message)));
        let margin = self.span.map_or(1, |span| span.line.to_string().len());
        if let Some(span) = self.span {
            let place = shown_text(&format!("{}:{}:{}", self.file, span.line, span.column));
            let _ = write!(text, "\n {:margin$}{} {place}", "", paint.blue("-->"));
            self.write_excerpt(&mut text, span, margin, &paint);
        } else if let Some(hint) = &self.hint {
            let _ = write!(text, "\n {:margin$}{} {}", "", paint.blue("="), shown_text(hint));
        }
        if let Some(help) = &self.help {
            let _ = write!(text, "\n {:margin$} {} {}", "", paint.blue("="), shown_text(help));
        }
        for place in &self.referred {
            let _ = write!(text, "\n {:margin$} {} referred to from {}", "", paint.blue("="), shown_text(place));
        }
        text
    }

    fn write_excerpt(&self, text: &mut String, span: Span, margin: usize, paint: &Paint) {
        let Some(line) = &self.line else { return };
        let excerpt = Excerpt::cut(line, span);
        let bar = paint.blue("|");
        let number = paint.blue(&format!("{:>margin$}", span.line));
        let _ = write!(text, "\n {:margin$} {bar}\n {number} {bar} {}", "", excerpt.line);
        let carets = paint.red(&"^".repeat(excerpt.length));
        let _ = write!(text, "\n {:margin$} {bar} {:indent$}{carets}", "", "", indent = excerpt.indent);
        if let Some(hint) = &self.hint {
            let _ = write!(text, " {}", paint.red(&shown_text(hint)));
        }
    }

    /// Returns the error for `check --format json`; keys without a value are null.
    pub fn to_json(&self) -> Value {
        json!({
            "file": self.file,
            "line": self.span.map(|span| span.line),
            "column": self.span.map(|span| span.column),
            "length": self.span.map(|span| span.length),
            "message": self.message,
            "hint": self.hint,
            "help": self.help,
            "source": self.line,
            "referred": self.referred,
        })
    }
}

/// A source line as it is shown, and where the carets stand below it, in columns of a terminal.
struct Excerpt {
    line: String,
    indent: usize,
    length: usize,
}

impl Excerpt {
    fn cut(line: &str, span: Span) -> Self {
        let line: Vec<char> = line.trim_end().chars().map(shown).collect();
        let width = |part: &[char]| part.iter().copied().map(columns).sum::<usize>();
        let start = (span.column as usize).saturating_sub(1).min(line.len());
        let end = (start + span.length as usize).min(line.len());
        let (from, to) = window(&line, start, end);
        let (left, right) = (if from > 0 { "…" } else { "" }, if to < line.len() { "…" } else { "" });
        Excerpt {
            line: format!("{left}{}{right}", line[from..to].iter().collect::<String>()),
            indent: left.chars().count() + width(&line[from..start]),
            length: width(&line[start..end.clamp(start, to)]).max(1),
        }
    }
}

/// Chooses the characters to show so that the marked ones are among them.
fn window(line: &[char], start: usize, end: usize) -> (usize, usize) {
    let mut room = WIDEST;
    let mut take = |character: char| {
        let fits = columns(character) <= room;
        room = room.saturating_sub(columns(character));
        fits
    };
    let marked = line[start..end].iter().take_while(|character| take(**character)).count();
    let (mut from, mut to) = (start, start + marked);
    loop {
        let grew = (from, to);
        if to < line.len() && take(line[to]) {
            to += 1;
        }
        if from > 0 && take(line[from - 1]) {
            from -= 1;
        }
        if grew == (from, to) {
            return grew;
        }
    }
}

/// Puts ANSI colours around text, or leaves it as it is.
struct Paint(bool);

impl Paint {
    fn with(&self, code: &str, text: &str) -> String {
        if self.0 { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    fn red(&self, text: &str) -> String {
        self.with("1;31", text)
    }

    fn blue(&self, text: &str) -> String {
        self.with("1;34", text)
    }

    fn bold(&self, text: &str) -> String {
        self.with("1", text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: &str, column: u32, length: u32) -> Error {
        Error {
            file: "testcases/login.yaml".to_owned(),
            referred: Vec::new(),
            span: Some(Span { line: 7, column, length }),
            message: "unknown argument `timout` of tap_element".to_owned(),
            hint: Some("did you mean `timeout`?".to_owned()),
            help: Some("valid: text, id".to_owned()),
            line: Some(line.to_owned()),
        }
    }

    #[test]
    fn an_error_looks_as_it_is_specified() {
        let rendered = error("- tap_element: {text: Sign in, timout: 5}", 32, 6).render(false);
        assert_eq!(
            rendered,
            "error: unknown argument `timout` of tap_element\n  --> testcases/login.yaml:7:32\n   |\n 7 | - tap_element: {text: Sign in, timout: 5}\n   |                                ^^^^^^ did you mean `timeout`?\n   = valid: text, id"
        );
    }

    #[test]
    fn wide_characters_move_the_caret_by_two() {
        let rendered = error("- tap_element: {text: 登录, timout: 5}", 27, 6).render(false);
        let lines: Vec<&str> = rendered.lines().collect();
        assert_eq!(lines[1], "  --> testcases/login.yaml:7:27");
        assert_eq!(lines[4].find('^'), Some(5 + 26 + 2));
    }

    #[test]
    fn a_long_line_is_cut_around_the_caret() {
        let long = format!("{}timout{}", "a".repeat(500), "b".repeat(500));
        let rendered = error(&long, 501, 6).render(false);
        let lines: Vec<&str> = rendered.lines().collect();
        assert!(lines[3].chars().count() < 130 && lines[3].starts_with(" 7 | …a") && lines[3].ends_with("b…"));
        let caret = lines[4].chars().position(|c| c == '^').unwrap();
        assert_eq!(lines[3].chars().skip(caret).take(6).collect::<String>(), "timout");
    }

    #[test]
    fn colours_and_control_characters_are_kept_apart() {
        let mut bad = error("a\u{1b}[31mb", 1, 1);
        assert!(!bad.render(false).contains('\u{1b}'));
        bad.line = None;
        assert!(bad.render(true).starts_with("\u{1b}[1;31merror\u{1b}[0m"));
    }

    #[test]
    fn json_has_every_key() {
        let json = error("x", 1, 1).to_json();
        assert_eq!((&json["line"], &json["column"], &json["source"]), (&json!(7), &json!(1), &json!("x")));
    }
}
