//! What a model says → a statement with its source, where the words that it gives as proof stand in the passage that it names.

use crate::passage::Passage;

/// Bytes that a quote has at least, without spaces: a word or two prove nothing.
const LEAST: usize = 16;

/// A statement, as somebody makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    pub text: String,
    /// The number of the passage that it is taken from, from 1.
    pub passage: usize,
    /// Words of that passage, letter by letter.
    pub quote: String,
}

/// Why a statement has no source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    #[error("it says nothing")]
    Empty,
    #[error("there is no such passage")]
    NoPassage,
    #[error("its quote is too short to prove anything")]
    Short,
    #[error("its quote does not stand in the passage")]
    NotThere,
    #[error("it names sources of its own")]
    OwnSource,
}

/// Holds a statement to its passage. Spaces, quotation marks and the case of letters do not count.
pub fn hold(said: &Said, passages: &[&Passage]) -> Result<(), Unsupported> {
    let passage = said.passage.checked_sub(1).and_then(|at| passages.get(at)).ok_or(Unsupported::NoPassage)?;
    let (quote, text) = (bare(&said.quote), bare(&passage.text));
    match () {
        () if said.text.trim().is_empty() => Err(Unsupported::Empty),
        () if names_sources(&said.text, &passage.text) => Err(Unsupported::OwnSource),
        () if quote.len() < LEAST && quote != text => Err(Unsupported::Short),
        () if text.contains(&quote) => Ok(()),
        () => Err(Unsupported::NotThere),
    }
}

/// Tells whether a statement names sources beside its passage: numbers in brackets, which answers give to sources, and addresses that
/// do not stand there.
fn names_sources(text: &str, passage: &str) -> bool {
    let numbered = text.split('[').skip(1).any(|rest| {
        rest.split_once(']')
            .is_some_and(|(inner, _)| !inner.is_empty() && inner.chars().all(|sign| sign.is_ascii_digit()))
    });
    let addresses = text.match_indices("://").map(|(at, _)| text[at..].split_whitespace().next().unwrap_or_default());
    numbered || addresses.into_iter().any(|address| !passage.contains(address.trim_end_matches(['.', ',', ')', ';'])))
}

fn bare(text: &str) -> String {
    let mark = |sign: char| !sign.is_whitespace() && !matches!(sign, '"' | '\'' | '“' | '”' | '‘' | '’' | '`');
    let plain = text.chars().filter(|sign| mark(*sign)).map(|sign| if sign == '‹' { '<' } else { sign });
    plain.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn only_words_that_stand_there_are_a_source() {
        let passage = |text: &str| Passage { document: Arc::default(), text: text.to_owned(), lines: None };
        let (one, two) = (passage("The  time-out is\n30 seconds."), passage("登录超时为三十秒"));
        let held = |passage, quote: &str| {
            hold(&Said { text: "It is 30 s".to_owned(), passage, quote: quote.to_owned() }, &[&one, &two])
        };
        assert_eq!(held(1, "the time-out is 30 SECONDS"), Ok(()));
        assert_eq!(held(2, "超时为三十秒"), Ok(()));
        for text in ["It is 30 s. [1] It is red.", "It is so, says http://never.read/"] {
            let said = Said { text: text.to_owned(), passage: 1, quote: "the time-out is 30 seconds".to_owned() };
            assert_eq!(hold(&said, &[&one]), Err(Unsupported::OwnSource), "{text}");
        }
        assert_eq!(held(2, "The time-out is 30 seconds"), Err(Unsupported::NotThere));
        assert_eq!(held(1, "The time-out is 60 seconds"), Err(Unsupported::NotThere));
        assert_eq!(held(1, "is"), Err(Unsupported::Short));
        assert_eq!(
            (held(0, "The time-out"), held(3, "The time-out")),
            (Err(Unsupported::NoPassage), Err(Unsupported::NoPassage))
        );
        let empty = Said { text: " ".to_owned(), passage: 1, quote: "The time-out is".to_owned() };
        assert_eq!(hold(&empty, &[&one]), Err(Unsupported::Empty));
    }
}
