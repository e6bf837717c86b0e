//! Where the line begins and ends that tells of a definition.

use crate::source::token::REACH;
use crate::source::{Kind, Language, Tokens};

/// How far before its keyword the statement of a definition begins, in tokens.
const NEAR: usize = 200;

/// Signs at the end of a line behind which a statement goes on, and at the beginning of one that continues the line before.
const GOES_ON: &[u8] = b",(=+-*/|&<.:?";
const CONTINUES: &[u8] = b"{:.=,)?|&+";
const CONTINUING: [&str; 7] = ["where", "throws", "extends", "implements", "is", "as", "rethrows"];

/// Tells whether a statement ends before a token that begins a line.
pub(super) fn ends_before(tokens: &Tokens<'_>, at: usize) -> bool {
    tokens.begins_line(at)
        && !tokens.is_any(at, CONTINUES)
        && (!tokens.is_word_of(at, &CONTINUING) || tokens.is(at + 1, b'('))
        && !tokens.is_pair(at, *b"->")
        && !(at > 0 && tokens.is_any(at - 1, GOES_ON) && !tokens.is_pair(at.wrapping_sub(2), *b"++"))
}

/// Returns the place behind the head of a definition: where its body begins, or it ends.
pub(super) fn end(tokens: &Tokens<'_>, language: &Language, start: usize) -> usize {
    let mut at = start;
    while let Some(token) = tokens.get(at).filter(|_| at < start + REACH / 4) {
        match token.kind {
            Kind::Sign(b'(' | b'[') => at = tokens.closing(at),
            Kind::Sign(b'{' | b'}' | b';' | b')' | b']') | Kind::If | Kind::Else | Kind::EndIf | Kind::Macro => {
                return at;
            }
            Kind::Sign(b'=') if language.name == "Kotlin" => return at,
            _ if at > start && language.lines_end && ends_before(tokens, at) => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

/// Returns where the statement begins that a keyword stands in, without what is only said of it.
pub(super) fn start(tokens: &Tokens<'_>, language: &Language, begin: usize, keyword: usize) -> usize {
    let begin = begin.max(keyword.saturating_sub(NEAR));
    let mut from = begin;
    if language.lines_end || language.name == "PHP" {
        from = (begin..=keyword).rev().find(|at| tokens.begins_line(*at)).unwrap_or(begin);
    }
    skip_attributes(tokens, from, keyword)
}

/// Passes over `@Name(…)`, `#[…]`, `[…]`.
pub(super) fn skip_attributes(tokens: &Tokens<'_>, from: usize, to: usize) -> usize {
    let mut at = from;
    while at < to {
        let next = if tokens.is(at, b'@') && !tokens.is_word(at + 1, "interface") {
            let mut end = at + 2;
            while tokens.is(end, b'.') || tokens.is(end, b':') {
                end += 2;
            }
            if tokens.is(end, b'(') { tokens.closing(end) + 1 } else { end }
        } else if tokens.is(at, b'#') && tokens.is(at + 1, b'[') {
            tokens.closing(at + 1) + 1
        } else if tokens.is(at, b'#') && tokens.is(at + 1, b'!') {
            tokens.closing(at + 2) + 1
        } else if tokens.is(at, b'[') {
            tokens.closing(at) + 1
        } else {
            return at;
        };
        if next > to {
            return at;
        }
        at = next;
    }
    at
}
