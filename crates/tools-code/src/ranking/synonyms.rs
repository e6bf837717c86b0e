//! What means the same, in English and Chinese: one meaning a line, its words behind its name.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::stem;

const TEXT: &str = include_str!("synonyms.txt");

/// Words of Chinese, the longest first, with their meanings.
pub(super) static CHINESE: LazyLock<Vec<(String, Vec<String>)>> = LazyLock::new(|| {
    let mut words: Vec<(String, Vec<String>)> = MEANINGS
        .iter()
        .filter(|(word, _)| !word.is_ascii())
        .map(|(word, meanings)| (word.clone(), meanings.clone()))
        .collect();
    words.sort_by(|(a, _), (b, _)| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    words
});

/// The meanings of each word; those of English by their stems.
static MEANINGS: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut meanings: HashMap<String, Vec<String>> = HashMap::new();
    for line in TEXT.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let Some((name, words)) = line.split_once(':') else { continue };
        for word in words.split_whitespace() {
            let key = if word.is_ascii() { stem(word) } else { word.to_owned() };
            let of_word = meanings.entry(key).or_default();
            let meaning = format!("={name}");
            if !of_word.contains(&meaning) {
                of_word.push(meaning);
            }
        }
    }
    meanings
});

/// Returns the meanings of a word of English.
pub(super) fn meanings(word: &str, stem: &str) -> Vec<String> {
    MEANINGS.get(stem).or_else(|| MEANINGS.get(word)).cloned().unwrap_or_default()
}
