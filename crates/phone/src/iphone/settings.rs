//! What is kept of a session, and its settings as they are when it begins. Source: `FBSession`, `FBSettings`, `FBConfiguration`.

use std::collections::VecDeque;

use serde_json::{Map, Value};

/// Elements that a session knows at most.
const ELEMENTS: usize = 1024;
/// A client's session.
pub(super) struct Session {
    pub(super) id: String,
    /// The app that it is tied to, by the phone's name.
    pub(super) tested: Option<String>,
    /// Whether that is to run: it was neither ended by a request nor never begun.
    pub(super) expects_app: bool,
    /// Whether it ends with the session.
    pub(super) ends_app: bool,
    pub(super) settings: Map<String, Value>,
    /// What was found, the newest last.
    pub(super) elements: VecDeque<String>,
}

impl Session {
    /// Keeps an element's id; the oldest goes where there are too many.
    pub(super) fn keep(&mut self, id: String) {
        self.elements.retain(|known| *known != id);
        if self.elements.len() >= ELEMENTS {
            self.elements.pop_front();
        }
        self.elements.push_back(id);
    }
}

/// Settings as they are when a session begins.
pub(super) const DEFAULTS: [(&str, &str); 33] = [
    ("acceptAlertButtonSelector", "\"\""),
    ("activeAppDetectionPoint", "\"64.00,64.00\""),
    ("animationCoolOffTimeout", "2"),
    ("autoClickAlertSelector", "\"\""),
    ("boundElementsByIndex", "false"),
    ("defaultActiveApplication", "\"auto\""),
    ("defaultAlertAction", "\"\""),
    ("dismissAlertButtonSelector", "\"\""),
    ("elementResponseAttributes", "\"type,label\""),
    ("enforceCustomSnapshots", "false"),
    ("includeCustomActionsInPageSource", "false"),
    ("includeHittableInPageSource", "false"),
    ("includeMinMaxValueInPageSource", "false"),
    ("includeNativeAccessibilityElementInPageSource", "false"),
    ("includeNativeFrameInPageSource", "false"),
    ("keyboardAutocorrection", "true"),
    ("keyboardPrediction", "true"),
    ("limitXPathContextScope", "true"),
    ("maxTypingFrequency", "60"),
    ("mjpegFixOrientation", "false"),
    ("mjpegScalingFactor", "100"),
    ("mjpegServerFramerate", "10"),
    ("mjpegServerScreenshotQuality", "25"),
    ("reduceMotion", "false"),
    ("respectSystemAlerts", "false"),
    ("screenshotOrientation", "\"auto\""),
    ("screenshotQuality", "3"),
    ("shouldUseCompactResponses", "true"),
    ("snapshotMaxChildren", "2147483647"),
    ("snapshotMaxDepth", "50"),
    ("useClearTextShortcut", "true"),
    ("useFirstMatch", "false"),
    ("waitForIdleTimeout", "10"),
];

/// Returns what a setting is until somebody sets it; null where there is none of the name.
pub(super) fn default_of(name: &str) -> Value {
    let found = DEFAULTS.iter().find(|(known, _)| *known == name);
    found.and_then(|(_, value)| serde_json::from_str(value).ok()).unwrap_or_default()
}
