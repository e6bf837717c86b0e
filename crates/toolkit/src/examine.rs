//! A device → what is to be seen of it in a sentence, for whoever wonders why everything fails on it.

use std::time::Duration;

use uixt_call::mask;
use uixt_driver::Driver;
use uixt_locate::{dialog, snapshot};

/// For how long each question is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// Below this charge, in percent, a phone may be about to go out.
const LOW: u32 = 5;

/// Says what a device shows, and what about it may keep cases from beginning.
pub async fn examine(driver: &dyn Driver) -> String {
    let mut told = Vec::new();
    match tokio::time::timeout(PATIENCE, driver.lock_state()).await {
        Ok(Ok(lock)) if !lock.awake => told.push("its screen is off".to_owned()),
        Ok(Ok(lock)) if lock.locked && lock.secure => told.push("it is locked and asks for a PIN".to_owned()),
        Ok(Ok(lock)) if lock.locked => told.push("its lock screen is shown".to_owned()),
        _ => {}
    }
    match tokio::time::timeout(PATIENCE, driver.screen_within(PATIENCE)).await {
        Ok(Ok(screen)) => {
            let front = if screen.page.is_empty() { screen.package.clone() } else { mask::addresses(&screen.page) };
            let title = snapshot::title(&screen);
            told.push(match (title.as_str(), dialog::find(&screen)) {
                (_, Some(dialog)) => format!("{front} shows {dialog}"),
                ("", None) => format!("{front} is in front"),
                (title, None) => format!("{front} shows \"{title}\""),
            });
        }
        Ok(Err(error)) => told.push(format!("its screen cannot be read: {error}")),
        Err(_) => told.push(format!("its screen was not read within {} s", PATIENCE.as_secs())),
    }
    if let Ok(Ok(details)) = tokio::time::timeout(PATIENCE, driver.details()).await
        && let Some(charge) = details.battery.filter(|charge| *charge < LOW && details.powered != Some(true))
    {
        told.push(format!("its battery is at {charge} %"));
    }
    told.join("; ")
}
