//! Time as results have it.

use std::time::Instant;

/// Returns the whole milliseconds since `started`.
pub(super) fn milliseconds(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
}
