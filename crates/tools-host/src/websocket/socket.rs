//! A session's open web sockets, by their address.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use base64::Engine as _;
use futures_util::{FutureExt as _, SinkExt as _, StreamExt as _};
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{self, Message, Utf8Bytes};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};
use uixt_locate::{Error, Kind, Object};
use uixt_toolkit::{Reply, State};

use crate::request;

/// Largest message, in bytes.
const LARGEST: usize = 10 << 20;

/// Most bytes of messages that wait to be read, because they came while a pong was waited for.
const WAITING: usize = 10 << 20;

type Stream = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// How long an act may take, and what it is about.
pub(super) struct Within {
    pub deadline: Instant,
    pub shown: String,
    pub seconds: f64,
}

impl Within {
    /// Waits for what the server may never do.
    async fn wait<T>(&self, what: &str, future: impl Future<Output = T>) -> Result<T, Error> {
        let late = |_| Error::new(Kind::Service, format!("{}: {what} within {} s", self.shown, self.seconds));
        timeout_at(self.deadline, future).await.map_err(late)
    }

    fn failure(&self, error: &tungstenite::Error) -> Error {
        Error::new(Kind::Service, format!("{}: {}", self.shown, said(error)))
    }

    fn closed(&self, frame: Option<&CloseFrame>) -> Error {
        let how = frame.map_or_else(String::new, |frame| match frame.reason.is_empty() {
            true => format!(" with {}", u16::from(frame.code)),
            false => format!(" with {}: {}", u16::from(frame.code), frame.reason),
        });
        Error::new(Kind::Service, format!("{}: the server closed the connection{how}", self.shown))
    }
}

struct Socket {
    stream: Stream,
    /// What the handshake said.
    headers: HeaderMap,
    waiting: VecDeque<Message>,
}

impl Socket {
    async fn next(&mut self, within: &Within) -> Result<Message, Error> {
        match self.stream.next().await {
            Some(Ok(Message::Close(frame))) => Err(within.closed(frame.as_ref())),
            Some(message) => message.map_err(|error| within.failure(&error)),
            None => Err(within.closed(None)),
        }
    }

    /// Fails where the server has closed the connection, as far as it has said; messages that came wait to be read.
    fn open(&mut self, within: &Within) -> Result<(), Error> {
        while let Some(next) = self.stream.next().now_or_never() {
            match next {
                Some(Ok(message @ (Message::Text(_) | Message::Binary(_)))) => self.waiting.push_back(message),
                Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => {}
                Some(Ok(Message::Close(frame))) => return Err(within.closed(frame.as_ref())),
                Some(Err(error)) => return Err(within.failure(&error)),
                None => return Err(within.closed(None)),
            }
            if self.waits_for_too_much() {
                break;
            }
        }
        Ok(())
    }

    fn waits_for_too_much(&self) -> bool {
        self.waiting.iter().map(Message::len).sum::<usize>() > WAITING
    }

    /// Returns the next text or binary message.
    async fn message(&mut self, within: &Within) -> Result<Message, Error> {
        if let Some(message) = self.waiting.pop_front() {
            return Ok(message);
        }
        loop {
            let message = self.next(within).await?;
            if message.is_text() || message.is_binary() {
                return Ok(message);
            }
        }
    }

    /// Waits for the pong to a ping; messages before it wait to be read.
    async fn pong(&mut self, sent: &[u8], within: &Within) -> Result<(), Error> {
        loop {
            match self.next(within).await? {
                Message::Pong(bytes) if bytes.as_ref() == sent => return Ok(()),
                message @ (Message::Text(_) | Message::Binary(_)) => self.waiting.push_back(message),
                _ => {}
            }
            if self.waits_for_too_much() {
                let message = format!("{}: too many messages and no pong", within.shown);
                return Err(Error::new(Kind::Service, message));
            }
        }
    }
}

/// The connections; each is gone when it fails, and all of them with the session.
#[derive(Default)]
pub(in super::super) struct Sockets {
    by_url: Mutex<HashMap<String, Arc<Mutex<Socket>>>>,
}

impl State for Sockets {
    fn end(&self) {
        self.forget();
    }
}

impl Sockets {
    /// Drops every connection; one that is in use meanwhile is dropped with the session.
    pub(in super::super) fn forget(&self) {
        if let Ok(mut sockets) = self.by_url.try_lock() {
            sockets.clear();
        }
    }

    async fn get(&self, url: &Url, within: &Within) -> Result<Arc<Mutex<Socket>>, Error> {
        self.by_url.lock().await.get(url.as_str()).cloned().ok_or_else(|| {
            let message = format!("{}: there is no connection; open one first (type: open)", within.shown);
            Error::new(Kind::BadArgument, message)
        })
    }

    /// Forgets a connection that failed, since nothing more can be done with it.
    async fn kept<T>(&self, url: &Url, done: Result<T, Error>) -> Result<T, Error> {
        if done.is_err() {
            self.by_url.lock().await.remove(url.as_str());
        }
        done
    }

    /// Refuses a call whose headers are not those that its connection was opened with, since they would be sent nowhere.
    pub(super) async fn check_headers(&self, url: &Url, headers: &HeaderMap, within: &Within) -> Result<(), Error> {
        let Some(socket) = self.by_url.lock().await.get(url.as_str()).cloned() else { return Ok(()) };
        let socket = within.wait("the connection is in use", socket.lock()).await?;
        let names = differing(&socket.headers, headers);
        match names.is_empty() {
            true => Ok(()),
            false => Err(other_headers(&names, within)),
        }
    }

    /// Says that the connection is there already, where it is and was opened with the same headers.
    async fn reused(&self, url: &Url, headers: &HeaderMap, within: &Within) -> Result<Option<Reply>, Error> {
        let Some(socket) = self.by_url.lock().await.get(url.as_str()).cloned() else { return Ok(None) };
        if within.wait("the connection is in use", socket.lock()).await?.open(within).is_err() {
            return Ok(None);
        }
        self.check_headers(url, headers, within).await?;
        let reply = Reply::new(format!("Open already: {}", within.shown));
        Ok(Some(reply.with("type", "open").with("reused", true)))
    }

    /// Opens a connection, unless it is there with the same headers already.
    pub(super) async fn open(
        &self,
        url: &Url,
        headers: HeaderMap,
        anew: bool,
        within: &Within,
    ) -> Result<Reply, Error> {
        if !anew && let Some(reply) = self.reused(url, &headers, within).await? {
            return Ok(reply);
        }
        uixt_core::http::install_provider();
        let mut handshake = url.as_str().into_client_request().map_err(|error| within.failure(&error))?;
        handshake.headers_mut().extend(headers.clone());
        let config = WebSocketConfig::default().max_message_size(Some(LARGEST)).max_frame_size(Some(LARGEST));
        let connecting = connect_async_with_config(handshake, Some(config), false);
        let (stream, response) =
            within.wait("no handshake", Box::pin(connecting)).await?.map_err(|error| refused(&error, within))?;
        let socket = Socket { stream, headers, waiting: VecDeque::new() };
        self.by_url.lock().await.insert(url.to_string(), Arc::new(Mutex::new(socket)));
        let reply = Reply::new(format!("Opened {}", within.shown)).with("type", "open");
        let reply = reply.with("status_code", response.status().as_u16());
        Ok(reply.with("headers", request::answered_headers(response.headers())).with("body", ""))
    }

    pub(super) async fn write(&self, url: &Url, message: Option<Message>, within: &Within) -> Result<Reply, Error> {
        let socket = self.get(url, within).await?;
        let message = message.unwrap_or_else(|| Message::text(""));
        let size = message.len();
        let sending = async {
            let mut socket = socket.lock().await;
            // What is sent to a server that has closed the connection arrives nowhere.
            socket.open(within)?;
            socket.stream.send(message).await.map_err(|error| within.failure(&error))
        };
        let sent = within.wait("the message did not leave", sending).await.and_then(|sent| sent);
        self.kept(url, sent).await?;
        Ok(Reply::new(format!("Wrote {size} bytes to {}", within.shown)).with("type", "w").with("size", size))
    }

    pub(super) async fn read(&self, url: &Url, within: &Within) -> Result<Reply, Error> {
        let socket = self.get(url, within).await?;
        let reading = async { socket.lock().await.message(within).await };
        // Nothing to read in time: the connection is as good as it was.
        let message = timeout_at(within.deadline, reading).await.map_err(|_| {
            Error::new(Kind::Service, format!("{}: no message within {} s", within.shown, within.seconds))
        })?;
        let message = self.kept(url, message).await?;
        let size = message.len();
        let reply = Reply::new(format!("Read {size} bytes from {}", within.shown)).with("type", "r");
        Ok(body(reply, message).with("size", size))
    }

    pub(super) async fn ping(&self, url: &Url, message: Option<Message>, within: &Within) -> Result<Reply, Error> {
        let socket = self.get(url, within).await?;
        let payload = message.map_or_else(|| b"uixt".to_vec(), |message| message.into_data().to_vec());
        let pinging = async {
            let mut socket = socket.lock().await;
            let sent = socket.stream.send(Message::Ping(payload.clone().into())).await;
            sent.map_err(|error| within.failure(&error))?;
            socket.pong(&payload, within).await
        };
        let done = within.wait("no pong", pinging).await.and_then(|done| done);
        self.kept(url, done).await?;
        Ok(Reply::new(format!("{} answers pings", within.shown)).with("type", "ping"))
    }

    /// Closes a connection and waits for the server to do so, too; messages that nobody read are dropped.
    pub(super) async fn close(
        &self,
        url: &Url,
        status: u16,
        reason: Option<Message>,
        within: &Within,
    ) -> Result<Reply, Error> {
        let socket = self.get(url, within).await?;
        self.by_url.lock().await.remove(url.as_str());
        let reason = reason.and_then(|reason| reason.into_text().ok()).unwrap_or_else(|| Utf8Bytes::from(""));
        let frame = CloseFrame { code: CloseCode::from(status), reason };
        let closing = async {
            let mut socket = socket.lock().await;
            let sent = socket.stream.send(Message::Close(Some(frame))).await;
            sent.map_err(|error| within.failure(&error))?;
            loop {
                match socket.stream.next().await {
                    Some(Ok(Message::Close(frame))) => return Ok(frame),
                    Some(Ok(_)) => {}
                    Some(Err(error)) => return Err(within.failure(&error)),
                    None => return Err(Error::new(Kind::Service, format!("{}: broken off, not closed", within.shown))),
                }
            }
        };
        let frame = within.wait("it did not close", closing).await??;
        let (status, reason) =
            frame.map_or((1005, String::new()), |frame| (u16::from(frame.code), frame.reason.to_string()));
        let reply = Reply::new(format!("Closed {} with {status}", within.shown)).with("type", "close");
        Ok(reply.with("status_code", status).with("body", reason))
    }
}

/// Returns the names of the headers that are not the same on both sides.
fn differing(one: &HeaderMap, other: &HeaderMap) -> BTreeSet<String> {
    let differs = |name: &&HeaderName| one.get_all(*name).iter().ne(other.get_all(*name));
    one.keys().chain(other.keys()).filter(differs).map(ToString::to_string).collect()
}

fn other_headers(names: &BTreeSet<String>, within: &Within) -> Error {
    let names = names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let message = format!(
        "{}: the connection was opened with other headers ({names}), which cannot be changed any more; give the same \
         ones, or `new_connection: true` for another connection in its place",
        within.shown
    );
    Error::new(Kind::BadArgument, message)
}

/// Says what went wrong with a connection, in words of a test rather than of a protocol's library.
fn said(error: &tungstenite::Error) -> String {
    use tungstenite::Error as E;
    match error {
        E::Capacity(_) => format!("a message is longer than {} MB", LARGEST >> 20),
        E::Utf8(_) => "the server sent a text that is no UTF-8".to_owned(),
        E::WriteBufferFull(_) => "the server does not take what is sent".to_owned(),
        E::ConnectionClosed | E::AlreadyClosed => "the connection is closed".to_owned(),
        E::Protocol(tungstenite::error::ProtocolError::ResetWithoutClosingHandshake) => {
            "the server broke off without closing the connection".to_owned()
        }
        E::Protocol(error) => format!("the server breaks the protocol: {error}"),
        E::Io(error) => format!("the connection broke off: {error}"),
        other => other.to_string(),
    }
}

/// Says why there is no connection; a server that answers something else is quoted.
fn refused(error: &tungstenite::Error, within: &Within) -> Error {
    match error {
        tungstenite::Error::Http(response) => {
            let status = response.status();
            let message = format!("{}: the server answered {status} rather than open a WebSocket", within.shown);
            Error::new(Kind::Service, message).with("status_code", status.as_u16())
        }
        error => Error::new(Kind::Service, format!("{}: no connection: {}", within.shown, said(error))),
    }
}

/// Adds a message: as JSON where it is that, else as text; bytes that are neither are given in base64, which is said.
fn body(reply: Reply, message: Message) -> Reply {
    let kind = if message.is_text() { "text" } else { "binary" };
    let bytes = message.into_data();
    let mut fields = Object::new();
    let body = serde_json::from_slice(&bytes).unwrap_or_else(|_| {
        if let Ok(text) = std::str::from_utf8(&bytes) {
            return Value::from(text);
        }
        fields.insert("body_encoding".to_owned(), "base64".into());
        base64::engine::general_purpose::STANDARD.encode(&bytes).into()
    });
    let mut reply = reply.with("message_type", kind).with("body", body);
    reply.fields.extend(fields);
    reply
}
