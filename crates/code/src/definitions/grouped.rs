//! A keyword with one definition behind it, or several in parentheses, as Go has them.

use super::braced::Reader;
use super::keyword::Declared;
use super::scopes::{Inside, New};
use super::signature;
use crate::source::language::Keyword;

/// Reads `type Name struct {`, and the lines of `type (…)`.
pub(super) fn group(reader: &mut Reader<'_>, at: usize, keyword: &Keyword) -> Option<Declared> {
    let tokens = reader.tokens;
    if reader.inside() != Inside::File && keyword.word == "const" {
        return None;
    }
    if !tokens.is(at + 1, b'(') {
        return one(reader, at + 1, at, keyword);
    }
    let close = tokens.closing(at + 1);
    let mut place = at + 2;
    let mut last = None;
    while place < close {
        if tokens.begins_line(place) && tokens.name(place).is_some() {
            last = one(reader, place, place, keyword);
        }
        place = if tokens.is_any(place, b"({[") { tokens.closing(place) + 1 } else { place + 1 };
    }
    last.map(|declared| Declared { inside: None, ..declared })
}

fn one(reader: &mut Reader<'_>, place: usize, from: usize, keyword: &Keyword) -> Option<Declared> {
    let tokens = reader.tokens;
    let name = tokens.name(place).filter(|name| *name != b"_")?;
    let behind = if tokens.is(place + 1, b'[') && keyword.kind == "type" && tokens.name(place + 2).is_some() {
        tokens.closing(place + 1) + 1
    } else {
        place + 1
    };
    let kind = match keyword.kind {
        "type" if tokens.is_word(behind, "struct") => "struct",
        "type" if tokens.is_word(behind, "interface") => "interface",
        kind => kind,
    };
    let to = signature::end(tokens, reader.language, place);
    let parent = reader.parent();
    let of = reader.found.add(tokens, New { kind, name, parent, at: place, from, to });
    let has_body = matches!(kind, "struct" | "interface");
    Some(Declared { of, inside: has_body.then(|| reader.body_of(of)), opens: None })
}
