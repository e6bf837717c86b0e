//! An adbd: adb servers that connect (`adb connect`) → packets → a device's services, each on a stream of its own.
//!
//! Serves one [`Device`], and knows nothing of what it is. Source: AOSP `packages/modules/adb/protocol.txt`, `adb.cpp`
//! (`handle_packet`), `docs/dev/delayed_ack.md`. What is no packet, or comes where it may not, ends the connection.

mod link;
mod lobby;
mod meter;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::net::tcp::OwnedReadHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use self::link::{Link, Terms};
use self::lobby::{Entry, Lobby};
use super::packet::{self, Command, MAX_PAYLOAD, MIN_PAYLOAD, Packet};
use super::service::Device;
use super::wire::invalid;

/// How long a host may take to say who it is.
const GREETING_TIME: Duration = Duration::from_secs(10);
/// Packets that wait to be sent.
const QUEUE: usize = 8;
/// What we offer where the host offers it, too.
const DELAYED_ACK: &str = "delayed_ack";
/// `AUTH` with a token to sign, and with a key to trust from now on.
const TOKEN: u32 = 1;
const PUBLIC_KEY: u32 = 3;
const TOKEN_SIZE: usize = 20;

/// Whom the device lets in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Admission {
    /// Everybody, without being asked for a key.
    #[default]
    Everybody,
    /// Whoever offers a key, as a person would who always allows it. Signatures are not checked.
    AnyKey,
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
    let lobby = Lobby::new();
    let mut hosts = JoinSet::new();
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
        let (device, off) = (device.clone(), off.clone());
        let entry = lobby.enter();
        hosts.spawn(async move {
            let serial = device.serial().to_owned();
            match serve_host(stream, device, admission, off, entry).await {
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
    admission: Admission,
    off: CancellationToken,
    entry: Entry,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let (reader, writer) = stream.into_split();
    let (out, queue) = mpsc::channel(QUEUE);
    let leave = entry.leave();
    let mut host = Greeted { reader, entry, out, device: device.clone(), admission, off, hello: None, link: None };
    tokio::select! {
        ended = host.listen() => ended,
        ended = send(queue, writer) => ended,
        () = device.restarted() => Ok(()),
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
struct Greeted {
    reader: OwnedReadHalf,
    entry: Entry,
    out: mpsc::Sender<Vec<u8>>,
    device: Arc<dyn Device>,
    admission: Admission,
    off: CancellationToken,
    /// What the host said of itself.
    hello: Option<Terms>,
    /// What carries the streams, once the host was let in.
    link: Option<Link>,
}

impl Greeted {
    async fn listen(&mut self) -> io::Result<()> {
        while let Some(packet) = self.next().await? {
            let Some(link) = self.link.as_ref().filter(|_| packet.command != Command::Connect) else {
                self.greet(packet).await?;
                continue;
            };
            match packet.command {
                Command::Open => link.open(packet, &self.device).await?,
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
        match packet.command {
            Command::Connect => {
                self.link = None;
                self.hello = Some(Terms::of(&packet)?);
                match self.admission {
                    Admission::Everybody => self.admit().await,
                    Admission::AnyKey | Admission::Nobody => self.ask_for_key().await,
                }
            }
            Command::Authorize if self.hello.is_some() => match (packet.first, self.admission) {
                (PUBLIC_KEY, Admission::AnyKey) => self.admit().await,
                // As on a phone whose owner does not answer.
                (PUBLIC_KEY, _) => Ok(()),
                _ => self.ask_for_key().await,
            },
            Command::Encrypt => Err(no_tls()),
            other => Err(invalid(format!("{other:?} before the host was let in"))),
        }
    }

    async fn ask_for_key(&self) -> io::Result<()> {
        let token: Vec<u8> = std::iter::repeat_with(|| fastrand::u8(..)).take(TOKEN_SIZE).collect();
        self.say(Packet::new(Command::Authorize, TOKEN, 0, token)).await
    }

    async fn admit(&mut self) -> io::Result<()> {
        let Some(terms) = self.hello else { return Ok(()) };
        let banner = banner(self.device.as_ref());
        let payload = u32::try_from(MAX_PAYLOAD).unwrap_or(u32::MAX);
        self.say(Packet::new(Command::Connect, terms.version, payload, banner)).await?;
        self.link = Some(Link::new(terms, self.out.clone(), self.off.clone()));
        Ok(())
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
