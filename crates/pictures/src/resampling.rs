//! A row of numbers → which of them each number of a longer or shorter row is made of.

/// The numbers that one new number is made of: the first of them, and the share of each.
pub struct Share {
    pub first: usize,
    pub weights: Vec<f32>,
}

impl Share {
    /// Adds them up, of a row.
    pub(crate) fn of(&self, row: &[f32]) -> f32 {
        self.weights.iter().zip(&row[self.first..]).map(|(weight, value)| weight * value).sum()
    }
}

/// Says what each new pixel of a side is made of: of the nearest pixels, the more the nearer.
pub fn shares(from: usize, to: usize) -> Vec<Share> {
    let scale = from as f64 / to as f64;
    let reach = scale.max(1.0);
    let last = (from - 1) as f64;
    let share = |at: usize| {
        let middle = (at as f64 + 0.5) * scale - 0.5;
        let first = (middle - reach).ceil().clamp(0.0, last);
        let end = (middle + reach).floor().clamp(first, last);
        let count = (end - first) as usize + 1;
        let weight = |step: usize| (1.0 - (first + step as f64 - middle).abs() / reach).max(0.0) as f32;
        let mut weights: Vec<f32> = (0..count).map(weight).collect();
        let sum: f32 = weights.iter().sum();
        match sum > 0.0 {
            true => weights.iter_mut().for_each(|weight| *weight /= sum),
            false => weights.fill(1.0 / count as f32),
        }
        Share { first: first as usize, weights }
    };
    (0..to).map(share).collect()
}
