//! What was really done on a phone: how often each thing was, whatever the client was told.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use serde_json::{Value, json};

/// How often each thing was done.
pub(super) struct Counts(Mutex<BTreeMap<&'static str, u64>>);

impl Counts {
    /// Begins at nothing of each of these, so that a test sees what was never done.
    pub(super) fn new(names: &[&'static str]) -> Self {
        Self(Mutex::new(names.iter().map(|name| (*name, 0)).collect()))
    }

    /// Counts `by` more.
    pub(super) fn add(&self, name: &'static str, by: usize) {
        *self.0.lock().entry(name).or_default() += by as u64;
    }

    /// Returns all of them by their names.
    pub(super) fn all(&self) -> Value {
        json!(*self.0.lock())
    }
}
