//! What calls of models cost.

use std::ops::AddAssign;
use std::time::Duration;

use serde_json::{Value, json};

/// Tokens, bytes and time of one call, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    pub calls: u32,
    /// Requests, those that failed and were made again included.
    pub attempts: u32,
    pub input_tokens: u64,
    /// Of these, those that the endpoint knew already.
    pub cached_tokens: u64,
    pub output_tokens: u64,
    /// Bytes of the pictures that were sent.
    pub picture_bytes: u64,
    pub took: Duration,
}

impl Usage {
    /// Reads what an endpoint says of tokens; 0 where it says nothing.
    pub(crate) fn of(told: &Value) -> Self {
        let number = |pointer: &str| told.pointer(pointer).and_then(Value::as_u64).unwrap_or_default();
        Self {
            input_tokens: number("/prompt_tokens"),
            cached_tokens: number("/prompt_tokens_details/cached_tokens"),
            output_tokens: number("/completion_tokens"),
            ..Self::default()
        }
    }

    /// Returns all tokens.
    pub fn tokens(&self) -> u64 {
        self.input_tokens + self.output_tokens
    }

    /// Returns it as results tell it.
    pub fn to_json(&self) -> Value {
        json!({
            "calls": self.calls, "attempts": self.attempts, "input_tokens": self.input_tokens, "cached_tokens": self.cached_tokens,
            "output_tokens": self.output_tokens, "picture_bytes": self.picture_bytes,
            "took_ms": u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
        })
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.attempts += other.attempts;
        self.input_tokens += other.input_tokens;
        self.cached_tokens += other.cached_tokens;
        self.output_tokens += other.output_tokens;
        self.picture_bytes += other.picture_bytes;
        self.took += other.took;
    }
}
