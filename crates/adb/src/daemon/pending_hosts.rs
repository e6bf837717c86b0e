//! Who may stay connected to a device: hosts that have said who they are, so many; and others for a while. Nobody waits for
//! another one's end. Knows no packets.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// Hosts that are connected at the same time.
const HOSTS: usize = 32;
/// Connections at the same time whose host has not said who it is; the oldest makes way for the next.
const STRANGERS: usize = 64;

pub(super) struct PendingHosts {
    strangers: Mutex<Strangers>,
    places: Arc<Semaphore>,
}

#[derive(Default)]
struct Strangers {
    /// By their numbers, the oldest first.
    waiting: VecDeque<(u64, CancellationToken)>,
    last: u64,
}

/// A connection's right to be there.
pub(super) struct Entry {
    pending_hosts: Arc<PendingHosts>,
    number: u64,
    /// Cancelled when the stranger has to leave.
    leave: CancellationToken,
    place: Option<OwnedSemaphorePermit>,
}

impl PendingHosts {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self { strangers: Mutex::default(), places: Arc::new(Semaphore::new(HOSTS)) })
    }

    /// Lets a stranger in.
    pub(super) fn enter(self: &Arc<Self>) -> Entry {
        let leave = CancellationToken::new();
        let mut strangers = self.strangers.lock();
        if strangers.waiting.len() >= STRANGERS
            && let Some((_, oldest)) = strangers.waiting.pop_front()
        {
            tracing::warn!("{STRANGERS} connections have not said who they are; the oldest is closed");
            oldest.cancel();
        }
        strangers.last += 1;
        let number = strangers.last;
        strangers.waiting.push_back((number, leave.clone()));
        Entry { pending_hosts: self.clone(), number, leave, place: None }
    }
}

impl Entry {
    /// Returns what is cancelled when the connection has to make way.
    pub(super) fn leave(&self) -> CancellationToken {
        self.leave.clone()
    }

    /// Gives the host a place once it has said who it is. Fails where there is none.
    pub(super) fn identify(&mut self) -> io::Result<()> {
        if self.place.is_some() {
            return Ok(());
        }
        let full = || {
            tracing::warn!("{HOSTS} adb hosts are connected; the next is closed");
            io::Error::other("too many hosts are connected")
        };
        self.place = Some(self.pending_hosts.places.clone().try_acquire_owned().map_err(|_| full())?);
        self.forget();
        Ok(())
    }

    /// Is no stranger any more.
    fn forget(&self) {
        self.pending_hosts.strangers.lock().waiting.retain(|(number, _)| *number != self.number);
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.forget();
    }
}
