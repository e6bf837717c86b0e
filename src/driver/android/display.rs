//! `wm size` and `dumpsys` → the size of the screen as it is turned now, and whether it is lit.
//!
//! From Android 10 on, the dump that tells the size tells of the light, too, so that to know it costs a gesture nothing. Where
//! it does not say that the screen is lit, the power manager is asked: each time before Android 10, whose `input` takes ten
//! times as long by itself, and otherwise only where the screen is off.

use super::answer::{complaint, failed};
use crate::driver::{Error, Size};

/// Tells the size and how the screen is turned, on every Android since 4.2; since 10, whether it is lit as well.
pub(super) const LOOK: &str = "wm size; dumpsys window displays | grep -E 'mDisplayId=|cur=|mCurrentRotation=|mAwake='";
/// Tells how the screen is turned where [`LOOK`] did not.
pub(super) const LOOK_AT_INPUT: &str = "wm size; dumpsys input | grep -E 'SurfaceOrientation'";

/// Reads the size of the screen as it is turned now; `None` where nothing tells how it is turned.
pub(super) fn parse(text: &str) -> Result<Option<Size>, Error> {
    if let Some(size) = current_size(text) {
        return Ok(Some(size));
    }
    let reason = || complaint(text).unwrap_or("it tells no size");
    let natural = natural_size(text).ok_or_else(|| failed("wm size", reason()))?;
    Ok(quarter_turns(text).map(|turns| turned(natural, turns)))
}

/// Tells whether the first display takes touches; `None` where the look does not say so.
pub(super) fn awake(text: &str) -> Option<bool> {
    first_display(text, "mAwake=").map(|value| value.starts_with("true"))
}

/// The window manager's own word for the first display: `cur=2400x1080`.
fn current_size(text: &str) -> Option<Size> {
    first_display(text, "cur=").and_then(size_of)
}

/// Returns what stands behind a label where the first display is described.
fn first_display<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let mut display = "0";
    for word in text.split_whitespace() {
        if let Some(id) = word.strip_prefix("mDisplayId=") {
            display = id;
        } else if let (Some(value), "0") = (word.strip_prefix(label), display) {
            return Some(value);
        }
    }
    None
}

/// `Override size: 720x1600` before `Physical size: 1080x2400`; neither turns with the screen.
fn natural_size(text: &str) -> Option<Size> {
    let after = |label: &str| text.lines().find_map(|line| size_of(line.trim().strip_prefix(label)?.trim()));
    after("Override size:").or_else(|| after("Physical size:"))
}

/// Returns by how many quarter turns the screen is turned.
pub(super) fn quarter_turns(text: &str) -> Option<u32> {
    let after = |label: &str| {
        let rest = &text[text.find(label)? + label.len()..];
        let digits = rest.trim_start().split(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse::<u32>().ok()
    };
    after("mCurrentRotation=ROTATION_").map(|degrees| degrees / 90).or_else(|| after("SurfaceOrientation:"))
}

/// Tells whether the device's own shape is landscape.
pub(super) fn is_wide(text: &str) -> bool {
    natural_size(text).is_some_and(|size| size.width > size.height)
}

fn turned(size: Size, quarter_turns: u32) -> Size {
    if quarter_turns % 2 == 1 { Size { width: size.height, height: size.width } } else { size }
}

fn size_of(text: &str) -> Option<Size> {
    let (width, height) = text.split_once('x')?;
    let size = Size { width: width.parse().ok()?, height: height.parse().ok()? };
    (size.width > 0 && size.height > 0).then_some(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(u32, u32)> {
        parse(text).unwrap().map(|size| (size.width, size.height))
    }

    #[test]
    fn the_window_manager_knows_best() {
        let two_displays = "Physical size: 1080x1920\n\
                            Display: mDisplayId=1\n    init=1920x720 320dpi cur=1920x720 app=1920x720 rng=1x1-2x2\n\
                            Display: mDisplayId=0 (organized)\n\
                            init=1080x1920 420dpi base=720x1280 320dpi cur=1280x720 app=1280x648 rng=1x1-2x2\n";
        assert_eq!(read(two_displays), Some((1280, 720)));
        let android_4 =
            "Physical size: 720x1280\n  Display: mDisplayId=0\n init=720x1280 320dpi cur=720x1280 app=720x1184";
        assert_eq!(read(android_4), Some((720, 1280)));
    }

    #[test]
    fn the_first_display_tells_whether_it_is_lit() {
        let two_displays = "  Display: mDisplayId=1\n    mAwake=true mScreenOnEarly=true\n  Display: mDisplayId=0\n    mAwake=false mScreenOnEarly=false\n";
        assert_eq!(awake(two_displays), Some(false));
        assert_eq!(awake(&two_displays.replace("mAwake=false", "mAwake=true")), Some(true));
        assert_eq!(awake("Physical size: 1080x2400\n  Display: mDisplayId=0\n"), None);
    }

    #[test]
    fn overrides_and_turns_count() {
        let sizes = "Physical size: 1080x2400\nOverride size: 720x1600\n";
        assert_eq!(read(&format!("{sizes}      mCurrentRotation=ROTATION_90\n")), Some((1600, 720)));
        assert_eq!(read(&format!("{sizes}      mCurrentRotation=ROTATION_180\n")), Some((720, 1600)));
        assert_eq!(read(&format!("{sizes}      SurfaceOrientation: 3\n")), Some((1600, 720)));
        assert_eq!(read(sizes), None);
        assert!(parse("Error: Could not access the Package Manager").is_err());
        assert!(parse("Physical size: 0x0").is_err());
    }
}
