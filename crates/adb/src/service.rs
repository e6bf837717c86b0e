//! What an adb server and an adbd both hand out: a device's services, each with a stream for itself, and the way back to the
//! host.
//!
//! Knows neither of the two protocols that carry the streams.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

/// How long a program on this machine may take to accept a connection.
const CONNECT_TIME: Duration = Duration::from_secs(5);

/// Both directions of a service, whatever carries them.
pub trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// The stream that a service has for itself.
pub type Stream = Box<dyn Duplex>;
/// A service at work; it ends when it is done or when its client is gone.
pub type Running = Pin<Box<dyn Future<Output = ()> + Send>>;
/// A service that was granted: runs once it is handed its stream.
pub type Service = Box<dyn FnOnce(Stream) -> Running + Send>;

/// What stands behind a serial in `adb devices -l`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    pub product: String,
    /// May hold spaces.
    pub model: String,
    pub device: String,
}

/// What the owner of a device thinks of a computer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    Refused,
    /// For as long as it stays connected.
    Once,
    Always,
}

/// A device, as an adb server or an adbd shows it.
#[async_trait]
pub trait Device: Send + Sync + 'static {
    fn serial(&self) -> &str;
    fn description(&self) -> Description;
    /// What it can do beyond the first version of the protocol: `shell_v2`, `cmd`, `stat_v2`.
    fn features(&self) -> &[&str];
    /// Grants or refuses a service such as `shell:ls`; the refusal is what the client reads behind `FAIL`. `host` leads to
    /// the side that asks.
    async fn open(&self, service: &str, host: Arc<dyn Host>) -> Result<Service, String>;
    /// Asks the device's owner, on its screen, whether to trust a computer; `gone` is cancelled when nobody waits for the answer
    /// any more, and then the question goes away.
    async fn ask(&self, _fingerprint: &str, _gone: &CancellationToken) -> Trust {
        Trust::Refused
    }
    /// When the device started anew last; whoever holds it is told of the next time. Who is connected to it as to an adbd is cut off
    /// then.
    fn restarts(&self) -> watch::Receiver<Option<Instant>>;
}

/// The side that uses a device, as the device reaches it for `adb reverse`.
#[async_trait]
pub trait Host: Send + Sync + 'static {
    /// Opens what the host calls `tcp:8081`.
    async fn open(&self, service: &str) -> io::Result<Stream>;
    /// Cancelled once the host cannot be reached any more.
    fn gone(&self) -> CancellationToken;
}

/// This machine as the host of an adb server's devices: TCP ports of loopback.
pub(super) struct Loopback {
    pub(super) gone: CancellationToken,
}

#[async_trait]
impl Host for Loopback {
    async fn open(&self, service: &str) -> io::Result<Stream> {
        let port = service.strip_prefix("tcp:").and_then(|port| port.parse().ok());
        let refused = || io::Error::new(io::ErrorKind::Unsupported, "only tcp:PORT is reached on the host's side");
        Ok(Box::new(dial(port.ok_or_else(refused)?).await?))
    }

    fn gone(&self) -> CancellationToken {
        self.gone.clone()
    }
}

/// Connects to a port of 127.0.0.1.
pub async fn dial(port: u16) -> io::Result<TcpStream> {
    let connecting = TcpStream::connect((std::net::Ipv4Addr::LOCALHOST, port));
    let stream = timeout(CONNECT_TIME, connecting).await.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Carries bytes both ways until either side ends; adb's streams are never closed on one side only.
pub async fn join(a: Stream, b: Stream) {
    let ((mut from_a, mut to_a), (mut from_b, mut to_b)) = (tokio::io::split(a), tokio::io::split(b));
    // Which side ended, and how, is of no use to the other.
    tokio::select! {
        _ = carry(&mut from_a, &mut to_b) => {}
        _ = carry(&mut from_b, &mut to_a) => {}
    }
}

async fn carry<R, W>(from: &mut R, to: &mut W) -> io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    use tokio::io::AsyncWriteExt as _;
    tokio::io::copy(from, to).await?;
    to.shutdown().await
}

/// Returns when a device starts anew, after what `restarts` was told already; never, where it cannot any more.
pub(super) async fn restarted(restarts: &mut watch::Receiver<Option<Instant>>) {
    if restarts.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
}
