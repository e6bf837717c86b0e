//! What is counted of what was really done on an iPhone.

/// Counted from the start on, so that a test sees what was never done.
pub(super) const NAMES: [&str; 12] = [
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
