//! A screen that lacks something → an error where it could not have shown it: nothing is absent from a screen that is off.

use super::{Context, Error, Kind};
use crate::driver::Screen;

/// Says why nothing is known of a screen, and what to do.
const OFF: &str = "the screen is off, so that nothing can be told of it: `unlock` lights it";
const BLANK: &str = "the screen shows nothing that can be read: where it is off, `unlock` lights it";

/// Tells whether there is nothing at all to be read on a screen.
pub(super) fn is_blank(screen: &Screen) -> bool {
    screen.roots.is_empty()
}

/// Builds the error of what was looked for on a screen that shows nothing.
pub(super) fn blank(what: &str) -> Error {
    Error::new(Kind::Device, format!("{what}: {BLANK}")).with("code", "SCREEN_OFF")
}

/// Fails where the absence of something proves nothing, since the screen is off or shows nothing.
///
/// A device that does not tell whether its screen is lit is taken at what it shows.
pub(super) async fn proves_absence(cx: &Context, what: &str, is_blank: bool) -> Result<(), Error> {
    match cx.driver()?.lock_state().await {
        Ok(lock) if !lock.awake => Err(Error::new(Kind::Device, format!("{what}: {OFF}")).with("code", "SCREEN_OFF")),
        _ if is_blank => Err(blank(what)),
        _ => Ok(()),
    }
}
