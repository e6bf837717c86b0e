//! What a text must be: equal, holding a part, or matching a pattern; the arguments of assertions on addresses, titles, attributes.

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_locate::pattern;
use uixt_locate::wording::clip;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_asked_must_hold() {
        let wanted = Wanted { equals: None, contains: Some("b".into()), matches: Some("^c".into()) };
        assert_eq!(wanted.unmet("abc", |a, b| a == b), "does not match \"^c\"");
        assert_eq!(wanted.unmet("cb", |a, b| a == b), "");
        assert!(Wanted { equals: None, contains: Some(String::new()), matches: None }.check().is_err());
    }
}
