//! Words and signs of a source, each with its place.

use std::cell::Cell;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name, a keyword or a number.
    Word,
    Sign(u8),
    /// A text, whatever stands in it.
    Text,
    /// The preprocessor's `#if`, `#else`, `#endif`.
    If,
    Else,
    EndIf,
    /// The name behind `#define`.
    Macro,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// From 1.
    pub(crate) line: u32,
    /// Columns before it on its line; none where something stands before it.
    pub(crate) indent: Option<u32>,
}

/// How often each token may be looked at.
const LOOKS: usize = 100;

/// How far, in tokens, what belongs to a definition is looked for: what is written to hurt takes no longer than its length.
pub(crate) const REACH: usize = 1000;

/// All tokens of a source.
pub(crate) struct Tokens<'a> {
    pub(crate) source: &'a [u8],
    pub(crate) all: Vec<Token>,
    /// How many more looks at tokens there may be.
    looks: Cell<usize>,
    /// For each opening bracket the place of what closes it, sorted by the former.
    pairs: Vec<(usize, usize)>,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(source: &'a [u8], all: Vec<Token>) -> Self {
        let (mut open, mut pairs) = (Vec::new(), Vec::new());
        for (at, token) in all.iter().enumerate() {
            match token.kind {
                Kind::Sign(b'(' | b'[' | b'{') => open.push(at),
                Kind::Sign(b')' | b']' | b'}') => pairs.extend(open.pop().map(|open| (open, at))),
                _ => {}
            }
        }
        pairs.sort_unstable();
        let looks = Cell::new(100_000 + all.len() * LOOKS);
        Self { source, all, looks, pairs }
    }

    /// Returns a token; none behind the last, and none where there were too many looks.
    #[inline(never)]
    pub(crate) fn get(&self, at: usize) -> Option<Token> {
        let left = self.looks.get().checked_sub(1)?;
        self.looks.set(left);
        self.all.get(at).copied()
    }

    /// Tells whether all was looked at that had to be.
    pub(crate) fn is_whole(&self) -> bool {
        self.looks.get() > 0
    }

    /// Returns the bytes of a word; none where another kind of token stands there.
    #[inline(never)]
    pub(crate) fn word(&self, at: usize) -> Option<&'a [u8]> {
        let token = self.get(at).filter(|token| token.kind == Kind::Word)?;
        self.source.get(token.start..token.end)
    }

    /// Returns a word that may be a name, without the quotes that some languages put around it.
    #[inline(never)]
    pub(crate) fn name(&self, at: usize) -> Option<&'a [u8]> {
        let word = self.word(at)?;
        let word = word.strip_prefix(b"`").and_then(|word| word.strip_suffix(b"`")).unwrap_or(word);
        word.first().is_some_and(|first| !first.is_ascii_digit()).then_some(word)
    }

    #[inline(never)]
    pub(crate) fn is(&self, at: usize, sign: u8) -> bool {
        self.get(at).is_some_and(|token| token.kind == Kind::Sign(sign))
    }

    #[inline(never)]
    pub(crate) fn is_any(&self, at: usize, signs: &[u8]) -> bool {
        matches!(self.get(at), Some(Token { kind: Kind::Sign(sign), .. }) if signs.contains(&sign))
    }

    #[inline(never)]
    pub(crate) fn is_word(&self, at: usize, word: &str) -> bool {
        self.word(at) == Some(word.as_bytes())
    }

    #[inline(never)]
    pub(crate) fn is_word_of(&self, at: usize, words: &[&str]) -> bool {
        self.word(at).is_some_and(|word| words.iter().any(|known| known.as_bytes() == word))
    }

    /// Tells whether two signs stand together, such as `=>`.
    #[inline(never)]
    pub(crate) fn is_pair(&self, at: usize, pair: [u8; 2]) -> bool {
        let joined = || self.get(at).zip(self.get(at + 1)).is_some_and(|(a, b)| a.end == b.start);
        self.is(at, pair[0]) && self.is(at + 1, pair[1]) && joined()
    }

    /// Tells whether a token is the first of its line.
    #[inline(never)]
    pub(crate) fn begins_line(&self, at: usize) -> bool {
        self.get(at).is_none_or(|token| token.indent.is_some())
    }

    /// Returns the place of the sign that closes what opens at a place; the end where nothing does.
    pub(crate) fn closing(&self, open: usize) -> usize {
        let pair = self.pairs.binary_search_by_key(&open, |(open, _)| *open).ok();
        pair.and_then(|place| self.pairs.get(place)).map_or(self.all.len(), |(_, close)| *close)
    }

    /// Returns the place behind `<…>`, or the same where it does not open there or is none.
    pub(crate) fn behind_angles(&self, open: usize) -> usize {
        let (mut at, mut depth) = (open, 0_usize);
        while at < self.all.len().min(open + REACH) && (at > open || self.is(at, b'<')) {
            let Some(token) = self.get(at) else { return open };
            match token.kind {
                Kind::Sign(b'<') => depth += 1,
                // An arrow closes nothing.
                Kind::Sign(b'>') if at > 0 && (self.is_pair(at - 1, *b"->") || self.is_pair(at - 1, *b"=>")) => {}
                Kind::Sign(b'>') => depth -= 1,
                Kind::Sign(b'(' | b'[' | b'{') => at = self.closing(at),
                Kind::Sign(b';' | b')' | b'}') => return open,
                _ => {}
            }
            at += 1;
            if depth == 0 {
                return at;
            }
        }
        open
    }

    /// Returns the tokens from one place to before another as one line, without comments.
    pub(crate) fn line(&self, from: usize, to: usize, most: usize) -> String {
        let mut bytes: Vec<u8> = Vec::new();
        let mut end = None;
        for token in self.all.get(from..to.min(self.all.len())).unwrap_or_default() {
            if matches!(token.kind, Kind::If | Kind::Else | Kind::EndIf) {
                continue;
            }
            if end.is_some_and(|end| end < token.start) && !bytes.is_empty() {
                bytes.push(b' ');
            }
            bytes.extend_from_slice(self.source.get(token.start..token.end).unwrap_or_default());
            end = Some(token.end);
            if bytes.len() > most * 4 {
                break;
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let mut line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some((cut, _)) = line.char_indices().nth(most) {
            line.truncate(cut);
            line.push('…');
        }
        line
    }
}
