//! Faults as they are set: what some of them do at once.

use serde_json::Value;

use super::super::faults as files_faults;
use super::super::handset::Handset;

/// Android's key that darkens the screen.
const SLEEP: u32 = 223;

impl Handset {
    /// Sets a fault of a Harmony phone and does what it does at once. Errors: there is none of this name.
    pub(super) async fn set_harmony_fault(&self, name: &str, value: Value) -> Result<(), String> {
        let faults = &self.harmony.faults;
        faults.set(name, value)?;
        match name {
            "locked" | "asleep" if faults.is(name) => self.system.lock().await.key(SLEEP).await,
            "disk_full" => {
                let Some(path) = files_faults::path(files_faults::FULL) else { return Ok(()) };
                let mut files = self.files.lock();
                let made = files.make_folders(path.rsplit_once('/').map_or("", |(folder, _)| folder));
                let text: &[u8] = if faults.is(name) { b"full" } else { b"" };
                let written = made.and_then(|()| files.create(&path, 0o660)).and_then(|()| files.append(&path, text));
                written.map_err(|errno| errno.to_string())?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns what was really done, as `uixt` tells it in the phone's shell.
    pub(super) fn harmony_acts(&self) -> Value {
        self.harmony.counts.all()
    }
}
