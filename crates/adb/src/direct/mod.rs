//! Phones without an adb server: straight to each phone's own adbd, over TCP and USB.
//!
//! Connections are begun when they are first needed, stay for as long as this lives, and are begun anew when they broke. All of
//! it is asynchronous: no call blocks a thread, and dropping a call's future closes its stream.

mod carrier;
mod connection;
#[cfg(test)]
mod fuzz;
mod handshake;
mod keys;
mod link;
mod sink;
#[cfg(test)]
mod tests;
mod timeouts;
#[cfg(feature = "usb")]
mod usb;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use async_trait::async_trait;
use futures_util::future::join_all;
use parking_lot::Mutex;

use self::connection::Connection;
pub use self::keys::KeyPlaces;
use self::keys::Ring;
use self::link::Link;
use super::client::Limits;
use super::error::Error;
use super::listing::Listed;
use super::service::Stream;
use super::transport::Transport;

/// The phones that are reached without an adb server. Clones share their connections.
#[derive(Clone, Debug)]
pub struct Direct {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    ring: Arc<Ring>,
    /// Addresses of phones over TCP, which nothing but their names leads to.
    named: Mutex<BTreeSet<String>>,
    /// By serial.
    links: Mutex<HashMap<String, Arc<Link>>>,
}

impl Direct {
    /// Begins with no phone over TCP; those on USB are found.
    pub fn new(places: KeyPlaces) -> Self {
        let inner = Inner { ring: Arc::new(Ring::new(places)), named: Mutex::default(), links: Mutex::default() };
        Self { inner: Arc::new(inner) }
    }

    /// Adds a phone over TCP, named as `192.168.1.7:5555`, `phone.local:5555` or `[fe80::1]:5555`; what names no address is
    /// left out.
    pub fn add(&self, serial: &str) {
        if is_address(serial) {
            self.inner.named.lock().insert(serial.to_owned());
        }
    }

    /// Returns the connection to a phone; begins one where there is none that stands.
    async fn connection(&self, serial: &str) -> Result<Connection, Error> {
        self.add(serial);
        let (link, is_new) = self.link(serial);
        let connection = match link.connection().await {
            // What somebody else began may have led to a phone that is gone, and is back now.
            Err(Error::Vanished { .. }) if !is_new => self.link(serial).0.connection().await?,
            connection => connection?,
        };
        match connection.shared.hello.state.as_str() {
            "device" => Ok(connection),
            state => Err(Error::Refused { message: format!("device `{serial}` is in state `{state}`") }),
        }
    }

    /// Returns the way to a phone's connection, and whether it was begun now.
    fn link(&self, serial: &str) -> (Arc<Link>, bool) {
        let mut links = self.inner.links.lock();
        links.retain(|_, link| !link.is_over());
        let is_new = !links.contains_key(serial);
        let begin = || Arc::new(Link::begin(serial, Arc::clone(&self.inner.ring)));
        (Arc::clone(links.entry(serial.to_owned()).or_insert_with(begin)), is_new)
    }

    async fn serials(&self) -> BTreeSet<String> {
        let mut serials = self.inner.named.lock().clone();
        serials.extend(on_usb().await);
        serials
    }

    async fn listed(&self, serial: String) -> Listed {
        match self.connection(&serial).await {
            Ok(connection) => {
                let hello = &connection.shared.hello;
                Listed {
                    serial,
                    state: "device".to_owned(),
                    model: hello.model.clone(),
                    product: hello.product.clone(),
                }
            }
            Err(error) => Listed { serial, state: state_of(&error), ..Listed::default() },
        }
    }
}

#[async_trait]
impl Transport for Direct {
    async fn devices(&self) -> Result<Vec<Listed>, Error> {
        let serials = self.serials().await;
        Ok(join_all(serials.into_iter().map(|serial| self.listed(serial))).await)
    }

    async fn features(&self, serial: &str) -> Result<Vec<String>, Error> {
        Ok(self.connection(serial).await?.shared.hello.features.clone())
    }

    async fn open(&self, serial: &str, service: &str) -> Result<Stream, Error> {
        self.connection(serial).await?.open(service).await
    }

    fn limits(&self) -> Limits {
        Limits::default()
    }
}

#[cfg(feature = "usb")]
async fn on_usb() -> Vec<String> {
    usb::serials().await
}

#[cfg(not(feature = "usb"))]
#[expect(clippy::unused_async, reason = "as where USB is built in")]
async fn on_usb() -> Vec<String> {
    Vec::new()
}

/// Returns the word by which a list tells that a phone cannot be used.
fn state_of(error: &Error) -> String {
    match error {
        Error::Asking { .. } => "unauthorized".to_owned(),
        Error::Unreachable { reason, .. } => format!("unreachable ({reason})"),
        Error::Encrypted { .. } => "encrypted".to_owned(),
        Error::Refused { message } => message.rsplit('`').nth(1).unwrap_or("unusable").to_owned(),
        _ => "offline".to_owned(),
    }
}

/// Tells whether a serial is the address of a phone over TCP.
fn is_address(serial: &str) -> bool {
    serial
        .rsplit_once(':')
        .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0))
}

/// Makes keys of a computer, which are gone with the folder.
#[cfg(test)]
pub(super) fn test_keys() -> (tempfile::TempDir, keys::Keys) {
    let folder = tempfile::tempdir().unwrap();
    let places = KeyPlaces { folder: folder.path().to_owned(), others: Vec::new() };
    let keys = keys::Keys::load(&places).unwrap();
    (folder, keys)
}
