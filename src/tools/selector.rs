//! A small CSS-like language over one element: `role#id.Class[attribute=value]`.
//!
//! Attributes: text, label, hint, id, class, role, enabled, checked, selected, focused, clickable, password, scrollable;
//! operators: `=`, `^=` begins, `$=` ends, `*=` contains. Combinators (`a b`, `a > b`) are not part of it: `within` does that.

use super::role;
use crate::driver::Element;

/// A parsed selector.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Selector(Vec<Test>);

#[derive(Clone, Debug, PartialEq)]
enum Test {
    Any,
    Role(&'static str),
    Id(String),
    Class(String),
    Attribute { name: String, operator: Operator, value: String },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    Equal,
    Begins,
    Ends,
    Contains,
}

const ATTRIBUTES: &[&str] = &[
    "text",
    "label",
    "hint",
    "id",
    "class",
    "role",
    "enabled",
    "checked",
    "selected",
    "focused",
    "clickable",
    "password",
    "scrollable",
];

/// Attributes that are true or false.
const FLAGS: &[&str] = &["enabled", "checked", "selected", "focused", "clickable", "password", "scrollable"];

impl Selector {
    /// Parses a selector; the error says what is wrong and where (characters, counted from 1).
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut tests = Vec::new();
        let mut rest = text.trim();
        if rest.is_empty() {
            return Err("the selector is empty".to_owned());
        }
        while !rest.is_empty() {
            let (test, after) = parse_test(rest).map_err(|message| {
                format!("selector `{text}`, character {}: {message}", text.len() - rest.len() + 1)
            })?;
            tests.push(test);
            rest = after;
        }
        Ok(Self(tests))
    }

    pub(super) fn matches(&self, element: &Element) -> bool {
        self.0.iter().all(|test| test.matches(element))
    }
}

fn parse_test(rest: &str) -> Result<(Test, &str), String> {
    match rest.as_bytes()[0] {
        b'#' => word(&rest[1..]).map(|(id, after)| (Test::Id(id), after)),
        b'.' => word(&rest[1..]).map(|(class, after)| (Test::Class(class), after)),
        b'[' => attribute(&rest[1..]),
        b' ' | b'>' | b'+' | b'~' => Err("combinators are not supported: use `within`".to_owned()),
        _ => match word(rest)? {
            (star, after) if star == "*" => Ok((Test::Any, after)),
            (name, after) => Ok((Test::Role(role::of(&name)?), after)),
        },
    }
}

fn word(rest: &str) -> Result<(String, &str), String> {
    let end = rest.find(['#', '.', '[', ' ', '>', '+', '~', ']', ',']).unwrap_or(rest.len());
    match end {
        0 => Err("a name is missing".to_owned()),
        _ => Ok((rest[..end].to_owned(), &rest[end..])),
    }
}

fn attribute(rest: &str) -> Result<(Test, &str), String> {
    let at = rest.find('=').ok_or("`[attribute=value]` needs a `=`")?;
    let (name, operator) = match rest[..at].chars().last() {
        Some('^') => (&rest[..at - 1], Operator::Begins),
        Some('$') => (&rest[..at - 1], Operator::Ends),
        Some('*') => (&rest[..at - 1], Operator::Contains),
        _ => (&rest[..at], Operator::Equal),
    };
    let name = name.trim().to_ascii_lowercase();
    if !ATTRIBUTES.contains(&name.as_str()) {
        return Err(format!("unknown attribute `{name}`; valid: {}", ATTRIBUTES.join(", ")));
    }
    let (value, after) = attribute_value(&rest[at + 1..])?;
    if value.is_empty() && operator != Operator::Equal {
        return Err(format!("`{name}` is compared with nothing, which any element satisfies"));
    }
    let value = if name == "role" && operator == Operator::Equal { role::of(&value)?.to_owned() } else { value };
    if FLAGS.contains(&name.as_str()) && (operator != Operator::Equal || !matches!(value.as_str(), "true" | "false")) {
        return Err(format!("write `[{name}=true]` or `[{name}=false]`"));
    }
    Ok((Test::Attribute { name, operator, value }, after))
}

fn attribute_value(rest: &str) -> Result<(String, &str), String> {
    let rest = rest.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (value, after) = match quote {
        Some(quote) => rest[1..].split_once(quote).ok_or("a quote is not closed")?,
        None => rest.split_at(rest.find(']').ok_or("`]` is missing")?),
    };
    let after = after.trim_start().strip_prefix(']').ok_or("`]` is missing")?;
    Ok((value.trim().to_owned(), after))
}

impl Test {
    fn matches(&self, element: &Element) -> bool {
        match self {
            Self::Any => true,
            Self::Role(role) => element.role == *role,
            Self::Id(id) => element.id == *id || element.short_id() == id,
            Self::Class(class) => element.class == *class || element.class.rsplit('.').next() == Some(class),
            Self::Attribute { name, operator, value } => compare(&read(element, name), *operator, value),
        }
    }
}

fn read(element: &Element, name: &str) -> String {
    let flag = |value: bool| value.to_string();
    match name {
        "text" => element.text.clone(),
        "label" => element.label.clone(),
        "hint" => element.hint.clone(),
        "id" => element.id.clone(),
        "class" => element.class.clone(),
        "role" => element.role.to_owned(),
        "enabled" => flag(element.enabled),
        "checked" => flag(element.checked),
        "selected" => flag(element.selected),
        "focused" => flag(element.focused),
        "clickable" => flag(element.clickable),
        "password" => flag(element.password),
        _ => flag(element.scrollable),
    }
}

fn compare(actual: &str, operator: Operator, wanted: &str) -> bool {
    match operator {
        Operator::Equal => actual == wanted,
        Operator::Begins => actual.starts_with(wanted),
        Operator::Ends => actual.ends_with(wanted),
        Operator::Contains => actual.contains(wanted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn button() -> Element {
        Element {
            role: "button",
            class: "android.widget.Button".to_owned(),
            id: "com.a:id/ok".to_owned(),
            text: "Total: 3".to_owned(),
            enabled: true,
            ..Element::default()
        }
    }

    #[test]
    fn a_selector_matches_what_it_says() {
        for selector in [
            "button",
            "#ok",
            "#com.a:id/ok",
            ".Button",
            "button#ok[enabled=true]",
            "[text^=Total]",
            "[text*=': ']",
            "*[text$=\"3\"]",
        ] {
            let parsed = Selector::parse(selector);
            // A dot begins a class, so that a whole identifier is written as an attribute.
            if selector == "#com.a:id/ok" {
                assert!(!parsed.expect(selector).matches(&button()));
                continue;
            }
            assert!(parsed.expect(selector).matches(&button()), "{selector}");
        }
        for selector in ["switch", "#o", "button[enabled=false]", "[text=Total]"] {
            assert!(!Selector::parse(selector).expect(selector).matches(&button()), "{selector}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_selector_is_said() {
        for (selector, part) in [
            ("", "empty"),
            ("list button", "within"),
            ("[colour=red]", "unknown attribute"),
            ("[text=a", "`]`"),
            ("[text='a]", "quote"),
            ("##", "name"),
            ("buton#ok", "did you mean `button`"),
            ("[role=buton]", "unknown role"),
            ("[checked=yes]", "[checked=true]"),
            ("[text^=]", "any element"),
            ("[text$='']", "any element"),
            ("[hint*=\" \"]", "any element"),
        ] {
            let message = Selector::parse(selector).expect_err(selector);
            assert!(message.contains(part), "{selector}: {message}");
        }
    }
}
