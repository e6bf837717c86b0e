//! Faults that a test wishes for: files on the phone itself, so that whatever brings files to a phone can make and mend them.
//!
//! `NAME` is a script in the place of a command (see `shell/fault.rs`); while there is anything in `full`, nothing more fits on
//! the phone. An empty file is no fault.

use super::files::Files;

/// Where faults stand.
const FOLDER: &str = "/data/local/tmp/uixt-faults/";
/// The fault of a disk without room.
const FULL: &str = "full";

/// Returns what stands in a fault's file; `None` where it is empty or not there.
pub(super) fn read(files: &Files, name: &str) -> Option<String> {
    if name.contains('/') {
        return None;
    }
    let content = files.read(&format!("{FOLDER}{name}")).ok()?;
    let script = String::from_utf8_lossy(&content);
    (!script.trim().is_empty()).then(|| script.into_owned())
}

/// Tells whether nothing more fits on the phone, other than faults.
pub(super) fn is_full(files: &Files, path: &str) -> bool {
    !path.starts_with(FOLDER) && read(files, FULL).is_some()
}
