//! What a test wishes to go wrong: switches with names, set at the start or while the phone runs (`POST /uixt/faults`).

use super::super::switches::Known;

/// Each fault and what it does.
pub(super) const KNOWN: Known = &[
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
