//! Whether an action that was not evaluated may hold a secret.

use serde_json::Value;

use uixt_call::arguments;
use uixt_core::action::MobileAction;

/// Tells whether an action as it was written, or a step of a batch, may say that what it types is a secret.
pub(super) fn holds_secret(action: &MobileAction) -> bool {
    says_secret(&action.params) || action.options.iter().any(is_secret)
}

fn says_secret(params: &Value) -> bool {
    match params {
        Value::Object(map) => map.iter().any(is_secret),
        Value::Array(items) => items.iter().any(says_secret),
        _ => false,
    }
}

fn is_secret((key, value): (&String, &Value)) -> bool {
    let is_closed = !matches!(value, Value::Null | Value::Bool(false));
    (arguments::snake_case(key) == "secret" && is_closed) || says_secret(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, json};

    #[test]
    fn a_secret_is_seen_in_a_batch_too() {
        let of = |params: Value| MobileAction {
            method: "batch".to_owned(),
            params,
            options: Map::new(),
            span: uixt_core::action::Span::default(),
        };
        let typed = |secret: Value| json!([{"tool": "input", "arguments": {"text": "x", "secret": secret}}]);
        assert!(holds_secret(&of(typed(json!(true)))) && holds_secret(&of(json!({"steps": typed(json!("$s"))}))));
        assert!(!holds_secret(&of(typed(json!(false)))) && !holds_secret(&of(json!({"text": "secret"}))));
    }
}
