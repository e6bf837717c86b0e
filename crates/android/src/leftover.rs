//! What a call leaves on the device while it works: removed when the call fails and when it is given up, whatever the reason.

use super::answer;
use crate::adb::{Device, quote};
use crate::driver::tidy;

/// Something on the device that is to go; dropping this removes it in the background.
#[derive(Debug)]
pub(super) struct Leftover {
    device: Device,
    /// The command that removes it; `None` where nothing is left.
    removal: Option<String>,
}

impl Leftover {
    /// A file that need not be there yet.
    pub(super) fn file(device: &Device, path: &str) -> Self {
        Self::new(device, format!("rm -f {}", quote(path)))
    }

    /// A file and the command that writes it, which goes on without anybody who listens: it is told to stop. A device without
    /// `pkill`, before Android 7, lets it come to its own end; its file is gone at once.
    pub(super) fn written(device: &Device, path: &str) -> Self {
        Self::new(device, format!("{}; rm -f {}", ending(path), quote(path)))
    }

    /// What `removal` removes.
    pub(super) fn new(device: &Device, removal: String) -> Self {
        Self { device: device.clone(), removal: Some(removal) }
    }

    /// Removes it now. Should that fail, it lies among the device's temporary files.
    pub(super) async fn remove(mut self) {
        if let Some(removal) = &self.removal {
            let _ = self.device.shell(removal).await;
        }
        self.removal = None;
    }

    /// Nothing is left, or it is to stay.
    pub(super) fn forget(mut self) {
        self.removal = None;
    }
}

impl Drop for Leftover {
    fn drop(&mut self) {
        let Some(removal) = self.removal.take() else { return };
        let device = self.device.clone();
        tidy::begin(async move {
            let removed = device.shell(&removal).await;
            if let Err(error) = removed.map_err(Into::into).and_then(|output| answer::checked("rm", &output)) {
                let error: crate::driver::Error = error;
                tracing::warn!(%error, removal, "something may be left on the device");
            }
        });
    }
}

/// Returns the command that has whatever writes a file come to its end.
pub(super) fn ending(path: &str) -> String {
    format!("pkill -INT -f {}", quote(&pattern(path)))
}

/// Writes a path as a pattern that fits it and not itself, so that `pkill` does not end the shell that it stands in.
fn pattern(path: &str) -> String {
    match path.char_indices().next_back() {
        Some((at, last)) => format!("{}[{last}]", &path[..at]),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_does_not_fit_itself() {
        assert_eq!(pattern("/data/local/tmp/uixt-1.mp4"), "/data/local/tmp/uixt-1.mp[4]");
    }
}
