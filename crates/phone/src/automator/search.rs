//! Elements of the server's tree: found by `id`, `class name`, `accessibility id` and XPath of one step.

use regex::Regex;
use roxmltree::{Document, Node};
use serde_json::{Map, Value};

use super::refusal::Refusal;

/// How an element was found, by which it is found again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Query {
    pub(super) using: String,
    pub(super) value: String,
    /// Which of those that were found, from 0.
    pub(super) index: usize,
}

/// An element's attributes, and where it lies: left, top, right, bottom.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) attributes: Map<String, Value>,
    pub(super) bounds: [i32; 4],
}

/// A step of XPath: a tag, attributes with their values, and which of those that are found.
struct Step {
    tag: String,
    wanted: Vec<(String, String)>,
    number: Option<usize>,
}

/// Finds all elements that a selector means, in the order of the tree.
pub(super) fn all(xml: &str, using: &str, value: &str, front: &str) -> Result<Vec<Found>, Refusal> {
    let document = Document::parse(xml).map_err(|error| Refusal::unknown(error.to_string()))?;
    let step = step(using, value)?;
    let whole_id = format!("{front}:id/{value}");
    let fits = |node: &Node| {
        (step.tag == "*" || node.tag_name().name() == step.tag)
            && step.wanted.iter().all(|(name, wanted)| {
                let own = node.attribute(name.as_str());
                own == Some(wanted) || (using == "id" && own == Some(&whole_id))
            })
    };
    let found = document.descendants().filter(|node| node.is_element() && node.has_attribute("bounds")).filter(fits);
    let found: Vec<Found> = found.filter_map(read).collect();
    Ok(match step.number {
        Some(number) => found.into_iter().skip(number.saturating_sub(1)).take(1).collect(),
        None => found,
    })
}

fn step(using: &str, value: &str) -> Result<Step, Refusal> {
    let of = |name: &str| Step { tag: "*".to_owned(), wanted: vec![(name.to_owned(), value.to_owned())], number: None };
    match using {
        "id" => Ok(of("resource-id")),
        "accessibility id" => Ok(of("content-desc")),
        "class name" => Ok(of("class")),
        "xpath" => xpath(value).ok_or_else(|| invalid(value)),
        "-android uiautomator" => selector(value).ok_or_else(|| invalid(value)),
        _ => Err(Refusal::new(400, "invalid selector", format!("Unsupported locator strategy: {using}"))),
    }
}

fn invalid(value: &str) -> Refusal {
    let message =
        format!("the virtual phone takes //TAG[@name=\"value\"][number] and new UiSelector().text(\"…\"), not {value}");
    Refusal::new(400, "invalid selector", message)
}

fn xpath(value: &str) -> Option<Step> {
    let whole = Regex::new(r#"^//(\*|[\w.]+)((?:\[@[\w-]+\s*=\s*(?:"[^"]*"|'[^']*')\])*)(?:\[(\d+)\])?$"#).ok()?;
    let one = Regex::new(r#"@([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')"#).ok()?;
    let parts = whole.captures(value.trim())?;
    let wanted = one.captures_iter(&parts[2]).map(|pair| {
        let value = pair.get(2).or(pair.get(3)).map_or("", |value| value.as_str());
        (pair[1].to_owned(), value.to_owned())
    });
    let number = parts.get(3).and_then(|number| number.as_str().parse().ok());
    Some(Step { tag: parts[1].to_owned(), wanted: wanted.collect(), number })
}

fn selector(value: &str) -> Option<Step> {
    let whole = Regex::new(r#"^new UiSelector\(\)\.(text|description|resourceId|className)\("([^"]*)"\)$"#).ok()?;
    let parts = whole.captures(value.trim())?;
    let name = match &parts[1] {
        "description" => "content-desc",
        "resourceId" => "resource-id",
        "className" => "class",
        _ => "text",
    };
    Some(Step { tag: "*".to_owned(), wanted: vec![(name.to_owned(), parts[2].to_owned())], number: None })
}

fn read(node: Node) -> Option<Found> {
    let attributes = node.attributes().map(|one| (one.name().to_owned(), Value::from(one.value()))).collect();
    let numbers = node.attribute("bounds")?.split(|c: char| !(c.is_ascii_digit() || c == '-'));
    let bounds: Vec<i32> = numbers.filter_map(|number| number.parse().ok()).collect();
    Some(Found { attributes, bounds: bounds.try_into().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_in_every_way() {
        let xml = r#"<hierarchy><android.widget.Button class="android.widget.Button" text="a" content-desc="b" resource-id="p:id/c" bounds="[-1,2][3,4]"/>
            <android.widget.Button class="android.widget.Button" text="x" bounds="[0,0][1,1]"/></hierarchy>"#;
        let count = |using: &str, value: &str| {
            all(xml, using, value, "p").map(|found| found.len()).map_err(|error| error.error)
        };
        for (using, value, found) in [
            ("id", "c", 1),
            ("id", "p:id/c", 1),
            ("accessibility id", "b", 1),
            ("class name", "android.widget.Button", 2),
            ("xpath", "//android.widget.Button", 2),
            ("xpath", "//*[@text='x']", 1),
            ("xpath", "//android.widget.Button[@text=\"a\"][@resource-id=\"p:id/c\"][1]", 1),
            ("-android uiautomator", "new UiSelector().text(\"a\")", 1),
            ("id", "nope", 0),
        ] {
            assert_eq!(count(using, value), Ok(found), "{using} {value}");
        }
        assert_eq!(count("xpath", "//a/b"), Err("invalid selector"));
        assert_eq!(count("css", "a"), Err("invalid selector"));
        assert_eq!(all(xml, "id", "c", "p").unwrap()[0].bounds, [-1, 2, 3, 4]);
    }
}
