//! XPath over the tree: steps of `/` and `//`, `..` and `.`, with tags, `*`, and predicates of attributes and places.
//!
//! A subset: enough for what clients and people write; anything else is an invalid selector.

use super::element::Element;
use super::predicate::Operand;
use super::{find, words};

/// A step.
#[derive(Debug)]
struct Step {
    is_deep: bool,
    /// `Button`, `*`, or `..` for what lies around.
    tag: String,
    tests: Vec<Expression>,
}

/// What stands in brackets.
#[derive(Debug)]
enum Expression {
    Number(i64),
    Last,
    Not(Box<Expression>),
    All(Vec<Expression>),
    Any(Vec<Expression>),
    Has(String),
    /// An attribute, `=`, `!=`, `contains`, `starts-with` or `ends-with`, and a text.
    Compare(String, &'static str, String),
}

/// Finds all elements that a path means; one that begins with a dot begins at `base`.
pub(super) fn all<'a>(root: &'a Element, base: &'a Element, path: &str) -> Result<Vec<&'a Element>, String> {
    let trouble = || format!("Cannot evaluate the xpath \"{path}\"");
    let trimmed = path.trim();
    let (is_inner, trimmed) = match trimmed.strip_prefix('.').filter(|rest| rest.starts_with('/')) {
        Some(rest) => (true, rest),
        None => (false, trimmed),
    };
    // A parenthesis around a path with a number behind it counts among all that it finds.
    if let Some((inside, number)) = trimmed.strip_prefix('(').and_then(|rest| rest.rsplit_once(")[")) {
        let found = all(root, base, inside)?;
        let number = number.strip_suffix(']').ok_or_else(trouble)?;
        let at = if number == "last()" { found.len() } else { number.parse().map_err(|_| trouble())? };
        return Ok(at.checked_sub(1).and_then(|at| found.get(at).copied()).into_iter().collect());
    }
    let mut reader = Reader { rest: trimmed };
    let mut found: Vec<Option<&Element>> = vec![if is_inner { Some(base) } else { None }];
    while !reader.rest.is_empty() {
        let step = reader.step().ok_or_else(trouble)?;
        let mut next: Vec<&Element> = Vec::new();
        for from in found {
            for element in stepped(root, from, &step)? {
                if !next.iter().any(|known| std::ptr::eq(*known, element)) {
                    next.push(element);
                }
            }
        }
        found = next.into_iter().map(Some).collect();
    }
    Ok(found.into_iter().flatten().collect())
}

/// Takes a step from an element, or from above the root.
fn stepped<'a>(root: &'a Element, from: Option<&'a Element>, step: &Step) -> Result<Vec<&'a Element>, String> {
    if step.tag == ".." {
        return Ok(from.and_then(|from| parent(root, from)).into_iter().collect());
    }
    let mut groups: Vec<Vec<&Element>> = Vec::new();
    match (from, step.is_deep) {
        (None, false) => groups.push(vec![root]),
        (Some(from), false) => groups.push(from.children.iter().collect()),
        (from, true) => {
            if from.is_none() {
                groups.push(vec![root]);
            }
            from.unwrap_or(root).walk(&mut |element| groups.push(element.children.iter().collect()));
        }
    }
    // Places are counted among siblings.
    let mut found = Vec::new();
    for group in groups {
        let fits = |element: &&Element| step.tag == "*" || element.kind == words::kind(&step.tag);
        let mut left: Vec<&Element> = group.into_iter().filter(fits).collect();
        for test in &step.tests {
            let count = left.len();
            let mut kept = Vec::new();
            for (element, place) in left.into_iter().zip(1..) {
                if holds(test, element, (place, count))? {
                    kept.push(element);
                }
            }
            left = kept;
        }
        found.extend(left);
    }
    Ok(found)
}

fn parent<'a>(root: &'a Element, of: &Element) -> Option<&'a Element> {
    if root.children.iter().any(|child| std::ptr::eq(child, of)) {
        return Some(root);
    }
    root.children.iter().find_map(|child| parent(child, of))
}

fn holds(test: &Expression, element: &Element, (place, count): (usize, usize)) -> Result<bool, String> {
    let again = |test: &Expression| holds(test, element, (place, count));
    Ok(match test {
        Expression::Number(number) => i64::try_from(place) == Ok(*number),
        Expression::Last => place == count,
        Expression::Not(test) => !again(test)?,
        Expression::All(tests) => tests.iter().try_fold(true, |all, test| Ok::<_, String>(all && again(test)?))?,
        Expression::Any(tests) => tests.iter().try_fold(false, |any, test| Ok::<_, String>(any || again(test)?))?,
        Expression::Has(name) => text(element, name)?.is_some(),
        Expression::Compare(name, how, wanted) => {
            let own = text(element, name)?;
            match (own, *how) {
                (None, how) => how != "=" && how != "!=" && wanted.is_empty(),
                (Some(own), "=") => own == *wanted,
                (Some(own), "!=") => own != *wanted,
                (Some(own), "contains") => own.contains(wanted),
                (Some(own), "starts-with") => own.starts_with(wanted),
                (Some(own), _) => own.ends_with(wanted),
            }
        }
    })
}

/// Returns an attribute as the XML tells it.
fn text(element: &Element, name: &str) -> Result<Option<String>, String> {
    Ok(match find::attribute(element, name)? {
        Operand::Text(text) => Some(text),
        Operand::Number(number) if find::is_truth(name) => {
            Some(if number == 0.0 { "false" } else { "true" }.to_owned())
        }
        Operand::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn step(&mut self) -> Option<Step> {
        let is_deep = self.sign("//");
        if !is_deep && !self.sign("/") {
            return None;
        }
        if self.sign("..") {
            return Some(Step { is_deep, tag: "..".to_owned(), tests: Vec::new() });
        }
        let tag = self.name("*")?;
        let mut tests = Vec::new();
        while self.sign("[") {
            tests.push(self.any()?);
            if !self.sign("]") {
                return None;
            }
        }
        Some(Step { is_deep, tag, tests })
    }

    fn any(&mut self) -> Option<Expression> {
        let mut tests = vec![self.all()?];
        while self.sign("or ") {
            tests.push(self.all()?);
        }
        Some(if tests.len() == 1 { tests.remove(0) } else { Expression::Any(tests) })
    }

    fn all(&mut self) -> Option<Expression> {
        let mut tests = vec![self.one()?];
        while self.sign("and ") {
            tests.push(self.one()?);
        }
        Some(if tests.len() == 1 { tests.remove(0) } else { Expression::All(tests) })
    }

    fn one(&mut self) -> Option<Expression> {
        if self.sign("last()") {
            return Some(Expression::Last);
        }
        if self.sign("not(") {
            let test = self.any()?;
            return self.sign(")").then(|| Expression::Not(Box::new(test)));
        }
        if self.sign("(") {
            let test = self.any()?;
            return self.sign(")").then_some(test);
        }
        for how in ["contains", "starts-with", "ends-with"] {
            if self.sign(&format!("{how}(")) {
                let name = if self.sign("@") { self.name("")? } else { return None };
                let wanted = if self.sign(",") { self.text()? } else { return None };
                return self.sign(")").then_some(Expression::Compare(name, how, wanted));
            }
        }
        if self.sign("@") {
            let name = self.name("")?;
            let how = ["!=", "="].into_iter().find(|how| self.sign(how));
            return match how {
                Some(how) => Some(Expression::Compare(name, how, self.text()?)),
                None => Some(Expression::Has(name)),
            };
        }
        self.name("").and_then(|number| number.parse().ok()).map(Expression::Number)
    }

    fn text(&mut self) -> Option<String> {
        let quote = self.rest.chars().next()?;
        if !matches!(quote, '"' | '\'') {
            return self.name("");
        }
        let (text, rest) = self.rest[1..].split_once(quote)?;
        self.rest = rest.trim_start();
        Some(text.to_owned())
    }

    fn name(&mut self, also: &str) -> Option<String> {
        let end = self.rest.find(|sign: char| !(sign.is_alphanumeric() || also.contains(sign)));
        let (name, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest.trim_start();
        Some(name.to_owned()).filter(|name| !name.is_empty())
    }

    fn sign(&mut self, sign: &str) -> bool {
        let rest = self.rest.strip_prefix(sign).map(str::trim_start);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uixt_canvas::geometry::Area;

    #[test]
    fn paths_find_what_they_name() {
        let leaf = |kind, label: &str| Element { label: label.into(), ..Element::new(kind, Area::default()) };
        let cell = |label: &str| Element { children: vec![leaf("StaticText", label)], ..leaf("Cell", "") };
        let table = Element { children: vec![cell("a"), cell("bc")], ..leaf("Table", "") };
        let root = Element { children: vec![table, leaf("Button", "a")], ..leaf("Window", "") };
        let labels = |path: &str| {
            let found = all(&root, &root, path);
            found
                .map(|found| found.iter().map(|one| format!("{}{}", one.kind, one.label)).collect::<Vec<_>>().join(" "))
        };
        for (path, found) in [
            ("//XCUIElementTypeStaticText", "StaticTexta StaticTextbc"),
            ("//*[@label='a']", "Buttona StaticTexta"),
            ("/XCUIElementTypeWindow/XCUIElementTypeTable/XCUIElementTypeCell[2]/*", "StaticTextbc"),
            ("//XCUIElementTypeCell[last()]//XCUIElementTypeStaticText[contains(@label, \"b\")]", "StaticTextbc"),
            ("//*[@type=\"XCUIElementTypeButton\" and @enabled='true' or @name='zz']", "Buttona"),
            ("(//XCUIElementTypeStaticText)[2]", "StaticTextbc"),
            ("//XCUIElementTypeStaticText[@label='bc']/../..", "Table"),
            ("//*[not(@label) and starts-with(@type, 'XCUIElementTypeTab')]", "Table"),
            (".//XCUIElementTypeButton", "Buttona"),
        ] {
            assert_eq!(labels(path).as_deref(), Ok(found), "{path}");
        }
        for path in ["XCUI", "//", "//a[", "//*[text()='x']", "//*[@nope='x']"] {
            assert!(all(&root, &root, path).is_err(), "{path}");
        }
    }
}
