//! The lock screen: what `dumpsys` tells of it, and the ways to put it up and take it away.

use std::time::Duration;

use super::Android;
use super::answer::{failed, not_understood};
use super::until::until;
use crate::driver::{Driver as _, Error, Gesture, Lock, Point};

/// Tells whether the screen is lit, and whether the lock screen is up, on every Android since 5.
const LOOK: &str = "dumpsys power | grep -E 'mWakefulness(Raw)?=|Display Power: state='; dumpsys window policy | \
                    grep -E '(showing|secure|mIsShowing|mShowingLockscreen|isStatusBarKeyguard)='";
/// How long the screen may take to do what it was asked.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How long each way to take the lock screen away may take to show an effect.
const EACH: Duration = Duration::from_millis(1500);

const SLEEP: &str = "input keyevent 223";
const WAKE_UP: &str = "input keyevent 224";
/// What takes a lock screen away that asks for nothing; the second serves Android 5, which lacks the first.
const DISMISS: [&str; 2] = ["wm dismiss-keyguard", "input keyevent 82"];

pub(super) async fn state(android: &Android) -> Result<Lock, Error> {
    let look = android.look(LOOK).await?;
    parse(&look).ok_or_else(|| not_understood("dumpsys", "the device does not tell whether it is locked", &look))
}

pub(super) async fn lock(android: &Android) -> Result<Lock, Error> {
    let before = state(android).await?;
    if !before.awake {
        return Ok(before);
    }
    android.run("input keyevent", SLEEP).await?;
    let now = looked(android, TIMEOUT, |lock| !lock.awake).await?;
    if now.awake {
        return Err(failed("input keyevent", &format!("the screen is still lit after {} s", TIMEOUT.as_secs())));
    }
    Ok(now)
}

pub(super) async fn unlock(android: &Android) -> Result<Lock, Error> {
    let mut now = state(android).await?;
    if !now.awake {
        android.run("input keyevent", WAKE_UP).await?;
        now = looked(android, TIMEOUT, |lock| lock.awake).await?;
    }
    if !now.awake {
        return Err(Error::Device {
            message: format!("the screen is still dark {} s after the key that wakes it", TIMEOUT.as_secs()),
        });
    }
    for command in DISMISS {
        if !now.locked {
            return Ok(now);
        }
        // A device that lacks one way may have the other.
        android.look(command).await?;
        now = looked(android, EACH, |lock| !lock.locked).await?;
    }
    if now.locked {
        swipe_up(android).await?;
        now = looked(android, EACH, |lock| !lock.locked).await?;
    }
    if now.locked { Err(held(now)) } else { Ok(now) }
}

async fn swipe_up(android: &Android) -> Result<(), Error> {
    let size = android.screen_size().await?;
    let at = |part: f64| Point { x: f64::from(size.width) / 2.0, y: f64::from(size.height) * part };
    android.perform(Gesture::Swipe { from: at(0.85), to: at(0.2), duration: Duration::from_millis(250) }).await
}

fn held(lock: Lock) -> Error {
    let why = match lock.secure {
        true => {
            "the lock screen asks for a PIN, a pattern or a password: unlock the device by hand, or set its screen lock to none"
        }
        false => "the lock screen did not go away: look at the screen, unlock the device by hand",
    };
    Error::Device { message: why.to_owned() }
}

/// Looks until `test` holds or the time is over; returns the last look.
async fn looked(android: &Android, timeout: Duration, test: fn(&Lock) -> bool) -> Result<Lock, Error> {
    Ok(until(android.timeout.min(timeout), || state(android), test).await?.look)
}

/// Reads the answer to [`LOOK`]; `None` where it tells nothing of one of the two.
pub(super) fn parse(text: &str) -> Option<Lock> {
    let value = |label: &str| text.split_whitespace().find_map(|word| word.strip_prefix(label)?.strip_prefix('='));
    let awake =
        ["mWakefulness", "mWakefulnessRaw"].into_iter().find_map(|label| is_awake(value(label)?)).or_else(|| {
            let state = text.split_once("Display Power: state=")?.1;
            state.split_whitespace().next().and_then(is_on)
        })?;
    let told = ["showing", "mIsShowing", "mShowingLockscreen", "isStatusBarKeyguard"];
    let told: Vec<bool> = told.into_iter().filter_map(|label| truth(value(label)?)).collect();
    let locked = (!told.is_empty()).then(|| told.contains(&true))?;
    Some(Lock { awake, locked, secure: value("secure") == Some("true") })
}

/// Source: AOSP `PowerManagerInternal.java`, `wakefulnessToString`.
fn is_awake(state: &str) -> Option<bool> {
    match state {
        "Awake" => Some(true),
        "Asleep" | "Dreaming" | "Dozing" => Some(false),
        _ => None,
    }
}

/// Source: AOSP `Display.java`, `stateToString`.
fn is_on(state: &str) -> Option<bool> {
    match state {
        "ON" | "VR" => Some(true),
        "OFF" | "DOZE" | "DOZE_SUSPEND" | "ON_SUSPEND" => Some(false),
        _ => None,
    }
}

fn truth(word: &str) -> Option<bool> {
    word.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_tells_in_its_own_words() {
        let android_14 = "  mWakefulness=Awake\nDisplay Power: state=ON\n    showing=true\n    secure=false\n      mIsShowing=true\n";
        assert_eq!(parse(android_14), Some(Lock { awake: true, locked: true, secure: false }));
        let free = android_14.replace("howing=true", "howing=false");
        assert_eq!(parse(&free), Some(Lock { awake: true, locked: false, secure: false }));
        let android_5 = "  mWakefulness=Asleep\n    mShowingLockscreen=true mShowingDream=false\n    secure=true\n";
        assert_eq!(parse(android_5), Some(Lock { awake: false, locked: true, secure: true }));
        let old = "Display Power: state=OFF\n    isStatusBarKeyguard=false\n";
        assert_eq!(parse(old), Some(Lock { awake: false, locked: false, secure: false }));
        let raw = "  mWakefulnessRaw=Awake\n      showing=false\n";
        assert_eq!(parse(raw), Some(Lock { awake: true, locked: false, secure: false }));
        assert_eq!(parse("mWakefulness=?\n showing=false"), None);
        assert_eq!(parse("mWakefulness=Awake\n showing=maybe"), None);
        assert_eq!(parse("  mWakefulness=Dozing\n"), None);
        assert_eq!(parse("mIsShowing=true"), None);
    }
}
