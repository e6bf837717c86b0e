//! Crosses, arrows back, three bars and magnifiers, and what must not stand around them.

use std::f32::consts::FRAC_PI_4;

use super::regions::{DUST, Object, Region};
use super::scene::{Scene, gaps, middle};
use super::shapes::{guess, likeness};
use super::strokes::Mask;
use super::{Control, ControlKind};
use crate::Place;

/// The least and the largest side of an icon's shape, in density-independent pixels.
const SIZES: (f32, f32) = (7.5, 44.0);
/// The least difference between an icon and what is around it where nothing flat is, over all three channels.
const LEAST_CONTRAST: u32 = 110;

/// Tells the icon that an object is.
pub(super) fn icon(scene: &Scene, object: &Object) -> Option<Control> {
    let place = object.place;
    let on_ground =
        || scene.around(place, reach(place)).filter(|other| other.ground == object.ground).map(|other| other.place);
    if !is_sized(scene, place) || !on_ground().all(|other| is_apart(place, other, 0.12, 0.2)) {
        return None;
    }
    let mask = Mask::new(scene.picture, place, |x, y| scene.regions.at(x, y) == object.ground)?;
    let (kind, confidence) = look(scene, &mask)?;
    let others: Vec<Place> = on_ground().collect();
    let is_told = is_alone(scene, kind, place, &others)
        && is_free(scene, object)
        && match kind {
            ControlKind::Close => !is_on_key(scene, object),
            ControlKind::Search => !scene.around(place, 0.0).any(|other| is_within(scene, other, object)),
            _ => true,
        };
    is_told.then_some(Control { kind, place, confidence })
}

/// Tells the icon that a region of one colour is, where nothing flat surrounds it: on photos, and where grounds meet.
pub(super) fn floating(scene: &Scene, region: &Region) -> Option<Control> {
    let Place { left, top, right, bottom } = region.place;
    let share = region.area as f32 / (region.place.width() * region.place.height()) as f32;
    let (width, height) = (scene.picture.width(), scene.picture.height());
    if !(0.06..0.6).contains(&share)
        || !is_sized(scene, region.place)
        || left < 3
        || top < 3
        || right + 3 > width
        || bottom + 3 > height
    {
        return None;
    }
    let place = Place { left: left - 1, top: top - 1, right: right + 1, bottom: bottom + 1 };
    let across = (left - 3..right + 3).flat_map(|x| [(x, top - 3), (x, bottom + 2)]);
    let rim: Vec<(u32, u32)> =
        across.chain((top - 3..bottom + 3).flat_map(|y| [(left - 3, y), (right + 2, y)])).collect();
    let contrast = |(x, y): (u32, u32)| {
        let [red, green, blue, _] = scene.picture.pixel(x, y);
        Scene::contrast([red, green, blue], region.color)
    };
    let ground = scene.regions.at(left - 3, top - 3);
    let is_flat = ground != DUST && rim.iter().all(|(x, y)| scene.regions.at(*x, *y) == ground);
    if is_flat || rim.iter().any(|spot| contrast(*spot) < LEAST_CONTRAST) {
        return None;
    }
    let mask = Mask::of_color(place, |x, y| 1.0 - contrast((x, y)) as f32 / LEAST_CONTRAST as f32);
    let (kind, confidence) = look(scene, &mask)?;
    let reach = reach(place) as u32;
    let near = Place {
        left: left.saturating_sub(reach),
        top: top.saturating_sub(reach),
        right: right + reach,
        bottom: bottom + reach,
    };
    let is_like = |other: &&Region| {
        other.area > 8
            && other.place != region.place
            && near.meets(&other.place)
            && Scene::contrast(other.color, region.color) < LEAST_CONTRAST / 2
    };
    let others: Vec<Place> = scene.regions.all.iter().filter(is_like).map(|other| other.place).collect();
    is_alone(scene, kind, place, &others).then_some(Control { kind, place: region.place, confidence })
}

/// Returns what a shape looks like, and how much.
fn look(scene: &Scene, mask: &Mask) -> Option<(ControlKind, f32)> {
    let kind = guess(mask).filter(|_| scene.may_look())?;
    likeness(kind, mask).map(|likeness| (kind, likeness))
}

fn is_sized(scene: &Scene, place: Place) -> bool {
    let (width, height) = (place.width() as f32, place.height() as f32);
    let side = width.max(height);
    side >= (SIZES.0 * scene.unit).max(8.0) && side <= SIZES.1 * scene.unit && (0.4..1.75).contains(&(width / height))
}

/// Returns how far others matter, in pixels.
fn reach(place: Place) -> f32 {
    6.5 * place.width().max(place.height()) as f32
}

/// Tells whether another is as far away as shares of the size: if it is beside, or if it is above or below.
fn is_apart(place: Place, other: Place, beside: f32, below: f32) -> bool {
    let size = place.width().max(place.height()) as f32;
    let (across, down) = gaps(place, other);
    other == place || across >= beside * size || down >= below * size
}

/// Tells whether others are so far away that a shape is no part of a text or of a larger figure, and at its kind's usual place.
fn is_alone(scene: &Scene, kind: ControlKind, place: Place, others: &[Place]) -> bool {
    let all_apart = |beside, below| others.iter().all(|other| is_apart(place, *other, beside, below));
    match kind {
        ControlKind::Back => {
            let top = (0.16 * scene.picture.height() as f32).max(120.0 * scene.unit);
            place.left as f32 <= 40.0 * scene.unit && (place.top as f32) < top && all_apart(0.3, 0.3)
        }
        ControlKind::Search => all_apart(0.25, 0.2),
        _ => {
            // Signs are lower than the digits around them, and icons of a bar are alike.
            let is_like = |other: Place| (0.74..1.25).contains(&(other.height() as f32 / place.height() as f32));
            let beside = |other: Place| if is_like(other) { 0.95 } else { 1.25 };
            others.iter().all(|other| is_apart(place, *other, beside(*other), 0.2)) && !is_letter(scene, place, others)
        }
    }
}

/// Tells a letter or a sign: it has others of its height on both sides, on one line or near by, or a minus above or below.
fn is_letter(scene: &Scene, place: Place, others: &[Place]) -> bool {
    let height = place.height() as f32;
    let (center, is_small) = (middle(place).0, height < 13.5 * scene.unit);
    let mut sides = [false; 2];
    for other in others {
        let ((across, down), x) = (gaps(place, *other), middle(*other).0);
        let is_like = (0.5..2.0).contains(&(other.width().max(other.height()) as f32 / height));
        let is_on_line = other.bottom.abs_diff(place.bottom) as f32 <= 0.1 * height && is_small;
        if is_like && across >= 0.0 && down < 0.0 && across < if is_on_line { 3.2 * height } else { 1.6 * height } {
            sides[usize::from(x > center)] = true;
        }
        if is_like
            && is_small
            && down >= 0.0
            && (x - center).abs() < 0.15 * height
            && other.width() > 3 * other.height()
        {
            return true;
        }
    }
    sides == [true; 2]
}

/// Tells what is on one of several keys in a row.
fn is_on_key(scene: &Scene, object: &Object) -> bool {
    let key = scene.regions.all[object.ground as usize].place;
    let is_key = |other: &&Object| {
        other.place.top.abs_diff(key.top) < 4
            && other.place.bottom.abs_diff(key.bottom) < 4
            && other.place.width().abs_diff(key.width()) < 8
            && gaps(other.place, key).0 >= 0.0
    };
    key.width() < scene.picture.width() / 3 && scene.around(object.place, 0.0).filter(is_key).count() > 1
}

/// Tells whether an object stands in another, on a ground that is not the other's own strokes.
fn is_within(scene: &Scene, inner: &Object, outer: &Object) -> bool {
    let ground = scene.regions.all[inner.ground as usize].place;
    outer.place.with(&ground) == outer.place && (ground.width() as f32) < 0.8 * outer.place.width() as f32
}

/// Tells whether the ground is a page, a bar or a card, or else a disc or a square around the middle, as buttons have it.
fn is_free(scene: &Scene, object: &Object) -> bool {
    let ground = &scene.regions.all[object.ground as usize];
    let (width, height) = (ground.place.width() as f32, ground.place.height() as f32);
    let side = object.place.width().max(object.place.height()) as f32;
    if width >= 4.0 * side && height >= 1.5 * side || width.min(height) >= (2.2 * side).max(40.0 * scene.unit) {
        return true;
    }
    // What the ground is the inside of, such as a magnifier with a cross in it.
    let is_lopsided = |other: &Object| {
        let (near, far) = (middle(ground.place), middle(other.place));
        let wider = other.place.width() as f32 / width;
        other.place.with(&ground.place) == other.place
            && (1.0..2.0).contains(&wider)
            && (near.0 - far.0).hypot(near.1 - far.1) > 0.06 * width
    };
    if scene.around(ground.place, 0.0).any(is_lopsided) {
        return false;
    }
    let held: u32 = scene.on(object.ground).iter().map(|object| object.area).sum();
    let filled = (ground.area + held) as f32 / (width * height);
    let (middle, center) = (middle(object.place), middle(ground.place));
    let off = (middle.0 - center.0).hypot(middle.1 - center.1);
    // The upper row of a disc is short; the one of an octagon, as of signs that warn, is not.
    let row =
        (ground.place.left..ground.place.right).filter(|x| scene.regions.at(*x, ground.place.top) == object.ground);
    let is_disc = row.count() as f32 <= 0.36 * width && (filled - FRAC_PI_4).abs() < 0.02 + 1.3 / width;
    let is_square = filled > 0.86 && width >= (1.9 * side).max(26.0 * scene.unit);
    (width / height - 1.0).abs() < 0.08 && off <= 0.12 * side && (is_disc || is_square)
}

/// Tells three bars of one size, evenly spaced, that `top` is the first of.
pub(super) fn menu(scene: &Scene, top: &Object) -> Option<Control> {
    let (width, height) = (top.place.width() as f32, top.place.height() as f32);
    if width < (10.0 * scene.unit).max(9.0)
        || width > 40.0 * scene.unit
        || width < 3.5 * height
        || top.area < (0.75 * width * height) as u32
    {
        return None;
    }
    let slack = (0.02 * width) as u32;
    let is_bar = |other: &&Object| {
        other.ground == top.ground
            && other.place.left.abs_diff(top.place.left) <= slack
            && other.place.right.abs_diff(top.place.right) <= slack
            && other.place.height().abs_diff(top.place.height()) <= 1
    };
    let mut bars: Vec<&Object> = scene.around(top.place, 1.2 * width).filter(is_bar).collect();
    bars.sort_by_key(|bar| bar.place.top);
    bars.dedup_by_key(|bar| bar.place.top);
    let [first, second, third] = bars[..] else { return None };
    let (upper, lower) = (second.place.top - first.place.top, third.place.top - second.place.top);
    let whole = Object { ground: top.ground, place: first.place.with(&third.place), area: 0 };
    let ratio = width / whole.place.height() as f32;
    let is_even = upper.abs_diff(lower) <= 1 && upper as f32 > 1.5 * height;
    if first.place != top.place || !is_even || !(1.05..2.0).contains(&ratio) || !is_free(scene, &whole) {
        return None;
    }
    let is_apart = scene
        .around(whole.place, 0.25 * width)
        .filter(|other| other.ground == top.ground && !bars.iter().any(|bar| bar.place == other.place))
        .all(|other| is_apart(whole.place, other.place, 0.45, 0.2));
    is_apart.then_some(Control { kind: ControlKind::Menu, place: whole.place, confidence: 0.9 })
}
