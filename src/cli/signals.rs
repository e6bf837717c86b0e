//! Ctrl-C, the request to end that CI servers and service managers send, and the end of the terminal.

use tokio::signal::unix::{Signal, SignalKind, signal};

use super::exit::Failure;

/// Listens to whoever asks the process to end.
pub(super) struct Asked {
    interrupt: Signal,
    terminate: Signal,
    /// Not listened to where it is to be ignored, as `nohup` wants.
    hang_up: Option<Signal>,
}

impl Asked {
    /// Begins to listen, within a runtime; from here on such a signal does not end the process by itself.
    pub(super) fn listen() -> Result<Self, Failure> {
        let listen =
            |kind| signal(kind).map_err(|error| Failure::errored(format!("cannot listen to signals: {error}")));
        let hang_up = if is_hang_up_ignored() { None } else { Some(listen(SignalKind::hangup())?) };
        Ok(Self { interrupt: listen(SignalKind::interrupt())?, terminate: listen(SignalKind::terminate())?, hang_up })
    }

    /// Returns once the process is asked to end; whether by Ctrl-C.
    pub(super) async fn is_interrupt(&mut self) -> bool {
        tokio::select! {
            _ = self.interrupt.recv() => true,
            _ = self.terminate.recv() => false,
            () = hung_up(&mut self.hang_up) => false,
        }
    }

    /// Forgets Ctrl-C that was pressed again for what has ended.
    pub(super) async fn forget_interrupt(&mut self) {
        let _ = tokio::time::timeout(std::time::Duration::ZERO, self.interrupt.recv()).await;
    }

    /// Returns once the process is asked to end.
    pub(super) async fn wait(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            () = hung_up(&mut self.hang_up) => {}
        }
    }
}

async fn hung_up(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => _ = signal.recv().await,
        None => std::future::pending().await,
    }
}

/// Tells whether the process was started such that the end of its terminal does not end it. Where nothing tells, it is left as it is.
fn is_hang_up_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_none_or(|mask| mask & 1 != 0)
}
