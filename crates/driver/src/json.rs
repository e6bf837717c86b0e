//! JSON that is long and deep → its parts, in one pass over the text, without a tree of values between them.

use std::borrow::Cow;

/// How deep values may lie in each other: far beyond what a phone tells of its screen.
pub const MOST_DEPTH: usize = 250;

/// Returns where the plain part of a string ends: at its quote, or at what is written behind a backslash.
fn plain_end(rest: &str) -> Option<usize> {
    // One sign is looked for many at a time; a picture is a string of megabytes.
    let quote = rest.find('"')?;
    Some(rest[..quote].find('\\').unwrap_or(quote))
}

/// A place in a text.
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    /// Reads a text from its beginning.
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Reads a list, and calls `item` where each of its items begins; passes what is no list.
    pub fn list(&mut self, depth: usize, item: &mut dyn FnMut(&mut Self) -> Result<(), String>) -> Result<(), String> {
        if self.peek() != Some(b'[') {
            return self.skip(depth);
        }
        self.at += 1;
        while !self.ends(b']')? {
            item(self)?;
        }
        Ok(())
    }

    /// Reads an object, and calls `entry` with each key, where its value begins.
    pub fn object(&mut self, entry: &mut dyn FnMut(&mut Self, &str) -> Result<(), String>) -> Result<(), String> {
        self.expect(b'{')?;
        while !self.ends(b'}')? {
            let key = self.string()?;
            self.expect(b':')?;
            self.peek();
            entry(self, &key)?;
        }
        Ok(())
    }

    /// Passes the comma before the next item, or the end of a list or an object; tells whether it ended.
    fn ends(&mut self, end: u8) -> Result<bool, String> {
        match self.peek() {
            Some(byte) if byte == end => {
                self.at += 1;
                Ok(true)
            }
            Some(b',') => {
                self.at += 1;
                Ok(false)
            }
            Some(_) if matches!(self.text.as_bytes()[..self.at].trim_ascii_end().last(), Some(b'{' | b'[')) => {
                Ok(false)
            }
            _ => Err(self.wrong()),
        }
    }

    /// Passes white space and returns the next byte.
    pub fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        let spaces = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.at += spaces;
        rest.get(spaces).copied()
    }

    fn expect(&mut self, byte: u8) -> Result<(), String> {
        if self.peek() != Some(byte) {
            return Err(self.wrong());
        }
        self.at += 1;
        Ok(())
    }

    /// Reads a text; numbers and truths as they are written, and nothing for `null`.
    pub fn word(&mut self) -> Result<Cow<'a, str>, String> {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'{' | b'[') => self.skip(0).map(|()| Cow::Borrowed("")),
            _ => Ok(match self.bare()? {
                "null" => Cow::Borrowed(""),
                bare => Cow::Borrowed(bare),
            }),
        }
    }

    /// Reads a truth, however it is written.
    pub fn flag(&mut self) -> Result<Option<bool>, String> {
        Ok(match self.word()?.as_ref() {
            "1" | "true" => Some(true),
            "0" | "false" => Some(false),
            _ => None,
        })
    }

    /// Reads a number, `true`, `false` or `null`.
    fn bare(&mut self) -> Result<&'a str, String> {
        let rest = &self.text[self.at..];
        let end = rest.find(|sign: char| !sign.is_ascii_alphanumeric() && !"+-.".contains(sign)).unwrap_or(rest.len());
        if end == 0 {
            return Err(self.wrong());
        }
        self.at += end;
        Ok(&rest[..end])
    }

    /// Reads a text in quotes.
    pub fn string(&mut self) -> Result<Cow<'a, str>, String> {
        self.expect(b'"')?;
        let rest = &self.text[self.at..];
        let plain = plain_end(rest).ok_or_else(|| self.wrong())?;
        if rest.as_bytes()[plain] == b'"' {
            self.at += plain + 1;
            return Ok(Cow::Borrowed(&rest[..plain]));
        }
        let mut text = rest[..plain].to_owned();
        self.at += plain;
        loop {
            let rest = &self.text[self.at..];
            let plain = plain_end(rest).ok_or_else(|| self.wrong())?;
            text.push_str(&rest[..plain]);
            self.at += plain + 1;
            if rest.as_bytes()[plain] == b'"' {
                return Ok(Cow::Owned(text));
            }
            text.push(self.escaped()?);
        }
    }

    /// Reads what stands behind a backslash.
    fn escaped(&mut self) -> Result<char, String> {
        let letter = self.text[self.at..].chars().next().ok_or_else(|| self.wrong())?;
        self.at += letter.len_utf8();
        Ok(match letter {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let first = self.unit()?;
                let is_half = (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u");
                if !is_half {
                    return Ok(char::from_u32(first).unwrap_or('\u{fffd}'));
                }
                let before = self.at;
                self.at += 2;
                let second = self.unit()?;
                if !(0xdc00..0xe000).contains(&second) {
                    self.at = before;
                    return Ok('\u{fffd}');
                }
                char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)).unwrap_or('\u{fffd}')
            }
            other => other,
        })
    }

    fn unit(&mut self) -> Result<u32, String> {
        let digits = self.text.get(self.at..self.at + 4).ok_or_else(|| self.wrong())?;
        let unit = u32::from_str_radix(digits, 16).map_err(|_| self.wrong())?;
        self.at += 4;
        Ok(unit)
    }

    /// Passes a value of any kind.
    pub fn skip(&mut self, depth: usize) -> Result<(), String> {
        if depth > MOST_DEPTH {
            return Err(format!("values lie more than {MOST_DEPTH} deep in each other"));
        }
        match self.peek() {
            Some(b'"') => self.string().map(drop),
            Some(b'{') => self.object(&mut |reader, _| reader.skip(depth + 1)),
            Some(b'[') => {
                self.at += 1;
                while !self.ends(b']')? {
                    self.skip(depth + 1)?;
                }
                Ok(())
            }
            _ => self.bare().map(drop),
        }
    }

    fn wrong(&self) -> String {
        let around: String = self.text[self.at.min(self.text.len())..].chars().take(40).collect();
        format!("it is no JSON at byte {}: `{around}`", self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_texts_are_errors() {
        for text in
            ["", "{", "{\"a\"", "{\"a\":", "{\"a\":\"b", "{\"a\":1 \"b\":2}", "{\"a\":[1,}", "{\"a\":\"\\u12\"}", "[1]"]
        {
            assert!(Reader::new(text).object(&mut |reader, _| reader.skip(0)).is_err(), "{text}");
        }
        let deep = format!("{{\"a\":{}", "[".repeat(100_000));
        assert!(Reader::new(&deep).object(&mut |reader, _| reader.skip(0)).is_err());
    }
}
