//! Tokens → an expression. Refuses what is not supported by its name, so that nothing is left to fail on a screen.

use super::Wrong;
use super::functions::{self, Function};
use super::lexer::Token;
use crate::driver::element::ROLES;
use crate::selector::attribute::Attribute;
use uixt_schema::nearest;

/// Brackets that may stand in each other.
const MOST_DEPTH: usize = 40;

#[derive(Debug)]
pub(super) enum Expression {
    Binary(&'static str, Box<Expression>, Box<Expression>),
    Negated(Box<Expression>),
    Text(String),
    Number(f64),
    Call(&'static Function, Vec<Expression>),
    Path(Path),
}

#[derive(Debug)]
pub(super) struct Path {
    pub start: Start,
    pub steps: Vec<Step>,
}

#[derive(Debug)]
pub(super) enum Start {
    Screen,
    Here,
    /// What an expression gives, narrowed by predicates.
    Of(Box<Expression>, Vec<Expression>),
}

#[derive(Debug)]
pub(super) struct Step {
    pub axis: Axis,
    pub test: NodeTest,
    pub predicates: Vec<Expression>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Axis {
    Itself,
    Child,
    Descendant,
    DescendantOrSelf,
    Parent,
    Ancestor,
    AncestorOrSelf,
    FollowingSibling,
    PrecedingSibling,
    Following,
    Preceding,
    Attribute,
}

const AXES: &[(&str, Axis)] = &[
    ("self", Axis::Itself),
    ("child", Axis::Child),
    ("descendant", Axis::Descendant),
    ("descendant-or-self", Axis::DescendantOrSelf),
    ("parent", Axis::Parent),
    ("ancestor", Axis::Ancestor),
    ("ancestor-or-self", Axis::AncestorOrSelf),
    ("following-sibling", Axis::FollowingSibling),
    ("preceding-sibling", Axis::PrecedingSibling),
    ("following", Axis::Following),
    ("preceding", Axis::Preceding),
    ("attribute", Axis::Attribute),
];

#[derive(Debug)]
pub(super) enum NodeTest {
    /// `node()`.
    Node,
    /// `text()`.
    Text,
    /// `*` or `node`: any element, or any attribute.
    Any,
    /// A class, a class without its package, or a role.
    Name(String),
    Attribute(Attribute),
    /// The top of the screen, which is no element.
    Hierarchy,
}

/// Operators from the weakest to the strongest.
const LEVELS: &[&[&str]] =
    &[&["or"], &["and"], &["=", "!="], &["<", "<=", ">", ">="], &["+", "-"], &["*", "div", "mod"]];

/// Tokens of one XPath: what nests by operators is evaluated on the stack.
const MOST_TOKENS: usize = 600;

/// Parses the tokens of an XPath that is `length` bytes long.
pub(super) fn parse(tokens: &[(Token, usize)], length: usize) -> Result<Expression, Wrong> {
    if let Some((_, at)) = tokens.get(MOST_TOKENS) {
        return Err(Wrong { at: *at, message: format!("it has more than {MOST_TOKENS} parts") });
    }
    let mut parser = Parser { tokens, next: 0, end: length, depth: 0 };
    let expression = parser.binary(0)?;
    match parser.peek() {
        None => Ok(expression),
        Some(token) => Err(parser.wrong(format!("`{token}` has no meaning here"))),
    }
}

struct Parser<'a> {
    tokens: &'a [(Token, usize)],
    next: usize,
    end: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a Token> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Option<&'a Token> {
        self.tokens.get(self.next + ahead).map(|(token, _)| token)
    }

    fn wrong(&self, message: impl Into<String>) -> Wrong {
        let at = self.tokens.get(self.next).map_or(self.end, |(_, at)| *at);
        Wrong { at, message: message.into() }
    }

    fn takes(&mut self, mark: &'static str) -> bool {
        let is_there = self.peek() == Some(&Token::Mark(mark));
        self.next += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, mark: &'static str) -> Result<(), Wrong> {
        if self.takes(mark) { Ok(()) } else { Err(self.wrong(format!("`{mark}` is missing"))) }
    }

    fn operator(&mut self, among: &[&'static str]) -> Option<&'static str> {
        let Some(Token::Operator(operator)) = self.peek() else { return None };
        let found = among.iter().find(|known| *known == operator)?;
        self.next += 1;
        Some(found)
    }

    fn binary(&mut self, level: usize) -> Result<Expression, Wrong> {
        let Some(operators) = LEVELS.get(level) else { return self.negated() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(operators) {
            let right = self.binary(level + 1)?;
            comparable(operator, &left, &right).map_err(|message| self.wrong(message))?;
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn negated(&mut self) -> Result<Expression, Wrong> {
        let mut odd = false;
        while self.operator(&["-"]).is_some() {
            odd = !odd;
        }
        let inner = self.union()?;
        Ok(if odd { Expression::Negated(Box::new(inner)) } else { inner })
    }

    fn union(&mut self) -> Result<Expression, Wrong> {
        let mut left = self.path()?;
        while let Some(operator) = self.operator(&["|"]) {
            left = Expression::Binary(operator, Box::new(left), Box::new(self.path()?));
        }
        Ok(left)
    }

    /// Reads an inner expression, which may not lie too deep.
    fn inner(&mut self) -> Result<Expression, Wrong> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(self.wrong(format!("brackets stand more than {MOST_DEPTH} deep in each other")));
        }
        let expression = self.binary(0);
        self.depth -= 1;
        expression
    }

    fn path(&mut self) -> Result<Expression, Wrong> {
        let mut steps = Vec::new();
        let start = if self.takes("/") {
            if !self.begins_step() {
                return Ok(Expression::Path(Path { start: Start::Screen, steps }));
            }
            steps.push(self.step()?);
            Start::Screen
        } else if self.takes("//") {
            steps.extend([anywhere(), self.step()?]);
            Start::Screen
        } else if let Some(primary) = self.primary()? {
            let predicates = self.predicates()?;
            if predicates.is_empty() && !matches!(self.peek(), Some(Token::Mark("/" | "//"))) {
                return Ok(primary);
            }
            Start::Of(Box::new(primary), predicates)
        } else {
            steps.push(self.step()?);
            Start::Here
        };
        loop {
            if self.takes("//") {
                steps.push(anywhere());
            } else if !self.takes("/") {
                return Ok(Expression::Path(Path { start, steps }));
            }
            steps.push(self.step()?);
        }
    }

    fn begins_step(&self) -> bool {
        matches!(self.peek(), Some(Token::Name(_) | Token::Mark("*" | "@" | "." | "..")))
    }

    /// Reads a text, a number, a call or brackets; none where a step comes.
    fn primary(&mut self) -> Result<Option<Expression>, Wrong> {
        let expression = match self.peek() {
            Some(Token::Text(text)) => Expression::Text(text.clone()),
            Some(Token::Number(number)) => Expression::Number(*number),
            Some(Token::Mark("(")) => {
                self.next += 1;
                let inner = self.inner()?;
                self.expect(")")?;
                return Ok(Some(inner));
            }
            Some(Token::Name(name)) if self.peek_at(1) == Some(&Token::Mark("(")) && !is_node_type(name) => {
                return self.call(name).map(Some);
            }
            _ => return Ok(None),
        };
        self.next += 1;
        Ok(Some(expression))
    }

    fn call(&mut self, name: &str) -> Result<Expression, Wrong> {
        let function = functions::named(name).map_err(|message| self.wrong(message))?;
        let begins = self.next;
        self.next += 2;
        let mut arguments = Vec::new();
        if !self.takes(")") {
            loop {
                arguments.push(self.inner()?);
                if !self.takes(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        function.check(arguments.len()).map_err(|message| Wrong { at: self.tokens[begins].1, message })?;
        Ok(Expression::Call(function, arguments))
    }

    fn predicates(&mut self) -> Result<Vec<Expression>, Wrong> {
        let mut predicates = Vec::new();
        while self.takes("[") {
            let predicate = self.inner()?;
            telling(&predicate).map_err(|message| self.wrong(message))?;
            predicates.push(predicate);
            self.expect("]")?;
        }
        Ok(predicates)
    }

    fn step(&mut self) -> Result<Step, Wrong> {
        for (mark, axis) in [(".", Axis::Itself), ("..", Axis::Parent)] {
            if self.takes(mark) {
                return Ok(Step { axis, test: NodeTest::Node, predicates: Vec::new() });
            }
        }
        let axis = self.axis()?;
        let test = self.node_test(axis)?;
        Ok(Step { axis, test, predicates: self.predicates()? })
    }

    fn axis(&mut self) -> Result<Axis, Wrong> {
        if self.takes("@") {
            return Ok(Axis::Attribute);
        }
        let (Some(Token::Name(name)), Some(Token::Mark("::"))) = (self.peek(), self.peek_at(1)) else {
            return Ok(Axis::Child);
        };
        let axis = AXES.iter().find(|(known, _)| known == name).map(|(_, axis)| *axis).ok_or_else(|| {
            let names: Vec<&str> = AXES.iter().map(|(name, _)| *name).collect();
            self.wrong(format!("the axis `{name}` is not supported; valid: {}", names.join(", ")))
        })?;
        self.next += 2;
        Ok(axis)
    }

    fn node_test(&mut self, axis: Axis) -> Result<NodeTest, Wrong> {
        if self.takes("*") {
            return Ok(NodeTest::Any);
        }
        let Some(Token::Name(name)) = self.peek() else {
            return Err(self.wrong("a step is missing: a class, a role, `*`, `@attribute`, `.` or `..`"));
        };
        if self.peek_at(1) == Some(&Token::Mark("(")) {
            let test = match name.as_str() {
                "node" => NodeTest::Node,
                "text" => NodeTest::Text,
                _ => return Err(self.wrong(format!("`{name}()` cannot stand as a step; valid: node(), text()"))),
            };
            self.next += 2;
            return self.expect(")").map(|()| test);
        }
        let test = match axis {
            Axis::Attribute => Attribute::named(name).map(NodeTest::Attribute),
            _ => element_test(name),
        };
        let test = test.map_err(|message| self.wrong(message))?;
        self.next += 1;
        Ok(test)
    }
}

/// Refuses to compare an attribute with what no element has there: the comparison would be false, or true, of all.
fn comparable(operator: &str, left: &Expression, right: &Expression) -> Result<(), String> {
    if !matches!(operator, "=" | "!=") {
        return Ok(());
    }
    match (attribute_of(left), right, attribute_of(right), left) {
        (Some(attribute), value, ..) | (None, _, Some(attribute), value) => attribute_value(attribute, value),
        _ => Ok(()),
    }
}

/// Refuses a condition that asks whether an element has an attribute at all: as in `Appium`'s and Android's trees, each has
/// them all, `enabled="false"` too, so that `[@enabled]` would hold of every element.
fn telling(condition: &Expression) -> Result<(), String> {
    match condition {
        Expression::Binary("and" | "or", left, right) => telling(left).and_then(|()| telling(right)),
        Expression::Call(function, arguments) if matches!(function.name, "not" | "boolean") => {
            arguments.iter().try_for_each(telling)
        }
        Expression::Path(Path { start: Start::Here, steps }) => match steps.as_slice() {
            [Step { test: NodeTest::Attribute(attribute), .. }] => {
                let (name, value) = (attribute.name, if attribute.is_flag { "='true'" } else { "!=''" });
                Err(format!("every element has `@{name}`, so that it alone says nothing; write [@{name}{value}]"))
            }
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Returns the attribute that a path ends with.
fn attribute_of(expression: &Expression) -> Option<Attribute> {
    let Expression::Path(path) = expression else { return None };
    match path.steps.last()?.test {
        NodeTest::Attribute(attribute) => Some(attribute),
        _ => None,
    }
}

fn attribute_value(attribute: Attribute, value: &Expression) -> Result<(), String> {
    let name = attribute.name;
    match value {
        Expression::Text(text) if attribute.is_flag && !matches!(text.as_str(), "true" | "false") => {
            Err(format!("`@{name}` is never '{text}'; write [@{name}='true'] or [@{name}='false']"))
        }
        Expression::Number(number) if attribute.is_flag || name == "role" => {
            Err(format!("`@{name}` is never the number {number}"))
        }
        Expression::Text(text) if name == "role" && !ROLES.contains(&text.as_str()) => {
            crate::role::of(text).and_then(|role| Err(format!("`@role` is never '{text}'; write '{role}'")))
        }
        // XPath takes a node that is there for true, so that this holds of every element.
        Expression::Call(function, _) if attribute.is_flag && matches!(function.name, "true" | "false") => {
            Err(format!("`@{name}` compared with {0}() says nothing; write [@{name}='{0}']", function.name))
        }
        _ => Ok(()),
    }
}

fn is_node_type(name: &str) -> bool {
    matches!(name, "node" | "text" | "comment" | "processing-instruction")
}

/// Returns the step that `//` stands for.
fn anywhere() -> Step {
    Step { axis: Axis::DescendantOrSelf, test: NodeTest::Node, predicates: Vec::new() }
}

/// Reads an element's name. A word in small letters that is no role is no class either, and would never be found.
fn element_test(name: &str) -> Result<NodeTest, String> {
    let is_class = name.contains(['.', '$']) || name.starts_with(|c: char| c.is_uppercase() || c == '_');
    match name {
        "hierarchy" => Ok(NodeTest::Hierarchy),
        "node" => Ok(NodeTest::Any),
        _ if is_class || ROLES.contains(&name) => Ok(NodeTest::Name(name.to_owned())),
        _ => {
            let hint = nearest(name, ROLES.iter().copied()).map(|near| format!(" (did you mean `{near}`?)"));
            let hint = hint.unwrap_or_default();
            Err(format!(
                "there is no role or class `{name}`{hint}; roles: {}; classes as in android.widget.Button or Button",
                ROLES.join(", ")
            ))
        }
    }
}
