//! How much a shape looks like a cross, an arrow to the left or a magnifier, whatever stands around it.

use std::f32::consts::FRAC_1_SQRT_2;

use super::ControlKind;
use super::strokes::{Mask, nearest};

/// The ratio of width and height that chevrons stay below, and arrows do not.
const CHEVRON: f32 = 0.75;

/// Returns the kind of icon that a shape may be, by a few points of it.
pub(super) fn guess(mask: &Mask) -> Option<ControlKind> {
    let (width, height) = mask.size();
    if !(0.08..0.6).contains(&mask.density()) {
        return None;
    }
    match width / height {
        ratio if (0.92..1.087).contains(&ratio) && is_crossing(mask) => Some(ControlKind::Close),
        ratio if (0.9..1.11).contains(&ratio) && is_round(mask) => Some(ControlKind::Search),
        ratio if (0.4..1.75).contains(&ratio) && is_pointed(mask) => Some(ControlKind::Back),
        _ => None,
    }
}

/// Returns how much a shape looks like a kind of icon, from 0 to 1; none where that is too little.
pub(super) fn likeness(kind: ControlKind, mask: &Mask) -> Option<f32> {
    let (width, height) = mask.size();
    let (likeness, least) = match kind {
        ControlKind::Close => (cross(mask), 0.82),
        ControlKind::Search => (magnifier(mask), 0.75),
        ControlKind::Back if width < CHEVRON * height => (chevron(mask), 0.75),
        ControlKind::Back => (arrow(mask), 0.75),
        _ => return None,
    };
    (likeness > least).then_some(likeness)
}

fn fits(mask: &Mask, covered: &[(f32, f32)], bare: &[(f32, f32)]) -> bool {
    covered.iter().all(|(x, y)| mask.at(*x, *y) > 0.3) && bare.iter().all(|(x, y)| mask.at(*x, *y) < 0.6)
}

fn is_crossing(mask: &Mask) -> bool {
    let covered = [(0.5, 0.5), (0.28, 0.28), (0.72, 0.28), (0.28, 0.72), (0.72, 0.72)];
    fits(mask, &covered, &[(0.5, 0.04), (0.5, 0.96), (0.04, 0.5), (0.96, 0.5)])
}

fn is_pointed(mask: &Mask) -> bool {
    fits(mask, &[(0.08, 0.5)], &[(0.04, 0.1), (0.04, 0.9)])
}

fn is_round(mask: &Mask) -> bool {
    let within = [(0.4, 0.4), (0.28, 0.28), (0.5, 0.3), (0.3, 0.5)];
    fits(mask, &[(0.85, 0.85)], &within) && fits(mask, &[], &[(0.95, 0.05), (0.05, 0.95), (0.95, 0.6), (0.6, 0.95)])
}

fn cross(mask: &Mask) -> f32 {
    mask.best(|inset| {
        let [left, top, right, bottom] = inner(mask, inset);
        vec![[left, top, right, bottom], [right, top, left, bottom]]
    })
}

fn chevron(mask: &Mask) -> f32 {
    mask.best(|inset| {
        let [left, top, right, bottom] = inner(mask, inset);
        let middle = f32::midpoint(top, bottom);
        vec![[right, top, left, middle], [left, middle, right, bottom]]
    })
}

fn arrow(mask: &Mask) -> f32 {
    let headed = |share: f32| {
        mask.best(|inset| {
            let [left, top, right, bottom] = inner(mask, inset);
            let (middle, head) = (f32::midpoint(top, bottom), left + share * (bottom - top) / 2.0);
            vec![[head, top, left, middle], [left, middle, head, bottom], [left, middle, right, middle]]
        })
    };
    headed(0.8).max(headed(1.0)).max(headed(1.2))
}

/// A ring at the upper left with a handle to the lower right, which may be thicker.
fn magnifier(mask: &Mask) -> f32 {
    let width = mask.size().0;
    let mut best = 0.0_f32;
    for thickness in (2..=9).map(|share| share as f32 * 0.02 * width) {
        for outer in (28..=44).step_by(2).map(|share| share as f32 * 0.01 * width) {
            let (x, y, radius) = (mask.ends[0] + outer, mask.ends[1] + outer, outer - thickness / 2.0);
            for handle in [thickness, 1.5 * thickness] {
                let [_, _, right, bottom] = inner(mask, 0.42 * handle);
                let line = [x + radius * FRAC_1_SQRT_2, y + radius * FRAC_1_SQRT_2, right, bottom];
                best = best.max(mask.likeness(|px, py| {
                    let off = ((px - x).hypot(py - y) - radius).abs();
                    (thickness / 2.0 - off).max(handle / 2.0 - nearest(&[line], px, py))
                }));
            }
        }
    }
    best
}

/// Returns the ends of a shape, moved in.
pub(super) fn inner(mask: &Mask, inset: f32) -> [f32; 4] {
    let [left, top, right, bottom] = mask.ends;
    [left + inset, top + inset, right - inset, bottom - inset]
}
