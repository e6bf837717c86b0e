//! The server's life on one phone: whether it runs, and what it keeps of its client while it does.

use parking_lot::Mutex;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::search::Query;

/// The server's life on one phone.
#[derive(Default)]
pub(crate) struct Automator {
    running: Mutex<Option<Running>>,
}

/// What the server keeps of its client.
pub(super) struct Session {
    pub(super) id: String,
    pub(super) capabilities: Value,
    pub(super) settings: Map<String, Value>,
    /// How each element was found, by its id.
    pub(super) elements: Vec<(String, Query)>,
}

struct Running {
    /// Cancelled once it ends.
    over: CancellationToken,
    session: Option<Session>,
    /// Whether it ended by itself, rather than being ended.
    is_done: bool,
}

impl Automator {
    /// Starts it; `None` where it runs already, as Android lets one program see its windows at a time.
    pub(crate) fn start(&self) -> Option<CancellationToken> {
        let mut running = self.running.lock();
        if running.as_ref().is_some_and(|running| !running.over.is_cancelled()) {
            return None;
        }
        let over = CancellationToken::new();
        *running = Some(Running { over: over.clone(), session: None, is_done: false });
        Some(over)
    }

    /// Ends it from outside; whether it ran.
    pub(crate) fn kill(&self) -> bool {
        self.with(|running| running.over.cancel()).is_some()
    }

    /// Returns what is cancelled once it ends; `None` where it does not run.
    pub(crate) fn running(&self) -> Option<CancellationToken> {
        self.with(|running| running.over.clone())
    }

    /// Whether the one that ran last ended by itself.
    pub(crate) fn is_done(&self) -> bool {
        let running = self.running.lock();
        running.as_ref().is_some_and(|running| running.is_done)
    }

    /// Ends it by itself, as the end of its session does.
    pub(super) fn finish(&self) {
        self.with(|running| {
            running.is_done = true;
            running.over.cancel();
        });
    }

    /// Lets `act` use its session; `None` where there is none.
    pub(super) fn session<T>(&self, act: impl FnOnce(&mut Session) -> T) -> Option<T> {
        self.with(|running| running.session.as_mut().map(act)).flatten()
    }

    pub(super) fn set_session(&self, session: Option<Session>) {
        self.with(|running| running.session = session);
    }

    fn with<T>(&self, act: impl FnOnce(&mut Running) -> T) -> Option<T> {
        let mut running = self.running.lock();
        running.as_mut().filter(|running| !running.over.is_cancelled()).map(act)
    }
}
