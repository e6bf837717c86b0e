//! The smart socket from the server's side: host requests of adb clients → answers, and one device's services handed on.
//!
//! Serves exactly one [`Device`], and knows nothing of what it is. Requests and answers follow AOSP's
//! `packages/modules/adb/SERVICES.TXT`, `adb.cpp` (`handle_host_request`) and `transport.cpp` (the device lists).

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::wire;

/// What `host:version` answers, as every adb of the last years does; a client that knows another number tries to restart the
/// server.
const VERSION: u32 = 41;
/// The only device's transport id.
const TRANSPORT_ID: u64 = 1;
/// How long a client may take for one request.
const REQUEST_TIME: Duration = Duration::from_mins(1);
/// Clients served at the same time; more wait.
const CLIENTS: usize = 256;
/// Bytes of one request at most: a message's own limit.
const REQUEST_SIZE: usize = wire::MAX_MESSAGE;

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
    pub model: String,
    pub device: String,
}

/// A device, as an adb server or an adbd shows it.
#[async_trait]
pub trait Device: Send + Sync + 'static {
    fn serial(&self) -> &str;
    fn description(&self) -> Description;
    /// What it can do beyond the first version of the protocol: `shell_v2`, `cmd`, `stat_v2`.
    fn features(&self) -> &[&str];
    /// Grants or refuses a service such as `shell:ls`; the refusal is what the client reads behind `FAIL`.
    async fn open(&self, service: &str) -> Result<Service, String>;
}

/// Serves adb clients for ever; dropping the future ends every connection.
pub async fn serve(listener: TcpListener, device: Arc<dyn Device>) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(CLIENTS));
    let mut clients = JoinSet::new();
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return Ok(()) };
        let stream = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = clients.join_next() => continue,
        };
        let Ok((stream, _)) = stream else {
            // Out of file descriptors, or a client that left at once: others may still be served.
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let device = device.clone();
        clients.spawn(async move {
            let _place = place;
            if let Err(error) = serve_client(stream, device.as_ref()).await {
                tracing::debug!("an adb client left: {error}");
            }
        });
    }
}

/// What becomes of a connection after a request.
enum Next {
    /// It is answered; host requests end the connection.
    Close,
    /// The client has chosen the device; a service follows.
    Device,
    /// The client is told about devices for as long as it stays.
    Watch,
}

async fn serve_client(mut stream: TcpStream, device: &dyn Device) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut chosen = false;
    loop {
        let Some(request) = read_request(&mut stream).await? else { return Ok(()) };
        if let Some(host) = host_request(&request, device.serial()) {
            match answer(&mut stream, host, device).await? {
                Next::Close => return stream.shutdown().await,
                Next::Watch => return wait_for_end(&mut stream).await,
                Next::Device => chosen = true,
            }
        } else if chosen {
            return serve_device(stream, &request, device).await;
        } else {
            return fail(&mut stream, &format!("unknown host service '{}'", printable(&request))).await;
        }
    }
}

async fn read_request(stream: &mut TcpStream) -> io::Result<Option<String>> {
    let read = timeout(REQUEST_TIME, wire::read_request(stream, REQUEST_SIZE)).await;
    match read.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
        Ok(Some(bytes)) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Ok(None) => Ok(None),
        Err(error) => {
            // The client may be gone already, and the first error is the one worth telling.
            let _ = fail(stream, &format!("malformed request: {error}")).await;
            Err(error)
        }
    }
}

async fn serve_device(mut stream: TcpStream, service: &str, device: &dyn Device) -> io::Result<()> {
    match device.open(service).await {
        Ok(service) => {
            wire::write_okay(&mut stream).await?;
            service(Box::new(stream)).await;
            Ok(())
        }
        Err(reason) => fail(&mut stream, &reason).await,
    }
}

/// What a request asks of the server, without the words that choose the device.
enum Host<'a> {
    Request(&'a str),
    /// It names a device that is not here.
    NoSuchDevice(String),
}

/// Reads `host:…`, `host-serial:S:…`, `host-usb:…`, `host-local:…` and `host-transport-id:N:…`.
fn host_request<'a>(request: &'a str, serial: &str) -> Option<Host<'a>> {
    let of_any = ["host:", "host-usb:", "host-local:"];
    if let Some(rest) = of_any.iter().find_map(|prefix| request.strip_prefix(prefix)) {
        return Some(Host::Request(rest));
    }
    if let Some(rest) = request.strip_prefix("host-serial:") {
        // A serial may hold colons itself, so that only the known one can be taken off.
        let found = rest.strip_prefix(serial).and_then(|rest| rest.strip_prefix(':'));
        return Some(found.map_or_else(|| Host::NoSuchDevice(first_part(rest)), Host::Request));
    }
    let (id, rest) = request.strip_prefix("host-transport-id:")?.split_once(':')?;
    let known = id.parse() == Ok(TRANSPORT_ID);
    Some(if known { Host::Request(rest) } else { Host::NoSuchDevice(id.to_owned()) })
}

fn first_part(rest: &str) -> String {
    rest.rsplit_once(':').map_or(rest, |(serial, _)| serial).to_owned()
}

async fn answer(stream: &mut TcpStream, host: Host<'_>, device: &dyn Device) -> io::Result<Next> {
    let request = match host {
        Host::Request(request) => request,
        Host::NoSuchDevice(serial) => return refuse(stream, &no_device(&serial)).await,
    };
    if let Some(wanted) = transport(request) {
        return choose(stream, wanted, device.serial()).await;
    }
    if let Some(text) = text_answer(request, device) {
        wire::write_okay(stream).await?;
        wire::write_message(stream, text.as_bytes()).await?;
        return Ok(if request.starts_with("track-devices") { Next::Watch } else { Next::Close });
    }
    match request {
        // A real server would end here; this one is the device, too, and stays.
        "kill" | "killforward-all" => wire::write_okay(stream).await?,
        _ if request.starts_with("wait-for-") => return wait_for(stream, request).await,
        _ => return refuse(stream, &refusal(request)).await,
    }
    Ok(Next::Close)
}

/// Answers that are one text.
fn text_answer(request: &str, device: &dyn Device) -> Option<String> {
    let serial = device.serial();
    Some(match request {
        "version" => format!("{VERSION:04x}"),
        "devices" | "track-devices" => format!("{serial}\tdevice\n"),
        "devices-l" | "track-devices-l" => long_list(device),
        "features" => device.features().join(","),
        "host-features" => "shell_v2,cmd,stat_v2".to_owned(),
        "get-state" => "device".to_owned(),
        "get-serialno" => serial.to_owned(),
        "get-devpath" => format!("usb:{serial}"),
        "get-product" => device.description().product,
        "list-forward" => String::new(),
        _ => return None,
    })
}

fn long_list(device: &dyn Device) -> String {
    let Description { product, model, device: name } = device.description();
    let serial = device.serial();
    format!("{serial:<22} device product:{product} model:{model} device:{name} transport_id:{TRANSPORT_ID}\n")
}

/// A wish for a device.
struct Transport<'a> {
    /// `None` stands for any.
    serial: Option<&'a str>,
    id: Option<&'a str>,
    /// Whether the answer carries the transport's id.
    tells_id: bool,
}

/// Reads `transport:S`, `transport-any`, `transport-id:N`, `tport:serial:S`, `tport:any`, …; the one device counts as attached
/// over USB and as local at the same time.
fn transport(request: &str) -> Option<Transport<'_>> {
    let wish = |serial, id, tells_id| Some(Transport { serial, id, tells_id });
    match request {
        "transport-any" | "transport-usb" | "transport-local" => return wish(None, None, false),
        "tport:any" | "tport:usb" | "tport:local" => return wish(None, None, true),
        _ => {}
    }
    if let Some(serial) = request.strip_prefix("tport:serial:") {
        return wish(Some(serial), None, true);
    }
    if let Some(id) = request.strip_prefix("transport-id:") {
        return wish(None, Some(id), false);
    }
    wish(Some(request.strip_prefix("transport:")?), None, false)
}

async fn choose(stream: &mut TcpStream, wish: Transport<'_>, serial: &str) -> io::Result<Next> {
    if let Some(other) = wish.serial.filter(|wanted| *wanted != serial) {
        return refuse(stream, &no_device(other)).await;
    }
    if let Some(other) = wish.id.filter(|wanted| wanted.parse() != Ok(TRANSPORT_ID)) {
        return refuse(stream, &format!("no device with transport id '{}'", printable(other))).await;
    }
    wire::write_okay(stream).await?;
    if wish.tells_id {
        stream.write_all(&TRANSPORT_ID.to_le_bytes()).await?;
    }
    Ok(Next::Device)
}

/// `wait-for-[any|usb|local-]STATE`: two `OKAY`, the second when the state is reached, which is at once or never.
async fn wait_for(stream: &mut TcpStream, request: &str) -> io::Result<Next> {
    if !request.ends_with("device") {
        return refuse(stream, "the virtual phone is always in state 'device'").await;
    }
    wire::write_okay(stream).await?;
    wire::write_okay(stream).await?;
    Ok(Next::Close)
}

fn refusal(request: &str) -> String {
    let verb = request.split(':').next().unwrap_or_default();
    match verb {
        "forward" => "cannot forward: the virtual phone listens on no ports".to_owned(),
        "killforward" => format!("listener '{}' not found", printable(request.trim_start_matches("killforward:"))),
        "connect" | "disconnect" | "pair" | "emulator" | "mdns" => {
            format!("'{verb}' is not supported: this adb server holds one virtual phone")
        }
        "reconnect" | "reconnect-offline" | "unauthorized" => format!("'{verb}' is not supported by the virtual phone"),
        _ => format!("unknown host service '{}'", printable(request)),
    }
}

fn no_device(serial: &str) -> String {
    format!("device '{}' not found", printable(serial))
}

/// Cuts and cleans what came from outside, for a message.
fn printable(text: &str) -> String {
    text.chars().take(100).map(|c| if c.is_control() { '?' } else { c }).collect()
}

async fn refuse(stream: &mut TcpStream, reason: &str) -> io::Result<Next> {
    wire::write_fail(stream, reason).await?;
    Ok(Next::Close)
}

async fn fail(stream: &mut TcpStream, reason: &str) -> io::Result<()> {
    wire::write_fail(stream, reason).await?;
    stream.shutdown().await
}

/// Keeps a connection open until its client leaves.
async fn wait_for_end(stream: &mut TcpStream) -> io::Result<()> {
    let mut ignored = [0; 256];
    while stream.read(&mut ignored).await? > 0 {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_serial_with_colons_is_taken_off_whole() {
        let asks = |request: &str| match host_request(request, "127.0.0.1:5555") {
            Some(Host::Request(rest)) => rest.to_owned(),
            Some(Host::NoSuchDevice(serial)) => format!("no {serial}"),
            None => "service".to_owned(),
        };
        assert_eq!(asks("host-serial:127.0.0.1:5555:features"), "features");
        assert_eq!(asks("host-serial:other:get-state"), "no other");
        assert_eq!(asks("host-transport-id:1:features"), "features");
        assert_eq!(asks("host:version"), "version");
        assert_eq!(asks("shell:ls"), "service");
    }
}
