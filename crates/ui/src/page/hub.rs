//! Changes of instances → what open pages are pushed: for each instance one difference to what they show, made once for all of them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use axum::extract::ws::Utf8Bytes;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::view;
use crate::service::apart;
use crate::{Error, Ui};

/// The least time between two pushes: what changes faster comes together.
const APART: Duration = Duration::from_millis(16);
/// The same of the list, for which every instance is read.
const LIST_APART: Duration = Duration::from_millis(500);
/// Pushes that a page may lag behind until it is shown everything anew.
const BEHIND: usize = 64;

/// What pages are open, and what they show.
pub(super) struct Hub {
    pub(super) ui: Arc<Ui>,
    topics: Mutex<HashMap<Topic, Weak<Channel>>>,
    is_watched: AtomicBool,
    /// Whether something was changed since the list was pushed.
    list_is_old: AtomicBool,
}

/// What a page shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Topic {
    List,
    Instance(String),
}

/// What all pages of a topic are told.
pub(super) struct Channel {
    topic: Topic,
    shown: Mutex<Shown>,
    sender: broadcast::Sender<Utf8Bytes>,
}

/// What was pushed last; no view where there is no such instance.
struct Shown {
    version: u64,
    view: Option<Value>,
}

impl Hub {
    pub(super) fn new(ui: Arc<Ui>) -> Arc<Self> {
        Arc::new(Self {
            ui,
            topics: Mutex::default(),
            is_watched: AtomicBool::new(false),
            list_is_old: AtomicBool::new(false),
        })
    }

    /// Watches the store as long as a page is open.
    fn watch(self: &Arc<Self>) {
        if self.is_watched.swap(true, Ordering::SeqCst) {
            return;
        }
        let (hub, mut changes) = (Arc::clone(self), self.ui.changes());
        tokio::spawn(async move {
            let mut list_at = Instant::now();
            while hub.has_pages() {
                let is_changed = tokio::time::timeout(LIST_APART, changes.next()).await.is_ok();
                hub.list_is_old.fetch_or(is_changed, Ordering::Relaxed);
                let is_list = list_at.elapsed() >= LIST_APART && hub.list_is_old.swap(false, Ordering::Relaxed);
                if is_list {
                    list_at = Instant::now();
                }
                if is_changed || is_list {
                    hub.push(is_list).await;
                }
                tokio::time::sleep(APART).await;
            }
        });
    }

    /// Tells whether a page is open; where none is, nobody watches from now on.
    fn has_pages(&self) -> bool {
        let mut topics = self.topics.lock();
        topics.retain(|_, channel| channel.strong_count() > 0);
        if topics.is_empty() {
            self.is_watched.store(false, Ordering::SeqCst);
        }
        !topics.is_empty()
    }

    /// Returns what a page that shows this is told from now on.
    pub(super) async fn channel(self: &Arc<Self>, topic: Topic) -> Result<Arc<Channel>, Error> {
        if let Some(channel) = self.topics.lock().get(&topic).and_then(Weak::upgrade) {
            return Ok(channel);
        }
        let (hub, asked) = (Arc::clone(self), topic.clone());
        let shown = apart(move || hub.read(&asked)).await?;
        let mut topics = self.topics.lock();
        topics.retain(|_, channel| channel.strong_count() > 0);
        // Somebody else may have been faster.
        if let Some(channel) = topics.get(&topic).and_then(Weak::upgrade) {
            return Ok(channel);
        }
        let channel = Channel { topic: topic.clone(), shown: Mutex::new(shown), sender: broadcast::channel(BEHIND).0 };
        let channel = Arc::new(channel);
        topics.insert(topic, Arc::downgrade(&channel));
        drop(topics);
        self.watch();
        // What changed between the look and now is pushed like anything else.
        let hub = Arc::clone(self);
        tokio::spawn(async move { hub.push(true).await });
        Ok(channel)
    }

    /// Tells every page what changed; those of the list where that is asked for.
    pub(super) async fn push(self: &Arc<Self>, with_list: bool) {
        let mut channels: Vec<Arc<Channel>> = self.topics.lock().values().filter_map(Weak::upgrade).collect();
        channels.retain(|channel| with_list || channel.topic != Topic::List);
        let hub = Arc::clone(self);
        let pushed = apart(move || channels.iter().try_for_each(|channel| channel.push(&hub)));
        if let Err(error) = pushed.await {
            eprintln!("UI instances: {error}");
        }
    }

    fn read(&self, topic: &Topic) -> Result<Shown, Error> {
        match topic {
            Topic::List => {
                let list = self.ui.list()?;
                Ok(Shown { version: 0, view: Some(view::list(&list)) })
            }
            Topic::Instance(id) => match self.ui.get(id) {
                Ok(now) => Ok(Shown { version: now.version, view: Some(view::of(&now.instance)) }),
                Err(error) if error.code() == "INVALID_INSTANCE" => Ok(Shown { version: 0, view: None }),
                Err(error) => Err(error),
            },
        }
    }

    /// Tells whether a topic is another than what was shown, without reading more than is needed.
    fn is_old(&self, topic: &Topic, shown: &Shown) -> Result<bool, Error> {
        match topic {
            Topic::List => Ok(true),
            Topic::Instance(id) => {
                let version = self.ui.version(id)?;
                Ok(version != shown.view.as_ref().map(|_| shown.version))
            }
        }
    }
}

impl Channel {
    /// Returns all that is shown now, and what comes after it.
    pub(super) fn join(&self) -> (Utf8Bytes, broadcast::Receiver<Utf8Bytes>) {
        let shown = self.shown.lock();
        (self.whole(&shown), self.sender.subscribe())
    }

    /// Returns the same as data.
    pub(super) fn shown_with_pushes(&self) -> (Value, broadcast::Receiver<Utf8Bytes>) {
        let shown = self.shown.lock();
        (self.told(&shown), self.sender.subscribe())
    }

    fn id(&self) -> Option<&str> {
        match &self.topic {
            Topic::List => None,
            Topic::Instance(id) => Some(id),
        }
    }

    fn told(&self, shown: &Shown) -> Value {
        match &shown.view {
            Some(view) => json!({"type": "view", "id": self.id(), "version": shown.version, "view": view}),
            None => json!({"type": "gone", "id": self.id(), "version": 0}),
        }
    }

    fn whole(&self, shown: &Shown) -> Utf8Bytes {
        message(&self.told(shown))
    }

    fn push(&self, hub: &Hub) -> Result<(), Error> {
        let mut shown = self.shown.lock();
        if !hub.is_old(&self.topic, &shown)? {
            return Ok(());
        }
        let now = hub.read(&self.topic)?;
        let text = match (&shown.view, &now.view) {
            (Some(before), Some(after)) => {
                let patch = json_patch::diff(before, after);
                // A version that changed nothing that is seen is told, too: somebody may wait for it.
                if patch.0.is_empty() && now.version == shown.version {
                    return Ok(());
                }
                message(
                    &json!({"type": "patch", "id": self.id(), "from": shown.version, "version": now.version, "patch": patch}),
                )
            }
            (None, None) => return Ok(()),
            _ => self.whole(&now),
        };
        *shown = now;
        // Nobody may be there to hear it.
        let _ = self.sender.send(text);
        Ok(())
    }
}

pub(super) fn message(value: &Value) -> Utf8Bytes {
    value.to_string().into()
}
