//! Whether the screen is lit and locked: what the power and lock services tell, and the ways to change it.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::answer::failed;
use crate::driver::{Driver as _, Error, Gesture, Lock, Point, Size};
use crate::phone::Phone;

/// Asks the power service for its state.
pub(crate) const LOOK: &str = "hidumper -s PowerManagerService -a -s";
const LOOK_AT_BOTH: &str = "hidumper -s PowerManagerService -a -s; hidumper -s ScreenlockService -a -all";
/// How long the screen may take to do what it was asked, and the pause between two looks.
const TIMEOUT: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(50);

/// Tells whether the screen is lit; none where it is not told.
pub(crate) fn is_lit(said: &str) -> Option<bool> {
    let state = said.split_once("Current State:")?.1.split_whitespace().next()?;
    Some(state.trim_end_matches(',') == "AWAKE")
}

/// Reads both services' words: whether the screen is lit, and locked where that is told.
fn parse(said: &str) -> Option<(bool, Option<bool>)> {
    let awake = is_lit(said)?;
    let is_true =
        |line: &str| line.split_once("screenLocked").is_some_and(|(_, value)| value.trim().starts_with("true"));
    Some((awake, said.contains("screenLocked").then(|| said.lines().any(is_true))))
}

pub(crate) async fn state(phone: &Phone) -> Result<Lock, Error> {
    let said = phone.shell.look("hidumper", LOOK_AT_BOTH).await?;
    let untold = || failed("hidumper", &format!("it does not tell whether the screen is lit: {said}"));
    let (awake, told) = parse(&said).ok_or_else(untold)?;
    let locked = match told {
        Some(locked) => locked,
        // A system without that service shows its lock screen all the same.
        None if awake => phone.shows_lock().await?,
        None => true,
    };
    Ok(Lock { awake, locked, secure: false })
}

/// Looks until the state is as wanted, or the time is over; returns the last look.
async fn wait(phone: &Phone, wanted: fn(&Lock) -> bool) -> Result<Lock, Error> {
    let began = Instant::now();
    loop {
        let now = state(phone).await?;
        if wanted(&now) || began.elapsed() > TIMEOUT {
            return Ok(now);
        }
        sleep(PAUSE).await;
    }
}

/// Asks for the size of a screen that is off and has no tree: as it is built, or turned.
pub(crate) async fn size(phone: &Phone) -> Result<Size, Error> {
    let said = phone.shell.look("hidumper", "hidumper -s RenderService -a screen").await?;
    size_of(&said).ok_or_else(|| failed("hidumper", &format!("it does not tell the screen's size: {said}")))
}

/// Reads `activeMode: 1260x2720` or `render size: 1260x2720`, of the screen that is on where there are two.
fn size_of(said: &str) -> Option<Size> {
    let of = |text: &str| {
        let rest = ["activeMode:", "render size:"].into_iter().find_map(|label| text.split_once(label))?.1.trim_start();
        let (width, rest) = rest.split_once('x')?;
        let height: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
        Some(Size { width: width.trim().parse().ok()?, height: height.parse().ok()? })
    };
    let is_on = |part: &&str| part.contains("isPowerOn:1") || part.contains("powerStatus=POWER_STATUS_ON");
    let mut screens = said.split("screen[");
    screens.clone().find(is_on).and_then(of).or_else(|| screens.find_map(of))
}

pub(crate) async fn lock(phone: &Phone) -> Result<Lock, Error> {
    let before = state(phone).await?;
    if !before.awake {
        return Ok(before);
    }
    phone.shell.act("power-shell", "power-shell suspend").await?;
    let now = wait(phone, |lock| !lock.awake).await?;
    match now.awake {
        true => Err(failed("power-shell", &format!("the screen is still lit after {} s", TIMEOUT.as_secs()))),
        false => Ok(now),
    }
}

pub(crate) async fn unlock(phone: &Phone) -> Result<Lock, Error> {
    let mut now = state(phone).await?;
    if !now.awake {
        phone.shell.act("power-shell", "power-shell wakeup").await?;
        now = wait(phone, |lock| lock.awake).await?;
    }
    if !now.awake {
        return Err(failed("power-shell", &format!("the screen is still dark after {} s", TIMEOUT.as_secs())));
    }
    if !now.locked {
        return Ok(now);
    }
    let size = phone.screen_size().await?;
    let at = |part: f64| Point { x: f64::from(size.width) / 2.0, y: f64::from(size.height) * part };
    let swipe = Gesture::Swipe { from: at(0.85), to: at(0.2), duration: Duration::from_millis(250) };
    phone.perform(swipe).await?;
    let now = wait(phone, |lock| !lock.locked).await?;
    match now.locked {
        true => Err(Error::Device { message: HELD.to_owned() }),
        false => Ok(now),
    }
}

const HELD: &str = "the lock screen did not go away: it may ask for a passcode, which nobody but its user enters: unlock the phone by hand, or take \
                    its passcode away";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_that_of_the_screen_that_is_on() {
        let size = |width, height| Some(Size { width, height });
        let folded = "screen[0]: id=0, isPowerOn:0, render size: 2224x2496, activeMode: 2224x2496\nscreen[1]: id=5, isPowerOn:1, render size: 1080x2504\n";
        assert_eq!(size_of(folded), size(1080, 2504));
        assert_eq!(size_of("activeMode: 1260x2720, refreshrate=120\n"), size(1260, 2720));
        assert_eq!(size_of("no such service"), None);
    }

    #[test]
    fn the_services_tell_both() {
        let power = |state: &str| {
            format!(
                "\n-------------------------------[ability]-------------------------------\n\n----------------------------------PowerManagerService---------------------------------\nPOWER STATE DUMP:\nCurrent State: {state}  Reason: 2  Time: 1\n"
            )
        };
        let lock = |is: &str| {
            format!(
                "\n Screenlock system state\tValue\n * screenLocked  \t\t{is}\t\t100\n * screenState  \t\t1\t\tscreen on / off status\n"
            )
        };
        let of = |state: &str, is: &str| parse(&format!("{}{}", power(state), lock(is)));
        assert_eq!(of("AWAKE", "false"), Some((true, Some(false))));
        assert_eq!(of("AWAKE", "true"), Some((true, Some(true))));
        assert_eq!(of("INACTIVE", "true"), Some((false, Some(true))));
        assert_eq!((is_lit(&power("SLEEP")), is_lit("no such service")), (Some(false), None));
        assert_eq!(parse(&format!("{}Service not found\n", power("AWAKE"))), Some((true, None)));
    }
}
