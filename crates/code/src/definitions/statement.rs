//! A statement of a language of C's family → the function that it defines: `type name(arguments) {`.

use super::braced::Reader;
use super::scopes::{Inside, New};
use super::signature;
use crate::source::language::Bare;
use crate::source::token::REACH;
use crate::source::{Kind, Tokens};

/// Words before parentheses that are no names of functions.
const CONTROL: [&str; 28] = [
    "if",
    "for",
    "while",
    "switch",
    "catch",
    "return",
    "sizeof",
    "do",
    "else",
    "new",
    "throw",
    "static_assert",
    "using",
    "try",
    "decltype",
    "noexcept",
    "alignas",
    "__attribute__",
    "__declspec",
    "requires",
    "case",
    "goto",
    "typeof",
    "default",
    "co_return",
    "delete",
    "asm",
    "__attribute",
];

/// The same of languages that are younger than C.
const YOUNGER: [&str; 7] = ["lock", "fixed", "foreach", "synchronized", "throws", "when", "nameof"];

/// Words that say something of a definition, and are no type that it returns.
const MODIFIERS: [&str; 22] = [
    "public",
    "private",
    "protected",
    "internal",
    "static",
    "final",
    "abstract",
    "virtual",
    "override",
    "sealed",
    "extern",
    "unsafe",
    "async",
    "synchronized",
    "native",
    "strictfp",
    "default",
    "inline",
    "explicit",
    "constexpr",
    "partial",
    "readonly",
];

/// What stands before a body.
struct Head {
    name: Vec<u8>,
    /// Of the class that the name is written with: `Class::name`.
    owner: Option<Vec<u8>>,
    place: usize,
    kind: &'static str,
}

/// Returns the definition that begins with a statement, and where its body opens.
pub(super) fn declare(reader: &mut Reader<'_>, start: usize) -> Option<(usize, Option<usize>)> {
    if !matches!(reader.inside(), Inside::File | Inside::Type | Inside::Interface) {
        return None;
    }
    let tokens = reader.tokens;
    if matches!(tokens.get(start)?.kind, Kind::If | Kind::Else | Kind::EndIf | Kind::Macro) {
        return None;
    }
    let from = beginning(reader, start);
    let is_young = reader.language.bare == Bare::Methods;
    let (mut at, mut head, mut has_equals) = (from, None::<Head>, false);
    while let Some(token) = tokens.get(at).filter(|_| at < from + REACH) {
        match token.kind {
            Kind::Sign(b'(') => {
                let found = head.is_none().then(|| candidate(reader, from, at)).flatten();
                let is_operator = found.as_ref().is_some_and(|found| found.name == b"operator()");
                head = head.or(found.filter(|_| !has_equals));
                at = tokens.closing(at);
                if is_operator && tokens.is(at + 1, b'(') {
                    at = tokens.closing(at + 1);
                }
            }
            Kind::Sign(b'[') => {
                head = head.or_else(|| indexer(reader, at));
                at = tokens.closing(at);
            }
            // Constants of an enum stand in a list.
            Kind::Sign(b',') if is_young && head.is_none() => return None,
            Kind::Sign(b'<') if is_young && head.is_none() => at = tokens.behind_angles(at).max(at + 1) - 1,
            Kind::Sign(b'{') if head.is_some() && is_initial(tokens, from, at) => at = tokens.closing(at),
            Kind::Sign(b'{') => return body(reader, head, has_equals, from, at),
            Kind::Sign(b'=') if tokens.is_pair(at, *b"=>") => return expression(reader, head, has_equals, from, at),
            Kind::Sign(b'=')
                if !tokens.is_word(at - usize::from(at > 0), "operator") && !is_of_operator(tokens, at) =>
            {
                has_equals = true;
            }
            Kind::Sign(b';') => return without_body(reader, head, has_equals, from, at),
            Kind::Sign(b'}') | Kind::Macro => return None,
            // A type's keyword has its own definition; a type may be named with it, too.
            Kind::Word if head.is_none() && defines(reader, at) => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Passes over what stands before the statement proper.
fn beginning(reader: &Reader<'_>, start: usize) -> usize {
    let tokens = reader.tokens;
    let mut at = start;
    loop {
        let begun = at;
        at = signature::skip_attributes(tokens, at, tokens.all.len());
        if tokens.is_word(at, "template") {
            at = tokens.behind_angles(at + 1);
        }
        let is_label = tokens.is(at + 1, b':') && !tokens.is_pair(at + 1, *b"::");
        if is_label && tokens.is_word_of(at, &["public", "private", "protected", "signals", "slots", "default"]) {
            at += 2;
        }
        if matches!(tokens.get(at).map(|token| token.kind), Some(Kind::If | Kind::Else | Kind::EndIf)) {
            at += 1;
        }
        if at == begun {
            return at;
        }
    }
}

/// Tells whether a word opens a definition of its own here.
fn defines(reader: &Reader<'_>, at: usize) -> bool {
    let tokens = reader.tokens;
    let word = tokens.word(at).unwrap_or_default();
    let Some(keyword) = reader.language.keyword(word) else { return false };
    if matches!(keyword.word, "typedef" | "using" | "namespace" | "delegate") {
        return true;
    }
    if keyword.word == "record" {
        return tokens.name(at + 1).is_some()
            && tokens.is_any(tokens.behind_angles(at + 2), b"({:;")
            && !tokens.is_any(at.wrapping_sub(1), b".");
    }
    // A function that returns a struct has its parentheses before the brace.
    let mut place = at + 1;
    while let Some(token) = tokens.get(place).filter(|_| place < at + REACH) {
        match token.kind {
            Kind::Sign(b'{') => return true,
            Kind::Sign(b'(') if !matches!(reader.language.name, "C" | "C++") => place = tokens.closing(place),
            Kind::Sign(b'(' | b';' | b'=' | b')' | b'*' | b'}') => return false,
            Kind::Sign(b'<') => place = tokens.behind_angles(place).max(place + 1) - 1,
            _ => {}
        }
        place += 1;
    }
    false
}

/// Returns the function whose arguments open at a place.
fn candidate(reader: &Reader<'_>, from: usize, open: usize) -> Option<Head> {
    let tokens = reader.tokens;
    if let Some(operator) = operator(tokens, from, open) {
        return Some(operator);
    }
    // `int (name)(int a)`: the parentheses keep a macro of this name from being meant.
    if tokens.is(open + 2, b')') && tokens.is(open + 3, b'(') && tokens.name(open.wrapping_sub(1)).is_some() {
        let name = tokens.name(open + 1)?.to_vec();
        return Some(Head { name, owner: None, place: open + 1, kind: "function" });
    }
    let mut place = open.checked_sub(1).filter(|place| *place >= from)?;
    // `name<T>(`.
    if tokens.is(place, b'>') {
        let opens = (from..place).rev().find(|at| tokens.behind_angles(*at) == place + 1)?;
        place = opens.checked_sub(1)?;
    }
    let is_young = reader.language.bare == Bare::Methods;
    let name = tokens.name(place).filter(|_| !tokens.is_word_of(place, &CONTROL))?;
    let is_text = tokens.get(open + 1).is_some_and(|token| token.kind == Kind::Text);
    if is_text || (is_young && tokens.is_word_of(place, &YOUNGER)) || is_macro(tokens, from, place, open) {
        return None;
    }
    let is_end = tokens.is(place.wrapping_sub(1), b'~');
    let name = if is_end { [b"~", name].concat() } else { name.to_vec() };
    let before = if is_end { place - 1 } else { place };
    let owner = owner(tokens, from, before);
    let start = owner.as_ref().map_or(before, |(_, start)| *start);
    let head = Head { name, owner: owner.map(|(owner, _)| owner), place, kind: "function" };
    fits(reader, from, start, &head).then_some(head)
}

/// Tells whether parentheses belong to a macro before the definition: `API(int) name(…)`.
fn is_macro(tokens: &Tokens<'_>, from: usize, place: usize, open: usize) -> bool {
    let close = tokens.closing(open);
    let is_upper = tokens
        .name(place)
        .is_some_and(|name| name.iter().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'0'..=b'9')));
    let goes_on = tokens.name(close + 1).is_some()
        && !tokens.is_word_of(close + 1, &["const", "noexcept", "override", "final", "throw"]);
    goes_on && (is_upper || (place == from && tokens.begins_line(close + 1)))
}

/// Returns the class before `::name`, and where it begins.
fn owner(tokens: &Tokens<'_>, from: usize, name: usize) -> Option<(Vec<u8>, usize)> {
    let mut at = name.checked_sub(2).filter(|at| *at >= from && tokens.is_pair(*at, *b"::"))?;
    let mut owner = None;
    loop {
        let mut part = at.checked_sub(1).filter(|part| *part >= from)?;
        if tokens.is(part, b'>') {
            let opens = (from..part).rev().find(|at| tokens.behind_angles(*at) == part + 1)?;
            part = opens.checked_sub(1)?;
        }
        let word = tokens.name(part)?;
        owner = owner.or_else(|| Some(word.to_vec()));
        match part.checked_sub(2).filter(|at| *at >= from && tokens.is_pair(*at, *b"::")) {
            Some(above) => at = above,
            None => return owner.map(|owner| (owner, part)),
        }
    }
}

/// Returns the operator whose arguments open at a place.
fn operator(tokens: &Tokens<'_>, from: usize, open: usize) -> Option<Head> {
    let word = (open.saturating_sub(8).max(from)..open).rev().find(|at| tokens.is_word(*at, "operator"))?;
    let is_call = open == word + 1 && tokens.is(open + 1, b')');
    let (first, last) = (tokens.get(word)?, tokens.get(if is_call { open + 1 } else { open - 1 })?);
    let name = tokens.line(word, if is_call { open + 2 } else { open }, 60).into_bytes();
    let has_name = first.start < last.start;
    let owner = owner(tokens, from, word).map(|(owner, _)| owner);
    has_name.then_some(Head { name, owner, place: word, kind: "function" })
}

fn is_of_operator(tokens: &Tokens<'_>, at: usize) -> bool {
    (at.saturating_sub(3)..at).any(|at| tokens.is_word(at, "operator"))
}

/// Reads `this[int index]` of C#.
fn indexer(reader: &Reader<'_>, open: usize) -> Option<Head> {
    let place = open.checked_sub(1)?;
    let is_one = reader.language.name == "C#" && reader.tokens.is_word(place, "this");
    is_one.then(|| Head { name: b"this".to_vec(), owner: None, place, kind: "property" })
}

/// Tells whether what stands before a name makes it one of a definition rather than of a call.
fn fits(reader: &Reader<'_>, from: usize, name: usize, head: &Head) -> bool {
    let tokens = reader.tokens;
    let start =
        (from..name).rev().take_while(|at| tokens.is(at + 1, b'.') || tokens.is(*at, b'.')).last().unwrap_or(name);
    if tokens.is_word_of(from, &["return", "await", "throw", "yield", "else"]) {
        return false;
    }
    let returns = (from..start).any(|at| tokens.name(at).is_some() && !tokens.is_word_of(at, &MODIFIERS));
    let is_of_class = reader.parent().is_some_and(|parent| {
        let parent = parent.as_bytes();
        head.name == parent || head.name.strip_prefix(b"~") == Some(parent)
    });
    let is_part = tokens.is(name.wrapping_sub(1), b'.') && reader.language.name != "C#";
    match reader.language.bare {
        _ if is_part => false,
        // A macro may stand for all that a function returns.
        Bare::Functions => true,
        _ => returns || is_of_class || head.name.starts_with(b"~"),
    }
}

/// Tells whether braces begin a member of a class in its constructor: `: a{1}, b{2} {`.
fn is_initial(tokens: &Tokens<'_>, from: usize, at: usize) -> bool {
    let before = at.wrapping_sub(1);
    let is_name = tokens.name(before).is_some() || tokens.is(before, b'>');
    let colon = (from..at).rev().find(|at| tokens.is(*at, b':') && tokens.is(at.wrapping_sub(1), b')'));
    is_name && colon.is_some() && !tokens.is_word_of(before, &["const", "override", "final", "noexcept", "try"])
}

fn add(reader: &mut Reader<'_>, head: Head, from: usize, to: usize) -> usize {
    let is_method = head.owner.is_some() || reader.is_in_type();
    let parent = head.owner.map(|owner| String::from_utf8_lossy(&owner).into_owned()).or_else(|| reader.parent());
    let kind = if is_method && head.kind == "function" { "method" } else { head.kind };
    reader.found.add(reader.tokens, New { kind, name: &head.name, parent, at: head.place, from, to })
}

fn body(
    reader: &mut Reader<'_>,
    head: Option<Head>,
    has_equals: bool,
    from: usize,
    at: usize,
) -> Option<(usize, Option<usize>)> {
    if has_equals {
        return None;
    }
    let head = head.or_else(|| property(reader, from, at))?;
    Some((add(reader, head, from, at), Some(at)))
}

/// Reads `int Count { get; }` of C#, and a record's constructor without arguments of Java.
fn property(reader: &Reader<'_>, from: usize, at: usize) -> Option<Head> {
    let tokens = reader.tokens;
    let place = at.checked_sub(1).filter(|place| *place > from && reader.is_in_type())?;
    let is_event = (from..place).any(|at| tokens.is_word(at, "event"));
    let name = tokens
        .name(place)
        .filter(|_| reader.language.name == "C#" && !is_event && !tokens.is_word_of(place, &CONTROL))?;
    Some(Head { name: name.to_vec(), owner: None, place, kind: "property" })
}

/// Reads `int Twice() => 2;` and `int Count => 2;` of C#.
fn expression(
    reader: &mut Reader<'_>,
    head: Option<Head>,
    has_equals: bool,
    from: usize,
    at: usize,
) -> Option<(usize, Option<usize>)> {
    if has_equals || reader.language.name != "C#" {
        return None;
    }
    let head = head.or_else(|| property(reader, from, at))?;
    Some((add(reader, head, from, at), None))
}

/// Reads a method without a body, of an interface or an abstract class.
fn without_body(
    reader: &mut Reader<'_>,
    head: Option<Head>,
    has_equals: bool,
    from: usize,
    at: usize,
) -> Option<(usize, Option<usize>)> {
    let has_methods = reader.language.bare == Bare::Methods && reader.is_in_type();
    let head = head.filter(|_| has_methods && !has_equals)?;
    Some((add(reader, head, from, at), None))
}
