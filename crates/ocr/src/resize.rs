//! A part of a picture → the same in another size, as planes of blue, green and red: what the models were trained with.

use uixt_pictures::resampling::{Share, shares};
use uixt_pictures::{Picture, Place};

/// How a part is turned before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    None,
    /// Its text runs downwards.
    Left,
    /// Its text runs upwards.
    Right,
}

/// Planes of numbers from 0 to 255, one after the other: blue, green, red.
pub(crate) struct Planes {
    pub(crate) width: usize,
    pub(crate) data: Vec<f32>,
}

/// Returns a part in a new size (as it is after it was turned); what shrinks is averaged, so that thin strokes stay.
pub(crate) fn resize(picture: &Picture, part: Place, width: usize, height: usize, turn: Turn) -> Planes {
    let (across, down) = if turn == Turn::None { (width, height) } else { (height, width) };
    let columns = shares(part.width() as usize, across);
    let rows = shares(part.height() as usize, down);
    let lines: Vec<Vec<f32>> =
        (part.top..part.bottom).map(|y| squeeze(picture.row(y, part.left, part.right), &columns)).collect();
    let mut data = vec![0.0; 3 * width * height];
    let mut line = vec![0.0; across * 3];
    for (y, share) in rows.iter().enumerate() {
        line.fill(0.0);
        for (weight, from) in share.weights.iter().zip(&lines[share.first..]) {
            line.iter_mut().zip(from).for_each(|(sum, value)| *sum += weight * value);
        }
        for (x, pixel) in line.chunks_exact(3).enumerate() {
            let (to_x, to_y) = match turn {
                Turn::None => (x, y),
                Turn::Left => (y, height - 1 - x),
                Turn::Right => (width - 1 - y, x),
            };
            for (plane, value) in pixel.iter().rev().enumerate() {
                data[(plane * height + to_y) * width + to_x] = *value;
            }
        }
    }
    Planes { width, data }
}

/// Returns a row of pixels in a new width.
fn squeeze(row: &[u8], columns: &[Share]) -> Vec<f32> {
    let mut line = Vec::with_capacity(columns.len() * 3);
    for Share { first, weights } in columns {
        let mut sums = [0.0; 3];
        for (weight, pixel) in weights.iter().zip(row[first * 4..].chunks_exact(4)) {
            sums.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += weight * f32::from(*value));
        }
        line.extend_from_slice(&sums);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 3]) -> Picture {
        let at = |y: u32| (0..width).map(move |x| (x, y));
        let pixels = (0..height).flat_map(at).flat_map(|(x, y)| {
            let [red, green, blue] = pixel(x, y);
            [red, green, blue, 255]
        });
        Picture::new(width, height, pixels.collect()).expect("a picture")
    }

    #[test]
    fn shrinking_averages_and_planes_are_blue_green_red() {
        let board = picture(8, 4, |x, y| if (x + y) % 2 == 0 { [200, 0, 40] } else { [0, 100, 40] });
        let small = resize(&board, board.whole(), 4, 2, Turn::None);
        assert_eq!((small.width, small.data.len()), (4, 24));
        for (plane, wanted) in [40.0, 50.0, 100.0].into_iter().enumerate() {
            // The edges have a neighbour less.
            assert!(small.data[plane * 8..plane * 8 + 8].iter().all(|value| (value - wanted).abs() < 26.0));
        }
        let same = resize(&board, board.whole(), 8, 4, Turn::None);
        assert_eq!(&same.data[64..67], [200.0, 0.0, 200.0]);
    }

    #[test]
    fn what_is_turned_reads_from_left_to_right() {
        // Brighter from top to bottom.
        let down = picture(2, 4, |_, y| [u8::try_from(y * 50).expect("small"); 3]);
        let left = resize(&down, down.whole(), 4, 2, Turn::Left);
        let right = resize(&down, down.whole(), 4, 2, Turn::Right);
        assert_eq!((left.width, left.data.len()), (4, 24));
        assert_eq!(right.data[..4], [150.0, 100.0, 50.0, 0.0]);
        assert_eq!(left.data[..4], [0.0, 50.0, 100.0, 150.0]);
    }
}
