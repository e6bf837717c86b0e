//! A parsed CSS-like selector and a tree → the elements that it selects. Bounded: a compound is tried once on an element.

use super::css::{Combinator, Complex, Compound, Css, Operator, Test};
use crate::driver::Element;
use crate::tree::Tree;

/// Tells of every element whether the selector selects it.
pub(super) fn select(css: &Css, tree: &Tree) -> Vec<bool> {
    let mut selected = vec![false; tree.len()];
    for complex in &css.0 {
        let chosen = alternative(complex, tree);
        selected.iter_mut().zip(chosen).for_each(|(selected, chosen)| *selected |= chosen);
    }
    selected
}

/// Goes from left to right, with the set of what the compounds so far select.
fn alternative(complex: &Complex, tree: &Tree) -> Vec<bool> {
    let mut chosen: Option<Vec<bool>> = None;
    for (combinator, compound) in &complex.0 {
        let reached = chosen.map(|chosen| reach(*combinator, &chosen, tree));
        let mut holding = satisfied(compound, tree);
        if let Some(reached) = reached {
            holding.iter_mut().zip(reached).for_each(|(holding, reached)| *holding &= reached);
        }
        chosen = Some(holding);
    }
    chosen.unwrap_or_default()
}

/// Returns what stands to a chosen element as the combinator says.
fn reach(combinator: Combinator, chosen: &[bool], tree: &Tree) -> Vec<bool> {
    let mut reached = vec![false; tree.len()];
    match combinator {
        Combinator::Inside => {
            (0..tree.len()).for_each(|at| reached[at] = tree.parent(at).is_some_and(|up| chosen[up] || reached[up]));
        }
        Combinator::DirectlyInside => {
            (0..tree.len()).for_each(|at| reached[at] = tree.parent(at).is_some_and(|up| chosen[up]));
        }
        Combinator::Next | Combinator::Later => {
            let parents = std::iter::once(None).chain((0..tree.len()).map(Some));
            for parent in parents {
                let mut before = false;
                for child in tree.children(parent) {
                    reached[child] = before;
                    before = chosen[child] || (before && combinator == Combinator::Later);
                }
            }
        }
    }
    reached
}

/// Tells of every element whether it is all that the compound says.
fn satisfied(compound: &Compound, tree: &Tree) -> Vec<bool> {
    let mut holding = vec![true; tree.len()];
    for test in &compound.0 {
        match test {
            Test::HasText(text) => keep(&mut holding, &above(tree, &|at| says(tree.element(at), text), true)),
            Test::HasInside(inner) => {
                let inner = satisfied(inner, tree);
                keep(&mut holding, &above(tree, &|at| inner[at], false));
            }
            Test::Not(inner) => {
                let inner: Vec<bool> = satisfied(inner, tree).into_iter().map(|holds| !holds).collect();
                keep(&mut holding, &inner);
            }
            own => (0..tree.len()).for_each(|at| holding[at] = holding[at] && holds(own, tree, at)),
        }
    }
    holding
}

fn keep(holding: &mut [bool], also: &[bool]) {
    holding.iter_mut().zip(also).for_each(|(holding, also)| *holding &= also);
}

/// Returns what has an element that passes inside of it; `or_is`: or passes itself.
fn above(tree: &Tree, passes: &dyn Fn(usize) -> bool, or_is: bool) -> Vec<bool> {
    let mut has = vec![false; tree.len()];
    for at in (0..tree.len()).rev() {
        let itself = passes(at);
        if let Some(parent) = tree.parent(at) {
            has[parent] |= itself || has[at];
        }
        has[at] |= or_is && itself;
    }
    has
}

/// Tells whether a test that looks at one element alone holds.
fn holds(test: &Test, tree: &Tree, at: usize) -> bool {
    let element = tree.element(at);
    match test {
        Test::Role(role) => element.role == *role,
        Test::Id(id) => element.id == *id || element.short_id() == id,
        Test::Class(class) => is_class(element, class),
        Test::Has(attribute) => !matches!(&*attribute.read(element), "" | "false"),
        Test::Attribute { attribute, operator, value, any_case } => {
            let actual = attribute.read(element);
            let actual = if *any_case { actual.to_lowercase().into() } else { actual };
            let short = attribute.name == "id" && *operator == Operator::Equal && element.short_id() == value;
            short || compare(&actual, *operator, value)
        }
        Test::NthChild(step, start) => is_nth(tree.position(at), *step, *start),
        Test::LastChild => tree.position(at) + 1 == tree.siblings(at),
        // These look further and are seen to by `satisfied`.
        Test::Any | Test::HasText(_) | Test::HasInside(_) | Test::Not(_) => true,
    }
}

/// Tells whether an element is of a class, with or without its package.
pub(super) fn is_class(element: &Element, class: &str) -> bool {
    element.class == class || element.class.rsplit(['.', '$']).next() == Some(class)
}

fn says(element: &Element, lower: &str) -> bool {
    [&element.text, &element.label, &element.hint].into_iter().any(|text| text.to_lowercase().contains(lower))
}

fn is_nth(position: usize, step: i64, start: i64) -> bool {
    let beyond = i64::try_from(position + 1).unwrap_or(i64::MAX) - start;
    if step == 0 { beyond == 0 } else { beyond % step == 0 && beyond / step >= 0 }
}

fn compare(actual: &str, operator: Operator, wanted: &str) -> bool {
    match operator {
        Operator::Equal => actual == wanted,
        Operator::Begins => actual.starts_with(wanted),
        Operator::Ends => actual.ends_with(wanted),
        Operator::Contains => actual.contains(wanted),
        Operator::Word => actual.split_whitespace().any(|word| word == wanted),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests_screen::{screen, selected};
    use super::*;
    use crate::tree::Tree;

    fn chosen(selector: &str) -> Vec<String> {
        selected(selector).unwrap_or_else(|message| panic!("{message}"))
    }

    #[test]
    fn compounds_match_one_element() {
        for (selector, expected) in [
            ("heading", &["Shop"][..]),
            ("#add", &["Add tea", "Add milk"]),
            ("#com.a:id/title", &["Shop"]),
            (".Button", &["Add tea", "Add milk"]),
            ("android.widget.Button", &["Add tea", "Add milk"]),
            (".android.widget.Button#add:disabled", &["Add milk"]),
            ("Button[enabled=true]", &["Add tea"]),
            ("[text^=Green]", &["Green tea"]),
            ("[text$='tea']", &["Green tea"]),
            ("[content-desc*=\"milk\"]", &["Add milk"]),
            ("[label=\"add milk\" i]", &["Add milk"]),
            ("text[text~=tea]", &["Green tea"]),
            ("[resource-id=title]", &["Shop"]),
            ("[checked]", &["Gift"]),
            ("switch:checked, heading", &["Shop", "Gift"]),
            ("text:not([text*=i])", &["Green tea", "Total: 3"]),
            ("*[bounds='[0,0][100,20]']", &["Shop"]),
        ] {
            assert_eq!(chosen(selector), expected, "{selector}");
        }
        assert_eq!(chosen("[text=Total]"), Vec::<String>::new());
    }

    #[test]
    fn combinators_and_places_among_siblings() {
        for (selector, expected) in [
            ("list button", &["Add tea", "Add milk"][..]),
            ("list > button", &[]),
            ("list > group > button", &["Add tea", "Add milk"]),
            ("list > :first-child > button", &["Add tea"]),
            ("list > :last-child text", &["Milk"]),
            ("list > :nth-child(2) text", &["Milk"]),
            ("list > :nth-child(odd) text", &["Green tea"]),
            ("list > :nth-child(-n+1) text", &["Green tea"]),
            ("list > group:has-text(milk) button", &["Add milk"]),
            ("group:has([text='Green tea']) > button", &["Add tea"]),
            ("heading + list button:nth-child(2)", &["Add tea", "Add milk"]),
            ("heading ~ switch", &["Gift"]),
            ("heading + switch", &[]),
            ("list ~ text", &["Total: 3"]),
        ] {
            assert_eq!(chosen(selector), expected, "{selector}");
        }
    }

    #[test]
    fn a_chain_of_steps_costs_no_more_than_its_length() {
        let mut screen = screen();
        for _ in 0..240 {
            let child = std::mem::take(&mut screen.roots);
            screen.roots = vec![Element { role: "group", children: child, ..Element::default() }];
        }
        let chain = "* ".repeat(400) + "switch";
        let css = Css::parse(chain.trim()).expect("a selector");
        let began = std::time::Instant::now();
        let tree = Tree::of(&screen);
        assert_eq!(select(&css, &tree).iter().filter(|chosen| **chosen).count(), 0);
        assert!(began.elapsed().as_secs() < 3, "{:?}", began.elapsed());
    }
}
