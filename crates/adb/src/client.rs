//! Requests to an adb server: what it is, what is connected, and streams to services.
//!
//! One connection per request; dropping a request's future closes it. A request cannot be sent along with the choice of the
//! device before it, because adb servers forget what stands behind that choice in the same packet.

use std::io;
use std::time::Duration;

use async_trait::async_trait;
use tokio::net::TcpStream;

use super::device::Device;
use super::error::{Error, broken, refusal};
use super::listing::{self, Listed};
use super::service::Stream;
use super::transport::Transport;
use super::wire::{self, MAX_MESSAGE, Status};

/// Where an adb server listens when nobody says otherwise.
pub const DEFAULT_ADDRESS: &str = "127.0.0.1:5037";

/// How long is waited, and how much is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For a connection to the adb server.
    pub connect: Duration,
    /// For a whole request, its connection included.
    pub command: Duration,
    /// Bytes of an answer.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connect: Duration::from_secs(2), command: Duration::from_secs(30), output: 64 << 20 }
    }
}

impl Limits {
    /// Ends a request that takes longer than [`Limits::command`].
    pub(super) async fn within<T>(&self, request: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let after = self.command;
        tokio::time::timeout(after, request).await.unwrap_or(Err(Error::Timeout { after }))
    }
}

/// An adb server. Nothing is connected before something is asked.
#[derive(Clone, Debug)]
pub struct Server {
    address: String,
    limits: Limits,
}

impl Server {
    /// Names a server by host and port: `127.0.0.1:5037`, `[::1]:5037`.
    pub fn new(address: impl Into<String>) -> Self {
        Self { address: address.into(), limits: Limits::default() }
    }

    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Names one of the server's devices, which need not be there.
    pub fn device(&self, serial: impl Into<String>) -> Device {
        Device::new(self.clone(), serial)
    }

    /// Returns the version of the server's protocol: 41 for every adb since 2018.
    pub async fn version(&self) -> Result<u32, Error> {
        let answer = self.ask("", "host:version").await?;
        let text = String::from_utf8_lossy(&answer);
        u32::from_str_radix(text.trim(), 16)
            .map_err(|_| Error::Protocol { message: format!("`{text}` is not a version of adb") })
    }

    /// Lists what is connected, in whatever state.
    pub async fn devices(&self) -> Result<Vec<Listed>, Error> {
        let answer = self.ask("", "host:devices-l").await?;
        Ok(listing::parse(&String::from_utf8_lossy(&answer)))
    }

    /// Tells of every list of what is connected that the server sends, one at once and one at each change, until it breaks off.
    pub(super) async fn track(&self, mut told: impl FnMut()) -> Result<(), Error> {
        let mut stream = self.connect().await?;
        self.limits.within(self.request(&mut stream, "", "host:track-devices")).await?;
        loop {
            wire::read_message(&mut stream, MAX_MESSAGE).await.map_err(|error| self.broken(&error))?;
            told();
        }
    }

    /// Asks the server something that has one message as its answer; `serial` is for errors only.
    async fn ask(&self, serial: &str, request: &str) -> Result<Vec<u8>, Error> {
        let answer = async {
            let mut stream = self.connect().await?;
            self.request(&mut stream, serial, request).await?;
            wire::read_message(&mut stream, MAX_MESSAGE).await.map_err(|error| self.broken(&error))
        };
        self.limits.within(answer).await
    }

    async fn connect(&self) -> Result<TcpStream, Error> {
        let after = self.limits.connect;
        let connected = tokio::time::timeout(after, TcpStream::connect(&self.address)).await;
        let stream = connected.map_err(|_| Error::Timeout { after })?.map_err(|error| self.unreachable(&error))?;
        stream.set_nodelay(true).map_err(|error| self.broken(&error))?;
        Ok(stream)
    }

    async fn request(&self, stream: &mut TcpStream, serial: &str, request: &str) -> Result<(), Error> {
        let sent = wire::write_message(stream, request.as_bytes()).await;
        sent.map_err(|error| self.broken(&error))?;
        match wire::read_status(stream).await.map_err(|error| self.broken(&error))? {
            Status::Okay => Ok(()),
            Status::Fail(reason) => Err(refusal(serial, &reason)),
        }
    }

    fn unreachable(&self, error: &io::Error) -> Error {
        let reason = match error.kind() {
            io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
            _ => error.to_string(),
        };
        Error::NoServer { address: self.address.clone(), reason }
    }

    fn broken(&self, error: &io::Error) -> Error {
        broken(&format!("the adb server at {}", self.address), error)
    }
}

#[async_trait]
impl Transport for Server {
    async fn devices(&self) -> Result<Vec<Listed>, Error> {
        self.devices().await
    }

    async fn features(&self, serial: &str) -> Result<Vec<String>, Error> {
        match self.ask(serial, &format!("host-serial:{serial}:features")).await {
            // A server that is too old for the question has no device with features.
            Err(Error::Refused { .. }) => Ok(Vec::new()),
            Ok(text) => Ok(String::from_utf8_lossy(&text).split(',').map(|name| name.trim().to_owned()).collect()),
            Err(error) => Err(error),
        }
    }

    async fn open(&self, serial: &str, service: &str) -> Result<Stream, Error> {
        let mut stream = self.connect().await?;
        self.request(&mut stream, serial, &format!("host:transport:{serial}")).await?;
        self.request(&mut stream, serial, service).await?;
        Ok(Box::new(stream))
    }

    fn limits(&self) -> Limits {
        self.limits
    }
}
