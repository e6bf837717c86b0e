//! A part and a place on a screen → how much they look alike, in the smaller of their sizes.
//!
//! Each pixel is compared with the range of colours around its counterpart, both ways: what is drawn a fraction of a pixel beside is the
//! same. The worst of some blocks counts, so that one other digit in a large part is another part.

use super::Template;
use crate::picture::{Picture, Place};
use crate::plane::Plane;

/// Blocks that a part is divided into along each side, and the fewest pixels of one.
const BLOCKS: usize = 6;
const SHORTEST: usize = 6;
/// The mean difference in a block, of 255, at which nothing is alike any more.
const OTHER: f32 = 128.0;
/// How many pixels of weight a block needs to count.
const COUNTS: f32 = 4.0;

/// The least and the most of the 3×3 pixels around each.
struct Ranges {
    least: Plane,
    most: Plane,
}

impl Ranges {
    fn of(plane: &Plane) -> Self {
        Self {
            least: around(plane, |one, other| if one < other { one } else { other }),
            most: around(plane, |one, other| if one > other { one } else { other }),
        }
    }

    /// Returns how far a value lies outside of the range at a place.
    fn outside(&self, at: usize, value: f32) -> f32 {
        (self.least.data[at] - value).max(value - self.most.data[at]).max(0.0)
    }
}

/// Returns how alike a part and a place are, from 0 to 1.
pub(super) fn likeness(template: &Template, picture: &Picture, place: Place) -> f32 {
    let whole = template.picture.whole();
    let width = whole.width().min(place.width()) as usize;
    let height = whole.height().min(place.height()) as usize;
    let weights = template.weights.resized(width, height);
    let mut errors = vec![0.0_f32; width * height];
    for channel in 0..3 {
        let ours = Plane::channel(&template.picture, whole, channel).into_size(width, height);
        let its = Plane::channel(picture, place, channel).into_size(width, height);
        let (around_ours, around_its) = (Ranges::of(&ours), Ranges::of(&its));
        for (at, error) in errors.iter_mut().enumerate() {
            *error = error.max(around_ours.outside(at, its.data[at])).max(around_its.outside(at, ours.data[at]));
        }
    }
    let blocks =
        blocks(height).into_iter().flat_map(|down| blocks(width).into_iter().map(move |across| (across, down)));
    let worst = blocks.map(|(across, down)| error_in(&errors, &weights, across, down)).fold(0.0, f32::max);
    (1.0 - worst / OTHER).max(0.0)
}

/// Returns the root of the mean square of the errors in a block.
fn error_in(errors: &[f32], weights: &Plane, across: (usize, usize), down: (usize, usize)) -> f32 {
    let (mut sum, mut total) = (0.0, 0.0);
    for y in down.0..down.1 {
        let row = y * weights.width + across.0..y * weights.width + across.1;
        for (error, weight) in errors[row.clone()].iter().zip(&weights.data[row]) {
            sum += error * error * weight;
            total += weight;
        }
    }
    if total < COUNTS { 0.0 } else { (sum / total).sqrt() }
}

/// Divides a side into blocks.
fn blocks(side: usize) -> Vec<(usize, usize)> {
    let count = (side / SHORTEST).clamp(1, BLOCKS);
    (0..count).map(|at| (at * side / count, (at + 1) * side / count)).collect()
}

/// Returns what `choose` makes of the 3×3 pixels around each.
fn around(plane: &Plane, choose: impl Fn(f32, f32) -> f32) -> Plane {
    let (width, height) = (plane.width, plane.height);
    let mut rows = Plane { width, height, data: plane.data.clone() };
    for (row, from) in rows.data.chunks_exact_mut(width).zip(plane.data.chunks_exact(width)) {
        row.iter_mut().zip(&from[1..]).for_each(|(value, next)| *value = choose(*value, *next));
        row[1..].iter_mut().zip(from).for_each(|(value, last)| *value = choose(*value, *last));
    }
    let mut data = rows.data.clone();
    let split = width.min(data.len());
    data.iter_mut().zip(&rows.data[split..]).for_each(|(value, below)| *value = choose(*value, *below));
    data[split..].iter_mut().zip(&rows.data).for_each(|(value, above)| *value = choose(*value, *above));
    Plane { width, height, data }
}
