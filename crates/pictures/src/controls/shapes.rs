//! How much a shape looks like a cross, an arrow to the left or a magnifier, whatever stands around it.

use std::f32::consts::FRAC_1_SQRT_2;

use super::ControlKind;
use super::strokes::{Mask, nearest};

/// Returns the kind of icon that a shape looks like, and how much, from 0 to 1.
pub(super) fn shape(mask: &Mask) -> Option<(ControlKind, f32)> {
    if !(0.08..0.6).contains(&mask.density()) {
        return None;
    }
    let (width, height) = mask.size();
    match width / height {
        ratio if (0.92..1.087).contains(&ratio) && is_crossing(mask) => Some((ControlKind::Close, cross(mask))),
        ratio if (0.9..1.11).contains(&ratio) && is_round(mask) => Some((ControlKind::Search, magnifier(mask))),
        ratio if (0.4..0.75).contains(&ratio) && is_pointed(mask) => Some((ControlKind::Back, chevron(mask))),
        ratio if (0.8..1.75).contains(&ratio) && is_pointed(mask) => Some((ControlKind::Back, arrow(mask))),
        _ => None,
    }
    .filter(|(kind, likeness)| *likeness > if *kind == ControlKind::Close { 0.8 } else { 0.75 })
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
