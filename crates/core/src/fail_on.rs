//! What that goes wrong beside the steps of a testcase fails it: read from words, and held against faults as they are told.

use serde::{Deserialize, Serialize};

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailOn {
    /// An exception of a page's script that nobody catches.
    PageError,
    /// What a page or the browser writes to the console as an error.
    ConsoleError,
    #[serde(rename = "http_5xx")]
    Http5xx,
    #[serde(rename = "http_4xx")]
    Http4xx,
    /// An app that crashes or does not respond, or a page that crashes.
    Crash,
}

impl FailOn {
    /// All of them, by their words.
    pub const ALL: [(&'static str, Self); 5] = [
        ("page_error", Self::PageError),
        ("console_error", Self::ConsoleError),
        ("http_5xx", Self::Http5xx),
        ("http_4xx", Self::Http4xx),
        ("crash", Self::Crash),
    ];

    /// Reads a word.
    pub fn read(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind)
    }

    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(word, _)| word)
    }

    /// Tells whether a fault is of this kind, by how it is told: `script: TypeError: …`, `request: 500 …`.
    pub fn holds(self, fault: &str) -> bool {
        let begins = |heads: &[&str]| heads.iter().any(|head| fault.starts_with(head));
        match self {
            Self::PageError => begins(&["script: "]),
            Self::ConsoleError => begins(&["console: ", "browser: "]),
            Self::Http5xx => answered(fault, '5'),
            Self::Http4xx => answered(fault, '4'),
            Self::Crash => begins(&["crash: "]),
        }
    }
}

/// Tells whether a fault is a request that was answered with a status of a class: `request: 404 …`, or in WebDriver's words
/// `request: http://… a status of 404 …`.
fn answered(fault: &str, class: char) -> bool {
    let Some(rest) = fault.strip_prefix("request: ") else { return false };
    rest.starts_with(class) || rest.split_once(" a status of ").is_some_and(|(_, status)| status.starts_with(class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_told_apart_by_how_they_begin() {
        for (fault, word) in [
            ("script: TypeError: x is not a function", "page_error"),
            ("console: oh", "console_error"),
            ("request: 503 Unavailable: GET http://a", "http_5xx"),
            ("request: 404 Not Found: GET http://a", "http_4xx"),
            (
                "request: http://a/5 - Failed to load resource: the server responded with a status of 404 (Not Found)",
                "http_4xx",
            ),
            ("crash: com.a crashed: oh", "crash"),
            ("request: net::ERR_FAILED: GET http://a", ""),
        ] {
            let held: Vec<&str> =
                FailOn::ALL.iter().filter(|(_, kind)| kind.holds(fault)).map(|(word, _)| *word).collect();
            assert_eq!(held, if word.is_empty() { vec![] } else { vec![word] }, "{fault}");
        }
        let read = |(word, kind): (&str, FailOn)| FailOn::read(word) == Some(kind) && kind.word() == word;
        assert!(FailOn::ALL.into_iter().all(read) && FailOn::read("http").is_none());
        assert_eq!(
            serde_json::to_value(FailOn::ALL.map(|(_, kind)| kind)).ok(),
            serde_json::to_value(FailOn::ALL.map(|(word, _)| word)).ok()
        );
    }
}
