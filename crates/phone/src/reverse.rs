//! `adb reverse`: what the phone listens on for its host, and the service that changes it.
//!
//! The phone's 127.0.0.1 is this machine's: `tcp:PORT` is a port that any program here can connect to, and a port that leads to
//! the host's port of the same number needs no listener. Names of `localabstract:` are the phone's own. Requests and answers
//! follow AOSP's `packages/modules/adb/adb.cpp` (`handle_forward_request`, from the device's side).

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;

use crate::adb::service::{Host, join};
use crate::adb::{port, wire};

/// Reverses that may be there at the same time.
const REVERSES: usize = 64;

type Table = Mutex<BTreeMap<String, Reverse>>;

/// What is reversed now, by what the phone listens on: `tcp:8081`.
#[derive(Default)]
pub(super) struct Reverses {
    table: Arc<Table>,
    next: AtomicU64,
}

struct Reverse {
    /// What the host is asked for.
    remote: String,
    host: Arc<dyn Host>,
    /// Tells this one from another that has taken its place.
    number: u64,
    /// Waits for connections, and for the host's end.
    work: AbortHandle,
}

impl Drop for Reverse {
    fn drop(&mut self) {
        self.work.abort();
    }
}

impl Reverses {
    /// Answers what stands behind `reverse:`.
    pub(super) async fn answer(&self, request: &str, host: Arc<dyn Host>) -> Result<Vec<u8>, String> {
        if request == "list-forward" {
            return wire::encode(self.list().as_bytes()).map_err(|error| error.to_string());
        }
        let outcome = if request == "killforward-all" {
            self.clear();
            Ok(None)
        } else if let Some(local) = request.strip_prefix("killforward:") {
            self.table.lock().remove(local).map(|_| None).ok_or_else(|| format!("listener '{local}' not found"))
        } else if let Some(wish) = request.strip_prefix("forward:") {
            self.add(wish, host).await
        } else {
            return Err(format!("unknown reverse service '{request}'"));
        };
        Ok(status(&outcome))
    }

    /// Returns the host and what it is to be asked for, where the phone listens on `local`.
    pub(super) fn find(&self, local: &str) -> Option<(Arc<dyn Host>, String)> {
        self.table.lock().get(local).map(|reverse| (reverse.host.clone(), reverse.remote.clone()))
    }

    pub(super) fn clear(&self) {
        self.table.lock().clear();
    }

    fn list(&self) -> String {
        self.table.lock().iter().map(|(local, reverse)| format!("(reverse) {local} {}\n", reverse.remote)).collect()
    }

    /// Takes `[norebind:]LOCAL;REMOTE`; returns the port where the phone had to choose one.
    async fn add(&self, wish: &str, host: Arc<dyn Host>) -> Result<Option<u16>, String> {
        let (wish, rebinds) = wish.strip_prefix("norebind:").map_or((wish, true), |wish| (wish, false));
        let (local, remote) = wish.split_once(';').ok_or_else(|| format!("bad reverse: {wish}"))?;
        {
            let mut table = self.table.lock();
            if !rebinds && table.contains_key(local) {
                return Err("cannot rebind existing socket".to_owned());
            }
            drop(table.remove(local));
            if table.len() >= REVERSES {
                return Err(format!("cannot bind listener: {REVERSES} are there already"));
            }
        }
        let listener = listen(local, remote).await?;
        let bound = listener.as_ref().and_then(|listener| listener.local_addr().ok()).map(|address| address.port());
        let chosen = bound.filter(|_| local == "tcp:0");
        let local = chosen.map_or_else(|| local.to_owned(), |port| format!("tcp:{port}"));
        self.start(local, remote, host, listener);
        Ok(chosen)
    }

    fn start(&self, local: String, remote: &str, host: Arc<dyn Host>, listener: Option<TcpListener>) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let table = Arc::downgrade(&self.table);
        let work = serve(listener, host.clone(), remote.to_owned());
        let (name, gone) = (local.clone(), host.gone());
        // Held until it is in the table, so that its end finds it there.
        let mut held = self.table.lock();
        let work = tokio::spawn(async move {
            gone.run_until_cancelled(work).await;
            forget(&table, &name, number);
        });
        held.insert(local, Reverse { remote: remote.to_owned(), host, number, work: work.abort_handle() });
    }
}

/// Removes a reverse whose host is gone.
fn forget(table: &Weak<Table>, local: &str, number: u64) {
    let Some(table) = table.upgrade() else { return };
    let mut table = table.lock();
    if table.get(local).is_some_and(|reverse| reverse.number == number) {
        table.remove(local);
    }
}

/// Begins to listen, where that takes a port.
async fn listen(local: &str, remote: &str) -> Result<Option<TcpListener>, String> {
    if local.strip_prefix("localabstract:").is_some_and(|name| !name.is_empty()) {
        return Ok(None);
    }
    let wanted = local.strip_prefix("tcp:").and_then(|wanted| wanted.parse::<u16>().ok());
    let wanted = wanted.ok_or_else(|| format!("cannot bind listener: the virtual phone has no '{local}'"))?;
    if wanted != 0 && local == remote {
        return Ok(None);
    }
    port::bind(wanted).await.map(Some).map_err(|error| format!("cannot bind listener: {error}"))
}

/// Leads every connection to the host; ends with it only.
async fn serve(listener: Option<TcpListener>, host: Arc<dyn Host>, remote: String) {
    let Some(listener) = listener else { return std::future::pending().await };
    let gone = host.gone();
    let connect = move |stream| connect(stream, host.clone(), remote.clone());
    port::serve(listener, gone, connect).await;
}

async fn connect(stream: TcpStream, host: Arc<dyn Host>, remote: String) {
    match host.open(&remote).await {
        Ok(far) => join(Box::new(stream), far).await,
        Err(error) => tracing::debug!("the host did not open {remote}: {error}"),
    }
}

/// `OKAY` and the port that was chosen, or `FAIL` and the reason.
fn status(outcome: &Result<Option<u16>, String>) -> Vec<u8> {
    let message = |text: &str| wire::encode(text.as_bytes()).unwrap_or_default();
    match outcome {
        Ok(None) => b"OKAY".to_vec(),
        Ok(Some(port)) => [b"OKAY".to_vec(), message(&port.to_string())].concat(),
        Err(reason) => [b"FAIL".to_vec(), message(&reason.chars().take(500).collect::<String>())].concat(),
    }
}
