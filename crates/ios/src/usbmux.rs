//! The multiplexer of iPhones on USB (`usbmuxd`): what is connected, and streams to their ports.
//!
//! A frame is four words of 32 bits, lowest byte first (its length, version 1, type 8, a tag), and a property list. Source:
//! libimobiledevice, `libusbmuxd/src/usbmuxd-proto.h`.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::plist::{self, Entry};
use crate::stream::Stream;

/// Where it listens by itself.
const USUAL: &str = "/var/run/usbmuxd";
/// What names another place: `UNIX:/path`, `/path` or `host:port`.
pub(crate) const VARIABLE: &str = "USBMUXD_SOCKET_ADDRESS";
const VERSION: u32 = 1;
const PLIST: u32 = 8;
const HEAD: usize = 16;
/// Bytes of an answer: a list of all phones has some kilobytes.
const LONGEST: usize = 4 << 20;
/// How long it may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where the multiplexer listens.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Address {
    /// A socket of the file system.
    Socket(String),
    /// A host and a port.
    Tcp(String),
}

/// A phone that is connected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attached {
    /// The multiplexer's own number of it, another one each time it is plugged in.
    pub(crate) number: u64,
    pub(crate) udid: String,
    pub(crate) is_on_usb: bool,
}

/// Why there is no answer, or no stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// There is no multiplexer; the text says why.
    Absent(String),
    /// It has no such phone.
    NoPhone,
    /// Nothing listens on that port of the phone.
    Refused,
    /// It answered something else.
    Odd(String),
}

impl Address {
    /// Reads what the environment says, or takes the usual place.
    pub fn of_environment() -> Self {
        std::env::var(VARIABLE)
            .ok()
            .filter(|told| !told.is_empty())
            .map_or_else(|| Self::Socket(USUAL.to_owned()), |told| Self::parse(&told))
    }

    /// Reads `UNIX:/path`, `/path` or `host:port`.
    pub fn parse(text: &str) -> Self {
        match text.strip_prefix("UNIX:").or_else(|| text.starts_with('/').then_some(text)) {
            Some(path) => Self::Socket(path.to_owned()),
            None => Self::Tcp(text.to_owned()),
        }
    }

    /// Returns it as it is written.
    pub(crate) fn words(&self) -> &str {
        match self {
            Self::Socket(path) => path,
            Self::Tcp(address) => address,
        }
    }

    async fn connect(&self) -> io::Result<Box<dyn Stream>> {
        match self {
            #[cfg(unix)]
            Self::Socket(path) => Ok(Box::new(tokio::net::UnixStream::connect(path).await?)),
            #[cfg(not(unix))]
            Self::Socket(_) => Ok(Box::new(TcpStream::connect("127.0.0.1:27015").await?)),
            Self::Tcp(address) => Ok(Box::new(TcpStream::connect(address).await?)),
        }
    }

    /// Lists the phones that are connected.
    pub(crate) async fn devices(&self) -> Result<Vec<Attached>, Failure> {
        let (_, answer) = self.ask(&[("MessageType", Entry::Text("ListDevices"))]).await?;
        let document = plist::document(&answer).map_err(Failure::Odd)?;
        let list = plist::root(&document).and_then(|dict| plist::value(dict, "DeviceList"));
        let list = list.ok_or_else(|| Failure::Odd("it lists no devices".to_owned()))?;
        Ok(list.children().filter(|one| one.has_tag_name("dict")).filter_map(attached).collect())
    }

    /// Opens a stream to a port of the phone of this UDID.
    pub(crate) async fn stream(&self, udid: &str, port: u16) -> Result<Box<dyn Stream>, Failure> {
        let devices = self.devices().await?;
        let mut known = devices.iter().filter(|device| is_same(&device.udid, udid));
        let first = known.clone().find(|device| device.is_on_usb).or_else(|| known.next());
        let number = first.ok_or(Failure::NoPhone)?.number;
        // The highest byte comes first, as on the network.
        let port = u64::from(port.swap_bytes());
        let entries = [
            ("MessageType", Entry::Text("Connect")),
            ("DeviceID", Entry::Number(number)),
            ("PortNumber", Entry::Number(port)),
        ];
        let (stream, answer) = self.ask(&entries).await?;
        match result(&answer)? {
            0 => Ok(stream),
            2 => Err(Failure::NoPhone),
            3 => Err(Failure::Refused),
            other => Err(Failure::Odd(format!("it answered result {other}"))),
        }
    }

    /// Waits until a phone is plugged in or out, however often that is; returns where the multiplexer goes.
    pub(crate) async fn listen(&self, mut changed: impl FnMut() + Send) -> Result<(), Failure> {
        let (mut stream, answer) = self.ask(&[("MessageType", Entry::Text("Listen"))]).await?;
        match result(&answer)? {
            0 => {}
            other => return Err(Failure::Odd(format!("it answered result {other}"))),
        }
        loop {
            let told = receive(&mut stream).await?;
            if ["Attached", "Detached", "Paired"].iter().any(|kind| told.contains(&format!("<string>{kind}</string>")))
            {
                changed();
            }
        }
    }

    /// Sends a request over a connection of its own, and returns that with the answer.
    async fn ask(&self, entries: &[(&str, Entry<'_>)]) -> Result<(Box<dyn Stream>, String), Failure> {
        let exchange = async {
            let connected = self.connect().await;
            let mut stream = connected.map_err(|error| Failure::Absent(reason(&error)))?;
            let about = [
                ("ProgName", Entry::Text("uixt")),
                ("ClientVersionString", Entry::Text("uixt")),
                ("kLibUSBMuxVersion", Entry::Number(3)),
            ];
            let body = plist::write(&[entries, &about[..]].concat());
            stream.write_all(&frame(&body)).await.map_err(|error| Failure::Absent(reason(&error)))?;
            let answer = receive(&mut stream).await?;
            Ok((stream, answer))
        };
        let late = || Failure::Absent(format!("it does not answer within {} s", PATIENCE.as_secs()));
        timeout(PATIENCE, exchange).await.unwrap_or_else(|_| Err(late()))
    }
}

/// Tells whether two spellings of a UDID mean the same phone: the newer ones have a dash, which some leave out.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    let plain = |udid: &str| udid.replace('-', "").to_ascii_lowercase();
    plain(one) == plain(other)
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such socket".to_owned(),
        io::ErrorKind::ConnectionRefused => "nothing listens there".to_owned(),
        io::ErrorKind::PermissionDenied => "this user may not use it".to_owned(),
        io::ErrorKind::UnexpectedEof => "it hung up".to_owned(),
        _ => error.to_string(),
    }
}

fn frame(body: &str) -> Vec<u8> {
    let length = u32::try_from(HEAD + body.len()).unwrap_or(u32::MAX);
    let mut bytes: Vec<u8> = [length, VERSION, PLIST, 1].into_iter().flat_map(u32::to_le_bytes).collect();
    bytes.extend_from_slice(body.as_bytes());
    bytes
}

async fn receive(stream: &mut Box<dyn Stream>) -> Result<String, Failure> {
    let gone = |error: io::Error| Failure::Absent(reason(&error));
    let mut head = [0; HEAD];
    stream.read_exact(&mut head).await.map_err(gone)?;
    let length = u32::from_le_bytes([head[0], head[1], head[2], head[3]]) as usize;
    if !(HEAD..=LONGEST).contains(&length) {
        return Err(Failure::Odd(format!("a frame of {length} bytes")));
    }
    let mut body = vec![0; length - HEAD];
    stream.read_exact(&mut body).await.map_err(gone)?;
    String::from_utf8(body).map_err(|_| Failure::Odd("a frame that is no text".to_owned()))
}

fn result(answer: &str) -> Result<u64, Failure> {
    let document = plist::document(answer).map_err(Failure::Odd)?;
    let number = plist::root(&document).and_then(|dict| plist::number(dict, "Number"));
    number.ok_or_else(|| Failure::Odd("an answer without a result".to_owned()))
}

fn attached(device: roxmltree::Node) -> Option<Attached> {
    let properties = plist::value(device, "Properties")?;
    let number = plist::number(device, "DeviceID").or_else(|| plist::number(properties, "DeviceID"))?;
    let is_on_usb = plist::text(properties, "ConnectionType") != Some("Network");
    Some(Attached { number, udid: plist::text(properties, "SerialNumber")?.to_owned(), is_on_usb })
}
