//! One connection to an adbd, shared by any number of streams: packets come in and are handed to their streams, and go out in
//! order.
//!
//! A connection on which nothing comes where something must is closed; whoever uses it next begins another.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::AsyncRead;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::carrier;
use super::handshake::Hello;
use super::sink::Sink;
use super::timeouts;
use crate::error::Error;
use crate::packet::{self, Command, Packet};
use crate::service::Stream;

/// Packets that wait to be sent.
const OUTGOING: usize = 64;
/// Events that wait for one stream: an adbd that keeps to the protocol has two at most under way.
const EVENTS: usize = 8;

/// What a packet means to its stream.
#[derive(Debug)]
pub(super) enum Event {
    /// The other side took what was sent; with its number of the stream.
    Taken(u32),
    Data(Vec<u8>),
    Closed,
}

/// A connection that stands. It ends when the last clone is dropped, or by itself.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    pub(super) shared: Arc<Shared>,
    _end: Arc<DropGuard>,
}

/// What a connection's tasks and streams have in common.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) serial: String,
    pub(super) hello: Hello,
    outgoing: mpsc::Sender<Packet>,
    streams: Mutex<HashMap<u32, mpsc::Sender<Event>>>,
    next: AtomicU32,
    /// Packets that came.
    heard: AtomicU64,
    /// Cancelled when the connection is at its end.
    pub(super) over: CancellationToken,
    /// How long nothing came, where it was closed for that.
    silent: OnceLock<Duration>,
}

impl Connection {
    /// Takes over a connection after its first packets.
    pub(super) fn start<R>(serial: &str, hello: Hello, from: R, to: Box<dyn Sink>) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
    {
        let (outgoing, queue) = mpsc::channel(OUTGOING);
        let shared = Arc::new(Shared {
            serial: serial.to_owned(),
            hello,
            outgoing,
            streams: Mutex::default(),
            next: AtomicU32::new(1),
            heard: AtomicU64::new(0),
            over: CancellationToken::new(),
            silent: OnceLock::new(),
        });
        tokio::spawn(receive(Arc::clone(&shared), from));
        tokio::spawn(send(Arc::clone(&shared), queue, to));
        let end = Arc::new(shared.over.clone().drop_guard());
        Self { shared, _end: end }
    }

    pub(super) fn is_over(&self) -> bool {
        self.shared.over.is_cancelled()
    }

    /// Opens a service.
    pub(super) async fn open(&self, service: &str) -> Result<Stream, Error> {
        let (id, events) = self.shared.add();
        let (answer, opened) = oneshot::channel();
        let (stream, carrier) = carrier::new(self.clone(), id, events);
        tokio::spawn(carrier.run(format!("{service}\0"), answer));
        opened.await.unwrap_or_else(|_| Err(self.shared.ended()))?;
        Ok(stream)
    }
}

impl Shared {
    /// Makes room for a stream; returns its number and what will come for it.
    fn add(&self) -> (u32, mpsc::Receiver<Event>) {
        let (to, events) = mpsc::channel(EVENTS);
        let mut streams = self.streams.lock();
        let mut id = 0;
        // Zero is no number, and after four billion streams some may still be there.
        while id == 0 || streams.contains_key(&id) {
            id = self.next.fetch_add(1, Ordering::Relaxed);
        }
        streams.insert(id, to);
        (id, events)
    }

    pub(super) fn remove(&self, id: u32) {
        self.streams.lock().remove(&id);
    }

    /// Queues a packet; fails where the connection is over.
    pub(super) async fn send(&self, packet: Packet) -> Result<(), Error> {
        tokio::select! {
            sent = self.outgoing.send(packet) => sent.map_err(|_| self.ended()),
            () = self.over.cancelled() => Err(self.ended()),
        }
    }

    /// Says why the connection is over.
    pub(super) fn ended(&self) -> Error {
        let vanished = || Error::Vanished { peer: format!("device `{}`", self.serial) };
        self.silent.get().map_or_else(vanished, |after| Error::Timeout { after: *after })
    }

    /// Closes the connection, on which nothing came for so long.
    pub(super) fn give_up(&self, after: Duration) {
        tracing::debug!("device `{}` stopped answering: its connection is closed", self.serial);
        // The first that noticed it tells.
        let _ = self.silent.set(after);
        self.over.cancel();
    }

    /// Closes the connection unless anything comes on it soon: for moments in which an adbd that lives must say something.
    pub(super) async fn watch(&self) {
        let before = self.heard.load(Ordering::Relaxed);
        tokio::select! {
            () = sleep(timeouts::SIGN_OF_LIFE) => {}
            () = self.over.cancelled() => return,
        }
        if self.heard.load(Ordering::Relaxed) == before {
            self.give_up(timeouts::SIGN_OF_LIFE);
        }
    }

    /// Hands a packet to its stream; fails where the other side does not keep to the protocol.
    fn dispatch(&self, packet: Packet) -> io::Result<Option<Packet>> {
        self.heard.fetch_add(1, Ordering::Relaxed);
        let (theirs, ours) = (packet.first, packet.second);
        let event = match packet.command {
            Command::Okay => Event::Taken(theirs),
            Command::Write => Event::Data(packet.payload),
            Command::Close => Event::Closed,
            // What adbd asks of this side (`adb reverse`) is refused.
            Command::Open => return Ok(Some(Packet::new(Command::Close, 0, theirs, []))),
            Command::Connect => return Err(io::ErrorKind::ConnectionReset.into()),
            Command::Authorize | Command::Encrypt => return Ok(None),
        };
        match self.streams.lock().get(&ours).map(|stream| stream.try_send(event)) {
            Some(Err(mpsc::error::TrySendError::Full(_))) => {
                Err(io::Error::new(io::ErrorKind::InvalidData, "more data than requested on a stream"))
            }
            // A stream that nobody reads any more says so itself.
            _ => Ok(None),
        }
    }
}

async fn receive<R: AsyncRead + Unpin>(shared: Arc<Shared>, mut from: R) {
    let reading = async {
        while let Some(packet) = packet::read(&mut from, shared.hello.sums).await? {
            if let Some(answer) = shared.dispatch(packet)? {
                // A full queue means that nothing leaves; a refusal that is late does no harm.
                let _ = shared.outgoing.try_send(answer);
            }
        }
        Ok::<_, io::Error>(())
    };
    let ended = tokio::select! {
        ended = reading => ended,
        () = shared.over.cancelled() => Ok(()),
    };
    if let Err(error) = ended {
        tracing::debug!("the connection to device `{}` ended: {error}", shared.serial);
    }
    shared.over.cancel();
    shared.streams.lock().clear();
}

async fn send(shared: Arc<Shared>, mut queue: mpsc::Receiver<Packet>, mut to: Box<dyn Sink>) {
    loop {
        let packet = tokio::select! {
            packet = queue.recv() => packet,
            () = shared.over.cancelled() => None,
        };
        let Some(packet) = packet else { break };
        let sent = timeout(timeouts::SEND, to.send(&packet, shared.hello.sums)).await;
        if !matches!(sent, Ok(Ok(()))) {
            break;
        }
    }
    shared.over.cancel();
}
