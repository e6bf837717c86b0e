//! A selector's text and a screen → the elements that it selects. Two languages, told apart by how they begin: XPath with
//! `/`, `(` or `.`, as Appium Inspector writes it; anything else is CSS-like. Knows one screen and no targets.

mod attribute;
mod css;
mod matching;
mod web;
mod xpath;

use super::tree::Tree;

/// Longest selector, in bytes.
const MAX_LEN: usize = 4_000;

/// A parsed selector.
#[derive(Debug)]
pub(super) struct Selector(Language);

#[derive(Debug)]
enum Language {
    Css(css::Css),
    XPath(xpath::XPath),
}

impl Selector {
    /// Parses a selector; the error says what is wrong and where (characters, counted from 1).
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.len() > MAX_LEN {
            return Err(format!("the selector is longer than {MAX_LEN} bytes"));
        }
        match text.trim() {
            "" => Err("the selector is empty".to_owned()),
            path if xpath::is_xpath(path) => xpath::XPath::parse(path).map(|path| Self(Language::XPath(path))),
            path => css::Css::parse(path).map(|css| Self(Language::Css(css))),
        }
    }

    /// Tells whether it says exactly which elements it means, also where one lies in another.
    pub(super) fn is_exact(&self) -> bool {
        matches!(self.0, Language::XPath(_))
    }

    /// Tells of every element of the tree whether it is selected.
    pub(super) fn select(&self, tree: &Tree) -> Result<Vec<bool>, String> {
        match &self.0 {
            Language::Css(css) => Ok(matching::select(css, tree)),
            Language::XPath(path) => path.select(tree),
        }
    }
}

/// Checks what can be said of a selector before it is known who evaluates it: a browser has an engine of its own, which takes
/// names that no phone has.
pub(super) fn check(text: &str) -> Result<(), String> {
    let Err(message) = Selector::parse(text) else { return Ok(()) };
    if text.len() <= MAX_LEN && web::is_for_pages(text.trim()) {
        return Ok(());
    }
    // A tag is no role of ours; what is wrong is what a page's engine would find wrong.
    let is_of_role = message.contains("unknown role") || message.contains("no role or class");
    Err(web::flaw(text.trim())
        .filter(|_| is_of_role)
        .map_or(message, |flaw| format!("selector `{}`: {flaw}", text.trim())))
}

/// Says what keeps a text from being the selector that it begins as: `p[`, `.card:has(`; none of words.
pub fn flawed(text: &str) -> Option<String> {
    let text = text.trim();
    let begins = text.find(['[', '(']).map(|at| &text[..at]).filter(|begins| !begins.contains(char::is_whitespace));
    web::flaw(text).filter(|_| begins.is_some_and(web::begins_one))
}

/// Tells whether a text that may be either is a selector rather than a text of the screen: `#id`, `//…`, `[a=b]`, `.Class`,
/// `a > b`, `button[text=OK]`. A text that only looks like one is none: it must parse too, but for `#…` and `//…`.
pub fn looks_like_selector(text: &str) -> bool {
    let text = text.trim();
    let name_follows = |prefix: char| {
        text.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
    };
    if name_follows('#') && !text.contains(' ') {
        return true;
    }
    let compares = text.find('[').is_some_and(|open| text[open..].contains('=') && text[open..].contains(']'));
    let structured = name_follows('.')
        || name_follows('#')
        || text.starts_with(['/', '[', '*', '('])
        || text.contains(" > ")
        || compares
        || [":has-text(", ":nth-child(", ":has(", ":not("].iter().any(|part| text.contains(part));
    let meant = text.starts_with("//") || text.starts_with("(//");
    meant
        || (structured
            && text != "/"
            && text != "*"
            && (Selector::parse(text).is_ok() || (compares && web::reads_like_one(text))))
}

/// Tells the same of a text that stands where a selector is expected: there `main a`, `a.big` and `[data-row="1"]` are selectors, too.
pub fn is_meant(text: &str) -> bool {
    let text = text.trim();
    let is_structured =
        text.contains(['.', '#', '[', ':', '>', ' ']) && !text.contains(|c: char| c.is_ascii_uppercase());
    let starts = text.starts_with(|c: char| c.is_ascii_lowercase() || matches!(c, '.' | '#' | '[' | ':' | '*'));
    looks_like_selector(text) || (is_structured && starts && web::reads_like_one(text))
}

/// The screen that the tests of both languages select from.
#[cfg(test)]
mod tests_screen {
    use super::*;
    use crate::driver::{Element, Rect, Screen, Size};

    fn element(role: &'static str, class: &str, id: &str, text: &str, label: &str, children: Vec<Element>) -> Element {
        Element {
            role,
            class: format!("android.widget.{class}"),
            id: if id.is_empty() { String::new() } else { format!("com.a:id/{id}") },
            text: text.to_owned(),
            label: label.to_owned(),
            rect: Rect { left: 0, top: i32::from(id != "title"), right: 100, bottom: 20 },
            enabled: label != "Add milk",
            checked: role == "switch",
            children,
            ..Element::default()
        }
    }

    fn row(name: &str, add: &str) -> Element {
        let text = element("text", "TextView", "", name, "", vec![]);
        let button = element("button", "Button", "add", "", add, vec![]);
        element("group", "LinearLayout", "", "", "", vec![text, button])
    }

    pub(super) fn screen() -> Screen {
        let rows = vec![row("Green tea", "Add tea"), row("Milk", "Add milk")];
        let roots = vec![
            element("heading", "TextView", "title", "Shop", "", vec![]),
            element("list", "ListView", "", "", "", rows),
            element("switch", "Switch", "gift", "Gift", "", vec![]),
            element("text", "TextView", "total", "Total: 3", "", vec![]),
        ];
        Screen {
            package: "com.a".to_owned(),
            size: Size { width: 100, height: 900 },
            lit: true,
            roots,
            ..Screen::default()
        }
    }

    /// Returns the names of what a selector selects.
    pub(super) fn selected(selector: &str) -> Result<Vec<String>, String> {
        let screen = screen();
        let tree = Tree::of(&screen);
        let chosen = Selector::parse(selector)?.select(&tree)?;
        let chosen = (0..tree.len()).filter(|at| chosen[*at]).map(|at| tree.element(at));
        Ok(chosen
            .map(|element| if element.name().is_empty() { element.role } else { element.name() }.to_owned())
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selector_is_told_from_a_text() {
        for selector in [
            "#ok",
            "#com.uixt.shop:id/ok",
            "//button[@text='OK']",
            "(//Button)[2]",
            "[text=OK]",
            "button[text='OK']",
            "list > button",
            ".Button",
            "/hierarchy/android.widget.FrameLayout",
            "button:has-text('OK')",
            "a[href='/b.html']",
            "a[href^='/b'] > span",
            "form[action='/go'] input",
        ] {
            assert!(looks_like_selector(selector), "{selector}");
        }
        for text in [
            "OK",
            "确定",
            "#1",
            "# 1 in books",
            "and/or",
            "...",
            ".5 kg",
            "a > b",
            "Price [EUR]",
            "/",
            "*",
            "(none)",
            "[Draft]",
            "Size [w=3] and more",
            "1 > 0",
            "button",
            "/ month",
            "*new*",
        ] {
            assert!(!looks_like_selector(text), "{text}");
        }
    }
}

#[cfg(test)]
mod tests_meaning {
    use super::*;

    #[test]
    fn what_stands_for_a_selector_is_one_where_it_reads_like_one() {
        for selector in
            ["a.p-2", "a[href='/b.html']", "html a", "main > a", "[data-x=\"1\"]", "#z", "//a", "input:checked"]
        {
            assert!(is_meant(selector), "{selector}");
        }
        for text in
            ["Sign in", "button", "Main menu", "设置", "3.5", "a lot of tea", "Total: 3", "e.g. this", "search data"]
        {
            assert!(!is_meant(text), "{text}");
        }
    }
}
