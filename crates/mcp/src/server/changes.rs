//! Which devices were acted on, told to every session of the process: what one session does, another's subscriber wants to know.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::sync::broadcast;
use uixt_call::{Boxed, Call, CallToolRequest, CallToolResult, Caller, Table, ToolDefinition};

use super::session_log::Device;

/// Changes that a session may be late by before it is told that anything may have changed.
const KEPT: usize = 256;

/// The devices that change, as they do.
pub struct Changes {
    table: &'static Table,
    sender: broadcast::Sender<Change>,
    next: AtomicU64,
}

/// One call that may have changed a screen.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Change {
    pub device: Device,
    /// The number of the session that did it; 0 for none.
    pub by: u64,
}

impl Changes {
    /// Tells of the tools of a table which of them change anything.
    pub fn of(table: &'static Table) -> Self {
        Self { table, sender: broadcast::Sender::new(KEPT), next: AtomicU64::new(1) }
    }

    /// Numbers a session.
    pub(super) fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn tell(&self, device: Device, by: u64) {
        // Nobody may listen.
        let _ = self.sender.send(Change { device, by });
    }

    pub(super) fn follow(&self) -> broadcast::Receiver<Change> {
        self.sender.subscribe()
    }

    /// Tells of the calls that a caller answers for nobody's session.
    pub fn around(self: &Arc<Self>, caller: Arc<dyn Caller>) -> Arc<dyn Caller> {
        Arc::new(Telling { caller, changes: Arc::clone(self) })
    }
}

/// A session among those that tell each other.
#[derive(Default)]
pub(super) struct Origin(OnceLock<(Arc<Changes>, u64)>);

impl Origin {
    /// Joins others.
    pub(super) fn join(&self, changes: Arc<Changes>) {
        let number = changes.number();
        let _ = self.0.set((changes, number));
    }

    pub(super) fn tell(&self, device: Device) {
        if let Some((changes, number)) = self.0.get() {
            changes.tell(device, *number);
        }
    }

    /// Returns what others do, and the number by which the session's own doings are known.
    pub(super) fn follow(&self) -> Option<(broadcast::Receiver<Change>, u64)> {
        self.0.get().map(|(changes, number)| (changes.follow(), *number))
    }
}

/// Tells whether a call may have changed a screen; one of no row, such as of a project's tool, where it went to a device.
pub(super) fn changes(table: &Table, tool: &str, device: Option<&Device>) -> bool {
    table.find(tool).map_or(device.is_some(), |tool| tool.uses_devices && !tool.read_only)
}

struct Telling {
    caller: Arc<dyn Caller>,
    changes: Arc<Changes>,
}

impl Caller for Telling {
    fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
        self.caller.list()
    }

    fn call(&self, request: CallToolRequest, call: Call) -> Boxed<'_, CallToolResult> {
        Box::pin(async move {
            let name = request.name.clone();
            let result = self.caller.call(request, call).await;
            if let Some(device) = result.device().filter(|device| changes(self.changes.table, &name, Some(device))) {
                self.changes.tell(device, 0);
            }
            result
        })
    }

    fn inner(&self) -> Option<&dyn Caller> {
        Some(&*self.caller)
    }
}
