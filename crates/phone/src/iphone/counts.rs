//! What was really done on the phone: how often each thing was, whatever the client was told.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use serde_json::{Value, json};

/// What is counted from the start on, so that a test sees what was never done.
const NAMES: [&str; 12] = [
    "alerts",
    "homes",
    "keys",
    "launches",
    "links",
    "presses",
    "requests",
    "screenshots",
    "sessions",
    "sources",
    "terminations",
    "touches",
];

/// How often each thing was done.
pub(super) struct Counts(Mutex<BTreeMap<&'static str, u64>>);

impl Default for Counts {
    fn default() -> Self {
        Self(Mutex::new(NAMES.into_iter().map(|name| (name, 0)).collect()))
    }
}

impl Counts {
    /// Counts `by` more.
    pub(super) fn add(&self, name: &'static str, by: usize) {
        *self.0.lock().entry(name).or_default() += by as u64;
    }

    /// Returns all of them by their names.
    pub(super) fn all(&self) -> Value {
        json!(*self.0.lock())
    }
}
