//! A large or long part → the piece of it that is looked for first, and patterns of more and more of it.
//!
//! All of a large part correlates only in exactly its size, and shrunk until it is small it has lost what it is known by.

use super::Template;
use super::candidates::Pattern;
use crate::picture::Place;
use crate::plane::Plane;

/// The longest side of a part that is looked for as a whole, in pixels, and how often its other side goes into it.
const WHOLE: u32 = 192;
const SLIM: u32 = 4;
/// The longest side of a piece.
const SIDE: u32 = 128;
/// Pieces begin and end at multiples of this, so that they do so in half sizes too.
const GRID: u32 = 8;
/// How much of the detail in the one direction makes up for what is missing in the other.
const EDGE: f32 = 0.01;

/// The piece of a part, and the part in half sizes.
pub(super) struct Piece {
    pub(super) place: Place,
    /// Brightness and weights, from the full size on; none for a part that is looked for as a whole.
    halves: Vec<(Plane, Plane)>,
}

impl Piece {
    /// Takes the brightness of a part, and how much each pixel counts.
    pub(super) fn of(plane: &Plane, weights: &Plane) -> Self {
        let (width, height) = (plane.width as u32, plane.height as u32);
        let whole = Place { left: 0, top: 0, right: width, bottom: height };
        let (longer, shorter) = (width.max(height), width.min(height));
        if longer <= WHOLE && longer <= SLIM * shorter {
            return Self { place: whole, halves: Vec::new() };
        }
        let mut halves = vec![(plane.clone(), weights.clone())];
        while let Some((plane, weights)) = halves.last().filter(|(plane, _)| plane.width.min(plane.height) >= 8) {
            let half = (plane.half(), weights.half());
            halves.push(half);
        }
        let most = SIDE.min((SLIM * shorter).next_multiple_of(GRID));
        let side = |side: u32| if side <= most { side } else { most };
        Self { place: richest(&halves, whole, side(width), side(height)), halves }
    }

    /// Tells whether the part is looked for as a whole.
    pub(super) fn is_whole(&self) -> bool {
        self.halves.is_empty()
    }

    /// Returns a part of the part in a smaller or larger size, as it looks on a screen that is halved so often.
    pub(super) fn pattern(
        &self,
        template: &Template,
        part: Place,
        (width, height): (usize, usize),
        is_smooth: bool,
    ) -> Pattern {
        if self.halves.is_empty() {
            return Pattern::of(&template.plane.resized(width, height), template.weights.resized(width, height));
        }
        // One that is twice as fine is shrunk, so that no edge is off by more than a quarter of a pixel.
        let finer = (part.width() as usize / width / 2).max(1).ilog2() as usize;
        let level = finer.min(self.halves.len() - 1);
        let (plane, weights) = &self.halves[level];
        let end =
            |end: u32, whole: u32, most: usize| if end == whole { most } else { (end as usize >> level).min(most) };
        let (right, bottom) = (
            end(part.right, template.picture.width(), plane.width),
            end(part.bottom, template.picture.height(), plane.height),
        );
        let cut = |plane: &Plane| {
            plane.cut(part.left as usize >> level, part.top as usize >> level, right, bottom).resized(width, height)
        };
        let plane = cut(plane);
        Pattern::of(&if is_smooth { plane.smooth() } else { plane }, cut(weights))
    }
}

/// Returns twice as much of the whole around a part of it.
pub(super) fn grown(part: Place, whole: Place) -> Place {
    let (across, down) = ((part.width() / 2).next_multiple_of(GRID), (part.height() / 2).next_multiple_of(GRID));
    Place {
        left: part.left.saturating_sub(across),
        top: part.top.saturating_sub(down),
        right: (part.right + across).min(whole.right),
        bottom: (part.bottom + down).min(whole.bottom),
    }
}

/// Returns the piece with the most detail across as well as down: one of a straight edge is found all along the edge.
fn richest(halves: &[(Plane, Plane)], whole: Place, width: u32, height: u32) -> Place {
    let level = (width.min(height) / 32).max(1).ilog2().min(halves.len() as u32 - 1);
    let (plane, weights) = &halves[level as usize];
    let starts = |side: u32, most: u32| {
        let step = (side / 4).next_multiple_of(GRID);
        (0..=most - side).step_by(step as usize).chain([(most - side) / GRID * GRID])
    };
    let places = starts(height, whole.bottom).flat_map(|top| starts(width, whole.right).map(move |left| (left, top)));
    let places = places.map(|(left, top)| Place { left, top, right: left + width, bottom: top + height });
    let detail = |place: &Place| detail(plane, weights, place, level);
    places.max_by(|one, other| detail(one).total_cmp(&detail(other))).unwrap_or(whole)
}

/// Returns how much neighbours in a piece differ, in the direction in which they differ less.
fn detail(plane: &Plane, weights: &Plane, place: &Place, level: u32) -> f32 {
    let [left, top, right, bottom] =
        [place.left, place.top, place.right, place.bottom].map(|edge| (edge >> level) as usize);
    let (mut across, mut down) = (0.0_f32, 0.0_f32);
    for y in top + 1..bottom.min(plane.height) {
        let right = right.min(plane.width);
        let (above, row, weights) = (&plane.row(y - 1)[left..right], &plane.row(y)[left..right], weights.row(y));
        for (at, weight) in weights[left..right].iter().enumerate().skip(1) {
            across += (row[at] - row[at - 1]).powi(2) * weight;
            down += (row[at] - above[at]).powi(2) * weight;
        }
    }
    across.min(down) + EDGE * across.max(down)
}
