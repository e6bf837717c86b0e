//! Bytes → tokens. What is not closed ends at its line, or at the end of the source, so that nothing is lost behind it.

use std::cell::Cell;

use memchr::{memchr, memmem};

use super::language::{Language, Special};
use super::quotes;
use super::token::{Kind, Token, Tokens};

/// Reads a source.
pub(crate) fn lex<'a>(source: &'a [u8], language: &'static Language) -> Tokens<'a> {
    let mut lexer = Lexer {
        source,
        language,
        at: 0,
        line: 1,
        line_start: 0,
        is_fresh: true,
        left_out: 0,
        resume: 0,
        room: Cell::new(1_000_000 + source.len() * 16),
        tokens: Vec::new(),
    };
    lexer.at = if source.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    if source[lexer.at..].starts_with(b"#!") {
        lexer.pass_line();
    }
    if language.has(Special::PhpTexts) {
        lexer.pass_to_code();
    }
    while lexer.at < source.len() {
        lexer.step();
    }
    Tokens::new(source, lexer.tokens)
}

pub(super) struct Lexer<'a> {
    pub(super) source: &'a [u8],
    pub(super) language: &'static Language,
    pub(super) at: usize,
    line: u32,
    line_start: usize,
    /// Whether nothing but white space stands before this on the line.
    is_fresh: bool,
    /// How many `#if` stand in one that is never true; 0 where none is.
    left_out: usize,
    /// Where the code goes on behind this line, of which texts stand below it.
    pub(super) resume: usize,
    /// How many more bytes may be looked through for the end of a text that may be none.
    pub(super) room: Cell<usize>,
    pub(super) tokens: Vec<Token>,
}

impl Lexer<'_> {
    pub(super) fn starts(&self, text: &str) -> bool {
        self.source[self.at..].starts_with(text.as_bytes())
    }

    pub(super) fn peek(&self, ahead: usize) -> u8 {
        self.source.get(self.at + ahead).copied().unwrap_or_default()
    }

    fn step(&mut self) {
        let byte = self.source[self.at];
        if byte == b'\n' {
            self.newline();
        } else if byte.is_ascii_whitespace() {
            self.at += 1;
        } else if self.skip_directive() || self.skip_comment() || quotes::skip(self) {
        } else if self.left_out > 0 {
            self.pass_line();
        } else if is_word(byte) {
            self.word();
        } else {
            self.push(Kind::Sign(byte), self.at + 1);
        }
    }

    fn newline(&mut self) {
        self.at += 1;
        self.line += 1;
        self.line_start = self.at;
        self.is_fresh = true;
        let resume = std::mem::take(&mut self.resume);
        if resume > self.at {
            self.pass(resume);
            self.is_fresh = false;
        }
    }

    pub(super) fn pass_line(&mut self) {
        self.at = memchr(b'\n', &self.source[self.at..]).map_or(self.source.len(), |length| self.at + length);
    }

    /// Passes over bytes, whose lines count.
    pub(super) fn pass(&mut self, to: usize) {
        let to = to.min(self.source.len());
        while let Some(length) = memchr(b'\n', &self.source[self.at..to]) {
            self.at += length;
            let was_fresh = self.is_fresh;
            self.newline();
            self.is_fresh = was_fresh;
        }
        self.at = to;
    }

    /// Adds a token that ends at a place, and passes over it.
    pub(super) fn push(&mut self, kind: Kind, end: usize) {
        let column = u32::try_from(self.at - self.line_start).unwrap_or(u32::MAX);
        let indent = std::mem::take(&mut self.is_fresh).then_some(column);
        if self.left_out == 0 {
            self.tokens.push(Token { kind, start: self.at, end, line: self.line, indent });
        }
        self.pass(end);
        self.is_fresh = false;
    }

    fn word(&mut self) {
        let is_number = self.peek(0).is_ascii_digit();
        let cpp = is_number && self.language.has(Special::CppTexts);
        let rest = &self.source[self.at..];
        let fits = |(place, byte): (usize, &u8)| {
            let digit_behind = || rest.get(place + 1).is_some_and(u8::is_ascii_alphanumeric);
            is_word(*byte) || (cpp && *byte == b'\'' && digit_behind())
        };
        let length = rest.iter().enumerate().take_while(|(place, byte)| fits((*place, *byte))).count();
        self.push(Kind::Word, self.at + length);
    }

    fn skip_comment(&mut self) -> bool {
        let is_attribute = self.starts("#[") && self.language.has(Special::PhpTexts);
        if self.language.line_comments.iter().any(|open| self.starts(open)) && !is_attribute {
            self.end_of_comment();
            return true;
        }
        let Some((open, close)) = self.language.block_comments.iter().find(|(open, _)| self.starts(open)) else {
            return false;
        };
        let end = self.behind_comment(open, close);
        let was_fresh = self.is_fresh;
        self.pass(end);
        self.is_fresh = was_fresh;
        true
    }

    /// Passes over a comment to the end of its line; PHP's code ends in it, too.
    fn end_of_comment(&mut self) {
        let start = self.at;
        self.pass_line();
        if self.language.has(Special::PhpTexts)
            && let Some(length) = memmem::find(&self.source[start..self.at], b"?>")
        {
            self.at = start + length;
        }
    }

    fn behind_comment(&self, open: &str, close: &str) -> usize {
        let (mut at, mut depth) = (self.at + open.len(), 1_usize);
        while depth > 0 {
            let rest = self.source.get(at..).unwrap_or_default();
            let Some(end) = memmem::find(rest, close.as_bytes()) else { return self.source.len() };
            let inner = memmem::find(&rest[..end], open.as_bytes()).filter(|_| self.language.comments_nest);
            (at, depth) =
                inner.map_or((at + end + close.len(), depth - 1), |place| (at + place + open.len(), depth + 1));
        }
        at
    }

    /// Passes over a line of the preprocessor, with those that continue it.
    fn skip_directive(&mut self) -> bool {
        if !self.is_fresh || self.peek(0) != b'#' || !self.language.has(Special::Preprocessor) {
            return false;
        }
        let start = self.at + 1;
        let end = self.end_of_directive();
        let text = &self.source[start..end];
        let text = text.trim_ascii_start();
        let length = text.iter().take_while(|byte| is_word(**byte)).count();
        let (word, rest) = text.split_at(length);
        self.directive(word, rest.trim_ascii(), end);
        self.pass(end);
        self.is_fresh = false;
        true
    }

    fn end_of_directive(&self) -> usize {
        let mut at = self.at;
        loop {
            let end = memchr(b'\n', &self.source[at..]).map_or(self.source.len(), |length| at + length);
            let line = self.source[at..end].strip_suffix(b"\r").unwrap_or(&self.source[at..end]);
            if !line.ends_with(b"\\") || end == self.source.len() {
                // A comment may go on over lines.
                let open = memmem::rfind(&self.source[self.at..end], b"/*").map(|place| self.at + place);
                let close =
                    open.and_then(|open| memmem::find(&self.source[open..], b"*/").map(|place| open + place + 2));
                return open.map_or(end, |_| close.unwrap_or(self.source.len())).max(end);
            }
            at = end + 1;
        }
    }

    fn directive(&mut self, word: &[u8], rest: &[u8], end: usize) {
        let is_if = matches!(word, b"if" | b"ifdef" | b"ifndef");
        let is_else = matches!(word, b"else" | b"elif");
        match word {
            _ if is_if && (self.left_out > 0 || rest == b"0" || rest.starts_with(b"0 ")) => self.left_out += 1,
            b"endif" if self.left_out > 1 => self.left_out -= 1,
            b"endif" if self.left_out == 1 => self.left_out = 0,
            _ if is_else && self.left_out == 1 => {
                self.left_out = 0;
                self.push(Kind::If, self.at + 1);
            }
            _ if is_if => self.push(Kind::If, self.at + 1),
            _ if is_else => self.push(Kind::Else, self.at + 1),
            b"endif" => self.push(Kind::EndIf, self.at + 1),
            b"define" => self.define(end),
            _ => {}
        }
    }

    /// Adds the name of a macro.
    fn define(&mut self, end: usize) {
        let line = &self.source[self.at..end];
        let Some(place) = memmem::find(line, b"define").map(|place| place + "define".len()) else { return };
        let blanks = line[place..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let start = self.at + place + blanks;
        let length = self.source[start..end].iter().take_while(|byte| is_word(**byte)).count();
        if length > 0 && self.left_out == 0 {
            let indent = Some(0);
            self.tokens.push(Token { kind: Kind::Macro, start, end: start + length, line: self.line, indent });
        }
    }

    /// Passes over what stands outside of PHP's code.
    pub(super) fn pass_to_code(&mut self) {
        let mut at = self.at;
        loop {
            let Some(place) = memmem::find(&self.source[at..], b"<?") else { return self.pass(self.source.len()) };
            at += place + 2;
            let rest = &self.source[at..];
            if rest.starts_with(b"php") || rest.starts_with(b"=") {
                let behind = if rest.starts_with(b"=") { 1 } else { 3 };
                return self.pass(at + behind);
            }
        }
    }
}

/// Tells whether a byte belongs to a word; what is not ASCII does.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}
