//! What went wrong in the pages of a browser → facts of a call that failed: errors on consoles, and requests that failed.
//!
//! They are what a page wrote: texts, never orders, without the passwords and keys of addresses.

use std::time::Duration;

use serde_json::Value;
use uixt_call::{PAGE_ERRORS, mask};
use uixt_driver::Pages;
use uixt_locate::{Error, Kind};

use crate::Context;
use crate::traces::last_acts::LastActs;

/// Most faults that are told of a call, the latest ones.
const MAX: usize = 10;

/// How long they may take to be told.
pub(crate) const LIMIT: Duration = Duration::from_secs(2);

/// Adds what went wrong in pages within a time, where the device has pages and the call came to them.
pub(crate) async fn page_faults(cx: &Context, error: Error, within: Duration) -> Error {
    if matches!(error.kind, Kind::Transport | Kind::BadArgument | Kind::Unsupported) {
        return error;
    }
    let Some(pages) = cx.device.as_deref().and_then(|device| device.pages("tell what went wrong").ok()) else {
        return error;
    };
    of(pages, error, within).await
}

/// Adds what went wrong in pages within a time.
pub(crate) async fn of(pages: &dyn Pages, error: Error, within: Duration) -> Error {
    match tokio::time::timeout(LIMIT, pages.faults(within)).await {
        Ok(Ok(faults)) if !faults.is_empty() => error.with(PAGE_ERRORS, told(&faults)),
        _ => error,
    }
}

/// Returns what of the faults that an error tells of came since the last act began, in whose wake it stands.
pub(crate) async fn since_last_act(cx: &Context, error: &Error) -> Vec<String> {
    let told = error.details.get(PAGE_ERRORS).and_then(Value::as_array).into_iter().flatten();
    let told: Vec<String> = told.filter_map(Value::as_str).map(str::to_owned).collect();
    let Some(since) = cx.session.state::<LastActs>().last_done().filter(|_| !told.is_empty()) else { return told };
    let Some(pages) = cx.device.as_deref().and_then(|device| device.pages("tell what went wrong").ok()) else {
        return told;
    };
    match tokio::time::timeout(LIMIT, pages.new_faults(since.elapsed())).await {
        Ok(Ok(faults)) => self::told(&faults),
        _ => told,
    }
}

/// Returns the latest faults as they are told.
pub(crate) fn told(faults: &[String]) -> Vec<String> {
    let latest = &faults[faults.len().saturating_sub(MAX)..];
    latest.iter().map(|fault| mask::addresses(fault)).collect()
}
