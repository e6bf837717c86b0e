//! Ctrl-C, and the request to end that CI servers and service managers send.

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::exit::Failure;

/// Listens to whoever asks the process to end.
pub(super) struct Asked {
    interrupt: Signal,
    terminate: Signal,
}

impl Asked {
    /// Begins to listen, within a runtime; from here on such a signal does not end the process by itself.
    pub(super) fn listen() -> Result<Self, Failure> {
        let listen =
            |kind| signal(kind).map_err(|error| Failure::errored(format!("cannot listen to signals: {error}")));
        Ok(Self { interrupt: listen(SignalKind::interrupt())?, terminate: listen(SignalKind::terminate())? })
    }

    /// Returns once the process is asked to end; whether by Ctrl-C.
    pub(super) async fn is_interrupt(&mut self) -> bool {
        tokio::select! { _ = self.interrupt.recv() => true, _ = self.terminate.recv() => false }
    }

    /// Forgets Ctrl-C that was pressed again for what has ended.
    pub(super) async fn forget_interrupt(&mut self) {
        let _ = tokio::time::timeout(std::time::Duration::ZERO, self.interrupt.recv()).await;
    }

    /// Returns once the process is asked to end.
    pub(super) async fn wait(&mut self) {
        tokio::select! { _ = self.interrupt.recv() => {}, _ = self.terminate.recv() => {} }
    }
}
