//! Two pictures of one screen → where they differ.

use uixt_pictures::{Picture, Place};

/// The side of the squares that are compared, in pixels.
const SIDE: u32 = 64;

/// Returns the parts in which a picture differs from one of the same size; those that touch each other are one.
pub(crate) fn between(before: &Picture, now: &Picture) -> Vec<Place> {
    let mut parts: Vec<Place> = Vec::new();
    for top in (0..now.height()).step_by(SIDE as usize) {
        let bottom = (top + SIDE).min(now.height());
        let is_same =
            |left: u32, right: u32| (top..bottom).all(|y| before.row(y, left, right) == now.row(y, left, right));
        if is_same(0, now.width()) {
            continue;
        }
        for left in (0..now.width()).step_by(SIDE as usize) {
            let right = (left + SIDE).min(now.width());
            if !is_same(left, right) {
                add(&mut parts, Place { left, top, right, bottom });
            }
        }
    }
    parts
}

/// Adds a part; those that it meets, or stands next to, become one with it.
pub(crate) fn add(parts: &mut Vec<Place>, mut part: Place) {
    loop {
        let around = Place {
            left: part.left.saturating_sub(1),
            top: part.top.saturating_sub(1),
            right: part.right + 1,
            bottom: part.bottom + 1,
        };
        let Some(at) = parts.iter().position(|other| other.meets(&around)) else { break };
        part = part.with(&parts.swap_remove(at));
    }
    parts.push(part);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_found_and_what_touches_is_one() {
        let white = Picture::new(300, 200, vec![255; 300 * 200 * 4]).expect("a picture");
        assert_eq!(between(&white, &white), []);
        let with = |dots: &[(usize, usize)]| {
            let mut rgba = vec![255; 300 * 200 * 4];
            dots.iter().for_each(|(x, y)| rgba[(y * 300 + x) * 4] = 0);
            between(&white, &Picture::new(300, 200, rgba).expect("a picture"))
        };
        assert_eq!(with(&[(299, 199)]), [Place { left: 256, top: 192, right: 300, bottom: 200 }]);
        let both = with(&[(10, 10), (70, 70), (200, 10)]);
        assert_eq!(both.len(), 2, "{both:?}");
        assert!(both.contains(&Place { left: 0, top: 0, right: 128, bottom: 128 }), "{both:?}");
    }
}
