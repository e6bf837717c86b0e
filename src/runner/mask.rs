//! Takes secrets out of what is written down.

use serde_json::{Map, Number, Value};

use crate::result::Failure;
use crate::tools::MASK;

/// Values shorter than this, in characters, would mask half the report.
const SHORTEST: usize = 4;

/// Characters of a secret that give it away where the rest was cut off.
const HEAD: usize = 8;

/// What stands where a text was cut.
const CUT: char = '…';

/// The secrets of a case.
#[derive(Debug, Default)]
pub(super) struct Mask {
    /// Every way in which a secret may be written, the longest first, so that one within another leaves nothing behind.
    forms: Vec<String>,
    /// Those that are numbers.
    numbers: Vec<f64>,
}

impl Mask {
    /// Keeps the secrets that are long enough.
    pub(super) fn of(mut secrets: Vec<String>) -> Self {
        secrets.retain(|secret| secret.chars().count() >= SHORTEST);
        let numbers = secrets.iter().filter_map(|secret| secret.trim().parse().ok()).collect();
        let mut forms: Vec<String> = secrets.into_iter().flat_map(forms).collect();
        forms.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        forms.dedup();
        Self { forms, numbers }
    }

    pub(super) fn text(&self, text: String) -> String {
        let whole = self.forms.iter().fold(text, |text, form| match text.contains(form.as_str()) {
            true => text.replace(form.as_str(), MASK),
            false => text,
        });
        match whole.contains(CUT) {
            true => self.forms.iter().fold(whole, |text, form| without_head(text, form)),
            false => whole,
        }
    }

    pub(super) fn value(&self, value: Value) -> Value {
        if self.forms.is_empty() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Number(number) if self.is_secret(&number) => MASK.into(),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(object) => Value::Object(self.object(object)),
            other => other,
        }
    }

    pub(super) fn object(&self, object: Map<String, Value>) -> Map<String, Value> {
        if self.forms.is_empty() {
            return object;
        }
        object.into_iter().map(|(key, value)| (key, self.value(value))).collect()
    }

    pub(super) fn failure(&self, failure: Failure) -> Failure {
        Failure {
            message: self.text(failure.message),
            details: failure.details.map(|details| self.value(details)),
            ..failure
        }
    }

    /// Tells whether a number is a secret, however it was written: `12e4` may have become `120000.0`.
    fn is_secret(&self, number: &Number) -> bool {
        number.as_f64().is_some_and(|number| self.numbers.iter().any(|secret| secret.total_cmp(&number).is_eq()))
    }
}

/// Returns a secret as it is, on one line, and each of its lines, and all as JSON escapes them.
fn forms(secret: String) -> Vec<String> {
    let line = secret.replace(['\n', '\r'], " ");
    let escaped = |text: &str| {
        let json = Value::from(text).to_string();
        json[1..json.len() - 1].to_owned()
    };
    let lines: Vec<&str> = secret.lines().map(str::trim).filter(|line| line.chars().count() >= SHORTEST).collect();
    let mut forms: Vec<String> = lines.into_iter().flat_map(|line| [line.to_owned(), escaped(line)]).collect();
    forms.extend([escaped(&secret), escaped(&line), line, secret]);
    forms
}

/// Masks the beginning of a secret whose rest was cut off.
fn without_head(mut text: String, form: &str) -> String {
    let Some((end, _)) = form.char_indices().nth(HEAD) else { return text };
    let head = &form[..end];
    let mut from = 0;
    while let Some(at) = text[from..].find(head).map(|at| from + at) {
        let rest = &text[at..];
        from = at + rest.chars().next().map_or(1, char::len_utf8);
        let same = rest.chars().zip(form.chars()).take_while(|(a, b)| a == b);
        let length: usize = same.map(|(a, _)| a.len_utf8()).sum();
        if rest[length..].starts_with(CUT) {
            text.replace_range(at..at + length, MASK);
            from = at + MASK.len();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn mask(secrets: &[&str]) -> Mask {
        Mask::of(secrets.iter().map(ToString::to_string).collect())
    }

    fn masked(secret: &str, text: &str) -> String {
        mask(&[secret]).text(text.to_owned())
    }

    #[test]
    fn secrets_are_masked_wherever_they_stand() {
        let mask = mask(&["hunter2", "hunter2-long", "abc"]);
        assert_eq!(mask.text("pw hunter2-long, hunter2, abc".to_owned()), "pw ••••••, ••••••, abc");
        assert_eq!(mask.value(json!({"a": ["hunter2", 1]})), json!({"a": ["••••••", 1]}));
    }

    #[test]
    fn numbers_are_masked_however_they_are_written() {
        let mask = mask(&["48213975", "12e4", "token"]);
        let value = json!([48_213_975, 48_213_975.0, 120_000, 4821, "48213975", true]);
        assert_eq!(mask.value(value), json!([MASK, MASK, MASK, 4821, MASK, true]));
    }

    #[test]
    fn escaped_and_folded_secrets_are_masked() {
        assert_eq!(
            masked("pa\"ss\\word99", r#"must be a number, not "pa\"ss\\word99""#),
            "must be a number, not \"••••••\""
        );
        assert_eq!(masked("one-\"1\"\ntwo", "one-\"1\" and one-\\\"1\\\" x"), "•••••• and •••••• x");
        assert_eq!(masked("one\ntwo", "one two, one\\ntwo, one\ntwo"), "••••••, ••••••, ••••••");
    }

    #[test]
    fn the_beginning_of_a_secret_that_was_cut_is_masked() {
        let secret = "登录-token-".repeat(20);
        let cut: String = secret.chars().take(79).collect();
        assert_eq!(
            masked(&secret, &format!("Text: \"{cut}…\", Typed \"{cut}…\"")),
            "Text: \"••••••…\", Typed \"••••••…\""
        );
        assert_eq!(masked(&secret, &format!("Text: \"a {cut}…\"")), "Text: \"a ••••••…\"");
        assert_eq!(masked("abcdefgh-ijkl", "abcdefgh… abcdefgh abcdefg… …"), "••••••… abcdefgh abcdefg… …");
        assert_eq!(masked("aaaaaaaaab", "aaaaaaaaaaaa…"), "aaa••••••…");
    }
}
