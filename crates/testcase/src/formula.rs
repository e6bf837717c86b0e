//! `${…}` that is neither a variable nor a plain call, and conditions: minijinja expressions, checked when a file is loaded and
//! evaluated when a step runs. Errors keep their place inside the string.

use minijinja::{Environment, ErrorKind, UndefinedBehavior};
use serde_json::Value;
use std::sync::{Arc, OnceLock};

use super::expression::parse;
use super::filters::{FILTERS, TESTS};
use super::formula_values::{Definitions, Failed, Host, to_json};
use super::functions;
use super::guard::{self, Guarded};
use super::known::{Known, unknown_function, unknown_variable};
use super::nearest;
use super::parts::{ExpressionError, Part, Reach};
use super::tokens::{Kind, Token, plain, tokens};

/// Longest formula, in characters.
const MAX_LEN: usize = 10_000;
/// Most operators of one formula: each may double what it works on.
const MOST_JOINS: usize = 100;
/// Steps that an evaluation may take.
const FUEL: u64 = 200_000;

/// Words of the language that are no names.
const WORDS: [&str; 13] =
    ["and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "True", "False", "None"];
/// Filters that are left out: they are for HTML, or make much of little.
const LEFT_OUT: [&str; 6] = ["safe", "escape", "e", "format", "pprint", "chain"];

/// Tells whether a word of the language can be no name.
pub(super) fn is_word(name: &str) -> bool {
    WORDS.contains(&name)
}

/// Returns the environment, made once.
fn environment() -> &'static Environment<'static> {
    static ENVIRONMENT: OnceLock<Environment<'static>> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_debug(true);
        environment.set_fuel(Some(FUEL));
        environment.set_recursion_limit(50);
        for name in LEFT_OUT {
            environment.remove_filter(name);
        }
        for name in ["namespace", "debug", "dict", "cycler", "joiner", "lipsum"] {
            environment.remove_global(name);
        }
        super::formula_values::add_filters(&mut environment);
        environment
    })
}

/// Takes `${` and `}` off a text that is one such expression.
pub(super) fn bare(text: &str) -> &str {
    let trimmed = text.trim();
    match parse(trimmed).as_deref() {
        Ok([Part::Formula { .. } | Part::Call { .. } | Part::Variable { .. }]) if trimmed.ends_with('}') => {
            trimmed.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')).unwrap_or(trimmed)
        }
        _ => trimmed,
    }
}

/// Returns what is wrong with a condition, at places of the text that it stands in.
pub(super) fn check_condition(text: &str, known: &Known) -> Vec<ExpressionError> {
    // A call in `HttpRunner`'s form, whose arguments are bare words, cannot be told from one with variables.
    let inner = bare(text);
    let before = text.find(inner).map_or(0, |at| text[..at].chars().count());
    if inner.contains("{{") {
        return vec![braces(text)];
    }
    check(inner, before, known)
}

/// Says that `{{ }}` means nothing here.
pub(super) fn braces(text: &str) -> ExpressionError {
    let offset = text.find("{{").map_or(0, |at| text[..at].chars().count());
    let rest = text.chars().skip(offset).collect::<String>();
    let length = rest.find("}}").map_or(2, |end| rest[..end].chars().count() + 2);
    let mut error = ExpressionError::at(Reach { offset, length }, "`{{ }}` means nothing here");
    error.help = Some("write `${…}`; in a condition the bare expression".to_owned());
    error
}

/// Returns what is wrong with a formula: its form, unknown names, wrong numbers of arguments.
pub(super) fn check(source: &str, offset: usize, known: &Known) -> Vec<ExpressionError> {
    let moved = |mut error: ExpressionError| {
        error.offset += offset;
        error
    };
    let plain = match compilable(source) {
        Ok(plain) => plain,
        Err(error) => return vec![moved(error)],
    };
    let tokens = tokens(&plain);
    let unknown: Vec<_> = (0..tokens.len()).filter_map(|at| unknown_at(&tokens, at, known)).map(moved).collect();
    match guard(&plain) {
        Err(error) if unknown.is_empty() => vec![moved(error)],
        _ => unknown,
    }
}

/// Returns a formula without `$`, if it has the right form.
fn compilable(source: &str) -> Result<String, ExpressionError> {
    let length = source.chars().count();
    if length > MAX_LEN {
        return Err(ExpressionError::at(Reach { offset: 0, length }, "the expression is too long"));
    }
    let plain = plain(source)?;
    if plain.matches(['~', '+', '*']).count() > MOST_JOINS {
        return Err(ExpressionError::at(Reach { offset: 0, length }, "the expression has too many operators"));
    }
    match environment().compile_expression(&plain) {
        Ok(_) => Ok(plain),
        Err(error) => Err(explained(&error, &plain)),
    }
}

/// Returns a formula in which every operand is looked at.
fn guard(plain: &str) -> Result<Guarded, ExpressionError> {
    let guarded = guard::guarded(plain, &tokens(plain))?;
    match environment().compile_expression(&guarded.source) {
        Ok(_) => Ok(guarded),
        Err(error) => Err(placed(&error, &guarded)),
    }
}

/// Turns an error in a guarded formula into one at its place in the written one.
fn placed(error: &minijinja::Error, guarded: &Guarded) -> ExpressionError {
    let error = explained(error, &guarded.source);
    let reach = guarded.written(Reach { offset: error.offset, length: error.length });
    ExpressionError { offset: reach.offset, length: reach.length, ..error }
}

/// Turns minijinja's error into one at its place.
fn explained(error: &minijinja::Error, source: &str) -> ExpressionError {
    let all = source.chars().count();
    let reach = error.range().filter(|range| range.start < range.end && range.end <= source.len()).map_or(
        Reach { offset: 0, length: all },
        |range| {
            let offset = source.get(..range.start).map_or(0, |before| before.chars().count());
            Reach { offset, length: source.get(range).map_or(1, |part| part.chars().count()) }
        },
    );
    let detail = error.detail().unwrap_or_default();
    let message = match error.kind() {
        ErrorKind::SyntaxError => format!("this is not an expression: {detail}"),
        ErrorKind::OutOfFuel => "the expression takes too long".to_owned(),
        kind if detail.is_empty() => kind.to_string(),
        _ => detail.to_owned(),
    };
    let hint =
        (error.kind() == ErrorKind::SyntaxError && is_single(source, reach)).then(|| "did you mean `==`?".to_owned());
    ExpressionError { hint, ..ExpressionError::at(reach, message) }
}

/// Tells whether a `=` stands where the reading of a formula ended.
fn is_single(source: &str, reach: Reach) -> bool {
    let rest: String = source.chars().skip(reach.offset).collect();
    rest.starts_with('=') && !rest.starts_with("==")
}

/// Says what is wrong with a token that names something.
fn unknown_at(tokens: &[Token], at: usize, known: &Known) -> Option<ExpressionError> {
    let token = &tokens[at];
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    let after = tokens.get(at + 1);
    let follows = |sign: &str| before.is_some_and(|before| before.is(sign));
    let calls = after.is_some_and(|after| after.is("("));
    if token.kind == Kind::Text {
        return unknown_in_text(tokens, at);
    }
    if token.kind != Kind::Name || follows(".") {
        return None;
    }
    if follows("|") {
        return unknown_filter(token);
    }
    let follows_is = before.is_some_and(|before| before.text == "is")
        || (before.is_some_and(|before| before.text == "not") && at >= 2 && tokens[at - 2].text == "is");
    if follows_is && token.text != "not" {
        return unknown_test(token);
    }
    if is_word(&token.text) {
        return None;
    }
    if calls && token.text != "range" {
        let count = arguments(&tokens[at + 1..]);
        return unknown_function(&token.text, count, token.reach, known);
    }
    let is_keyword = after.is_some_and(|after| after.is("=")) && (follows("(") || follows(","));
    if calls || is_keyword || known.may_have(&token.text) {
        return None;
    }
    Some(unknown_variable(&token.text, token.reach, known, true))
}

/// Counts the arguments of a call whose bracket comes first.
fn arguments(tokens: &[Token]) -> usize {
    let (mut depth, mut commas, mut any, mut last) = (0_usize, 0, false, false);
    for token in tokens {
        match token.text.as_str() {
            "(" | "[" | "{" if token.kind == Kind::Sign => depth += 1,
            ")" | "]" | "}" if token.kind == Kind::Sign => depth = depth.saturating_sub(1),
            "," if token.kind == Kind::Sign && depth == 1 => {
                commas += 1;
                last = true;
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
        any |= !(depth == 1 && token.is("("));
        last = false;
    }
    if any { commas + usize::from(!last) } else { 0 }
}

/// Says what is wrong with a text that names the test or filter of `select('odd')`, `selectattr('n', 'gt', 5)`, `map('int')`.
fn unknown_in_text(tokens: &[Token], at: usize) -> Option<ExpressionError> {
    let is_filter = |at: Option<usize>, names: &[&str]| {
        at.is_some_and(|at| tokens[at + 1].is("(") && names.contains(&tokens[at].text.as_str()))
            && at.and_then(|at| at.checked_sub(1)).is_some_and(|before| tokens[before].is("|"))
    };
    if tokens.get(at + 1).is_some_and(|next| !next.is(",") && !next.is(")")) {
        return None;
    }
    let bare = Token { text: tokens[at].text.trim_matches(['\'', '"']).to_owned(), ..tokens[at].clone() };
    if is_filter(at.checked_sub(2), &["map"]) {
        return unknown_filter(&bare);
    }
    let follows_path = at >= 4 && tokens[at - 1].is(",") && tokens[at - 2].kind == Kind::Text;
    let is_test = is_filter(at.checked_sub(2), &["select", "reject"])
        || (follows_path && is_filter(at.checked_sub(4), &["selectattr", "rejectattr"]));
    if is_test { unknown_test(&bare) } else { None }
}

fn unknown_filter(token: &Token) -> Option<ExpressionError> {
    let names = || FILTERS.into_iter().chain(functions::names());
    if names().any(|name| name == token.text) {
        return None;
    }
    let mut error = ExpressionError::at(token.reach, format!("unknown filter `{}`", token.text));
    error.hint = nearest::hint(&token.text, names());
    error.help = Some(format!("valid: {}; and the functions", FILTERS.join(", ")));
    Some(error)
}

fn unknown_test(token: &Token) -> Option<ExpressionError> {
    if TESTS.contains(&token.text.as_str()) {
        return None;
    }
    let mut error = ExpressionError::at(token.reach, format!("unknown test `{}`", token.text));
    error.hint = nearest::hint(&token.text, TESTS);
    error.help = Some(format!("valid: {}", TESTS.join(", ")));
    Some(error)
}

/// Returns the variables that a formula names.
pub(super) fn variables(source: &str) -> Vec<String> {
    let Ok(plain) = plain(source) else { return Vec::new() };
    let tokens = tokens(&plain);
    let known = Known::default();
    (0..tokens.len()).filter_map(|at| unknown_at(&tokens, at, &known)?.unknown).collect()
}

/// Evaluates a formula, with variables and functions as they are defined.
pub(super) fn evaluate(definitions: &Arc<dyn Definitions>, source: &str) -> Result<Value, ExpressionError> {
    let plain = compilable(source)?;
    let tokens = tokens(&plain);
    let guarded = guard(&plain)?;
    let compiled = environment().compile_expression(&guarded.source).map_err(|error| placed(&error, &guarded))?;
    let host = Host::of(definitions, guarded.operands.clone());
    let result = compiled.eval(host.root());
    let (failed, missed) = host.failures();
    let place = |name: &str| tokens.iter().rev().find(|token| token.text.trim_matches(['\'', '"']) == name);
    let missed = missed.filter(|_| !tokens.iter().any(is_lenient));
    match (failed, missed) {
        (Some(Failed::Operand(error)), None) => return Err(error),
        (Some(Failed::Name(name, error)), _) => {
            let reach = place(&name).map_or(Reach { offset: 0, length: plain.chars().count() }, |token| token.reach);
            return Err(ExpressionError { offset: reach.offset, length: reach.length, within: None, ..error });
        }
        (_, Some((key, message))) => {
            let reach = place(&key).map_or(Reach { offset: 0, length: plain.chars().count() }, |token| token.reach);
            return Err(ExpressionError::at(reach, message));
        }
        (None, None) => {}
    }
    let value = result.map_err(|error| placed(&error, &guarded))?;
    let whole = Reach { offset: 0, length: plain.chars().count() };
    if value.is_undefined() {
        return Err(ExpressionError::at(whole, "the expression has no value"));
    }
    to_json(&value).map_err(|message| ExpressionError::at(whole, message))
}

/// Says whether a token makes of a key that is not there something else than an error.
fn is_lenient(token: &Token) -> bool {
    match token.kind {
        // As in `selectattr('n', 'defined')`.
        Kind::Text => matches!(token.text.trim_matches(['\'', '"']), "defined" | "undefined"),
        _ => matches!(token.text.as_str(), "default" | "d" | "defined" | "undefined" | "in"),
    }
}
