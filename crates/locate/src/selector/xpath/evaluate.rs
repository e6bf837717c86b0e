//! An expression and a tree → the elements that it selects, within a budget of work.

use std::cell::Cell;

use super::parser::{Axis, Expression, NodeTest, Path, Start, Step};
use super::value::{Node, Value};
use crate::selector::attribute::Attribute;
use crate::selector::matching::is_class;
use crate::tree::Tree;

/// Places that one evaluation may visit: `//a[.//b]` visits some 50,000 on a screen of 5,000 elements.
const MOST_WORK: usize = 5_000_000;

/// Where an expression is evaluated.
#[derive(Clone, Copy)]
pub(super) struct Focus {
    pub node: Node,
    /// From 1.
    pub position: usize,
    pub size: usize,
}

/// Evaluates expressions on one tree.
pub(super) struct Evaluator<'a> {
    pub tree: &'a Tree<'a>,
    left: Cell<usize>,
}

/// Tells of every element whether the expression selects it.
pub(super) fn select(expression: &Expression, tree: &Tree) -> Result<Vec<bool>, String> {
    let evaluator = Evaluator { tree, left: Cell::new(MOST_WORK) };
    let nodes = match evaluator.value(expression, Focus { node: Node::Screen, position: 1, size: 1 })? {
        Value::Nodes(nodes) => nodes,
        Value::Text(_) => return Err("it gives a text and no elements".to_owned()),
        Value::Number(_) => return Err("it gives a number and no elements".to_owned()),
        Value::Flag(_) => return Err("it gives true or false and no elements".to_owned()),
    };
    let mut selected = vec![false; tree.len()];
    for node in nodes {
        match node {
            Node::Element(at) => selected[at] = true,
            Node::Screen => return Err("it selects the screen itself and no element".to_owned()),
            Node::Text(_) => return Err("it selects texts, not elements: leave the last `/text()` out".to_owned()),
            Node::Attribute(..) => {
                return Err("it selects attributes, not elements: leave the last `/@…` out".to_owned());
            }
        }
    }
    Ok(selected)
}

impl Evaluator<'_> {
    /// Takes from the budget.
    pub(super) fn pay(&self, work: usize) -> Result<(), String> {
        let left = self.left.get().checked_sub(work).ok_or("it takes too much work on this screen: begin it nearer")?;
        self.left.set(left);
        Ok(())
    }

    pub(super) fn value(&self, expression: &Expression, focus: Focus) -> Result<Value, String> {
        self.pay(1)?;
        match expression {
            Expression::Text(text) => Ok(Value::Text(text.clone())),
            Expression::Number(number) => Ok(Value::Number(*number)),
            Expression::Negated(inner) => Ok(Value::Number(-self.value(inner, focus)?.number(self.tree))),
            Expression::Call(function, arguments) => function.call(self, arguments, focus),
            Expression::Path(path) => self.path(path, focus).map(Value::Nodes),
            Expression::Binary(operator, left, right) => self.binary(operator, left, right, focus),
        }
    }

    fn binary(&self, operator: &str, left: &Expression, right: &Expression, focus: Focus) -> Result<Value, String> {
        let left = self.value(left, focus)?;
        match operator {
            "and" if !left.flag() => return Ok(Value::Flag(false)),
            "or" if left.flag() => return Ok(Value::Flag(true)),
            _ => {}
        }
        let right = self.value(right, focus)?;
        let numbers = || (left.number(self.tree), right.number(self.tree));
        let arithmetic = |(left, right): (f64, f64)| match operator {
            "+" => left + right,
            "-" => left - right,
            "*" => left * right,
            "div" => left / right,
            _ => left % right,
        };
        match operator {
            "and" | "or" => Ok(Value::Flag(right.flag())),
            "|" => match (left, right) {
                (Value::Nodes(mut nodes), Value::Nodes(more)) => {
                    nodes.extend(more);
                    Ok(Value::Nodes(in_order(nodes)))
                }
                _ => Err("`|` stands between elements".to_owned()),
            },
            "+" | "-" | "*" | "div" | "mod" => Ok(Value::Number(arithmetic(numbers()))),
            _ => self.compare(operator, &left, &right).map(Value::Flag),
        }
    }

    /// Compares as XPath 1.0, §3.4, says: a set of nodes holds where one of its nodes does.
    fn compare(&self, operator: &str, left: &Value, right: &Value) -> Result<bool, String> {
        match (left, right) {
            (Value::Nodes(_), Value::Flag(_)) | (Value::Flag(_), Value::Nodes(_)) => {}
            (Value::Nodes(nodes), _) => return self.any(nodes, &|one| self.compare(operator, &one, right)),
            (_, Value::Nodes(nodes)) => return self.any(nodes, &|one| self.compare(operator, left, &one)),
            _ => {}
        }
        let is_equality = matches!(operator, "=" | "!=");
        let holds = match (left, right) {
            (Value::Flag(_), _) | (_, Value::Flag(_)) if is_equality => Some(left.flag() == right.flag()),
            (Value::Text(left), Value::Text(right)) if is_equality => Some(left == right),
            _ => None,
        };
        if let Some(equal) = holds {
            return Ok(equal == (operator == "="));
        }
        let (left, right) = (left.number(self.tree), right.number(self.tree));
        Ok(match operator {
            "=" => (left - right).abs() < f64::EPSILON,
            "!=" => (left - right).abs() >= f64::EPSILON || left.is_nan() || right.is_nan(),
            "<" => left < right,
            "<=" => left <= right,
            ">" => left > right,
            _ => left >= right,
        })
    }

    fn any(&self, nodes: &[Node], test: &dyn Fn(Value) -> Result<bool, String>) -> Result<bool, String> {
        for node in nodes {
            let text = node.text(self.tree);
            self.pay(1 + text.len() / 16)?;
            if test(Value::Text(text))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn path(&self, path: &Path, focus: Focus) -> Result<Vec<Node>, String> {
        let mut nodes = match &path.start {
            Start::Screen => vec![Node::Screen],
            Start::Here => vec![focus.node],
            Start::Of(expression, predicates) => match self.value(expression, focus)? {
                Value::Nodes(nodes) => self.narrow(nodes, predicates)?,
                _ => return Err("a `/` or `[…]` follows something that is not an element".to_owned()),
            },
        };
        for step in &path.steps {
            let mut reached = Vec::new();
            for node in nodes {
                reached.extend(self.step(step, node)?);
            }
            nodes = in_order(reached);
        }
        Ok(nodes)
    }

    fn step(&self, step: &Step, from: Node) -> Result<Vec<Node>, String> {
        let on_axis = match (step.axis, &step.test, from) {
            // Most steps to an attribute are of this kind.
            (Axis::Attribute, NodeTest::Attribute(attribute), Node::Element(at)) => {
                vec![Node::Attribute(at, *attribute)]
            }
            // The screen is both the document and its one element.
            (Axis::Child, NodeTest::Hierarchy, Node::Screen) => vec![Node::Screen],
            _ => self.axis(step.axis, from)?,
        };
        let passing = on_axis.into_iter().filter(|node| self.passes(&step.test, *node)).collect();
        let named = match (&step.test, from) {
            (NodeTest::Text, Node::Element(at)) => self.text_of(step.axis, at),
            _ => passing,
        };
        self.narrow(named, &step.predicates)
    }

    /// Returns an element's own text as a node, where a step reaches it.
    fn text_of(&self, axis: Axis, at: usize) -> Vec<Node> {
        let has_text = |at: &usize| !super::value::own_text(self.tree.element(*at)).is_empty();
        match axis {
            Axis::Child => Some(at).filter(has_text).map(Node::Text).into_iter().collect(),
            Axis::Descendant | Axis::DescendantOrSelf => {
                (at..self.tree.inside(Some(at)).end).filter(has_text).map(Node::Text).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Keeps the nodes that satisfy every predicate; a predicate that is a number is a place in the order of the axis.
    fn narrow(&self, mut nodes: Vec<Node>, predicates: &[Expression]) -> Result<Vec<Node>, String> {
        for predicate in predicates {
            let size = nodes.len();
            let mut kept = Vec::new();
            for (index, node) in nodes.into_iter().enumerate() {
                let position = index + 1;
                let holds = match self.value(predicate, Focus { node, position, size })? {
                    Value::Number(number) => Value::Number(number).text(self.tree) == position.to_string(),
                    value => value.flag(),
                };
                if holds {
                    kept.push(node);
                }
            }
            nodes = kept;
        }
        Ok(nodes)
    }

    /// Returns what lies on an axis, nearest first.
    fn axis(&self, axis: Axis, from: Node) -> Result<Vec<Node>, String> {
        let at = match from {
            Node::Screen => None,
            Node::Element(at) => Some(at),
            Node::Text(at) | Node::Attribute(at, _) => return Ok(of_leaf(axis, from, at)),
        };
        let itself = || std::iter::once(from);
        let up = || {
            let above = at.into_iter().flat_map(|at| self.tree.ancestors(at)).map(Node::Element);
            above.chain(at.map(|_| Node::Screen))
        };
        let nodes: Vec<Node> = match axis {
            Axis::Itself => vec![from],
            Axis::Child => self.tree.children(at).map(Node::Element).collect(),
            Axis::Descendant => self.tree.inside(at).map(Node::Element).collect(),
            Axis::DescendantOrSelf => itself().chain(self.tree.inside(at).map(Node::Element)).collect(),
            Axis::Parent => up().take(1).collect(),
            Axis::Ancestor => up().collect(),
            Axis::AncestorOrSelf => itself().chain(up()).collect(),
            Axis::Attribute => at.into_iter().flat_map(attributes).collect(),
            _ => at.map(|at| self.beside(axis, at)).unwrap_or_default(),
        };
        self.pay(1 + nodes.len())?;
        Ok(nodes)
    }

    fn beside(&self, axis: Axis, at: usize) -> Vec<Node> {
        let siblings = || self.tree.children(self.tree.parent(at));
        let mut found: Vec<usize> = match axis {
            Axis::FollowingSibling => siblings().filter(|sibling| *sibling > at).collect(),
            Axis::PrecedingSibling => siblings().filter(|sibling| *sibling < at).collect(),
            Axis::Following => (self.tree.inside(Some(at)).end..self.tree.len()).collect(),
            _ => (0..at).filter(|other| !self.tree.inside(Some(*other)).contains(&at)).collect(),
        };
        if matches!(axis, Axis::PrecedingSibling | Axis::Preceding) {
            found.reverse();
        }
        found.into_iter().map(Node::Element).collect()
    }

    fn passes(&self, test: &NodeTest, node: Node) -> bool {
        match (test, node) {
            (NodeTest::Node, _)
            | (NodeTest::Any, Node::Element(_) | Node::Attribute(..))
            | (NodeTest::Text, Node::Text(_))
            | (NodeTest::Hierarchy, Node::Screen) => true,
            (NodeTest::Name(name), Node::Element(at)) => {
                let element = self.tree.element(at);
                element.role == name || is_class(element, name)
            }
            (NodeTest::Attribute(wanted), Node::Attribute(_, attribute)) => *wanted == attribute,
            _ => false,
        }
    }
}

fn attributes(at: usize) -> impl Iterator<Item = Node> {
    Attribute::all().map(move |attribute| Node::Attribute(at, attribute))
}

/// Returns what lies on an axis of a text or an attribute, in which nothing lies.
fn of_leaf(axis: Axis, from: Node, at: usize) -> Vec<Node> {
    match axis {
        Axis::Itself | Axis::DescendantOrSelf => vec![from],
        Axis::Parent | Axis::Ancestor => vec![Node::Element(at)],
        Axis::AncestorOrSelf => vec![from, Node::Element(at)],
        _ => Vec::new(),
    }
}

fn in_order(mut nodes: Vec<Node>) -> Vec<Node> {
    nodes.sort_unstable_by(|a, b| a.order().cmp(&b.order()));
    nodes.dedup_by(|a, b| a.order() == b.order());
    nodes
}
