//! Regions of flat colour, and the objects that stand on them.

use crate::{Picture, Place};

/// How much two neighbours of one region differ at most, in any channel: a gradient holds together, and an edge does not.
const STEP: u8 = 1;
/// The least pixels of a region that objects are looked for on.
const LEAST_GROUND: u32 = 48;
/// The least pixels of a region with a number of its own.
const LEAST_REGION: u32 = 4;
/// The number that all smaller regions share: of no area, and as large as the picture.
pub(super) const DUST: u32 = 0;
/// The most objects of a picture; what has more is no screen.
const MOST_OBJECTS: usize = 20_000;

/// A connected part of the picture whose colour changes only slowly.
pub(super) struct Region {
    pub(super) area: u32,
    pub(super) place: Place,
    /// The colour of a pixel within; the first ones are of an edge.
    pub(super) color: [u8; 3],
}

impl Region {
    fn take(&mut self, picture: &Picture, x: u32, y: u32) {
        self.place = self.place.with(&Place { left: x, top: y, right: x + 1, bottom: y + 1 });
        self.area += 1;
        if self.area.is_power_of_two() {
            let [red, green, blue, _] = picture.pixel(x, y);
            self.color = [red, green, blue];
        }
    }
}

/// Something that a region, its ground, surrounds on all sides.
pub(super) struct Object {
    pub(super) ground: u32,
    pub(super) place: Place,
    /// How many pixels the ground surrounds.
    pub(super) area: u32,
}

/// Which region each pixel belongs to.
pub(super) struct Regions {
    width: u32,
    height: u32,
    labels: Vec<u32>,
    pub(super) all: Vec<Region>,
}

impl Regions {
    pub(super) fn of(picture: &Picture) -> Self {
        let (width, height) = (picture.width(), picture.height());
        let mut labels = Vec::with_capacity(width as usize * height as usize);
        let mut parents: Vec<u32> = Vec::new();
        let mut above: &[u8] = &[];
        for y in 0..height {
            let row = picture.row(y, 0, width);
            let mut joined = (u32::MAX, u32::MAX);
            for (x, pixel) in row.chunks_exact(4).enumerate() {
                if x == 0 || !is_near(pixel, &row[x * 4 - 4..]) {
                    parents.push(parents.len() as u32);
                }
                let label = parents.len() as u32 - 1;
                if y > 0 && is_near(pixel, &above[x * 4..]) {
                    let pair = (label, labels[labels.len() - width as usize]);
                    if pair != joined {
                        join(&mut parents, pair.0, pair.1);
                        joined = pair;
                    }
                }
                labels.push(label);
            }
            above = row;
        }
        let mut regions = Self { width, height, labels, all: Vec::new() };
        regions.number(picture, &mut parents);
        regions
    }

    /// Gives the regions their final numbers, and counts their pixels.
    fn number(&mut self, picture: &Picture, parents: &mut [u32]) {
        // A parent is never behind its children, so that one pass makes every number final.
        for label in 0..parents.len() {
            parents[label] = parents[parents[label] as usize];
        }
        let mut numbers = vec![0_u32; parents.len()];
        self.labels.iter().for_each(|label| numbers[parents[*label as usize] as usize] += 1);
        self.all.push(Region { area: 0, place: picture.whole(), color: [0; 3] });
        for number in numbers.iter_mut().filter(|number| **number > 0) {
            if *number < LEAST_REGION {
                *number = DUST;
                continue;
            }
            *number = self.all.len() as u32;
            let place = Place { left: u32::MAX, top: u32::MAX, right: 0, bottom: 0 };
            self.all.push(Region { area: 0, place, color: [0; 3] });
        }
        for (at, label) in self.labels.iter_mut().enumerate() {
            *label = numbers[parents[*label as usize] as usize];
            if *label != DUST {
                let (x, y) = (at as u32 % self.width, at as u32 / self.width);
                self.all[*label as usize].take(picture, x, y);
            }
        }
    }

    /// Returns the number of the region that a pixel belongs to.
    pub(super) fn at(&self, x: u32, y: u32) -> u32 {
        self.labels[y as usize * self.width as usize + x as usize]
    }

    fn has(&self, ground: u32, x: i64, y: i64) -> bool {
        (0..i64::from(self.width)).contains(&x)
            && (0..i64::from(self.height)).contains(&y)
            && self.at(x as u32, y as u32) == ground
    }

    /// Returns what stands on regions, from top to bottom; specks of one pixel are left out.
    pub(super) fn objects(&self) -> Vec<Object> {
        let mut objects = Vec::new();
        let mut seen = vec![0_u64; self.labels.len() / 64 + 1];
        for (y, row) in self.labels.chunks_exact(self.width as usize).enumerate() {
            for (x, pair) in row.windows(2).enumerate() {
                let at = y * self.width as usize + x + 1;
                if pair[0] == pair[1]
                    || self.all[pair[0] as usize].area < LEAST_GROUND
                    || seen[at / 64] >> (at % 64) & 1 == 1
                {
                    continue;
                }
                if let Some(object) = self.walk(pair[0], x as u32 + 1, y as u32, &mut seen) {
                    objects.push(object);
                    if objects.len() == MOST_OBJECTS {
                        return objects;
                    }
                }
            }
        }
        objects
    }

    /// Walks an edge of a ground, the ground at the right hand, and returns what is surrounded; its outer edge surrounds nothing.
    fn walk(&self, ground: u32, x: u32, y: u32, seen: &mut [u64]) -> Option<Object> {
        let start = (i64::from(x), i64::from(y));
        let (mut x, mut y) = start;
        let (mut dx, mut dy) = (0_i64, 1_i64);
        let (mut left, mut top, mut right, mut bottom, mut sum) = (x, y, x, y, 0);
        loop {
            if dy == 1 {
                let at = (y * i64::from(self.width) + x) as usize;
                seen[at / 64] |= 1 << (at % 64);
            }
            (x, y) = (x + dx, y + dy);
            sum += x * dy;
            (left, top, right, bottom) = (left.min(x), top.min(y), right.max(x), bottom.max(y));
            // The pixels ahead, as offsets from the corner: of a step right, the right hand is below.
            let ahead = |side: i64| (x - i64::from(dx - side * dy < 0), y - i64::from(dy + side * dx < 0));
            let (near, far) = (ahead(1), ahead(-1));
            if !self.has(ground, near.0, near.1) {
                (dx, dy) = (-dy, dx);
            } else if self.has(ground, far.0, far.1) {
                (dx, dy) = (dy, -dx);
            }
            if (x, y) == start && (dx, dy) == (0, 1) {
                break;
            }
        }
        let place = Place { left: left as u32, top: top as u32, right: right as u32, bottom: bottom as u32 };
        (sum < 0 && place.width().max(place.height()) > 1).then_some(Object { ground, place, area: -sum as u32 })
    }
}

fn is_near(one: &[u8], other: &[u8]) -> bool {
    one[0].abs_diff(other[0]) <= STEP && one[1].abs_diff(other[1]) <= STEP && one[2].abs_diff(other[2]) <= STEP
}

fn root(parents: &mut [u32], mut label: u32) -> u32 {
    while parents[label as usize] != label {
        parents[label as usize] = parents[parents[label as usize] as usize];
        label = parents[label as usize];
    }
    label
}

fn join(parents: &mut [u32], one: u32, other: u32) {
    let (one, other) = (root(parents, one), root(parents, other));
    parents[one.max(other) as usize] = one.min(other);
}
