//! `fport`: ports of this computer that lead into a phone. Source: src/common/forward.cpp of hdc.

use std::sync::Arc;

use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};

use super::super::handset::Handset;
use super::super::sockets;
use super::agent;
use super::frames::Channel;
use super::server::Server;
use super::targets::Target;
use crate::jobs::{self, Jobs};

/// Where the agent listens in the phone.
const AGENT_PORT: &str = "tcp:8012";
const AGENT_SOCKET: &str = "localabstract:uitest_socket";

/// A port that leads into the phone, until this is dropped.
pub(super) struct Forward {
    local: String,
    remote: String,
    _listening: Jobs,
}

impl Target {
    /// Ends a forward; whether there was one.
    fn remove_forward(&self, local: &str, remote: &str) -> bool {
        let mut forwards = self.forwards.lock();
        let before = forwards.len();
        forwards.retain(|forward| (forward.local.as_str(), forward.remote.as_str()) != (local, remote));
        forwards.len() < before
    }
}

/// Lists all forwards, as `fport ls` does.
pub(super) fn list(targets: &[Arc<Target>]) -> String {
    let mut lines = String::new();
    for target in targets {
        for forward in target.forwards.lock().iter() {
            lines.push_str(&format!("{}    {} {}    [Forward]\n", target.key, forward.local, forward.remote));
        }
    }
    if lines.is_empty() { "[Empty]\r\n".to_owned() } else { lines }
}

/// `fport LOCAL REMOTE` and `fport rm LOCAL REMOTE`.
pub(super) async fn fport(server: &Arc<Server>, target: &Arc<Target>, words: &str, channel: &mut Channel) {
    let words: Vec<&str> = words.split_whitespace().collect();
    match words.as_slice() {
        ["rm", local, remote] => {
            let ruler = format!("{local} {remote}");
            if target.remove_forward(local, remote) {
                return channel.say(&format!("Remove forward ruler success, ruler:{ruler}")).await;
            }
            channel.fail(&format!("Remove forward ruler failed, ruler is not exist {ruler}")).await;
        }
        [local, remote] => match open(server, target, local, remote).await {
            Ok(()) => channel.say("Forwardport result:OK").await,
            Err(why) => channel.fail(&why).await,
        },
        _ => channel.fail("Incorrect forward command").await,
    }
}

async fn open(server: &Arc<Server>, target: &Arc<Target>, local: &str, remote: &str) -> Result<(), String> {
    let port = local.strip_prefix("tcp:").and_then(|port| port.parse::<u16>().ok()).filter(|port| *port > 0);
    let port = port.ok_or_else(|| format!("Forward parament failed: {local} {remote}"))?;
    if !remote.contains(':') {
        return Err(format!("Forward parament failed: {local} {remote}"));
    }
    let bound = TcpListener::bind(("127.0.0.1", port)).await;
    let listener = bound.map_err(|_| format!("TCP Port listen failed at {port}"))?;
    let mut listening = Jobs::new();
    let listen = listen(server.clone(), target.handset.clone(), listener, remote.to_owned());
    jobs::begin(&mut listening, Box::pin(listen));
    let forward = Forward { local: local.to_owned(), remote: remote.to_owned(), _listening: listening };
    target.forwards.lock().push(forward);
    Ok(())
}

async fn listen(server: Arc<Server>, handset: Arc<Handset>, listener: TcpListener, remote: String) {
    let mut clients = Jobs::new();
    loop {
        tokio::select! {
            Ok((stream, _)) = listener.accept() => {
                jobs::begin(&mut clients, Box::pin(lead(handset.clone(), stream, remote.clone())));
            }
            () = server.off.cancelled() => return,
            Some(_) = clients.join_next() => {}
        }
    }
}

/// Leads a connection to what listens in the phone; ends it where nothing does.
async fn lead(handset: Arc<Handset>, mut stream: TcpStream, remote: String) {
    let _ = stream.set_nodelay(true);
    let place = if handset.harmony.faults.is("agent_socket") { AGENT_SOCKET } else { AGENT_PORT };
    if remote == place && handset.harmony.daemon().is_some() {
        return agent::serve(handset, stream).await;
    }
    if remote == AGENT_PORT || remote == AGENT_SOCKET {
        // As where nothing listens: hdc takes the connection, and ends it.
        let _ = stream.shutdown().await;
        return;
    }
    if let Some(Ok(service)) = sockets::connect(&handset, &remote).await {
        service(Box::new(stream)).await;
    }
}
