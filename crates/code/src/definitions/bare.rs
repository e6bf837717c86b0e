//! Members of classes, objects and interfaces, which no keyword announces → methods.

use super::bound::{behind_type, function};
use super::braced::Reader;
use super::scopes::{Inside, New};
use super::signature;

const MODIFIERS: [&str; 14] = [
    "public",
    "private",
    "protected",
    "static",
    "abstract",
    "override",
    "readonly",
    "async",
    "get",
    "set",
    "declare",
    "export",
    "accessor",
    "default",
];

/// Words that stand before parentheses and are no names.
const CONTROL: [&str; 14] = [
    "if", "for", "while", "switch", "catch", "function", "return", "with", "super", "new", "await", "typeof", "import",
    "throw",
];

/// Reads `name(arguments) {` of a class or an object; of a class, `name = (…) => …` as well.
pub(super) fn member(reader: &mut Reader<'_>, start: usize) -> Option<(usize, Option<usize>)> {
    let tokens = reader.tokens;
    let inside = reader.inside();
    if !matches!(inside, Inside::Type | Inside::Interface | Inside::Object) {
        return None;
    }
    let from = signature::skip_attributes(tokens, start, tokens.all.len());
    let mut at = from;
    while tokens.is_word_of(at, &MODIFIERS) && !tokens.is_any(at + 1, b"(=:;<?,}") || tokens.is_any(at, b"*#") {
        at += 1;
    }
    let name = tokens.name(at).filter(|_| !tokens.is_word_of(at, &CONTROL))?;
    let behind = if tokens.is_any(at + 1, b"?!") { at + 2 } else { at + 1 };
    if inside != Inside::Object && tokens.is_any(behind, b"=:") {
        return field(reader, from, at, name);
    }
    let open = tokens.behind_angles(behind);
    if !tokens.is(open, b'(') {
        return None;
    }
    let body = behind_type(tokens, tokens.closing(open) + 1);
    let opens = Some(body).filter(|body| tokens.is(*body, b'{'));
    if inside == Inside::Object && opens.is_none() {
        return None;
    }
    let parent = reader.parent();
    let of = reader.found.add(tokens, New { kind: "method", name, parent, at, from, to: body });
    Some((of, opens))
}

/// Reads a field that holds a function.
fn field(reader: &mut Reader<'_>, from: usize, at: usize, name: &[u8]) -> Option<(usize, Option<usize>)> {
    let tokens = reader.tokens;
    let equals = (at + 1..at + 60)
        .take_while(|at| !tokens.is_any(*at, b";{}"))
        .find(|at| tokens.is(*at, b'=') && !tokens.is_pair(*at, *b"=>"))?;
    let body = function(tokens, equals + 1)?;
    let parent = reader.parent();
    let of = reader.found.add(tokens, New { kind: "method", name, parent, at, from, to: body });
    Some((of, Some(body).filter(|body| tokens.is(*body, b'{'))))
}

/// Reads a method of an interface of Go.
pub(super) fn of_interface(reader: &mut Reader<'_>, start: usize) -> Option<(usize, Option<usize>)> {
    let tokens = reader.tokens;
    if reader.inside() != Inside::Interface || !tokens.is(start + 1, b'(') {
        return None;
    }
    let name = tokens.name(start)?;
    let to = signature::end(tokens, reader.language, start);
    let parent = reader.parent();
    let of = reader.found.add(tokens, New { kind: "method", name, parent, at: start, from: start, to });
    Some((of, None))
}
