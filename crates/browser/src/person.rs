//! What is known of a window that a person acts in: where the script that keeps their acts from pages runs, and whether what happens is ours.
//!
//! Sends nothing itself: events go to whoever follows the person.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use tokio::sync::mpsc;

use super::connection::Event;
use super::tabs::{WORLD, text};

/// Events that tell of a person.
const HEARD: [&str; 8] = [
    "Runtime.bindingCalled",
    "Page.javascriptDialogOpening",
    "Page.javascriptDialogClosed",
    "Page.frameRequestedNavigation",
    "Page.frameStartedNavigating",
    "Page.frameNavigated",
    "Target.attachedToTarget",
    "Target.detachedFromTarget",
];

/// An event, and whether it came of what we do.
pub(super) type Heard = (Event, bool);

#[derive(Clone, Default)]
pub(super) struct Person {
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    to: Mutex<Option<mpsc::UnboundedSender<Heard>>>,
    /// The frame that each of our worlds is in, by its session and number.
    worlds: Mutex<HashMap<(String, i64), String>>,
    /// How many navigations and answers of ours are under way.
    ours: AtomicUsize,
}

/// Something of ours is under way as long as this is held.
pub(super) struct Ours<'a>(&'a AtomicUsize);

impl Drop for Ours<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Person {
    /// Says that what happens comes of what we do.
    pub(super) fn ours(&self) -> Ours<'_> {
        self.inner.ours.fetch_add(1, Ordering::SeqCst);
        Ours(&self.inner.ours)
    }

    /// Begins to tell of events.
    pub(super) fn listen(&self) -> mpsc::UnboundedReceiver<Heard> {
        let (to, events) = mpsc::unbounded_channel();
        *self.inner.to.lock() = Some(to);
        events
    }

    /// Tells whether somebody follows the person.
    pub(super) fn is_followed(&self) -> bool {
        self.inner.to.lock().as_ref().is_some_and(|to| !to.is_closed())
    }

    /// Returns the frame that a world of ours is in.
    pub(super) fn frame(&self, session: &str, world: i64) -> Option<String> {
        self.inner.worlds.lock().get(&(session.to_owned(), world)).cloned()
    }

    pub(super) fn worlds(&self) -> Vec<(String, i64)> {
        self.inner.worlds.lock().keys().cloned().collect()
    }

    /// Takes in an event.
    pub(super) fn take(&self, event: &Event) {
        let (method, params) = (event.method.as_str(), &event.params);
        let mut worlds = self.inner.worlds.lock();
        match (method, &event.session) {
            ("Runtime.executionContextCreated", Some(session)) if params["context"]["name"] == WORLD => {
                let frame = text(&params["context"]["auxData"], "frameId").to_owned();
                worlds.insert((session.clone(), params["context"]["id"].as_i64().unwrap_or_default()), frame);
            }
            ("Runtime.executionContextDestroyed", Some(session)) => {
                worlds.remove(&(session.clone(), params["executionContextId"].as_i64().unwrap_or_default()));
            }
            ("Runtime.executionContextsCleared", Some(session)) => worlds.retain(|(known, _), _| known != session),
            ("Target.detachedFromTarget", _) => worlds.retain(|(known, _), _| known != text(params, "sessionId")),
            _ => {}
        }
        drop(worlds);
        if HEARD.contains(&method)
            && let Some(to) = &*self.inner.to.lock()
        {
            // Whoever followed has just gone.
            let _ = to.send((event.clone(), self.inner.ours.load(Ordering::SeqCst) > 0));
        }
    }
}
