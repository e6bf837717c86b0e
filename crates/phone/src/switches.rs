//! What a test wishes to go wrong: switches with names, set at the start or while the phone runs.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use serde_json::{Value, json};

/// Names of switches, each with what it does.
pub(super) type Known = &'static [(&'static str, &'static str)];

/// The switches that are set, of those that there are.
pub(super) struct Switches {
    known: Known,
    set: Mutex<BTreeMap<String, Value>>,
}

impl Switches {
    pub(super) fn new(known: Known) -> Self {
        Self { known, set: Mutex::default() }
    }

    /// Sets a fault, or ends it: `null`, `false` and 0. Errors: there is none of this name.
    pub(super) fn set(&self, name: &str, value: Value) -> Result<(), String> {
        if !self.known.iter().any(|(known, _)| *known == name) {
            let names: Vec<&str> = self.known.iter().map(|(known, _)| *known).collect();
            return Err(format!("no fault `{name}`; known are {}", names.join(", ")));
        }
        let is_off = value.is_null() || value == false || value.as_f64() == Some(0.0) || value == "";
        let mut set = self.set.lock();
        if is_off {
            set.remove(name);
        } else {
            set.insert(name.to_owned(), value);
        }
        Ok(())
    }

    /// Ends a fault.
    pub(super) fn end(&self, name: &str) {
        self.set.lock().remove(name);
    }

    /// Returns every fault with what it does, and its value where it is set.
    pub(super) fn all(&self) -> Value {
        let set = self.set.lock();
        let told = self.known.iter().map(|(name, does)| {
            let value = set.get(*name).cloned().unwrap_or_default();
            ((*name).to_owned(), json!({"does": does, "value": value}))
        });
        Value::Object(told.collect())
    }

    /// Tells whether a fault is set.
    pub(super) fn is(&self, name: &str) -> bool {
        self.set.lock().contains_key(name)
    }

    /// Returns a fault's number.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.set.lock().get(name).and_then(Value::as_f64)
    }

    /// Returns a fault's text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.set.lock().get(name).and_then(Value::as_str).map(str::to_owned)
    }

    /// Tells whether a fault happens now; one that is set to a number happens so many times.
    pub(super) fn take(&self, name: &str) -> bool {
        let mut set = self.set.lock();
        let Some(value) = set.get_mut(name) else { return false };
        match value.as_u64() {
            Some(0 | 1) => drop(set.remove(name)),
            Some(left) => *value = json!(left - 1),
            None => {}
        }
        true
    }

    /// Tells whether faults happen to a request now: `only` may name a text that it must hold.
    pub(super) fn fits(&self, request: &str) -> bool {
        self.text("only").is_none_or(|only| request.contains(&only))
    }

    /// Tells whether a fault happens now to a request.
    pub(super) fn take_on(&self, name: &str, request: &str) -> bool {
        self.fits(request) && self.take(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_with_a_number_happens_so_often() {
        let faults = Switches::new(&[("only", ""), ("cut_after", ""), ("html_500", "")]);
        faults.set("cut_after", json!(2)).unwrap();
        faults.set("only", json!("/actions")).unwrap();
        assert!(!faults.take_on("cut_after", "/status"));
        let taken: Vec<bool> = (0..3).map(|_| faults.take_on("cut_after", "/session/1/actions")).collect();
        assert_eq!(taken, [true, true, false]);
        faults.set("html_500", json!(true)).unwrap();
        assert!(faults.take("html_500") && faults.take("html_500"));
        assert!(faults.set("no such", json!(1)).unwrap_err().contains("html_500"));
        faults.set("html_500", json!(false)).unwrap();
        assert!(!faults.is("html_500"));
    }
}
