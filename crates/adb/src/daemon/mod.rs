//! An adbd: adb servers that connect (`adb connect`) → packets → a device's services, each on a stream of its own.
//!
//! Serves one [`Device`], and knows nothing of what it is. Source: AOSP `packages/modules/adb/protocol.txt`, `adb.cpp`
//! (`handle_packet`), `docs/dev/delayed_ack.md`. What is no packet, or comes where it may not, ends the connection.

#[cfg(test)]
mod fuzz;
mod guard;
mod link;
mod meter;
mod pending_hosts;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use self::guard::{Guard, Verdict};
use self::link::{Link, Terms};
use self::pending_hosts::{Entry, PendingHosts};
use super::packet::{self, Command, MAX_PAYLOAD, MIN_PAYLOAD, Packet};
use super::public_key::TOKEN;
use super::service::{Device, restarted};
use super::wire::invalid;

/// How long a host may take to say who it is.
const GREETING_TIME: Duration = Duration::from_secs(10);
/// Packets that wait to be sent.
const QUEUE: usize = 8;
/// What we offer where the host offers it, too.
const DELAYED_ACK: &str = "delayed_ack";
/// Kinds of `AUTH`.
const TOKEN_KIND: u32 = 1;
const SIGNATURE_KIND: u32 = 2;
const PUBLIC_KEY_KIND: u32 = 3;

/// Whom the device lets in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Admission {
    /// Everybody, without being asked for a key.
    #[default]
    Everybody,
    /// Whoever offers a key, as a person would who always allows it, and signs with it from then on.
    AnyKey,
    /// Whoever the device's owner allows, in a dialog on its screen; who is always allowed signs from then on.
    Ask,
    /// Nobody: the device stays unauthorized.
    Nobody,
}

/// Serves hosts for ever; dropping the future ends every connection, cancelling `off` what their services still do.
pub async fn serve(
    listener: TcpListener,
    device: Arc<dyn Device>,
    admission: Admission,
    off: CancellationToken,
) -> io::Result<()> {
    let pending_hosts = PendingHosts::new();
    let mut hosts = JoinSet::new();
    let guard = Arc::new(Guard::new(admission));
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = hosts.join_next() => continue,
        };
        let Ok((stream, _)) = stream else {
            // Out of file descriptors, or a host that left at once: others may still be served.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let (device, guard, off) = (device.clone(), guard.clone(), off.clone());
        let entry = pending_hosts.enter();
        hosts.spawn(async move {
            let serial = device.serial().to_owned();
            match serve_host(stream, device, guard, off, entry).await {
                Ok(()) => tracing::debug!("{serial}: an adb host left"),
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    tracing::warn!("{serial}: the connection to an adb host was ended: {error}");
                }
                Err(error) => tracing::debug!("{serial}: an adb host is gone: {error}"),
            }
        });
    }
}

async fn serve_host(
    stream: TcpStream,
    device: Arc<dyn Device>,
    guard: Arc<Guard>,
    off: CancellationToken,
    entry: Entry,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (reader, writer) = stream.into_split();
    converse(reader, writer, device, guard, off, entry).await
}

/// Serves one host until it leaves, breaks the protocol, or the device starts anew.
async fn converse<R, W>(
    reader: R,
    writer: W,
    device: Arc<dyn Device>,
    guard: Arc<Guard>,
    off: CancellationToken,
    entry: Entry,
) -> io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut restarts = device.restarts();
    let (out, queue) = mpsc::channel(QUEUE);
    let leave = entry.leave();
    let door = Door { out, device: device.clone(), off, link: Arc::default() };
    let mut host = Greeted { reader, entry, door, guard, hello: None, token: Vec::new(), asking: None };
    tokio::select! {
        ended = host.listen() => ended,
        ended = send(queue, writer) => ended,
        () = restarted(&mut restarts) => Ok(()),
        () = leave.cancelled() => Err(io::ErrorKind::ConnectionAborted.into()),
    }
}

/// Writes packets until the connection ends.
async fn send(mut queue: mpsc::Receiver<Vec<u8>>, mut writer: impl AsyncWrite + Unpin) -> io::Result<()> {
    while let Some(bytes) = queue.recv().await {
        writer.write_all(&bytes).await?;
    }
    Ok(())
}

/// A connection, from the first word of its host on.
struct Greeted<R> {
    reader: R,
    entry: Entry,
    door: Door,
    guard: Arc<Guard>,
    /// What the host said of itself.
    hello: Option<Terms>,
    /// What it was given to sign last.
    token: Vec<u8>,
    /// Takes the question back that the device's owner is asked.
    asking: Option<DropGuard>,
}

/// What lets a host in.
#[derive(Clone)]
struct Door {
    out: mpsc::Sender<Vec<u8>>,
    device: Arc<dyn Device>,
    off: CancellationToken,
    /// What carries the streams, once the host was let in.
    link: Arc<Mutex<Option<Arc<Link>>>>,
}

impl<R: AsyncRead + Unpin> Greeted<R> {
    async fn listen(&mut self) -> io::Result<()> {
        while let Some(packet) = self.next().await? {
            let Some(link) = self.door.link().filter(|_| packet.command != Command::Connect) else {
                self.greet(packet).await?;
                continue;
            };
            match packet.command {
                Command::Open => link.open(packet, &self.door.device).await?,
                Command::Okay => link.okay(&packet),
                Command::Write => link.write(packet).await?,
                Command::Close => link.close(&packet).await?,
                Command::Connect | Command::Authorize => {}
                Command::Encrypt => return Err(no_tls()),
            }
        }
        Ok(())
    }

    async fn next(&mut self) -> io::Result<Option<Packet>> {
        let sums = self.hello.as_ref().is_none_or(|terms| terms.sums);
        let reading = packet::read(&mut self.reader, sums);
        if self.hello.is_some() {
            return reading.await;
        }
        let first = timeout(GREETING_TIME, reading).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))?;
        if first.as_ref().is_some_and(|packet| packet.command == Command::Connect) {
            self.entry.identify()?;
        }
        Ok(first)
    }

    /// Takes what comes before the host is let in; a host that begins anew loses its streams.
    async fn greet(&mut self, packet: Packet) -> io::Result<()> {
        match (packet.command, self.hello) {
            (Command::Connect, _) => {
                let terms = Terms::of(&packet)?;
                (self.hello, self.asking) = (Some(terms), None);
                *self.door.link.lock() = None;
                if self.guard.lets_everybody_in() { self.door.admit(terms).await } else { self.ask_for_key().await }
            }
            (Command::Authorize, Some(terms)) => self.identify(&packet, terms).await,
            (Command::Encrypt, _) => Err(no_tls()),
            (other, _) => Err(invalid(format!("{other:?} before the host was let in"))),
        }
    }

    /// Takes a signature, or a key, of which the device's owner may be asked.
    async fn identify(&mut self, packet: &Packet, terms: Terms) -> io::Result<()> {
        let verdict = match packet.first {
            SIGNATURE_KIND => self.guard.check_signature(&self.token, &packet.payload),
            PUBLIC_KEY_KIND => self.guard.check_key(&packet.payload),
            _ => Verdict::Unknown,
        };
        match verdict {
            Verdict::Known => self.door.admit(terms).await,
            Verdict::Unknown => self.ask_for_key().await,
            // As on a phone whose owner does not answer.
            Verdict::Ignored => Ok(()),
            Verdict::Ask(key) => {
                let gone = CancellationToken::new();
                let (guard, door) = (self.guard.clone(), self.door.clone());
                self.asking = Some(gone.clone().drop_guard());
                tokio::spawn(async move {
                    let trust = door.device.ask(key.fingerprint(), &gone).await;
                    if !gone.is_cancelled() && guard.take(key, trust) {
                        // Where this fails, the host has gone.
                        let _ = door.admit(terms).await;
                    }
                });
                Ok(())
            }
        }
    }

    async fn ask_for_key(&mut self) -> io::Result<()> {
        self.token = std::iter::repeat_with(|| fastrand::u8(..)).take(TOKEN).collect();
        self.door.say(Packet::new(Command::Authorize, TOKEN_KIND, 0, self.token.clone())).await
    }
}

impl Door {
    fn link(&self) -> Option<Arc<Link>> {
        self.link.lock().clone()
    }

    async fn admit(&self, terms: Terms) -> io::Result<()> {
        let banner = banner(self.device.as_ref());
        let payload = u32::try_from(MAX_PAYLOAD).unwrap_or(u32::MAX);
        // Before the host may use it.
        *self.link.lock() = Some(Arc::new(Link::new(terms, self.out.clone(), self.off.clone())));
        self.say(Packet::new(Command::Connect, terms.version, payload, banner)).await
    }

    /// Sends a packet of the greeting; these always carry sums, as the first version has it.
    async fn say(&self, packet: Packet) -> io::Result<()> {
        self.out.send(packet.encode(true)).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl Terms {
    /// Reads what the host says in its `CNXN`.
    fn of(packet: &Packet) -> io::Result<Self> {
        let banner = String::from_utf8_lossy(&packet.payload);
        let payload = packet.second as usize;
        if payload < MIN_PAYLOAD {
            return Err(invalid(format!(
                "a host that takes {payload} bytes, less than the {MIN_PAYLOAD} of every peer"
            )));
        }
        let version = packet.first.clamp(packet::VERSION_WITH_SUMS, packet::VERSION);
        let sums = version == packet::VERSION_WITH_SUMS;
        Ok(Self {
            version,
            payload: payload.min(MAX_PAYLOAD),
            sums,
            delayed: features(&banner).any(|name| name == DELAYED_ACK),
        })
    }
}

/// Returns the features in `host::features=a,b;…`.
fn features(banner: &str) -> impl Iterator<Item = &str> {
    let lists = banner.trim_end_matches('\0').split([';', ':']).filter_map(|part| part.strip_prefix("features="));
    lists.flat_map(|list| list.split(','))
}

/// What the device says of itself.
fn banner(device: &dyn Device) -> String {
    let about = device.description();
    let features = device.features().join(",");
    format!(
        "device::ro.product.name={};ro.product.model={};ro.product.device={};features={features},{DELAYED_ACK}",
        about.product, about.model, about.device
    )
}

fn no_tls() -> io::Error {
    invalid("the host began TLS, which was not offered".to_owned())
}
