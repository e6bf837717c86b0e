//! Faults that a test wishes for: files on the phone itself, so that whatever brings files to a phone can make and mend them.
//!
//! `NAME` is a script in the place of a command (see `shell/fault.rs`); while there is anything in `full`, nothing more fits on
//! the phone. An empty file is no fault.

/// Where faults stand.
const FOLDER: &str = "/data/local/tmp/uixt-faults/";
/// The fault of a disk without room.
pub(super) const FULL: &str = "full";

/// Returns the path of a fault's file; `None` for what is no file's name.
pub(super) fn path(name: &str) -> Option<String> {
    (!name.contains('/')).then(|| format!("{FOLDER}{name}"))
}

/// Returns what stands in a fault's file; `None` where it is empty.
pub(super) fn script(content: &[u8]) -> Option<String> {
    let script = String::from_utf8_lossy(content);
    (!script.trim().is_empty()).then(|| script.into_owned())
}

/// Tells whether a file is a fault's.
pub(super) fn is_fault(path: &str) -> bool {
    path.starts_with(FOLDER)
}
