//! What a string with expressions is made of, its names and numbers, and what is wrong with one of them.

use super::width::columns;
use serde_json::Value;

/// What is wrong with an expression, and where in its string.
#[derive(Clone, Debug, Default, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ExpressionError {
    /// One sentence without its end.
    pub message: String,
    /// What stands beside the caret.
    pub hint: Option<String>,
    /// What stands below.
    pub help: Option<String>,
    /// Where in the string, in characters from 0.
    pub offset: usize,
    /// In characters.
    pub length: usize,
    /// The string that the expression stands in, where that is short enough to be shown with the place below.
    pub within: Option<String>,
    /// The variable that nothing defines.
    pub(super) unknown: Option<String>,
}

/// Longest string that is shown with an error in it, in characters.
const LONGEST_SHOWN: usize = 120;

impl ExpressionError {
    /// Says which string the error is in; the innermost one stays.
    pub(super) fn within(mut self, text: &str) -> Self {
        let fits = !text.contains('\n') && text.chars().nth(LONGEST_SHOWN).is_none();
        if self.within.is_none() && fits {
            self.within = Some(text.to_owned());
        }
        self
    }

    /// Returns the line of signs that points at the place when it stands below the string.
    #[must_use]
    pub fn caret(&self) -> String {
        let text = self.within.as_deref().unwrap_or_default();
        let columns = |from: usize, count: usize| -> usize { text.chars().skip(from).take(count).map(columns).sum() };
        " ".repeat(columns(0, self.offset)) + &"^".repeat(columns(self.offset, self.length).max(1))
    }

    pub(super) fn at(reach: Reach, message: impl Into<String>) -> Self {
        ExpressionError {
            message: message.into(),
            offset: reach.offset,
            length: reach.length,
            ..ExpressionError::default()
        }
    }
}

/// A stretch of a string, in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) offset: usize,
    pub(super) length: usize,
}

/// A part of a string.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Text(String),
    Variable {
        name: String,
        reach: Reach,
    },
    Call {
        name: String,
        arguments: Vec<Argument>,
        reach: Reach,
    },
    /// What stands between `${` and `}`.
    Formula {
        source: String,
        reach: Reach,
    },
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Argument {
    Literal(Value),
    /// Text with variables; alone, a variable keeps its type.
    Parts(Vec<Part>),
}

impl Argument {
    /// Returns the parts of the argument; a literal has none.
    pub(super) fn parts(&self) -> &[Part] {
        match self {
            Argument::Literal(_) => &[],
            Argument::Parts(parts) => parts,
        }
    }
}

pub(super) fn begins_name(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_'
}

pub(super) fn continues_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// Says whether `$name` can refer to a variable of this name.
pub(super) fn is_name(name: &str) -> bool {
    name.chars().next().is_some_and(begins_name) && name.chars().all(continues_name)
}

/// Reads `-12` or `1.5`; anything else is text.
pub(super) fn number(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    match text.parse::<i64>() {
        Ok(number) => Some(number.into()),
        Err(_) if digits.contains('.') => text.parse::<f64>().ok().map(Value::from),
        Err(_) => None,
    }
}
