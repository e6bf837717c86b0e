//! Text → words that can be compared across spelling and language: `Sign in`, `signInBtn` and `登录` are all `login`.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::{FILLERS, SAME};

/// Longest text that is compared, in characters.
const MAX_LEN: usize = 200;

/// The atoms of a phrase, and what it means.
type Spelling = (Vec<String>, &'static str);

/// Phrases by their first atom, longer ones first.
static PHRASES: LazyLock<HashMap<String, Vec<Spelling>>> = LazyLock::new(|| {
    let mut phrases: HashMap<String, Vec<Spelling>> = HashMap::new();
    for (meaning, spellings) in SAME {
        for spelling in *spellings {
            let atoms = atoms(spelling);
            phrases.entry(atoms[0].clone()).or_default().push((atoms, *meaning));
        }
    }
    phrases.values_mut().for_each(|list| list.sort_by_key(|(atoms, _)| std::cmp::Reverse(atoms.len())));
    phrases
});

/// Splits a text into words in small letters; each Chinese character is one.
pub(in super::super) fn atoms(text: &str) -> Vec<String> {
    let mut atoms = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    for c in text.chars().take(MAX_LEN) {
        let is_word = c.is_alphanumeric() && !is_chinese(c);
        let begins = c.is_uppercase() && before.is_lowercase();
        if (!is_word || begins) && !word.is_empty() {
            atoms.push(std::mem::take(&mut word));
        }
        if is_word {
            word.extend(c.to_lowercase());
        } else if is_chinese(c) {
            atoms.push(c.to_string());
        }
        before = c;
    }
    if !word.is_empty() {
        atoms.push(word);
    }
    atoms
}

/// Tells whether a character is written without spaces between words.
pub(super) fn is_chinese(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{3ffff}')
        && c.is_alphanumeric()
}

/// Returns the meanings of a text's words, without those that mean nothing by themselves.
pub(in super::super) fn tokens(text: &str) -> Vec<String> {
    let atoms = atoms(text);
    let mut tokens = Vec::with_capacity(atoms.len());
    let mut at = 0;
    while at < atoms.len() {
        let rest = &atoms[at..];
        let known = PHRASES.get(&rest[0]).and_then(|list| list.iter().find(|(phrase, _)| rest.starts_with(phrase)));
        let (token, length) = known.map_or((rest[0].as_str(), 1), |(phrase, meaning)| (*meaning, phrase.len()));
        tokens.push(token.to_owned());
        at += length;
    }
    let meaning = tokens.iter().filter(|token| !FILLERS.contains(&token.as_str())).count();
    if meaning > 0 {
        tokens.retain(|token| !FILLERS.contains(&token.as_str()));
    }
    tokens
}

/// Returns a text without what a person does not read: case, spaces, punctuation.
pub(in super::super) fn bare(text: &str) -> String {
    text.chars().take(MAX_LEN).filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_mean_the_same_are_the_same() {
        assert_eq!(tokens("Sign in"), ["login"]);
        assert_eq!(tokens("signInNow"), ["login", "now"]);
        assert_eq!(tokens("忘记密码？"), ["forgot", "password"]);
        assert_eq!(tokens("Forgot your password?"), ["forgot", "password"]);
        assert_eq!(tokens("Wi-Fi"), tokens("无线网络"));
        assert_eq!(tokens("不同意"), ["decline"]);
        assert_eq!(tokens("the"), ["the"]);
        assert_eq!(bare(" Wi-Fi… "), "wifi");
    }
}
