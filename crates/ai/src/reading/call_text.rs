//! Calls as models write them in text: `click(start_box='(100,200)')`, with any of the quotes, brackets and boxes that they use.

use serde_json::{Map, Value};

/// A call as it is written: its name, and its arguments as texts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Written {
    pub(crate) name: String,
    pub(crate) arguments: Map<String, Value>,
}

/// What could not be read of a call, and where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable(pub(crate) String);

/// Signs that stand for those of ASCII outside of quotes.
const WIDE: &[(char, char)] = &[
    ('（', '('),
    ('）', ')'),
    ('，', ','),
    ('：', ':'),
    ('＝', '='),
    ('【', '['),
    ('】', ']'),
    ('；', ';'),
    ('“', '"'),
    ('”', '"'),
    ('‘', '\''),
    ('’', '\''),
    ('｛', '{'),
    ('｝', '}'),
];

/// Returns the sign of ASCII that a wide one stands for.
pub(crate) fn narrow(sign: char) -> char {
    WIDE.iter().find(|(wide, _)| *wide == sign).map_or(sign, |(_, narrow)| *narrow)
}

/// Reads the calls of a text, one after the other, with whatever white space and separators between them. Text that is no call ends it.
pub(crate) fn calls(text: &str) -> Result<Vec<Written>, Unreadable> {
    let mut reader = Reader { rest: text };
    let mut calls = Vec::new();
    loop {
        reader.skip(|sign| sign.is_whitespace() || matches!(sign, ';' | ',' | '。' | '`' | '*'));
        // Steps may be numbered.
        let number = reader.rest.trim_start_matches(|sign: char| sign.is_ascii_digit());
        if number.len() < reader.rest.len() && number.starts_with(['.', ')', '、']) {
            reader.rest = number.trim_start_matches(['.', ')', '、']).trim_start();
        }
        if reader.rest.is_empty() {
            break;
        }
        match reader.call()? {
            Some(call) => calls.push(call),
            None => return Err(Unreadable(reader.rest.chars().take(80).collect())),
        }
    }
    Ok(calls)
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(|sign| is_skipped(narrow(sign)));
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next().map(narrow)
    }

    fn take(&mut self) -> Option<char> {
        let sign = self.rest.chars().next()?;
        self.rest = &self.rest[sign.len_utf8()..];
        Some(sign)
    }

    /// Takes a sign where it comes next, behind white space.
    fn takes(&mut self, sign: char) -> bool {
        self.skip(char::is_whitespace);
        let is_next = self.peek() == Some(sign);
        if is_next {
            self.take();
        }
        is_next
    }

    fn word(&mut self) -> String {
        let end = self
            .rest
            .find(|sign: char| !(sign.is_alphanumeric() || matches!(sign, '_' | '-' | '.')))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }

    /// Reads `name(argument='value', …)`; none where no call begins here.
    fn call(&mut self) -> Result<Option<Written>, Unreadable> {
        let begin = self.rest;
        let unreadable = || Unreadable(begin.chars().take(80).collect());
        let name = self.word();
        if name.is_empty() || !self.takes('(') {
            self.rest = begin;
            return Ok(None);
        }
        let mut arguments = Map::new();
        loop {
            if self.takes(')') {
                return Ok(Some(Written { name, arguments }));
            }
            if !arguments.is_empty() && !self.takes(',') {
                return Err(unreadable());
            }
            self.skip(char::is_whitespace);
            if self.takes(')') {
                return Ok(Some(Written { name, arguments }));
            }
            let before = self.rest;
            let key = self.word();
            let is_named = !key.is_empty() && (self.takes('=') || self.takes(':'));
            if !is_named {
                self.rest = before;
            }
            let key = if is_named { key } else { format!("{}", arguments.len()) };
            let value = self.value().ok_or_else(unreadable)?;
            if arguments.insert(key, Value::String(value)).is_some() {
                return Err(unreadable());
            }
        }
    }

    /// Reads a value: in quotes, or up to the comma or bracket that ends it.
    fn value(&mut self) -> Option<String> {
        self.skip(char::is_whitespace);
        match self.peek()? {
            quote @ ('\'' | '"') => {
                self.take();
                self.quoted(quote)
            }
            _ => self.bare(),
        }
    }

    /// Reads up to the quote that ends it: one that a comma or the end of the call follows, since models seldom escape those within.
    fn quoted(&mut self, quote: char) -> Option<String> {
        let mut value = String::new();
        loop {
            match self.take()? {
                '\\' => match self.take()? {
                    'n' => value.push('\n'),
                    't' => value.push('\t'),
                    other => value.push(other),
                },
                sign if narrow(sign) == quote && self.is_end() => return Some(value),
                sign => value.push(sign),
            }
        }
    }

    /// Tells whether a value may end here.
    fn is_end(&self) -> bool {
        let mut after = self.rest.trim_start().chars().map(narrow);
        match after.next() {
            Some(')') | None => true,
            Some(',') => {
                // Another argument follows, with its name.
                let rest = self.rest.trim_start();
                let rest = rest[rest.chars().next().map_or(0, char::len_utf8)..].trim_start();
                let word = rest.trim_start_matches(|sign: char| sign.is_alphanumeric() || sign == '_');
                word.len() < rest.len() && word.trim_start().chars().next().map(narrow) == Some('=')
                    || rest.starts_with(['\'', '"', ')'])
            }
            _ => false,
        }
    }

    fn bare(&mut self) -> Option<String> {
        let (mut value, mut depth) = (String::new(), 0_u32);
        while let Some(sign) = self.peek() {
            match sign {
                '(' | '[' | '<' => depth += 1,
                ')' | ',' if depth == 0 => break,
                ')' | ']' | '>' => depth = depth.saturating_sub(1),
                _ => {}
            }
            value.extend(self.take());
        }
        let value = value.trim().to_owned();
        (!value.is_empty()).then_some(value)
    }
}
