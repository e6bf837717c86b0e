//! Tokens of a language whose parts are indented → definitions. Ruby's are as well, though `end` closes them: what stands no deeper than
//! a definition does not belong to it.

use super::definition::Definition;
use super::scopes::{Found, Inside, New, Scope, body};
use super::signature;
use crate::source::token::REACH;
use crate::source::{Language, Tokens};

/// Most parts that stand in each other.
const DEEPEST: usize = 100;

struct Part {
    scope: Scope,
    indent: u32,
}

struct Reader<'a> {
    tokens: &'a Tokens<'a>,
    language: &'static Language,
    parts: Vec<Part>,
    found: Found,
}

/// Returns what is defined.
pub(super) fn define(tokens: &Tokens<'_>, language: &'static Language) -> Vec<Definition> {
    let mut reader = Reader { tokens, language, parts: Vec::new(), found: Found::default() };
    let (mut depth, mut indent, mut begin) = (0_usize, 0, 0);
    for at in 0..tokens.all.len() {
        if reader.found.is_full() {
            break;
        }
        if depth == 0
            && let Some(column) = tokens.all[at].indent
        {
            (indent, begin) = (column, at);
            reader.leave(column);
            reader.constant(at, column);
        }
        if tokens.is_any(at, b"([{") {
            depth += 1;
        } else if tokens.is_any(at, b")]}") {
            depth = depth.saturating_sub(1);
        } else {
            reader.word(at, begin, indent);
        }
    }
    reader.found.definitions
}

impl Reader<'_> {
    fn is_ruby(&self) -> bool {
        self.language.name == "Ruby"
    }

    fn word(&mut self, at: usize, begin: usize, indent: u32) {
        let Some(keyword) = self.tokens.word(at).and_then(|word| self.language.keyword(word)) else { return };
        let before = at.wrapping_sub(1);
        let is_first = at == begin || self.tokens.is(before, b';') || self.is_behind_words(begin, at);
        let is_part = at != begin && self.tokens.is_any(before, b".:");
        if !is_first || self.tokens.is_any(at + 1, b":.,)") || is_part {
            return;
        }
        let kind = if keyword.kind == "function" && self.is_in_class() { "method" } else { keyword.kind };
        let Some((name, place)) = self.name(at, kind) else { return };
        let parent = self.found.parent(self.parts.iter().map(|part| &part.scope));
        let to = self.end(at + 1);
        let of = self.found.add(self.tokens, New { kind, name: &name, parent, at: place, from: begin, to });
        let inside = if kind == "module" { Inside::Type } else { body(kind) };
        if self.parts.len() >= DEEPEST {
            return;
        }
        self.parts.push(Part { scope: Scope { inside, of: Some(of) }, indent });
    }

    /// Tells whether only words stand before a definition on its line: `async def`, `private def`.
    fn is_behind_words(&self, begin: usize, at: usize) -> bool {
        at > begin
            && at - begin <= 2
            && (begin..at).all(|at| self.tokens.name(at).is_some())
            && !self.tokens.is_word_of(begin, &["class", "module", "alias", "undef", "return", "import", "from"])
    }

    /// Leaves the parts that a line of this column does not stand in.
    fn leave(&mut self, indent: u32) {
        while self.parts.last().is_some_and(|part| part.indent >= indent) {
            self.parts.pop();
        }
    }

    fn is_in_class(&self) -> bool {
        self.parts.last().is_some_and(|part| part.scope.inside == Inside::Type)
    }

    /// Returns the name behind a keyword, and its place.
    fn name(&self, at: usize, kind: &str) -> Option<(Vec<u8>, usize)> {
        let tokens = self.tokens;
        if !self.is_ruby() {
            return tokens.name(at + 1).map(|name| (name.to_vec(), at + 1));
        }
        let mut place = at + 1;
        // `class A::B`, `def self.name`.
        while tokens.name(place).is_some()
            && (tokens.is_pair(place + 1, *b"::") || (kind == "method" && tokens.is(place + 1, b'.')))
        {
            place += if tokens.is(place + 1, b'.') { 2 } else { 3 };
        }
        let token = tokens.get(place)?;
        let Some(name) = tokens.name(place) else {
            return (kind == "method").then(|| self.operator(place)).flatten().map(|name| (name, place));
        };
        let mark = tokens.source.get(token.end).copied().unwrap_or_default();
        let behind = tokens.source.get(token.end + 1).copied().unwrap_or_default();
        let is_setter = mark == b'=' && !matches!(behind, b'=' | b'~' | b'>' | b' ');
        let is_marked = kind == "method" && (matches!(mark, b'?' | b'!') || is_setter);
        Some((if is_marked { [name, &[mark]].concat() } else { name.to_vec() }, place))
    }

    /// Reads the name of an operator: `def ==(other)`.
    fn operator(&self, start: usize) -> Option<Vec<u8>> {
        let first = self.tokens.get(start)?;
        let rest = self.tokens.source.get(first.start..)?;
        let length = rest.iter().take_while(|byte| b"=<>!+-*/%[]~^&|@`".contains(byte)).count();
        (length > 0).then(|| rest[..length].to_vec())
    }

    /// Returns where the head of a definition ends.
    fn end(&self, start: usize) -> usize {
        if self.is_ruby() {
            let mut at = start;
            while at < start + REACH
                && self.tokens.get(at).is_some()
                && !self.tokens.begins_line(at)
                && !self.tokens.is(at, b';')
            {
                at = if self.tokens.is(at, b'(') { self.tokens.closing(at) + 1 } else { at + 1 };
            }
            return at;
        }
        let mut at = start;
        while at < start + REACH && self.tokens.get(at).is_some() && !self.tokens.is(at, b':') {
            at = if self.tokens.is_any(at, b"([{") { self.tokens.closing(at) + 1 } else { at + 1 };
        }
        at
    }

    /// Adds a constant that a line defines: `NAME = 1`, outside of functions.
    fn constant(&mut self, at: usize, indent: u32) {
        let is_deeper = |part: &Part| part.indent < indent;
        let part = self.parts.iter().rev().find(|part| is_deeper(part));
        let in_function = part.is_some_and(|part| part.scope.inside == Inside::Function);
        let is_first_part = part.is_none() && indent > 0;
        let Some(name) = self.tokens.name(at).filter(|name| is_constant(name, self.is_ruby())) else { return };
        let binds = self.tokens.is(at + 1, b'=')
            && !self.tokens.is_pair(at + 1, *b"==")
            && !self.tokens.is_pair(at + 1, *b"=~");
        let is_typed = self.tokens.is(at + 1, b':') && !self.is_ruby() && self.tokens.name(at + 2).is_some();
        if in_function || is_first_part || !(binds || is_typed) {
            return;
        }
        let scopes = self.parts.iter().filter(|part| is_deeper(part)).map(|part| &part.scope);
        let parent = self.found.parent(scopes.collect::<Vec<_>>().into_iter());
        let to = (at + 1..self.tokens.all.len().min(at + REACH))
            .find(|at| signature::ends_before(self.tokens, *at))
            .unwrap_or(at + 1);
        self.found.add(self.tokens, New { kind: "constant", name, parent, at, from: at, to });
    }
}

/// Tells whether a name is written as constants are.
fn is_constant(name: &[u8], is_ruby: bool) -> bool {
    let begins = name.first().is_some_and(u8::is_ascii_uppercase);
    let fits = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    begins && (is_ruby || name.iter().all(fits))
}
