//! A stand-in for usbmuxd: lists iPhones, tells of those that come and go, and leads streams to their ports.
//!
//! Frames are four little-endian words (length, version 1, type 8, tag) and a property list. Source: libusbmuxd `usbmuxd-proto.h`
//! and libimobiledevice's usbmuxd `client.c`.

use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::agent::Agent;
use super::lockdown::{self, Facts};
use super::plist::{self, Plist};
use super::running::Iphone;
use crate::adb::service::{Stream, join};
use crate::jobs::{self, Jobs};

/// Bytes of a frame.
const LARGEST: u32 = 1 << 20;
const VERSION: u32 = 1;
const PLIST: u32 = 8;
/// The ports of WDA and of the moving picture on a phone.
const WDA: u16 = 8100;
const MJPEG: u16 = 9100;

/// What a request comes to, as its `Number` says.
#[derive(Clone, Copy)]
enum Number {
    Ok = 0,
    BadCommand = 1,
    BadDevice = 2,
    Refused = 3,
    BadVersion = 6,
}

/// A phone as clients see it; their numbers begin with 1.
struct Device {
    facts: Facts,
    agent: Arc<Agent>,
    wda: SocketAddr,
    mjpeg: Option<SocketAddr>,
}

struct Shared {
    devices: Vec<Device>,
    /// The numbers of those that are plugged in.
    plugged: watch::Sender<BTreeSet<u64>>,
}

/// A running usbmuxd; dropping it ends it and the streams through it.
pub struct Usbmuxd {
    address: String,
    shared: Arc<Shared>,
    _clients: Jobs,
    /// The socket's file, which goes with it.
    _file: Option<File>,
}

struct File(String);

impl Drop for File {
    fn drop(&mut self) {
        // Where it is gone already, nothing is left to do.
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Usbmuxd {
    /// Starts one with these phones attached, on `HOST:PORT` (port 0: any free one) or on a Unix socket of this path.
    ///
    /// Fails where the address is taken, or where there are no Unix sockets.
    pub async fn start(address: &str, iphones: &[Iphone]) -> io::Result<Self> {
        let devices = iphones.iter().map(|iphone| Device {
            agent: iphone.agent().clone(),
            facts: Facts { udid: iphone.udid().to_owned(), name: iphone.name().to_owned() },
            wda: iphone.address(),
            mjpeg: iphone.mjpeg_address(),
        });
        let all = (1..).zip(iphones).map(|(number, _)| number).collect();
        let shared = Arc::new(Shared { devices: devices.collect(), plugged: watch::Sender::new(all) });
        let mut clients = Jobs::new();
        let is_host =
            !address.contains('/') && address.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let (address, file) = if is_host {
            let listener = TcpListener::bind(address).await?;
            let bound = listener.local_addr()?.to_string();
            jobs::begin(&mut clients, Box::pin(serve_tcp(listener, shared.clone())));
            (bound, None)
        } else {
            let path = address.trim_start_matches("UNIX:").to_owned();
            listen_on_file(&path, &shared, &mut clients)?;
            (path.clone(), Some(File(path)))
        };
        Ok(Self { address, shared, _clients: clients, _file: file })
    }

    /// Returns what `USBMUXD_SOCKET_ADDRESS` must be for its clients: `127.0.0.1:27015`, or a path.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Plugs the phone of this UDID in, or pulls it out; clients that listen are told. Nothing where there is none.
    pub fn plug(&self, udid: &str, is_in: bool) {
        let number =
            (1..).zip(&self.shared.devices).find(|(_, device)| device.facts.udid == udid).map(|(number, _)| number);
        if let Some(number) = number {
            self.shared.plugged.send_if_modified(
                |plugged| {
                    if is_in { plugged.insert(number) } else { plugged.remove(&number) }
                },
            );
        }
    }
}

#[cfg(unix)]
fn listen_on_file(path: &str, shared: &Arc<Shared>, clients: &mut Jobs) -> io::Result<()> {
    use std::os::unix::fs::FileTypeExt as _;
    // What an earlier one left is in the way; nothing else is taken away.
    if std::fs::symlink_metadata(path).is_ok_and(|data| data.file_type().is_socket()) {
        std::fs::remove_file(path)?;
    }
    let listener = tokio::net::UnixListener::bind(path)?;
    let shared = shared.clone();
    let serve = async move {
        let mut talks = Jobs::new();
        while let Ok((stream, _)) = listener.accept().await {
            while talks.try_join_next().is_some() {}
            jobs::begin(&mut talks, Box::pin(talk(shared.clone(), Box::new(stream))));
        }
    };
    jobs::begin(clients, Box::pin(serve));
    Ok(())
}

#[cfg(not(unix))]
fn listen_on_file(_: &str, _: &Arc<Shared>, _: &mut Jobs) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "there are no Unix sockets here; give HOST:PORT"))
}

async fn serve_tcp(listener: TcpListener, shared: Arc<Shared>) {
    let mut talks = Jobs::new();
    while let Ok((stream, _)) = listener.accept().await {
        while talks.try_join_next().is_some() {}
        jobs::begin(&mut talks, Box::pin(talk(shared.clone(), Box::new(stream))));
    }
}

async fn talk(shared: Arc<Shared>, stream: Stream) {
    if let Err(error) = converse(&shared, stream).await {
        tracing::debug!("a client of usbmuxd left: {error}");
    }
}

/// Answers requests until one makes the stream another one's.
async fn converse(shared: &Shared, mut stream: Stream) -> io::Result<()> {
    loop {
        let (version, tag, text) = receive(&mut stream).await?;
        let message = plist::read(&text).unwrap_or_default();
        let kind = plist::of(&message, "MessageType").unwrap_or_default();
        match kind {
            _ if version != VERSION => send_number(&mut stream, tag, Number::BadVersion).await?,
            "ListDevices" => {
                let plugged = shared.plugged.borrow().clone();
                let list = plugged.iter().filter_map(|number| attached(shared, *number)).collect();
                send(&mut stream, tag, &Plist::Map(vec![("DeviceList", Plist::List(list))])).await?;
            }
            "Listen" => {
                send_number(&mut stream, tag, Number::Ok).await?;
                return tell_of_changes(shared, stream).await;
            }
            "Connect" => {
                let number = |key| plist::of(&message, key).and_then(|text| text.parse::<u64>().ok());
                let port =
                    number("PortNumber").and_then(|port| u16::try_from(port & 0xffff).ok()).unwrap_or(0).swap_bytes();
                return connect(shared, stream, (tag, number("DeviceID").unwrap_or(0), port)).await;
            }
            "ReadBUID" => {
                let buid = Plist::Map(vec![("BUID", Plist::Text("30142955-444094379208051516"))]);
                send(&mut stream, tag, &buid).await?;
            }
            // There is none.
            "ReadPairRecord" | "DeletePairRecord" => send_number(&mut stream, tag, Number::BadDevice).await?,
            "ListListeners" => {
                send(&mut stream, tag, &Plist::Map(vec![("ListenerList", Plist::List(Vec::new()))])).await?;
            }
            _ => send_number(&mut stream, tag, Number::BadCommand).await?,
        }
    }
}

fn attached(shared: &Shared, number: u64) -> Option<Plist<'_>> {
    let device = shared.devices.get(usize::try_from(number).ok()?.checked_sub(1)?)?;
    let properties = Plist::Map(vec![
        ("ConnectionSpeed", Plist::Number(480_000_000)),
        ("ConnectionType", Plist::Text("USB")),
        ("DeviceID", Plist::Number(number)),
        ("LocationID", Plist::Number(0x0100_0000 + number)),
        ("ProductID", Plist::Number(0x12a8)),
        ("SerialNumber", Plist::Text(&device.facts.udid)),
    ]);
    Some(Plist::Map(vec![
        ("DeviceID", Plist::Number(number)),
        ("MessageType", Plist::Text("Attached")),
        ("Properties", properties),
    ]))
}

/// Tells of phones that come and go until the client leaves.
async fn tell_of_changes(shared: &Shared, mut stream: Stream) -> io::Result<()> {
    let mut plugged = shared.plugged.subscribe();
    let mut known = BTreeSet::new();
    loop {
        let now = plugged.borrow_and_update().clone();
        for number in now.difference(&known) {
            if let Some(told) = attached(shared, *number) {
                send(&mut stream, 0, &told).await?;
            }
        }
        for number in known.difference(&now) {
            let told = Plist::Map(vec![("DeviceID", Plist::Number(*number)), ("MessageType", Plist::Text("Detached"))]);
            send(&mut stream, 0, &told).await?;
        }
        known = now;
        let mut ignored = [0; 64];
        tokio::select! {
            changed = plugged.changed() => changed.map_err(io::Error::other)?,
            count = stream.read(&mut ignored) => {
                if count? == 0 {
                    return Ok(());
                }
            }
        }
    }
}

/// Leads the stream to a port of a phone.
async fn connect(shared: &Shared, mut stream: Stream, (tag, number, port): (u32, u64, u16)) -> io::Result<()> {
    let is_plugged = shared.plugged.borrow().contains(&number);
    let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    let device = place.and_then(|place| shared.devices.get(place)).filter(|_| is_plugged);
    let Some(device) = device else { return send_number(&mut stream, tag, Number::BadDevice).await };
    if port == lockdown::PORT {
        send_number(&mut stream, tag, Number::Ok).await?;
        return tokio::select! {
            served = lockdown::serve(&device.facts, stream) => served,
            () = pulled_out(shared, number) => Ok(()),
        };
    }
    let address = match port {
        WDA if device.agent.faults.is("not_running") => None,
        WDA => Some(device.wda),
        MJPEG => device.mjpeg,
        _ => None,
    };
    let far = match address {
        Some(address) => TcpStream::connect(address).await.ok(),
        None => None,
    };
    let Some(far) = far else { return send_number(&mut stream, tag, Number::Refused).await };
    send_number(&mut stream, tag, Number::Ok).await?;
    // Answers are small and waited for.
    let _ = far.set_nodelay(true);
    tokio::select! {
        () = join(stream, Box::new(far)) => {}
        () = pulled_out(shared, number) => {}
    }
    Ok(())
}

/// Waits until a phone is pulled out, with which its streams end.
async fn pulled_out(shared: &Shared, number: u64) {
    let mut plugged = shared.plugged.subscribe();
    let _ = plugged.wait_for(|plugged| !plugged.contains(&number)).await;
}

async fn receive(stream: &mut Stream) -> io::Result<(u32, u32, String)> {
    let length = stream.read_u32_le().await?;
    let version = stream.read_u32_le().await?;
    let _kind = stream.read_u32_le().await?;
    let tag = stream.read_u32_le().await?;
    if !(16..=LARGEST).contains(&length) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a frame of {length} bytes")));
    }
    let mut bytes = vec![0; length as usize - 16];
    stream.read_exact(&mut bytes).await?;
    Ok((version, tag, String::from_utf8_lossy(&bytes).into_owned()))
}

async fn send_number(stream: &mut Stream, tag: u32, number: Number) -> io::Result<()> {
    let told = Plist::Map(vec![("MessageType", Plist::Text("Result")), ("Number", Plist::Number(number as u64))]);
    send(stream, tag, &told).await
}

async fn send(stream: &mut Stream, tag: u32, message: &Plist<'_>) -> io::Result<()> {
    let text = message.document();
    let length = u32::try_from(text.len() + 16).unwrap_or(0);
    let mut frame: Vec<u8> = [length, VERSION, PLIST, tag].into_iter().flat_map(u32::to_le_bytes).collect();
    frame.extend(text.as_bytes());
    stream.write_all(&frame).await?;
    stream.flush().await
}
