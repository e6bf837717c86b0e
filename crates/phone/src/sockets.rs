//! What `adb forward` reaches on the phone: ports of this machine's 127.0.0.1, and the names that `adb reverse` gave.

use std::sync::Arc;

use super::automator;
use super::handset::Handset;
use crate::adb::service::{Service, Stream, dial, join};

/// Connects to `tcp:PORT[:HOST]` or `localabstract:NAME`; `None` where the service is something else.
pub(super) async fn connect(handset: &Arc<Handset>, service: &str) -> Option<Result<Service, String>> {
    if service == format!("tcp:{}", automator::PORT) {
        return Some(automator_of(handset));
    }
    let stream = if let Some(address) = service.strip_prefix("tcp:") {
        port(address).await
    } else if service.starts_with("local") {
        name(handset, service).await
    } else {
        return None;
    };
    Some(stream.map(|far| -> Service { Box::new(move |near| Box::pin(join(near, far))) }))
}

/// The server of the phone's own that listens while its instrumentation runs; never a port of this machine.
fn automator_of(handset: &Arc<Handset>) -> Result<Service, String> {
    let refused = || format!("cannot connect to tcp:{}: Connection refused", automator::PORT);
    let (over, handset) = (handset.automator.running().ok_or_else(refused)?, handset.clone());
    Ok(Box::new(move |stream| Box::pin(automator::serve(handset, over, stream))))
}

async fn port(address: &str) -> Result<Stream, String> {
    let (port, host) = address.split_once(':').unwrap_or((address, "localhost"));
    if !["localhost", "127.0.0.1"].contains(&host) {
        return Err(format!("the virtual phone connects to 127.0.0.1 only, not to '{host}'"));
    }
    let port = port.parse().map_err(|_| format!("'{port}' is no port"))?;
    let stream = dial(port).await.map_err(|error| format!("cannot connect to tcp:{port}: {error}"))?;
    Ok(Box::new(stream))
}

async fn name(handset: &Handset, service: &str) -> Result<Stream, String> {
    let (host, remote): (Arc<_>, _) =
        handset.reverses.find(service).ok_or_else(|| format!("nothing listens on '{service}' of the virtual phone"))?;
    host.open(&remote).await.map_err(|error| format!("the host did not open '{remote}': {error}"))
}
