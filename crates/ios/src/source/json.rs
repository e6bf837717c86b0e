//! The JSON of `/source?format=json` → nodes: in one pass over the text, without a tree of values between them.

use std::borrow::Cow;

use super::node::{Node, Place};

/// How deep nodes may lie in each other: far beyond what a phone tells.
const MOST_DEPTH: usize = 250;
/// Nodes that one screen may have.
const MOST_NODES: usize = 100_000;

/// Reads `{"value": {…}}`, whatever else stands in it, or the element that stands there alone; says what is wrong with it.
pub(crate) fn parse(text: &str) -> Result<Node<'_>, String> {
    let mut reader = Reader { text, at: 0, nodes: 0 };
    let mut root = None;
    let mut is_bare = false;
    reader.object(|reader, key| match key {
        "value" if reader.peek() == Some(b'{') => {
            root = Some(reader.node(0)?);
            Ok(())
        }
        "type" => {
            is_bare = true;
            reader.skip(0)
        }
        _ => reader.skip(0),
    })?;
    if root.is_none() && is_bare {
        root = Some(Reader { text, at: 0, nodes: 0 }.node(0)?);
    }
    root.filter(|root| !root.kind.is_empty()).ok_or_else(|| "it holds no element".to_owned())
}

/// Returns the text of `{"value": "…"}`, as a screenshot comes.
pub(crate) fn text_value(text: &str) -> Result<Cow<'_, str>, String> {
    let mut reader = Reader { text, at: 0, nodes: 0 };
    let mut value = None;
    reader.object(|reader, key| match key {
        "value" if reader.peek() == Some(b'"') => {
            value = Some(reader.string()?);
            Ok(())
        }
        _ => reader.skip(0),
    })?;
    value.ok_or_else(|| "it holds no text".to_owned())
}

/// Returns where the plain part of a string ends: at its quote, or at what is written behind a backslash.
fn plain_end(rest: &str) -> Option<usize> {
    // One sign is looked for many at a time; a picture is a string of megabytes.
    let quote = rest.find('"')?;
    Some(rest[..quote].find('\\').unwrap_or(quote))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    nodes: usize,
}

impl<'a> Reader<'a> {
    fn node(&mut self, depth: usize) -> Result<Node<'a>, String> {
        self.nodes += 1;
        if depth > MOST_DEPTH || self.nodes > MOST_NODES {
            return Err(format!("it has more than {MOST_NODES} elements, or {MOST_DEPTH} in each other"));
        }
        let mut node = Node { place: Place::NONE, ..Node::default() };
        let mut name = Cow::Borrowed("");
        let mut has_raw = false;
        self.object(|reader, key| {
            match key {
                "type" => node.kind = reader.word()?,
                "rawIdentifier" => {
                    has_raw = true;
                    node.id = reader.word()?;
                }
                "name" => name = reader.word()?,
                "label" => node.label = reader.word()?,
                "value" => node.value = reader.word()?,
                "placeholderValue" => node.placeholder = reader.word()?,
                "traits" => node.traits = reader.word()?,
                "bundleId" => node.bundle = reader.word()?,
                "rect" if reader.peek() == Some(b'{') => node.place = reader.place()?,
                // As in XML, for who makes JSON of it.
                "x" => node.place.x = reader.number()?,
                "y" => node.place.y = reader.number()?,
                "width" => node.place.width = reader.number()?,
                "height" => node.place.height = reader.number()?,
                "isEnabled" | "enabled" => node.is_disabled = reader.flag()? == Some(false),
                "isVisible" | "visible" => node.visible = reader.flag()?,
                "isAccessible" | "accessible" => node.accessible = reader.flag()?,
                "isFocused" | "focused" => node.is_focused = reader.flag()? == Some(true),
                "children" => reader.children(&mut node.children, depth)?,
                _ => reader.skip(depth)?,
            }
            Ok(())
        })?;
        node.take_name(name, has_raw);
        if let Cow::Borrowed(kind) = node.kind {
            node.kind = Cow::Borrowed(kind.strip_prefix("XCUIElementType").unwrap_or(kind));
        }
        Ok(node)
    }

    fn children(&mut self, children: &mut Vec<Node<'a>>, depth: usize) -> Result<(), String> {
        if self.peek() != Some(b'[') {
            return self.skip(depth);
        }
        self.at += 1;
        while !self.ends(b']')? {
            children.push(self.node(depth + 1)?);
        }
        Ok(())
    }

    fn place(&mut self) -> Result<Place, String> {
        let mut place = Place::NONE;
        self.object(|reader, key| {
            let number = reader.number()?;
            match key {
                "x" => place.x = number,
                "y" => place.y = number,
                "width" => place.width = number,
                "height" => place.height = number,
                _ => {}
            }
            Ok(())
        })?;
        Ok(place)
    }

    /// Reads an object, and calls `entry` with each key, where its value begins.
    fn object(&mut self, mut entry: impl FnMut(&mut Self, &str) -> Result<(), String>) -> Result<(), String> {
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
    fn peek(&mut self) -> Option<u8> {
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
    fn word(&mut self) -> Result<Cow<'a, str>, String> {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'{' | b'[') => self.skip(0).map(|()| Cow::Borrowed("")),
            _ => Ok(match self.bare()? {
                "null" => Cow::Borrowed(""),
                bare => Cow::Borrowed(bare),
            }),
        }
    }

    fn flag(&mut self) -> Result<Option<bool>, String> {
        Ok(match self.word()?.as_ref() {
            "1" | "true" => Some(true),
            "0" | "false" => Some(false),
            _ => None,
        })
    }

    fn number(&mut self) -> Result<f64, String> {
        let number = self.word()?.parse::<f64>().ok().filter(|number| number.is_finite());
        // What lies beyond a million points lies nowhere.
        Ok(number.unwrap_or(-1.0).clamp(-1e6, 1e6))
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

    fn string(&mut self) -> Result<Cow<'a, str>, String> {
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
    fn skip(&mut self, depth: usize) -> Result<(), String> {
        if depth > MOST_DEPTH {
            return Err(format!("values lie more than {MOST_DEPTH} deep in each other"));
        }
        match self.peek() {
            Some(b'"') => self.string().map(drop),
            Some(b'{') => self.object(|reader, _| reader.skip(depth + 1)),
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
    fn nodes_are_read_as_they_are_written() {
        let text = r#"{ "sessionId" : null, "value" : {"type":"Other","rawIdentifier":null,"rect":{"x":-1,"y":2.5,"width":1e2,"height":4},
            "customActions": ["a", {"b": [1, true]}], "isEnabled":"0","isVisible":"1","label":"é \"q\" \ud83d\ude00 \ud83d x\n",
            "children":[ {"type":"XCUIElementTypeButton","name":"go","label":"Go","value":1}, {"type":"Key","name":"a","label":"a"} ] }}"#;
        let root = parse(text).unwrap();
        assert_eq!(root.place, Place { x: -1.0, y: 2.5, width: 100.0, height: 4.0 });
        assert_eq!((root.label.as_ref(), root.is_disabled), ("é \"q\" 😀 \u{fffd} x\n", true));
        assert_eq!((root.visible, root.accessible), (Some(true), None));
        let [button, key] = &root.children[..] else { panic!("{root:?}") };
        assert_eq!((button.kind.as_ref(), button.id.as_ref(), button.value.as_ref()), ("Button", "go", "1"));
        assert_eq!((key.id.as_ref(), root.levels()), ("", 2));
    }

    #[test]
    fn broken_texts_are_errors() {
        for text in [
            "",
            "[]",
            "{\"value\":null}",
            "{\"value\":{}}",
            "{\"value\":{\"type\":\"A\"",
            "{\"value\":{\"type\":\"A}}",
            "{\"value\":{\"type\" \"A\"}}",
            "{\"value\":{\"type\":\"A\",\"children\":[{]}}",
            "{\"value\":{\"type\":\"A\\u12\"}}",
            "{\"value\":{\"type\":\"A\"\"b\":1}}",
            "{\"type\":\"A\",\"children\":[{]}",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        let deep = format!("{{\"value\":{}", "{\"type\":\"A\",\"children\":[".repeat(100_000));
        assert!(parse(&deep).is_err());
        assert!(parse(&format!("{{\"a\":{}", "[".repeat(100_000))).is_err());
    }

    #[test]
    fn nodes_are_read_that_others_write() {
        let text = r#"{"type":"XCUIElementTypeOther","rect":null,"name":"Read all of it","children":[
            {"type":"Button","x":"1","y":2,"width":"30","height":4,"visible":false,"accessible":"true","enabled":"false"},
            {"type":"Cell","rect":"none","children":{}} ]}"#;
        let root = parse(text).unwrap();
        assert_eq!((root.place, root.label.as_ref(), root.id.as_ref()), (Place::NONE, "Read all of it", ""));
        let button = &root.children[0];
        assert_eq!(button.place, Place { x: 1.0, y: 2.0, width: 30.0, height: 4.0 });
        assert_eq!((button.visible, button.accessible, button.is_disabled), (Some(false), Some(true), true));
        assert!(root.children[1].place.is_empty());
    }

    #[test]
    fn a_text_alone_is_read() {
        assert_eq!(text_value("{\"sessionId\":\"x\",\"value\":\"iVBO\\/w==\"}").unwrap(), "iVBO/w==");
        assert!(text_value("{\"value\":7}").is_err());
    }
}
