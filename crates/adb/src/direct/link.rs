//! The way from a phone's serial to a connection that stands, and where it is on that way.

use std::io;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::connection::Connection;
use super::handshake;
use super::keys::{Keys, Ring};
use super::timeouts;
use crate::error::Error;

/// Where it is.
#[derive(Clone, Debug)]
enum State {
    Connecting,
    /// The phone asks its owner, and shows this fingerprint.
    Asking(String),
    Standing(Connection),
    Failed(Error),
}

/// A connection from its beginning on; ends when it is dropped.
#[derive(Debug)]
pub(super) struct Link {
    serial: String,
    state: watch::Receiver<State>,
    /// Until when those who need it wait.
    patience: Instant,
    _end: DropGuard,
}

impl Link {
    /// Begins to connect.
    pub(super) fn begin(serial: &str, ring: Arc<Ring>) -> Self {
        let (told, state) = watch::channel(State::Connecting);
        let end = CancellationToken::new();
        let serial = serial.to_owned();
        tokio::spawn({
            let (serial, end) = (serial.clone(), end.clone());
            async move {
                let connected = tokio::select! {
                    connected = connect(&serial, &ring, &told) => connected,
                    () = end.cancelled() => return,
                };
                // Nobody may wait for it any more.
                let _ = told.send(connected.map_or_else(State::Failed, State::Standing));
            }
        });
        Self { serial, state, patience: Instant::now() + timeouts::CALLER, _end: end.drop_guard() }
    }

    /// Tells whether nothing will come of it, or no more.
    pub(super) fn is_over(&self) -> bool {
        match &*self.state.borrow() {
            State::Failed(_) => true,
            State::Standing(connection) => connection.is_over(),
            State::Connecting | State::Asking(_) => self.state.has_changed().is_err(),
        }
    }

    /// Waits until the connection stands, for so long as is decent; less where somebody else waited before.
    pub(super) async fn connection(&self) -> Result<Connection, Error> {
        let mut state = self.state.clone();
        let settled = state.wait_for(|state| matches!(state, State::Standing(_) | State::Failed(_)));
        let end = self.patience.max(Instant::now() + timeouts::ONCE_MORE);
        let settled = timeout_at(end, settled).await.map(|state| state.map(|state| state.clone()));
        match settled {
            Ok(Ok(State::Standing(connection))) => return Ok(connection),
            Ok(Ok(State::Failed(error))) => return Err(error),
            _ => {}
        }
        match &*self.state.borrow() {
            State::Asking(fingerprint) => {
                Err(Error::Asking { serial: self.serial.clone(), fingerprint: fingerprint.clone() })
            }
            _ => Err(Error::Timeout { after: timeouts::CALLER }),
        }
    }
}

async fn connect(serial: &str, ring: &Ring, told: &watch::Sender<State>) -> Result<Connection, Error> {
    if !super::is_address(serial) {
        return connect_usb(serial, ring, told).await;
    }
    let (mut from, mut to) = dial(serial).await?.into_split();
    let hello = handshake::greet(&mut from, &mut to, ring, serial, |keys| asking(serial, keys, told)).await?;
    Ok(Connection::start(serial, hello, tokio::io::BufReader::new(from), Box::new(to)))
}

#[cfg(feature = "usb")]
async fn connect_usb(serial: &str, ring: &Ring, told: &watch::Sender<State>) -> Result<Connection, Error> {
    let (mut from, mut to) = super::usb::open(serial).await?;
    let hello = handshake::greet(&mut from, &mut to, ring, serial, |keys| asking(serial, keys, told)).await?;
    Ok(Connection::start(serial, hello, from, Box::new(to)))
}

#[cfg(not(feature = "usb"))]
#[expect(clippy::unused_async, reason = "as where USB is built in")]
async fn connect_usb(serial: &str, _ring: &Ring, _told: &watch::Sender<State>) -> Result<Connection, Error> {
    Err(Error::NoDevice { serial: serial.to_owned(), present: Vec::new() })
}

fn asking(serial: &str, keys: &Keys, told: &watch::Sender<State>) {
    tracing::warn!(
        "device `{serial}` asks on its screen whether to allow debugging from this computer: tap `Allow` there"
    );
    // Nobody may wait for it any more.
    let _ = told.send(State::Asking(keys.fingerprint()));
}

async fn dial(address: &str) -> Result<TcpStream, Error> {
    let unreachable = |error: io::Error| {
        let reason = match error.kind() {
            io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
            _ => error.to_string(),
        };
        Error::Unreachable { serial: address.to_owned(), reason }
    };
    let late = |_| unreachable(io::Error::other(format!("no answer within {} s", timeouts::CONNECT.as_secs())));
    let stream = timeout(timeouts::CONNECT, TcpStream::connect(address)).await.map_err(late)?.map_err(unreachable)?;
    stream.set_nodelay(true).map_err(unreachable)?;
    Ok(stream)
}
