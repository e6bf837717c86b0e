//! A picture → planes of brightness and colours in any smaller size, by which pictures are compared.

use super::picture::{Picture, Place};
use super::resampling::shares;

/// Numbers in rows: the brightness of a picture, from 0 to 255, or one of its colours.
#[derive(Clone)]
pub(crate) struct Plane {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) data: Vec<f32>,
}

impl Plane {
    /// Returns how bright each pixel is.
    pub(crate) fn brightness(picture: &Picture) -> Self {
        let (width, height) = (picture.width(), picture.height());
        let mut data = Vec::with_capacity(width as usize * height as usize);
        for y in 0..height {
            data.extend(picture.row(y, 0, width).chunks_exact(4).map(|pixel| {
                let sum = 77 * u32::from(pixel[0]) + 150 * u32::from(pixel[1]) + 29 * u32::from(pixel[2]);
                sum as f32 / 256.0
            }));
        }
        Self { width: width as usize, height: height as usize, data }
    }

    /// Returns the same in half the size; a last row or column without a neighbour is left out. Sides are at least 2.
    pub(crate) fn half_brightness(picture: &Picture) -> Self {
        let (width, height) = (picture.width() as usize / 2, picture.height() as usize / 2);
        let sum = |pixel: &[u8]| 77 * u32::from(pixel[0]) + 150 * u32::from(pixel[1]) + 29 * u32::from(pixel[2]);
        let pair = |pixels: &[u8]| sum(&pixels[..4]) + sum(&pixels[4..]);
        let mut data = Vec::with_capacity(width * height);
        for y in 0..height as u32 {
            let (upper, lower) = (picture.row(2 * y, 0, picture.width()), picture.row(2 * y + 1, 0, picture.width()));
            let pairs = upper.chunks_exact(8).zip(lower.chunks_exact(8));
            data.extend(pairs.map(|(upper, lower)| (pair(upper) + pair(lower)) as f32 / 1024.0));
        }
        Self { width, height, data }
    }

    /// Returns one channel of a part of a picture: 0 for red to 3 for alpha.
    pub(crate) fn channel(picture: &Picture, part: Place, channel: usize) -> Self {
        let mut data = Vec::with_capacity(part.width() as usize * part.height() as usize);
        for y in part.top..part.bottom {
            let row = picture.row(y, part.left, part.right);
            data.extend(row.chunks_exact(4).map(|pixel| f32::from(pixel[channel])));
        }
        Self { width: part.width() as usize, height: part.height() as usize, data }
    }

    pub(crate) fn row(&self, y: usize) -> &[f32] {
        &self.data[y * self.width..][..self.width]
    }

    /// Returns the numbers from one column and row to another, which stand behind the last.
    pub(crate) fn cut(&self, left: usize, top: usize, right: usize, bottom: usize) -> Self {
        let data = (top..bottom).flat_map(|y| &self.row(y)[left..right]).copied().collect();
        Self { width: right - left, height: bottom - top, data }
    }

    /// Returns half the size; a last row or column without a neighbour is left out.
    pub(crate) fn half(&self) -> Self {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        if self.width < 2 || self.height < 2 {
            return self.resized(width, height);
        }
        let mut data = Vec::with_capacity(width * height);
        for y in 0..height {
            let (upper, lower) = (self.row(2 * y), self.row(2 * y + 1));
            let pairs = upper.chunks_exact(2).zip(lower.chunks_exact(2));
            data.extend(pairs.map(|(upper, lower)| (upper[0] + upper[1] + lower[0] + lower[1]) / 4.0));
        }
        Self { width, height, data }
    }

    /// Returns the mean of each number and its eight neighbours, of which the nearer count more.
    pub(crate) fn smooth(&self) -> Self {
        let soft = |one: f32, middle: f32, other: f32| (one + 2.0 * middle + other) / 4.0;
        let (width, height) = (self.width, self.height);
        let mut data = Vec::with_capacity(width * height);
        let mut line = vec![0.0; width];
        for y in 0..height {
            let (above, row, below) = (self.row(y.saturating_sub(1)), self.row(y), self.row((y + 1).min(height - 1)));
            line.iter_mut().enumerate().for_each(|(x, value)| *value = soft(above[x], row[x], below[x]));
            data.extend((0..width).map(|x| soft(line[x.saturating_sub(1)], line[x], line[(x + 1).min(width - 1)])));
        }
        Self { width, height, data }
    }

    /// Returns another size, as [`Self::resized`] does, or itself where it has that size.
    pub(crate) fn into_size(self, width: usize, height: usize) -> Self {
        if (width, height) == (self.width, self.height) { self } else { self.resized(width, height) }
    }

    /// Returns another size: what shrinks is averaged, what grows is interpolated.
    pub(crate) fn resized(&self, width: usize, height: usize) -> Self {
        if (width, height) == (self.width, self.height) {
            return self.clone();
        }
        let (columns, rows) = (shares(self.width, width), shares(self.height, height));
        let squeezed = |row: &[f32]| -> Vec<f32> { columns.iter().map(|share| share.of(row)).collect() };
        let lines: Vec<Vec<f32>> = (0..self.height).map(|y| squeezed(self.row(y))).collect();
        let mut data = vec![0.0; width * height];
        for (line, share) in data.chunks_exact_mut(width).zip(&rows) {
            for (weight, from) in share.weights.iter().zip(&lines[share.first..]) {
                line.iter_mut().zip(from).for_each(|(sum, value)| *sum += weight * value);
            }
        }
        Self { width, height, data }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_keeps_the_mean() {
        let plane = Plane { width: 6, height: 4, data: (0..24).map(|at| (at % 6 * 40) as f32).collect() };
        let mean = |plane: &Plane| plane.data.iter().sum::<f32>() / plane.data.len() as f32;
        for (width, height) in [(3, 2), (5, 3), (12, 8), (1, 1)] {
            let other = plane.resized(width, height);
            assert!((mean(&other) - mean(&plane)).abs() < 4.0, "{width}×{height}: {}", mean(&other));
        }
        assert!((mean(&plane.half()) - mean(&plane)).abs() < 0.01);
        assert_eq!(plane.half().row(0), [20.0, 100.0, 180.0]);
    }
}
