//! What a script binds a name to → a function, or a constant.

use super::braced::Reader;
use super::keyword::Declared;
use super::scopes::{Inside, New};
use super::signature;
use crate::source::Tokens;
use crate::source::language::Keyword;
use crate::source::token::REACH;

/// Most names that one function is bound to at once.
const CHAIN: usize = 4;

/// Reads `const name = …`.
pub(super) fn bound(reader: &mut Reader<'_>, at: usize, keyword: &Keyword) -> Option<Declared> {
    let tokens = reader.tokens;
    let name = tokens.name(at + 1).filter(|_| !tokens.is_word_of(at + 1, &["enum", "of", "in"]))?;
    let equals = equals(tokens, at + 2);
    let function = equals.and_then(|equals| function(tokens, equals + 1));
    let kind = match (function, keyword.kind) {
        (Some(_), _) => "function",
        (None, "constant") if reader.inside() == Inside::File => "constant",
        _ => return None,
    };
    let from = signature::start(tokens, reader.language, reader.begin, at);
    let to = function.unwrap_or_else(|| signature::end(tokens, reader.language, at + 1));
    let parent = reader.parent();
    let of = reader.found.add(tokens, New { kind, name, parent, at: at + 1, from, to });
    let object = equals.map(|equals| equals + 1).filter(|_| function.is_none());
    let opens = function.or(object).filter(|body| tokens.is(*body, b'{'));
    let inside = if function.is_some() { Inside::Function } else { Inside::Object };
    Some(Declared { of, inside: opens.map(|_| inside), opens })
}

/// Returns the place of the `=` of a binding, behind its type.
fn equals(tokens: &Tokens<'_>, start: usize) -> Option<usize> {
    let mut at = start;
    if tokens.is_any(at, b"!") {
        at += 1;
    }
    if tokens.is(at, b':') {
        while !tokens.is(at, b'=') || tokens.is_pair(at, *b"=>") {
            let is_end = tokens.is_any(at, b";,)}") || (at > start + 1 && signature::ends_before(tokens, at));
            if is_end || at > start + REACH || tokens.get(at).is_none() {
                return None;
            }
            at = match tokens.behind_angles(at) {
                behind if behind > at => behind,
                _ if tokens.is_any(at, b"({[") => tokens.closing(at) + 1,
                _ if tokens.is_pair(at, *b"=>") => at + 2,
                _ => at + 1,
            };
        }
    }
    (tokens.is(at, b'=') && !tokens.is_pair(at, *b"==") && !tokens.is_pair(at, *b"=>")).then_some(at)
}

/// Returns where the body of a function begins, if one stands at a place.
pub(super) fn function(tokens: &Tokens<'_>, start: usize) -> Option<usize> {
    let at = if tokens.is_word(start, "async") && !tokens.is_pair(start + 1, *b"=>") { start + 1 } else { start };
    if tokens.is_word(at, "function") {
        let open = (at + 1..at + 4).find(|at| tokens.is_any(*at, b"(<"))?;
        let open = tokens.behind_angles(open);
        return Some(behind_type(tokens, tokens.closing(open) + 1));
    }
    let arguments = tokens.behind_angles(at);
    let behind = match () {
        () if tokens.is(arguments, b'(') => behind_type(tokens, tokens.closing(arguments) + 1),
        () if tokens.name(arguments).is_some() => arguments + 1,
        () => return None,
    };
    tokens.is_pair(behind, *b"=>").then_some(behind + 2)
}

/// Passes over the type that a function returns.
pub(super) fn behind_type(tokens: &Tokens<'_>, start: usize) -> usize {
    if !tokens.is(start, b':') {
        return start;
    }
    let mut at = start + 1;
    // What opens right behind a sign belongs to the type.
    while tokens.get(at).is_some() && at < start + REACH {
        let is_of_type = tokens.is_any(at - 1, b":|&,?") || tokens.is_word_of(at - 1, &["is", "keyof", "extends"]);
        let behind = tokens.behind_angles(at);
        if behind > at {
            at = behind;
        } else if tokens.is(at, b'{') && !is_of_type || tokens.is_any(at, b";),}=") {
            let is_arrow_of_type =
                tokens.is_pair(at, *b"=>") && tokens.is(at - 1, b')') && is_of_type_arrow(tokens, start, at);
            if !is_arrow_of_type {
                return at;
            }
            at += 2;
        } else if tokens.is_any(at, b"({[") {
            at = tokens.closing(at) + 1;
        } else if at > start + 1 && signature::ends_before(tokens, at) {
            return at;
        } else {
            at += 1;
        }
    }
    at
}

/// Tells whether an arrow belongs to the type of a function that is returned: `): (a) => b {`.
fn is_of_type_arrow(tokens: &Tokens<'_>, colon: usize, _arrow: usize) -> bool {
    tokens.is(colon + 1, b'(')
}

/// Reads `name.of.it = function`, `name: (…) => …`.
pub(super) fn assigned(reader: &mut Reader<'_>, start: usize) -> Option<(usize, Option<usize>)> {
    chained(reader, start, CHAIN)
}

fn chained(reader: &mut Reader<'_>, start: usize, most: usize) -> Option<(usize, Option<usize>)> {
    let tokens = reader.tokens;
    let (mut at, mut parts) = (start, 0);
    while tokens.name(at).is_some() && tokens.is(at + 1, b'.') {
        at += 2;
        parts += 1;
    }
    let is_property = reader.inside() == Inside::Object && tokens.is(at + 1, b':') && parts == 0;
    let is_bound = tokens.is(at + 1, b'=') && (parts > 0 || reader.inside() == Inside::Type);
    let name = tokens.name(at).filter(|_| is_property || is_bound)?;
    let may_chain = most > 0 && is_bound && tokens.name(at + 2).is_some();
    let inner = if may_chain { chained(reader, at + 2, most - 1) } else { None };
    // `a.one = a.two = function`.
    let body = match inner {
        Some((_, opens)) => opens.unwrap_or(at + 2),
        None => function(tokens, at + 2)?,
    };
    let owner = (0..parts).rev().map(|part| start + part * 2).find(|at| !tokens.is_word(*at, "prototype"));
    let is_of_module = owner.is_some_and(|at| tokens.is_word_of(at, &["exports", "module"]));
    let owner = owner.filter(|_| !is_of_module).and_then(|at| tokens.name(at));
    let is_method = is_property || reader.is_in_type() || owner.is_some();
    let parent = owner.map(|owner| String::from_utf8_lossy(owner).into_owned()).or_else(|| reader.parent());
    let kind = if is_method { "method" } else { "function" };
    let of = reader.found.add(tokens, New { kind, name, parent, at, from: start, to: body });
    if inner.is_some() {
        return inner;
    }
    Some((of, Some(body).filter(|body| tokens.is(*body, b'{'))))
}
