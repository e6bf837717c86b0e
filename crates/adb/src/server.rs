//! The smart socket from the server's side: host requests of adb clients → answers, and the devices' services handed on.
//!
//! Serves [`Device`]s, and knows nothing of what they are. Requests and answers follow AOSP's
//! `packages/modules/adb/SERVICES.TXT`, `adb.cpp` (`handle_host_request`) and `transport.cpp` (the device lists).

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::device_list::{DeviceList, Restarts, Target, printable};
use super::forwards::Forwards;
use super::service::{Device, Host, Loopback, restarted};
use super::wire;

/// What `host:version` answers, as every adb of the last years does; a client that knows another number tries to restart the
/// server.
const VERSION: u32 = 41;
/// How long a client may take for one request.
const REQUEST_TIME: Duration = Duration::from_mins(1);
/// Clients served at the same time; more wait.
const CLIENTS: usize = 256;
/// How long a device counts as going down once it starts anew: `adb reboot` has ended by then, and whoever calls
/// `adb wait-for-disconnect` behind it means this time.
const GOING_DOWN: Duration = Duration::from_secs(10);
/// Bytes of one request at most: a message's own limit.
const REQUEST_SIZE: usize = wire::MAX_MESSAGE;

/// An adb server at work.
struct Server {
    devices: DeviceList,
    forwards: Forwards,
    /// This machine, as the devices reach it.
    host: Arc<dyn Host>,
    _gone: DropGuard,
}

/// Serves adb clients for ever; dropping the future ends every connection.
pub async fn serve(listener: TcpListener, devices: Vec<Arc<dyn Device>>) -> io::Result<()> {
    let gone = CancellationToken::new();
    let host = Arc::new(Loopback { gone: gone.clone() });
    let server =
        Server { devices: DeviceList::new(devices), forwards: Forwards::default(), host, _gone: gone.drop_guard() };
    let server = Arc::new(server);
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
        let server = server.clone();
        clients.spawn(async move {
            let _place = place;
            if let Err(error) = server.serve_client(stream).await {
                tracing::debug!("an adb client left: {error}");
            }
        });
    }
}

/// What becomes of a connection after a request.
enum Next {
    /// It is answered; host requests end the connection.
    Close,
    /// The client has chosen this device; a service follows.
    Device(Arc<dyn Device>),
    /// The client is told about devices for as long as it stays; at length or not.
    Watch { long: bool, restarts: Restarts },
}

impl Server {
    async fn serve_client(&self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut chosen = None;
        loop {
            let Some(request) = read_request(&mut stream).await? else { return Ok(()) };
            if let Some((target, request)) = self.devices.host_request(&request) {
                match self.answer(&mut stream, target, request).await? {
                    Next::Close => return stream.shutdown().await,
                    Next::Watch { long, restarts } => return self.watch(&mut stream, long, restarts).await,
                    Next::Device(device) => chosen = Some(device),
                }
            } else if let Some(device) = chosen {
                return self.serve_device(stream, &request, device.as_ref()).await;
            } else {
                return fail(&mut stream, &format!("unknown host service '{}'", printable(&request))).await;
            }
        }
    }

    async fn serve_device(&self, mut stream: TcpStream, service: &str, device: &dyn Device) -> io::Result<()> {
        match device.open(service, self.host.clone()).await {
            Ok(service) => {
                wire::write_okay(&mut stream).await?;
                service(Box::new(stream)).await;
                Ok(())
            }
            Err(reason) => fail(&mut stream, &reason).await,
        }
    }

    async fn answer(&self, stream: &mut TcpStream, target: Target<'_>, request: &str) -> io::Result<Next> {
        if let Some(text) = self.own_answer(request) {
            // None between the first list and the next is missed.
            let (long, restarts) = (request.ends_with("-l"), self.devices.restarts());
            write_text(stream, &text).await?;
            let watches = request.starts_with("track-devices");
            return Ok(if watches { Next::Watch { long, restarts } } else { Next::Close });
        }
        match request {
            // A real server would end here; this one is the devices, too, and stays.
            "kill" => return wire::write_okay(stream).await.map(|()| Next::Close),
            "killforward-all" => {
                self.forwards.clear();
                return forwarded(stream, Ok(None)).await;
            }
            _ => {}
        }
        if let Some((wanted, tells_id)) = transport(request) {
            return self.choose(stream, wanted.unwrap_or(target), tells_id).await;
        }
        let (_, device) = match self.devices.find(target) {
            Ok(found) => found,
            Err(reason) => return refuse(stream, &reason).await,
        };
        if let Some(text) = text_answer(request, device.as_ref()) {
            return write_text(stream, &text).await.map(|()| Next::Close);
        }
        if let Some(outcome) = self.forward(request, device).await {
            return forwarded(stream, outcome).await;
        }
        if request.starts_with("wait-for-") {
            return wait_for(stream, request, device.as_ref()).await;
        }
        refuse(stream, &refusal(request)).await
    }

    /// Answers that are one text, whichever device is meant.
    fn own_answer(&self, request: &str) -> Option<String> {
        Some(match request {
            "version" => format!("{VERSION:04x}"),
            "devices" | "track-devices" => self.devices.list(false, None),
            "devices-l" | "track-devices-l" => self.devices.list(true, None),
            "host-features" => "shell_v2,cmd,stat_v2".to_owned(),
            "list-forward" => self.forwards.list(),
            _ => return None,
        })
    }

    /// Tells of each device that starts anew that it is gone and back, until the client leaves.
    async fn watch(&self, stream: &mut TcpStream, long: bool, mut restarts: Restarts) -> io::Result<()> {
        let mut ignored = [0; 256];
        loop {
            let restarted = tokio::select! {
                read = stream.read(&mut ignored) => match read? {
                    0 => return Ok(()),
                    _ => continue,
                },
                restarted = restarts.next() => restarted,
            };
            for missing in [Some(restarted), None] {
                wire::write_message(stream, self.devices.list(long, missing).as_bytes()).await?;
            }
        }
    }

    /// Does what is asked of forwards, as far as it is; a port comes back where one had to be chosen.
    async fn forward(&self, request: &str, device: &Arc<dyn Device>) -> Option<Result<Option<u16>, String>> {
        if let Some(wish) = request.strip_prefix("forward:") {
            return Some(self.forwards.add(wish, device, &self.host).await);
        }
        let local = request.strip_prefix("killforward:")?;
        Some(self.forwards.remove(local).map(|()| None))
    }

    async fn choose(&self, stream: &mut TcpStream, target: Target<'_>, tells_id: bool) -> io::Result<Next> {
        let (id, device) = match self.devices.find(target) {
            Ok(found) => found,
            Err(reason) => return refuse(stream, &reason).await,
        };
        wire::write_okay(stream).await?;
        if tells_id {
            stream.write_all(&id.to_le_bytes()).await?;
        }
        Ok(Next::Device(device.clone()))
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

async fn write_text(stream: &mut TcpStream, text: &str) -> io::Result<()> {
    wire::write_okay(stream).await?;
    wire::write_message(stream, text.as_bytes()).await
}

/// Answers a request about forwards: one `OKAY` for the request, one for its outcome, then the port that was chosen.
async fn forwarded(stream: &mut TcpStream, outcome: Result<Option<u16>, String>) -> io::Result<Next> {
    wire::write_okay(stream).await?;
    match outcome {
        Ok(port) => {
            wire::write_okay(stream).await?;
            if let Some(port) = port {
                wire::write_message(stream, port.to_string().as_bytes()).await?;
            }
        }
        Err(reason) => wire::write_fail(stream, &reason).await?,
    }
    Ok(Next::Close)
}

/// Answers about one device that are one text.
fn text_answer(request: &str, device: &dyn Device) -> Option<String> {
    let serial = device.serial();
    Some(match request {
        "features" => device.features().join(","),
        "get-state" => "device".to_owned(),
        "get-serialno" => serial.to_owned(),
        "get-devpath" => format!("usb:{serial}"),
        "get-product" => device.description().product,
        _ => return None,
    })
}

/// Reads `transport:S`, `transport-any`, `transport-id:N`, `tport:serial:S`, `tport:any`, …: the device, where it is named, and
/// whether the answer carries the transport's id. A device counts as attached over USB and as local at the same time.
fn transport(request: &str) -> Option<(Option<Target<'_>>, bool)> {
    match request {
        "transport-any" | "transport-usb" | "transport-local" => return Some((None, false)),
        "tport:any" | "tport:usb" | "tport:local" => return Some((None, true)),
        _ => {}
    }
    if let Some(serial) = request.strip_prefix("tport:serial:") {
        return Some((Some(Target::Serial(serial)), true));
    }
    if let Some(id) = request.strip_prefix("transport-id:") {
        return Some((Some(Target::Id(id)), false));
    }
    request.strip_prefix("transport:").map(|serial| (Some(Target::Serial(serial)), false))
}

/// `wait-for-[any|usb|local-]STATE`: two `OKAY`, the second when the state is reached: at once, when the device starts anew, or
/// never.
async fn wait_for(stream: &mut TcpStream, request: &str, device: &dyn Device) -> io::Result<Next> {
    let mut restarts = device.restarts();
    let goes_down = restarts.borrow().is_some_and(|at| at.elapsed() < GOING_DOWN);
    let is_device = request.ends_with("-device");
    if !is_device && !request.ends_with("-disconnect") {
        return refuse(stream, "the virtual phone is in state 'device', or starts anew").await;
    }
    wire::write_okay(stream).await?;
    if !is_device && !goes_down {
        tokio::select! {
            () = restarted(&mut restarts) => {}
            ended = wait_for_end(stream) => return ended.map(|()| Next::Close),
        }
    }
    wire::write_okay(stream).await?;
    Ok(Next::Close)
}

fn refusal(request: &str) -> String {
    let verb = request.split(':').next().unwrap_or_default();
    match verb {
        "connect" | "disconnect" | "pair" | "emulator" | "mdns" => {
            format!("'{verb}' is not supported: this adb server holds virtual phones only")
        }
        "reconnect" | "reconnect-offline" | "unauthorized" => format!("'{verb}' is not supported by the virtual phone"),
        _ => format!("unknown host service '{}'", printable(request)),
    }
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
