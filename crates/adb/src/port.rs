//! Ports of 127.0.0.1 that lead elsewhere: what `adb forward` and `adb reverse` listen on.

use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Connections that one port serves at the same time; more wait.
const CONNECTIONS: usize = 64;
/// How often, and after how long, a port is tried again that was let go a moment ago.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(20);

/// Binds a port; 0 stands for any free one.
pub async fn bind(port: u16) -> io::Result<TcpListener> {
    let mut tries = 1;
    loop {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && tries < TRIES => tries += 1,
            bound => return bound,
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Hands every connection to `connect` until `gone` is cancelled; dropping the future ends them.
pub async fn serve<F>(listener: TcpListener, gone: CancellationToken, connect: impl Fn(TcpStream) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = gone.cancelled() => return,
            Some(_) = connections.join_next() => continue,
            accepted = listener.accept(), if connections.len() < CONNECTIONS => accepted,
        };
        let Ok((stream, _)) = accepted else {
            // Out of file descriptors, or somebody who left at once.
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        // What matters is that bytes go on; where this fails they go later.
        let _ = stream.set_nodelay(true);
        connections.spawn(connect(stream));
    }
}
