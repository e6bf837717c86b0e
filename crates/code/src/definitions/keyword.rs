//! A word that defines something → its definition, where it stands as such.

use super::bound;
use super::braced::Reader;
use super::scopes::{Inside, New, OWNER};
use super::{grouped, owned, signature};
use crate::source::Tokens;
use crate::source::language::{Bare, Form, Keyword};
use crate::source::token::REACH;

/// A definition, and what opens with its body.
pub(super) struct Declared {
    pub(super) of: usize,
    /// None where it has no body.
    pub(super) inside: Option<Inside>,
    /// Where the body opens, if that is known.
    pub(super) opens: Option<usize>,
}

/// Words that may not be names: what else stands behind a keyword.
const NO_NAMES: [&str; 19] = [
    "extends",
    "implements",
    "for",
    "where",
    "in",
    "is",
    "as",
    "func",
    "fun",
    "fn",
    "var",
    "let",
    "const",
    "static",
    "if",
    "return",
    "mut",
    "unsafe",
    "async",
];

/// Returns the definition that begins at a keyword.
pub(super) fn declare(reader: &mut Reader<'_>, at: usize, keyword: &Keyword) -> Option<Declared> {
    let tokens = reader.tokens;
    let before = at.wrapping_sub(1);
    if tokens.is_word_of(before, &["use", "using"]) && !tokens.begins_line(at) {
        return None;
    }
    let is_part =
        tokens.is(before, b'.') || (tokens.is(before, b':') && tokens.is_pair(before.wrapping_sub(1), *b"::"));
    if is_part || tokens.is_pair(at.wrapping_sub(2), *b"->") || tokens.is_word(before, "typename") {
        return None;
    }
    match keyword.form {
        Form::Name => named(reader, at, keyword),
        Form::Body => with_body(reader, at, keyword),
        Form::Alias => alias(reader, at, keyword),
        Form::Record => record(reader, at, keyword),
        Form::BeforeArguments => before_arguments(reader, at, keyword),
        Form::Itself => itself(reader, at, keyword),
        Form::Path => path(reader, at, keyword),
        Form::Owner => owned::owner(reader, at),
        Form::Receiver => owned::receiver(reader, at),
        Form::Group => grouped::group(reader, at, keyword),
        Form::Bound => bound::bound(reader, at, keyword),
        Form::Bang => bang(reader, at, keyword),
        Form::Last => last(reader, at, keyword),
    }
}

fn function(reader: &Reader<'_>, kind: &'static str) -> &'static str {
    if kind == "function" && reader.is_in_type() { "method" } else { kind }
}

pub(super) fn done(reader: &Reader<'_>, of: usize) -> Declared {
    Declared { of, inside: Some(reader.body_of(of)), opens: None }
}

fn name_at<'a>(tokens: &Tokens<'a>, at: usize) -> Option<&'a [u8]> {
    tokens.name(at).filter(|_| !tokens.is_word_of(at, &NO_NAMES))
}

fn named(reader: &mut Reader<'_>, at: usize, keyword: &Keyword) -> Option<Declared> {
    let tokens = reader.tokens;
    // `function*`, `fn r#name`, `static mut NAME`, `function &name`.
    let mut place = at + 1;
    while tokens.is_any(place, b"*&") || tokens.is_word_of(place, &["mut", "ref"]) {
        place += 1;
    }
    if tokens.is_word(place, "r") && tokens.is(place + 1, b'#') {
        place += 2;
    }
    if only_names(reader, at, place, keyword) {
        return None;
    }
    match keyword.word {
        "func" if name_at(tokens, place).is_none() => return operator(reader, at, place, keyword),
        "object" if tokens.is(place, b':') => return Some(nameless(reader, at)),
        "object" if is_companion(tokens, at, place) => {
            let of = reader.add(keyword.kind, b"Companion", at, at);
            return Some(done(reader, of));
        }
        _ => {}
    }
    let is_function = keyword.kind == "function" && tokens.is_any(place + 1, b"(<");
    let name = if is_function { tokens.name(place)? } else { name_at(tokens, place)? };
    let kind = kind_of(reader, at, function(reader, keyword.kind));
    let of = reader.add(kind, name, at, place);
    Some(done(reader, of))
}

/// Tells whether a keyword defines nothing where it stands, though a name follows.
fn only_names(reader: &Reader<'_>, at: usize, place: usize, keyword: &Keyword) -> bool {
    let (tokens, before) = (reader.tokens, at.wrapping_sub(1));
    let is_rust = reader.language.name == "Rust";
    match (keyword.word, keyword.kind) {
        // A module that stands in a file of its own is no more than named here.
        (_, "module") => tokens.is(place + 1, b';'),
        ("val", _) => !tokens.is_word(before, "const"),
        // `name = function name() {`.
        ("function", _) => tokens.is_any(before, b"=:"),
        (_, "constant") if is_rust => tokens.is_word(place, "_") || !tokens.is(place + 1, b':'),
        (_, "class") => tokens.is_any(place + 1, b"=,)"),
        (_, "struct" | "enum" | "trait") if is_rust => {
            !tokens.is_any(place + 1, b"{(;<:=") && !tokens.is_word(place + 1, "where")
        }
        _ => is_rust && tokens.name(place).is_some_and(|name| name.starts_with(b"$")),
    }
}

/// Tells whether an object of Kotlin is a class's own, which needs no name.
fn is_companion(tokens: &Tokens<'_>, at: usize, place: usize) -> bool {
    let has_name = tokens.name(place).is_some() && !tokens.begins_line(place);
    tokens.is_word(at.wrapping_sub(1), "companion") && !has_name
}

/// Reads `const Name = class {`, and a class that has no name at all.
fn nameless(reader: &mut Reader<'_>, at: usize) -> Declared {
    let tokens = reader.tokens;
    let is_script = reader.language.bare == Bare::Members;
    let bound = at.checked_sub(2).filter(|_| is_script && tokens.is(at - 1, b'=')).and_then(|place| tokens.name(place));
    let (kind, name) = bound.map_or((OWNER, b"".as_slice()), |name| ("class", name));
    let of = reader.add(kind, name, at, at);
    done(reader, of)
}

/// Returns a kind that words before the keyword make more exact.
fn kind_of(reader: &Reader<'_>, at: usize, kind: &'static str) -> &'static str {
    let before = |word: &str| (at.saturating_sub(6).max(reader.begin)..at).any(|at| reader.tokens.is_word(at, word));
    match kind {
        "class" if reader.language.name == "Kotlin" && before("enum") => "enum",
        "class" if reader.language.name == "Kotlin" && before("annotation") => "annotation",
        "interface" if reader.tokens.is(at.wrapping_sub(1), b'@') => "annotation",
        kind => kind,
    }
}

/// Reads `func == (a, b)`.
fn operator(reader: &mut Reader<'_>, at: usize, start: usize, keyword: &Keyword) -> Option<Declared> {
    let tokens = reader.tokens;
    let end = (start..start + 6).find(|at| tokens.is(*at, b'('))?;
    let (first, last) = (tokens.get(start)?, tokens.get(end.checked_sub(1)?)?);
    let name = tokens.source.get(first.start..last.end).filter(|name| !name.is_empty())?;
    let kind = function(reader, keyword.kind);
    let of = reader.add(kind, name, at, start);
    Some(done(reader, of))
}

/// Returns the last name before a body opens, and the places of both.
fn head<'a>(tokens: &Tokens<'a>, start: usize, in_parens: bool) -> Option<(&'a [u8], usize, usize)> {
    let (mut at, mut name) = (start, None);
    let mut is_over = false;
    while let Some(token) = tokens.get(at).filter(|_| at < start + REACH / 4) {
        use crate::source::Kind;
        match token.kind {
            Kind::Sign(b'{') => return name.map(|(name, place)| (name, place, at)),
            Kind::Sign(b'[') => at = tokens.closing(at),
            Kind::Sign(b'(') if in_parens || !is_over => at = tokens.closing(at),
            Kind::Sign(b'<') => match tokens.behind_angles(at) {
                behind if behind > at => at = behind - 1,
                _ => return None,
            },
            Kind::Sign(b':') if tokens.is(at + 1, b':') => at += 1,
            Kind::Sign(b':') => is_over = true,
            Kind::Sign(b',' | b'.' | b'&' | b'?' | b'@' | b'=' | b'!' | b'~' | b'>' | b'\\') if is_over => {}
            Kind::Word if tokens.is_word_of(at, &["extends", "implements", "permits", "where", "final", "sealed"]) => {
                is_over = true;
            }
            Kind::Word if !is_over => name = tokens.name(at).map(|name| (name, at)).or(name),
            Kind::Word | Kind::Text | Kind::Sign(b'@') | Kind::If | Kind::Else | Kind::EndIf => {}
            _ => return None,
        }
        at += 1;
    }
    None
}

fn with_body(reader: &mut Reader<'_>, at: usize, keyword: &Keyword) -> Option<Declared> {
    let tokens = reader.tokens;
    // `enum class`, `record struct`; `class func` of Swift is something else.
    let start = if tokens.is_word_of(at + 1, &["class", "struct"]) { at + 2 } else { at + 1 };
    if matches!(keyword.word, "class" | "struct") && tokens.is_word_of(at.wrapping_sub(1), &["enum", "record"]) {
        return None;
    }
    let is_nameless = tokens.is_any(start, b"{(") || tokens.is_word(start, "extends");
    let is_value = reader.language.bare == Bare::Members || tokens.is_word(at.wrapping_sub(1), "new");
    if keyword.word == "class" && is_nameless && is_value {
        return Some(nameless(reader, at));
    }
    if name_at(tokens, start).is_none() && !tokens.is_any(start, b"[") {
        return None;
    }
    let (name, place, opens) = head(tokens, start, keyword.word != "enum")?;
    let is_scoped = reader.language.name == "C++" || reader.language.name == "C";
    if !is_scoped && tokens.name(start) != Some(name) {
        return None;
    }
    let kind = kind_of(reader, at, keyword.kind);
    let from = signature::start(tokens, reader.language, reader.begin, at);
    let parent = reader.parent();
    let of = reader.found.add(tokens, New { kind, name, parent, at: place, from, to: opens });
    Some(Declared { of, inside: Some(reader.body_of(of)), opens: Some(opens) })
}

fn alias(reader: &mut Reader<'_>, at: usize, keyword: &Keyword) -> Option<Declared> {
    let tokens = reader.tokens;
    // PHP: `const int NAME = 1`.
    let is_typed = reader.language.name == "PHP" && tokens.name(at + 2).is_some();
    let place = if is_typed { at + 2 } else { at + 1 };
    let name = name_at(tokens, place)?;
    let behind = tokens.behind_angles(place + 1);
    if !tokens.is(behind, b'=') || tokens.is_pair(behind, *b"=>") {
        return None;
    }
    let from = signature::start(tokens, reader.language, reader.begin, at);
    let to = signature::end(tokens, reader.language, place);
    let parent = reader.parent();
    let of = reader.found.add(tokens, New { kind: keyword.kind, name, parent, at: place, from, to });
    Some(Declared { of, inside: None, opens: None })
}

fn record(reader: &mut Reader<'_>, at: usize, keyword: &Keyword) -> Option<Declared> {
    let tokens = reader.tokens;
    let place = if tokens.is_word_of(at + 1, &["class", "struct"]) { at + 2 } else { at + 1 };
    let name = name_at(tokens, place)?;
    let behind = tokens.behind_angles(place + 1);
    if !(tokens.is_any(behind, b"({:;") || tokens.is_word(behind, "implements")) {
        return None;
    }
    // A method that returns a record has a name there, and a statement before it.
    let is_head = tokens.is(behind, b'(') && {
        let closed = tokens.closing(behind) + 1;
        tokens.is_any(closed, b"{;:") || tokens.is_word_of(closed, &["implements", "where"])
    };
    if tokens.is(behind, b'(') && !is_head {
        return None;
    }
    let of = reader.add(keyword.kind, name, at, place);
    Some(done(reader, of))
}

fn before_arguments(reader: &mut Reader<'_>, at: usize, keyword: &Keyword) -> Option<Declared> {
    let tokens = reader.tokens;
    let mut place = at + 1;
    let mut name = None;
    loop {
        let behind = tokens.behind_angles(place);
        if behind > place {
            place = behind;
        } else if tokens.is(place, b'(') && name.is_some() {
            break;
        } else if tokens.is(place, b'(') {
            place = tokens.closing(place) + 1;
        } else if tokens.is_any(place, b".?[]@*,:") {
            place += 1;
        } else if let Some(found) = tokens.name(place) {
            name = Some((found, place));
            place += 1;
        } else {
            return None;
        }
    }
    let (name, place) = name?;
    let kind = function(reader, keyword.kind);
    let of = reader.add(kind, name, at, place);
    Some(done(reader, of))
}

fn itself(reader: &mut Reader<'_>, at: usize, keyword: &Keyword) -> Option<Declared> {
    let tokens = reader.tokens;
    let behind = if tokens.is_any(at + 1, b"?!") { at + 2 } else { at + 1 };
    let behind = tokens.behind_angles(behind);
    let is_head = tokens.is(behind, b'(') || (keyword.word == "deinit" && tokens.is(behind, b'{'));
    if !is_head || !reader.is_in_type() {
        return None;
    }
    let of = reader.add(keyword.kind, keyword.word.as_bytes(), at, at);
    Some(done(reader, of))
}

fn path(reader: &mut Reader<'_>, at: usize, keyword: &Keyword) -> Option<Declared> {
    let tokens = reader.tokens;
    let mut place = at + 1;
    let mut last = None;
    while let Some(word) = tokens.name(place).filter(|_| last.is_none() || tokens.is_any(place - 1, b".:\\")) {
        last = Some((word, place));
        place += 1;
        while tokens.is_any(place, b".\\")
            || tokens.is_pair(place, *b"::")
            || tokens.is_pair(place.wrapping_sub(1), *b"::")
        {
            place += 1;
        }
    }
    let (_, end) = last?;
    let (first, last) = (tokens.get(at + 1)?, tokens.get(end)?);
    let goes_on = tokens.is_any(end + 1, b"{;:<") || tokens.is_word(end + 1, "where") || reader.language.lines_end;
    let is_text = matches!(keyword.word, "module" | "namespace" | "extension")
        && !tokens.is_any(end + 1, b"{;:<")
        && !tokens.is_word(end + 1, "where");
    if !goes_on || is_text {
        return None;
    }
    let name = tokens.source.get(first.start..last.end)?;
    let of = reader.add(keyword.kind, name, at, end);
    Some(done(reader, of))
}

fn bang(reader: &mut Reader<'_>, at: usize, keyword: &Keyword) -> Option<Declared> {
    let tokens = reader.tokens;
    let name = tokens.name(at + 2).filter(|_| tokens.is(at + 1, b'!'))?;
    let of = reader.add(keyword.kind, name, at, at + 2);
    Some(Declared { of, inside: Some(Inside::Block), opens: None })
}

/// Reads `typedef … name;` and `typedef int (*name)(int);`.
fn last(reader: &mut Reader<'_>, at: usize, keyword: &Keyword) -> Option<Declared> {
    let tokens = reader.tokens;
    let (mut place, mut name) = (at + 1, None::<(usize, bool)>);
    while !tokens.is(place, b';') {
        tokens.get(place).filter(|_| place < at + REACH)?;
        let is_function = tokens.is_any(place + 1, b"*^") || (tokens.is(place + 2, b')') && tokens.is(place + 3, b'('));
        if tokens.is(place, b'(') && is_function && name.is_none_or(|(_, is_pointer)| !is_pointer) {
            let close = tokens.closing(place);
            name = (place..close).rev().find(|at| tokens.name(*at).is_some()).map(|place| (place, true));
        } else if tokens.name(place).is_some() && !name.is_some_and(|(_, is_pointer)| is_pointer) {
            name = Some((place, false));
        }
        place = if tokens.is_any(place, b"({[") { tokens.closing(place) + 1 } else { place + 1 };
    }
    let (place, _) = name?;
    let (name, parent) = (tokens.name(place)?, reader.parent());
    let to =
        (at..=place).find(|at| tokens.is(*at, b'{')).unwrap_or_else(|| signature::end(tokens, reader.language, at));
    let of = reader.found.add(tokens, New { kind: keyword.kind, name, parent, at: place, from: at, to });
    Some(Declared { of, inside: None, opens: None })
}
