//! A part and a screen, both shrunk → the places that correlate, followed down to nearly full size.
//!
//! Only windows that are about as bright and as uneven as the part are correlated: most of a screen is not.

use super::Template;
use super::windows::{Band, Windows};
use crate::picture::Picture;
use crate::plane::Plane;

/// How many pixels the shorter side of a part keeps at least when it is shrunk, and the side of a square of its area.
const SHORTEST: f32 = 8.0;
const LEAST: f32 = 12.0;
/// What correlates less is no candidate: in the smallest size, and in the next ones.
const FAINT: f32 = 0.5;
const PLAIN: f32 = 0.65;
/// How many candidates of each size are followed down.
const MOST: usize = 30;

/// A place where a part may be: its upper left corner in pixels of the screen, and its size as a multiple of the part's own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) scale: f32,
    /// How well it correlates, to 1.
    pub(super) score: f32,
}

/// A screen's brightness, in full and in half sizes, each made when it is needed.
pub(super) struct Levels<'a> {
    picture: &'a Picture,
    full: Option<Plane>,
    halves: Vec<Plane>,
}

impl<'a> Levels<'a> {
    pub(super) fn of(picture: &'a Picture) -> Self {
        Self { picture, full: None, halves: Vec::new() }
    }

    /// Makes what is needed for this level.
    fn deepen(&mut self, level: usize) {
        let is_tiny = self.picture.width().min(self.picture.height()) < 2;
        if level == 0 || is_tiny {
            self.full.get_or_insert_with(|| Plane::brightness(self.picture));
        }
        while self.halves.len() < level {
            let half = match (self.halves.last(), &self.full) {
                (Some(last), _) => last.half(),
                (None, Some(full)) => full.half(),
                (None, None) => Plane::half_brightness(self.picture),
            };
            self.halves.push(half);
        }
    }

    /// Returns a level that was made.
    fn at(&self, level: usize) -> Option<&Plane> {
        level.checked_sub(1).map_or(self.full.as_ref(), |level| self.halves.get(level))
    }
}

/// A part in one size, ready to be correlated.
pub(super) struct Pattern {
    pub(super) width: usize,
    pub(super) height: usize,
    /// How much each pixel counts; none where all of them do.
    pub(super) weights: Option<Vec<f32>>,
    /// How much each pixel counts times how far it differs from the mean.
    centred: Vec<f32>,
    pub(super) total: f32,
    pub(super) mean: f32,
    /// The mean square of the differences from the mean.
    pub(super) variance: f32,
}

impl Pattern {
    fn of(template: &Template, width: usize, height: usize) -> Self {
        let (plane, weights) = (template.plane.resized(width, height), template.weights.resized(width, height).data);
        let total: f32 = weights.iter().sum();
        let mean = plane.data.iter().zip(&weights).map(|(value, weight)| value * weight).sum::<f32>() / total;
        let centred: Vec<f32> =
            plane.data.iter().zip(&weights).map(|(value, weight)| (value - mean) * weight).collect();
        let energy: f32 = plane.data.iter().zip(&centred).map(|(value, centred)| (value - mean) * centred).sum();
        let weights = weights.iter().any(|weight| *weight < 0.99).then_some(weights);
        Self { width, height, weights, centred, total, mean, variance: energy / total }
    }

    /// Correlates the windows of a row from one column to another.
    fn products(&self, plane: &Plane, top: usize, from: usize, to: usize, products: &mut Vec<f32>) {
        products.clear();
        products.resize(to - from, 0.0);
        for y in 0..self.height {
            let line = plane.row(top + y);
            for x in 0..self.width {
                let centred = self.centred[y * self.width + x];
                let values = &line[from + x..to + x];
                products.iter_mut().zip(values).for_each(|(product, value)| *product += centred * value);
            }
        }
    }

    /// Correlates one window.
    fn at(&self, plane: &Plane, left: usize, top: usize) -> f32 {
        let (mut product, mut sum, mut squares) = (0.0, 0.0, 0.0);
        for y in 0..self.height {
            let line = &plane.row(top + y)[left..left + self.width];
            let own = y * self.width..(y + 1) * self.width;
            product += self.centred[own.clone()].iter().zip(line).map(|(centred, value)| centred * value).sum::<f32>();
            let (of_line, of_squares) = match &self.weights {
                Some(weights) => line.iter().zip(&weights[own]).fold((0.0, 0.0), |(sum, squares), (value, weight)| {
                    (sum + weight * value, squares + weight * value * value)
                }),
                None => line.iter().fold((0.0, 0.0), |(sum, squares), value| (sum + value, squares + value * value)),
            };
            sum += of_line;
            squares += of_squares;
        }
        let mean = sum / self.total;
        self.correlation(product, squares / self.total - mean * mean)
    }

    /// Returns how well a window of this variance correlates.
    pub(super) fn correlation(&self, product: f32, variance: f32) -> f32 {
        product / self.total / (self.variance * variance).max(1.0).sqrt()
    }
}

/// Returns the places where a part may be in one of these sizes, the likeliest first.
pub(super) fn find(template: &Template, levels: &mut Levels<'_>, scales: &[f32]) -> Vec<Candidate> {
    scales.iter().for_each(|scale| levels.deepen(level(template, *scale)));
    let of = |scale: &f32| of_size(template, levels, *scale);
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(scales.len());
    let mut found: Vec<Candidate> = match cores {
        0 => Vec::new(),
        1 => scales.iter().flat_map(of).collect(),
        _ => std::thread::scope(|scope| {
            // Small sizes take longer, so that each core gets some of each.
            let share = |core: usize| scales.iter().skip(core).step_by(cores).flat_map(of).collect::<Vec<_>>();
            let cores: Vec<_> = (0..cores).map(|core| scope.spawn(move || share(core))).collect();
            cores.into_iter().filter_map(|core| core.join().ok()).flatten().collect()
        }),
    };
    found.sort_by(|one, other| other.score.total_cmp(&one.score));
    found
}

/// Returns how often a screen is halved for a part in a size.
fn level(template: &Template, scale: f32) -> usize {
    let (width, height) = (template.plane.width as f32 * scale, template.plane.height as f32 * scale);
    let fits = (width.min(height) / SHORTEST).min((width * height).sqrt() / LEAST);
    fits.log2().floor().clamp(0.0, 5.0) as usize
}

/// A score and the upper left corner of a window.
type Peak = (f32, usize, usize);

fn of_size(template: &Template, levels: &Levels<'_>, scale: f32) -> Vec<Candidate> {
    let deepest = level(template, scale);
    let side = |side: usize, level: usize| (side as f32 * scale / (1 << level) as f32).round().max(1.0) as usize;
    let at =
        |level: usize| Pattern::of(template, side(template.plane.width, level), side(template.plane.height, level));
    let mut found = levels.at(deepest).map_or_else(Vec::new, |plane| peaks(&at(deepest), plane));
    // What is left to do at full size is another's work.
    for level in (1..deepest).rev() {
        let pattern = at(level);
        let Some(plane) = levels.at(level) else { continue };
        found = found.into_iter().filter_map(|(_, left, top)| follow(&pattern, plane, left, top)).collect();
    }
    let factor = (1 << deepest.min(1)) as f32;
    let candidate =
        |(score, left, top)| Candidate { left: left as f32 * factor, top: top as f32 * factor, scale, score };
    found.into_iter().map(candidate).collect()
}

/// Returns the windows that correlate better than those around them.
fn peaks(pattern: &Pattern, plane: &Plane) -> Vec<Peak> {
    if pattern.width > plane.width || pattern.height > plane.height {
        return Vec::new();
    }
    let mut found = Vec::new();
    let (mut windows, mut products) = (Windows::new(pattern, plane), Vec::new());
    while let Some(top) = windows.next_row() {
        for Band { from, to } in windows.bands() {
            pattern.products(plane, top, from, to, &mut products);
            for (left, product) in (from..to).zip(&products) {
                let score = pattern.correlation(*product, windows.variance(left));
                if score >= FAINT {
                    found.push((score, left, top));
                }
            }
        }
    }
    highest(found, pattern.width / 3, pattern.height / 3)
}

/// Keeps the highest of those that are near to each other.
fn highest(mut found: Vec<Peak>, across: usize, down: usize) -> Vec<Peak> {
    found.sort_by(|(one, ..), (other, ..)| other.total_cmp(one));
    let mut kept: Vec<Peak> = Vec::new();
    for (score, left, top) in found {
        let is_near = |(_, x, y): &Peak| x.abs_diff(left) <= across && y.abs_diff(top) <= down;
        if !kept.iter().any(is_near) {
            kept.push((score, left, top));
        }
        if kept.len() == MOST {
            break;
        }
    }
    kept
}

/// Returns the best window around twice a place of the level below; none where nothing correlates any more.
fn follow(pattern: &Pattern, plane: &Plane, left: usize, top: usize) -> Option<Peak> {
    let (right, bottom) = (plane.width.checked_sub(pattern.width)?, plane.height.checked_sub(pattern.height)?);
    let (mut x, mut y) = ((left * 2).min(right), (top * 2).min(bottom));
    let mut score = pattern.at(plane, x, y);
    // Uphill, as far as rounding may have led astray.
    for _ in 0..3 {
        let near = [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, 1), (-1, 1), (1, -1)];
        let near = near.into_iter().filter_map(|(across, down)| {
            let (x, y) = (x.checked_add_signed(across)?, y.checked_add_signed(down)?);
            (x <= right && y <= bottom).then(|| (pattern.at(plane, x, y), x, y))
        });
        let (best, to_x, to_y) = near.max_by(|(one, ..), (other, ..)| one.total_cmp(other))?;
        if best <= score {
            break;
        }
        (score, x, y) = (best, to_x, to_y);
    }
    (score >= PLAIN).then_some((score, x, y))
}
