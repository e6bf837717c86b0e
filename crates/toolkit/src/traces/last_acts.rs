//! When calls of a session did something, and to which device.

use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use uixt_call::ToolRow;
use uixt_driver::Driver;

use crate::State;

/// The devices that something was done to since somebody asked what came of it.
#[derive(Default)]
pub struct LastActs {
    acts: Mutex<Vec<LastAct>>,
    /// When the last call began that did something to a device and passed.
    done: Mutex<Option<Instant>>,
    /// When the last call ended that may have done something to a device.
    ended: Mutex<Option<Instant>>,
}

impl State for LastActs {}

/// The last that was done to a device.
pub struct LastAct {
    /// The device that it was done to.
    pub device: Arc<dyn Driver>,
    /// When that call ended, or began where it has not.
    pub(crate) at: Instant,
}

impl LastActs {
    /// Takes in that a call begins, and that it ends.
    pub(crate) fn note(&self, tool: &ToolRow, device: Option<&Arc<dyn Driver>>) {
        let Some(device) = device.filter(|_| !tool.read_only && tool.needs_device) else { return };
        let mut acts = self.acts.lock();
        acts.retain(|act| !Arc::ptr_eq(&act.device, device));
        acts.push(LastAct { device: Arc::clone(device), at: Instant::now() });
    }

    /// Takes in that a call passed that did something and began at a moment.
    pub(crate) fn done(&self, began: Instant) {
        *self.done.lock() = Some(began);
    }

    /// Takes in that a call ends.
    pub(crate) fn end(&self, tool: &ToolRow) {
        if tool.needs_device && !tool.read_only {
            *self.ended.lock() = Some(Instant::now());
        }
    }

    /// Returns when the last call ended that may have done something.
    pub(crate) fn last_ended(&self) -> Option<Instant> {
        *self.ended.lock()
    }

    /// Returns when the last call began that did something and passed.
    pub(crate) fn last_done(&self) -> Option<Instant> {
        *self.done.lock()
    }

    /// Takes out what nobody has asked for yet.
    pub fn take(&self) -> Vec<LastAct> {
        std::mem::take(&mut self.acts.lock())
    }
}
