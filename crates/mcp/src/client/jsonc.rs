//! JSON with comments and trailing commas → values that know their places. Knows nothing of what they mean.

use serde_json::Value;

/// Deepest nesting that is read.
const DEEPEST: usize = 32;

/// Where something stands, counted from 1, in lines and characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) column: usize,
}

impl Place {
    /// Returns the place of a byte of a text.
    pub(super) fn of(text: &str, at: usize) -> Self {
        let before = &text[..text.floor_char_boundary(at)];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self { line, column }
    }
}

/// A value, and the byte that it begins at.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Node {
    pub(super) data: Data,
    pub(super) at: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Data {
    /// Null, a boolean, a number or a text.
    Scalar(Value),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// One key of a map with its value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) at: usize,
    pub(super) value: Node,
}

impl Node {
    pub(super) fn text(&self) -> Option<&str> {
        match &self.data {
            Data::Scalar(value) => value.as_str(),
            _ => None,
        }
    }

    pub(super) fn map(&self) -> Option<&[Entry]> {
        match &self.data {
            Data::Map(entries) => Some(entries),
            _ => None,
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Entry> {
        self.map()?.iter().find(|entry| entry.key == key)
    }

    /// Says what it is, for errors.
    pub(super) fn kind(&self) -> &'static str {
        match &self.data {
            Data::Scalar(Value::Null) => "null",
            Data::Scalar(Value::Bool(_)) => "a boolean",
            Data::Scalar(Value::Number(_)) => "a number",
            Data::Scalar(_) => "a text",
            Data::List(_) => "a list",
            Data::Map(_) => "a map",
        }
    }
}

/// Reads a text; the error says at which byte.
pub(super) fn read(text: &str) -> Result<Node, (usize, String)> {
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { text, at, depth: 0 };
    let node = reader.value()?;
    reader.space()?;
    if reader.at < text.len() { Err(reader.wrong("there is more after the end of the value")) } else { Ok(node) }
}

struct Reader<'a> {
    text: &'a str,
    /// Bytes that were read.
    at: usize,
    depth: usize,
}

type Read<T> = Result<T, (usize, String)>;

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn wrong(&self, message: impl Into<String>) -> (usize, String) {
        (self.at, message.into())
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn takes(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    /// Skips spaces and comments.
    fn space(&mut self) -> Read<()> {
        loop {
            self.at = self.text.len() - self.rest().trim_start().len();
            let length = if self.rest().starts_with("//") {
                self.rest().find('\n').unwrap_or(self.rest().len())
            } else if self.rest().starts_with("/*") {
                self.rest().find("*/").ok_or_else(|| self.wrong("the comment has no end"))? + 2
            } else {
                return Ok(());
            };
            self.at += length;
        }
    }

    fn value(&mut self) -> Read<Node> {
        self.space()?;
        let at = self.at;
        let data = match self.peek() {
            Some('{') => self.nested(Self::map)?,
            Some('[') => self.nested(Self::list)?,
            Some('"') => Data::Scalar(Value::String(self.string()?)),
            Some(_) => Data::Scalar(self.word()?),
            None => return Err(self.wrong("a value is missing")),
        };
        Ok(Node { data, at })
    }

    fn nested(&mut self, read: fn(&mut Self) -> Read<Data>) -> Read<Data> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong(format!("it is nested deeper than {DEEPEST}")));
        }
        let read = read(self)?;
        self.depth -= 1;
        Ok(read)
    }

    fn map(&mut self) -> Read<Data> {
        self.takes('{');
        let mut entries: Vec<Entry> = Vec::new();
        loop {
            self.space()?;
            if self.takes('}') {
                return Ok(Data::Map(entries));
            }
            let at = self.at;
            if self.peek() != Some('"') {
                return Err(self.wrong("a key in double quotes or `}` is missing"));
            }
            let key = self.string()?;
            if entries.iter().any(|entry| entry.key == key) {
                return Err((at, format!("`{key}` stands twice")));
            }
            self.space()?;
            if !self.takes(':') {
                return Err(self.wrong("`:` is missing"));
            }
            let value = self.value()?;
            entries.push(Entry { key, at, value });
            self.comma('}')?;
        }
    }

    fn list(&mut self) -> Read<Data> {
        self.takes('[');
        let mut items = Vec::new();
        loop {
            self.space()?;
            if self.takes(']') {
                return Ok(Data::List(items));
            }
            items.push(self.value()?);
            self.comma(']')?;
        }
    }

    /// Reads a comma, or sees the end.
    fn comma(&mut self, end: char) -> Read<()> {
        self.space()?;
        if self.takes(',') || self.peek() == Some(end) {
            return Ok(());
        }
        Err(self.wrong(format!("`,` or `{end}` is missing")))
    }

    fn string(&mut self) -> Read<String> {
        let mut is_escaped = false;
        for (offset, c) in self.rest().char_indices().skip(1) {
            match c {
                '\n' => break,
                '"' if !is_escaped => {
                    let end = self.at + offset + 1;
                    let read = serde_json::from_str(&self.text[self.at..end]);
                    let read = read.map_err(|_| self.wrong("the text holds an escape that means nothing"))?;
                    self.at = end;
                    return Ok(read);
                }
                _ => is_escaped = c == '\\' && !is_escaped,
            }
        }
        Err(self.wrong("the text has no end: a `\"` is missing"))
    }

    fn word(&mut self) -> Read<Value> {
        let is_word = |c: char| c.is_alphanumeric() || "+-._".contains(c);
        let end = self.rest().find(|c| !is_word(c)).unwrap_or(self.rest().len());
        let word = &self.rest()[..end];
        let value = serde_json::from_str(word).map_err(|_| match word {
            "" => self.wrong("a value is missing"),
            _ => self.wrong(format!("`{word}` is not a value; texts stand in double quotes")),
        })?;
        self.at += end;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_read() {
        let text = "// a\n{\"a\": [1, /* two */ \"b\\n\",], \"c\": {\"d\": null,},}\n";
        let node = read(text).expect("good");
        let list = &node.get("a").expect("a").value;
        assert!(matches!(&list.data, Data::List(items) if items[1].text() == Some("b\n")));
        assert_eq!(Place::of(text, node.get("c").expect("c").at), Place { line: 2, column: 30 });
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        for (text, line, column) in [
            ("{\"a\" 1}", 1, 6),
            ("{\n  \"a\": b}", 2, 8),
            ("[1 2]", 1, 4),
            ("{\"a\": \"b\n}", 1, 7),
            ("{\"a\": 1, \"a\": 2}", 1, 10),
            ("{} {}", 1, 4),
            ("", 1, 1),
            ("/* ", 1, 1),
        ] {
            let (at, message) = read(text).expect_err(text);
            let place = Place::of(text, at);
            assert_eq!((place.line, place.column), (line, column), "{text}: {message}");
        }
        assert!(read(&"[".repeat(100_000)).is_err());
    }
}
