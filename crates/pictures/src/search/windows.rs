//! A row of windows of a part's size → which of them are about as bright and as uneven as the part.

use super::candidates::Pattern;
use crate::plane::Plane;

/// How far the means may be apart, of 255.
const MEANS: f32 = 48.0;
/// How far the variances may be apart, as a factor.
const VARIANCES: f32 = 5.0;
/// Windows between two bands that are not worth beginning anew.
const GAP: usize = 8;

/// Windows beside each other that are to be correlated, by their left columns; `to` stands behind the last.
#[derive(Clone, Copy)]
pub(super) struct Band {
    pub(super) from: usize,
    pub(super) to: usize,
}

/// The windows of one row after the other, from top to bottom.
pub(super) struct Windows<'a> {
    pattern: &'a Pattern,
    plane: &'a Plane,
    next: usize,
    /// Sums of the columns of the row's windows, of values and of their squares.
    columns: Vec<[f64; 2]>,
    means: Vec<f32>,
    variances: Vec<f32>,
}

impl<'a> Windows<'a> {
    /// Takes a plane at least as large as the pattern.
    pub(super) fn new(pattern: &'a Pattern, plane: &'a Plane) -> Self {
        let count = plane.width + 1 - pattern.width;
        let columns = vec![[0.0; 2]; plane.width];
        let mut windows =
            Self { pattern, plane, next: 0, columns, means: vec![0.0; count], variances: vec![0.0; count] };
        (0..pattern.height - 1).for_each(|y| windows.count(y, 1.0));
        windows
    }

    /// Goes to the next row, and returns where it is; none behind the last.
    pub(super) fn next_row(&mut self) -> Option<usize> {
        let top = self.next;
        if top + self.pattern.height > self.plane.height {
            return None;
        }
        self.next += 1;
        match &self.pattern.weights {
            None => self.plain(top),
            Some(weights) => self.weighted(top, weights),
        }
        Some(top)
    }

    pub(super) fn variance(&self, left: usize) -> f32 {
        self.variances[left]
    }

    /// Returns the windows of the row that may be like the part.
    pub(super) fn bands(&self) -> Vec<Band> {
        let variance = self.pattern.variance;
        let may_be = |at: &usize| {
            (self.means[*at] - self.pattern.mean).abs() <= MEANS
                && self.variances[*at] * VARIANCES >= variance
                && self.variances[*at] <= variance * VARIANCES
        };
        let mut bands: Vec<Band> = Vec::new();
        for at in (0..self.means.len()).filter(may_be) {
            match bands.last_mut() {
                Some(band) if at - band.to <= GAP => band.to = at + 1,
                _ => bands.push(Band { from: at, to: at + 1 }),
            }
        }
        bands
    }

    /// Adds a line to the sums of the columns, or takes it out.
    fn count(&mut self, y: usize, sign: f64) {
        for (sums, value) in self.columns.iter_mut().zip(self.plane.row(y)) {
            let value = f64::from(*value);
            sums[0] += sign * value;
            sums[1] += sign * value * value;
        }
    }

    /// Counts a row in which every pixel counts: each window differs from its neighbour by two columns.
    fn plain(&mut self, top: usize) {
        if top > 0 {
            self.count(top - 1, -1.0);
        }
        self.count(top + self.pattern.height - 1, 1.0);
        let (width, total) = (self.pattern.width, f64::from(self.pattern.total));
        let mut sums = [0, 1].map(|part: usize| self.columns[..width].iter().map(|column| column[part]).sum::<f64>());
        for left in 0..self.means.len() {
            let mean = sums[0] / total;
            self.means[left] = mean as f32;
            self.variances[left] = (sums[1] / total - mean * mean).max(0.0) as f32;
            if let Some(column) = self.columns.get(left + width) {
                (0..2).for_each(|part| sums[part] += column[part] - self.columns[left][part]);
            }
        }
    }

    /// Counts a row of which some pixels count less.
    fn weighted(&mut self, top: usize, weights: &[f32]) {
        let count = self.means.len();
        self.means.fill(0.0);
        self.variances.fill(0.0);
        for (at, weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
            let (x, y) = (at % self.pattern.width, at / self.pattern.width);
            let values = &self.plane.row(top + y)[x..x + count];
            for ((sum, squares), value) in self.means.iter_mut().zip(&mut self.variances).zip(values) {
                *sum += weight * value;
                *squares += weight * value * value;
            }
        }
        for (sum, squares) in self.means.iter_mut().zip(&mut self.variances) {
            *sum /= self.pattern.total;
            *squares = (*squares / self.pattern.total - *sum * *sum).max(0.0);
        }
    }
}
