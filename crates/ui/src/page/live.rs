//! One open page: what it asks for and what it is told, over a WebSocket, in JSON.
//!
//! A page says `{type: open, id}`, `{type: list}`, `{type: close, id}` for what it shows, and a [`Change`] for what its user does. It is told `view` (all there is), `patch` (the
//! difference from one version to another, RFC 6902), `gone`, and for each `seq` either `done` with the version in which it is, or
//! `refused` with the error.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{broadcast, mpsc};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::change::Change;
use super::hub::{Hub, Topic, message};
use super::{Pages, files};
use crate::Error;

/// Bytes of what a page says at once.
const LARGEST: usize = 2 << 20;
/// What a page shows at once: itself and the components in it.
const MOST: usize = 100;
/// Messages on their way to a page; one that takes none for so long is left.
const WAITING: usize = 256;
const PATIENCE: Duration = Duration::from_secs(30);
/// How often a page is told that the server is there.
const HERE: Duration = Duration::from_secs(15);

pub(super) async fn open(State(pages): State<Arc<Pages>>, upgrade: WebSocketUpgrade) -> Response {
    let hub = match pages.hub() {
        Ok(hub) => Arc::clone(hub),
        Err(error) => return files::failed(&error),
    };
    let upgrade = upgrade.max_message_size(LARGEST).max_frame_size(LARGEST);
    upgrade.on_upgrade(move |socket| pages.sockets.track_future(serve(hub, socket, pages.closing.clone())))
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Said {
    List,
    Open {
        id: String,
    },
    Close {
        id: String,
    },
    #[serde(untagged)]
    Change(Change),
}

/// What is told to one page.
#[derive(Clone)]
struct Page {
    hub: Arc<Hub>,
    out: mpsc::Sender<Utf8Bytes>,
    closing: CancellationToken,
}

async fn serve(hub: Arc<Hub>, socket: WebSocket, closing: CancellationToken) {
    let (sink, stream) = socket.split();
    let (out, told) = mpsc::channel(WAITING);
    let page = Page { hub, out, closing };
    tokio::select! {
        () = tell(sink, told) => {}
        () = hear(page, stream) => {}
    }
}

/// Sends what there is to tell; ends where the page takes nothing any more. Once nobody has anything to tell, it says goodbye, and
/// the page is heard until it does, too.
async fn tell(mut sink: SplitSink<WebSocket, Message>, mut told: mpsc::Receiver<Utf8Bytes>) {
    let here = message(&json!({"type": "here"}));
    let mut next = Instant::now() + HERE;
    loop {
        let text = tokio::select! {
            text = told.recv() => match text {
                Some(text) => text,
                None => break,
            },
            () = tokio::time::sleep_until(next) => here.clone(),
        };
        next = Instant::now() + HERE;
        let sent = tokio::time::timeout(PATIENCE, sink.send(Message::Text(text))).await;
        if !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
    if matches!(tokio::time::timeout(PATIENCE, sink.send(Message::Close(None))).await, Ok(Ok(()))) {
        tokio::time::sleep(PATIENCE).await;
    }
}

/// Hears what a page says, until it is closed. What it asks to be done is done one after the other, so that edits stay in order.
async fn hear(page: Page, mut stream: SplitStream<WebSocket>) {
    let mut open: HashMap<Topic, JoinHandle<()>> = HashMap::new();
    let closing = page.closing.clone();
    // Nobody tells it anything any more where this is none.
    let mut page = Some(page);
    loop {
        let heard = tokio::select! {
            heard = stream.next() => heard,
            () = closing.cancelled(), if page.is_some() => {
                page = None;
                continue;
            }
        };
        let Some(Ok(message)) = heard else { break };
        let (Message::Text(text), Some(page)) = (message, &page) else { continue };
        let said = match serde_json::from_str::<Said>(&text) {
            Ok(said) => said,
            Err(error) => {
                page.refuse(json!({"code": "INVALID_MESSAGE", "message": error.to_string()})).await;
                continue;
            }
        };
        open.retain(|_, following| !following.is_finished());
        match said {
            Said::List => page.follow(Topic::List, &mut open).await,
            Said::Open { id } => page.follow(Topic::Instance(id), &mut open).await,
            Said::Close { id } => {
                if let Some(following) = open.remove(&Topic::Instance(id)) {
                    following.abort();
                }
            }
            Said::Change(change) if change.may_take_long() => {
                let page = page.clone();
                tokio::spawn(async move { page.say(&change.made(&page.hub.ui).await).await });
            }
            Said::Change(change) => page.say(&change.made(&page.hub.ui).await).await,
        }
    }
    open.into_values().for_each(|following| following.abort());
}

impl Page {
    async fn say(&self, value: &Value) {
        // Whoever is gone hears nothing.
        let _ = self.out.send(message(value)).await;
    }

    /// Says why something was not done that has no number.
    async fn refuse(&self, error: Value) {
        self.say(&json!({"type": "refused", "seq": null, "error": error})).await;
    }

    /// Tells all there is of a topic, and from then on what changes.
    async fn follow(&self, topic: Topic, open: &mut HashMap<Topic, JoinHandle<()>>) {
        if open.len() >= MOST && !open.contains_key(&topic) {
            let error = Error::TooLarge(format!("a page shows at most {MOST} instances"));
            return self.refuse(error.to_json()).await;
        }
        let channel = match self.hub.channel(topic.clone()).await {
            Ok(channel) => channel,
            Err(error) => return self.refuse(error.to_json()).await,
        };
        let out = self.out.clone();
        let closing = self.closing.clone();
        let following = tokio::spawn(async move {
            loop {
                let (whole, mut pushes) = channel.join();
                if out.send(whole).await.is_err() {
                    return;
                }
                loop {
                    let pushed = tokio::select! {
                        biased;
                        pushed = pushes.recv() => pushed,
                        () = closing.cancelled() => return,
                    };
                    match pushed {
                        Ok(text) => {
                            if out.send(text).await.is_err() {
                                return;
                            }
                        }
                        // It is shown everything anew.
                        Err(broadcast::error::RecvError::Lagged(_)) => break,
                        Err(broadcast::error::RecvError::Closed) => return,
                    }
                }
            }
        });
        if let Some(before) = open.insert(topic, following) {
            before.abort();
        }
    }
}
