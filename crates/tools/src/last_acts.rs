//! Pages that calls of a session did something to → what came of the last of it, where nobody looks at them any more.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::page_faults::told;
use super::{ActionTool, Error, Kind, Session, mask, popups};
use crate::driver::{self, Driver};

/// How long after an act it is waited for what is drawn or fetched next: what is later has come by then, on a busy machine too.
const SOON: Duration = Duration::from_secs(1);

/// The devices with pages that something was done to since somebody asked what came of it.
#[derive(Default)]
pub(super) struct LastActs {
    acts: Mutex<Vec<LastAct>>,
    /// When the last call began that did something to a device and passed.
    done: Mutex<Option<Instant>>,
    /// When the last call ended that may have done something to a device.
    ended: Mutex<Option<Instant>>,
}

/// The last that was done to the pages of a device.
pub struct LastAct {
    pub device: Arc<dyn Driver>,
    /// When that call ended, or began where it has not.
    at: Instant,
}

impl LastActs {
    /// Takes in that a call begins, and that it ends.
    pub(super) fn note(&self, tool: &ActionTool, device: Option<&Arc<dyn Driver>>) {
        let Some(device) = device.filter(|device| !tool.read_only && device.pages("be acted on").is_ok()) else {
            return;
        };
        let mut acts = self.acts();
        acts.retain(|act| !Arc::ptr_eq(&act.device, device));
        acts.push(LastAct { device: Arc::clone(device), at: Instant::now() });
    }

    /// Takes in that a call passed that did something and began at a moment.
    pub(super) fn done(&self, began: Instant) {
        *self.done.lock().unwrap_or_else(PoisonError::into_inner) = Some(began);
    }

    /// Takes in that a call ends.
    pub(super) fn end(&self, tool: &ActionTool) {
        if tool.needs_device && !tool.read_only {
            *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
    }

    /// Returns when the last call ended that may have done something.
    pub(super) fn last_ended(&self) -> Option<Instant> {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns when the last call began that did something and passed.
    pub(super) fn last_done(&self) -> Option<Instant> {
        *self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes out what nobody has asked for yet.
    pub(super) fn take(&self) -> Vec<LastAct> {
        std::mem::take(&mut self.acts())
    }

    fn acts(&self) -> MutexGuard<'_, Vec<LastAct>> {
        self.acts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fails where a page has begun a download that nothing says the place of.
pub(super) async fn refuse_downloads(device: Option<&Arc<dyn Driver>>) -> Result<(), Error> {
    let Some(pages) = device.and_then(|device| device.pages("download").ok()) else { return Ok(()) };
    match pages.refused_downloads().await.first() {
        None => Ok(()),
        Some(address) => {
            let message = format!(
                "a download that the page began was refused: {}; name a folder for it, `downloads` in the config's `browser`",
                mask::addresses(address)
            );
            Err(Error::new(Kind::Assertion, message).with("code", "DOWNLOAD_REFUSED"))
        }
    }
}

impl LastAct {
    /// Returns what went wrong in the pages since a moment, without the passwords of addresses; an error is what the next call would
    /// have met. Dialogs are dismissed where that is asked for.
    pub async fn after_last_act(
        &self,
        session: &Session,
        since: Instant,
        closes_dialogs: bool,
    ) -> Result<Vec<String>, Error> {
        let pages = self.device.pages("be acted on")?;
        let mut came = pages.after_last_act(since, self.at.elapsed() < SOON).await;
        while closes_dialogs
            && matches!(&came, Err(driver::Error::Rejected { code, .. }) if code == driver::DIALOG_OPEN)
        {
            popups::of_page(self.device.as_ref()).await?;
            came = pages.after_last_act(since, true).await;
        }
        match came {
            Ok(faults) => refuse_downloads(Some(&self.device)).await.map(|()| told(&faults)),
            Err(error) => {
                let error = session.state.typed_text.blamed(Error::from(error));
                Err(if error.kind == Kind::Transport {
                    error
                } else {
                    super::page_faults::of(pages, error, since.elapsed()).await
                })
            }
        }
    }
}
