//! A picture with its regions and objects, and who stands next to whom.

use std::cell::Cell;

use super::regions::{Object, Regions};
use crate::{Picture, Place};

/// The height of the strips that objects are found by, in pixels.
const STRIP: u32 = 64;
/// The tallest object that counts as somebody's neighbour, in strips.
const MOST_STRIPS: u32 = 64;

/// The most shapes that are compared with icons in one picture; each takes a millisecond.
const MOST_LOOKS: u32 = 500;

pub(super) struct Scene<'a> {
    pub(super) picture: &'a Picture,
    pub(super) regions: Regions,
    pub(super) objects: Vec<Object>,
    strips: Vec<Vec<u32>>,
    /// About how many pixels a density-independent pixel has.
    pub(super) unit: f32,
    looks: Cell<u32>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(picture: &'a Picture) -> Self {
        let regions = Regions::of(picture);
        let objects = regions.objects();
        let mut strips = vec![Vec::new(); (picture.height() / STRIP + 1) as usize];
        for (number, object) in objects.iter().enumerate() {
            let span = object.place.top / STRIP..=(object.place.bottom - 1) / STRIP;
            if span.end() - span.start() < MOST_STRIPS {
                span.for_each(|strip| strips[strip as usize].push(number as u32));
            }
        }
        Self { picture, regions, objects, strips, unit: unit(picture), looks: Cell::new(MOST_LOOKS) }
    }

    /// Returns the height of a phone's status bar, whose icons are no controls, in pixels; 0 where the picture is wide.
    pub(super) fn status_bar(&self) -> u32 {
        if self.picture.width() > self.picture.height() { 0 } else { (22.0 * self.unit) as u32 }
    }

    /// Tells whether one more shape may be compared, and counts it.
    pub(super) fn may_look(&self) -> bool {
        let left = self.looks.get();
        self.looks.set(left.saturating_sub(1));
        left > 0
    }

    /// Returns the objects that reach in the rows of a place, widened by a margin; some come twice.
    pub(super) fn around(&self, place: Place, margin: f32) -> impl Iterator<Item = &Object> {
        let margin = margin.ceil() as u32;
        let (top, bottom) = (place.top.saturating_sub(margin), place.bottom + margin);
        let strips = (top / STRIP) as usize..self.strips.len().min((bottom / STRIP) as usize + 1);
        let numbers = self.strips[strips].iter().flatten();
        let objects = numbers.map(|number| &self.objects[*number as usize]);
        objects.filter(move |other| other.place.top < bottom && other.place.bottom > top)
    }

    /// Returns the objects that stand on a region.
    pub(super) fn on(&self, ground: u32) -> Vec<&Object> {
        let place = self.regions.all[ground as usize].place;
        let mut found: Vec<&Object> = self.around(place, 0.0).filter(|object| object.ground == ground).collect();
        found.sort_by_key(|object| (object.place.left, object.place.top, object.place.right, object.place.bottom));
        found.dedup_by_key(|object| object.place);
        found
    }

    /// Returns how different two colours are, over all three channels.
    pub(super) fn contrast(one: [u8; 3], other: [u8; 3]) -> u32 {
        one.iter().zip(other).map(|(one, other)| u32::from(one.abs_diff(other))).sum()
    }
}

/// Guesses the pixels of a density-independent pixel: phones are about 390 wide, and pages of browsers are not magnified.
fn unit(picture: &Picture) -> f32 {
    let (width, height) = (picture.width() as f32, picture.height() as f32);
    match width > height {
        true if height < 900.0 => 1.0,
        true => height / 390.0,
        false => (width / 390.0).max(1.0),
    }
}

/// Returns the free pixels between two places, across and down; below 0 where they overlap.
pub(super) fn gaps(one: Place, other: Place) -> (f32, f32) {
    let gap = |a: u32, b: u32, c: u32, d: u32| a.max(c) as f32 - b.min(d) as f32;
    (gap(one.left, one.right, other.left, other.right), gap(one.top, one.bottom, other.top, other.bottom))
}

pub(super) fn middle(place: Place) -> (f32, f32) {
    ((place.left + place.right) as f32 / 2.0, (place.top + place.bottom) as f32 / 2.0)
}
