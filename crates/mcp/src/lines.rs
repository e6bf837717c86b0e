//! Lines of a client → messages, and messages → lines, over standard input and output or any other two streams.
//!
//! Unlike the protocol library's own transport, it answers what is no message, refuses a second request of an id that is under
//! way, and says so where a line is too long, of which it keeps nothing.

use std::collections::{HashSet, VecDeque};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification, ClientRequest,
    GetExtensions as _, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Serialize;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use uixt_call::arrival::Arrivals;

use super::message::{self, Refusal};

/// How long a line may be, in bytes.
const MAX_LEN: usize = 16 << 20;
/// How much memory is kept for the next line.
const ROOM: usize = 64 << 10;
/// How long calls that are under way at the end of the input may take.
const TIMEOUT: Duration = Duration::from_secs(4);

/// Where lines are written; none once the connection is closed.
type Output<W> = Arc<tokio::sync::Mutex<Option<W>>>;

/// A client at the other end of two streams.
pub(super) struct Lines<R, W> {
    input: BufReader<R>,
    line: Vec<u8>,
    /// Whether the rest of a line is passed over, which was too long.
    is_passing: bool,
    has_ended: bool,
    /// When the calls are given up that were under way as the input ended.
    given_up_at: Option<Instant>,
    /// Whether a session has begun, by a handshake or without.
    has_begun: bool,
    /// Whether the client's version of the protocol has messages in lists.
    takes_batches: bool,
    /// What is left of such a list.
    batch: VecDeque<Vec<u8>>,
    output: Output<W>,
    running: Arc<Running>,
    arrivals: Arrivals,
    /// A refusal that is being written.
    refusing: Option<JoinHandle<()>>,
}

/// The requests that have no answer yet.
#[derive(Default)]
struct Running {
    ids: Mutex<HashSet<RequestId>>,
    fewer: Notify,
}

impl Running {
    /// Notes a request; tells whether no other of its id is under way.
    fn begin(&self, id: &RequestId) -> bool {
        self.ids.lock().insert(id.clone())
    }

    fn end(&self, id: &RequestId) {
        self.ids.lock().remove(id);
        self.fewer.notify_waiters();
    }

    /// Waits until there are none.
    async fn none(&self) {
        loop {
            let fewer = self.fewer.notified();
            if self.ids.lock().is_empty() {
                return;
            }
            fewer.await;
        }
    }

    /// Takes one that is still there.
    fn take(&self) -> Option<RequestId> {
        let mut ids = self.ids.lock();
        let id = ids.iter().next().cloned()?;
        ids.take(&id)
    }
}

/// What was read.
enum Read {
    Line,
    TooLong,
    End,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(input: R, output: W) -> Self {
        Self {
            input: BufReader::new(input),
            line: Vec::new(),
            is_passing: false,
            has_ended: false,
            given_up_at: None,
            has_begun: false,
            takes_batches: false,
            batch: VecDeque::new(),
            output: Arc::new(tokio::sync::Mutex::new(Some(output))),
            running: Arc::default(),
            arrivals: Arrivals::default(),
            refusing: None,
        }
    }

    /// Reads up to the end of a line. Dropped while it waits, it goes on where it was.
    async fn read(&mut self) -> io::Result<Read> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                // What stands before the end of input is a line, too.
                let is_rest = !self.has_ended && !self.line.is_empty() && !self.is_passing;
                self.has_ended = true;
                return Ok(if is_rest { Read::Line } else { Read::End });
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            let is_too_long = !self.is_passing && self.line.len() + taken > MAX_LEN;
            if is_too_long {
                self.line = Vec::new();
            } else if !self.is_passing {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.input.consume(taken);
            let was_passing = self.is_passing;
            self.is_passing = end.is_none() && (was_passing || is_too_long);
            match (end, is_too_long, was_passing) {
                (_, true, _) => return Ok(Read::TooLong),
                (Some(_), false, false) => return Ok(Read::Line),
                _ => {}
            }
        }
    }

    /// Takes the line that was read; blank ones are none.
    fn take(&mut self) -> Option<Result<ClientJsonRpcMessage, Refusal>> {
        let line = self.line.trim_ascii();
        let message = match line {
            [] => None,
            [b'[', ..] if self.takes_batches => match message::each(line) {
                Ok(messages) => {
                    self.batch.extend(messages);
                    None
                }
                Err(refusal) => Some(Err(refusal)),
            },
            _ => Some(message::read(line)),
        };
        if self.line.capacity() > ROOM {
            self.line = Vec::new();
        }
        self.line.clear();
        message
    }

    /// Notes what begins and ends with a message; refuses a request whose id is taken.
    fn noted(&mut self, message: ClientJsonRpcMessage) -> Result<ClientJsonRpcMessage, Refusal> {
        match &message {
            ClientJsonRpcMessage::Request(request) if !self.running.begin(&request.id) => {
                return Err(Refusal::under_way(&request.id));
            }
            ClientJsonRpcMessage::Request(request) => {
                if let ClientRequest::InitializeRequest(hello) = &request.request {
                    self.takes_batches = message::has_batches(&hello.params.protocol_version);
                    self.has_begun = true;
                }
                if !self.has_begun && message::needs_session(&request.request) {
                    self.running.end(&request.id);
                    return Err(Refusal::too_early(&request.id, request.request.method()));
                }
            }
            ClientJsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.running.end(id);
                }
            }
            _ => {}
        }
        Ok(message)
    }

    /// Waits for the answers that are owed once the input has ended. What takes too long is given up: who called is told, and the
    /// call is ended. Dropped while it waits, it goes on where it was.
    async fn conclude(&mut self) -> Option<ClientJsonRpcMessage> {
        let until = *self.given_up_at.get_or_insert_with(|| Instant::now() + TIMEOUT);
        let _ = tokio::time::timeout_at(until, self.running.none()).await;
        let id = self.running.take()?;
        self.refuse(&Refusal::given_up(&id, TIMEOUT));
        let cancelled = CancelledNotificationParam::new(Some(id), Some("the input has ended".to_owned()));
        Some(ClientJsonRpcMessage::notification(CancelledNotification::new(cancelled).into()))
    }

    /// Begins to tell why something was refused.
    fn refuse(&mut self, refusal: &Refusal) {
        tracing::debug!("refused: {}", refusal.message);
        if !refusal.is_owed {
            return;
        }
        let (line, output) = (line(&refusal.body()), Arc::clone(&self.output));
        // By itself, since whoever reads here may be dropped, and half a line would spoil the next.
        self.refusing = Some(tokio::spawn(async move {
            if let Ok(line) = line
                && let Err(error) = write(&output, &line).await
            {
                tracing::debug!("an error could not be sent: {error}");
            }
        }));
    }
}

/// Returns a message as a line.
fn line(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

async fn write<W: AsyncWrite + Unpin>(output: &Output<W>, line: &[u8]) -> io::Result<()> {
    let mut output = output.lock().await;
    let output = output.as_mut().ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected))?;
    output.write_all(line).await?;
    output.flush().await
}

/// Returns the request that a message answers.
fn answered(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ServerJsonRpcMessage::Response(answer) => Some(&answer.id),
        ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        // Before it is written: whoever reads it may use the id again at once.
        if let Some(id) = answered(&message) {
            self.running.end(id);
        }
        let output = Arc::clone(&self.output);
        async move { write(&output, &line(&message)?).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            // Whoever does not read what is refused is not read, either.
            if let Some(refusing) = &mut self.refusing {
                let _ = refusing.await;
                self.refusing = None;
            }
            let message = match self.batch.pop_front() {
                Some(message) => Some(message::read(&message)),
                None => match self
                    .read()
                    .await
                    .inspect_err(|error| tracing::warn!("reading the input failed: {error}"))
                    .ok()?
                {
                    Read::End => return self.conclude().await,
                    Read::TooLong => Some(Err(Refusal::large(MAX_LEN))),
                    Read::Line => self.take(),
                },
            };
            match message.map(|message| message.and_then(|message| self.noted(message))) {
                None => {}
                Some(Ok(mut message)) => {
                    // From here on, what came together is done at the same time.
                    if let ClientJsonRpcMessage::Request(request) = &mut message
                        && request.request.method() == message::CALL
                    {
                        request.request.extensions_mut().insert(self.arrivals.next());
                    }
                    return Some(message);
                }
                Some(Err(refusal)) => self.refuse(&refusal),
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        drop(self.output.lock().await.take());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tokio::io::{AsyncReadExt as _, DuplexStream, duplex};

    use super::*;

    /// A client's two streams, and what reads them.
    fn pair() -> (DuplexStream, BufReader<DuplexStream>, Lines<DuplexStream, DuplexStream>) {
        let ((sent, input), (output, heard)) = (duplex(1 << 20), duplex(1 << 20));
        (sent, BufReader::new(heard), Lines::new(input, output))
    }

    async fn heard(from: &mut BufReader<DuplexStream>) -> Value {
        let mut line = String::new();
        from.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap()
    }

    #[tokio::test]
    async fn what_is_no_message_is_answered_and_the_next_is_read() {
        let (mut sent, mut from, mut lines) = pair();
        sent.write_all(b"no JSON\n\n \r\n{\"jsonrpc\": \"2.0\", \"id\": 4}\r\n").await.unwrap();
        sent.write_all(b"{\"jsonrpc\": \"2.0\", \"id\": 5, \"method\": \"ping\"}").await.unwrap();
        drop(sent);
        let Some(ClientJsonRpcMessage::Request(ping)) = lines.receive().await else { panic!("a request") };
        assert_eq!(ping.id, RequestId::Number(5));
        assert_eq!(heard(&mut from).await["error"]["code"], -32700);
        let invalid = heard(&mut from).await;
        assert_eq!((&invalid["error"]["code"], &invalid["id"]), (&(-32600).into(), &4.into()));
        let failure = rmcp::ErrorData::internal_error("x", None);
        lines.send(ServerJsonRpcMessage::error(failure, Some(RequestId::Number(5)))).await.unwrap();
        assert!(lines.receive().await.is_none(), "the input has ended");
    }

    #[tokio::test]
    async fn an_id_is_free_again_once_it_is_answered_or_cancelled() {
        let (mut sent, mut from, mut lines) = pair();
        let ping = b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}\n";
        sent.write_all(&[ping.as_slice(), ping].concat()).await.unwrap();
        assert!(lines.receive().await.is_some());
        let second = tokio::time::timeout(std::time::Duration::from_millis(100), lines.receive()).await;
        assert!(second.is_err(), "it is refused");
        let refused = heard(&mut from).await;
        assert_eq!((&refused["error"]["code"], &refused["id"]), (&(-32600).into(), &1.into()));
        let failure = rmcp::ErrorData::internal_error("x", None);
        lines.send(ServerJsonRpcMessage::error(failure, Some(RequestId::Number(1)))).await.unwrap();
        sent.write_all(ping).await.unwrap();
        assert!(lines.receive().await.is_some(), "answered");
        let cancelled =
            b"{\"jsonrpc\": \"2.0\", \"method\": \"notifications/cancelled\", \"params\": {\"requestId\": 1}}\n";
        sent.write_all(&[cancelled.as_slice(), ping].concat()).await.unwrap();
        assert!(lines.receive().await.is_some(), "the cancellation");
        assert!(lines.receive().await.is_some(), "cancelled");
    }

    const HELLO: &[u8] =
        b"{\"jsonrpc\": \"2.0\", \"id\": 0, \"method\": \"initialize\", \"params\": {\"protocolVersion\": \
        \"2025-06-18\", \"capabilities\": {}, \"clientInfo\": {\"name\": \"t\", \"version\": \"0\"}}}\n";

    #[tokio::test]
    async fn what_is_under_way_at_the_end_of_input_is_answered_or_given_up() {
        let (mut sent, mut from, mut lines) = pair();
        sent.write_all(HELLO).await.unwrap();
        for id in 1..=2 {
            let ping = format!("{{\"jsonrpc\": \"2.0\", \"id\": {id}, \"method\": \"ping\"}}\n");
            sent.write_all(ping.as_bytes()).await.unwrap();
        }
        drop(sent);
        for _ in 0..3 {
            assert!(matches!(lines.receive().await, Some(ClientJsonRpcMessage::Request(_))));
        }
        lines.running.end(&RequestId::Number(0));
        lines.running.end(&RequestId::Number(1));
        let early = tokio::time::timeout(TIMEOUT / 2, lines.receive()).await;
        assert!(early.is_err(), "the second may still be answered");
        let Some(ClientJsonRpcMessage::Notification(ended)) = lines.receive().await else { panic!("it is ended") };
        assert!(matches!(ended.notification, ClientNotification::CancelledNotification(_)));
        let told = heard(&mut from).await;
        assert_eq!(told["id"], 2);
        assert!(told["error"]["message"].as_str().unwrap().contains("the input ended"), "{told}");
        assert!(lines.receive().await.is_none());
    }

    #[tokio::test]
    async fn a_session_begins_with_its_handshake() {
        let (mut sent, mut from, mut lines) = pair();
        let list = b"{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"tools/list\"}\n";
        sent.write_all(&[list.as_slice(), HELLO, list].concat()).await.unwrap();
        assert!(lines.receive().await.is_some(), "the handshake");
        let told = heard(&mut from).await;
        assert_eq!(told["id"], 7);
        assert!(
            told["error"]["message"].as_str().unwrap().starts_with("tools/list: send `initialize` first"),
            "{told}"
        );
        assert!(lines.receive().await.is_some(), "the list, now");
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_passed_over_and_told() {
        let (mut sent, mut from, mut lines) = pair();
        let writing = tokio::spawn(async move {
            for _ in 0..40 {
                sent.write_all(&vec![b'x'; 1 << 20]).await.unwrap();
            }
            sent.write_all(b"\n{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"ping\"}\n").await.unwrap();
        });
        assert!(lines.receive().await.is_some(), "what comes after it");
        writing.await.unwrap();
        assert!(lines.line.capacity() <= ROOM, "{}", lines.line.capacity());
        let refused = heard(&mut from).await;
        assert_eq!(refused["error"]["code"], -32600);
        assert!(refused["error"]["message"].as_str().unwrap().contains("16 MiB"), "{refused}");
        drop(lines);
        assert_eq!(from.read(&mut [0; 1]).await.unwrap(), 0, "it is told once");
    }

    #[tokio::test]
    async fn a_dropped_read_loses_nothing() {
        let (mut sent, _from, mut lines) = pair();
        for part in ["{\"jsonrpc\": \"2.0\",", " \"id\": 3,"] {
            sent.write_all(part.as_bytes()).await.unwrap();
            let read = tokio::time::timeout(std::time::Duration::from_millis(20), lines.receive()).await;
            assert!(read.is_err(), "half a line");
        }
        sent.write_all(b" \"method\": \"ping\"}\n").await.unwrap();
        assert!(lines.receive().await.is_some());
    }
}
