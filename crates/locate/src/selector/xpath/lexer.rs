//! An XPath's text → tokens with their places. Tells operators from names as XPath 1.0, §3.7, says.

use super::Wrong;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// `/`, `//`, `[`, `]`, `(`, `)`, `@`, `,`, `.`, `..`, `::`, `*` for any name.
    Mark(&'static str),
    /// `|`, `+`, `-`, `*`, `=`, `!=`, `<`, `<=`, `>`, `>=`, `and`, `or`, `div`, `mod`.
    Operator(&'static str),
    Name(String),
    Text(String),
    Number(f64),
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Mark(mark) | Self::Operator(mark) => f.write_str(mark),
            Self::Name(name) => f.write_str(name),
            Self::Text(text) => write!(f, "'{text}'"),
            Self::Number(number) => write!(f, "{number}"),
        }
    }
}

/// Longer ones first.
const MARKS: &[&str] = &["//", "/", "[", "]", "(", ")", "@", ",", "..", "::", "."];
const OPERATORS: &[&str] = &["!=", "<=", ">=", "|", "+", "-", "=", "<", ">"];
const WORDS: &[&str] = &["and", "or", "div", "mod"];

/// Splits an XPath into tokens and the bytes at which they begin.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, usize)>, Wrong> {
    let mut tokens: Vec<(Token, usize)> = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        if next.is_whitespace() {
            at += next.len_utf8();
            continue;
        }
        let (token, length) = token(&text[at..], follows_operand(&tokens)).map_err(|message| Wrong { at, message })?;
        tokens.push((token, at));
        at += length;
    }
    Ok(tokens)
}

/// Tells whether a `*` or a word that comes now stands between two operands.
fn follows_operand(tokens: &[(Token, usize)]) -> bool {
    match tokens.last() {
        None | Some((Token::Operator(_) | Token::Mark("@" | "::" | "(" | "[" | "," | "/" | "//"), _)) => false,
        Some(_) => true,
    }
}

fn token(rest: &str, after_operand: bool) -> Result<(Token, usize), String> {
    let first = rest.chars().next().unwrap_or_default();
    let digit_follows = rest[first.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
    if first.is_ascii_digit() || (first == '.' && digit_follows) {
        return number(rest);
    }
    if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
        return Ok((Token::Mark(mark), mark.len()));
    }
    if let Some(operator) = OPERATORS.iter().find(|operator| rest.starts_with(**operator)) {
        return Ok((Token::Operator(operator), operator.len()));
    }
    match first {
        '*' if after_operand => Ok((Token::Operator("*"), 1)),
        '*' => Ok((Token::Mark("*"), 1)),
        '"' | '\'' => {
            let (text, _) = rest[1..].split_once(first).ok_or("a quote is not closed")?;
            Ok((Token::Text(text.to_owned()), text.len() + 2))
        }
        ':' => Err("namespaces are not supported".to_owned()),
        '$' => Err("variables are not supported".to_owned()),
        _ if first.is_alphabetic() || first == '_' => Ok(name(rest, after_operand)),
        _ => Err(format!("`{first}` has no meaning here")),
    }
}

fn number(rest: &str) -> Result<(Token, usize), String> {
    let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let number = rest[..length].parse().map_err(|_| format!("`{}` is not a number", &rest[..length]))?;
    Ok((Token::Number(number), length))
}

fn name(rest: &str, after_operand: bool) -> (Token, usize) {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$');
    let length = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
    let name = &rest[..length];
    match WORDS.iter().find(|word| after_operand && **word == name) {
        Some(word) => (Token::Operator(word), length),
        None => (Token::Name(name.to_owned()), length),
    }
}
