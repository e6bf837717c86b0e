//! What goes wrong beside a call that passed → its failure, where the testcase says that it fails by that.

use std::time::Instant;

use parking_lot::Mutex;
use uixt_call::{PAGE_ERRORS, ToolRow, fails_by};
use uixt_core::fail_on::FailOn;
use uixt_driver::Driver;
use uixt_locate::{Error, Kind};

use super::evidence::Log;
use crate::pages::page_faults::{LIMIT, told};
use crate::{Context, Session, State};

/// Until when faults were held against what fails a testcase.
#[derive(Default)]
pub(crate) struct CheckedUntil(Mutex<Option<Instant>>);

impl State for CheckedUntil {}

/// Says which app of the session crashed, by the device's log, or by its absence.
pub(crate) async fn crash(device: &dyn Driver, log: Log, session: &Session) -> Vec<String> {
    if let Some(told) = log.crash(session) {
        return vec![told];
    }
    let gone = device.crashed().await.ok().flatten();
    gone.map(|app| format!("crash: {app} is not running any more: it crashed, or ended by itself"))
        .into_iter()
        .collect()
}

/// Fails where something went wrong since the call before that the testcase fails by. `expects_status` tells that the call itself says
/// what the server answers.
pub(crate) async fn check(tool: &ToolRow, cx: &Context, (began, expects_status): (Instant, bool)) -> Result<(), Error> {
    let wanted = &cx.options.fail_on;
    let Some(device) = cx.device.as_deref().filter(|_| !wanted.is_empty() && tool.needs_device) else { return Ok(()) };
    let until = cx.session.state::<CheckedUntil>().0.lock().replace(Instant::now());
    let since = until.unwrap_or(began);
    let faults = match device.pages("tell what went wrong") {
        Ok(pages) => {
            let (first, within) = (until.is_none(), since.elapsed());
            let asked = async { if first { pages.faults(within).await } else { pages.new_faults(within).await } };
            match tokio::time::timeout(LIMIT, asked).await {
                Ok(Err(error @ uixt_driver::Error::Unsupported { .. })) => {
                    let message = format!("`fail_on` could not be checked: {error}");
                    return Err(Error::new(Kind::Unsupported, message));
                }
                Ok(Ok(faults)) => told(&faults),
                _ => Vec::new(),
            }
        }
        Err(_) if wanted.contains(&FailOn::Crash) && !tool.read_only => {
            crash(device, Log::of(cx, false).await, &cx.session).await
        }
        Err(_) => Vec::new(),
    };
    let is_meant = |fault: &&String| !(expects_status && fault.starts_with("request: "));
    faults
        .iter()
        .filter(is_meant)
        .find_map(|fault| fails_by(wanted, fault))
        .map_or(Ok(()), |error| Err(error.with(PAGE_ERRORS, faults.clone())))
}
