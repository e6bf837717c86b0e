//! Shapes, text and pictures → RGBA pixels, anti-aliased and clipped. Knows nothing of nodes or apps.

use crate::geometry::Area;
use crate::glyphs::{self, Mask, Style};
use crate::picture::Picture;
use crate::theme::mix;

/// Red, green, blue, opacity.
pub type Color = [u8; 4];

/// A screen's pixels, drawn over from back to front.
pub struct Canvas {
    width: i32,
    height: i32,
    data: Vec<u8>,
    clip: Area,
}

impl Canvas {
    /// Makes a canvas filled with one opaque color.
    pub fn new(width: u32, height: u32, color: Color) -> Self {
        let (wide, high) = (i32::try_from(width).unwrap_or(0), i32::try_from(height).unwrap_or(0));
        let data = color.repeat(usize::try_from(wide).unwrap_or(0) * usize::try_from(high).unwrap_or(0));
        Self { width: wide, height: high, data, clip: Area::new(0, 0, wide, high) }
    }

    pub fn into_pixels(self) -> Vec<u8> {
        self.data
    }

    /// Draws only inside of `area` from now on; returns what the clip was.
    pub fn set_clip(&mut self, area: Area) -> Area {
        let whole = Area::new(0, 0, self.width, self.height);
        std::mem::replace(&mut self.clip, area.intersect(&whole))
    }

    pub fn clip(&self) -> Area {
        self.clip
    }

    /// Fills a rectangle.
    pub fn fill(&mut self, area: Area, color: Color) {
        let area = area.intersect(&self.clip);
        if area.is_empty() {
            return;
        }
        if color[3] < 255 {
            return self.tint(area, color);
        }
        let line = color.repeat(usize::try_from(area.width()).unwrap_or(0));
        for y in area.top..area.bottom {
            self.row(y, area.left, area.right).copy_from_slice(&line);
        }
    }

    /// Lays a color that can be seen through over a part of the screen: what a channel becomes is looked up in a table.
    fn tint(&mut self, area: Area, color: Color) {
        let tables: [[u8; 256]; 3] = [0, 1, 2].map(|channel| {
            std::array::from_fn(|under| {
                let mut pixel = [u8::try_from(under).unwrap_or(255); 4];
                blend(&mut pixel, color, 255);
                pixel[channel]
            })
        });
        for y in area.top..area.bottom {
            for pixel in self.row(y, area.left, area.right).chunks_exact_mut(4) {
                for (channel, table) in pixel.iter_mut().zip(&tables) {
                    *channel = table[usize::from(*channel)];
                }
            }
        }
    }

    /// Fills a rectangle with colors from `upper` at its top to `lower` at its bottom.
    pub fn gradient(&mut self, area: Area, upper: Color, lower: Color) {
        let height = u32::try_from(area.height()).unwrap_or(0).max(1);
        for y in area.top..area.bottom {
            let percent = u32::try_from(y - area.top).unwrap_or(0) * 100 / height;
            self.fill(Area::new(area.left, y, area.right, y + 1), mix(upper, lower, percent));
        }
    }

    /// Fills a rectangle with round corners of `radius` pixels.
    pub fn round(&mut self, area: Area, radius: f32, color: Color) {
        let corner = corner_of(area, radius);
        self.fill(Area::new(area.left, area.top + corner, area.right, area.bottom - corner), color);
        for (top, bottom) in [(area.top, area.top + corner), (area.bottom - corner, area.bottom)] {
            self.fill(Area::new(area.left + corner, top, area.right - corner, bottom), color);
        }
        for part in corners(area, corner) {
            self.shape(part, color, |x, y| box_distance(area, radius, x, y));
        }
    }

    /// Draws the outline of a rectangle with round corners; it lies inside of the rectangle, `width` pixels thick.
    pub fn ring(&mut self, area: Area, radius: f32, width: f32, color: Color) {
        let corner = corner_of(area, radius.max(width + 1.0));
        let edge = corner_of(area, width + 1.0);
        let ring = |x: f32, y: f32| {
            let outer = box_distance(area, radius, x, y);
            outer.max(-outer - width)
        };
        let Area { left, top, right, bottom } = area;
        let edges = [
            Area::new(left + corner, top, right - corner, top + edge),
            Area::new(left + corner, bottom - edge, right - corner, bottom),
            Area::new(left, top + corner, left + edge, bottom - corner),
            Area::new(right - edge, top + corner, right, bottom - corner),
        ];
        for part in corners(area, corner).into_iter().chain(edges) {
            self.shape(part, color, ring);
        }
    }

    /// Draws a shape by its signed distance in pixels: negative inside, zero on its edge.
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels")]
    pub fn shape(&mut self, area: Area, color: Color, distance: impl Fn(f32, f32) -> f32) {
        let area = area.intersect(&self.clip);
        if area.is_empty() {
            return;
        }
        for y in area.top..area.bottom {
            let row = self.row(y, area.left, area.right);
            for (pixel, x) in row.chunks_exact_mut(4).zip(area.left..) {
                let cover = (0.5 - distance(x as f32 + 0.5, y as f32 + 0.5)).clamp(0.0, 1.0);
                blend(pixel, color, (cover * 255.0).round() as u8);
            }
        }
    }

    /// Draws one line of text whose baseline begins at `x`, `baseline`.
    #[expect(clippy::cast_possible_truncation, reason = "a place on the screen")]
    pub fn text(&mut self, x: f32, baseline: i32, text: &str, style: Style, color: Color) {
        glyphs::each_glyph(text, style, |pen, mask| self.mask((x + pen).round() as i32, baseline, mask, color));
    }

    fn mask(&mut self, x: i32, baseline: i32, mask: &Mask, color: Color) {
        let whole = Area::sized(x + mask.left, baseline + mask.top, mask.width, mask.height);
        let seen = whole.intersect(&self.clip);
        if seen.is_empty() {
            return;
        }
        for y in seen.top..seen.bottom {
            let start = index(mask.width, seen.left - whole.left, y - whole.top);
            let row = self.row(y, seen.left, seen.right);
            for (pixel, cover) in row.chunks_exact_mut(4).zip(&mask.cover[start..]) {
                blend(pixel, color, *cover);
            }
        }
    }

    /// Draws a picture stretched over `area`, inside of round corners.
    #[expect(clippy::cast_precision_loss, reason = "pixels")]
    pub fn picture(&mut self, area: Area, within: Area, radius: f32, picture: &Picture) {
        let seen = area.intersect(&self.clip).intersect(&within);
        if seen.is_empty() {
            return;
        }
        let across = picture.width() as f32 / area.width() as f32;
        let down = picture.height() as f32 / area.height() as f32;
        for y in seen.top..seen.bottom {
            let from = ((y - area.top) as f32 + 0.5) * down - 0.5;
            let row = self.row(y, seen.left, seen.right);
            for (pixel, x) in row.chunks_exact_mut(4).zip(seen.left..) {
                let inside = (0.5 - box_distance(within, radius, x as f32 + 0.5, y as f32 + 0.5)).clamp(0.0, 1.0);
                let color = picture.sample(((x - area.left) as f32 + 0.5) * across - 0.5, from);
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
                blend(pixel, color, (inside * 255.0) as u8);
            }
        }
    }

    /// Returns the bytes of a row between two columns that lie on the canvas.
    fn row(&mut self, y: i32, left: i32, right: i32) -> &mut [u8] {
        let (start, end) = (index(self.width, left, y) * 4, index(self.width, right, y) * 4);
        &mut self.data[start..end]
    }
}

fn index(width: i32, x: i32, y: i32) -> usize {
    usize::try_from(y * width + x).unwrap_or(0)
}

/// Lays a color over a pixel; the pixel stays opaque.
fn blend(pixel: &mut [u8], color: Color, cover: u8) {
    let alpha = u32::from(color[3]) * u32::from(cover) / 255;
    if alpha == 255 {
        pixel[..3].copy_from_slice(&color[..3]);
    } else if alpha > 0 {
        for (under, over) in pixel.iter_mut().zip(&color[..3]) {
            let mixed = (u32::from(*over) * alpha + u32::from(*under) * (255 - alpha) + 127) / 255;
            *under = u8::try_from(mixed).unwrap_or(255);
        }
    }
}

/// Returns the four squares in the corners of a rectangle.
fn corners(area: Area, side: i32) -> [Area; 4] {
    [
        (area.left, area.top),
        (area.right - side, area.top),
        (area.left, area.bottom - side),
        (area.right - side, area.bottom - side),
    ]
    .map(|(left, top)| Area::sized(left, top, side, side))
}

/// Returns the side of the squares that hold a rectangle's round corners.
#[expect(clippy::cast_possible_truncation, reason = "a radius in pixels")]
fn corner_of(area: Area, radius: f32) -> i32 {
    (radius.ceil() as i32).min(area.height() / 2).min(area.width() / 2).max(0)
}

/// Returns the signed distance of a point from a rectangle with round corners.
#[expect(clippy::cast_precision_loss, reason = "pixels")]
pub fn box_distance(area: Area, radius: f32, x: f32, y: f32) -> f32 {
    let (half_x, half_y) = (area.width() as f32 / 2.0, area.height() as f32 / 2.0);
    let radius = radius.min(half_x).min(half_y);
    let across = (x - area.left as f32 - half_x).abs() - half_x + radius;
    let down = (y - area.top as f32 - half_y).abs() - half_y + radius;
    across.max(0.0).hypot(down.max(0.0)) + across.max(down).min(0.0) - radius
}
