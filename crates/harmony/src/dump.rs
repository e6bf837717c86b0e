//! The JSON of `uitest dumpLayout` → nodes, in one pass. All values are texts, and any may be missing.

use std::borrow::Cow;

use crate::driver::Rect;
use crate::driver::json::{MOST_DEPTH, Reader};

/// Nodes that one screen may have.
const MOST_NODES: usize = 100_000;
/// Pixels from the origin beyond which nothing lies.
const FARTHEST: i32 = 1_000_000;

/// A node as `uitest` tells of it.
#[derive(Debug, Default)]
pub(crate) struct Node<'a> {
    pub(crate) kind: Cow<'a, str>,
    pub(crate) id: Cow<'a, str>,
    pub(crate) text: Cow<'a, str>,
    pub(crate) hint: Cow<'a, str>,
    pub(crate) description: Cow<'a, str>,
    pub(crate) bundle: Cow<'a, str>,
    pub(crate) ability: Cow<'a, str>,
    /// What of it is seen.
    pub(crate) bounds: Rect,
    /// All of it; none where that is not told.
    pub(crate) whole: Option<Rect>,
    pub(crate) is_disabled: bool,
    pub(crate) is_hidden: bool,
    pub(crate) focused: bool,
    pub(crate) selected: bool,
    pub(crate) clickable: bool,
    pub(crate) long_clickable: bool,
    pub(crate) scrollable: bool,
    pub(crate) checkable: bool,
    pub(crate) checked: bool,
    pub(crate) children: Vec<Node<'a>>,
}

/// Reads a dump from where its first brace stands; says what is wrong with it.
pub(crate) fn parse(text: &str) -> Result<Node<'_>, String> {
    let mut count = 0;
    let root = node(&mut Reader::new(text), &mut count, 0)?;
    if root.bounds.is_empty() && root.children.is_empty() { Err("it holds no element".to_owned()) } else { Ok(root) }
}

fn node<'a>(reader: &mut Reader<'a>, count: &mut usize, depth: usize) -> Result<Node<'a>, String> {
    *count += 1;
    if depth > MOST_DEPTH || *count > MOST_NODES {
        return Err(format!("it has more than {MOST_NODES} elements, or {MOST_DEPTH} in each other"));
    }
    let (mut node, mut is_clear) = (Node::default(), false);
    reader.object(&mut |reader, key| match key {
        "attributes" if reader.peek() == Some(b'{') => {
            is_clear = attributes(reader, &mut node)?;
            Ok(())
        }
        "children" => reader.list(depth, &mut |reader| {
            node.children.push(self::node(reader, count, depth + 1)?);
            Ok(())
        }),
        _ => reader.skip(depth),
    })?;
    if is_clear {
        node.is_hidden = true;
        node.children.clear();
    }
    Ok(node)
}

/// Reads what is told of a node; returns whether it, with all in it, is transparent.
fn attributes<'a>(reader: &mut Reader<'a>, node: &mut Node<'a>) -> Result<bool, String> {
    let (mut key, mut is_clear) = (Cow::Borrowed(""), false);
    reader.object(&mut |reader, name| {
        match name {
            "type" => node.kind = reader.word()?,
            "id" => node.id = reader.word()?,
            "key" => key = reader.word()?,
            "text" => node.text = reader.word()?,
            "hint" => node.hint = reader.word()?,
            "description" => node.description = reader.word()?,
            "bundleName" => node.bundle = reader.word()?,
            "abilityName" => node.ability = reader.word()?,
            "bounds" => node.bounds = bounds(&reader.word()?)?,
            "origBounds" => {
                let whole = reader.word()?;
                node.whole = if whole.is_empty() { None } else { Some(bounds(&whole)?) };
            }
            "enabled" => node.is_disabled = reader.flag()? == Some(false),
            "visible" => node.is_hidden |= reader.flag()? == Some(false),
            "opacity" => is_clear = reader.word()?.parse() == Ok(0.0_f32),
            "focused" => node.focused = reader.flag()? == Some(true),
            "selected" => node.selected = reader.flag()? == Some(true),
            "clickable" => node.clickable = reader.flag()? == Some(true),
            "longClickable" => node.long_clickable = reader.flag()? == Some(true),
            "scrollable" => node.scrollable = reader.flag()? == Some(true),
            "checkable" => node.checkable = reader.flag()? == Some(true),
            "checked" => node.checked = reader.flag()? == Some(true),
            _ => reader.skip(0)?,
        }
        Ok(())
    })?;
    if node.id.is_empty() {
        node.id = key;
    }
    Ok(is_clear)
}

/// Reads `[0,66][1080,2400]`; what has no place lies nowhere, and what is no place is an error.
fn bounds(text: &str) -> Result<Rect, String> {
    if text.is_empty() {
        return Ok(Rect::default());
    }
    let mut sides = [0; 4];
    let mut numbers = text.split(['[', ']', ',']).map(str::trim).filter(|part| !part.is_empty());
    for side in &mut sides {
        let number = numbers.next().and_then(|number| number.parse::<i32>().ok());
        *side = number.ok_or_else(|| format!("`{text}` are not bounds of an element"))?.clamp(-FARTHEST, FARTHEST);
    }
    let [left, top, right, bottom] = sides;
    Ok(Rect { left, top, right, bottom })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_read_whatever_is_missing() {
        let text = r#"{"attributes":{"bounds":"[0,0][1260,2720]","type":""},"children":[
            {"attributes":{"type":"Button","text":"Pay \"now\" 付款 😀","key":"pay","clickable":"true","enabled":"false","bounds":"[-4,10][20,30]",
              "origBounds":"[-4,10][20,90]","opacity":"1.000000","new":{"a":[1]}},"children":[]},{"attributes":{},"extra":null}]}"#;
        let root = parse(text).unwrap();
        assert_eq!(root.bounds, Rect { left: 0, top: 0, right: 1260, bottom: 2720 });
        let [button, empty] = &root.children[..] else { panic!("{root:?}") };
        assert_eq!((button.text.as_ref(), button.id.as_ref()), ("Pay \"now\" 付款 😀", "pay"));
        assert!(button.clickable && button.is_disabled && !button.is_hidden && button.children.is_empty());
        assert_eq!((button.bounds.left, button.whole.unwrap().bottom), (-4, 90));
        assert!(empty.bounds.is_empty() && empty.whole.is_none());
    }

    #[test]
    fn broken_dumps_are_errors() {
        let whole = r#"{"attributes":{"bounds":"[0,0][9,9]"},"children":[{"attributes":{"type":"Text","text":"a"},"children":[]}]}"#;
        assert!(parse(whole).is_ok());
        for length in 0..whole.len() {
            assert!(parse(&whole[..length]).is_err(), "cut to {length}");
        }
        for text in [
            "{}",
            "[]",
            "null",
            r#"{"attributes":{"bounds":"[0,0][x,9]"},"children":[]}"#,
            r#"{"attributes":{"bounds":"[0,0]"}}"#,
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        let deep = "{\"children\":[".repeat(100_000);
        assert!(parse(&deep).is_err());
    }
}
