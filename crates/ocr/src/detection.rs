//! What the first model says of each pixel → where lines of text stand. Source: `PaddleOCR`'s `DBPostProcess`, with rectangles that are
//! upright: what stands on a screen is.

use super::joined::joined;
use uixt_pictures::Place;

/// How sure the model must be that a pixel is of text, and that a line is one, on average over its pixels.
const PIXEL: f32 = 0.2;
const LINE: f32 = 0.4;
/// The model marks the inner region of a line; its height and width are this much of it larger.
const GROWTH: f32 = 0.9;
/// The fewest pixels that a line's inner region is high and wide.
const LEAST: usize = 3;
/// The most lines of one picture.
const MOST: usize = 3_000;

/// The inner region of a line, in pixels of the model's map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Region {
    pub(crate) left: f32,
    pub(crate) top: f32,
    pub(crate) right: f32,
    pub(crate) bottom: f32,
}

impl Region {
    pub(crate) fn width(&self) -> f32 {
        self.right - self.left
    }

    pub(crate) fn height(&self) -> f32 {
        self.bottom - self.top
    }

    /// As far as a rectangle of this area and length of its sides grows.
    fn grown(self) -> Self {
        let edge = self.width() * self.height() * GROWTH / (2.0 * (self.width() + self.height()));
        Self { left: self.left - edge, top: self.top - edge, right: self.right + edge, bottom: self.bottom + edge }
    }
}

/// Returns the places of a map's lines within the part of the picture that it is of.
pub(crate) fn places(map: &[f32], width: usize, height: usize, part: Place) -> Vec<Place> {
    let (across, down) = (part.width() as f32 / width as f32, part.height() as f32 / height as f32);
    let within =
        |value: f32, scale: f32, first: u32, end: u32| first + ((value * scale).max(0.0) as u32).min(end - first);
    joined(regions(map, width, height))
        .into_iter()
        .map(Region::grown)
        .map(|region| Place {
            left: within(region.left, across, part.left, part.right),
            top: within(region.top, down, part.top, part.bottom),
            right: within(region.right.ceil(), across, part.left, part.right),
            bottom: within(region.bottom.ceil(), down, part.top, part.bottom),
        })
        .filter(|place| place.width() > 0 && place.height() > 0)
        .collect()
}

/// Finds the connected pixels of text.
fn regions(map: &[f32], width: usize, height: usize) -> Vec<Region> {
    let mut seen = vec![false; map.len()];
    let (mut regions, mut open) = (Vec::new(), Vec::new());
    for start in 0..map.len() {
        if seen[start] || map[start] <= PIXEL {
            continue;
        }
        seen[start] = true;
        open.push(start);
        let (mut left, mut right, mut top, mut bottom) = (width, 0, height, 0);
        let (mut sum, mut count) = (0.0, 0.0);
        while let Some(at) = open.pop() {
            let (x, y) = (at % width, at / width);
            (left, right, top, bottom) = (left.min(x), right.max(x), top.min(y), bottom.max(y));
            sum += map[at];
            count += 1.0;
            for near_y in y.saturating_sub(1)..(y + 2).min(height) {
                for near in near_y * width + x.saturating_sub(1)..near_y * width + (x + 2).min(width) {
                    if !seen[near] && map[near] > PIXEL {
                        seen[near] = true;
                        open.push(near);
                    }
                }
            }
        }
        let (wide, high) = (right + 1 - left, bottom + 1 - top);
        if wide.min(high) >= LEAST && sum / count >= LINE && regions.len() < MOST {
            regions.push(Region {
                left: left as f32,
                top: top as f32,
                right: (right + 1) as f32,
                bottom: (bottom + 1) as f32,
            });
        }
    }
    regions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_grows_by_its_own_height_and_stays_in_its_part() {
        let (width, height) = (40, 20);
        let mut map = vec![0.0; width * height];
        let mut mark = |left: usize, top: usize, wide: usize, high: usize, sure: f32| {
            (top..top + high).for_each(|y| map[y * width + left..y * width + left + wide].fill(sure));
        };
        mark(10, 8, 20, 4, 0.9);
        // Too unsure, and too small.
        mark(0, 0, 8, 4, 0.3);
        mark(36, 16, 2, 2, 0.9);
        let part = Place { left: 100, top: 200, right: 180, bottom: 240 };
        let found = places(&map, width, height, part);
        assert_eq!(found, [Place { left: 117, top: 213, right: 164, bottom: 228 }]);
        mark_all(&mut map);
        let all = places(&map, width, height, part);
        assert_eq!(all, [part], "it grows no further than the part");
    }

    fn mark_all(map: &mut [f32]) {
        map.fill(1.0);
    }
}
