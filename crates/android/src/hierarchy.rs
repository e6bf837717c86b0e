//! The XML of `uiautomator dump`, and of Appium's UiAutomator2 server → elements.
//!
//! They differ in the names of the tags (`node`, or the class itself), in the word for what is not seen (`visible-to-user`,
//! `displayed`) and in what the server adds: whether a field shows its hint, and toasts, which have no place.

use std::borrow::Cow;

use roxmltree::{Document, Node, ParsingOptions, TextPos};

use super::role::{is_bar, role};
use super::{toolkits, windows};
use crate::driver::element::composed;
use crate::driver::{Element, Error, Rect, Screen};

/// Whose the status bar is.
pub(super) const SYSTEM_UI: &str = "com.android.systemui";
/// How often a status bar fits on a screen, at the least.
pub(super) const BARS: i32 = 10;
/// Elements that one screen may have.
const MOST_NODES: u32 = 200_000;
/// How deep they may lie in each other: far beyond what Android itself can lay out.
const MOST_DEPTH: usize = 250;
/// Pixels from the origin beyond which nothing lies, so that sums and differences of places stay within an `i32`.
const FARTHEST: i32 = 1_000_000;
/// Letters of a broken tree that an error shows.
const SHOWN: usize = 80;
/// The class under which the server tells of toasts.
const TOAST: &str = "android.widget.Toast";
/// UTF-16 units that Android tells of a text, or one more (`TextUtils.trimToParcelableSize`).
const LONGEST_TEXT: usize = 99_999;
/// Bytes of a character's number, with its semicolon.
const LONGEST_NUMBER: usize = 12;

/// Reads the windows' top elements, from back to front.
pub fn parse(xml: &str) -> Result<Vec<Element>, Error> {
    let xml = mend(xml);
    let document = document(&xml)?;
    let root = document.root_element();
    let mut roots = match root.tag_name().name() {
        "hierarchy" => {
            let mut roots = elements(root, false, 0)?;
            // The server tells of the window in front first.
            if root.first_element_child().is_some_and(|first| !first.has_tag_name("node")) {
                roots.reverse();
            }
            roots
        }
        "displays" => windows::elements_of(root)?,
        name => {
            let name: String = name.chars().take(SHOWN).collect();
            return Err(broken(&format!("it starts with <{name}> and not with <hierarchy>")));
        }
    };
    windows::without_bars(&mut roots);
    roots.iter_mut().for_each(toolkits::settle);
    Ok(roots)
}

pub(super) fn document(xml: &str) -> Result<Document<'_>, Error> {
    let options = ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let malformed = |error: roxmltree::Error| broken(&format!("{error}: `{}`", around(xml, error.pos())));
    Document::parse_with_options(xml, options).map_err(malformed)
}

/// Says why a screen cannot be what the device shows: such a look was taken midway, and what it lacks may be there.
pub(super) fn doubt(screen: &Screen) -> Option<&'static str> {
    let all = screen.bounds();
    let turned = Rect { right: all.bottom, bottom: all.right, ..all };
    let is_turned = |rect: Rect| rect.intersect(&all) != rect && rect.intersect(&turned) == rect;
    let is_bar = |root: &Element| root.package == SYSTEM_UI && (root.rect.bottom - root.rect.top) * BARS < all.bottom;
    if screen.roots.iter().any(|root| is_turned(root.rect)) {
        return Some("the element tree is that of a screen that is turned the other way");
    }
    (!screen.roots.is_empty() && screen.roots.iter().all(is_bar))
        .then_some("the element tree tells of the status bar alone: the app shows nothing, or only pixels (a game, a video), which OCR, pictures and places reach")
}

/// Tells whether a text is so long that Android may have told only its beginning.
pub(super) fn holds_cut_text(root: &Element) -> bool {
    let mut found = false;
    root.walk(&mut |element| {
        let text = &element.text;
        found |= text.len() >= LONGEST_TEXT && text.encode_utf16().count() >= LONGEST_TEXT;
    });
    found
}

/// Writes a tree whose tags are classes as `uiautomator dump` writes it, where every tag is a `node`.
pub(super) fn of_nodes(xml: String) -> String {
    if xml.contains("<node ") {
        return xml;
    }
    // Within values, `<` is always written as a reference.
    let mut pieces = xml.split('<');
    let before = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(before, |written, tag| written + "<" + &of_node(tag))
}

/// Writes bullets in the place of what fields for passwords hold: a `WebView` tells it as it is.
pub(super) fn without_passwords(xml: String) -> String {
    const TEXT: &str = " text=\"";
    if !xml.contains(" password=\"true\"") {
        return xml;
    }
    let mut pieces = xml.split('<');
    let before = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(before, |written, tag| {
        let masked = tag.contains(" password=\"true\"").then(|| {
            let from = tag.find(TEXT)? + TEXT.len();
            let to = from + tag[from..].find('"')?;
            Some(format!("{}{}{}", &tag[..from], bullets(&tag[from..to]), &tag[to..]))
        });
        written + "<" + masked.flatten().as_deref().unwrap_or(tag)
    })
}

/// Returns as many bullets as a text has signs, as Android's own fields show it.
fn bullets(text: &str) -> String {
    text.chars().map(|_| '•').collect()
}

/// Renames one tag, of which `<` is cut off; `class` tells what it was.
fn of_node(tag: &str) -> Cow<'_, str> {
    let (slash, named) = tag.strip_prefix('/').map_or(("", tag), |named| ("/", named));
    let end = named.find(|c: char| c.is_whitespace() || matches!(c, '/' | '>')).unwrap_or(named.len());
    match &named[..end] {
        "hierarchy" => Cow::Borrowed(tag),
        name if name.starts_with(['?', '!']) => Cow::Borrowed(tag),
        _ => Cow::Owned(format!("{slash}node{}", &named[end..])),
    }
}

pub(super) fn elements(parent: Node, in_bar: bool, depth: usize) -> Result<Vec<Element>, Error> {
    if depth > MOST_DEPTH {
        return Err(broken(&format!("elements lie more than {MOST_DEPTH} deep in each other")));
    }
    let nodes = parent.children().filter(Node::is_element);
    nodes.filter(is_shown).map(|node| element(node, in_bar, depth)).collect()
}

/// Tells whether a node is on the screen: neither marked as unseen nor a toast, which the server tells of after it is gone.
fn is_shown(node: &Node) -> bool {
    let is_toast = node.attribute("class") == Some(TOAST) && node.attribute("bounds").is_none();
    !is_toast && ["visible-to-user", "displayed"].iter().all(|seen| node.attribute(*seen) != Some("false"))
}

fn element(node: Node, in_bar: bool, depth: usize) -> Result<Element, Error> {
    let text = |name: &str| composed(node.attribute(name).unwrap_or_default()).into_owned();
    let is = |name: &str| node.attribute(name) == Some("true");
    let class = text("class");
    let children = elements(node, is_bar(&class), depth + 1)?;
    let mut element = Element {
        repeats: false,
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
        told: None,
        children,
        class,
    };
    // An empty field shows its hint, and Android tells it as the text. What looks like its hint may have been typed, which
    // only the server tells.
    let shows_hint = node.attribute("showing-hint").map_or(element.text == element.hint, |shows| shows == "true");
    if shows_hint {
        element.text.clear();
    }
    if element.password {
        element.text = bullets(&element.text);
    }
    element.role = role(&element, in_bar);
    Ok(element)
}

/// Reads `[0,66][1080,2400]`; an element without a place would be tapped in a corner, so that is an error.
pub(super) fn bounds(text: Option<&str>) -> Result<Rect, Error> {
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
    read().ok_or_else(|| broken(&format!("`{}` are not bounds of an element", shown())))
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
pub(super) fn mend(xml: &str) -> Cow<'_, str> {
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
    use crate::driver::Size;

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
    fn a_look_from_midway_is_doubted() {
        let of = |package: &str, right, bottom| {
            let rect = Rect { left: 0, top: 0, right, bottom };
            let root = Element { package: package.to_owned(), rect, ..Element::default() };
            let size = Size { width: 1080, height: 2400 };
            doubt(&Screen { package: String::new(), size, lit: true, roots: vec![root], ..Screen::default() }).is_some()
        };
        assert!(of("a.b", 2400, 1080) && of("a.b", 2274, 1080), "turned");
        assert!(!of("a.b", 1080, 2274) && !of("a.b", 900, 300), "a page, a dialog");
        assert!(of("com.android.systemui", 1080, 80), "the status bar");
        assert!(!of("com.android.systemui", 1080, 2400) && !of("a.b", 1080, 80), "the shade, a small window");
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

    /// Written after `UiElementSnapshot` and `AccessibilityNodeInfoDumper` of appium-uiautomator2-server 10: their attributes in
    /// their order, tags that are classes without `$`, two windows, a field that shows its hint and one that holds the same
    /// text, something unseen, and a toast.
    const OF_SERVER: &str = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<hierarchy index="0" class="hierarchy" rotation="0" width="1080" height="2274">
  <android.widget.FrameLayout index="0" package="com.uixt.shop" class="android.widget.FrameLayout" text="" checkable="false" checked="false" clickable="false" enabled="true" focusable="false" focused="false" long-clickable="false" password="false" scrollable="false" selected="false" bounds="[0,0][1080,2400]" displayed="true" a11y-important="true" showing-hint="false">
    <com.google.android.material.tabs.TabLayout.TabView index="0" package="com.uixt.shop" class="com.google.android.material.tabs.TabLayout$TabView" text="" content-desc="购物 &amp; 登录" checkable="false" checked="false" clickable="true" enabled="true" focusable="true" focused="false" long-clickable="false" password="false" scrollable="false" selected="true" bounds="[0,66][540,213]" displayed="true" />
    <android.widget.EditText index="1" package="com.uixt.shop" class="android.widget.EditText" text="Name" resource-id="com.uixt.shop:id/user" checkable="false" checked="false" clickable="true" enabled="true" focusable="true" focused="false" long-clickable="true" password="false" scrollable="false" selected="false" bounds="[42,300][1038,420]" displayed="true" hint="Name" showing-hint="true" />
    <android.widget.EditText index="2" package="com.uixt.shop" class="android.widget.EditText" text="Name" resource-id="com.uixt.shop:id/other" checkable="false" checked="false" clickable="true" enabled="false" focusable="true" focused="true" long-clickable="true" password="false" scrollable="false" selection-start="4" selection-end="4" selected="false" bounds="[42,450][1038,570]" displayed="true" hint="Name" showing-hint="false" />
    <android.widget.Button index="3" package="com.uixt.shop" class="android.widget.Button" text="gone" checkable="false" checked="false" clickable="true" enabled="true" focusable="true" focused="false" long-clickable="false" password="false" scrollable="false" selected="false" bounds="[0,0][9,9]" displayed="false" />
    <android.view.View index="4" package="com.uixt.shop" class="" text="&#128512; &#55357;&#56832;" checkable="true" checked="true" clickable="false" enabled="true" focusable="false" focused="false" long-clickable="false" password="true" scrollable="true" selected="false" bounds="[-5,600][99,700]" displayed="true" />
  </android.widget.FrameLayout>
  <android.widget.FrameLayout index="1" package="com.android.systemui" class="android.widget.FrameLayout" text="" checkable="false" checked="false" clickable="false" enabled="true" focusable="false" focused="false" long-clickable="false" password="false" scrollable="false" selected="false" bounds="[0,0][1080,77]" displayed="true" />
  <android.widget.Toast index="2" package="com.android.settings" class="android.widget.Toast" text="Saved" displayed="true" />
</hierarchy>"#;

    #[test]
    fn a_tree_of_the_server_becomes_the_same_elements() {
        let roots = parse(OF_SERVER).unwrap();
        let packages: Vec<&str> = roots.iter().map(|root| root.package.as_str()).collect();
        assert_eq!(packages, ["com.uixt.shop"], "without the bar");
        let [tab, hinting, typed, smile] = roots[0].children.as_slice() else { panic!("{roots:?}") };
        assert_eq!((tab.role, tab.label.as_str(), tab.selected), ("tab", "购物 & 登录", true));
        assert_eq!((hinting.text.as_str(), hinting.hint.as_str(), hinting.short_id()), ("", "Name", "user"));
        assert_eq!((typed.text.as_str(), typed.focused, typed.enabled, typed.index), ("Name", true, false, 2));
        assert_eq!((smile.text.as_str(), smile.index), ("•••", 4), "a password");
        assert!(smile.checkable && smile.checked && smile.password && smile.scrollable && !smile.clickable);
        assert_eq!(smile.rect, Rect { left: -5, top: 600, right: 99, bottom: 700 });
    }

    #[test]
    fn a_tree_of_the_server_is_given_as_uiautomator_writes_it() {
        let source = of_nodes(OF_SERVER.to_owned());
        let plain = source.replace("&#55357;&#56832;", "");
        let same = Document::parse(&plain).unwrap();
        let nodes = same.descendants().filter(|node| node.has_tag_name("node"));
        assert_eq!(nodes.count(), OF_SERVER.matches(" class=").count() - 1);
        assert!(source.starts_with("<?xml") && source.contains("\n  <node index=\"0\" package=\"com.uixt.shop\""));
        assert_eq!(parse(&source).unwrap(), parse(OF_SERVER).unwrap());
        assert_eq!(of_nodes(source.clone()), source);
    }

    #[test]
    fn a_password_is_told_by_no_tree() {
        let node =
            "<node text=\"hun&quot;ter\" class=\"android.widget.EditText\" password=\"true\" bounds=\"[0,0][1,1]\"/>";
        let xml = format!("<hierarchy><node text=\"ann\" password=\"false\" bounds=\"[0,0][1,1]\"/>{node}</hierarchy>");
        assert_eq!(parse(&xml).unwrap()[1].text, "•••••••");
        let told = without_passwords(xml);
        assert!(!told.contains("hun") && told.contains("text=\"ann\"") && parse(&told).is_ok(), "{told}");
    }

    #[test]
    fn places_are_bounded() {
        let far = one("bounds=\"[-2147483648,-5][2147483647,2147483647]\"").unwrap().rect;
        assert_eq!(far, Rect { left: -FARTHEST, top: -5, right: FARTHEST, bottom: FARTHEST });
        assert!(far.center().x.abs() < 1.0);
        assert_eq!(far.right - far.left, 2 * FARTHEST);
    }

    #[test]
    fn a_text_that_may_be_cut_is_known() {
        let is_cut = |text: &str| {
            let text = Element { text: text.to_owned(), ..Element::default() };
            holds_cut_text(&Element { children: vec![text], ..Element::default() })
        };
        assert!(is_cut(&"a".repeat(100_000)) && is_cut(&"a".repeat(99_999)) && is_cut(&"😀".repeat(50_000)));
        assert!(!is_cut(&"a".repeat(99_998)) && !is_cut(&"语".repeat(40_000)) && !is_cut(""));
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
