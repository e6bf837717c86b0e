//! The JSON of `/source?format=json` → nodes: in one pass over the text, without a tree of values between them.

use std::borrow::Cow;

use super::node::{Node, Place};
use crate::driver::json::{MOST_DEPTH, Reader};

/// Nodes that one screen may have.
const MOST_NODES: usize = 100_000;

/// Reads `{"value": {…}}`, whatever else stands in it, or the element that stands there alone; says what is wrong with it.
pub(crate) fn parse(text: &str) -> Result<Node<'_>, String> {
    let mut reader = Reader::new(text);
    let mut root = None;
    let mut is_bare = false;
    reader.object(&mut |reader, key| match key {
        "value" if reader.peek() == Some(b'{') => {
            root = Some(Nodes(0).read(reader, 0)?);
            Ok(())
        }
        "type" => {
            is_bare = true;
            reader.skip(0)
        }
        _ => reader.skip(0),
    })?;
    if root.is_none() && is_bare {
        root = Some(Nodes(0).read(&mut Reader::new(text), 0)?);
    }
    root.filter(|root| !root.kind.is_empty()).ok_or_else(|| "it holds no element".to_owned())
}

/// Returns the text of `{"value": "…"}`, as a screenshot comes.
pub(crate) fn text_value(text: &str) -> Result<Cow<'_, str>, String> {
    let mut reader = Reader::new(text);
    let mut value = None;
    reader.object(&mut |reader, key| match key {
        "value" if reader.peek() == Some(b'"') => {
            value = Some(reader.string()?);
            Ok(())
        }
        _ => reader.skip(0),
    })?;
    value.ok_or_else(|| "it holds no text".to_owned())
}

/// Reads the nodes of one screen, and counts them.
struct Nodes(usize);

impl Nodes {
    fn read<'a>(&mut self, reader: &mut Reader<'a>, depth: usize) -> Result<Node<'a>, String> {
        self.0 += 1;
        if depth > MOST_DEPTH || self.0 > MOST_NODES {
            return Err(format!("it has more than {MOST_NODES} elements, or {MOST_DEPTH} in each other"));
        }
        let mut node = Node { place: Place::NONE, ..Node::default() };
        let mut name = Cow::Borrowed("");
        let mut has_raw = false;
        reader.object(&mut |reader, key| {
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
                "rect" if reader.peek() == Some(b'{') => node.place = place(reader)?,
                // As in XML, for who makes JSON of it.
                "x" => node.place.x = number(reader)?,
                "y" => node.place.y = number(reader)?,
                "width" => node.place.width = number(reader)?,
                "height" => node.place.height = number(reader)?,
                "isEnabled" | "enabled" => node.is_disabled = reader.flag()? == Some(false),
                "isVisible" | "visible" => node.visible = reader.flag()?,
                "isAccessible" | "accessible" => node.accessible = reader.flag()?,
                "isFocused" | "focused" => node.is_focused = reader.flag()? == Some(true),
                "children" => reader.list(depth, &mut |reader| {
                    node.children.push(self.read(reader, depth + 1)?);
                    Ok(())
                })?,
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
}

fn place(reader: &mut Reader<'_>) -> Result<Place, String> {
    let mut place = Place::NONE;
    reader.object(&mut |reader, key| {
        let number = number(reader)?;
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

fn number(reader: &mut Reader<'_>) -> Result<f64, String> {
    let number = reader.word()?.parse::<f64>().ok().filter(|number| number.is_finite());
    // What lies beyond a million points lies nowhere.
    Ok(number.unwrap_or(-1.0).clamp(-1e6, 1e6))
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
