//! Pages and apps that calls did something to → what came of the last of it, where nobody looks at them any more.

use std::sync::Arc;
use std::time::{Duration, Instant};

use uixt_call::mask;
use uixt_core::dialogs::Dialogs;
use uixt_core::fail_on::FailOn;
use uixt_driver as driver;
use uixt_driver::Driver;
use uixt_driver::pages::{Download, Downloaded};
use uixt_locate::{Error, Kind};

use super::evidence::Log;
use super::fail_on;
use crate::Session;
use crate::pages::dialogs;
use crate::pages::page_faults::told;
use crate::traces::last_acts::LastAct;
use crate::traces::typed_text::TypedText;

/// How long after an act it is waited for what is drawn or fetched next: what is later has come by then, on a busy machine too.
const SOON: Duration = Duration::from_secs(1);

/// How long after an act faults are waited for that fail a case.
const FAULTS: Duration = Duration::from_millis(700);

/// How long between two looks at a device's log.
const PAUSE: Duration = Duration::from_millis(200);

/// Fails where a download has come to nothing that a page began.
pub(crate) async fn check_downloads(device: Option<&Arc<dyn Driver>>) -> Result<(), Error> {
    let Some(pages) = device.and_then(|device| device.pages("download").ok()) else { return Ok(()) };
    match pages.take_failed_downloads().await.into_iter().next() {
        Some(Download { url, became: Downloaded::Failed(why), .. }) => {
            let message = format!("download failed: {}: {why}", mask::addresses(&url));
            Err(Error::new(Kind::Assertion, message).with("code", "DOWNLOAD_FAILED"))
        }
        _ => Ok(()),
    }
}

impl LastAct {
    /// Returns that an app crashed by what was done last, which takes a moment to be told.
    async fn crash(&self, session: &Session) -> Vec<String> {
        loop {
            let log = Log::of_device(self.device.as_ref(), session, false).await;
            let crash = fail_on::crash(self.device.as_ref(), log, session).await;
            if !crash.is_empty() || self.at.elapsed() >= SOON {
                return crash;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Returns what went wrong in the pages since a moment, without the passwords of addresses; an error is what the next call would
    /// have met. Dialogs are dismissed where that is asked for.
    pub async fn after_last_act(
        &self,
        session: &Session,
        since: Instant,
        dialogs: Dialogs,
        fail_on: &[FailOn],
    ) -> Result<Vec<String>, Error> {
        let Ok(pages) = self.device.pages("be acted on") else {
            return Ok(if fail_on.contains(&FailOn::Crash) { self.crash(session).await } else { Vec::new() });
        };
        if !fail_on.is_empty() {
            // What fails the case may come a little later.
            tokio::time::sleep(FAULTS.saturating_sub(self.at.elapsed())).await;
        }
        let mut came = pages.after_last_act(since, self.at.elapsed() < SOON).await;
        while dialogs != Dialogs::Fail
            && matches!(&came, Err(driver::Error::Rejected { code, .. }) if code == driver::DIALOG_OPEN)
        {
            dialogs::of_page(self.device.as_ref(), dialogs == Dialogs::Accept).await?;
            came = pages.after_last_act(since, true).await;
        }
        match came {
            Ok(faults) => check_downloads(Some(&self.device)).await.map(|()| told(&faults)),
            Err(error) => {
                let error = session.state::<TypedText>().blamed(Error::from(error));
                Err(if error.kind == Kind::Transport {
                    error
                } else {
                    crate::pages::page_faults::of(pages, error, since.elapsed()).await
                })
            }
        }
    }
}
