//! Two pictures of the same size → where they differ, but for the smoothing of edges and for what does not count.

use super::Error;
use super::picture::{Picture, Place};

/// How near differences are to each other that are told as one, in pixels.
const NEAR: u32 = 12;
/// How many places are told.
const MOST: usize = 20;
/// The colour of what differs in the picture of a difference, and by how much the rest is faded, of 255.
const MARKED: [u8; 3] = [230, 0, 60];
const FADED: u32 = 200;
/// By how much neighbours may differ that count as the same, of 255.
const SAME: u8 = 3;

/// What differs between two pictures.
pub struct Difference {
    /// How many pixels differ, and how many were compared.
    pub pixels: u64,
    pub compared: u64,
    /// The smallest places that hold them, the one with most of them first; at most 20.
    pub places: Vec<Place>,
    differs: Vec<bool>,
}

/// Compares two pictures of the same size. A pixel differs where red, green or blue does by more than `threshold`, a share of the whole
/// range from 0 to 1, unless it smoothes an edge in one of them. What is transparent in the expected picture, or lies in one of these
/// places, does not count. Pictures of other sizes are an error that tells both.
pub fn compare(expected: &Picture, actual: &Picture, ignored: &[Place], threshold: f32) -> Result<Difference, Error> {
    let (width, height) = (actual.width(), actual.height());
    if (expected.width(), expected.height()) != (width, height) {
        return Err(Error(format!(
            "it has {width}×{height} pixels, and {}×{} are expected",
            expected.width(),
            expected.height()
        )));
    }
    let most = (threshold.clamp(0.0, 1.0) * 255.0) as u8;
    let mut counts = vec![true; width as usize * height as usize];
    let at = |x: u32, y: u32| y as usize * width as usize + x as usize;
    for place in ignored {
        for y in place.top.min(height)..place.bottom.min(height) {
            counts[at(place.left.min(width), y)..at(place.right.min(width), y)].fill(false);
        }
    }
    let mut differs = vec![false; counts.len()];
    let (mut pixels, mut compared) = (0, 0);
    for y in 0..height {
        let (wanted, seen) = (expected.row(y, 0, width), actual.row(y, 0, width));
        let all_count = counts[at(0, y)..at(0, y) + width as usize].iter().all(|counts| *counts);
        if wanted == seen && all_count && wanted.chunks_exact(4).all(|pixel| pixel[3] > 0) {
            compared += u64::from(width);
            continue;
        }
        for (x, (wanted, seen)) in (0..width).zip(wanted.chunks_exact(4).zip(seen.chunks_exact(4))) {
            if !counts[at(x, y)] || wanted[3] == 0 {
                continue;
            }
            compared += 1;
            let far = wanted[..3].iter().zip(&seen[..3]).any(|(wanted, seen)| wanted.abs_diff(*seen) > most);
            if far && !smooths(expected, actual, x, y) && !smooths(actual, expected, x, y) {
                differs[at(x, y)] = true;
                pixels += 1;
            }
        }
    }
    let places = places(&differs, width, height);
    Ok(Difference { pixels, compared, places, differs })
}

impl Difference {
    /// Returns how much of what was compared differs, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.pixels as f64 / self.compared.max(1) as f64
    }

    /// Draws what differs in red over the faded picture.
    pub fn drawn(&self, actual: &Picture) -> Result<Picture, Error> {
        let rows = (0..actual.height()).flat_map(|y| actual.row(y, 0, actual.width()).chunks_exact(4));
        let pixels = rows.zip(&self.differs).flat_map(|(pixel, differs)| {
            let bright = (77 * u32::from(pixel[0]) + 150 * u32::from(pixel[1]) + 29 * u32::from(pixel[2])) / 256;
            let faded = ((bright * (255 - FADED) + 255 * FADED) / 255) as u8;
            let [red, green, blue] = if *differs { MARKED } else { [faded; 3] };
            [red, green, blue, 255]
        });
        Picture::new(actual.width(), actual.height(), pixels.collect())
    }
}

/// Tells whether a pixel smoothes an edge: it lies between a darker and a brighter neighbour, and the darker or the brighter one belongs
/// to an area of one colour in both pictures.
fn smooths(picture: &Picture, other: &Picture, x: u32, y: u32) -> bool {
    let pixel = picture.pixel(x, y);
    let own = brightness(pixel);
    let mut same = 0;
    let (mut darkest, mut brightest) = ((own, None), (own, None));
    for (across, down) in neighbours(picture, x, y) {
        let neighbour = picture.pixel(across, down);
        match brightness(neighbour) {
            _ if is_same(neighbour, pixel) => same += 1,
            bright if bright < darkest.0 => darkest = (bright, Some((across, down))),
            bright if bright > brightest.0 => brightest = (bright, Some((across, down))),
            _ => {}
        }
    }
    let (Some(dark), Some(bright)) = (darkest.1, brightest.1) else { return false };
    same <= 2 && [dark, bright].into_iter().any(|(x, y)| is_area(picture, x, y) && is_area(other, x, y))
}

/// Tells whether most pixels around one have its colour.
fn is_area(picture: &Picture, x: u32, y: u32) -> bool {
    let own = picture.pixel(x, y);
    neighbours(picture, x, y).filter(|(x, y)| is_same(picture.pixel(*x, *y), own)).count() >= 3
}

fn is_same(one: [u8; 4], other: [u8; 4]) -> bool {
    one.iter().zip(other).all(|(one, other)| one.abs_diff(other) <= SAME)
}

fn brightness(pixel: [u8; 4]) -> i32 {
    (77 * i32::from(pixel[0]) + 150 * i32::from(pixel[1]) + 29 * i32::from(pixel[2])) / 256
}

fn neighbours(picture: &Picture, x: u32, y: u32) -> impl Iterator<Item = (u32, u32)> + use<> {
    let (right, bottom) = (picture.width() - 1, picture.height() - 1);
    let rows = y.saturating_sub(1)..=(y + 1).min(bottom);
    rows.flat_map(move |row| (x.saturating_sub(1)..=(x + 1).min(right)).map(move |column| (column, row)))
        .filter(move |at| *at != (x, y))
}

/// Gathers pixels into places: those in cells that touch each other are one.
fn places(differs: &[bool], width: u32, height: u32) -> Vec<Place> {
    let mut cells: std::collections::BTreeMap<(u32, u32), (u64, Place)> = std::collections::BTreeMap::new();
    for (y, row) in (0..height).zip(differs.chunks_exact(width as usize)) {
        for (x, _) in (0..width).zip(row).filter(|(_, differs)| **differs) {
            let pixel = Place { left: x, top: y, right: x + 1, bottom: y + 1 };
            let cell = cells.entry((y / NEAR, x / NEAR)).or_insert((0, pixel));
            *cell = (cell.0 + 1, cell.1.with(&pixel));
        }
    }
    let mut found = Vec::new();
    while let Some((at, cell)) = cells.pop_first() {
        let (mut count, mut place) = cell;
        let mut open = vec![at];
        while let Some((row, column)) = open.pop() {
            for near in (row.saturating_sub(1)..=row + 1)
                .flat_map(|row| (column.saturating_sub(1)..=column + 1).map(move |column| (row, column)))
            {
                if let Some((more, other)) = cells.remove(&near) {
                    (count, place) = (count + more, place.with(&other));
                    open.push(near);
                }
            }
        }
        found.push((count, place));
    }
    found.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    found.into_iter().map(|(_, place)| place).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: u32 = 200;
    const HEIGHT: u32 = 120;
    const GROUND: [f32; 3] = [250.0; 3];

    /// Where a shape is, and its colour.
    type Shape<'a> = (&'a dyn Fn(f32, f32) -> bool, [u8; 3]);

    /// Draws discs and bars over a ground with 4×4 samples a pixel.
    fn drawn(shapes: &[Shape<'_>]) -> Picture {
        let at = |y: u32| (0..WIDTH).map(move |x| (x, y));
        let pixel = |(x, y): (u32, u32)| {
            let mut color = GROUND;
            for (shape, ink) in shapes {
                let inside = (0..16_u32).filter(|sample| {
                    let offset = |at: u32| (at as f32 + 0.5) / 4.0;
                    shape(x as f32 + offset(sample % 4), y as f32 + offset(sample / 4))
                });
                let share = inside.count() as f32 / 16.0;
                (0..3).for_each(|part| color[part] += (f32::from(ink[part]) - color[part]) * share);
            }
            [color[0].round() as u8, color[1].round() as u8, color[2].round() as u8, 255]
        };
        Picture::new(WIDTH, HEIGHT, (0..HEIGHT).flat_map(at).flat_map(pixel).collect()).expect("a picture")
    }

    /// A round button with a sign.
    fn button(left: f32, color: [u8; 3], has_sign: bool) -> Picture {
        let disc = move |x: f32, y: f32| (x - left - 30.0).hypot(y - 60.0) < 28.0;
        let sign = move |x: f32, y: f32| has_sign && (x - left - 30.0).abs() < 1.5 && (y - 60.0).abs() < 8.0;
        drawn(&[(&disc, color), (&sign, [255; 3])])
    }

    const BLUE: [u8; 3] = [20, 110, 220];

    fn pixels(expected: &Picture, actual: &Picture) -> u64 {
        compare(expected, actual, &[], 0.02).expect("a difference").pixels
    }

    #[test]
    fn what_is_the_same_is() {
        let one = button(40.0, BLUE, true);
        let same = compare(&one, &one.clone(), &[], 0.0).expect("a difference");
        assert_eq!((same.pixels, same.compared), (0, u64::from(WIDTH * HEIGHT)));
        assert!(same.places.is_empty() && same.share() == 0.0);
    }

    #[test]
    fn a_small_difference_is_found() {
        let one = button(40.0, BLUE, true);
        for (what, other) in [
            ("a colour off by 3 %", button(40.0, [20, 110 + 8, 220], true)),
            ("moved by 2 pixels", button(42.0, BLUE, true)),
            ("moved by 1 pixel", button(41.0, BLUE, true)),
            ("a missing sign", button(40.0, BLUE, false)),
        ] {
            assert!(pixels(&one, &other) > 5, "{what}: {}", pixels(&one, &other));
            assert_eq!(pixels(&one, &other) > 0, pixels(&other, &one) > 0, "{what}");
        }
    }

    #[test]
    fn an_edge_that_is_smoothed_otherwise_is_the_same() {
        let one = button(40.0, BLUE, true);
        let (width, height) = (one.width(), one.height());
        let at = |y: u32| (0..width).map(move |x| (x, y));
        let other = (0..height).flat_map(at).flat_map(|(x, y)| {
            let [red, green, blue, _] = one.pixel(x, y);
            // Half-covered pixels, and only they, get another share of the ground.
            let is_edge = red > 25 && red < 245;
            let other = |part: u8| if is_edge { part.saturating_add(16).min(248) } else { part };
            [other(red), other(green), other(blue), 255]
        });
        let other = Picture::new(width, height, other.collect()).expect("a picture");
        assert!(other != one);
        assert_eq!(pixels(&one, &other), 0);
    }

    #[test]
    fn places_and_what_does_not_count() {
        let one = button(40.0, BLUE, true);
        let other = button(40.0, BLUE, false);
        let found = compare(&one, &other, &[], 0.02).expect("a difference");
        let sign = Place { left: 68, top: 52, right: 72, bottom: 68 };
        assert_eq!(found.places.len(), 1);
        assert!(sign.left <= found.places[0].left && found.places[0].right <= sign.right, "{:?}", found.places);
        let marked = found.drawn(&other).expect("a picture");
        assert_eq!(marked.pixel(70, 60)[..3], MARKED);
        let masked = compare(&one, &other, &[sign], 0.02).expect("a difference");
        assert_eq!((masked.pixels, masked.compared), (0, u64::from(WIDTH * HEIGHT - 4 * 16)));
        let hole = one.cleared(&[sign]);
        assert_eq!(pixels(&hole, &other), 0, "what is transparent in the expected picture does not count");
        let small = other.part(sign).expect("a part");
        assert!(
            compare(&one, &small, &[], 0.02).is_err_and(|error| error.to_string().contains("4×16 pixels, and 200×120"))
        );
    }
}
