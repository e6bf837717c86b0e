//! Ctrl-C, and the request to end that CI servers and service managers send.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Listens to whoever asks the process to end.
pub(super) struct Asked {
    #[cfg(unix)]
    interrupt: Signal,
    #[cfg(unix)]
    terminate: Signal,
}

impl Asked {
    /// Begins to listen, within a runtime; from here on such a signal does not end the process by itself.
    #[cfg(unix)]
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Begins to listen.
    #[cfg(not(unix))]
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Returns once the process is asked to end.
    #[cfg(unix)]
    pub(super) async fn wait(&mut self) {
        tokio::select! { _ = self.interrupt.recv() => {}, _ = self.terminate.recv() => {} }
    }

    /// Returns once the process is asked to end.
    #[cfg(not(unix))]
    pub(super) async fn wait(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}
