//! The functions of XPath 1.0 that a screen has a use for, and four of 2.0 that inspectors offer.

use super::evaluate::{Evaluator, Focus};
use super::parser::Expression;
use super::value::{Node, Value};

/// A function: its name, and how many arguments it takes at least and at most.
pub(super) struct Function {
    pub name: &'static str,
    least: usize,
    most: usize,
    call: for<'a> fn(&Call<'a>) -> Result<Value, String>,
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

const fn function(
    name: &'static str,
    least: usize,
    most: usize,
    call: for<'a> fn(&Call<'a>) -> Result<Value, String>,
) -> Function {
    Function { name, least, most, call }
}

static FUNCTIONS: &[Function] = &[
    function("boolean", 1, 1, |call| Ok(Value::Flag(call.value(0)?.flag()))),
    function("ceiling", 1, 1, |call| Ok(Value::Number(call.number(0)?.ceil()))),
    function("concat", 2, 20, concat),
    function("contains", 2, 2, |call| Ok(Value::Flag(call.text(0)?.contains(&call.text(1)?)))),
    function("count", 1, 1, |call| Ok(Value::Number(precise(call.nodes(0)?.len())))),
    function("ends-with", 2, 2, |call| Ok(Value::Flag(call.text(0)?.ends_with(&call.text(1)?)))),
    function("false", 0, 0, |_| Ok(Value::Flag(false))),
    function("floor", 1, 1, |call| Ok(Value::Number(call.number(0)?.floor()))),
    function("last", 0, 0, |call| Ok(Value::Number(precise(call.focus.size)))),
    function("local-name", 0, 1, |call| Ok(Value::Text(simple(&call.name()?).to_owned()))),
    function("lower-case", 1, 1, |call| Ok(Value::Text(call.text(0)?.to_lowercase()))),
    function("matches", 2, 2, |call| {
        let pattern = crate::pattern::pattern(&call.text(1)?)?;
        Ok(Value::Flag(pattern.is_match(&call.text(0)?)))
    }),
    function("name", 0, 1, |call| Ok(Value::Text(call.name()?))),
    function("normalize-space", 0, 1, |call| {
        Ok(Value::Text(call.text_or_here()?.split_whitespace().collect::<Vec<_>>().join(" ")))
    }),
    function("not", 1, 1, |call| Ok(Value::Flag(!call.value(0)?.flag()))),
    function("number", 1, 1, |call| Ok(Value::Number(call.number(0)?))),
    function("position", 0, 0, |call| Ok(Value::Number(precise(call.focus.position)))),
    function("round", 1, 1, |call| Ok(Value::Number((call.number(0)? + 0.5).floor()))),
    function("starts-with", 2, 2, |call| Ok(Value::Flag(call.text(0)?.starts_with(&call.text(1)?)))),
    function("string", 0, 1, |call| Ok(Value::Text(call.text_or_here()?))),
    function("string-length", 0, 1, |call| Ok(Value::Number(precise(call.text_or_here()?.chars().count())))),
    function("substring", 2, 3, substring),
    function("substring-after", 2, 2, |call| {
        Ok(Value::Text(call.text(0)?.split_once(&call.text(1)?).map(|(_, after)| after.to_owned()).unwrap_or_default()))
    }),
    function("substring-before", 2, 2, |call| {
        Ok(Value::Text(call.text(0)?.split_once(&call.text(1)?).map(|(text, _)| text.to_owned()).unwrap_or_default()))
    }),
    function("sum", 1, 1, |call| {
        let tree = call.evaluator.tree;
        Ok(Value::Number(call.nodes(0)?.iter().map(|node| super::value::number_of(&node.text(tree))).sum()))
    }),
    function("translate", 3, 3, translate),
    function("true", 0, 0, |_| Ok(Value::Flag(true))),
    function("upper-case", 1, 1, |call| Ok(Value::Text(call.text(0)?.to_uppercase()))),
];

/// Finds a function; the error lists those that there are.
pub(super) fn named(name: &str) -> Result<&'static Function, String> {
    FUNCTIONS.iter().find(|function| function.name == name).ok_or_else(|| {
        let names: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
        format!("the function `{name}` is not supported; valid: {}, node, text", names.join(", "))
    })
}

impl Function {
    /// Checks how many arguments are given.
    pub(super) fn check(&self, given: usize) -> Result<(), String> {
        if (self.least..=self.most).contains(&given) {
            return Ok(());
        }
        let wanted =
            if self.least == self.most { self.most.to_string() } else { format!("{} to {}", self.least, self.most) };
        Err(format!("`{}()` takes {wanted} arguments, not {given}", self.name))
    }

    pub(super) fn call(
        &self,
        evaluator: &Evaluator<'_>,
        arguments: &[Expression],
        focus: Focus,
    ) -> Result<Value, String> {
        (self.call)(&Call { evaluator, arguments, focus })
    }
}

/// A call under way.
struct Call<'a> {
    evaluator: &'a Evaluator<'a>,
    arguments: &'a [Expression],
    focus: Focus,
}

impl Call<'_> {
    fn value(&self, index: usize) -> Result<Value, String> {
        self.evaluator.value(&self.arguments[index], self.focus)
    }

    fn text(&self, index: usize) -> Result<String, String> {
        let text = self.value(index)?.text(self.evaluator.tree);
        self.evaluator.pay(text.len() / 16)?;
        Ok(text)
    }

    fn number(&self, index: usize) -> Result<f64, String> {
        Ok(self.value(index)?.number(self.evaluator.tree))
    }

    fn nodes(&self, index: usize) -> Result<Vec<Node>, String> {
        match self.value(index)? {
            Value::Nodes(nodes) => Ok(nodes),
            _ => Err("a function that takes elements was given something else".to_owned()),
        }
    }

    fn text_or_here(&self) -> Result<String, String> {
        if self.arguments.is_empty() { Ok(self.focus.node.text(self.evaluator.tree)) } else { self.text(0) }
    }

    /// Returns the class of an element, or the name of an attribute.
    fn name(&self) -> Result<String, String> {
        let node = if self.arguments.is_empty() { Some(self.focus.node) } else { self.nodes(0)?.first().copied() };
        Ok(match node {
            Some(Node::Element(at)) => self.evaluator.tree.element(at).class.clone(),
            Some(Node::Attribute(_, attribute)) => attribute.name.to_owned(),
            _ => String::new(),
        })
    }
}

fn concat(call: &Call<'_>) -> Result<Value, String> {
    (0..call.arguments.len()).map(|index| call.text(index)).collect::<Result<String, _>>().map(Value::Text)
}

/// Takes the characters whose places, counted from 1, lie in the rounded range.
fn substring(call: &Call<'_>) -> Result<Value, String> {
    let round = |number: f64| (number + 0.5).floor();
    let first = round(call.number(1)?);
    let end = if call.arguments.len() > 2 { first + round(call.number(2)?) } else { f64::INFINITY };
    let text = call.text(0)?;
    let places = text.chars().enumerate().map(|(index, c)| (precise(index + 1), c));
    Ok(Value::Text(places.filter(|(place, _)| *place >= first && *place < end).map(|(_, c)| c).collect()))
}

fn translate(call: &Call<'_>) -> Result<Value, String> {
    let (from, to): (Vec<char>, Vec<char>) = (call.text(1)?.chars().collect(), call.text(2)?.chars().collect());
    let text = call.text(0)?;
    call.evaluator.pay(text.len() * from.len() / 16)?;
    let replaced = |c: char| match from.iter().position(|other| *other == c) {
        Some(index) => to.get(index).copied(),
        None => Some(c),
    };
    Ok(Value::Text(text.chars().filter_map(replaced).collect()))
}

fn simple(class: &str) -> &str {
    class.rsplit(['.', '$']).next().unwrap_or(class)
}

/// Counts on a screen are far below what a float tells apart.
#[expect(clippy::cast_precision_loss, reason = "no screen has 2^52 of anything")]
fn precise(count: usize) -> f64 {
    count as f64
}
