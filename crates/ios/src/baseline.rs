//! A phone as a run finds it → the same again before each case: what one case leaves behind fails the next.

use std::collections::BTreeSet;

use parking_lot::Mutex;

use crate::alert;
use crate::driver::{Driver, Error, Key, Orientation, Reset};
use crate::phone::Phone;

/// Alerts that are closed at most.
const MOST_ALERTS: usize = 5;

/// What is known of a phone since the run began.
#[derive(Debug, Default)]
pub(crate) struct Baseline(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Whether a case has begun.
    has_begun: bool,
    /// How the screen was turned.
    orientation: Option<Orientation>,
    /// The apps that were started since the last case began.
    started: BTreeSet<String>,
}

impl Baseline {
    pub(crate) fn note_start(&self, package: &str) {
        self.0.lock().started.insert(package.to_owned());
    }
}

/// Makes a phone as the run found it, and ends the apps that were used; returns what was done, as sentences.
pub(crate) async fn renew(phone: &Phone, baseline: &Baseline, reset: Reset) -> Result<Vec<String>, Error> {
    let mut told = close_alerts(phone).await?;
    let now = match phone.orientation().await {
        Err(error @ Error::Disconnected { .. }) => return Err(error),
        // Where it is not told, it is not put back.
        now => now.ok().map(|turned| turned.orientation),
    };
    let (found, started, is_first) = {
        let mut known = baseline.0.lock();
        let is_first = !std::mem::replace(&mut known.has_begun, true);
        if is_first {
            known.orientation = now;
        }
        (known.orientation, std::mem::take(&mut known.started), is_first)
    };
    for package in started {
        match reset {
            Reset::None => {}
            Reset::App => drop(phone.terminate(&package).await?),
            Reset::Data => phone.clear_app(&package).await?,
        }
    }
    if is_first && phone.wda().options().reset_home_on_startup {
        phone.press(Key::Home).await?;
    }
    if let Some(found) = found.filter(|found| now.is_some_and(|now| now != *found)) {
        phone.set_orientation(Some(found)).await?;
        told.push("the screen was turned, and is again as the run found it".to_owned());
    }
    Ok(told)
}

/// Closes what the system asks, without agreeing to it.
async fn close_alerts(phone: &Phone) -> Result<Vec<String>, Error> {
    let mut told = Vec::new();
    for _ in 0..MOST_ALERTS {
        let Some(shown) = alert::look(phone.wda()).await? else { break };
        let title = shown.text.lines().next().unwrap_or_default().to_owned();
        alert::dismiss(phone.wda()).await?;
        phone.eyes().moved();
        if alert::look(phone.wda()).await?.as_ref() == Some(&shown) {
            told.push(format!("the alert \"{title}\" is still open, and lies over every app"));
            break;
        }
        told.push(format!("closed the alert \"{title}\", which was left open"));
    }
    Ok(told)
}
