//! A phone as a run finds it → the same again before each case: what one case leaves behind fails the next.

use std::collections::BTreeSet;

use parking_lot::Mutex;

use crate::driver::{Driver as _, Error, Reset};
use crate::phone::Phone;

/// What is known of a phone since the run began.
#[derive(Debug, Default)]
pub(crate) struct Baseline(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Whether the run found the screen lit.
    was_lit: Option<bool>,
    /// The apps that were started since the last case began.
    started: BTreeSet<String>,
}

impl Baseline {
    pub(crate) fn note_start(&self, package: &str) {
        self.0.lock().started.insert(package.to_owned());
    }
}

/// Lights a screen that was lit, and ends or empties the apps that were used; returns what was done, as sentences.
pub(crate) async fn renew(phone: &Phone, baseline: &Baseline, reset: Reset) -> Result<Vec<String>, Error> {
    let mut told = Vec::new();
    let is_lit = phone.is_lit().await?;
    let (was_lit, started) = {
        let mut known = baseline.0.lock();
        (*known.was_lit.get_or_insert(is_lit), std::mem::take(&mut known.started))
    };
    if was_lit && !is_lit {
        phone.unlock().await?;
        told.push("the screen was off, and is lit again".to_owned());
    }
    for package in started {
        let ended = match reset {
            Reset::None => Ok(()),
            Reset::App => phone.terminate(&package).await.map(drop),
            Reset::Data => phone.clear_app(&package).await,
        };
        // What the case has uninstalled left nothing behind.
        if !matches!(ended, Err(Error::NotFound { .. })) {
            ended?;
        }
    }
    Ok(told)
}
