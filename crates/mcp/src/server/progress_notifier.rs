//! How far a call is → progress notifications, for a client that gave a token: never more often than it can use, never backwards,
//! none once the call is answered.

use std::time::Duration;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RoleServer};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use uixt_call::{Advance, Progress};

use super::provider::Asked;

/// The least time between two notifications.
const APART: Duration = Duration::from_millis(250);

/// Tells of one call; ended before its answer is sent.
pub(super) struct ProgressNotifier {
    newest: watch::Sender<Option<Advance>>,
    task: JoinHandle<()>,
}

impl ProgressNotifier {
    /// Begins to tell a client that wants to know.
    pub(super) fn of(asked: &Asked) -> Option<Self> {
        let token = asked.meta.get_progress_token()?;
        let (newest, seen) = watch::channel(None);
        let task = tokio::spawn(tell(asked.peer.clone(), token, seen));
        Some(Self { newest, task })
    }

    /// Returns what the call tells its progress to.
    pub(super) fn progress(&self) -> Progress {
        let newest = self.newest.clone();
        Progress::to(move |advance| drop(newest.send_replace(Some(advance))))
    }

    /// Says nothing more. What is on its way is sent first, so that nothing follows the answer.
    pub(super) async fn end(self) {
        let Self { newest, task } = self;
        drop(newest);
        let _ = task.await;
    }
}

/// Sends the newest again and again, until nobody can tell anything more.
async fn tell(peer: Peer<RoleServer>, token: ProgressToken, mut seen: watch::Receiver<Option<Advance>>) {
    let mut last = -1.0;
    while seen.changed().await.is_ok() {
        let Some(advance) = seen.borrow_and_update().clone().filter(|advance| advance.done > last) else { continue };
        last = advance.done;
        let message = ProgressNotificationParam::new(token.clone(), rounded(advance.done));
        let message = match advance.total {
            Some(total) => message.with_total(rounded(total)),
            None => message,
        };
        let message = match advance.message {
            text if text.is_empty() => message,
            text => message.with_message(text),
        };
        if peer.notify_progress(message).await.is_err() {
            return;
        }
        let mut ahead = seen.clone();
        tokio::select! {
            () = tokio::time::sleep(APART) => {}
            () = gone(&mut ahead) => return,
        }
    }
}

/// Waits until nobody can tell anything more.
async fn gone(seen: &mut watch::Receiver<Option<Advance>>) {
    while seen.changed().await.is_ok() {}
}

/// Returns hundredths, which is as much as anybody reads.
fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}
