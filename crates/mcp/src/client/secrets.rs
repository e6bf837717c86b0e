//! What of a server's settings must not be shown → texts without it. Values that are used are never changed.
//!
//! A value is a secret where it is a variable of `env` or a header whose name says so ([`says_secret`]), comes from a
//! `${VAR}` of such a name, is the user info of a URL, or stands in a URL's query under such a name or looks like a key.
//! What `envFile` holds is judged as `env` is. Values of less than 4 characters, and words such as `true`, are none.

use serde_json::Value;

use crate::secrets::Secrets;

/// Shortest value that is one, in characters.
const SHORTEST: usize = 4;

/// Shortest value of a query, under a name that says nothing, that is taken for a key, in characters.
const SHORTEST_KEY: usize = 8;

/// Values that say nothing, however they came to be where secrets stand.
const OPEN: &[&str] = &["true", "false", "none", "null", "info", "debug", "error", "warn", "bearer", "basic"];

/// Parts of the names of secrets.
const WORDS: &[&str] =
    &["KEY", "TOKEN", "SECRET", "PASS", "PWD", "AUTH", "CREDENTIAL", "COOKIE", "SESSION", "SIGNATURE"];

/// Ends of the names of what says where a secret is, not which.
const PLACES: &[&str] = &["_PATH", "_FILE", "_DIR", "_SOCK", "_HOST", "_PORT"];

/// Tells whether the name of a variable, a header or a query's field says that its value is a secret.
pub(super) fn says_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase().replace(['-', '.'], "_");
    WORDS.iter().any(|word| name.contains(word)) && !PLACES.iter().any(|end| name.ends_with(end))
}

/// Tells whether a value, under a name that says so, is a secret.
pub(super) fn is_secret(value: &str) -> bool {
    value.chars().count() >= SHORTEST && !OPEN.contains(&value.to_ascii_lowercase().as_str())
}

/// Values that are masked wherever they are shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Hidden(Secrets);

impl Hidden {
    pub(super) fn add(&mut self, value: &str) {
        let value = value.trim();
        if !OPEN.contains(&value.to_ascii_lowercase().as_str()) {
            self.0.add(value);
        }
    }

    /// Adds the value of a variable, where its name says that it is one, and the user info of a URL in it.
    pub(super) fn add_variable(&mut self, name: &str, value: &str) {
        if says_secret(name) {
            self.add(value);
        } else if let Ok(url) = reqwest::Url::parse(value) {
            self.add_user(&url);
        }
    }

    /// Adds a header's value, where its name says that it is one, and the credential in it without the scheme before it.
    pub(super) fn add_header(&mut self, name: &str, value: &str) {
        if says_secret(name) {
            self.add(value);
            value.split_once(' ').into_iter().for_each(|(_, credential)| self.add(credential));
        }
    }

    /// Adds the user info of a URL, and what is a key in its query.
    pub(super) fn add_url(&mut self, text: &str) {
        let Ok(url) = reqwest::Url::parse(text) else { return };
        self.add_user(&url);
        let is_key = |name: &str, value: &str| {
            let looks_like_one = value.chars().count() >= SHORTEST_KEY && value.contains(|c: char| c.is_ascii_digit());
            says_secret(name) || looks_like_one
        };
        url.query_pairs().filter(|(name, value)| is_key(name, value)).for_each(|(_, value)| self.add(&value));
        let written = url.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
        written.filter(|(name, value)| is_key(name, value)).for_each(|(_, value)| self.add(value));
    }

    fn add_user(&mut self, url: &reqwest::Url) {
        match url.password() {
            Some(password) => self.add(password),
            None => self.add(url.username()),
        }
    }

    /// Returns the values.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        self.0.values()
    }

    /// Returns a text with the mask in place of every secret.
    pub(super) fn masked(&self, text: &str) -> String {
        self.0.masked(text).into_owned()
    }

    /// Masks the texts of a value that is shown; pictures and sounds are none.
    pub(super) fn mask(&self, value: &mut Value) {
        self.0.mask_but(value, &|map, key| ["data", "blob"].contains(&key) && map.contains_key("mimeType"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::{MASK, SAMPLES};
    use serde_json::json;

    #[test]
    fn secrets_are_masked_and_what_says_nothing_is_not() {
        let mut secrets = Hidden::default();
        secrets.add_header("Authorization", "Bearer abc.def");
        secrets.add_header("Accept", "text/plain");
        secrets.add("true");
        secrets.add("abc");
        let mut value = json!({"a": ["Authorization: Bearer abc.def", "abc.def!", "true abc text/plain"]});
        secrets.mask(&mut value);
        assert_eq!(value, json!({"a": [format!("Authorization: {MASK}"), format!("{MASK}!"), "true abc text/plain"]}));
        let mut picture = json!({"type": "image", "mimeType": "image/png", "data": "abc.def"});
        secrets.mask(&mut picture);
        assert_eq!(picture["data"], "abc.def");
    }

    #[test]
    fn a_secret_is_masked_however_it_is_written() {
        for (secret, text, shown) in SAMPLES {
            let mut secrets = Hidden::default();
            secrets.add(secret);
            assert_eq!(secrets.masked(text), *shown);
        }
    }

    #[test]
    fn names_and_urls_say_what_is_a_secret() {
        let mut secrets = Hidden::default();
        for (name, value) in [
            ("HOME", "/home/me"),
            ("MODE", "production"),
            ("PORT", "8080"),
            ("KEY_FILE", "/keys/a"),
            ("Api_Key", "k-4711"),
            ("DB", "postgres://me:pw-4711@host/a?mode=strict"),
        ] {
            secrets.add_variable(name, value);
        }
        secrets.add_url("https://user-1@h/mcp?token=abcd%2Fe&mode=production&x=a1b2c3d4");
        let values: Vec<&str> = secrets.values().collect();
        assert_eq!(values, ["a1b2c3d4", "abcd%2Fe", "pw-4711", "abcd/e", "k-4711", "user-1"]);
    }
}
