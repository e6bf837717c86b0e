//! The hdc server: connections → the handshake, one command, its answer. Source: `src/host/server_for_client.cpp` of hdc.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use super::frames::{self, Channel, Flaw};
use super::targets::{self, Target};
use super::{forward, install, shell, transfer};

/// What `checkserver` answers before the version (`CMD_CHECK_SERVER`).
const CHECK_SERVER: u16 = 13;
/// How long a delayed answer may take at most, in seconds.
const LATEST: f64 = 600.0;

/// The server, as its connections see it.
pub(super) struct Server {
    pub(super) targets: Vec<Arc<Target>>,
    /// The number of the last channel.
    pub(super) channels: AtomicU32,
    pub(super) off: CancellationToken,
}

impl Server {
    /// Tells whether a fault of the server's happens now.
    fn takes(&self, fault: &str) -> bool {
        self.targets.iter().any(|target| target.handset.harmony.faults.take(fault))
    }

    pub(super) fn is(&self, fault: &str) -> bool {
        self.targets.iter().any(|target| target.is(fault))
    }
}

/// Serves one client to its end.
pub(super) async fn talk(server: Arc<Server>, stream: TcpStream) {
    let mut channel = Channel::new(stream);
    let number = server.channels.fetch_add(1, Ordering::Relaxed);
    if server.takes("handshake_wrong") {
        channel.send(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        return channel.close().await;
    }
    if !channel.send(&frames::greeting(number, server.is("handshake_long"))).await {
        return;
    }
    let Some(key) = channel.next().await.as_deref().and_then(frames::key_of) else { return channel.close().await };
    let mut is_kept = false;
    while let Some(message) = channel.next().await {
        let text = String::from_utf8_lossy(&message);
        let command = text.trim_end_matches(['\0', '\n', '\r']);
        if command == "alive" {
            is_kept = true;
            continue;
        }
        let goes_on = obey(&server, &key, command, &mut channel).await;
        if !is_kept || !goes_on {
            break;
        }
    }
    channel.close().await;
}

/// Answers a command; false where the connection ends with it.
async fn obey(server: &Arc<Server>, key: &str, command: &str, channel: &mut Channel) -> bool {
    let (word, rest) = command.split_once(' ').unwrap_or((command, ""));
    let own = match (word, rest.trim()) {
        ("list", "targets") => targets::list(&server.targets, false),
        ("list", "targets -v") => targets::list(&server.targets, true),
        ("checkserver", _) => {
            let version = [&CHECK_SERVER.to_le_bytes()[..], frames::VERSION.as_bytes()].concat();
            return channel.send(&version).await;
        }
        ("tconn", address) => connect(server, address) + "\r\n",
        ("fport", "ls") => forward::list(&server.targets),
        ("version" | "-v", _) => format!("{}\r\n", frames::VERSION),
        ("wait", _) => "Wait for device finish\r\n".to_owned(),
        _ => String::new(),
    };
    if !own.is_empty() {
        return channel.send(own.as_bytes()).await;
    }
    // Whoever set a fault can end it.
    if let ("shell", Some(words)) = (word, rest.trim_start().strip_prefix("uixt "))
        && let Some(target) = server.targets.iter().find(|target| target.key == key || server.targets.len() == 1)
    {
        shell::run(&target.handset, &format!("uixt {words}"), channel).await;
        return true;
    }
    let target = match targets::find(&server.targets, key) {
        Ok(target) => target,
        Err(why) => {
            channel.fail(&why).await;
            return true;
        }
    };
    let faults = &target.handset.harmony.faults;
    if faults.take_on("cut_before", command) {
        return false;
    }
    if faults.take_on("crash", command) {
        crash(&target).await;
    }
    let (is_silent, ends) = (faults.take_on("silent", command), faults.take_on("cut_after", command));
    let late = faults.number("delay_ms").filter(|_| faults.fits(command)).unwrap_or(0.0);
    let late = Duration::from_secs_f64((late / 1000.0).clamp(0.0, LATEST));
    channel.flaw = Flaw { is_mute: is_silent || ends, is_cut: faults.take_on("truncated", command), late };
    target.handset.harmony.counts.add("commands", 1);
    run(server, &target, (word, rest.trim_start()), channel).await;
    if is_silent {
        channel.until_gone().await;
    }
    !(is_silent || ends)
}

async fn run(server: &Arc<Server>, target: &Arc<Target>, (word, rest): (&str, &str), channel: &mut Channel) {
    let handset = &target.handset;
    match word {
        "shell" => shell::run(handset, rest, channel).await,
        "hilog" => shell::run(handset, &format!("hilog {rest}"), channel).await,
        "fport" => forward::fport(server, target, rest, channel).await,
        "rport" => channel.fail("Forwardport result:Failed: the virtual phone opens no port of its own").await,
        "file" => transfer::file(handset, rest, channel).await,
        "install" => install::install(handset, rest, channel).await,
        "uninstall" => install::uninstall(handset, rest, channel).await,
        "target" if rest == "boot" => match handset.reboot().await {
            Ok(()) => target.forwards.lock().clear(),
            Err(error) => channel.fail(&error.to_string()).await,
        },
        _ => channel.fail("[E002105] Unsupport command").await,
    }
}

/// Ends the app in front, as a crash does.
async fn crash(target: &Target) {
    let mut system = target.handset.system.lock().await;
    if let Some(front) = system.front.clone() {
        system.force_stop(&front);
    }
}

/// `tconn IP:PORT [-remove]`: phones of the network are those that are here.
fn connect(server: &Server, words: &str) -> String {
    let (address, rest) = words.split_once(' ').unwrap_or((words, ""));
    let is_address = address.rsplit_once(':').is_some_and(|(host, port)| {
        host.parse::<std::net::IpAddr>().is_ok() && port.parse::<u16>().is_ok_and(|port| port > 0)
    });
    if !is_address {
        return "[Fail][E001104]:IP address incorrect".to_owned();
    }
    let is_here = server.targets.iter().any(|target| target.key == address);
    match (rest.trim(), is_here) {
        ("-remove", true) => "Disconnect OK".to_owned(),
        ("-remove", false) => "[Fail]No target available".to_owned(),
        (_, true) => "Target is connected, repeat operation".to_owned(),
        (_, false) => format!("[Fail]Connect failed: no phone of this server is {address}"),
    }
}
