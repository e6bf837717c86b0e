//! The streams of one connection: packets ↔ what services read and write, with back-pressure both ways.
//!
//! A stream holds no more of its host's bytes than [`WINDOW`] and a few packets, and sends no more than its host allows. The host's
//! `CLSE` ends a service's input, and what it still writes is lost; a service that ends closes its stream.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, ReadHalf, WriteHalf, duplex, split};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::super::packet::{Command, MAX_PAYLOAD, Packet, encode};
use super::super::service::{Device, Host, Stream};
use super::super::wire::invalid;
use super::meter::{Allowance, Meter, allowed};

/// Streams that are open at the same time.
const STREAMS: usize = 128;
/// Bytes of a stream that the host may send before they are acknowledged, where acks are delayed.
pub(super) const WINDOW: u32 = 512 * 1024;
/// Bytes between a service and its stream.
const PIPE: usize = 64 * 1024;
/// What a packet costs beside its bytes, so that empty ones are counted, too.
const PACKET_COST: usize = 64;
/// What may wait for a service at most: the window, and the packet that goes beyond it.
const MOST_WAITING: usize = WINDOW as usize + 2 * MAX_PAYLOAD;

/// What both sides agreed on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub(super) version: u32,
    /// Bytes of a payload at most.
    pub(super) payload: usize,
    /// Whether payloads carry sums.
    pub(super) sums: bool,
    /// Whether bytes are acknowledged, rather than packets.
    pub(super) delayed: bool,
}

/// One connection's streams; dropping it closes them all.
pub(super) struct Link {
    shared: Arc<Shared>,
    _gone: DropGuard,
}

struct Shared {
    terms: Terms,
    out: mpsc::Sender<Vec<u8>>,
    streams: Mutex<Streams>,
    places: Arc<Semaphore>,
    /// Cancelled when the connection ends.
    gone: CancellationToken,
    /// Cancelled when the device is switched off.
    off: CancellationToken,
}

#[derive(Default)]
struct Streams {
    open: HashMap<u32, Open>,
    last: u32,
}

/// A stream, as the connection sees it.
struct Open {
    meter: Meter,
    /// To the service's input.
    input: mpsc::UnboundedSender<Vec<u8>>,
    /// Bytes that wait there.
    waiting: Arc<AtomicUsize>,
    _place: OwnedSemaphorePermit,
}

impl Link {
    pub(super) fn new(terms: Terms, out: mpsc::Sender<Vec<u8>>, off: CancellationToken) -> Self {
        let gone = off.child_token();
        let places = Arc::new(Semaphore::new(STREAMS));
        let shared = Shared { terms, out, streams: Mutex::default(), places, gone: gone.clone(), off };
        Self { shared: Arc::new(shared), _gone: gone.drop_guard() }
    }

    /// `OPEN`: asks the device for a service, beside what else comes on the connection.
    pub(super) async fn open(&self, packet: Packet, device: &Arc<dyn Device>) -> io::Result<()> {
        let (peer, window) = (packet.first, packet.second);
        if peer == 0 || self.shared.terms.delayed != (window > 0) {
            let (wanted, end) =
                if self.shared.terms.delayed { ("needs", "") } else { ("has no", " without delayed acks") };
            return Err(invalid(format!("OPEN {peer}, {window}: a stream {wanted} a window of bytes{end}")));
        }
        let Ok(place) = self.shared.places.clone().try_acquire_owned() else {
            tracing::warn!("an adb host has {STREAMS} streams open; the next is refused");
            return self.shared.send(Command::Close, [0, peer], &[]).await;
        };
        self.shared.spawn(serve(self.shared.clone(), device.clone(), packet, place));
        Ok(())
    }

    /// `OKAY`: the host has taken something, or has opened what it was asked for. What is not known any more is ignored.
    pub(super) fn okay(&self, packet: &Packet) {
        if packet.first == 0 {
            return;
        }
        if let Some(stream) = self.shared.streams.lock().open.get(&packet.second) {
            stream.meter.okay(packet.first, &packet.payload);
        }
    }

    /// `WRTE`: bytes for a service. A host that sends more than it may loses the stream.
    pub(super) async fn write(&self, packet: Packet) -> io::Result<()> {
        let (peer, id) = (packet.first, packet.second);
        let fits = {
            let streams = self.shared.streams.lock();
            let Some(stream) = streams.open.get(&id).filter(|stream| stream.meter.peer() == peer) else {
                return Ok(());
            };
            let cost = packet.payload.len() + PACKET_COST;
            let fits = stream.waiting.fetch_add(cost, Ordering::Relaxed) + cost <= MOST_WAITING;
            if fits {
                // A service that has ended reads no more, and its stream closes by itself.
                let _ = stream.input.send(packet.payload);
            }
            fits
        };
        if fits {
            return Ok(());
        }
        tracing::warn!("an adb host sent more on a stream than it may; the stream is closed");
        self.shared.finish(id).await
    }

    /// `CLSE`: the host is done with a stream, or refuses to open one.
    pub(super) async fn close(&self, packet: &Packet) -> io::Result<()> {
        let (peer, id) = (packet.first, packet.second);
        let closed = {
            let mut streams = self.shared.streams.lock();
            let known = streams.open.get(&id).map(|stream| stream.meter.peer());
            // Some hosts leave their own id out.
            known.filter(|known| peer == 0 || *known == 0 || *known == peer).and_then(|_| streams.open.remove(&id))
        };
        match closed.map(|stream| stream.meter.peer()) {
            Some(peer) if peer > 0 => self.shared.send(Command::Close, [id, peer], &[]).await,
            _ => Ok(()),
        }
    }
}

impl Shared {
    async fn send(&self, command: Command, ids: [u32; 2], payload: &[u8]) -> io::Result<()> {
        let bytes = encode(command, ids, payload, self.terms.sums);
        self.out.send(bytes).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    /// Returns bytes as an `OKAY` carries them.
    fn acknowledgement(&self, bytes: usize) -> Vec<u8> {
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        if self.terms.delayed { bytes.to_le_bytes().to_vec() } else { Vec::new() }
    }

    /// Closes a stream from this side, if it is still open.
    async fn finish(&self, id: u32) -> io::Result<()> {
        let closed = self.streams.lock().open.remove(&id);
        match closed {
            Some(stream) => self.send(Command::Close, [id, stream.meter.peer()], &[]).await,
            None => Ok(()),
        }
    }

    /// Lets a stream begin to send what its `OPEN` allows.
    fn allow(&self, id: u32, packet: &Packet) {
        if let Some(stream) = self.streams.lock().open.get(&id) {
            let window = i32::try_from(packet.second).unwrap_or(i32::MAX);
            stream.meter.okay(packet.first, &window.to_le_bytes());
        }
    }

    /// Makes a stream that may not send yet; returns its id and the service's end of it.
    fn register(self: &Arc<Self>, peer: u32, place: OwnedSemaphorePermit) -> (u32, DuplexStream) {
        let (service, ours) = duplex(PIPE);
        let (reader, writer) = split(ours);
        let (input, queue) = mpsc::unbounded_channel();
        let waiting = Arc::<AtomicUsize>::default();
        let meter = Meter::new(self.terms.delayed, peer);
        let allowance = meter.watch();
        let id = {
            let mut streams = self.streams.lock();
            let id = streams.next_id();
            streams.open.insert(id, Open { meter, input, waiting: waiting.clone(), _place: place });
            id
        };
        self.spawn(feed(self.clone(), id, queue, writer, waiting));
        self.spawn(drain(self.clone(), id, reader, allowance));
        (id, service)
    }

    /// Runs something for as long as the connection lasts.
    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let gone = self.gone.clone();
        tokio::spawn(async move { gone.run_until_cancelled(work).await });
    }
}

impl Streams {
    /// Returns an id that no open stream has; never 0.
    fn next_id(&mut self) -> u32 {
        loop {
            self.last = self.last.wrapping_add(1);
            if self.last != 0 && !self.open.contains_key(&self.last) {
                return self.last;
            }
        }
    }
}

/// Grants a service and runs it beyond the connection's end, which it sees as the end of its stream.
async fn serve(shared: Arc<Shared>, device: Arc<dyn Device>, packet: Packet, place: OwnedSemaphorePermit) {
    let name = String::from_utf8_lossy(&packet.payload);
    let host = Arc::new(Far(shared.clone()));
    let granted = device.open(name.trim_end_matches('\0'), host).await;
    let service = match granted {
        Ok(service) => service,
        Err(reason) => {
            tracing::debug!("{}: a service was refused: {reason}", device.serial());
            // The host is gone where this fails, and needs no answer.
            let _ = shared.send(Command::Close, [0, packet.first], &[]).await;
            return;
        }
    };
    // Nothing is allowed yet: the answer goes out before the first byte of the service can.
    let (id, stream) = shared.register(packet.first, place);
    let window = shared.acknowledgement(WINDOW as usize);
    if shared.send(Command::Okay, [id, packet.first], &window).await.is_err() {
        return;
    }
    shared.allow(id, &packet);
    let off = shared.off.clone();
    tokio::spawn(async move { off.run_until_cancelled(service(Box::new(stream))).await });
}

/// Carries what the host sends to the service, and acknowledges each packet once those before it were taken.
async fn feed(
    shared: Arc<Shared>,
    id: u32,
    mut queue: mpsc::UnboundedReceiver<Vec<u8>>,
    mut to: WriteHalf<DuplexStream>,
    waiting: Arc<AtomicUsize>,
) {
    while let Some(bytes) = queue.recv().await {
        waiting.fetch_sub(bytes.len() + PACKET_COST, Ordering::Relaxed);
        let peer = shared.streams.lock().open.get(&id).map(|stream| stream.meter.peer());
        // Before the service sees the bytes: hosts that wait for this take no answer to them before it.
        if let Some(peer) = peer
            && shared.send(Command::Okay, [id, peer], &shared.acknowledgement(bytes.len())).await.is_err()
        {
            return;
        }
        if to.write_all(&bytes).await.is_err() {
            return;
        }
    }
    // The service may have ended before its input.
    let _ = to.shutdown().await;
}

/// Carries what the service writes to the host, no more than it allows, and closes the stream at its end.
async fn drain(
    shared: Arc<Shared>,
    id: u32,
    mut from: ReadHalf<DuplexStream>,
    mut allowance: watch::Receiver<Allowance>,
) {
    let mut closed = allowance.clone();
    let carry = async {
        let mut buffer = vec![0; shared.terms.payload];
        while let Ok(peer) = allowed(&mut allowance).await {
            let length = from.read(&mut buffer).await.unwrap_or(0);
            if length == 0 {
                return true;
            }
            if let Some(stream) = shared.streams.lock().open.get(&id) {
                stream.meter.spend(length);
            }
            if shared.send(Command::Write, [id, peer], &buffer[..length]).await.is_err() {
                return false;
            }
        }
        false
    };
    let ended = tokio::select! {
        ended = carry => ended,
        _ = closed.wait_for(|_| false) => false,
    };
    if ended {
        // Where the connection has ended, there is nobody to tell.
        let _ = shared.finish(id).await;
    }
}

/// The host at the other end, as a device reaches it.
struct Far(Arc<Shared>);

#[async_trait]
impl Host for Far {
    async fn open(&self, service: &str) -> io::Result<Stream> {
        let shared = &self.0;
        let full = || io::Error::other("too many streams are open");
        let place = shared.places.clone().try_acquire_owned().map_err(|_| full())?;
        if shared.gone.is_cancelled() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let (id, stream) = shared.register(0, place);
        let window = if shared.terms.delayed { WINDOW } else { 0 };
        let name = [service.as_bytes(), b"\0"].concat();
        shared.send(Command::Open, [id, window], &name).await?;
        Ok(Box::new(stream))
    }

    fn gone(&self) -> CancellationToken {
        self.0.gone.clone()
    }
}
