//! The place of a line → the picture of it that the second model reads.

use super::resize::{Planes, Turn, resize};
use uixt_pictures::{Picture, Place};

/// The height of a line as the second model reads it, and the most that it is wide.
pub(crate) const HEIGHT: usize = 48;
const WIDEST: usize = 3_200;
/// From how many times its width on a line's height means that its text runs downwards or upwards.
const UPRIGHT: f32 = 1.5;
/// How much of a line's height is left out at each edge when it is read again, and how much wider it is made then: what stands around
/// small type is gone, and narrow signs that repeat are told apart.
const INSET: f64 = 0.08;
const STRETCH: f64 = 1.2;

/// Tells how a line is turned, as far as its place shows it.
pub(crate) fn turn_of(place: Place) -> Turn {
    if place.height() as f32 > place.width() as f32 * UPRIGHT { Turn::Left } else { Turn::None }
}

/// Cuts out a line.
pub(crate) fn first(picture: &Picture, place: Place, turn: Turn) -> Planes {
    cut(picture, place, turn, 1.0)
}

/// Cuts out a line in another way, so that the model may read something else.
pub(crate) fn second(picture: &Picture, place: Place, turn: Turn) -> Planes {
    let inset = (f64::from(place.width().min(place.height())) * INSET).round() as u32;
    let inner = Place {
        left: place.left + inset,
        top: place.top + inset,
        right: place.right - inset,
        bottom: place.bottom - inset,
    };
    cut(picture, inner, turn, STRETCH)
}

fn cut(picture: &Picture, place: Place, turn: Turn, stretch: f64) -> Planes {
    let (long, high) = match turn {
        Turn::None => (place.width(), place.height()),
        Turn::Left | Turn::Right => (place.height(), place.width()),
    };
    let width = (f64::from(long) / f64::from(high) * HEIGHT as f64 * stretch).ceil() as usize;
    resize(picture, place, width.clamp(8, WIDEST), HEIGHT, turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_picture_of_a_line_is_wider_and_of_the_same_height() {
        let picture = Picture::new(300, 200, vec![255; 300 * 200 * 4]).expect("a picture");
        let line = Place { left: 10, top: 10, right: 210, bottom: 50 };
        assert_eq!(first(&picture, line, turn_of(line)).width, 240);
        assert_eq!(second(&picture, line, turn_of(line)).width, 329);
        let upright = Place { left: 10, top: 0, right: 50, bottom: 200 };
        assert_eq!(first(&picture, upright, turn_of(upright)).width, 240);
        // As small as a place can be.
        let dot = Place { left: 0, top: 0, right: 1, bottom: 1 };
        assert_eq!(second(&picture, dot, turn_of(dot)).data.len(), 3 * HEIGHT * 58);
    }
}
