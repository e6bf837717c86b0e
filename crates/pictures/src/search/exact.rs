//! Where a picture of a part stands in another one pixel by pixel: of what is there to the pixel, nobody may say that it is not.

use super::super::picture::{Picture, Place};

/// Places at most.
const MOST: usize = 100;

/// Returns where a part stands in a picture, all of its pixels the same; nothing of one that is transparent somewhere.
pub(super) fn places(part: &Picture, picture: &Picture) -> Vec<Place> {
    let (width, height) = (part.width(), part.height());
    let is_opaque = (0..height).all(|y| part.row(y, 0, width).chunks_exact(4).all(|pixel| pixel[3] == u8::MAX));
    if !is_opaque || width > picture.width() || height > picture.height() {
        return Vec::new();
    }
    let (x, y) = edge(part);
    let edge = part.row(y, x, x + 2);
    let mut places = Vec::new();
    for top in 0..=picture.height() - height {
        let row = picture.row(top + y, x, picture.width() - width + x + 2);
        for left in (0..=picture.width() - width).filter(|left| row[*left as usize * 4..].starts_with(edge)) {
            let place = Place { left, top, right: left + width, bottom: top + height };
            if places.len() < MOST && is_same(part, picture, place) {
                places.push(place);
            }
        }
    }
    places
}

/// Returns where two neighbouring pixels of a part differ most: few other pairs are like them.
fn edge(part: &Picture) -> (u32, u32) {
    let differs = |(x, y): &(u32, u32)| {
        let [one, other] = [part.pixel(*x, *y), part.pixel(*x + 1, *y)];
        one.iter().zip(other).map(|(one, other)| u32::from(one.abs_diff(other))).sum::<u32>()
    };
    let all = (0..part.height()).flat_map(|y| (0..part.width().saturating_sub(1)).map(move |x| (x, y)));
    all.max_by_key(differs).unwrap_or_default()
}

fn is_same(part: &Picture, picture: &Picture, place: Place) -> bool {
    (0..part.height()).all(|y| part.row(y, 0, part.width()) == picture.row(place.top + y, place.left, place.right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_a_part_is_told() {
        let pixel = |x: u32, y: u32| [(x % 7) as u8, (y % 5) as u8 * 40, 9, u8::MAX];
        let rgba = (0..60).flat_map(|y| (0..70).flat_map(move |x| pixel(x, y))).collect();
        let picture = Picture::new(70, 60, rgba).expect("a picture");
        let part = picture.part(Place { left: 57, top: 48, right: 70, bottom: 60 }).expect("a part");
        let places = places(&part, &picture);
        assert_eq!(places.len(), 9 * 10, "the pattern comes again");
        assert!(places.contains(&Place { left: 57, top: 48, right: 70, bottom: 60 }));
        let whole = super::places(&picture, &picture);
        assert_eq!(whole, [picture.whole()]);
    }
}
