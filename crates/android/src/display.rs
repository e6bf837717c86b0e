//! `dumpsys` and `wm size` → the size of the screen as it is turned now, and whether it is lit.
//!
//! From Android 10 on, the dump that tells the size tells of the light, too, so that to know it costs a gesture nothing. Where
//! it does not say that the screen is lit, the power manager is asked: each time before Android 10, whose `input` takes ten
//! times as long by itself, and otherwise only where the screen is off.

use super::answer::not_understood;
use super::{displays, hierarchy};
use crate::driver::{Error, Rect, Size};

/// Tells the size as the screen is turned, on every Android since 4.2; since 10, whether it is lit as well; since 11, where the
/// keyboard lies.
pub(super) const LOOK: &str = "dumpsys window displays | grep -E 'mDisplayId=|cur=|mCurrentRotation=|^ *mRotation=|mAwake=|\
                               InsetsSource .*type=(ITYPE_IME|ime) '";
/// Tells the size, and how the screen is turned, where [`LOOK`] did not.
pub(super) const LOOK_AT_INPUT: &str =
    "wm size; dumpsys input | grep -E 'Viewport|SurfaceOrientation|InputDeviceOrientation'";
/// Pixels that a side of a screen has at most.
const LONGEST_SIDE: u32 = 1 << 16;

/// Reads the size of the screen as it is turned now; `None` where nothing tells how it is turned.
pub(super) fn parse(text: &str) -> Result<Option<Size>, Error> {
    if let Some(size) = current_size(text) {
        return Ok(Some(size));
    }
    let natural = natural_size(text).ok_or_else(|| not_understood("wm size", "it tells no size", text))?;
    Ok(quarter_turns(text).map(|turns| turned(natural, turns)))
}

/// Tells whether the first display takes touches; `None` where the look does not say so.
pub(super) fn awake(text: &str) -> Option<bool> {
    match word(text, "mAwake=")? {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// Tells where the bar lies that has the keys back, home and overview, beside what tells the size.
pub(super) const LOOK_AT_BAR: &str = "dumpsys window displays | grep -E 'mDisplayId=|cur=|mCurrentRotation=|^ *mRotation=|\
                                      InsetsSource .*type=(ITYPE_NAVIGATION_BAR|navigationBars) '";

/// Returns where the keyboard lies on the first display, as apps are told to make room for it; none where it floats, or takes
/// more room than keys do.
pub(super) fn keyboard(text: &str, size: Size) -> Option<Rect> {
    let frame = inset(text, ["ITYPE_IME", "ime"])?;
    let height = u32::try_from(frame.bottom - frame.top).ok()?;
    (u64::from(height) * 4 <= u64::from(size.height) * 3).then_some(frame)
}

/// Returns where the bar with the keys lies on the first display; of a look at it.
pub(super) fn navigation_bar(text: &str) -> Option<Rect> {
    inset(text, ["ITYPE_NAVIGATION_BAR", "navigationBars"])
}

/// Returns what of the first display is taken by something that is seen, by the names that Android has had for it.
fn inset(text: &str, names: [&str; 2]) -> Option<Rect> {
    let is_it = |line: &&str| {
        line.starts_with("InsetsSource ") && names.iter().any(|name| line.contains(&format!(" type={name} ")))
    };
    let mut words = displays::first(text).find(is_it)?.split_whitespace();
    let frame = words.clone().find_map(|word| word.strip_prefix("frame="))?;
    let frame = words.any(|word| word == "visible=true").then(|| hierarchy::bounds(Some(frame)).ok()).flatten()?;
    (!frame.is_empty()).then_some(frame)
}

/// The window manager's own word for the first display: `cur=2400x1080`.
pub(super) fn current_size(text: &str) -> Option<Size> {
    word(text, "cur=").and_then(size_of)
}

/// Returns what stands behind a label where the first display is described.
fn word<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    displays::first(text).flat_map(str::split_whitespace).find_map(|word| word.strip_prefix(label))
}

/// `Override size: 720x1600` before `Physical size: 1080x2400`; neither turns with the screen.
fn natural_size(text: &str) -> Option<Size> {
    let after = |label: &str| text.lines().find_map(|line| size_of(line.trim().strip_prefix(label)?.trim()));
    after("Override size:").or_else(|| after("Physical size:"))
}

/// Returns by how many quarter turns the screen is turned, 0 to 3.
///
/// The window manager tells it of each display; the input system of each of its devices, of which some never turn, so that its
/// viewport of the first display counts before them.
pub(super) fn quarter_turns(text: &str) -> Option<u32> {
    let own = |label: &str| displays::first(text).find_map(|line| turns_of(line.strip_prefix(label)?));
    let viewport = || {
        let mut lines = text.lines().filter(|line| line.contains("Viewport") && line.contains("displayId=0,"));
        lines.find_map(|line| turns_of(line.split_once(" orientation=")?.1))
    };
    own("mCurrentRotation=")
        .or_else(|| own("mRotation="))
        .or_else(viewport)
        .or_else(|| own("SurfaceOrientation:"))
        .or_else(|| own("InputDeviceOrientation:"))
}

/// Reads `1`, `ROTATION_90` and `Rotation90`, with whatever stands behind it.
fn turns_of(text: &str) -> Option<u32> {
    let text = text.trim_start();
    let degrees = text.strip_prefix("ROTATION_").or_else(|| text.strip_prefix("Rotation"));
    let number = degrees.unwrap_or(text);
    let number = number.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u32>().ok()?;
    match (degrees, number) {
        (Some(_), 0 | 90 | 180 | 270) => Some(number / 90),
        (None, 0..4) => Some(number),
        _ => None,
    }
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
    let side = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten();
    let size = Size { width: side(width)?, height: side(height)? };
    let fits = |side: u32| (1..=LONGEST_SIDE).contains(&side);
    (fits(size.width) && fits(size.height)).then_some(size)
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
    fn the_window_manager_tells_where_the_keyboard_lies() {
        let size = Size { width: 1080, height: 2400 };
        let told = |source: &str| {
            let text = format!("  Display: mDisplayId=0\n    cur=1080x2400\n        {source}\n");
            keyboard(&text, size).map(|frame| (frame.left, frame.top, frame.right, frame.bottom))
        };
        for source in [
            "InsetsSource type=ITYPE_IME frame=[0,1500][1080,2400] visible=true",
            "InsetsSource type=ITYPE_IME frame=[0,1500][1080,2400] visibleFrame=[0,1500][1080,2400] visible=true insetsRoundedCornerFrame=false",
            "InsetsSource id=3 type=ime frame=[0,1500][1080,2400] visible=true flags= sideHint=BOTTOM boundingRects=null",
        ] {
            assert_eq!(told(source), Some((0, 1500, 1080, 2400)), "{source}");
        }
        for source in [
            "InsetsSource type=ITYPE_IME frame=[0,0][0,0] visibleFrame=[0,1532][720,1612] visible=false",
            "InsetsSource id=3 type=ime frame=[0,1500][1080,2400] visible=false flags=",
            "InsetsSource type=ITYPE_STATUS_BAR frame=[0,0][1080,66] visible=true",
            // One that floats, one whose window is told and not its keys, and nonsense.
            "InsetsSource id=3 type=ime frame=[0,2400][1080,2400] visible=true",
            "InsetsSource id=3 type=ime frame=[0,63][1080,2400] visible=true",
            "InsetsSource id=3 type=ime frame=[0,1500] visible=true",
            "",
        ] {
            assert_eq!(told(source), None, "{source}");
        }
        let other = "  Display: mDisplayId=2\n InsetsSource id=3 type=ime frame=[0,1500][1080,2400] visible=true\n  Display: mDisplayId=0\n";
        assert_eq!(keyboard(other, size), None, "of another display");
    }

    #[test]
    fn overrides_and_turns_count() {
        let sizes = "Physical size: 1080x2400\nOverride size: 720x1600\n";
        assert_eq!(read(&format!("{sizes}      mCurrentRotation=ROTATION_90\n")), Some((1600, 720)));
        assert_eq!(read(&format!("{sizes}      mCurrentRotation=ROTATION_180\n")), Some((720, 1600)));
        assert_eq!(read(&format!("{sizes}      SurfaceOrientation: 3\n")), Some((1600, 720)));
        assert_eq!(
            read(&format!("{sizes}      mCurrentRotation=-1\n      mRotation=1 mDeferredRotationPauseCount=0\n")),
            Some((1600, 720))
        );
        assert_eq!(read(sizes), None);
        assert!(parse("Error: Could not access the Package Manager").is_err());
        assert!(parse("Physical size: 0x0").is_err());
    }

    #[test]
    fn the_input_system_tells_of_the_first_display() {
        for (told, turns) in [
            (
                "Viewport INTERNAL: displayId=0, uniqueId=local:0, port=0, orientation=1, logicalFrame=[0, 0, 1, 1]",
                Some(1),
            ),
            ("Viewport: displayId=2, orientation=3\n      Viewport: displayId=0, orientation=2, x", Some(2)),
            ("SurfaceOrientation: 0\n  Viewport EXTERNAL: displayId=2, orientation=1, x", Some(0)),
            ("InputDeviceOrientation: Rotation270", Some(3)),
            ("InputDeviceOrientation: 1", Some(1)),
            ("InputDeviceOrientation: Rotation45\n  SurfaceOrientation: 7", None),
        ] {
            assert_eq!(quarter_turns(told), turns, "{told}");
        }
    }
}
