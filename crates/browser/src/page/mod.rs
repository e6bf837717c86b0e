//! A script that looks at a page, and its answer → a screen. Knows how a page is written down, and not how scripts get there.

mod answer;

use serde_json::{Map, Value, json};

pub use answer::screen;
pub(super) use answer::{Hole, Seen, Turn, known_role, seen};

use crate::driver::{Look, Point};

/// A function expression of one argument, as [`wanted`] makes it. It promises a text in JSON that [`screen`] reads.
///
/// It never waits longer than a few frames and two looks, and its answer is bounded. Other arguments are understood:
/// `{"node": N, "doc": D}` returns the element with this key, `{"show": N, "doc": D}` brings it into the viewport and tells
/// whether it is still there, `{"focus": N, "doc": D, "all": true}` gives it the focus and tells whether it has it; and those that
/// the functions below write.
pub(super) const SCRIPT: &str = concat!(
    "async (wanted) => {\n\"use strict\";\n",
    include_str!("native.js"),
    include_str!("naming.js"),
    include_str!("closed.js"),
    include_str!("way.js"),
    include_str!("sight.js"),
    include_str!("drawn.js"),
    include_str!("unseen.js"),
    include_str!("walk.js"),
    include_str!("guard.js"),
    include_str!("watch.js"),
    include_str!("hastext.js"),
    include_str!("look.js"),
    "}"
);

/// Keeps what a person does with the mouse and the keys from a document, and tells it.
pub(super) const HANDS: &str = include_str!("hands.js");

/// Calls what an earlier call of [`SCRIPT`] left in the same world of the same document, with the same argument; gives null where
/// there was none. It is a hundredth of its length.
pub(super) const AGAIN: &str = "async (wanted) => window[Symbol.for(\"uixt page memory\")]?.look?.(wanted) ?? null";

/// Tells what an earlier call of [`SCRIPT`] left in the document that there was an input; without it, every look is a long one.
pub(super) const ACTED: &str = "window[Symbol.for(\"uixt page memory\")]?.acted?.()";

/// Returns the elements that may have a closed shadow root, of which nobody has asked the browser yet.
pub(super) const HOSTS: &str = "() => window[Symbol.for(\"uixt page memory\")]?.unasked?.() ?? []";

/// Returns elements by their numbers.
pub(super) const ELEMENTS: &str = "(numbers) => window[Symbol.for(\"uixt page memory\")]?.elementsOf?.(numbers) ?? []";

/// Notes elements of which the browser tells no role of its own, so that they are not asked about again.
pub(super) const PLAIN: &str = "(numbers) => { window[Symbol.for(\"uixt page memory\")]?.plainAre?.(numbers); }";

/// Tells a later look of the closed shadow root of an element: a function of the two.
pub(super) const CLOSED_ROOT: &str =
    "(host, root) => { window[Symbol.for(\"uixt page memory\")]?.closedRoot?.(host, root); }";

/// Writes the script's argument for a look.
pub(super) fn wanted(look: &Look) -> Value {
    let selectors: Vec<Value> = look.selectors.iter().map(|selector| in_language(selector.trim())).collect();
    let mut wanted = Map::new();
    let asked = [("steady", look.steady), ("reach", look.reach), ("settled", look.settled), ("present", look.present)];
    wanted.extend(asked.into_iter().filter(|(_, is)| *is).map(|(name, is)| (name.to_owned(), is.into())));
    if !selectors.is_empty() {
        wanted.insert("select".to_owned(), selectors.into());
    }
    Value::Object(wanted)
}

/// Writes the script's argument for watching the next touch, which is meant for an element; it answers whether it does.
pub(super) fn guarded(key: u64) -> Value {
    let (number, document) = number(key);
    json!({"guard": number, "doc": document})
}

/// Ends that, and tells what took the touch in the element's place; nothing where that is not known.
pub(super) const TOOK: &str = "() => window[Symbol.for(\"uixt page memory\")]?.took?.() ?? null";

/// Writes the script's argument for giving a field the focus, with all that stands in it selected, or the cursor behind it.
pub(super) fn focused(key: u64, selects: bool) -> Value {
    let (number, document) = number(key);
    json!({"focus": number, "doc": document, "all": selects})
}

/// Writes the script's argument for noting what is met at a point; it tells whether it could.
pub(super) fn aimed(at: Point) -> Value {
    json!({"aim": [at.x, at.y]})
}

/// Writes the script's argument for where that has gone from a point: another point, or null where it is still met there or by what it
/// stands in, or is gone.
pub(super) fn followed(at: Point) -> Value {
    json!({"follow": [at.x, at.y]})
}

/// Writes the script's argument for bringing an element into the viewport.
pub(super) fn shown(key: u64) -> Value {
    let (number, document) = number(key);
    json!({"show": number, "doc": document})
}

/// Writes the script's argument for setting what a field holds that is not typed into. It answers `done`; `typed` of any other field;
/// and else `malformed`, `locked`, `gone`, or `outside` and the field's limits.
pub(super) fn set(key: u64, text: &str) -> Value {
    let (number, document) = number(key);
    json!({"set": number, "doc": document, "text": text})
}

/// Writes the script's argument for how many characters a field holds, and how many without a mask that nothing was filled into; it
/// answers null where the field is gone.
pub(super) fn length(key: u64) -> Value {
    let (number, document) = number(key);
    json!({"length": number, "doc": document})
}

/// Writes the script's argument for what lies over points of an element; it answers a text for each, empty where nothing does.
pub(super) fn over(key: u64, points: &[Point]) -> Value {
    let (number, document) = number(key);
    let points: Vec<Value> = points.iter().map(|point| json!([point.x, point.y])).collect();
    json!({"over": number, "doc": document, "points": points})
}

/// Returns the number of the document that an element is in.
pub(super) fn document(key: u64) -> u32 {
    number(key).1
}

/// Writes the script's argument for an element by its key.
pub(super) fn wanted_node(key: u64) -> Value {
    let (number, document) = number(key);
    json!({"node": number, "doc": document})
}

/// Writes a function that finds an element by [`wanted_node`], calls another with it and with the arguments that stand in the second
/// argument, and returns a list of what that returns; an empty list where the element is not there any more.
pub(super) fn with_element(function: &str) -> String {
    format!(
        "async (wanted, rest) => {{ const element = await ({AGAIN})(wanted); return element ? [(await ({function})(element, ...rest)) \
         ?? null] : []; }}"
    )
}

/// Writes a function that finds an element by [`wanted_node`] and returns the one that another finds from there.
pub(super) fn found(function: &str) -> String {
    format!(
        "async (wanted) => {{ const element = await ({AGAIN})(wanted); return element ? ({function})(element) : null; }}"
    )
}

fn in_language(selector: &str) -> Value {
    if is_xpath(selector) { json!({"xpath": selector}) } else { json!({"css": selector}) }
}

/// Tells an XPath from a CSS selector, as the tools do where they evaluate it themselves.
fn is_xpath(selector: &str) -> bool {
    let is_relative = selector.starts_with("./") || selector.starts_with("../") || selector == "..";
    selector.starts_with(['/', '(']) || is_relative || is_axis(selector)
}

/// `descendant::a`, and not `p::before`, which CSS has.
fn is_axis(selector: &str) -> bool {
    const AXES: [&str; 8] =
        ["ancestor", "child", "descendant", "following", "parent", "preceding", "self", "ancestor-or-self"];
    selector.split_once("::").is_some_and(|(axis, _)| {
        AXES.iter()
            .any(|known| axis.strip_prefix(known).is_some_and(|rest| matches!(rest, "" | "-or-self" | "-sibling")))
    })
}

/// Returns the number that the page's script knows an element by, and the document that it belongs to.
pub(super) fn number(key: u64) -> (u32, u32) {
    let low = |bits: u64| u32::try_from(bits & u64::from(u32::MAX)).unwrap_or_default();
    (low(key), low(key >> 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_says_what_it_wants() {
        let selectors = ["#a > b".to_owned(), "//a[1]".to_owned(), "(//a)[2]".to_owned(), "p::before".to_owned()];
        let look = Look { selectors: &selectors, steady: true, ..Look::default() };
        let xpath = |path: &str| json!({"xpath": path});
        let expected = json!([{"css": "#a > b"}, xpath("//a[1]"), xpath("(//a)[2]"), {"css": "p::before"}]);
        assert_eq!(wanted(&look), json!({"steady": true, "select": expected}));
        assert_eq!(wanted(&Look::default()), json!({}));
        assert!(is_xpath("..") && is_xpath("../a") && !is_xpath("..bad"), "a wrong class is told as CSS");
        assert!(is_axis("descendant-or-self::a") && is_axis("following-sibling::a") && !is_axis("a::marker"));
    }
}
