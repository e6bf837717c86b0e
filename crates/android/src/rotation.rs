//! How the screen is turned: quarter turns ↔ portrait and landscape, on devices whose own shape is either.

use std::time::Duration;

use super::answer::{not_understood, own_lines};
use super::until::until;
use super::{Android, display};
use crate::driver::{Error, Orientation, Turned};

/// How long the screen may take to turn.
const TIMEOUT: Duration = Duration::from_secs(5);
const AUTO: &str = "settings get system accelerometer_rotation";

pub(super) async fn turned(android: &Android) -> Result<Turned, Error> {
    let said = android.run("settings get", AUTO).await?;
    let auto = follows_sensor(&said)
        .ok_or_else(|| not_understood("settings get", "it tells nothing of accelerometer_rotation", &said))?;
    Ok(Turned { orientation: orientation(android).await?, auto })
}

/// Turns the screen and waits until it is; `None` lets it follow the sensor.
pub(super) async fn set(android: &Android, wanted: Option<Orientation>) -> Result<(), Error> {
    let Some(wanted) = wanted else {
        return android.run("settings put", "settings put system accelerometer_rotation 1").await.map(drop);
    };
    let look = look(android).await?;
    let turns = turns(wanted, display::is_wide(&look));
    let command = format!("settings put system accelerometer_rotation 0 && settings put system user_rotation {turns}");
    android.run("settings put", &command).await?;
    let seen = until(android.timeout.min(TIMEOUT), || orientation(android), |now| *now == wanted).await?;
    if seen.reached {
        return Ok(());
    }
    let message = format!(
        "the screen stays {} within {} s: the app in front, or the device, does not turn",
        name(seen.look),
        TIMEOUT.as_secs()
    );
    Err(Error::Device { message })
}

/// Reads the answer to [`AUTO`]; a device that was never asked to turn has no such setting.
pub(super) fn follows_sensor(said: &str) -> Option<bool> {
    match own_lines(said).last()? {
        "1" => Some(true),
        "0" | "null" => Some(false),
        _ => None,
    }
}

fn name(orientation: Orientation) -> &'static str {
    match orientation {
        Orientation::Portrait => "portrait",
        Orientation::Landscape => "landscape",
        Orientation::ReversePortrait => "reverse portrait",
        Orientation::ReverseLandscape => "reverse landscape",
    }
}

async fn orientation(android: &Android) -> Result<Orientation, Error> {
    let look = look(android).await?;
    let turns = display::quarter_turns(&look)
        .ok_or_else(|| not_understood("dumpsys", "the device does not tell how its screen is turned", &look))?;
    Ok(orientation_of(turns, display::is_wide(&look)))
}

async fn look(android: &Android) -> Result<String, Error> {
    let look = android.look(&format!("wm size; {}", display::LOOK)).await?;
    if display::quarter_turns(&look).is_some() {
        return Ok(look);
    }
    android.look(display::LOOK_AT_INPUT).await
}

/// What a device shows after each number of quarter turns; a wide one is a tablet whose own shape is landscape.
const TALL: [Orientation; 4] =
    [Orientation::Portrait, Orientation::Landscape, Orientation::ReversePortrait, Orientation::ReverseLandscape];
const WIDE: [Orientation; 4] =
    [Orientation::Landscape, Orientation::ReversePortrait, Orientation::ReverseLandscape, Orientation::Portrait];

fn shapes(wide: bool) -> [Orientation; 4] {
    if wide { WIDE } else { TALL }
}

fn orientation_of(turns: u32, wide: bool) -> Orientation {
    shapes(wide)[turns as usize % 4]
}

fn turns(orientation: Orientation, wide: bool) -> usize {
    shapes(wide).iter().position(|known| *known == orientation).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_on_or_off_or_not_told() {
        assert_eq!(follows_sensor("WARNING: linker: libx.so: unused DT entry\r\n1\r\n"), Some(true));
        assert_eq!((follows_sensor("0\n"), follows_sensor("null\n")), (Some(false), Some(false)));
        assert_eq!((follows_sensor(""), follows_sensor("cmd: failed")), (None, None));
    }

    #[test]
    fn tablets_are_turned_the_other_way() {
        assert_eq!((turns(Orientation::Landscape, false), turns(Orientation::Landscape, true)), (1, 0));
        assert_eq!((turns(Orientation::Portrait, false), turns(Orientation::Portrait, true)), (0, 3));
        for wide in [false, true] {
            for turned in 0..4 {
                assert_eq!(turns(orientation_of(turned, wide), wide), turned as usize);
            }
        }
    }
}
