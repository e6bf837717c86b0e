//! What a model says → a statement with its source, where the words that it gives as proof stand in the passage that it names.

use crate::passage::Passage;

/// Bytes that a quote has at least: a word alone proves nothing.
const LEAST: usize = 8;

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
}

/// Holds a statement to its passage. Spaces, quotation marks and the case of letters do not count.
pub fn hold(said: &Said, passages: &[&Passage]) -> Result<(), Unsupported> {
    let passage = said.passage.checked_sub(1).and_then(|at| passages.get(at)).ok_or(Unsupported::NoPassage)?;
    let (quote, text) = (bare(&said.quote), bare(&passage.text));
    match () {
        () if said.text.trim().is_empty() => Err(Unsupported::Empty),
        () if quote.len() < LEAST && quote != text => Err(Unsupported::Short),
        () if text.contains(&quote) => Ok(()),
        () => Err(Unsupported::NotThere),
    }
}

fn bare(text: &str) -> String {
    let mark = |sign: char| !sign.is_whitespace() && !matches!(sign, '"' | '\'' | '“' | '”' | '‘' | '’' | '`');
    text.chars().filter(|sign| mark(*sign)).flat_map(char::to_lowercase).collect()
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
