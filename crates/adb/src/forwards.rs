//! `adb forward` of an adb server: ports of 127.0.0.1 that lead to services of its devices.
//!
//! Requests and answers follow AOSP's `packages/modules/adb/adb.cpp` (`handle_forward_request`).

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::net::TcpStream;
use tokio::task::AbortHandle;

use super::device_list::printable;
use super::port;
use super::service::{Device, Host};

/// Ports that may be forwarded at the same time.
const FORWARDS: usize = 64;

/// What is forwarded now, by port.
#[derive(Default)]
pub(super) struct Forwards(Mutex<BTreeMap<u16, Forward>>);

struct Forward {
    serial: String,
    remote: String,
    listener: AbortHandle,
}

impl Drop for Forward {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

/// `forward:[norebind:]LOCAL;REMOTE`.
#[derive(Debug, PartialEq, Eq)]
struct Wish<'a> {
    local: &'a str,
    remote: &'a str,
    rebinds: bool,
}

impl<'a> Wish<'a> {
    fn of(request: &'a str) -> Option<Self> {
        let (rest, rebinds) = match request.strip_prefix("norebind:") {
            Some(rest) => (rest, false),
            None => (request, true),
        };
        let (local, remote) = rest.split_once(';')?;
        Some(Self { local, remote, rebinds })
    }
}

impl Forwards {
    /// Takes what stands behind `forward:`; returns the port where the server had to choose one.
    pub(super) async fn add(
        &self,
        request: &str,
        device: &Arc<dyn Device>,
        host: &Arc<dyn Host>,
    ) -> Result<Option<u16>, String> {
        let wish = Wish::of(request).ok_or_else(|| format!("bad forward: {}", printable(request)))?;
        let port = local_port(wish.local)?;
        if !wish.rebinds && self.0.lock().contains_key(&port) {
            return Err("cannot rebind existing socket".to_owned());
        }
        drop(self.0.lock().remove(&port));
        if self.0.lock().len() >= FORWARDS {
            return Err(format!("cannot bind listener: {FORWARDS} ports are forwarded already"));
        }
        let listener = port::bind(port).await.map_err(|error| format!("cannot bind listener: {error}"))?;
        let bound = listener.local_addr().map_err(|error| error.to_string())?.port();
        let gone = host.gone();
        let (remote, serial) = (wish.remote.to_owned(), device.serial().to_owned());
        let (to, device, host) = (remote.clone(), device.clone(), host.clone());
        let connect = move |stream| connect(stream, to.clone(), device.clone(), host.clone());
        let listener = tokio::spawn(port::serve(listener, gone, connect)).abort_handle();
        self.0.lock().insert(bound, Forward { serial, remote, listener });
        Ok((port == 0).then_some(bound))
    }

    /// Ends the forward of `tcp:PORT`.
    pub(super) fn remove(&self, local: &str) -> Result<(), String> {
        let found = local_port(local).ok().and_then(|port| self.0.lock().remove(&port));
        found.map(drop).ok_or_else(|| format!("listener '{}' not found", printable(local)))
    }

    pub(super) fn clear(&self) {
        self.0.lock().clear();
    }

    /// What `adb forward --list` shows.
    pub(super) fn list(&self) -> String {
        let line = |(port, forward): (&u16, &Forward)| format!("{} tcp:{port} {}\n", forward.serial, forward.remote);
        self.0.lock().iter().map(line).collect()
    }
}

fn local_port(local: &str) -> Result<u16, String> {
    let port = local.strip_prefix("tcp:").and_then(|port| port.parse().ok());
    port.ok_or_else(|| format!("cannot bind listener: '{}' is not supported, only tcp:PORT is", printable(local)))
}

async fn connect(stream: TcpStream, remote: String, device: Arc<dyn Device>, host: Arc<dyn Host>) {
    match device.open(&remote, host).await {
        Ok(service) => service(Box::new(stream)).await,
        Err(reason) => tracing::debug!("a forwarded connection to {}: {reason}", printable(&remote)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wishes_are_read() {
        let wish = |local, remote, rebinds| Some(Wish { local, remote, rebinds });
        assert_eq!(Wish::of("tcp:1;tcp:2"), wish("tcp:1", "tcp:2", true));
        assert_eq!(Wish::of("norebind:tcp:0;localabstract:a"), wish("tcp:0", "localabstract:a", false));
        assert_eq!(Wish::of("tcp:1"), None);
        assert!(local_port("tcp:65536").is_err() && local_port("localfilesystem:/a").is_err());
    }
}
