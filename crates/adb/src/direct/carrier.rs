//! One stream of a connection: bytes of its user → packets that wait for being taken, packets → bytes.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream, ReadBuf};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::connection::{Connection, Event};
use super::timeouts;
use crate::error::{Error, refusal};
use crate::packet::{Command, Packet};
use crate::service::Stream;

/// Bytes that are on their way between a stream and its user.
const BUFFER: usize = 256 * 1024;

/// The user's end; dropping it closes the stream.
struct End {
    bytes: DuplexStream,
    /// Set when the stream ended with its connection, to why that did: what came is no whole answer.
    lost: Arc<OnceLock<Error>>,
    _left: DropGuard,
}

/// The connection's end.
pub(super) struct Carrier {
    connection: Connection,
    /// This side's number of the stream.
    id: u32,
    events: mpsc::Receiver<Event>,
    bytes: DuplexStream,
    lost: Arc<OnceLock<Error>>,
    /// Cancelled when the user's end is dropped.
    left: CancellationToken,
}

/// Why a stream ended.
enum Ended {
    /// The user is gone, or wrote all.
    Here,
    There,
    /// With the connection.
    Lost,
}

/// Makes both ends of a stream.
pub(super) fn new(connection: Connection, id: u32, events: mpsc::Receiver<Event>) -> (Stream, Carrier) {
    let (mine, yours) = tokio::io::duplex(BUFFER);
    let (left, lost) = (CancellationToken::new(), Arc::<OnceLock<Error>>::default());
    let end = End { bytes: yours, lost: Arc::clone(&lost), _left: left.clone().drop_guard() };
    (Box::new(end), Carrier { connection, id, events, bytes: mine, lost, left })
}

impl Carrier {
    /// Opens the service, says whether that went well, and carries until one side ends.
    pub(super) async fn run(mut self, service: String, answer: oneshot::Sender<Result<(), Error>>) {
        let opened = timeout(timeouts::OPEN, self.open(service)).await;
        let theirs = match opened.unwrap_or(Err(Error::Timeout { after: timeouts::OPEN })) {
            Ok(theirs) => theirs,
            Err(error) => {
                if let Error::Timeout { after } = error {
                    self.connection.shared.give_up(after);
                }
                self.connection.shared.remove(self.id);
                // Nobody may wait for it any more.
                let _ = answer.send(Err(error));
                return;
            }
        };
        let ended = if answer.send(Ok(())).is_ok() { self.carry(theirs).await } else { Ended::Here };
        self.connection.shared.remove(self.id);
        if matches!(ended, Ended::Lost) {
            // Nobody else sets it.
            let _ = self.lost.set(self.connection.shared.ended());
            return;
        }
        let shared = Arc::clone(&self.connection.shared);
        let close = Packet::new(Command::Close, self.id, theirs, []);
        // The user need not wait for this, nor the connection.
        drop(self);
        let closed = shared.send(close).await;
        // An adbd answers that this side closes a stream; one that does not is gone.
        if closed.is_ok() && matches!(ended, Ended::Here) {
            shared.watch().await;
        }
    }

    /// Returns the other side's number of the stream.
    async fn open(&mut self, service: String) -> Result<u32, Error> {
        let shared = &self.connection.shared;
        shared.send(Packet::new(Command::Open, self.id, 0, service)).await?;
        loop {
            let event = tokio::select! {
                event = self.events.recv() => event,
                () = shared.over.cancelled() => None,
            };
            match event {
                Some(Event::Taken(theirs)) => return Ok(theirs),
                // In the words of an adb server, which has none from the device either.
                Some(Event::Closed) => return Err(refusal(&shared.serial, "closed")),
                Some(Event::Data(_)) => {}
                None => return Err(shared.ended()),
            }
        }
    }

    async fn carry(&mut self, theirs: u32) -> Ended {
        let shared = Arc::clone(&self.connection.shared);
        let mut buffer = vec![0; shared.hello.max_payload];
        let mut taken = true;
        let (mut from, mut to) = tokio::io::split(&mut self.bytes);
        loop {
            tokio::select! {
                () = self.left.cancelled() => return Ended::Here,
                event = self.events.recv() => match event {
                    None => return Ended::Lost,
                    Some(Event::Taken(_)) => taken = true,
                    Some(Event::Closed) => return Ended::There,
                    Some(Event::Data(data)) => {
                        let given = tokio::select! {
                            given = to.write_all(&data) => given,
                            () = self.left.cancelled() => return Ended::Here,
                        };
                        let okay = Packet::new(Command::Okay, self.id, theirs, []);
                        if given.is_err() {
                            return Ended::Here;
                        }
                        if shared.send(okay).await.is_err() {
                            return Ended::Lost;
                        }
                    }
                },
                read = from.read(&mut buffer), if taken => match read {
                    Ok(0) | Err(_) => return Ended::Here,
                    Ok(length) => {
                        taken = false;
                        let data = Packet::new(Command::Write, self.id, theirs, &buffer[..length]);
                        if shared.send(data).await.is_err() {
                            return Ended::Lost;
                        }
                    }
                },
            }
        }
    }
}

impl AsyncRead for End {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut self.bytes).poll_read(cx, buffer));
        let ended = read.is_ok() && buffer.filled().len() == before && buffer.remaining() > 0;
        match self.lost.get() {
            Some(why) if ended => Poll::Ready(Err(io::Error::new(io::ErrorKind::ConnectionReset, why.clone()))),
            _ => Poll::Ready(read),
        }
    }
}

impl AsyncWrite for End {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.bytes).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.bytes).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.bytes).poll_shutdown(cx)
    }
}
