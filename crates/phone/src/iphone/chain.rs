//! Class chains: ``**/XCUIElementTypeCell[`label BEGINSWITH "A"`][-1]/XCUIElementTypeButton[1]`` → the elements that they mean.
//! Source: WDA's wiki, "Class Chain Queries Construction Rules".

use super::element::Element;
use super::find;
use super::predicate::{self, Test};
use super::words;

/// A step of a chain.
struct Step {
    /// Whether it goes down any number of levels.
    is_deep: bool,
    /// `Button`; `Any` or `*` for every kind.
    kind: String,
    tests: Vec<Part>,
}

/// What stands in brackets.
enum Part {
    Holds(Test),
    /// What holds for something below it.
    Contains(Test),
    /// Which of those that are left: from 1, or from the end on where negative.
    Number(i64),
}

/// Finds all elements that a chain means, below an element.
pub(super) fn all<'a>(root: &'a Element, chain: &str) -> Result<Vec<&'a Element>, String> {
    let mut found = vec![root];
    for step in read(chain)? {
        let mut next: Vec<&Element> = Vec::new();
        for element in found {
            let below = if step.is_deep { element.descendants() } else { element.children.iter().collect() };
            let fits = |element: &&Element| matches!(step.kind.as_str(), "Any" | "*") || element.kind == step.kind;
            for element in below.into_iter().filter(fits) {
                if !next.iter().any(|known| std::ptr::eq(*known, element)) {
                    next.push(element);
                }
            }
        }
        for part in &step.tests {
            next = narrowed(next, part)?;
        }
        found = next;
    }
    Ok(found)
}

fn narrowed<'a>(found: Vec<&'a Element>, part: &Part) -> Result<Vec<&'a Element>, String> {
    match part {
        Part::Number(number) => {
            let count = i64::try_from(found.len()).unwrap_or(i64::MAX);
            let at = if *number < 0 { count + number } else { number - 1 };
            Ok(usize::try_from(at).ok().and_then(|at| found.get(at).copied()).into_iter().collect())
        }
        Part::Holds(test) => find::filtered(found, test),
        Part::Contains(test) => {
            let mut kept = Vec::new();
            for element in found {
                if !find::filtered(element.descendants(), test)?.is_empty() {
                    kept.push(element);
                }
            }
            Ok(kept)
        }
    }
}

fn read(chain: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let mut rest = chain.trim();
    while !rest.is_empty() {
        let (is_deep, after) = match rest.strip_prefix("**/") {
            Some(after) => (true, after),
            None => (false, rest),
        };
        let end = after.find(|sign: char| !(sign.is_alphanumeric() || sign == '*')).unwrap_or(after.len());
        let (kind, mut after) = after.split_at(end);
        if kind.is_empty() {
            return Err(format!("Cannot parse class chain query '{chain}': a type is missing"));
        }
        let mut tests = Vec::new();
        while let Some(inside) = after.strip_prefix('[') {
            let (part, rest) =
                bracket(inside).map_err(|why| format!("Cannot parse class chain query '{chain}': {why}"))?;
            tests.push(part);
            after = rest;
        }
        steps.push(Step { is_deep, kind: words::kind(kind).to_owned(), tests });
        rest = match after.strip_prefix('/') {
            Some(rest) if !rest.is_empty() => rest,
            None if after.is_empty() => "",
            _ => return Err(format!("Cannot parse class chain query '{chain}' at '{after}'")),
        };
    }
    if steps.is_empty() { Err(format!("Cannot parse class chain query '{chain}'")) } else { Ok(steps) }
}

/// Reads what stands behind an opening bracket, up to its end; what follows beside it.
fn bracket(inside: &str) -> Result<(Part, &str), String> {
    let quote = inside.chars().next().filter(|sign| matches!(sign, '`' | '$'));
    let Some(quote) = quote else {
        let (number, rest) = inside.split_once(']').ok_or("a bracket is not closed")?;
        let number = number.trim().parse().ok().filter(|number| *number != 0).ok_or("no number")?;
        return Ok((Part::Number(number), rest));
    };
    // Quotes within are written twice.
    let mut text = String::new();
    let mut rest = &inside[1..];
    loop {
        let at = rest.find(quote).ok_or("a predicate is not closed")?;
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match rest.strip_prefix(quote) {
            Some(after) => {
                text.push(quote);
                rest = after;
            }
            None => break,
        }
    }
    let rest = rest.strip_prefix(']').ok_or("a bracket is not closed")?;
    let test = predicate::read(&text)?;
    Ok((if quote == '`' { Part::Holds(test) } else { Part::Contains(test) }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use uixt_canvas::geometry::Area;

    #[test]
    fn chains_go_down_as_they_say() {
        let leaf = |kind, label: &str| Element { label: label.into(), ..Element::new(kind, Area::default()) };
        let cell = |label: &str| Element { children: vec![leaf("StaticText", label)], ..leaf("Cell", "") };
        let table = Element { children: vec![cell("a"), cell("b")], ..leaf("Table", "") };
        let root = Element { children: vec![table, leaf("Button", "a")], ..leaf("Window", "") };
        let labels = |chain: &str| {
            let found =
                all(&root, chain).map(|found| found.iter().map(|one| format!("{}{}", one.kind, one.label)).collect());
            found.map(|found: Vec<String>| found.join(" "))
        };
        for (chain, found) in [
            ("**/XCUIElementTypeStaticText", "StaticTexta StaticTextb"),
            ("XCUIElementTypeTable/XCUIElementTypeCell[-1]/*", "StaticTextb"),
            ("**/XCUIElementTypeCell[`type == 'XCUIElementTypeCell'`][2]", "Cell"),
            ("**/XCUIElementTypeCell[$label == 'b'$]/XCUIElementTypeStaticText", "StaticTextb"),
            ("**/XCUIElementTypeAny[`label == 'a'`]", "StaticTexta Buttona"),
            ("**/XCUIElementTypeButton[7]", ""),
        ] {
            assert_eq!(labels(chain).as_deref(), Ok(found), "{chain}");
        }
        for chain in ["", "**/", "a[", "**/XCUIElementTypeCell[`x]", "**/XCUIElementTypeCell[0]", "a//b"] {
            assert!(all(&root, chain).is_err(), "{chain}");
        }
    }
}
