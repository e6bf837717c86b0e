//! A way to a port of a phone: over the network, or over USB by the multiplexer.

use std::io;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;
pub(crate) use uixt_lane::Stream;
use uixt_lane::{Connector, Lane};

use crate::usbmux::{self, Address};

/// How long a host may take to take a connection.
const PATIENCE: Duration = Duration::from_secs(5);

/// The way to a phone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// A host where the phone's ports are, such as the phone itself, or this computer where something forwards them.
    Host(String),
    /// The phone of this UDID on USB.
    Usb(Address, String),
}

/// Why there is no stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unreached {
    /// The multiplexer said so.
    Usb(usbmux::Failure),
    /// The host takes no connection on this port; the text says why.
    Refused(String),
    /// The host is not there, or not found; the text says why.
    NoHost(String),
}

/// A port of a phone where `WebDriverAgent` listens.
#[derive(Clone, Debug)]
pub(crate) struct Port {
    pub(crate) way: Way,
    pub(crate) number: u16,
}

/// One connection to `WebDriverAgent`. It wants the length of each body told, takes no chunks, and knows no path with a slash at its end.
pub(crate) type Http = Lane<Port>;

/// Why there is no answer of `WebDriverAgent`.
pub(crate) type Failure = uixt_lane::Failure<Unreached>;

impl Connector for Port {
    type Error = Unreached;

    async fn connect(&self) -> Result<Box<dyn Stream>, Unreached> {
        self.way.connect(self.number).await
    }

    fn hangs_up(&self) -> Unreached {
        Unreached::Refused("what listens there hangs up".to_owned())
    }
}

impl Way {
    /// Opens a stream to a port of the phone.
    pub(crate) async fn connect(&self, port: u16) -> Result<Box<dyn Stream>, Unreached> {
        match self {
            Self::Usb(address, udid) => address.stream(udid, port).await.map_err(Unreached::Usb),
            Self::Host(host) => {
                let late = || Unreached::NoHost(format!("no answer within {} s", PATIENCE.as_secs()));
                let connecting = timeout(PATIENCE, TcpStream::connect((host.as_str(), port))).await;
                let stream = connecting.map_err(|_| late())?.map_err(|error| unreached(&error))?;
                // What is written is written at once: each request is one small piece.
                stream.set_nodelay(true).map_err(|error| unreached(&error))?;
                Ok(Box::new(stream))
            }
        }
    }
}

fn unreached(error: &io::Error) -> Unreached {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Unreached::Refused("connection refused".to_owned()),
        io::ErrorKind::ConnectionReset => Unreached::Refused("connection reset".to_owned()),
        _ => Unreached::NoHost(error.to_string()),
    }
}
