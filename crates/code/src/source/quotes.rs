//! Texts in a source → one token each, be there code in them or quotes of their own.

use memchr::{memchr, memmem};

use super::language::{Escape, Quote, Special};
use super::lexer::{Lexer, is_word};
use super::token::Kind;

/// How deep texts may stand in the code of texts.
const DEEPEST: usize = 32;

/// Most signs in a row that open a text.
const MOST_SIGNS: usize = 255;

/// Most bytes of a regular expression.
const LONGEST_REGEX: usize = 4000;

/// Most bytes in which the end of a text is looked for that may be none.
const NEAR: usize = 64 << 10;

/// Words behind which a slash begins a regular expression.
const BEFORE_REGEX: [&str; 24] = [
    "return",
    "typeof",
    "case",
    "in",
    "of",
    "delete",
    "void",
    "throw",
    "new",
    "else",
    "do",
    "instanceof",
    "yield",
    "await",
    "if",
    "unless",
    "and",
    "or",
    "not",
    "when",
    "while",
    "until",
    "elsif",
    "then",
];

/// Passes over a text that begins here; tells whether one does.
pub(super) fn skip(lexer: &mut Lexer<'_>) -> bool {
    let specials = lexer.language.specials;
    if lexer.language.has(Special::PhpTexts) && lexer.starts("?>") {
        lexer.push(Kind::Sign(b';'), lexer.at + 2);
        lexer.pass_to_code();
        return true;
    }
    if lexer.language.has(Special::RubyTexts) && below(lexer) {
        return true;
    }
    if let Some(end) = specials.iter().find_map(|special| special_end(lexer, *special)) {
        lexer.push(Kind::Text, end);
        return true;
    }
    if named(lexer) {
        return true;
    }
    let quote = lexer.language.quotes.iter().find(|quote| lexer.starts(quote.open));
    if let Some(quote) = quote {
        lexer.push(Kind::Text, end_of(lexer, quote, lexer.at, 0));
    }
    quote.is_some()
}

/// Passes over what stands for a text of Ruby that begins on the next line; tells whether it does.
fn below(lexer: &mut Lexer<'_>) -> bool {
    let is_joined = is_word(lexer.source[lexer.at.saturating_sub(1)]);
    let text = ["<<~", "<<-", "<<"].into_iter().find_map(|open| Some((open, heredoc(lexer.source, lexer.at, open)?)));
    let Some((open, _)) = text.filter(|_| !is_joined) else { return false };
    let source = lexer.source;
    let start = lexer.at + open.len();
    let length = source[start..].iter().take_while(|byte| is_word(**byte) || matches!(byte, b'"' | b'\'')).count();
    let word = source[start..start + length].to_vec();
    let word: Vec<u8> = word.into_iter().filter(|byte| is_word(*byte)).collect();
    let line = memchr(b'\n', &source[lexer.at..]).map_or(source.len(), |length| lexer.at + length);
    lexer.resume = end_below(source, lexer.resume.max(line), &word);
    lexer.push(Kind::Text, start + length);
    true
}

/// Passes over what a quote begins that is no text: a name between backquotes, Rust's lifetimes.
fn named(lexer: &mut Lexer<'_>) -> bool {
    let rest = &lexer.source[lexer.at..];
    if lexer.peek(0) == b'`' && matches!(lexer.language.name, "Kotlin" | "Swift") {
        let length =
            rest.iter().skip(1).position(|byte| matches!(byte, b'`' | b'\n')).map_or(rest.len(), |place| place + 2);
        lexer.push(Kind::Word, lexer.at + length);
        return true;
    }
    if lexer.peek(0) == b'\'' && lexer.language.has(Special::RustTexts) {
        let length = rust_quote(rest);
        let kind = if length > 1 { Kind::Text } else { Kind::Sign(b'\'') };
        lexer.push(kind, lexer.at + length);
        return true;
    }
    false
}

/// Returns the length of a character between quotes; 1 where a lifetime begins.
fn rust_quote(rest: &[u8]) -> usize {
    if rest.get(1) == Some(&b'\\') {
        let end = rest.iter().skip(3).position(|byte| matches!(byte, b'\'' | b'\n'));
        return end.map_or(rest.len(), |place| place + 4);
    }
    let sign = std::str::from_utf8(rest.get(1..rest.len().min(5)).unwrap_or_default());
    let sign = sign.unwrap_or_else(|error| {
        let whole = rest.get(1..=error.valid_up_to()).unwrap_or_default();
        std::str::from_utf8(whole).unwrap_or_default()
    });
    let width = sign.chars().next().map_or(1, char::len_utf8);
    if rest.get(1 + width) == Some(&b'\'') { width + 2 } else { 1 }
}

/// Returns where a text ends that begins at a place.
fn end_of(lexer: &Lexer<'_>, quote: &Quote, start: usize, depth: usize) -> usize {
    let source = lexer.source;
    let mut at = start + quote.open.len();
    while at < source.len() {
        let rest = &source[at..];
        if let Some((open, close)) = quote.inside
            && rest.starts_with(open.as_bytes())
            && depth < DEEPEST
        {
            if open == "{" && rest.starts_with(b"{{") {
                at += 2;
                continue;
            }
            at = end_of_code(lexer, at + open.len(), (open.as_bytes()[open.len() - 1], close), depth + 1);
            continue;
        }
        match rest[0] {
            b'\\' if quote.escape == Escape::Backslash => at += 2,
            b'\n' if !quote.lines => return at,
            _ if rest.starts_with(quote.close.as_bytes()) => {
                let behind = at + quote.close.len();
                if quote.escape != Escape::Doubled || !source[behind..].starts_with(quote.close.as_bytes()) {
                    return behind;
                }
                at = behind + quote.close.len();
            }
            _ => at += 1,
        }
    }
    source.len()
}

/// Returns where the code in a text ends, behind the sign that closes it.
fn end_of_code(lexer: &Lexer<'_>, start: usize, (open, close): (u8, u8), depth: usize) -> usize {
    let source = lexer.source;
    let (mut at, mut open_ones) = (start, 1_usize);
    while at < source.len() {
        let quote = lexer.language.quotes.iter().find(|quote| source[at..].starts_with(quote.open.as_bytes()));
        match (quote, source[at]) {
            (Some(quote), _) => at = end_of(lexer, quote, at, depth).max(at + 1),
            (_, b'\\') => at += 2,
            (_, b'/') if lexer.language.has(Special::Regexes) => at = behind_regex(lexer, start, at),
            (_, byte) => {
                open_ones = open_ones + usize::from(byte == open) - usize::from(byte == close);
                at += 1;
                if open_ones == 0 {
                    return at;
                }
            }
        }
    }
    source.len()
}

/// Passes over a regular expression in the code of a text, or over the sign alone.
fn behind_regex(lexer: &Lexer<'_>, start: usize, at: usize) -> usize {
    let before = lexer.source[start..at].trim_ascii_end().last();
    let may_begin = before.is_none_or(|byte| b"(,=:[!&|?{;".contains(byte));
    may_begin.then(|| affordable_regex(lexer, at)).flatten().unwrap_or(at + 1)
}

/// Returns where a text ends that no pair of quotes describes, where one begins here.
fn special_end(lexer: &Lexer<'_>, special: Special) -> Option<usize> {
    let source = lexer.source;
    let behind = |text: &[u8]| -> usize {
        memmem::find(&source[lexer.at..], text).map_or(source.len(), |place| lexer.at + place + text.len())
    };
    match special {
        Special::RustTexts => {
            let prefix = ["br", "cr", "r"].into_iter().find(|prefix| lexer.starts(prefix))?;
            let signs = count(source, lexer.at + prefix.len(), b'#');
            let opens = source.get(lexer.at + prefix.len() + signs) == Some(&b'"');
            opens.then(|| after(source, lexer.at + prefix.len() + signs + 1, &closing("\"", signs)))
        }
        Special::CppTexts => {
            let prefix = ["R\"", "LR\"", "u8R\"", "uR\"", "UR\""].into_iter().find(|prefix| lexer.starts(prefix))?;
            let start = lexer.at + prefix.len();
            let length = source[start..].iter().take(17).position(|byte| *byte == b'(')?;
            let close = [b")", &source[start..start + length], b"\""].concat();
            Some(after(source, start + length, &close))
        }
        Special::SwiftTexts => {
            let signs = count(source, lexer.at, b'#');
            let quotes = count(source, lexer.at + signs, b'"').min(3);
            let open = if quotes == 3 { "\"\"\"" } else { "\"" };
            let opens = signs > 0 && quotes > 0;
            opens.then(|| after(source, lexer.at + signs + open.len(), &closing(open, signs)))
        }
        Special::CSharpTexts => {
            let start = lexer.at + count(source, lexer.at, b'$');
            let quotes = count(source, start, b'"');
            (quotes >= 3).then(|| after(source, start + quotes, &vec![b'"'; quotes]))
        }
        Special::PhpTexts => heredoc(source, lexer.at, "<<<"),
        Special::RubyTexts => ruby(lexer, &behind),
        Special::Regexes => {
            (lexer.peek(0) == b'/' && may_be_regex(lexer)).then(|| affordable_regex(lexer, lexer.at)).flatten()
        }
        Special::Preprocessor => None,
    }
}

fn count(source: &[u8], start: usize, sign: u8) -> usize {
    source.get(start..).unwrap_or_default().iter().take(MOST_SIGNS).take_while(|byte| **byte == sign).count()
}

fn closing(quote: &str, signs: usize) -> Vec<u8> {
    format!("{quote}{}", "#".repeat(signs)).into_bytes()
}

fn after(source: &[u8], start: usize, text: &[u8]) -> usize {
    let rest = source.get(start..).unwrap_or_default();
    memmem::find(rest, text).map_or(source.len(), |place| start + place + text.len())
}

/// Returns where a text ends that goes on to a line with its word alone: `<<<END`, `<<~END`.
fn heredoc(source: &[u8], start: usize, open: &str) -> Option<usize> {
    let rest = source.get(start..)?.strip_prefix(open.as_bytes())?;
    let rest = if open == "<<<" { rest.trim_ascii_start() } else { rest };
    let quoted = usize::from(rest.first().is_some_and(|byte| matches!(byte, b'"' | b'\'')));
    let length = rest[quoted..].iter().take_while(|byte| is_word(**byte)).count();
    let word = &rest[quoted..quoted + length];
    let is_name = word.first().is_some_and(|byte| !byte.is_ascii_digit());
    let is_upright = open != "<<" || quoted == 1 || word.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_');
    if !is_name || !is_upright {
        return None;
    }
    Some(end_below(source, start, word))
}

/// Returns where a text ends whose last line begins with a word.
fn end_below(source: &[u8], start: usize, word: &[u8]) -> usize {
    let mut at = start;
    while let Some(length) = memchr(b'\n', &source[at..]) {
        at += length + 1;
        let line = source[at..].trim_ascii_start();
        let ends = line.strip_prefix(word).is_some_and(|rest| rest.first().is_none_or(|byte| !is_word(*byte)));
        if ends {
            return source.len() - line.len() + word.len();
        }
    }
    source.len()
}

fn ruby(lexer: &Lexer<'_>, behind: &dyn Fn(&[u8]) -> usize) -> Option<usize> {
    let begins_line = lexer.at == 0 || lexer.source[lexer.at - 1] == b'\n';
    if begins_line && lexer.starts("=begin") {
        return Some(behind(b"\n=end"));
    }
    if begins_line && lexer.starts("__END__") {
        return Some(lexer.source.len());
    }
    let is_joined = is_word(lexer.source[lexer.at.saturating_sub(1)]);
    let is_character =
        !is_joined && lexer.peek(0) == b'?' && !is_word(lexer.peek(2)) && matches!(lexer.peek(1), 0x21..);
    if is_character && !is_operand(lexer) && lexer.peek(1) != b'\\' {
        return Some(lexer.at + 2);
    }
    percent(lexer)
}

/// Returns where `%w[…]` ends.
fn percent(lexer: &Lexer<'_>) -> Option<usize> {
    if lexer.peek(0) != b'%' || (is_operand(lexer) && !is_argument(lexer)) || !spend(lexer, 1) {
        return None;
    }
    let letters = usize::from(matches!(lexer.peek(1), b'w' | b'W' | b'i' | b'I' | b'q' | b'Q' | b'r' | b'x' | b's'));
    let open = lexer.peek(1 + letters);
    if is_word(open)
        || open.is_ascii_whitespace()
        || (letters == 0 && !matches!(open, b'(' | b'[' | b'{' | b'<' | b'|' | b'!'))
    {
        return None;
    }
    let close = match open {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        b'<' => b'>',
        sign => sign,
    };
    let (mut at, mut depth) = (lexer.at + letters + 2, 1_usize);
    while at < lexer.source.len().min(lexer.at + NEAR) {
        match lexer.source[at] {
            b'\\' => at += 1,
            byte if byte == close => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            byte if byte == open => depth += 1,
            _ => {}
        }
        at += 1;
    }
    spend(lexer, at - lexer.at);
    None
}

/// Tells whether what stands before this is a value, which a sign here would divide.
fn is_operand(lexer: &Lexer<'_>) -> bool {
    let Some(last) = lexer.tokens.last() else { return false };
    match last.kind {
        Kind::Word => !BEFORE_REGEX.iter().any(|word| word.as_bytes() == &lexer.source[last.start..last.end]),
        Kind::Sign(b')' | b']' | b'}') | Kind::Text => true,
        _ => false,
    }
}

/// Tells whether a blank stands before this and none behind it, as before an argument without parentheses.
fn is_argument(lexer: &Lexer<'_>) -> bool {
    let before = lexer.source.get(lexer.at.wrapping_sub(1)).is_some_and(u8::is_ascii_whitespace);
    before
        && !lexer.peek(1).is_ascii_whitespace()
        && lexer.peek(1) != b'='
        && lexer.tokens.last().is_some_and(|last| last.kind == Kind::Word)
}

fn may_be_regex(lexer: &Lexer<'_>) -> bool {
    !is_operand(lexer) || (lexer.language.has(Special::RubyTexts) && is_argument(lexer))
}

/// Takes from what may be spent on looking in vain; tells whether there was any left.
fn spend(lexer: &Lexer<'_>, bytes: usize) -> bool {
    let left = lexer.room.get();
    lexer.room.set(left.saturating_sub(bytes));
    left > 0
}

fn affordable_regex(lexer: &Lexer<'_>, start: usize) -> Option<usize> {
    let end = if spend(lexer, 1) { regex_end(lexer.source, start) } else { None };
    if end.is_none() {
        let rest = &lexer.source[start..lexer.source.len().min(start + LONGEST_REGEX)];
        spend(lexer, memchr(b'\n', rest).unwrap_or(rest.len()));
    }
    end
}

/// Returns where a regular expression ends; none where it does not on its line.
fn regex_end(source: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut in_class) = (start + 1, false);
    loop {
        match source.get(at).filter(|_| at < start + LONGEST_REGEX)? {
            b'\n' => return None,
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'/' if !in_class => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
}
