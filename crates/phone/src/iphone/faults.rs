//! What a test wishes to go wrong: switches with names, set at the start or while the phone runs (`POST /uixt/faults`).

use std::collections::BTreeMap;

use parking_lot::Mutex;
use serde_json::{Value, json};

/// Each fault and what it does.
const KNOWN: [(&str, &str); 33] = [
    ("only", "text: faults of answers touch only requests whose path holds it"),
    ("session_lost", "true or how often: the session ends before the request, as if another client had begun one"),
    (
        "session_forgotten",
        "true or how often: the session is forgotten before the request, as by a restart of WDA; its app goes on",
    ),
    ("not_running", "true: usbmuxd refuses connections to WDA, as where it does not run"),
    ("dead", "true: connections are taken and closed without an answer, as a forwarder does whose WDA has died"),
    ("cut_before", "true or how often: the connection ends before the request is carried out"),
    ("cut_after", "true or how often: the request is carried out, and the connection ends without an answer"),
    ("delay_ms", "number: each answer comes so many milliseconds late"),
    ("screenshot_timeout", "true or how often: a screenshot fails with `unable to capture screen`"),
    ("screenshot_timeout_ms", "number: how long a screenshot that fails takes; WDA takes 20000"),
    ("screenshot_stale", "true: screenshots stay as the first one after this was set"),
    ("ax_error_above", "number: sources and finds fail (kAXErrorIllegalArgument) where snapshotMaxDepth is above it"),
    ("deep_tree", "number: so many more elements lie around each page"),
    ("never_idle_s", "number: each command on an app takes so many seconds, or waitForIdleTimeout where that is less"),
    ("locked", "true: the phone is locked; it stays so until the fault ends and it is unlocked"),
    ("system_alert", "text: the system shows an alert that says so, over every app"),
    ("typing_cut", "number: where more characters a second are typed, every third one is lost"),
    ("typing_doubled", "number: where more characters a second are typed, every third one comes twice"),
    ("autocorrect", "true: what is typed begins with a capital letter, unless keyboardAutocorrection is false"),
    ("crash", "true or how often: the app in front ends before the request"),
    ("no_json_source", "true: sources as JSON are no route (404)"),
    ("html_500", "true or how often: the answer is a page of HTML with status 500"),
    ("truncated", "true or how often: the answer ends in its middle, with the connection"),
    ("not_json", "true or how often: the answer is no JSON"),
    ("huge_source", "number: a source has so many more bytes"),
    ("wrong_length", "number: Content-Length is so much too large, or too small where negative"),
    ("visible_wrong", "true: texts and pictures on the screen are told as not visible"),
    ("stale_rects", "true: what lies within cells is told at y = -527"),
    ("landscape_swapped", "true: in landscape, width and height of frames are swapped"),
    ("taps_missed", "true or how often: a touch is answered as done and does nothing"),
    ("tap_throws", "true or how often: a touch fails with `point.x != INFINITY && point.y != INFINITY`"),
    ("no_keyboard", "true: a hardware keyboard hides that on the screen"),
    ("slow_act_ms", "number: touches and texts take so many milliseconds before they are done"),
];

/// The faults that are set.
#[derive(Default)]
pub(super) struct Faults(Mutex<BTreeMap<String, Value>>);

impl Faults {
    /// Sets a fault, or ends it: `null`, `false` and 0. Errors: there is none of this name.
    pub(super) fn set(&self, name: &str, value: Value) -> Result<(), String> {
        if !KNOWN.iter().any(|(known, _)| *known == name) {
            return Err(format!("no fault `{name}`; GET /uixt/faults names them"));
        }
        let is_off = value.is_null() || value == false || value.as_f64() == Some(0.0) || value == "";
        let mut set = self.0.lock();
        if is_off {
            set.remove(name);
        } else {
            set.insert(name.to_owned(), value);
        }
        Ok(())
    }

    /// Returns every fault with what it does, and its value where it is set.
    pub(super) fn all(&self) -> Value {
        let set = self.0.lock();
        let told = KNOWN.iter().map(|(name, does)| {
            let value = set.get(*name).cloned().unwrap_or_default();
            ((*name).to_owned(), json!({"does": does, "value": value}))
        });
        Value::Object(told.collect())
    }

    /// Tells whether a fault is set.
    pub(super) fn is(&self, name: &str) -> bool {
        self.0.lock().contains_key(name)
    }

    /// Returns a fault's number.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.0.lock().get(name).and_then(Value::as_f64)
    }

    /// Returns a fault's text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.0.lock().get(name).and_then(Value::as_str).map(str::to_owned)
    }

    /// Tells whether a fault happens now; one that is set to a number happens so many times.
    pub(super) fn take(&self, name: &str) -> bool {
        let mut set = self.0.lock();
        let Some(value) = set.get_mut(name) else { return false };
        match value.as_u64() {
            Some(0 | 1) => drop(set.remove(name)),
            Some(left) => *value = json!(left - 1),
            None => {}
        }
        true
    }

    /// Tells whether a fault happens now to a request of this path.
    pub(super) fn take_on(&self, name: &str, path: &str) -> bool {
        let fits = self.text("only").is_none_or(|only| path.contains(&only));
        fits && self.take(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_with_a_number_happens_so_often() {
        let faults = Faults::default();
        faults.set("cut_after", json!(2)).unwrap();
        faults.set("only", json!("/actions")).unwrap();
        assert!(!faults.take_on("cut_after", "/status"));
        let taken: Vec<bool> = (0..3).map(|_| faults.take_on("cut_after", "/session/1/actions")).collect();
        assert_eq!(taken, [true, true, false]);
        faults.set("html_500", json!(true)).unwrap();
        assert!(faults.take("html_500") && faults.take("html_500"));
        assert!(faults.set("no such", json!(1)).is_err());
        faults.set("html_500", json!(false)).unwrap();
        assert!(!faults.is("html_500"));
    }
}
