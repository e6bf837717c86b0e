//! `getprop`, `wm` and `dumpsys battery` → what a device says of itself.

use super::Android;
use super::answer::{failed, text};
use crate::driver::{Details, Driver as _, Error};

/// Tells all but the screen's size; each value stands behind a name of ours.
const LOOK: &str = "echo manufacturer=$(getprop ro.product.manufacturer); echo model=$(getprop ro.product.model); \
                    echo release=$(getprop ro.build.version.release); echo sdk=$(getprop ro.build.version.sdk); \
                    wm density; dumpsys battery";

pub(super) async fn of(android: &Android) -> Result<Details, Error> {
    let said = text(&android.device().shell(LOOK).await?.stdout);
    let mut details = parse(&said);
    if details.model.is_empty() && details.version.is_empty() {
        return Err(failed("getprop", "it tells neither model nor version"));
    }
    details.screen = android.screen_size().await?;
    Ok(details)
}

pub(super) fn parse(text: &str) -> Details {
    let line = |label: &str| text.lines().find_map(|line| line.trim().strip_prefix(label)).map(str::trim);
    let owned = |label: &str| line(label).unwrap_or_default().to_owned();
    let number = |label: &str| line(label)?.parse::<u32>().ok();
    let powered: Vec<&str> =
        ["AC powered:", "USB powered:", "Wireless powered:", "Dock powered:"].into_iter().filter_map(line).collect();
    Details {
        manufacturer: owned("manufacturer="),
        model: owned("model="),
        version: owned("release="),
        api_level: number("sdk="),
        density: number("Override density:").or_else(|| number("Physical density:")),
        battery: battery(number("level:"), number("scale:")),
        powered: (!powered.is_empty()).then(|| powered.contains(&"true")),
        ..Details::default()
    }
}

/// Returns the charge in percent; one that is above 100 was misread or is made up.
fn battery(level: Option<u32>, scale: Option<u32>) -> Option<u32> {
    let scale = scale.filter(|scale| *scale > 0).unwrap_or(100);
    level.map(|level| level.saturating_mul(100) / scale).filter(|percent| *percent <= 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_told_is_absent() {
        let told = "manufacturer=Google\nmodel=Pixel 9\nrelease=14\nsdk=34\nPhysical density: 420\nOverride density: 320\n\
                    Current Battery Service state:\n  AC powered: false\n  USB powered: true\n  level: 50\n  scale: 200\n";
        let details = parse(told);
        assert_eq!((details.model.as_str(), details.version.as_str(), details.api_level), ("Pixel 9", "14", Some(34)));
        assert_eq!((details.density, details.battery, details.powered), (Some(320), Some(25), Some(true)));
        let nothing = parse("Can't find service: battery\n");
        assert_eq!((nothing.density, nothing.battery, nothing.powered), (None, None, None));
    }
}
