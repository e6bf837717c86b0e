//! The characters of a string → its parts, one after the other.

use super::parts::{Argument, ExpressionError, Part, Reach, begins_name, continues_name, number};
use super::plain::{is_constant, is_plain};
use super::tokens::quoted;
use serde_json::Value;

/// Where in a string the reading is.
pub(super) struct Scanner<'a> {
    characters: &'a [char],
    at: usize,
    /// Whether calls are allowed, which is not so in an argument.
    calls: bool,
}

impl<'a> Scanner<'a> {
    /// Begins at the start of a string.
    pub(super) fn of(characters: &'a [char]) -> Self {
        Scanner { characters, at: 0, calls: true }
    }
}

impl Scanner<'_> {
    /// Reads all that is left.
    pub(super) fn parts(&mut self) -> Result<Vec<Part>, ExpressionError> {
        let mut parts = Vec::new();
        let mut text = String::new();
        while let Some(character) = self.peek(0) {
            if character != '$' {
                text.push(character);
                self.at += 1;
                continue;
            }
            match self.dollar()? {
                Part::Text(more) => text.push_str(&more),
                part => {
                    if !text.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut text)));
                    }
                    parts.push(part);
                }
            }
        }
        if !text.is_empty() || parts.is_empty() {
            parts.push(Part::Text(text));
        }
        Ok(parts)
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at + ahead).copied()
    }

    /// Reads what begins with `$`.
    fn dollar(&mut self) -> Result<Part, ExpressionError> {
        let start = self.at;
        self.at += 1;
        match self.peek(0) {
            Some('$') => {
                self.at += 1;
                Ok(Part::Text("$".to_owned()))
            }
            Some('{') => self.braces(start),
            Some(first) if begins_name(first) => {
                let name = self.name();
                Ok(Part::Variable { name, reach: self.since(start) })
            }
            _ => Ok(Part::Text("$".to_owned())),
        }
    }

    fn since(&self, start: usize) -> Reach {
        Reach { offset: start, length: self.at - start }
    }

    fn name(&mut self) -> String {
        let rest = &self.characters[self.at..];
        let name: String = rest.iter().take_while(|character| continues_name(**character)).collect();
        self.at += name.len();
        name
    }

    /// Reads `{name}`, `{name(arguments)}` or a formula.
    fn braces(&mut self, start: usize) -> Result<Part, ExpressionError> {
        self.at += 1;
        let is_formula = |inner: &[char]| !is_plain(inner) || is_constant(inner);
        if let Some(end) = self.closing().filter(|end| self.calls && is_formula(&self.characters[self.at..*end])) {
            let source: String = self.characters[self.at..end].iter().collect();
            self.at = end + 1;
            if source.trim().is_empty() {
                return Err(self.broken(start, "`${}` is empty"));
            }
            return Ok(Part::Formula { source, reach: self.since(start) });
        }
        if !self.peek(0).is_some_and(begins_name) {
            return Err(self.broken(start, "`${` is followed by a name"));
        }
        let name = self.name();
        match self.peek(0) {
            Some('}') => {
                self.at += 1;
                Ok(Part::Variable { name, reach: self.since(start) })
            }
            Some('(') if self.calls => self.call(start, name),
            Some('(') => Err(self.broken(start, "a call cannot stand in the arguments of a call")),
            _ => Err(self.broken(start, "a variable's name ends with `}`")),
        }
    }

    /// Finds the `}` that closes what begins here, past quotes and brackets.
    fn closing(&self) -> Option<usize> {
        let mut open = Vec::new();
        let mut at = self.at;
        while let Some(&next) = self.characters.get(at) {
            match next {
                '\'' | '"' => {
                    at += quoted(&self.characters[at..]);
                    continue;
                }
                '}' if open.is_empty() => return Some(at),
                '(' | '[' | '{' => open.push(next),
                ')' if open.pop() != Some('(') => return None,
                ']' if open.pop() != Some('[') => return None,
                '}' if open.pop() != Some('{') => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn call(&mut self, start: usize, name: String) -> Result<Part, ExpressionError> {
        self.at += 1;
        let mut arguments = Vec::new();
        self.skip_spaces();
        if self.peek(0) == Some(')') {
            self.at += 1;
        } else {
            loop {
                arguments.push(self.argument(start)?);
                self.skip_spaces();
                self.at += 1;
                match self.characters.get(self.at - 1) {
                    Some(',') => self.skip_spaces(),
                    Some(')') => break,
                    _ => return Err(self.unclosed(start)),
                }
            }
        }
        if self.peek(0) != Some('}') {
            return Err(self.unclosed(start));
        }
        self.at += 1;
        Ok(Part::Call { name, arguments, reach: self.since(start) })
    }

    fn skip_spaces(&mut self) {
        while self.peek(0).is_some_and(char::is_whitespace) {
            self.at += 1;
        }
    }

    fn argument(&mut self, start: usize) -> Result<Argument, ExpressionError> {
        if let Some(quote @ ('\'' | '"')) = self.peek(0) {
            let rest = &self.characters[self.at + 1..];
            let Some(length) = rest.iter().position(|character| *character == quote) else {
                return Err(self.unclosed(start));
            };
            self.at += length + 2;
            return Ok(Argument::Literal(Value::String(rest[..length].iter().collect())));
        }
        let rest = &self.characters[self.at..];
        let length = rest.iter().position(|character| matches!(character, ',' | ')')).unwrap_or(rest.len());
        let written = trimmed(&self.characters[..self.at + length]);
        let end = self.at + length;
        let from = std::mem::replace(&mut self.at, end);
        let text: String = written[from.min(written.len())..].iter().collect();
        if let Some(number) = number(&text) {
            return Ok(Argument::Literal(number));
        }
        Scanner { characters: written, at: from, calls: false }.parts().map(Argument::Parts)
    }

    fn unclosed(&self, start: usize) -> ExpressionError {
        self.broken(start, "a call ends with `)}`")
    }

    fn broken(&self, start: usize, message: &str) -> ExpressionError {
        let rest = &self.characters[start..];
        let length = rest.iter().position(|character| *character == '}').map_or(rest.len(), |end| end + 1);
        let mut error = ExpressionError::at(Reach { offset: start, length }, message);
        error.help = Some("write `$$` for a `$` sign".to_owned());
        error
    }
}

fn trimmed(characters: &[char]) -> &[char] {
    let end = characters.iter().rposition(|character| !character.is_whitespace()).map_or(0, |last| last + 1);
    &characters[..end]
}
