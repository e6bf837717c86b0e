//! A picture of a part, such as an icon, and a picture of a screen → where the part is seen on the screen, in its own size or another.
//!
//! Far too much is compared pixel by pixel: candidates are found by normalised cross-correlation of pictures shrunk until the part is
//! some dozen pixels wide, and followed down to full size. What counts in the end is [`likeness`], which sees one changed sign.

mod candidates;
mod exact;
mod likeness;
mod piece;
mod sight;
mod windows;

use std::ops::RangeInclusive;

use self::candidates::{Candidate, Levels};
use self::piece::Piece;
use self::sight::Sight;
use super::Error;
use super::picture::{Picture, Place};
use super::plane::Plane;

/// The shortest side of a part, in pixels: less of it could be anything.
const SHORTEST: u32 = 8;
/// How far the pixels of a part differ from their mean at least, of 255: less is found everywhere.
const CONTRAST: f32 = 5.0;
/// The factor between two sizes that are tried.
const STEP: f32 = 1.09;
/// How many places are looked at closely: in the part's own size, and over all others.
const MOST: usize = 60;
const MOST_OF_SIZES: usize = 12;
/// How many pixels are looked at closely in all, of both.
const PIXELS: usize = 3_000_000;
const PIXELS_OF_SIZES: usize = 1_500_000;
/// A large part of fewer pixels is looked at in more sizes.
const SMALL: usize = 150_000;
/// So many of them however little they correlate, so that something can be told of what is not there; others from this on.
const FEW: usize = 3;
const ALIKE: f32 = 0.75;
/// From this confidence on, nobody asks what is a little like the part.
const SAME: f32 = 0.9;

/// Where a part was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    pub place: Place,
    /// How much it looks like the part: 1 is the same in every pixel, below 0.8 something is different.
    pub confidence: f32,
    /// Its size, as a multiple of the part's own.
    pub scale: f32,
}

/// A part to look for.
pub struct Template {
    picture: Picture,
    /// Brightness, and how much each pixel counts, from 0 to 1.
    plane: Plane,
    weights: Plane,
    piece: Piece,
}

impl Template {
    /// Takes a picture of the part; what is transparent in it does not count. One of less than 8 pixels a side or of a single colour,
    /// which would be found everywhere, is an error.
    pub fn new(picture: Picture) -> Result<Self, Error> {
        let (width, height) = (picture.width(), picture.height());
        if width.min(height) < SHORTEST {
            return Err(Error(format!(
                "a picture of {width}×{height} pixels is too small to be looked for: cut it out with at least {SHORTEST}×{SHORTEST}"
            )));
        }
        let mut weights = Plane::channel(&picture, picture.whole(), 3);
        weights.data.iter_mut().for_each(|weight| *weight /= 255.0);
        let shown: f32 = weights.data.iter().sum();
        if shown < (SHORTEST * SHORTEST) as f32 {
            return Err(Error("a picture that is transparent all over cannot be looked for".to_owned()));
        }
        let plane = Plane::brightness(&picture);
        if contrast(&picture, &weights) < CONTRAST {
            return Err(Error(
                "a picture of a single colour is found everywhere: cut it out with what it differs by, such as its edges"
                    .to_owned(),
            ));
        }
        let piece = Piece::of(&plane, &weights);
        Ok(Self { picture, plane, weights, piece })
    }

    /// Returns where the part is seen, the likest first, with what is a little like it: those below the confidence that the caller
    /// asks for are told so that he can say what there is instead. It is looked for in its own size first; where it is not there with
    /// that confidence, in sizes over the range, which must lie within 0.1 to 10.
    pub fn find(&self, picture: &Picture, scales: &RangeInclusive<f32>, confidence: f32) -> Vec<Match> {
        let mut levels = Levels::of(picture);
        let own = match scales.contains(&1.0) {
            true => {
                let exact = exact::places(&self.picture, picture).into_iter();
                let exact = exact.map(|place| Match { place, confidence: 1.0, scale: 1.0 });
                apart(exact.chain(self.matches(picture, &mut levels, &[1.0])).collect())
            }
            false => Vec::new(),
        };
        if own.iter().any(|found| found.confidence >= confidence) || scales.start() >= scales.end() {
            return own;
        }
        let others: Vec<f32> = sizes(scales).into_iter().filter(|scale| !is_own(*scale)).collect();
        apart(own.into_iter().chain(self.matches(picture, &mut levels, &others)).collect())
    }

    fn matches(&self, picture: &Picture, levels: &mut Levels<'_>, scales: &[f32]) -> Vec<Match> {
        let candidates = candidates::find(self, levels, scales);
        // Sizes that are tried lie apart, so that the right one correlates less than it could.
        let most = if scales.len() == 1 { MOST } else { MOST_OF_SIZES };
        let pixels = if scales.len() == 1 { PIXELS } else { PIXELS_OF_SIZES };
        let most = most.min(pixels / self.plane.data.len()).max(1);
        let mut found: Vec<Match> = Vec::new();
        for (place, candidate) in candidates.into_iter().take(most).enumerate() {
            let mut alike = found.iter().filter(|found| found.confidence > SAME).peekable();
            let is_likely = candidate.score >= ALIKE || (place < FEW && alike.peek().is_none());
            if is_likely && !alike.any(|found| overlaps(&found.place, &self.place(picture, candidate))) {
                found.extend(self.look(picture, candidate));
            }
        }
        apart(found)
    }

    /// Looks closely at a candidate: it is moved, and where it is not of the part's own size resized, to where it differs least.
    fn look(&self, picture: &Picture, candidate: Candidate) -> Option<Match> {
        let mut best = Sight::of(self, picture, candidate)?.nearest();
        let (mut step, least) = self.steps(candidate.scale);
        while step > least {
            for scale in [best.scale * (1.0 + step), best.scale / (1.0 + step)] {
                let (width, height) = self.size(scale);
                let left = (best.place.left + best.place.right) as f32 / 2.0 - width as f32 / 2.0;
                let top = (best.place.top + best.place.bottom) as f32 / 2.0 - height as f32 / 2.0;
                let found = Sight::of(self, picture, Candidate { left, top, scale, ..candidate });
                let found = found.map(|sight| sight.nearest());
                best = found.filter(|found| found.distance < best.distance).unwrap_or(best);
            }
            step /= 2.0;
        }
        let confidence = likeness::likeness(self, picture, best.place);
        Some(Match { place: best.place, confidence, scale: best.scale })
    }

    /// Returns by which shares a candidate's size may be wrong: at first, and when it is good enough.
    fn steps(&self, scale: f32) -> (f32, f32) {
        let side = self.plane.width.max(self.plane.height) as f32 * scale;
        match self.piece.is_whole() {
            _ if is_own(scale) => (0.0, 0.0),
            true => ((STEP - 1.0) / 2.0, 0.004),
            // Those that take no time may be off by more.
            false if self.plane.data.len() < SMALL => (4.0 / side, 0.6 / side),
            false => (1.0 / side, 0.6 / side),
        }
    }

    /// Returns where a candidate is.
    fn place(&self, picture: &Picture, candidate: Candidate) -> Place {
        let (width, height) = self.size(candidate.scale);
        let edge = |at: f32, side: u32, most: u32| (at.round().max(0.0) as u32).min(most.saturating_sub(side));
        let (left, top) = (edge(candidate.left, width, picture.width()), edge(candidate.top, height, picture.height()));
        Place { left, top, right: left + width, bottom: top + height }
    }

    fn size(&self, scale: f32) -> (u32, u32) {
        let side = |side: u32| ((side as f32 * scale).round() as u32).max(1);
        (side(self.picture.width()), side(self.picture.height()))
    }
}

/// Tells whether a size is the part's own.
fn is_own(scale: f32) -> bool {
    (scale - 1.0).abs() < f32::EPSILON
}

/// Returns the sizes that are tried, the part's own among them.
fn sizes(scales: &RangeInclusive<f32>) -> Vec<f32> {
    let (least, most) = ((*scales.start()).clamp(0.1, 10.0), (*scales.end()).clamp(0.1, 10.0));
    let mut sizes = Vec::new();
    let mut scale = 1.0;
    while scale >= least / STEP.sqrt() {
        sizes.push(scale.max(least));
        scale /= STEP;
    }
    scale = STEP;
    while scale <= most * STEP.sqrt() {
        sizes.push(scale.min(most));
        scale *= STEP;
    }
    sizes.retain(|scale| (least..=most).contains(scale));
    sizes
}

/// Returns how far the colours of a part differ from their mean.
fn contrast(picture: &Picture, weights: &Plane) -> f32 {
    let total: f64 = weights.data.iter().map(|weight| f64::from(*weight)).sum();
    let of = |channel: usize| {
        let plane = Plane::channel(picture, picture.whole(), channel);
        let weighted =
            || plane.data.iter().zip(&weights.data).map(|(value, weight)| (f64::from(*value), f64::from(*weight)));
        let mean = weighted().map(|(value, weight)| value * weight).sum::<f64>() / total;
        (weighted().map(|(value, weight)| (value - mean).powi(2) * weight).sum::<f64>() / total) as f32
    };
    (0..3).map(of).fold(0.0, f32::max).sqrt()
}

/// Sorts matches, and leaves out what overlaps a likelier one by half.
fn apart(mut matches: Vec<Match>) -> Vec<Match> {
    matches.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
    let mut kept: Vec<Match> = Vec::new();
    for found in matches {
        if !kept.iter().any(|other| overlaps(&found.place, &other.place)) {
            kept.push(found);
        }
    }
    kept
}

fn overlaps(one: &Place, other: &Place) -> bool {
    let across = one.right.min(other.right).saturating_sub(one.left.max(other.left));
    let down = one.bottom.min(other.bottom).saturating_sub(one.top.max(other.top));
    let least = (one.width() * one.height()).min(other.width() * other.height());
    across * down * 2 > least
}

#[cfg(test)]
mod tests;
