//! Conditions on an instance: `state.params.count >= 3 and state.params.name != ''`.
//!
//! What is not there compares with nothing: neither `!=` nor `<` holds for it, so that nobody takes a missing answer for one. Only
//! `== none` and `is defined` ask whether it is there. Values of different types are unequal, and neither is less.

use std::cmp::Ordering;

use serde_json::{Value, json};

use super::{Error, Instance, limits, path};

/// Characters of a condition.
const LONGEST: usize = 2_000;
/// Brackets within brackets.
const DEEPEST: usize = 32;

/// What paths begin with.
const ROOTS: &[&str] = &["state", "blocks", "actions", "title", "on_open", "instance_id"];
const FILTERS: &[&str] = &["length", "lower", "upper", "trim"];

/// A condition: paths, numbers, texts and lists; `==`, `!=`, `<`, `<=`, `>`, `>=`, `in`, `not in`, `and`, `or`, `not`, `is defined`, and the
/// filters `length`, `lower`, `upper` and `trim`.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    text: String,
    expression: Expression,
}

#[derive(Clone, Debug, PartialEq)]
enum Expression {
    Literal(Value),
    List(Vec<Expression>),
    /// A dotted path into the instance.
    Path(String),
    Filter(Box<Expression>, &'static str),
    Compare(Box<Expression>, Comparison, Box<Expression>),
    IsDefined(Box<Expression>),
    Not(Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Is,
    IsNot,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    NotIn,
}

impl Condition {
    /// Reads one of at most 2,000 characters.
    pub fn read(text: &str) -> Result<Self, Error> {
        let refused = |reason: String| {
            let condition = text.chars().take(limits::NAME).collect();
            Error::InvalidCondition { condition, reason }
        };
        if text.trim().is_empty() {
            return Err(refused("is empty".to_owned()));
        }
        if text.chars().count() > LONGEST {
            return Err(refused(format!("longer than {LONGEST} characters")));
        }
        let tokens = tokens(text).map_err(refused)?;
        let mut reader = Reader { tokens: &tokens, depth: 0 };
        let expression = reader.either().map_err(refused)?;
        match reader.tokens.first() {
            None => Ok(Self { text: text.to_owned(), expression }),
            Some(token) => Err(refused(format!("{} is not known here", token.shown()))),
        }
    }

    /// Tells whether it holds for an instance.
    pub fn holds(&self, instance: &Instance) -> bool {
        self.on_json(&instance.to_json()).0
    }

    /// Tells whether it holds, and what it came to.
    pub(super) fn on_json(&self, root: &Value) -> (bool, Value) {
        let value = self.expression.value(root);
        (value.as_ref().is_some_and(is_true), value.unwrap_or_default())
    }
}

impl Expression {
    /// Returns what it comes to; none where it leads to what is not there.
    fn value(&self, root: &Value) -> Option<Value> {
        match self {
            Self::Literal(value) => Some(value.clone()),
            Self::List(items) => Some(items.iter().map(|item| item.value(root).unwrap_or_default()).collect()),
            Self::Path(path) => path::lookup(root, path).cloned(),
            Self::Filter(of, name) => filtered(&of.value(root)?, name),
            Self::IsDefined(of) => Some(json!(of.value(root).is_some_and(|value| !value.is_null()))),
            Self::Not(of) => Some(json!(!of.holds(root))),
            Self::And(one, other) => Some(json!(one.holds(root) && other.holds(root))),
            Self::Or(one, other) => Some(json!(one.holds(root) || other.holds(root))),
            Self::Compare(one, how, other) => {
                let asks_for_none = [one, other].iter().any(|side| ***side == Self::Literal(Value::Null));
                Some(json!(compare(one.value(root), *how, other.value(root), asks_for_none)))
            }
        }
    }

    fn holds(&self, root: &Value) -> bool {
        self.value(root).as_ref().is_some_and(is_true)
    }
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

fn filtered(value: &Value, name: &str) -> Option<Value> {
    match (name, value) {
        ("length", Value::String(text)) => Some(json!(text.chars().count())),
        ("length", Value::Array(list)) => Some(json!(list.len())),
        ("length", Value::Object(map)) => Some(json!(map.len())),
        ("lower", Value::String(text)) => Some(json!(text.to_lowercase())),
        ("upper", Value::String(text)) => Some(json!(text.to_uppercase())),
        ("trim", Value::String(text)) => Some(json!(text.trim())),
        _ => None,
    }
}

fn compare(one: Option<Value>, how: Comparison, other: Option<Value>, asks_for_none: bool) -> bool {
    let is_none = |value: &Option<Value>| value.as_ref().is_none_or(Value::is_null);
    if is_none(&one) || is_none(&other) {
        // `x == none` asks whether it is there; nothing else holds for what is not.
        let both = is_none(&one) && is_none(&other);
        return match how {
            Comparison::Is => asks_for_none && both,
            Comparison::IsNot => asks_for_none && !both,
            _ => false,
        };
    }
    let (Some(one), Some(other)) = (one, other) else { return false };
    let order = order(&one, &other);
    match how {
        Comparison::Is => is_same(&one, &other),
        Comparison::IsNot => !is_same(&one, &other),
        Comparison::Less => order == Some(Ordering::Less),
        Comparison::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Comparison::Greater => order == Some(Ordering::Greater),
        Comparison::GreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        Comparison::In => holds_in(&one, &other) == Some(true),
        Comparison::NotIn => holds_in(&one, &other) == Some(false),
    }
}

/// Tells whether two values are the same; numbers by what they are worth.
pub(super) fn is_same(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => (one - other).abs() < f64::EPSILON,
        _ => one == other,
    }
}

fn order(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one.as_f64()?.partial_cmp(&other.as_f64()?),
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        _ => None,
    }
}

fn holds_in(value: &Value, all: &Value) -> Option<bool> {
    match (value, all) {
        (value, Value::Array(list)) => Some(list.iter().any(|item| is_same(value, item))),
        (Value::String(text), Value::String(all)) => Some(all.contains(text.as_str())),
        (Value::String(key), Value::Object(map)) => Some(map.contains_key(key)),
        _ => None,
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Literal(Value),
    Sign(&'static str),
}

impl Token {
    fn shown(&self) -> String {
        match self {
            Self::Word(word) => format!("`{word}`"),
            Self::Literal(value) => format!("`{value}`"),
            Self::Sign(sign) => format!("`{sign}`"),
        }
    }
}

const SIGNS: &[&str] = &["==", "!=", "<=", ">=", "<", ">", "(", ")", "[", "]", ",", "|", "."];

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let (mut tokens, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let taken = if let quote @ ('\'' | '"') = first {
            let (value, length) = quoted(&rest[1..], quote).ok_or("a text does not end")?;
            tokens.push(Token::Literal(value.into()));
            length + 1
        } else if first.is_ascii_digit() || (first == '-' && rest[1..].starts_with(|sign: char| sign.is_ascii_digit()))
        {
            let is_number = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '.' | '+' | '-' | '_');
            let end = rest.find(|sign: char| !is_number(sign)).unwrap_or(rest.len());
            // An index between dots is part of a path.
            let end = match tokens.last() {
                Some(Token::Sign(".")) => rest.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(rest.len()),
                _ => end,
            };
            let number: Value =
                serde_json::from_str(&rest[..end]).map_err(|_| format!("`{}` is not a number", &rest[..end]))?;
            tokens.push(Token::Literal(number));
            end
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            tokens.push(Token::Sign(sign));
            sign.len()
        } else {
            let end =
                rest.find(|sign: char| !(sign.is_alphanumeric() || matches!(sign, '_' | '-'))).unwrap_or(rest.len());
            if end == 0 {
                return Err(format!("`{first}` means nothing; write ==, !=, <, <=, >, >=, in, and, or, not"));
            }
            tokens.push(Token::Word(rest[..end].to_owned()));
            end
        };
        rest = rest[taken..].trim_start();
    }
    Ok(tokens)
}

/// Reads a text up to its quote; returns it and how many bytes it took.
fn quoted(text: &str, quote: char) -> Option<(String, usize)> {
    let (mut value, mut signs) = (String::new(), text.char_indices());
    while let Some((at, sign)) = signs.next() {
        match sign {
            '\\' => value.push(match signs.next()?.1 {
                'n' => '\n',
                't' => '\t',
                other => other,
            }),
            sign if sign == quote => return Some((value, at + 1)),
            sign => value.push(sign),
        }
    }
    None
}

struct Reader<'a> {
    tokens: &'a [Token],
    depth: usize,
}

impl Reader<'_> {
    fn takes(&mut self, wanted: &str) -> bool {
        let is_next = match self.tokens.first() {
            Some(Token::Word(word)) => word == wanted,
            Some(Token::Sign(sign)) => *sign == wanted,
            _ => false,
        };
        if is_next {
            self.tokens = &self.tokens[1..];
        }
        is_next
    }

    fn needs(&mut self, wanted: &str) -> Result<(), String> {
        match (self.takes(wanted), self.tokens.first()) {
            (true, _) => Ok(()),
            (false, Some(token)) => Err(format!("`{wanted}` is expected before {}", token.shown())),
            (false, None) => Err(format!("`{wanted}` is missing at the end")),
        }
    }

    fn either(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("more than {DEEPEST} brackets in each other"));
        }
        let mut one = self.both()?;
        while self.takes("or") {
            one = Expression::Or(Box::new(one), Box::new(self.both()?));
        }
        self.depth -= 1;
        Ok(one)
    }

    fn both(&mut self) -> Result<Expression, String> {
        let mut one = self.negated()?;
        while self.takes("and") {
            one = Expression::And(Box::new(one), Box::new(self.negated()?));
        }
        Ok(one)
    }

    fn negated(&mut self) -> Result<Expression, String> {
        let mut count = 0;
        while self.takes("not") {
            count += 1;
        }
        let compared = self.compared()?;
        Ok(if count % 2 == 1 { Expression::Not(Box::new(compared)) } else { compared })
    }

    fn compared(&mut self) -> Result<Expression, String> {
        let one = self.value()?;
        if self.takes("is") {
            let is_not = self.takes("not");
            let is_undefined = self.takes("undefined");
            if !is_undefined && !self.takes("defined") {
                return Err("behind `is` comes `defined`; write == to compare".to_owned());
            }
            let defined = Expression::IsDefined(Box::new(one));
            return Ok(if is_not == is_undefined { defined } else { Expression::Not(Box::new(defined)) });
        }
        let how = if self.takes("not") {
            self.needs("in")?;
            Some(Comparison::NotIn)
        } else {
            let all = [
                ("==", Comparison::Is),
                ("!=", Comparison::IsNot),
                ("<=", Comparison::LessOrEqual),
                (">=", Comparison::GreaterOrEqual),
                ("<", Comparison::Less),
                (">", Comparison::Greater),
                ("in", Comparison::In),
            ];
            all.into_iter().find(|(sign, _)| self.takes(sign)).map(|(_, how)| how)
        };
        match how {
            Some(how) => Ok(Expression::Compare(Box::new(one), how, Box::new(self.value()?))),
            None => Ok(one),
        }
    }

    fn value(&mut self) -> Result<Expression, String> {
        let mut value = self.primary()?;
        while self.takes("|") {
            let Some(Token::Word(name)) = self.tokens.first() else {
                return Err("behind `|` comes a filter".to_owned());
            };
            let known = FILTERS.iter().find(|known| *known == name);
            let known = known.ok_or_else(|| format!("there is no filter `{name}`; valid: {}", FILTERS.join(", ")))?;
            self.tokens = &self.tokens[1..];
            value = Expression::Filter(Box::new(value), known);
        }
        Ok(value)
    }

    fn primary(&mut self) -> Result<Expression, String> {
        if self.takes("(") {
            let inner = self.either()?;
            self.needs(")")?;
            return Ok(inner);
        }
        if self.takes("[") {
            let mut items = Vec::new();
            while !self.takes("]") {
                if !items.is_empty() {
                    self.needs(",")?;
                }
                items.push(self.value()?);
            }
            return Ok(Expression::List(items));
        }
        let Some(token) = self.tokens.first().cloned() else {
            return Err("something is missing at the end".to_owned());
        };
        self.tokens = &self.tokens[1..];
        match token {
            Token::Literal(value) => Ok(Expression::Literal(value)),
            Token::Word(word) => match word.as_str() {
                "true" | "True" => Ok(Expression::Literal(json!(true))),
                "false" | "False" => Ok(Expression::Literal(json!(false))),
                "none" | "None" | "null" => Ok(Expression::Literal(Value::Null)),
                _ => self.path(word),
            },
            Token::Sign(sign) => Err(format!("a value is expected before `{sign}`")),
        }
    }

    fn path(&mut self, first: String) -> Result<Expression, String> {
        if !ROOTS.contains(&first.as_str()) {
            return Err(format!(
                "`{first}` is not a path; paths begin with {}, texts stand in quotes",
                ROOTS.join(", ")
            ));
        }
        let mut keys = vec![first];
        loop {
            if self.takes("[") {
                let key = match self.tokens.first() {
                    Some(Token::Literal(Value::Number(number))) => number.to_string(),
                    Some(Token::Literal(Value::String(key))) => key.clone(),
                    _ => return Err("between brackets stands a number or a key in quotes".to_owned()),
                };
                self.tokens = &self.tokens[1..];
                self.needs("]")?;
                keys.push(key);
            } else if self.takes(".") {
                keys.push(match self.tokens.first() {
                    Some(Token::Word(key)) => key.clone(),
                    Some(Token::Literal(Value::Number(number))) => number.to_string(),
                    _ => return Err("behind a dot comes a key".to_owned()),
                });
                self.tokens = &self.tokens[1..];
            } else {
                break;
            }
        }
        let is_part = keys.get(1).is_none_or(|part| part == "params" || part == "runtime");
        if keys[0] == "state" && !is_part {
            return Err(format!("`state.{}` is not there; state holds `params` and `runtime`", keys[1]));
        }
        Ok(Expression::Path(keys.join(".")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str) -> Result<bool, String> {
        let root = json!({"title": "T", "blocks": [{"id": "b", "props": {"fields": [1, 2]}}], "actions": [],
            "state": {"params": {"s": "1", "n": 5, "l": [1, "a"], "e": "", "yes": true, "no": false, "nil": null, "m": {"k": 1}, "name": " 小明 "},
                "runtime": {"status": "done"}}});
        Condition::read(text).map(|condition| condition.on_json(&root).0).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_so_holds() {
        for text in [
            "state.params.n == 5",
            "state.params.n >= 5.0",
            "state.params.n < 6 and state.params.n > 4",
            "state.params.s == '1'",
            "state.params.s != \"2\"",
            "state.params.yes",
            "not state.params.no",
            "not not state.params.yes",
            "state.params.l | length == 2",
            "'a' in state.params.l",
            "1 in state.params.l",
            "3 not in state.params.l",
            "'k' in state.params.m",
            "'on' in state.runtime.status",
            "state.params.name | trim == '小明'",
            "state.runtime.status in ['done', 'failed']",
            "state.params.missing == none",
            "state.params.nil == none",
            "state.params.n != none",
            "state.params.missing is undefined",
            "state.params.n is defined",
            "state.params.missing is not defined",
            "(state.params.n == 1 or state.params.n == 5) and state.params.yes == true",
            "blocks[0].props.fields | length == 2",
            "blocks.0.id == 'b'",
            "state.params['n'] == 5",
            "state.params.l.1 == 'a'",
            "title == 'T'",
            "state.params.n == 5 or state.params.missing",
            "-1 < 0",
            "state.runtime.status|upper=='DONE'",
            "not (state.params.n == 4)",
        ] {
            assert_eq!(holds(text), Ok(true), "{text}");
        }
    }

    #[test]
    fn what_is_missing_or_of_another_type_does_not_hold() {
        for text in [
            "state.params.missing < 3",
            "state.params.missing > 3",
            "state.params.missing != ''",
            "state.params.missing == ''",
            "state.params.missing",
            "state.params.s >= 1",
            "state.params.s == 1",
            "state.params.l > 3",
            "state.params.e",
            "state.params.nil != 1",
            "state.params.n < '6'",
            "state.params.missing in state.params.l",
            "1 not in state.params.missing",
            "state.params.n | length > 0",
            "state.params.missing != none",
            "state.params.nil is defined",
            "state.params.m > 1",
            "state.params.missing.deep == 1",
        ] {
            assert_eq!(holds(text), Ok(false), "{text}");
        }
    }

    #[test]
    fn what_is_written_wrongly_is_refused_with_the_reason() {
        for (text, reason) in [
            ("state.params.n >=", "something is missing at the end"),
            ("state.prams.n == 5", "`state.prams` is not there; state holds `params` and `runtime`"),
            ("params.n == 5", "`params` is not a path; paths begin with state"),
            ("status == 1", "`status` is not a path"),
            ("__import__", "is not a path"),
            ("state.params.n == 5 5", "`5` is not known here"),
            ("state.params.n = 5", "`=` means nothing"),
            ("state.params.n | sort", "there is no filter `sort`; valid: length"),
            ("(state.params.n == 5", "`)` is missing at the end"),
            ("state.params.s == 'x", "a text does not end"),
            ("state.params.n is number", "behind `is` comes `defined`"),
            ("range(100000) | length > 3", "`range` is not a path"),
            ("('a' * 1000000000) | length > 3", "`*` means nothing"),
            ("1.2.3 == 1", "is not a number"),
            ("state.params. == 1", "behind a dot comes a key"),
            ("", "is empty"),
        ] {
            let refused = holds(text).expect_err(text);
            assert!(refused.contains(reason), "{text}: {refused}");
        }
        assert!(holds(&"(".repeat(500)).is_err() && holds(&"not ".repeat(400)).is_err());
        assert!(holds(&format!("{}state.params.yes", "not ".repeat(400))).is_ok());
    }
}
