//! Commands of the Chrome DevTools Protocol → their answers, over a pipe or a web socket; events → whoever watches.
//!
//! Knows the protocol's envelopes only: numbers, sessions, answers, events. Source: chromedevtools.github.io/devtools-protocol.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// Largest message that is taken, in bytes.
const LARGEST: usize = 256 << 20;

/// The browser's words for a session that has come to its end.
const NO_SESSION: &str = "Session with given id not found.";

/// Why a command was not carried out.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Refusal {
    /// There is nobody at the other end any more.
    Gone,
    /// No answer came in time.
    Late(Duration),
    /// The browser's own words.
    Said(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone => f.write_str("it is gone"),
            Self::Late(after) => write!(f, "it did not answer within {} s", after.as_secs()),
            Self::Said(said) => f.write_str(said),
        }
    }
}

/// Something that happened in the browser.
#[derive(Clone)]
pub(super) struct Event {
    /// The session of the page that it happened in; none for the browser's own.
    pub(super) session: Option<String>,
    pub(super) method: String,
    pub(super) params: Value,
}

/// Is told of every event, in order, before any answer that came after it.
pub(super) type Watcher = Box<dyn Fn(Event) + Send + Sync>;

#[derive(Deserialize)]
struct Incoming {
    id: Option<u64>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    result: Option<Value>,
    error: Option<Said>,
    #[serde(rename = "sessionId")]
    session: Option<String>,
}

#[derive(Deserialize)]
struct Said {
    #[serde(default)]
    message: String,
}

/// A way to a browser; clones share it.
#[derive(Clone)]
pub(super) struct Connection {
    out: mpsc::UnboundedSender<String>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    last: AtomicU64,
    /// By their numbers; none once the other end is gone.
    waiting: Mutex<Option<Waiting>>,
    ended: Notify,
}

type Waiting = HashMap<u64, Asked>;

/// A command that was sent, until its answer comes.
struct Asked {
    session: Option<String>,
    answered: oneshot::Sender<Result<Value, Refusal>>,
}

impl Shared {
    fn take(&self, message: &[u8], watcher: &Watcher) {
        let Ok(incoming) = serde_json::from_slice::<Incoming>(message) else {
            tracing::warn!("the browser sent an invalid message: {} bytes", message.len());
            return;
        };
        match (incoming.id, incoming.method) {
            (Some(id), _) => {
                let waiting = self.waiting.lock().as_mut().and_then(|waiting| waiting.remove(&id));
                let answer = match incoming.error {
                    Some(said) => Err(Refusal::Said(said.message)),
                    None => Ok(incoming.result.unwrap_or_default()),
                };
                // Whoever asked may have given up.
                let _ = waiting.map(|waiting| waiting.answered.send(answer));
            }
            (None, Some(method)) => {
                let is_end = method == "Target.detachedFromTarget";
                let closed = incoming.params["sessionId"].as_str().filter(|_| is_end).map(str::to_owned);
                watcher(Event { session: incoming.session, method, params: incoming.params });
                if let Some(session) = closed {
                    self.close(&session);
                }
            }
            (None, None) => {}
        }
    }

    /// Answers all that wait in a session that has come to its end, as the browser answers who asks there from now on: of what was
    /// asked just before, it says nothing.
    fn close(&self, session: &str) {
        let Some(waiting) = &mut *self.waiting.lock() else { return };
        for (_, asked) in waiting.extract_if(|_, asked| asked.session.as_deref() == Some(session)) {
            let _ = asked.answered.send(Err(Refusal::Said(NO_SESSION.to_owned())));
        }
    }

    /// Answers all that wait: nobody else will.
    fn end(&self) {
        drop(self.waiting.lock().take());
        self.ended.notify_waiters();
    }
}

/// An answer that is on its way. The command was sent, whether or not anybody waits.
pub(super) struct Reply {
    answer: oneshot::Receiver<Result<Value, Refusal>>,
}

impl Reply {
    /// Waits for the answer.
    pub(super) async fn within(self, timeout: Duration) -> Result<Value, Refusal> {
        match tokio::time::timeout(timeout, self.answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(Refusal::Gone),
            Err(_) => Err(Refusal::Late(timeout)),
        }
    }
}

impl Connection {
    fn new() -> (Self, mpsc::UnboundedReceiver<String>) {
        let (out, commands) = mpsc::unbounded_channel();
        let shared = Shared { waiting: Mutex::new(Some(HashMap::new())), ..Shared::default() };
        (Self { out, shared: Arc::new(shared) }, commands)
    }

    /// Speaks over a browser's pipes, where a zero byte ends each message.
    pub(super) fn over_pipes(to: ChildStdin, from: ChildStdout, watcher: Watcher) -> Self {
        let (connection, commands) = Self::new();
        tokio::spawn(write(to, commands));
        let shared = Arc::clone(&connection.shared);
        tokio::spawn(async move {
            let mut from = BufReader::with_capacity(64 << 10, from);
            let mut message = Vec::new();
            loop {
                message.clear();
                let mut bounded = (&mut from).take(LARGEST as u64);
                match bounded.read_until(0, &mut message).await {
                    Ok(_) if message.last() == Some(&0) => shared.take(&message[..message.len() - 1], &watcher),
                    _ => break,
                }
            }
            shared.end();
        });
        connection
    }

    /// Speaks over a web socket.
    pub(super) async fn over_socket(url: &str, watcher: Watcher) -> Result<Self, String> {
        crate::http::install_provider();
        let config = WebSocketConfig::default().max_message_size(Some(LARGEST)).max_frame_size(Some(LARGEST));
        let opened = tokio_tungstenite::connect_async_with_config(url, Some(config), true).await;
        let (socket, _) = opened.map_err(|error| error.to_string())?;
        let (mut sink, mut stream) = socket.split();
        let (connection, mut commands) = Self::new();
        tokio::spawn(async move {
            while let Some(command) = commands.recv().await {
                if sink.send(Message::text(command)).await.is_err() {
                    break;
                }
            }
            let _ = sink.close().await;
        });
        let shared = Arc::clone(&connection.shared);
        tokio::spawn(async move {
            while let Some(Ok(message)) = stream.next().await {
                match message {
                    Message::Text(text) => shared.take(text.as_bytes(), &watcher),
                    Message::Close(_) => break,
                    _ => {}
                }
            }
            shared.end();
        });
        Ok(connection)
    }

    /// Sends a command at once; commands are carried out in the order in which they are sent.
    pub(super) fn send(&self, session: Option<&str>, method: &str, params: &Value) -> Reply {
        let id = self.shared.last.fetch_add(1, Ordering::Relaxed) + 1;
        let (answered, answer) = oneshot::channel();
        if let Some(waiting) = self.shared.waiting.lock().as_mut() {
            waiting.insert(id, Asked { session: session.map(str::to_owned), answered });
        }
        let mut command = json!({"id": id, "method": method, "params": params});
        if let Some(session) = session {
            command["sessionId"] = session.into();
        }
        // Where nobody listens any more, the answer tells.
        let _ = self.out.send(command.to_string());
        Reply { answer }
    }

    /// Tells whether there is nobody at the other end any more.
    pub(super) fn is_gone(&self) -> bool {
        self.shared.waiting.lock().is_none()
    }

    /// Waits until the other end is gone; for ever, where it never is.
    pub(super) async fn gone(&self) {
        let ended = self.shared.ended.notified();
        if !self.is_gone() {
            ended.await;
        }
    }
}

async fn write(mut to: ChildStdin, mut commands: mpsc::UnboundedReceiver<String>) {
    while let Some(command) = commands.recv().await {
        let mut bytes = command.into_bytes();
        bytes.push(0);
        if to.write_all(&bytes).await.is_err() {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn answers_find_their_commands_and_an_end_answers_all() {
        let (seen, mut events) = mpsc::unbounded_channel();
        let watcher: Watcher = Box::new(move |event| seen.send((event.session, event.method)).expect("a listener"));
        let (connection, mut commands) = Connection::new();
        let [first, second, third] = [1, 2, 3].map(|n| connection.send(Some("s"), "A.b", &json!({"n": n})));
        let sent: Value = serde_json::from_str(&commands.recv().await.expect("a command")).expect("JSON");
        assert_eq!(sent, json!({"id": 1, "method": "A.b", "params": {"n": 1}, "sessionId": "s"}));
        for message in [
            r#"{"method":"C.d","params":{},"sessionId":"s"}"#,
            r#"{"id":2,"error":{"code":-32000,"message":"No."}}"#,
            r#"{"id":1,"result":{"ok":true}}"#,
            "not JSON",
            r#"{"id":77,"result":{}}"#,
        ] {
            connection.shared.take(message.as_bytes(), &watcher);
        }
        assert_eq!(events.recv().await, Some((Some("s".to_owned()), "C.d".to_owned())));
        assert_eq!(first.within(Duration::from_secs(1)).await, Ok(json!({"ok": true})));
        assert_eq!(second.within(Duration::from_secs(1)).await, Err(Refusal::Said("No.".to_owned())));
        let moment = Duration::from_millis(1);
        assert_eq!(connection.send(None, "E.f", &json!({})).within(moment).await, Err(Refusal::Late(moment)));
        let of_another = connection.send(Some("other"), "A.b", &json!({}));
        let detached = r#"{"method":"Target.detachedFromTarget","params":{"sessionId":"other"}}"#;
        connection.shared.take(detached.as_bytes(), &watcher);
        let closed = Err(Refusal::Said(NO_SESSION.to_owned()));
        assert_eq!(of_another.within(Duration::from_secs(1)).await, closed);
        connection.shared.end();
        assert_eq!(third.within(Duration::from_secs(1)).await, Err(Refusal::Gone));
        assert_eq!(connection.send(None, "E.f", &json!({})).within(Duration::from_secs(1)).await, Err(Refusal::Gone));
        assert!(connection.is_gone());
    }
}
