//! The secrets of a session → what may be shown of its past: each is masked by its value, wherever it turns up.

use serde_json::Value;
use uixt_locate::Object;

use super::{CallToolRequest, CallToolResult, Content, SECRETS, Table, mask};
use crate::secrets::Secrets;

/// Most secrets that are kept; the oldest go first.
const MAX: usize = 500;

/// Values that nobody may read.
#[derive(Default)]
pub struct Redaction {
    secrets: Secrets,
    /// Those values, the oldest first.
    learnt: Vec<String>,
}

impl Redaction {
    /// Learns what a call calls a secret; tells whether anything is new.
    pub fn learn(&mut self, request: &CallToolRequest, result: &CallToolResult) -> bool {
        let none = Object::new();
        let arguments = request.arguments.as_ref().unwrap_or(&none);
        let answer = result.structured_content.as_ref().and_then(Value::as_object);
        let mut found = mask::hide_typed(&mut arguments.clone(), answer.unwrap_or(&Object::new()));
        collect(arguments, result.is_failure(), &mut found);
        found.extend(result.beside(SECRETS).map(mask::texts).unwrap_or_default());
        let before = self.learnt.len();
        for secret in found {
            if self.secrets.add_marked(&secret) {
                self.learnt.push(secret);
            }
        }
        let is_new = self.learnt.len() > before;
        if self.learnt.len() > MAX {
            self.forget();
        }
        is_new
    }

    /// Forgets the oldest secrets.
    fn forget(&mut self) {
        self.learnt.drain(..self.learnt.len().saturating_sub(MAX));
        self.secrets = Secrets::default();
        self.learnt.iter().for_each(|secret| _ = self.secrets.add_marked(secret));
    }

    /// Masks the secrets in a text.
    pub fn text(&self, text: &str) -> String {
        self.secrets.masked(text).into_owned()
    }

    /// Masks the secrets in every text of a value.
    pub fn value(&self, value: &mut Value) {
        self.secrets.mask(value);
    }

    /// Masks the secrets in what a call read off the screen: a field that is none for passwords shows what was typed into it.
    pub fn mask_what_is_seen(&self, table: &Table, request: &CallToolRequest, result: &mut CallToolResult) {
        if table.find(&request.name).is_none_or(|tool| !tool.read_only || !tool.needs_device) {
            return;
        }
        result.structured_content.iter_mut().for_each(|answer| self.value(answer));
        for content in &mut result.content {
            if let Content::Text { text, .. } = content {
                *text = self.text(text);
            }
        }
    }
}

/// Finds secrets at any depth, since a call that was refused may have another shape than its tool takes; `refused` also tells that
/// no field was there to say whether it is one for passwords.
fn collect(arguments: &Object, refused: bool, found: &mut Vec<String>) {
    found.extend(mask::secrets(arguments));
    let password = |into: &Value| {
        let into = into.to_string().to_lowercase();
        ["passw", "passcode", "密码", "密碼"].iter().any(|word| into.contains(word))
    };
    if refused && arguments.get("into").is_some_and(password) {
        found.extend(arguments.get("text").into_iter().flat_map(mask::texts));
    }
    for value in arguments.values() {
        collect_within(value, refused, found);
    }
}

fn collect_within(value: &Value, refused: bool, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => collect(map, refused, found),
        Value::Array(items) => items.iter().for_each(|item| collect_within(item, refused, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::secrets::{MASK, SAMPLES};

    fn learnt(arguments: Value, answer: Value) -> Redaction {
        let Value::Object(arguments) = arguments else { panic!("an object") };
        let mut redaction = Redaction::default();
        let request = CallToolRequest::new("input").with_arguments(arguments);
        redaction.learn(&request, &CallToolResult::structured_error(answer));
        redaction
    }

    #[test]
    fn a_secret_is_masked_wherever_it_stands() {
        let redaction = learnt(json!({"text": "p@ss \"w0rd\"", "secret": true}), json!({}));
        let mut shown =
            json!({"steps": [{"message": "no p@ss \"w0rd\" there", "text": "open"}], "n": "p@ss \\\"w0rd\\\""});
        redaction.value(&mut shown);
        assert!(!shown.to_string().contains("w0rd") && shown["steps"][0]["text"] == "open", "{shown}");
    }

    #[test]
    fn a_secret_is_masked_however_it_is_written() {
        for (secret, text, shown) in SAMPLES {
            assert_eq!(learnt(json!({"text": secret, "secret": true}), json!({})).text(text), *shown);
        }
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut redaction = Redaction::default();
        for number in 0..=MAX {
            let arguments = json!({"text": format!("secret-{number}-"), "secret": true});
            let request =
                CallToolRequest::new("input").with_arguments(arguments.as_object().cloned().unwrap_or_default());
            assert!(redaction.learn(&request, &CallToolResult::structured(json!({}))));
        }
        assert_eq!(redaction.text("secret-0- secret-1-"), format!("secret-0- {MASK}"));
    }

    #[test]
    fn short_ones_are_masked_alone() {
        let redaction = learnt(json!({"text": "12", "secret": true}), json!({}));
        assert_eq!((redaction.text("12"), redaction.text("12 items")), (MASK.to_owned(), "12 items".to_owned()));
    }

    #[test]
    fn calls_of_a_wrong_shape_have_secrets_too() {
        let steps = json!({"steps": [{"input": {"text": "secret123", "into": "Password"}}, {"input": {"text": "alice", "into": "User"}}]});
        let redaction = learnt(steps, json!({"message": "wrong"}));
        assert_eq!(redaction.text("alice secret123"), format!("alice {MASK}"));
        assert_eq!(learnt(json!({"text": "typed"}), json!({"text": MASK})).text("was typed"), format!("was {MASK}"));
    }
}
