//! Where a case stands that did not pass, and the place for it.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use uixt_call::Caller;

use super::case_id;
use crate::result::Device;
use crate::testcase::Scope;

/// A place for the one case that a run leaves as it stands: its last, where that does not pass.
#[derive(Default)]
pub struct PausedCaseSlot(Mutex<Option<PausedCase>>);

/// Where a case stands.
pub struct PausedCase {
    /// The case's id in the results.
    pub case: String,
    /// The step that did not pass, by its position among those of the testcase, from 0.
    pub step: usize,
    pub(super) scope: Scope,
    pub(super) caller: Arc<dyn Caller>,
    /// The devices that the config names, by their names.
    pub(super) devices: Arc<HashMap<String, Device>>,
}

impl PausedCase {
    /// Tells whether a case of a testcase, which its id names, stands here.
    pub fn is_of(&self, planned: &str) -> bool {
        case_id::parts(&self.case).is_some_and(|(of, _)| of == planned)
    }

    /// Ends the session, where nothing tidies up.
    pub fn end(self) {
        self.caller.end();
    }
}

impl std::fmt::Debug for PausedCaseSlot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let stand = self.0.lock();
        f.debug_tuple("PausedCaseSlot").field(&stand.as_ref().map(|stand| (&stand.case, stand.step))).finish()
    }
}

impl PausedCaseSlot {
    /// Returns the case that stands here, and its failed step, by its position from 0.
    pub fn case(&self) -> Option<(String, usize)> {
        self.0.lock().as_ref().map(|stand| (stand.case.clone(), stand.step))
    }

    /// Takes out what stands here.
    pub fn take(&self) -> Option<PausedCase> {
        self.0.lock().take()
    }

    /// Takes out what stands here of a case.
    pub(super) fn take_case(&self, id: &str) -> Option<PausedCase> {
        let mut place = self.0.lock();
        if place.as_ref().is_some_and(|stand| stand.case == id) { place.take() } else { None }
    }

    pub(super) fn put(&self, stand: PausedCase) {
        *self.0.lock() = Some(stand);
    }
}
