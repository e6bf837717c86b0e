//! The colors of the phone's pages, all grown from an app's one accent color.

use crate::canvas::Color;

/// The colors of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    pub primary: Color,
    pub on_primary: Color,
    /// A pale tone of the primary color, and what is written on it.
    pub pale: Color,
    pub on_pale: Color,
    pub background: Color,
    pub surface: Color,
    pub outline: Color,
    pub divider: Color,
    pub text: Color,
    pub muted: Color,
    pub danger: Color,
}

pub const WHITE: Color = [255, 255, 255, 255];
pub const BLACK: Color = [0, 0, 0, 255];
/// What lies over a page under a dialog.
pub const SCRIM: Color = [0, 0, 0, 110];

impl Theme {
    /// Makes the colors of a light page from an accent that white text can be read on.
    pub fn of_accent(accent: Color) -> Self {
        Self {
            primary: accent,
            on_primary: WHITE,
            pale: mix(accent, WHITE, 86),
            on_pale: mix(accent, BLACK, 45),
            background: mix(accent, [248, 248, 251, 255], 96),
            surface: WHITE,
            outline: [122, 125, 133, 255],
            divider: [226, 227, 232, 255],
            text: [27, 28, 32, 255],
            muted: [90, 93, 102, 255],
            danger: [179, 38, 30, 255],
        }
    }

    /// Returns an app's colors: the same for the same package.
    pub fn of_package(package: &str) -> Self {
        const ACCENTS: [Color; 5] =
            [[0, 99, 155, 255], [0, 104, 90, 255], [103, 80, 164, 255], [143, 51, 111, 255], [74, 98, 22, 255]];
        let sum = package.bytes().fold(7_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)));
        Self::of_accent(ACCENTS[sum % ACCENTS.len()])
    }
}

/// Mixes two colors; `percent` of the second.
pub fn mix(one: Color, other: Color, percent: u32) -> Color {
    let part = |index: usize| {
        let sum = u32::from(one[index]) * (100 - percent) + u32::from(other[index]) * percent;
        u8::try_from(sum / 100).unwrap_or(255)
    };
    [part(0), part(1), part(2), part(3)]
}

/// Returns the color at part of its opacity.
pub fn faded(color: Color, percent: u32) -> Color {
    let alpha = u32::from(color[3]) * percent / 100;
    [color[0], color[1], color[2], u8::try_from(alpha).unwrap_or(255)]
}
