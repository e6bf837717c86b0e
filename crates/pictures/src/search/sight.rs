//! A candidate and what lies around it → the place there that differs least from the part, in the smaller of both sizes.

use super::Template;
use super::candidates::Candidate;
use crate::picture::{Picture, Place};
use crate::plane::Plane;

/// How far around a candidate is looked, in pixels of the smaller size.
const MARGIN: f32 = 4.0;

/// The place that differs least.
pub(super) struct Nearest {
    pub(super) place: Place,
    /// The mean square of the difference.
    pub(super) distance: f32,
    pub(super) scale: f32,
}

/// A part and the surroundings of a candidate, in the size in which they are compared.
pub(super) struct Sight<'a> {
    template: &'a Template,
    picture: &'a Picture,
    scale: f32,
    part: [Plane; 3],
    weights: Plane,
    around: [Plane; 3],
    /// Where the surroundings are in the picture, and how many of its pixels are one of theirs.
    place: Place,
    factor: f32,
    /// Where the candidate is in the surroundings.
    at: (usize, usize),
}

impl<'a> Sight<'a> {
    /// Returns none where the picture is too small for the part in this size.
    pub(super) fn of(template: &'a Template, picture: &'a Picture, candidate: Candidate) -> Option<Self> {
        let Candidate { left, top, scale, .. } = candidate;
        let (width, height) = template.size(scale);
        if width > picture.width() || height > picture.height() {
            return None;
        }
        // A screen that shows the part larger is shrunk rather than the part grown, which would be blurred.
        let factor = scale.max(1.0);
        let margin = MARGIN * factor;
        let edge = |at: f32, most: u32| (at.round().max(0.0) as u32).min(most);
        let place = Place {
            left: edge(left - margin, picture.width() - width),
            top: edge(top - margin, picture.height() - height),
            right: edge(left + margin + width as f32, picture.width()).max(width),
            bottom: edge(top + margin + height as f32, picture.height()).max(height),
        };
        let shrunk = |side: u32| (side as f32 / factor).round().max(1.0) as usize;
        let whole = template.picture.whole();
        let (own_width, own_height) = (width.min(whole.width()) as usize, height.min(whole.height()) as usize);
        let part =
            [0, 1, 2].map(|channel| Plane::channel(&template.picture, whole, channel).into_size(own_width, own_height));
        let around = [0, 1, 2].map(|channel| {
            let plane = Plane::channel(picture, place, channel);
            plane.into_size(shrunk(place.width()).max(own_width), shrunk(place.height()).max(own_height))
        });
        let within =
            |at: f32, from: u32, most: usize| (((at - from as f32) / factor).round().max(0.0) as usize).min(most);
        let at = (
            within(left, place.left, around[0].width - own_width),
            within(top, place.top, around[0].height - own_height),
        );
        let weights = template.weights.resized(own_width, own_height);
        Some(Self { template, picture, scale, part, weights, around, place, factor, at })
    }

    /// Goes from the candidate to where the difference grows whatever the direction.
    pub(super) fn nearest(&self) -> Nearest {
        let (mut at, mut least) = (self.at, self.distance(self.at, f32::INFINITY));
        loop {
            let near = [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, 1), (-1, 1), (1, -1)];
            let before = at;
            for (across, down) in near {
                let Some(to) = self.moved(before, across, down) else { continue };
                let distance = self.distance(to, least);
                if distance < least {
                    (at, least) = (to, distance);
                }
            }
            if at == before {
                return Nearest { place: self.placed(at), distance: least, scale: self.scale };
            }
        }
    }

    fn moved(&self, at: (usize, usize), across: isize, down: isize) -> Option<(usize, usize)> {
        let (x, y) = (at.0.checked_add_signed(across)?, at.1.checked_add_signed(down)?);
        let fits = x + self.weights.width <= self.around[0].width && y + self.weights.height <= self.around[0].height;
        fits.then_some((x, y))
    }

    /// Returns the mean square of the difference at a place, or infinity once it is clear that it is not less than `most`.
    fn distance(&self, at: (usize, usize), most: f32) -> f32 {
        let total: f32 = self.weights.data.iter().sum();
        let mut sum = 0.0;
        for y in 0..self.weights.height {
            let weights = self.weights.row(y);
            for (part, around) in self.part.iter().zip(&self.around) {
                let its = &around.row(at.1 + y)[at.0..at.0 + weights.len()];
                let pairs = part.row(y).iter().zip(its).zip(weights);
                sum += pairs.map(|((ours, its), weight)| (ours - its) * (ours - its) * weight).sum::<f32>();
            }
            if sum > most * total {
                return f32::INFINITY;
            }
        }
        sum / total
    }

    /// Returns where a place of the surroundings is in the picture.
    fn placed(&self, at: (usize, usize)) -> Place {
        let (width, height) = self.template.size(self.scale);
        let edge = |from: u32, at: usize, most: u32| (from + (at as f32 * self.factor).round() as u32).min(most);
        let left = edge(self.place.left, at.0, self.picture.width() - width);
        let top = edge(self.place.top, at.1, self.picture.height() - height);
        Place { left, top, right: left + width, bottom: top + height }
    }
}
