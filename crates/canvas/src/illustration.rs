//! The phone's own pictures, by name: a soft ground and a few plain shapes, so that pages have images without files.

use crate::canvas::{Color, box_distance};
use crate::geometry::Area;
use crate::picture::Picture;
use crate::theme::mix;

const WIDTH: u32 = 480;
const HEIGHT: u32 = 320;

/// A plain shape with its color, in a grid of 48 × 32.
#[derive(Clone, Copy)]
enum Shape {
    /// Middle x and y, radius.
    Disc(f32, f32, f32, Color),
    /// Left, top, right, bottom, radius of its corners.
    Slab(f32, f32, f32, f32, f32, Color),
    /// A circle's outline: middle x and y, radius, thickness.
    Hoop(f32, f32, f32, f32, Color),
}

use Shape::{Disc, Hoop, Slab};

const DARK: Color = [58, 46, 42, 255];
const CREAM: Color = [255, 250, 240, 255];
const SLATE: Color = [47, 62, 78, 255];
const RED: Color = [196, 66, 60, 255];
const GREEN: Color = [62, 125, 84, 255];
const GOLD: Color = [226, 168, 60, 255];
const BLUE: Color = [64, 112, 190, 255];

/// Returns the illustration of a name, with or without `illustration:` before it.
pub(crate) fn named(name: &str) -> Option<Picture> {
    let (ground, shapes) = shapes(name.strip_prefix("illustration:").unwrap_or(name))?;
    Some(Picture::drawn(WIDTH, HEIGHT, |x, y| color_at(ground, shapes, x, y)))
}

#[expect(clippy::too_many_lines, reason = "a table")]
/// Returns the ground's color and what stands on it, from back to front.
fn shapes(name: &str) -> Option<(Color, &'static [Shape])> {
    Some(match name {
        "coffee" | "cup" => (
            [236, 214, 190, 255],
            &[
                Hoop(31.0, 17.0, 4.5, 1.8, CREAM),
                Slab(15.0, 11.0, 31.0, 26.0, 4.0, CREAM),
                Slab(17.0, 12.5, 29.0, 15.0, 1.2, DARK),
            ],
        ),
        "tea" => (
            [206, 226, 200, 255],
            &[
                Hoop(32.0, 17.0, 4.0, 1.6, CREAM),
                Slab(14.0, 12.0, 32.0, 24.0, 6.0, CREAM),
                Slab(16.5, 13.5, 29.5, 16.0, 1.2, GREEN),
            ],
        ),
        "book" => (
            [214, 222, 240, 255],
            &[
                Slab(15.0, 6.0, 33.0, 27.0, 1.5, BLUE),
                Slab(17.0, 6.0, 18.2, 27.0, 0.2, SLATE),
                Slab(21.0, 10.0, 30.0, 12.0, 0.5, CREAM),
                Slab(21.0, 14.0, 27.0, 15.2, 0.5, CREAM),
            ],
        ),
        "phone" => (
            [220, 232, 236, 255],
            &[
                Slab(17.5, 4.0, 30.5, 28.5, 2.5, SLATE),
                Slab(18.6, 5.5, 29.4, 26.0, 1.2, [150, 200, 220, 255]),
                Disc(24.0, 27.2, 0.7, CREAM),
            ],
        ),
        "headphones" | "headset" => (
            [226, 218, 240, 255],
            &[
                Hoop(24.0, 17.0, 9.5, 2.0, SLATE),
                Slab(10.0, 17.5, 38.0, 31.0, 0.0, [226, 218, 240, 255]),
                Slab(12.5, 15.5, 17.5, 25.0, 2.0, RED),
                Slab(30.5, 15.5, 35.5, 25.0, 2.0, RED),
            ],
        ),
        "lamp" => (
            [250, 236, 205, 255],
            &[
                Disc(24.0, 11.0, 6.5, GOLD),
                Slab(16.0, 11.0, 32.0, 15.0, 1.0, GOLD),
                Slab(23.2, 15.0, 24.8, 25.0, 0.3, DARK),
                Slab(18.0, 25.0, 30.0, 27.0, 1.0, DARK),
            ],
        ),
        "bag" => (
            [240, 220, 216, 255],
            &[
                Hoop(24.0, 11.0, 4.5, 1.4, DARK),
                Slab(14.0, 11.5, 34.0, 27.0, 2.5, RED),
                Slab(14.0, 15.0, 34.0, 16.0, 0.0, CREAM),
            ],
        ),
        "shirt" => (
            [222, 232, 246, 255],
            &[
                Slab(10.5, 7.5, 37.5, 14.5, 3.0, BLUE),
                Slab(16.0, 7.5, 32.0, 28.0, 1.5, BLUE),
                Disc(24.0, 6.5, 4.0, [222, 232, 246, 255]),
                Slab(23.7, 12.0, 24.3, 27.0, 0.2, CREAM),
            ],
        ),
        "shoes" => (
            [236, 230, 214, 255],
            &[
                Slab(9.0, 11.0, 19.0, 24.0, 3.0, GREEN),
                Slab(9.0, 16.0, 39.0, 24.0, 4.0, GREEN),
                Slab(8.0, 22.5, 40.0, 26.0, 1.6, CREAM),
                Slab(20.0, 15.0, 21.0, 19.5, 0.4, CREAM),
                Slab(23.0, 15.5, 24.0, 19.5, 0.4, CREAM),
            ],
        ),
        "fruit" | "apple" | "orange" => (
            [252, 228, 204, 255],
            &[
                Disc(19.5, 19.0, 7.5, RED),
                Disc(30.0, 20.0, 6.5, GOLD),
                Slab(19.0, 8.0, 20.2, 13.0, 0.4, DARK),
                Disc(22.5, 10.0, 2.0, GREEN),
            ],
        ),
        "plant" => (
            [226, 240, 222, 255],
            &[
                Slab(23.3, 9.0, 24.7, 22.0, 0.3, GREEN),
                Disc(19.5, 12.5, 4.2, GREEN),
                Disc(28.5, 12.5, 4.2, GREEN),
                Disc(24.0, 7.5, 4.2, GREEN),
                Slab(17.0, 20.0, 31.0, 29.0, 2.0, [176, 98, 66, 255]),
            ],
        ),
        "flower" => (
            [220, 238, 220, 255],
            &[
                Slab(23.4, 14.0, 24.6, 26.0, 0.3, GREEN),
                Disc(20.5, 9.5, 3.4, RED),
                Disc(27.5, 9.5, 3.4, RED),
                Disc(20.5, 15.5, 3.4, RED),
                Disc(27.5, 15.5, 3.4, RED),
                Disc(24.0, 12.5, 3.0, GOLD),
                Slab(18.0, 24.0, 30.0, 29.0, 1.0, DARK),
            ],
        ),
        "avatar" | "person" => ([214, 226, 244, 255], &[Disc(24.0, 12.5, 5.5, BLUE), Disc(24.0, 29.0, 9.5, BLUE)]),
        "banner" | "landscape" => (
            [176, 212, 240, 255],
            &[Disc(37.0, 8.5, 4.0, GOLD), Disc(12.0, 38.0, 20.0, [92, 150, 106, 255]), Disc(36.0, 42.0, 22.0, GREEN)],
        ),
        _ => return None,
    })
}

#[expect(clippy::cast_precision_loss, reason = "some hundred pixels")]
fn color_at(ground: Color, shapes: &[Shape], x: u32, y: u32) -> Color {
    let color = mix(ground, [255, 255, 255, 255], (HEIGHT - y) * 30 / HEIGHT);
    let (x, y) = (x as f32 + 0.5, y as f32 + 0.5);
    shapes.iter().fold(color, |under, shape| {
        let (distance, over) = shape.distance(x, y);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 100")]
        let percent = ((0.5 - distance).clamp(0.0, 1.0) * 100.0) as u32;
        if percent == 0 { under } else { mix(under, over, percent) }
    })
}

impl Shape {
    /// Returns a point's signed distance in pixels, and the shape's color.
    #[expect(clippy::cast_possible_truncation, reason = "some hundred pixels")]
    fn distance(self, x: f32, y: f32) -> (f32, Color) {
        let unit = 10.0;
        match self {
            Disc(middle_x, middle_y, radius, color) => {
                ((x - middle_x * unit).hypot(y - middle_y * unit) - radius * unit, color)
            }
            Slab(left, top, right, bottom, radius, color) => {
                let side = |value: f32| (value * unit) as i32;
                let area = Area::new(side(left), side(top), side(right), side(bottom));
                (box_distance(area, radius * unit, x, y), color)
            }
            Hoop(middle_x, middle_y, radius, width, color) => {
                let outer = (x - middle_x * unit).hypot(y - middle_y * unit);
                ((outer - radius * unit).abs() - width * unit / 2.0, color)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names_are_drawn_and_others_are_not() {
        assert!(named("illustration:coffee").is_some() && named("coffee").is_some());
        assert!(named("no such thing").is_none());
    }
}
