//! Definitions that say to whom functions belong: `impl Type {`, and Go's receivers.

use super::braced::Reader;
use super::keyword::{Declared, done};
use super::scopes::{New, OWNER};
use crate::source::token::REACH;

/// Reads `impl<T> Trait for Type<T> where … {`.
pub(super) fn owner(reader: &mut Reader<'_>, at: usize) -> Option<Declared> {
    let tokens = reader.tokens;
    if at != reader.begin
        && !tokens.is_word_of(at.wrapping_sub(1), &["unsafe", "default", "const"])
        && !tokens.is(at.wrapping_sub(1), b']')
    {
        return None;
    }
    let mut place = tokens.behind_angles(at + 1);
    let mut name = None;
    while !tokens.is_any(place, b"{;") && !tokens.is_word(place, "where") {
        let behind = tokens.behind_angles(place);
        if behind > place {
            place = behind;
            continue;
        }
        if tokens.is_word(place, "for") {
            name = None;
        } else if !tokens.is_word_of(place, &["dyn", "mut", "const"]) {
            name = tokens.name(place).or(name);
        }
        place += 1;
        tokens.get(place).filter(|_| place < at + REACH)?;
    }
    let to = place;
    let (parent, name) = (reader.parent(), name?);
    let of = reader.found.add(tokens, New { kind: OWNER, name, parent, at, from: at, to });
    Some(done(reader, of))
}

/// Reads `func (s *Stack[T]) Push(`.
pub(super) fn receiver(reader: &mut Reader<'_>, at: usize) -> Option<Declared> {
    let tokens = reader.tokens;
    let (mut place, mut owner) = (at + 1, None);
    if tokens.is(place, b'(') {
        let close = tokens.closing(place);
        let of_type = |at: usize| tokens.name(at).filter(|_| !tokens.is(at.wrapping_sub(1), b'['));
        let end = (place..close).find(|at| tokens.is(*at, b'[')).unwrap_or(close);
        owner = (place..end).rev().find_map(of_type);
        place = close + 1;
    }
    let name = tokens.name(place).filter(|_| tokens.is_any(place + 1, b"(["))?;
    let kind = if owner.is_some() { "method" } else { "function" };
    let of = reader.add(kind, name, at, place);
    if let Some(owner) = owner {
        reader.found.definitions[of].parent = Some(String::from_utf8_lossy(owner).into_owned());
    }
    Some(done(reader, of))
}
