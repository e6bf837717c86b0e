//! The tools of one server, for lists that wait for no server for long: what is known within a moment is listed, and who listed
//! before is told of what comes later.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::Instant;
use uixt_call::ToolDefinition;

use super::remote::Remote;

/// How long a list waits for a server.
const TIMEOUT: Duration = Duration::from_secs(2);

/// How long a server is not asked by a list that failed once, and at most; twice as long after each failure.
const PAUSE: Duration = Duration::from_secs(30);
const LONGEST_PAUSE: Duration = Duration::from_mins(10);

/// What is known of a server's tools.
pub(super) struct ToolListCache {
    remote: Arc<Remote>,
    known: Mutex<Known>,
    /// Whether the server is being asked.
    asking: watch::Sender<bool>,
    /// Grows with each change of what was listed, of whichever server.
    changes: Arc<watch::Sender<u64>>,
    was_warned_of: AtomicBool,
}

#[derive(Default)]
struct Known {
    tools: Vec<ToolDefinition>,
    was_listed: bool,
    asked_at: Option<Instant>,
    failures: u32,
    not_before: Option<Instant>,
    task: Option<AbortHandle>,
}

impl ToolListCache {
    pub(super) fn new(remote: Arc<Remote>, changes: Arc<watch::Sender<u64>>) -> Self {
        Self {
            remote,
            known: Mutex::default(),
            asking: watch::Sender::new(false),
            changes,
            was_warned_of: AtomicBool::new(false),
        }
    }

    pub(super) fn remote(&self) -> &Arc<Remote> {
        &self.remote
    }

    /// Returns the tools that are known once the server answered, or was asked for long enough.
    pub(super) async fn tools(self: &Arc<Self>) -> Vec<ToolDefinition> {
        self.ask();
        let asked_at = self.known.lock().asked_at;
        if let Some(asked_at) = asked_at {
            let mut asking = self.asking.subscribe();
            let _ = tokio::time::timeout_at(asked_at + TIMEOUT, asking.wait_for(|asking| !asking)).await;
        }
        let mut known = self.known.lock();
        known.was_listed = true;
        known.tools.clone()
    }

    /// Asks the server, unless it is being asked or failed a short while ago.
    fn ask(self: &Arc<Self>) {
        let mut known = self.known.lock();
        let now = Instant::now();
        if *self.asking.borrow() || known.not_before.is_some_and(|moment| now < moment) {
            return;
        }
        self.asking.send_replace(true);
        known.asked_at = Some(now);
        let tool_list = Arc::clone(self);
        known.task = Some(tokio::spawn(async move { tool_list.take_answer().await }).abort_handle());
    }

    async fn take_answer(&self) {
        let answer = self.remote.tools().await;
        let has_changed = {
            let mut known = self.known.lock();
            let tools = match answer {
                Ok(tools) => {
                    (known.failures, known.not_before) = (0, None);
                    tools
                }
                Err(error) => {
                    tracing::warn!("{error}: its tools are left out");
                    let pause = PAUSE * (1 << known.failures.min(10));
                    known.failures += 1;
                    known.not_before = Some(Instant::now() + pause.min(LONGEST_PAUSE));
                    Vec::new()
                }
            };
            let has_changed = known.was_listed && known.tools != tools;
            known.tools = tools;
            self.asking.send_replace(false);
            has_changed
        };
        if has_changed {
            self.changes.send_modify(|count| *count += 1);
        }
    }

    /// Takes in that the server answered a call: where its tools are not known, it is asked for them again.
    pub(super) fn answered(self: &Arc<Self>) {
        let had_failed = self.known.lock().not_before.take().is_some();
        if had_failed {
            self.ask();
        }
    }

    /// Warns of its names, where nobody was warned yet.
    pub(super) fn warn_once(&self, warning: &str) {
        if !self.was_warned_of.swap(true, Ordering::Relaxed) {
            tracing::warn!("{warning}");
        }
    }

    /// Asks no longer.
    pub(super) fn end(&self) {
        if let Some(task) = self.known.lock().task.take() {
            task.abort();
        }
    }
}
