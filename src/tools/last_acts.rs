//! Pages that calls of a session did something to → what came of the last of it, where nobody looks at them any more.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::page_faults::told;
use super::{ActionTool, Error, Kind, popups};
use crate::driver::{self, Driver};

/// The devices with pages that something was done to since somebody asked what came of it.
#[derive(Default)]
pub(super) struct LastActs(Mutex<Vec<LastAct>>);

/// The last that was done to the pages of a device.
pub struct LastAct {
    pub device: Arc<dyn Driver>,
    /// Whether a call has looked at the page since.
    is_seen: bool,
}

impl LastActs {
    /// Takes in that a call begins.
    pub(super) fn note(&self, tool: &ActionTool, device: Option<&Arc<dyn Driver>>) {
        let Some(device) = device.filter(|device| !tool.read_only && device.pages("be acted on").is_ok()) else {
            return;
        };
        let mut acts = self.acts();
        acts.retain(|act| !Arc::ptr_eq(&act.device, device));
        acts.push(LastAct { device: Arc::clone(device), is_seen: false });
    }

    /// Takes in that a call has passed.
    pub(super) fn passed(&self, tool: &ActionTool, device: Option<&Arc<dyn Driver>>) {
        let Some(device) = device.filter(|_| tool.read_only) else { return };
        self.acts().iter_mut().filter(|act| Arc::ptr_eq(&act.device, device)).for_each(|act| act.is_seen = true);
    }

    /// Takes out what nobody has asked for yet.
    pub(super) fn take(&self) -> Vec<LastAct> {
        std::mem::take(&mut self.acts())
    }

    fn acts(&self) -> MutexGuard<'_, Vec<LastAct>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LastAct {
    /// Returns what went wrong in the pages for some time, without the passwords of addresses; an error is what the next call would
    /// have met. Dialogs are dismissed where that is asked for.
    pub async fn aftermath(&self, within: Duration, closes_dialogs: bool) -> Result<Vec<String>, Error> {
        let pages = self.device.pages("be acted on")?;
        let mut came = pages.aftermath(within, !self.is_seen).await;
        while closes_dialogs
            && matches!(&came, Err(driver::Error::Rejected { code, .. }) if code == driver::DIALOG_OPEN)
        {
            popups::of_page(self.device.as_ref()).await?;
            came = pages.aftermath(within, true).await;
        }
        match came {
            Ok(faults) => Ok(told(&faults)),
            Err(error) => {
                let error = Error::from(error);
                Err(if error.kind == Kind::Transport {
                    error
                } else {
                    super::page_faults::of(pages, error, within).await
                })
            }
        }
    }
}
