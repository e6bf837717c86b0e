//! A part and a screen, both shrunk → the places that correlate, followed down to nearly full size.
//!
//! Only windows that are about as bright and as uneven as the part are correlated: most of a screen is not.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::Template;
use super::windows::{Band, Windows};
use crate::picture::{Picture, Place};
use crate::plane::Plane;

/// How many pixels the shorter side of a part keeps at least when it is shrunk, and the side of a square of its area.
const SHORTEST: f32 = 8.0;
const LEAST: f32 = 12.0;
/// What correlates less is no candidate: in the smallest size, and in the next ones.
const FAINT: f32 = 0.5;
const PLAIN: f32 = 0.65;
/// How many candidates of each size are followed down, and how many places of a piece, of which there may be many more than of the part.
const MOST: usize = 30;
const MOST_PIECES: usize = 200;
/// How many pixels of a size are compared next, of all that is left over, and how many of the part of all sizes together.
const PIXELS: f32 = 24_000.0;
const FOLLOWED: usize = 1_200_000;
/// How many times as many in the part's own size.
const ALONE: f32 = 8.0;
/// Within so many pixels, places of a large part in about the same size are one.
const NEAR: f32 = 24.0;
/// How far sizes lie apart that are tried when more than a piece is compared, as a share, and by how many pixels at the ends of what is
/// compared they differ at least.
const SLACK: f32 = 0.03;
const APART: f32 = 1.0;
/// How many sizes are gone up or down by at most on a stage.
const STEPS: usize = 8;

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
    /// The same, smoothed; as many as are needed.
    smooth: Vec<Plane>,
}

impl<'a> Levels<'a> {
    pub(super) fn of(picture: &'a Picture) -> Self {
        Self { picture, full: None, halves: Vec::new(), smooth: Vec::new() }
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

    /// Makes what is needed for this level and those above, smoothed.
    fn soften(&mut self, level: usize) {
        self.deepen(level);
        self.smooth.extend(self.halves.iter().skip(self.smooth.len()).map(Plane::smooth));
    }

    /// Returns a level that was made. Pieces are looked for on what is smooth: half a pixel more or less is the same there.
    fn at(&self, level: usize, is_piece: bool) -> Option<&Plane> {
        let halves = if is_piece { &self.smooth } else { &self.halves };
        level.checked_sub(1).map_or(self.full.as_ref(), |level| halves.get(level))
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
    /// Takes a part, and how much each of its pixels counts.
    pub(super) fn of(plane: &Plane, weights: Plane) -> Self {
        let (width, height, weights) = (plane.width, plane.height, weights.data);
        // Numbers of 32 bits cannot add up a hundred thousand pixels.
        let total = weights.iter().map(|weight| f64::from(*weight)).sum::<f64>() as f32;
        let mean = plane.data.iter().zip(&weights).map(|(value, weight)| f64::from(value * weight)).sum::<f64>();
        let mean = (mean / f64::from(total)) as f32;
        let centred: Vec<f32> =
            plane.data.iter().zip(&weights).map(|(value, weight)| (value - mean) * weight).collect();
        let energy: f64 =
            plane.data.iter().zip(&centred).map(|(value, centred)| f64::from((value - mean) * centred)).sum();
        let weights = weights.iter().any(|weight| *weight < 0.99).then_some(weights);
        Self { width, height, weights, centred, total, mean, variance: energy as f32 / total }
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
        let (mut product, mut sum, mut squares) = (0.0_f64, 0.0_f64, 0.0_f64);
        for y in 0..self.height {
            let line = &plane.row(top + y)[left..left + self.width];
            let own = y * self.width..(y + 1) * self.width;
            product += f64::from(dot(&self.centred[own.clone()], line));
            let (of_line, of_squares) = match &self.weights {
                Some(weights) => line.iter().zip(&weights[own]).fold((0.0, 0.0), |(sum, squares), (value, weight)| {
                    (sum + weight * (value - self.mean), squares + weight * (value - self.mean).powi(2))
                }),
                None => spread(line, self.mean),
            };
            sum += f64::from(of_line);
            squares += f64::from(of_squares);
        }
        let total = f64::from(self.total);
        let mean = sum / total;
        self.correlation(product as f32, (squares / total - mean * mean) as f32)
    }

    /// Returns how well a window of this variance correlates.
    pub(super) fn correlation(&self, product: f32, variance: f32) -> f32 {
        product / self.total / (self.variance * variance).max(1.0).sqrt()
    }
}

/// Numbers that are added up at once.
const LANES: usize = 8;

/// Returns the sum of the products of two rows.
fn dot(one: &[f32], other: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    let (ones, others) = (one.chunks_exact(LANES), other.chunks_exact(LANES));
    let rest: f32 = ones.remainder().iter().zip(others.remainder()).map(|(one, other)| one * other).sum();
    for (one, other) in ones.zip(others) {
        (0..LANES).for_each(|lane| sums[lane] += one[lane] * other[lane]);
    }
    sums.iter().sum::<f32>() + rest
}

/// Returns the sums of the differences from a value, and of their squares.
fn spread(line: &[f32], from: f32) -> (f32, f32) {
    let (mut sums, mut squares) = ([0.0; LANES], [0.0; LANES]);
    let chunks = line.chunks_exact(LANES);
    let rest = chunks
        .remainder()
        .iter()
        .fold((0.0, 0.0), |(sum, square), value| (sum + (value - from), square + (value - from) * (value - from)));
    for chunk in chunks {
        for lane in 0..LANES {
            let off = chunk[lane] - from;
            sums[lane] += off;
            squares[lane] += off * off;
        }
    }
    (sums.iter().sum::<f32>() + rest.0, squares.iter().sum::<f32>() + rest.1)
}

/// Returns the places where a part may be in one of these sizes, the likeliest first.
pub(super) fn find(template: &Template, levels: &mut Levels<'_>, scales: &[f32]) -> Vec<Candidate> {
    for scale in scales {
        match template.piece.is_whole() {
            true => levels.deepen(level(template, *scale)),
            false => levels.soften(level(template, *scale)),
        }
    }
    let of = |scale: &f32| of_size(template, levels, *scale);
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(scales.len());
    let found: Vec<Spot> = match cores {
        0 => Vec::new(),
        1 => scales.iter().flat_map(of).collect(),
        _ => std::thread::scope(|scope| {
            // Small sizes take longer, so that each core gets some of each.
            let share = |core: usize| scales.iter().skip(core).step_by(cores).flat_map(of).collect::<Vec<_>>();
            let cores: Vec<_> = (0..cores).map(|core| scope.spawn(move || share(core))).collect();
            cores.into_iter().filter_map(|core| core.join().ok()).flatten().collect()
        }),
    };
    let mut found = if template.piece.is_whole() { found } else { descend(template, levels, found) };
    found.sort_by(by_score);
    let corner = |spot: Spot| {
        let (width, height) = (template.plane.width as f32 * spot.scale, template.plane.height as f32 * spot.scale);
        Candidate { left: spot.x - width / 2.0, top: spot.y - height / 2.0, scale: spot.scale, score: spot.score }
    };
    found.into_iter().map(corner).collect()
}

/// Returns how often a screen is halved to look for the piece of a part in a size.
fn level(template: &Template, scale: f32) -> usize {
    let piece = template.piece.place;
    let (width, height) = (piece.width() as f32 * scale, piece.height() as f32 * scale);
    let fits = (width.min(height) / SHORTEST).min((width * height).sqrt() / LEAST);
    fits.log2().floor().clamp(0.0, 5.0) as usize
}

/// A score and the upper left corner of a window.
type Peak = (f32, usize, usize);

/// A place that correlates: the middle of what was compared, in pixels of the screen.
#[derive(Clone, Copy)]
struct Spot {
    x: f32,
    y: f32,
    scale: f32,
    score: f32,
}

/// Returns where all of the part correlates in a size; a part that is looked for as a whole is followed down to nearly full size.
fn of_size(template: &Template, levels: &Levels<'_>, scale: f32) -> Vec<Spot> {
    let (width, height) = template.size(scale);
    if width > levels.picture.width() || height > levels.picture.height() {
        return Vec::new();
    }
    let stages = stages_of(template, scale);
    let mut refiner = Refiner { template, levels, patterns: HashMap::new() };
    let mut found = refiner.start(stages[0], scale);
    for pair in stages.windows(2) {
        found = found.into_iter().filter_map(|spot| refiner.refine(spot, pair[0].part, pair[1])).collect();
        found.sort_by(by_score);
        // One size alone takes little.
        let pixels = if super::is_own(scale) { ALONE * PIXELS } else { PIXELS };
        found.truncate(((pixels / pair[1].pixels(scale)) as usize).clamp(1, MOST));
    }
    match template.piece.is_whole() {
        true => found.into_iter().filter_map(|spot| refiner.descend(spot)).collect(),
        false => found,
    }
}

fn by_score(one: &Spot, other: &Spot) -> Ordering {
    other.score.total_cmp(&one.score)
}

/// Follows the likeliest places of a large part, of all sizes, down to nearly full size.
fn descend(template: &Template, levels: &Levels<'_>, mut found: Vec<Spot>) -> Vec<Spot> {
    found.sort_by(by_score);
    let mut kept: Vec<Spot> = Vec::new();
    let is_own = found.iter().all(|spot| super::is_own(spot.scale));
    let most = if is_own { MOST } else { (FOLLOWED / template.plane.data.len()).clamp(2, MOST) };
    for spot in found {
        let is_known = |other: &Spot| {
            (spot.x - other.x).abs() < NEAR
                && (spot.y - other.y).abs() < NEAR
                && (spot.scale / other.scale - 1.0).abs() < SLACK
        };
        if kept.len() < most && !kept.iter().any(is_known) {
            kept.push(spot);
        }
    }
    let mut refiner = Refiner { template, levels, patterns: HashMap::new() };
    kept.into_iter().filter_map(|spot| refiner.descend(spot)).collect()
}

/// What is compared next: more of the part, or the same on a larger screen.
#[derive(Clone, Copy)]
struct Stage {
    part: Place,
    level: usize,
    /// Which larger and smaller size is tried too, as a share of the present one; 0 for none.
    slack: f32,
    /// What correlates less is left out.
    least: f32,
}

impl Stage {
    /// Returns a stage on which sizes are tried that differ by a pixel, where sizes are to be tried.
    fn of(part: Place, level: usize, scale: f32, is_sized: bool, least: f32) -> Self {
        let side = part.width().max(part.height()) as f32 * scale / (1 << level) as f32;
        Self { part, level, slack: if is_sized { (APART / side).min(SLACK) } else { 0.0 }, least }
    }

    /// Returns how many pixels are compared.
    fn pixels(&self, scale: f32) -> f32 {
        (self.part.width() * self.part.height()) as f32 * scale * scale / (1 << (2 * self.level)) as f32
    }
}

/// Returns what is compared one after the other, from the piece that is easily found to all of the part.
///
/// Sizes that are tried lie so far apart that only a piece correlates. The more of the part is compared, the nearer its size has to be.
fn stages_of(template: &Template, scale: f32) -> Vec<Stage> {
    let (level, whole) = (level(template, scale), template.picture.whole());
    let is_sized = !super::is_own(scale);
    let mut part = template.piece.place;
    let mut stages = vec![Stage::of(part, level, scale, false, FAINT)];
    while part != whole {
        part = if is_sized { super::piece::grown(part, whole) } else { whole };
        stages.push(Stage::of(part, level, scale, is_sized, FAINT));
    }
    stages
}

/// Follows places from one stage to the next.
struct Refiner<'a> {
    template: &'a Template,
    levels: &'a Levels<'a>,
    /// Parts in sizes that were made, by their place, level and size.
    patterns: HashMap<[u32; 6], Option<Pattern>>,
}

impl Refiner<'_> {
    /// Returns the places that correlate on the first stage.
    fn start(&mut self, stage: Stage, scale: f32) -> Vec<Spot> {
        let Some(plane) = self.levels.at(stage.level, !self.template.piece.is_whole()) else { return Vec::new() };
        let most = if self.template.piece.is_whole() || !super::is_own(scale) { MOST } else { MOST_PIECES };
        let Some(pattern) = self.pattern(stage, scale) else { return Vec::new() };
        let found = peaks(pattern, plane, most);
        found.into_iter().map(|peak| spot(peak, pattern, stage.level, scale)).collect()
    }

    /// Returns the best place of a stage around one of the stage before, where another part was compared; none where nothing correlates
    /// any more.
    fn refine(&mut self, from: Spot, before: Place, stage: Stage) -> Option<Spot> {
        let mut best = self.nearest(from, before, stage, from.scale)?;
        if stage.slack > 0.0 {
            let start = best.scale;
            // Uphill: where larger is better, smaller is not.
            for direction in [1, -1] {
                for _ in 0..STEPS {
                    let scale = from_grid(best.scale, stage.slack, direction);
                    let found = self.nearest(best, stage.part, stage, scale);
                    let Some(better) = found.filter(|found| found.score > best.score) else { break };
                    best = better;
                }
                if best.scale > start {
                    break;
                }
            }
        }
        (best.score >= stage.least).then_some(best)
    }

    /// Follows a place of the whole part down to nearly full size; what is left to do there is another's work.
    fn descend(&mut self, spot: Spot) -> Option<Spot> {
        let whole = self.template.picture.whole();
        let is_sized = !super::is_own(spot.scale) && !self.template.piece.is_whole();
        let deepest = level(self.template, spot.scale).min(self.levels.halves.len());
        (1..deepest).rev().try_fold(spot, |spot, level| {
            self.refine(spot, whole, Stage::of(whole, level, spot.scale, is_sized, PLAIN))
        })
    }

    fn nearest(&mut self, from: Spot, before: Place, stage: Stage, scale: f32) -> Option<Spot> {
        let plane = self.levels.at(stage.level, !self.template.piece.is_whole())?;
        let factor = (1 << stage.level) as f32;
        let pattern = self.pattern(stage, scale)?;
        let middle = |one: u32, other: u32| (one + other) as f32 / 2.0;
        let across = middle(stage.part.left, stage.part.right) - middle(before.left, before.right);
        let down = middle(stage.part.top, stage.part.bottom) - middle(before.top, before.bottom);
        let at = |middle: f32, side: usize| (middle / factor - side as f32 / 2.0).round().max(0.0) as usize;
        let (left, top) = (at(from.x + across * scale, pattern.width), at(from.y + down * scale, pattern.height));
        follow(pattern, plane, left, top).map(|peak| spot(peak, pattern, stage.level, scale))
    }

    /// Returns a part of the part in a size, or none where the screen is smaller.
    fn pattern(&mut self, stage: Stage, scale: f32) -> Option<&Pattern> {
        let (template, levels) = (self.template, self.levels);
        let Place { left, top, right, bottom } = stage.part;
        let key = [left, top, right, bottom, stage.level as u32, scale.to_bits()];
        let made = || {
            let plane = levels.at(stage.level, !template.piece.is_whole())?;
            let side = |side: u32, most: usize| {
                let side = (side as f32 * scale / (1 << stage.level) as f32).round().max(1.0) as usize;
                // A last row of the screen without a neighbour was left out.
                if side == most + 1 { most } else { side }
            };
            let (width, height) = (side(stage.part.width(), plane.width), side(stage.part.height(), plane.height));
            let fits = width <= plane.width && height <= plane.height;
            fits.then(|| template.piece.pattern(template, stage.part, (width, height), stage.level > 0))
        };
        self.patterns.entry(key).or_insert_with(made).as_ref()
    }
}

/// Returns a size that is larger or smaller by a share, on a grid, so that patterns in it are made once.
fn from_grid(scale: f32, share: f32, direction: i32) -> f32 {
    let unit = (1.0 + share).ln();
    (((scale.ln() / unit).round() as i32 + direction) as f32 * unit).exp()
}

fn spot((score, left, top): Peak, pattern: &Pattern, level: usize, scale: f32) -> Spot {
    let middle = |from: usize, side: usize| (from as f32 + side as f32 / 2.0) * (1 << level) as f32;
    Spot { x: middle(left, pattern.width), y: middle(top, pattern.height), scale, score }
}

/// Returns the windows that correlate better than those around them.
fn peaks(pattern: &Pattern, plane: &Plane, most: usize) -> Vec<Peak> {
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
    highest(found, pattern.width / 3, pattern.height / 3, most)
}

/// Keeps the highest of those that are near to each other.
fn highest(mut found: Vec<Peak>, across: usize, down: usize, most: usize) -> Vec<Peak> {
    found.sort_by(|(one, ..), (other, ..)| other.total_cmp(one));
    let mut kept: Vec<Peak> = Vec::new();
    for (score, left, top) in found {
        let is_near = |(_, x, y): &Peak| x.abs_diff(left) <= across && y.abs_diff(top) <= down;
        if !kept.iter().any(is_near) {
            kept.push((score, left, top));
        }
        if kept.len() == most {
            break;
        }
    }
    kept
}

/// Returns the best window around a place; none where the screen is smaller.
fn follow(pattern: &Pattern, plane: &Plane, left: usize, top: usize) -> Option<Peak> {
    let (right, bottom) = (plane.width.checked_sub(pattern.width)?, plane.height.checked_sub(pattern.height)?);
    let (mut x, mut y) = (left.min(right), top.min(bottom));
    let mut score = pattern.at(plane, x, y);
    // Uphill, as far as rounding may have led astray.
    for _ in 0..3 {
        let near = [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, 1), (-1, 1), (1, -1)];
        let near = near.into_iter().filter_map(|(across, down)| {
            let (x, y) = (x.checked_add_signed(across)?, y.checked_add_signed(down)?);
            (x <= right && y <= bottom).then(|| (pattern.at(plane, x, y), x, y))
        });
        let best = near.max_by(|(one, ..), (other, ..)| one.total_cmp(other));
        let Some((best, to_x, to_y)) = best.filter(|(best, ..)| *best > score) else { break };
        (score, x, y) = (best, to_x, to_y);
    }
    Some((score, x, y))
}
