//! Where the program's own log goes: a file beside the reports, or standard error. What libraries log is left out: it may hold what is
//! secret, and what matters of it stands in our own errors.

use std::fs::File;
use std::path::Path;
use std::sync::Mutex;

use tracing::Level;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;

/// Begins the targets of what this program logs.
const OURS: &str = "uixt";

/// Logs to standard error, where a protocol or a result has standard output to itself.
pub(super) fn to_stderr(level: Level) {
    log(level, std::io::stderr);
}

/// Logs to a file.
pub(super) fn to_file(path: &Path) -> std::io::Result<()> {
    log(Level::INFO, Mutex::new(File::create(path)?));
    Ok(())
}

fn log(level: Level, to: impl for<'a> MakeWriter<'a> + Send + Sync + 'static) {
    let is_ours = filter_fn(move |of| *of.level() <= level && of.target().starts_with(OURS)).with_max_level_hint(level);
    let lines = tracing_subscriber::fmt::layer().with_writer(to).with_ansi(false);
    // A second call in one process keeps the first log.
    let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(is_ours).with(lines));
}
