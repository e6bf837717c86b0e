//! A formula's text → its tokens, each with its place. Knows as much of the language as the check of names needs.

use super::parts::{ExpressionError, Reach};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Number,
    /// A text in quotes.
    Text,
    /// One sign, or two that belong together.
    Sign,
}

/// One token; offsets count characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) text: String,
    pub(super) reach: Reach,
}

impl Token {
    pub(super) fn is(&self, sign: &str) -> bool {
        self.kind == Kind::Sign && self.text == sign
    }
}

/// Splits a formula; a quote that is not closed ends it.
pub(super) fn tokens(source: &str) -> Vec<Token> {
    let characters: Vec<char> = source.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&first) = characters.get(at) {
        if first.is_whitespace() {
            at += 1;
            continue;
        }
        let rest = &characters[at..];
        let (kind, length) = match first {
            '\'' | '"' => (Kind::Text, quoted(rest)),
            _ if first.is_ascii_digit() => (Kind::Number, number(rest)),
            _ if is_name(first) => (Kind::Name, rest.iter().take_while(|next| is_name(**next)).count()),
            _ => (Kind::Sign, sign(rest)),
        };
        tokens.push(Token { kind, text: rest[..length].iter().collect(), reach: Reach { offset: at, length } });
        at += length;
    }
    tokens
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Returns the length of a text with its quotes.
pub(super) fn quoted(characters: &[char]) -> usize {
    let quote = characters[0];
    let mut at = 1;
    while let Some(&next) = characters.get(at) {
        at += if next == '\\' { 2 } else { 1 };
        if next == quote {
            break;
        }
    }
    at.min(characters.len())
}

fn number(characters: &[char]) -> usize {
    let digits = |from: usize| {
        characters[from..].iter().take_while(|next| next.is_ascii_alphanumeric() || **next == '_').count()
    };
    let whole = digits(0);
    match characters.get(whole..whole + 2) {
        Some(['.', digit]) if digit.is_ascii_digit() => whole + 1 + digits(whole + 1),
        _ => whole,
    }
}

fn sign(characters: &[char]) -> usize {
    match characters.get(..2) {
        Some(['=' | '!' | '<' | '>', '='] | ['*', '*'] | ['/', '/']) => 2,
        _ => 1,
    }
}

/// Turns `$name` and `${…}` in a formula into names and brackets, each character staying where it is.
pub(super) fn plain(source: &str) -> Result<String, ExpressionError> {
    if !source.contains('$') {
        return Ok(source.to_owned());
    }
    let mut characters: Vec<char> = source.chars().collect();
    let mut open = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        match characters[at] {
            '\'' | '"' => {
                let length = quoted(&characters[at..]);
                check_text(&characters[at..at + length], at)?;
                at += length;
                continue;
            }
            '$' if characters.get(at + 1) == Some(&'{') => {
                characters[at] = ' ';
                characters[at + 1] = '(';
                open.push(true);
                at += 1;
            }
            '$' if characters.get(at + 1).is_some_and(|next| is_name(*next)) => characters[at] = ' ',
            '{' => open.push(false),
            '}' if open.pop() == Some(true) => characters[at] = ')',
            _ => {}
        }
        at += 1;
    }
    Ok(characters.into_iter().collect())
}

/// Refuses `'$name'`: in a formula it would never be replaced.
fn check_text(text: &[char], offset: usize) -> Result<(), ExpressionError> {
    let named = |pair: &[char]| pair[0] == '$' && (pair[1].is_ascii_alphabetic() || pair[1] == '_' || pair[1] == '{');
    let Some(at) = text.windows(2).position(named) else { return Ok(()) };
    let name: String = text[at + 1..].iter().take_while(|next| is_name(**next)).collect();
    let reach = Reach { offset: offset + at, length: name.chars().count() + 1 };
    let mut error = ExpressionError::at(reach, "a text in quotes is taken as it is in a condition or formula");
    error.help =
        Some("write the variable without quotes and `$`; put texts together with `~`: 'Hello, ' ~ user".to_owned());
    Err(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_places() {
        let shown: Vec<_> =
            tokens("n>=1.5 and 用户['it\\'s'] | upper").into_iter().map(|t| (t.text, t.reach.offset)).collect();
        let expected = [
            ("n", 0),
            (">=", 1),
            ("1.5", 3),
            ("and", 7),
            ("用户", 11),
            ("[", 13),
            ("'it\\'s'", 14),
            ("]", 21),
            ("|", 23),
            ("upper", 25),
        ];
        assert_eq!(shown, expected.map(|(text, at)| (text.to_owned(), at)));
    }

    #[test]
    fn dollars_vanish_in_place() {
        let table = [
            ("$n > 3", " n > 3"),
            ("${len($x)} > 3", " (len( x)) > 3"),
            ("{'a': ${b}}", "{'a':  (b)}"),
            ("'US$' ~ n", "'US$' ~ n"),
        ];
        for (written, expected) in table {
            assert_eq!(plain(written).unwrap(), expected);
        }
        let error = plain("x == '$user'").unwrap_err();
        assert_eq!((error.offset, error.length), (6, 5));
    }
}
