//! What was done last to a device, until it is told what came of it.

use std::time::Instant;

use crate::result::Place;

/// What was done last to a device.
pub(super) struct LastAct {
    pub(super) step: u32,
    pub(super) tool: String,
    pub(super) place: Place,
    pub(super) began: Instant,
    /// Whether what pops up beside it is to be closed.
    pub(super) closes_popups: bool,
    /// Whether it says what the page's server must answer, so that an error of it is what is wanted.
    pub(super) expects_status: bool,
}

impl LastAct {
    /// Tells whether a fault of the page is what the act asked for.
    pub(super) fn wanted(&self, fault: &str) -> bool {
        self.expects_status && (fault.starts_with("request: ") || fault.starts_with("navigation: "))
    }
}
