//! The secrets of a session → what may be shown of its past: each is masked by its value, wherever it turns up.

use rmcp::model::{CallToolRequestParams, CallToolResult};
use serde_json::Value;

use crate::tools::{self, MASK, Object};

/// Shorter secrets are masked only where a text is nothing else.
const SHORT: usize = 4;
/// Most secrets that are kept; the oldest go first.
const MOST: usize = 500;

/// Values that nobody may read.
#[derive(Default)]
pub(super) struct Veil {
    secrets: Vec<String>,
}

impl Veil {
    /// Learns what a call calls a secret; tells whether anything is new.
    pub(super) fn learn(&mut self, request: &CallToolRequestParams, result: &CallToolResult) -> bool {
        let Some(arguments) = &request.arguments else { return false };
        let answer = result.structured_content.as_ref().and_then(Value::as_object);
        let mut found = tools::hide_typed(&mut arguments.clone(), answer.unwrap_or(&Object::new()));
        collect(arguments, result.is_error == Some(true), &mut found);
        let before = self.secrets.len();
        for secret in found.iter().filter_map(text_of).flat_map(|secret| spellings(&secret)) {
            if !secret.is_empty() && !self.secrets.contains(&secret) {
                self.secrets.push(secret);
            }
        }
        let is_new = self.secrets.len() > before;
        self.secrets.drain(..self.secrets.len().saturating_sub(MOST));
        is_new
    }

    /// Masks the secrets in a text.
    pub(super) fn text(&self, text: &str) -> String {
        if self.secrets.iter().any(|secret| secret == text) {
            return MASK.to_owned();
        }
        let mut long: Vec<&String> = self.secrets.iter().filter(|secret| secret.chars().count() >= SHORT).collect();
        // What holds another goes first, so that nothing of it is left.
        long.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        long.into_iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), MASK))
    }

    /// Masks the secrets in every text of a value.
    pub(super) fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Number(number) if self.secrets.contains(&number.to_string()) => *value = MASK.into(),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(map) => map.values_mut().for_each(|value| self.value(value)),
            _ => {}
        }
    }
}

/// Finds secrets at any depth, since a call that was refused may have another shape than its tool takes; `refused` also tells that
/// no field was there to say whether it is one for passwords.
fn collect(arguments: &Object, refused: bool, found: &mut Vec<Value>) {
    found.extend(tools::secrets(arguments));
    let password = |into: &Value| {
        let into = into.to_string().to_lowercase();
        ["passw", "passcode", "密码", "密碼"].iter().any(|word| into.contains(word))
    };
    if refused && arguments.get("into").is_some_and(password) {
        found.extend(arguments.get("text").cloned());
    }
    for value in arguments.values() {
        collect_within(value, refused, found);
    }
}

fn collect_within(value: &Value, refused: bool, found: &mut Vec<Value>) {
    match value {
        Value::Object(map) => collect(map, refused, found),
        Value::Array(items) => items.iter().for_each(|item| collect_within(item, refused, found)),
        _ => {}
    }
}

fn text_of(secret: &Value) -> Option<String> {
    match secret {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns a secret as it is, and as messages quote it.
fn spellings(secret: &str) -> Vec<String> {
    let quoted = format!("{secret:?}").trim_matches('"').to_owned();
    let mut spellings = vec![secret.to_owned(), quoted];
    spellings.dedup();
    spellings
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn learnt(arguments: Value, answer: Value) -> Veil {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        let mut veil = Veil::default();
        let request = CallToolRequestParams::new("input").with_arguments(arguments);
        veil.learn(&request, &CallToolResult::structured_error(answer));
        veil
    }

    #[test]
    fn a_secret_is_masked_wherever_it_stands() {
        let veil = learnt(json!({"text": "p@ss \"w0rd\"", "secret": true}), json!({}));
        let mut shown =
            json!({"steps": [{"message": "no p@ss \"w0rd\" there", "text": "open"}], "n": "p@ss \\\"w0rd\\\""});
        veil.value(&mut shown);
        assert!(!shown.to_string().contains("w0rd") && shown["steps"][0]["text"] == "open", "{shown}");
    }

    #[test]
    fn short_ones_are_masked_alone() {
        let veil = learnt(json!({"text": "12", "secret": true}), json!({}));
        assert_eq!((veil.text("12"), veil.text("12 items")), (MASK.to_owned(), "12 items".to_owned()));
    }

    #[test]
    fn calls_of_a_wrong_shape_have_secrets_too() {
        let steps = json!({"steps": [{"input": {"text": "secret123", "into": "Password"}}, {"input": {"text": "alice", "into": "User"}}]});
        let veil = learnt(steps, json!({"message": "wrong"}));
        assert_eq!(veil.text("alice secret123"), format!("alice {MASK}"));
        assert_eq!(learnt(json!({"text": "typed"}), json!({"text": MASK})).text("was typed"), format!("was {MASK}"));
    }
}
