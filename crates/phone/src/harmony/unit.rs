//! What a Harmony phone keeps beside the handset: its faults, what was really done, which `uitest` runs.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use super::super::counts::Counts;
use super::super::switches::Switches;
use super::faults::KNOWN;
use crate::jobs::Jobs;

/// Counted from the start on.
const NAMES: [&str; 17] = [
    "agent_calls",
    "clears",
    "commands",
    "dumps",
    "files",
    "installs",
    "keys",
    "launches",
    "links",
    "presses",
    "recordings",
    "screenshots",
    "terminations",
    "texts",
    "touches",
    "uninstalls",
    "wakes",
];

/// What only this face has.
pub(crate) struct Unit {
    pub(super) faults: Switches,
    pub(super) counts: Counts,
    /// Held by the `uitest` that runs.
    pub(super) turn: tokio::sync::Mutex<()>,
    /// The process of `uitest start-daemon singleness`, while it runs.
    daemon: Mutex<Option<u32>>,
    next_process: Mutex<u32>,
    /// The film that goes on.
    pub(super) film: tokio::sync::Mutex<Jobs>,
    /// Films by their names.
    pub(super) gallery: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl Default for Unit {
    fn default() -> Self {
        Self {
            faults: Switches::new(KNOWN),
            counts: Counts::new(&NAMES),
            turn: tokio::sync::Mutex::default(),
            daemon: Mutex::default(),
            next_process: Mutex::new(2101),
            film: tokio::sync::Mutex::default(),
            gallery: Mutex::default(),
        }
    }
}

impl Unit {
    /// Returns the process of the daemon that runs.
    pub(crate) fn daemon(&self) -> Option<u32> {
        *self.daemon.lock()
    }

    /// Starts the daemon, where it does not run.
    pub(super) fn start_daemon(&self) {
        let mut daemon = self.daemon.lock();
        if daemon.is_none() {
            let mut next = self.next_process.lock();
            *daemon = Some(*next);
            *next += 13;
        }
    }

    /// Ends the daemon; whether it was the process that is meant.
    pub(crate) fn end_daemon(&self, process: Option<u32>) -> bool {
        let mut daemon = self.daemon.lock();
        let is_meant = daemon.is_some() && (process.is_none() || *daemon == process);
        if is_meant {
            *daemon = None;
        }
        is_meant
    }

    /// Ends what a restart of the phone ends.
    pub(crate) fn restart(&self) {
        self.end_daemon(None);
    }
}
