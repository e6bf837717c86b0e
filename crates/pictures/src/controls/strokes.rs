//! Small pictures of coverage, and how well drawn strokes explain them.

use crate::{Picture, Place};

/// The most cells of a side of a mask.
const MOST_CELLS: u32 = 32;
/// The least difference between a shape and its ground, over all three channels.
const LEAST_CONTRAST: f32 = 40.0;

/// How much of each cell a shape covers, from 0 to 1.
pub(super) struct Mask {
    width: u32,
    cells: Vec<f32>,
    /// The left, upper, right and lower ends of the shape, in cells; an end within a cell is told by what the cell is covered.
    pub(super) ends: [f32; 4],
}

/// A line from one point to another, in cells.
pub(super) type Line = [f32; 4];

impl Mask {
    /// Takes the pixels of a place that are no ground, each by its distance from the ground's colour; none where they hardly differ.
    pub(super) fn new(picture: &Picture, place: Place, is_ground: impl Fn(u32, u32) -> bool) -> Option<Self> {
        let (width, height) = (place.width(), place.height());
        let points = || (place.top..place.bottom).flat_map(|y| (place.left..place.right).map(move |x| (x, y)));
        let near = Place {
            left: place.left.saturating_sub(1),
            top: place.top.saturating_sub(1),
            right: (place.right + 1).min(picture.width()),
            bottom: (place.bottom + 1).min(picture.height()),
        };
        let (mut sums, mut count) = ([0_u64; 3], 0);
        for y in near.top..near.bottom {
            for x in (near.left..near.right).filter(|x| is_ground(*x, y)) {
                let pixel = picture.pixel(x, y);
                sums.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += u64::from(value));
                count += 1;
            }
        }
        let ground = sums.map(|sum| sum as f32 / count.max(1) as f32);
        let distance = |(x, y): (u32, u32)| match is_ground(x, y) {
            true => 0.0,
            false => picture.pixel(x, y).iter().zip(ground).map(|(value, from)| (f32::from(*value) - from).abs()).sum(),
        };
        let values: Vec<f32> = points().map(distance).collect();
        let most = values.iter().copied().fold(0.0, f32::max);
        (most >= LEAST_CONTRAST).then(|| Self::gathered(width, height, values.iter().map(|value| value / most)))
    }

    /// Takes how much of each pixel of a place is covered, as far as that is between 0 and 1.
    pub(super) fn of_color(place: Place, cover: impl Fn(u32, u32) -> f32) -> Self {
        let points = (place.top..place.bottom).flat_map(|y| (place.left..place.right).map(move |x| (x, y)));
        Self::gathered(place.width(), place.height(), points.map(|(x, y)| cover(x, y).clamp(0.0, 1.0)))
    }

    /// Gathers pixels in as many cells as a mask has at most.
    fn gathered(width: u32, height: u32, pixels: impl Iterator<Item = f32>) -> Self {
        let step = width.max(height).div_ceil(MOST_CELLS);
        let columns = width.div_ceil(step);
        let mut cells = vec![0.0; columns as usize * height.div_ceil(step) as usize];
        let mut edges = [0.0_f32; 4];
        for (at, value) in pixels.enumerate() {
            let (x, y) = (at as u32 % width, at as u32 / width);
            cells[(y / step * columns + x / step) as usize] += value / (step * step) as f32;
            let is_edge = [x == 0, y == 0, x + 1 == width, y + 1 == height];
            edges.iter_mut().zip(is_edge).filter(|(_, is)| *is).for_each(|(edge, _)| *edge = edge.max(value));
        }
        let scale = step as f32;
        let ends = [
            (1.0 - edges[0]) / scale,
            (1.0 - edges[1]) / scale,
            (width as f32 - 1.0 + edges[2]) / scale,
            (height as f32 - 1.0 + edges[3]) / scale,
        ];
        Self { width: columns, cells, ends }
    }

    pub(super) fn size(&self) -> (f32, f32) {
        (self.ends[2] - self.ends[0], self.ends[3] - self.ends[1])
    }

    /// Returns the share of its extent that the shape covers.
    pub(super) fn density(&self) -> f32 {
        let (width, height) = self.size();
        self.cells.iter().sum::<f32>() / (width * height).max(1.0)
    }

    /// Returns the coverage at a point given as shares of the extent.
    pub(super) fn at(&self, x: f32, y: f32) -> f32 {
        let (width, height) = self.size();
        let column = ((self.ends[0] + x * width) as usize).min(self.width as usize - 1);
        let row = ((self.ends[1] + y * height) as usize).min(self.cells.len() / self.width as usize - 1);
        self.cells[row * self.width as usize + column]
    }

    /// Returns how much of shape and drawing is common to both, from 0 to 1; `depth` says how far in the drawing a point is, in cells.
    pub(super) fn likeness(&self, depth: impl Fn(f32, f32) -> f32) -> f32 {
        let (mut common, mut all) = (0.0, 0.0);
        for (at, cell) in self.cells.iter().enumerate() {
            let (x, y) = ((at as u32 % self.width) as f32 + 0.5, (at as u32 / self.width) as f32 + 0.5);
            let drawn = (depth(x, y) + 0.5).clamp(0.0, 1.0);
            common += drawn.min(*cell);
            all += drawn.max(*cell);
        }
        common / f32::max(all, 1.0)
    }

    /// Returns the best likeness of lines of one thickness. The lines are made for an inset from the ends, which depends on how lines end.
    pub(super) fn best(&self, lines: impl Fn(f32) -> Vec<Line>) -> f32 {
        let (width, height) = self.size();
        let side = width.max(height);
        let mut best = 0.0_f32;
        for thickness in (3..=15).map(|share| share as f32 * 0.02 * side) {
            for inset in [0.35, 0.5, 0.7] {
                let lines = lines(inset * thickness);
                best = best.max(self.likeness(|x, y| thickness / 2.0 - nearest(&lines, x, y)));
            }
        }
        best
    }
}

/// Returns the distance of a point from the nearest line.
pub(super) fn nearest(lines: &[Line], x: f32, y: f32) -> f32 {
    let distance = |[ax, ay, bx, by]: &Line| {
        let (dx, dy) = (bx - ax, by - ay);
        let along = (((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy).max(0.01)).clamp(0.0, 1.0);
        (x - ax - along * dx).hypot(y - ay - along * dy)
    };
    lines.iter().map(distance).fold(f32::MAX, f32::min)
}
