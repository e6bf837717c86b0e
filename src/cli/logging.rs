//! Where the program's own log goes: a file beside the reports, or standard error.

use std::fs::File;
use std::path::Path;
use std::sync::Mutex;

use tracing::Level;

/// Logs to standard error, where a protocol or a result has standard output to itself.
pub(super) fn to_stderr(level: Level) {
    let subscriber =
        tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr).with_ansi(false).finish();
    // A second call in one process keeps the first log.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

/// Logs to a file.
pub(super) fn to_file(path: &Path) -> std::io::Result<()> {
    let file = File::create(path)?;
    let subscriber =
        tracing_subscriber::fmt().with_max_level(Level::INFO).with_writer(Mutex::new(file)).with_ansi(false).finish();
    let _ = tracing::subscriber::set_global_default(subscriber);
    Ok(())
}
