//! A screen that is off → an error: nothing is absent from it, and no touch has an effect on it.
//!
//! Gestures ask nothing for this: every look at a screen, and at its size before a gesture, tells whether it is lit. What goes out
//! between that look and the touch, some milliseconds later, is not noticed.

use super::{Error, Kind};
use crate::driver::{Display, Screen};

/// Says why nothing is known of a screen or done on it, and what to do.
const OFF: &str = "the screen is off: call `unlock` first";
const BLANK: &str = "the screen shows nothing to read; if it is off, call `unlock` first";
const MUTE: &str = "the screen is off, so this key does nothing: call `unlock` first";
const DEAD: &str = "the screen is off, so a touch does nothing: call `unlock` first";

/// Tells whether there is nothing at all to be read on a screen.
pub fn is_blank(screen: &Screen) -> bool {
    screen.roots.is_empty()
}

/// Tells whether a page stands there that has nothing in it, not even an empty body: one that comes, or that a script has wiped.
pub fn is_bare_page(screen: &Screen) -> bool {
    is_blank(screen) && !screen.page.is_empty()
}

/// Builds the error of what was looked for on a screen that shows nothing.
pub fn blank(what: &str, screen: &Screen) -> Error {
    if is_bare_page(screen) {
        let message = format!("{what}: the page {} has nothing in it, not even a root element", screen.page);
        return Error::new(Kind::NotFound, message).with("app", screen.package.as_str());
    }
    dark(format!("{what}: {}", if screen.lit { BLANK } else { OFF }))
}

/// Fails where the absence of something proves nothing, since the screen is off or shows nothing.
pub fn require_readable(what: &str, screen: &Screen) -> Result<(), Error> {
    if screen.lit && !is_blank(screen) { Ok(()) } else { Err(blank(what, screen)) }
}

/// Fails where a touch would have no effect.
pub fn require_awake(display: Display) -> Result<(), Error> {
    if display.lit { Ok(()) } else { Err(dark(DEAD.to_owned())) }
}

/// Fails where a key that does not serve in the dark was not pressed, since the screen is off.
pub fn require_key_awake(lit: bool) -> Result<(), Error> {
    if lit { Ok(()) } else { Err(dark(MUTE.to_owned())) }
}

/// Fails on a screen that is off.
pub fn require_shown(what: &str, display: Display) -> Result<(), Error> {
    if display.lit { Ok(()) } else { Err(dark(format!("{what}: {OFF}"))) }
}

fn dark(message: String) -> Error {
    Error::new(Kind::Device, message).with("code", "SCREEN_OFF")
}
