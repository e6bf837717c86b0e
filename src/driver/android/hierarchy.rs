//! The XML of `uiautomator dump` → elements.

use std::borrow::Cow;

use roxmltree::{Document, Node, ParsingOptions, TextPos};

use super::role::{is_bar, role};
use crate::driver::{Element, Error, Rect};

/// Elements that one screen may have.
const MOST_NODES: u32 = 200_000;
/// How deep they may lie in each other: far beyond what Android itself can lay out.
const MOST_DEPTH: usize = 250;
/// Pixels from the origin beyond which nothing lies, so that sums and differences of places stay within an `i32`.
const FARTHEST: i32 = 1_000_000;
/// Letters of a broken tree that an error shows.
const SHOWN: usize = 80;
/// Bytes of a character's number, with its semicolon.
const LONGEST_NUMBER: usize = 12;

/// Reads the windows' top elements, from back to front.
pub fn parse(xml: &str) -> Result<Vec<Element>, Error> {
    let xml = mend(xml);
    let options = ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let malformed = |error: roxmltree::Error| broken(&format!("{error}: `{}`", around(&xml, error.pos())));
    let document = Document::parse_with_options(&xml, options).map_err(malformed)?;
    let root = document.root_element();
    match root.tag_name().name() {
        "hierarchy" => elements(root, false, 0),
        "displays" => windows(root),
        name => {
            let name: String = name.chars().take(SHOWN).collect();
            Err(broken(&format!("it starts with <{name}> and not with <hierarchy>")))
        }
    }
}

/// Reads what `uiautomator dump --windows` writes (Android 11 and later): the windows of the first display, which stand from
/// front to back.
fn windows(displays: Node) -> Result<Vec<Element>, Error> {
    let is = |name: &'static str| move |node: &Node| node.tag_name().name() == name;
    let all = || displays.children().filter(is("display"));
    let first = all().find(|display| display.attribute("id") == Some("0")).or_else(|| all().next());
    let windows = first.into_iter().flat_map(|display| display.children().filter(is("window")));
    let trees: Vec<Node> = windows.filter_map(|window| window.children().find(is("hierarchy"))).collect();
    let mut elements_of_all = Vec::new();
    for tree in trees.into_iter().rev() {
        elements_of_all.extend(elements(tree, false, 0)?);
    }
    Ok(elements_of_all)
}

fn elements(parent: Node, in_bar: bool, depth: usize) -> Result<Vec<Element>, Error> {
    if depth > MOST_DEPTH {
        return Err(broken(&format!("elements lie more than {MOST_DEPTH} deep in each other")));
    }
    let nodes = parent.children().filter(Node::is_element);
    let shown = nodes.filter(|node| node.attribute("visible-to-user") != Some("false"));
    shown.map(|node| element(node, in_bar, depth)).collect()
}

fn element(node: Node, in_bar: bool, depth: usize) -> Result<Element, Error> {
    let text = |name: &str| node.attribute(name).unwrap_or_default().to_owned();
    let is = |name: &str| node.attribute(name) == Some("true");
    let class = text("class");
    let children = elements(node, is_bar(&class), depth + 1)?;
    let mut element = Element {
        role: "group",
        text: text("text"),
        label: text("content-desc"),
        hint: text("hint"),
        id: text("resource-id"),
        package: text("package"),
        index: node.attribute("index").and_then(|index| index.parse().ok()).unwrap_or_default(),
        rect: bounds(node.attribute("bounds"))?,
        enabled: node.attribute("enabled") != Some("false"),
        clickable: is("clickable"),
        long_clickable: is("long-clickable"),
        focusable: is("focusable"),
        focused: is("focused"),
        checkable: is("checkable"),
        checked: is("checked"),
        selected: is("selected"),
        password: is("password"),
        scrollable: is("scrollable"),
        children,
        class,
    };
    // An empty field shows its hint, and Android tells it as the text.
    if element.text == element.hint {
        element.text.clear();
    }
    element.role = role(&element, in_bar);
    Ok(element)
}

/// Reads `[0,66][1080,2400]`; an element without a place would be tapped in a corner, so that is an error.
fn bounds(text: Option<&str>) -> Result<Rect, Error> {
    let text = text.unwrap_or_default();
    let read = || {
        let (left_top, right_bottom) = text.strip_prefix('[')?.strip_suffix(']')?.split_once("][")?;
        let point = |text: &str| {
            let (x, y) = text.split_once(',')?;
            let pixel = |text: &str| text.trim().parse::<i32>().ok().map(|pixel| pixel.clamp(-FARTHEST, FARTHEST));
            Some((pixel(x)?, pixel(y)?))
        };
        let ((left, top), (right, bottom)) = (point(left_top)?, point(right_bottom)?);
        Some(Rect { left, top, right, bottom })
    };
    let shown = || text.chars().take(SHOWN).collect::<String>();
    read().ok_or_else(|| broken(&format!("`{}` is no place of an element", shown())))
}

/// Returns what stands around a place, of which the column is counted in letters from 1.
fn around(xml: &str, place: TextPos) -> String {
    let line = xml.lines().nth(place.row.saturating_sub(1) as usize).unwrap_or_default();
    line.chars().skip((place.col as usize).saturating_sub(SHOWN / 2)).take(SHOWN).collect()
}

fn broken(how: &str) -> Error {
    Error::Device { message: format!("the screen's element tree cannot be read: {how}") }
}

/// Replaces what XML forbids and Android writes: control characters, and emoji as two halves (`&#55357;&#56832;`).
fn mend(xml: &str) -> Cow<'_, str> {
    if !xml.contains("&#") && xml.chars().all(is_allowed) {
        return Cow::Borrowed(xml);
    }
    let mut mended = String::with_capacity(xml.len());
    let mut rest = xml;
    while let Some(next) = rest.chars().next() {
        if let Some((code, after)) = reference(rest) {
            let (character, after) = whole(code, after);
            mended.extend(["&#", &u32::from(character).to_string(), ";"]);
            rest = after;
        } else {
            mended.push(if is_allowed(next) { next } else { '\u{fffd}' });
            rest = &rest[next.len_utf8()..];
        }
    }
    Cow::Owned(mended)
}

/// Joins a character with its second half, where it is a first half.
fn whole(code: u32, after: &str) -> (char, &str) {
    if let (0xd800..0xdc00, Some((low @ 0xdc00..0xe000, rest))) = (code, reference(after)) {
        let joined = 0x1_0000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        return (char::from_u32(joined).unwrap_or('\u{fffd}'), rest);
    }
    (char::from_u32(code).filter(|c| is_allowed(*c)).unwrap_or('\u{fffd}'), after)
}

/// Reads `&#10;` or `&#xa;` at the start of a text; returns its number and what follows.
fn reference(text: &str) -> Option<(u32, &str)> {
    let number = text.strip_prefix("&#")?;
    let end = number.bytes().take(LONGEST_NUMBER).position(|byte| byte == b';')?;
    let (digits, after) = (&number[..end], &number[end + 1..]);
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    Some((code.ok()?, after))
}

fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(attributes: &str) -> Result<Element, Error> {
        let xml = format!(
            "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\"><node {attributes}/></hierarchy>"
        );
        Ok(parse(&xml)?.remove(0))
    }

    fn text_of(attribute: &str) -> String {
        one(&format!("text=\"{attribute}\" bounds=\"[0,0][1,1]\"")).unwrap().text
    }

    #[test]
    fn a_dump_becomes_elements() {
        let xml = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0">
            <node index="0" text="" resource-id="" class="android.widget.FrameLayout" package="com.uixt.shop" content-desc=""
              checkable="false" checked="false" clickable="false" enabled="true" focusable="false" focused="false" scrollable="false"
              long-clickable="false" password="false" selected="false" bounds="[0,0][1080,2400]">
              <node class="androidx.appcompat.widget.Toolbar" bounds="[0,66][1080,213]"><node text="购物" class="android.widget.TextView" bounds="[42,100][200,180]"/></node>
              <node NAF="true" text="Name" hint="Name" resource-id="com.uixt.shop:id/user" class="android.widget.EditText" clickable="true" enabled="false"
                focused="true" password="true" bounds="[-42,300][1038,420]"/>
              <node text="gone" class="android.widget.Button" bounds="[0,0][9,9]" visible-to-user="false"/>
            </node></hierarchy>"#;
        let roots = parse(xml).unwrap();
        let top = &roots[0];
        assert_eq!((roots.len(), top.children.len(), top.package.as_str(), top.enabled), (1, 2, "com.uixt.shop", true));
        let title = &top.children[0].children[0];
        assert_eq!((title.role, title.text.as_str()), ("heading", "购物"));
        let field = &top.children[1];
        assert_eq!(
            (field.role, field.text.as_str(), field.hint.as_str(), field.short_id()),
            ("textfield", "", "Name", "user")
        );
        assert!(field.clickable && field.focused && field.password && !field.enabled && !field.checked);
        assert_eq!(field.rect, Rect { left: -42, top: 300, right: 1038, bottom: 420 });
    }

    #[test]
    fn places_are_bounded() {
        let far = one("bounds=\"[-2147483648,-5][2147483647,2147483647]\"").unwrap().rect;
        assert_eq!(far, Rect { left: -FARTHEST, top: -5, right: FARTHEST, bottom: FARTHEST });
        assert!(far.center().x.abs() < 1.0);
        assert_eq!(far.right - far.left, 2 * FARTHEST);
    }

    #[test]
    fn every_character_comes_through() {
        assert_eq!(text_of("a &amp; b &lt;&quot;&gt;&#10;c"), "a & b <\">\nc");
        assert_eq!(text_of("😀&#128512;&#x1F600;&#55357;&#56832;"), "😀😀😀😀");
        assert_eq!(text_of("half &#55357; x &#56832;"), "half \u{fffd} x \u{fffd}");
        assert_eq!(text_of("&#0;&#1;\u{1}"), "\u{fffd}\u{fffd}\u{fffd}");
    }

    #[test]
    fn broken_trees_are_errors() {
        for xml in [
            "",
            "<hierarchy><node bounds=\"[0,0][1,1]\"></hierarchy>",
            "<html/>",
            "<hierarchy><node text=\"a&b\" bounds=\"[0,0][1,1]\"/></hierarchy>",
            "<!DOCTYPE x [<!ENTITY a \"b\">]><hierarchy><node text=\"&a;\" bounds=\"[0,0][1,1]\"/></hierarchy>",
        ] {
            assert!(matches!(parse(xml), Err(Error::Device { .. })), "{xml}");
        }
        assert!(one("text=\"nowhere\"").is_err());
        assert!(one("bounds=\"[0,0][99999999999,1]\"").is_err());
        let deep =
            format!("<hierarchy>{}{}</hierarchy>", "<node bounds=\"[0,0][1,1]\">".repeat(5000), "</node>".repeat(5000));
        assert!(parse(&deep).is_err());
        assert!(parse(&"<hierarchy>".repeat(100_000)).is_err());
        let error = parse("<hierarchy><node text=\"Save & go\" bounds=\"[0,0][1,1]\"/></hierarchy>").unwrap_err();
        assert!(error.to_string().contains("Save & go"), "{error}");
    }

    #[test]
    fn five_thousand_elements_are_read() {
        let row = "<node class=\"android.widget.TextView\" text=\"&#55357;&#56832; row\" bounds=\"[0,0][9,9]\"/>";
        let roots = parse(&format!("<hierarchy>{}</hierarchy>", row.repeat(5000))).unwrap();
        assert_eq!((roots.len(), roots[4999].text.as_str()), (5000, "😀 row"));
    }
}
