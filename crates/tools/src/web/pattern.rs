//! What a text must be: equal, holding a part, or matching a pattern; the arguments of assertions on addresses, titles, attributes.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::pattern;
use crate::wording::clip;

/// What a text must be; several at once must all hold.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Wanted {
    /// The whole text.
    #[serde(default)]
    equals: Option<String>,
    /// A part of it.
    #[serde(default)]
    contains: Option<String>,
    /// A regular expression, found anywhere in it.
    #[serde(default)]
    matches: Option<String>,
}

impl Wanted {
    pub(super) fn is_empty(&self) -> bool {
        self.equals.is_none() && self.contains.is_none() && self.matches.is_none()
    }

    pub(super) fn check(&self) -> Result<(), String> {
        if self.is_empty() {
            return Err("nothing to compare with: give equals, contains or matches".to_owned());
        }
        for (name, wanted) in [("contains", &self.contains), ("matches", &self.matches)] {
            if wanted.as_deref() == Some("") {
                return Err(format!("`{name}` is empty, so any text passes"));
            }
        }
        self.matches.as_deref().map_or(Ok(()), |wanted| pattern::telling_pattern(wanted).map(drop))
    }

    /// Says what of it does not hold; empty where all does. `equal` tells whether a text is what `equals` means.
    pub(super) fn unmet(&self, text: &str, equal: fn(&str, &str) -> bool) -> String {
        let mut unmet = Vec::new();
        if let Some(wanted) = self.equals.as_deref().filter(|wanted| !equal(text, wanted)) {
            unmet.push(format!("does not equal \"{}\"", clip(wanted)));
        }
        if let Some(wanted) = self.contains.as_deref().filter(|wanted| !text.contains(*wanted)) {
            unmet.push(format!("does not contain \"{}\"", clip(wanted)));
        }
        let is_met = |wanted: &&str| !pattern::pattern(wanted).is_ok_and(|pattern| pattern.is_match(text));
        if let Some(wanted) = self.matches.as_deref().filter(is_met) {
            unmet.push(format!("does not match \"{}\"", clip(wanted)));
        }
        unmet.join(", ")
    }
}

/// Tells whether an address is the wanted one; a wanted path, from `/` on, is compared with all behind the host.
pub(super) fn is_address(url: &str, wanted: &str) -> bool {
    if wanted.starts_with('/') { path(url) == wanted } else { url == wanted }
}

/// Returns what stands behind an address's host: its path, query and fragment.
fn path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.find('/').map_or("/", |at| &rest[at..])
}

/// Tells whether a text is what is wanted, where `*` stands for anything; an address may be wanted by its path.
pub(super) fn is_like(text: &str, wanted: &str) -> bool {
    let text = if wanted.starts_with('/') { path(text) } else { text };
    let mut pieces = wanted.split('*');
    let Some(rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    let mut rest = rest;
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_compared_with_what_stands_behind_the_host() {
        let url = "http://127.0.0.1:8080/spa.html?page=tasks#a";
        assert!(is_address(url, "/spa.html?page=tasks#a") && is_address(url, url));
        assert!(!is_address(url, "/spa.html") && !is_address(url, "spa.html"));
        assert!(is_address("http://a", "/") && is_address("file:///x/y.html", "/x/y.html"));
    }

    #[test]
    fn a_star_stands_for_anything() {
        let url = "http://127.0.0.1:8080/spa.html?page=tasks";
        for wanted in ["/spa.html*", "*tasks", "*", "http://*/spa.html?page=*", "/*page*t*s", url] {
            assert!(is_like(url, wanted), "{wanted}");
        }
        for wanted in ["/spa.html", "spa*", "*task", "/*x*", "", "/spa.html?page=tasks*s"] {
            assert!(!is_like(url, wanted), "{wanted}");
        }
    }

    #[test]
    fn all_that_is_asked_must_hold() {
        let wanted = Wanted { equals: None, contains: Some("b".into()), matches: Some("^c".into()) };
        assert_eq!(wanted.unmet("abc", |a, b| a == b), "does not match \"^c\"");
        assert_eq!(wanted.unmet("cb", |a, b| a == b), "");
        assert!(Wanted { equals: None, contains: Some(String::new()), matches: None }.check().is_err());
    }
}
