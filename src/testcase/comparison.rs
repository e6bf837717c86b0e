//! Comparisons of a text with a number, which minijinja answers without a word: a variable from a CSV file, an environment
//! variable and `--var` are texts, so that `n > 3` would hold for `n` = "1".

use serde_json::Value;

use super::evaluation::{Evaluation, View};
use super::expression::{ExpressionError, Reach};
use super::tokens::{Kind, Token};

const COMPARE: [&str; 6] = ["==", "!=", "<", ">", "<=", ">="];

/// Reports a variable that is a text and compared with a number, or the other way round.
pub(super) fn check(evaluation: &mut Evaluation, tokens: &[Token], view: View) -> Result<(), ExpressionError> {
    for (at, sign) in tokens.iter().enumerate() {
        if sign.kind != Kind::Sign || !COMPARE.contains(&sign.text.as_str()) {
            continue;
        }
        let (Some(before), Some(after)) = (at.checked_sub(1).and_then(|at| tokens.get(at)), tokens.get(at + 1)) else {
            continue;
        };
        let beyond = tokens.get(at + 2);
        let above = at.checked_sub(2).and_then(|at| tokens.get(at));
        if is_alone(above) && before.kind == Kind::Name && ends(beyond) {
            pair(evaluation, before, after, view)?;
        } else if ends(beyond) && after.kind == Kind::Name && is_alone(above) {
            pair(evaluation, after, before, view)?;
        }
    }
    Ok(())
}

/// Says whether what comes before a name leaves it as it is.
fn is_alone(token: Option<&Token>) -> bool {
    token.is_none_or(|token| matches!(token.text.as_str(), "and" | "or" | "not" | "if" | "else" | "("))
}

fn ends(token: Option<&Token>) -> bool {
    token.is_none_or(|token| matches!(token.text.as_str(), "and" | "or" | "if" | "else" | ")"))
}

fn pair(evaluation: &mut Evaluation, name: &Token, other: &Token, view: View) -> Result<(), ExpressionError> {
    if !matches!(other.kind, Kind::Number | Kind::Text) || !evaluation.defines(&name.text, view) {
        return Ok(());
    }
    let value = evaluation.variable(&name.text, Reach::default(), view)?;
    let (found, wanted, way) = match (&value, other.kind) {
        (Value::String(_), Kind::Number) => ("a text", "a number", "int"),
        (Value::Number(_), Kind::Text) => ("a number", "a text", "string"),
        _ => return Ok(()),
    };
    let message = format!("`{}` is {found}, and {} is {wanted}", name.text, other.text);
    let mut error = ExpressionError::at(name.reach, message);
    error.hint = Some(format!("did you mean `{} | {way}`?", name.text));
    Err(error)
}
