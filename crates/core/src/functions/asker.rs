//! Who waits for calls: once nobody does any more, the call in progress is killed, and no other begins.

use std::sync::Arc;

use parking_lot::Mutex;

use super::process::Leader;

/// Somebody who waits for calls that are made one after the other. Dropping it ends them.
#[derive(Debug, Default)]
pub struct Asker(Asked);

/// What calls carry of the one who waits for them.
#[derive(Clone, Debug, Default)]
pub struct Asked(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    has_left: bool,
    /// What is to be killed when nobody waits any more.
    running: Option<Leader>,
}

impl Asker {
    /// Returns what is handed to the calls.
    pub fn asked(&self) -> Asked {
        self.0.clone()
    }
}

impl Drop for Asker {
    fn drop(&mut self) {
        let mut state = self.0.0.lock();
        state.has_left = true;
        if let Some(leader) = state.running {
            leader.kill();
        }
    }
}

impl Asked {
    pub(super) fn is_awaited(&self) -> bool {
        !self.0.lock().has_left
    }

    /// Notes which process answers; returns whether it is to be asked at all.
    pub(super) fn begin(&self, leader: Leader) -> bool {
        let mut state = self.0.lock();
        state.running = (!state.has_left).then_some(leader);
        !state.has_left
    }

    /// Notes that the process has answered, or does not; returns whether it was left alone all the while.
    pub(super) fn end(&self) -> bool {
        let mut state = self.0.lock();
        state.running = None;
        !state.has_left
    }
}
