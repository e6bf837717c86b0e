//! Buttons, text fields, checkboxes and switches: rounded rectangles, told apart by what is in them.

use std::f32::consts::FRAC_PI_4;

use super::regions::{Object, Region};
use super::scene::{Scene, gaps, middle};
use super::shapes::inner;
use super::strokes::Mask;
use super::{Control, ControlKind};
use crate::Place;

/// A rounded rectangle of one colour, perhaps with a border.
struct Sheet<'a> {
    number: u32,
    fill: &'a Region,
    is_outlined: bool,
}

/// Returns the fill of an object that is a rounded rectangle, with sides as straight as its corners are alike; a shadow may be below.
fn sheet<'a>(scene: &'a Scene, object: &Object) -> Option<Sheet<'a>> {
    let place = object.place;
    let (width, height) = (place.width(), place.height());
    if is_framed(scene, object) || width.min(height) < 8 {
        return None;
    }
    let spots = [(1, 1), (1, 4), (1, 7), (4, 1), (4, 4), (4, 7), (7, 1), (7, 4), (7, 7)];
    let number = spots
        .iter()
        .map(|(x, y)| scene.regions.at(place.left + width * x / 8, place.top + height * y / 8))
        .max_by_key(|number| scene.regions.all[*number as usize].area)?;
    // The middles of all four sides are part of the outline, or else it is a figure with a rectangle in it.
    let (column, row) = (place.left + width / 2, place.top + height / 2);
    let inset = 1 + height / 40;
    let sides = [
        (place.left + inset, row),
        (place.right - 1 - inset, row),
        (column, place.top + inset),
        (column, place.bottom - 1 - inset),
    ];
    if sides.iter().any(|(x, y)| scene.regions.at(*x, *y) == object.ground) {
        return None;
    }
    let fill = &scene.regions.all[number as usize];
    let inset = fill.place;
    if number == object.ground || place.with(&inset) != place {
        return None;
    }
    let most = (height / 6).max(2);
    let [left, right] = [inset.left - place.left, place.right - inset.right];
    let is_inside =
        left.max(right).max(inset.top - place.top) <= most && place.bottom - inset.bottom <= most + height / 12;
    if !is_inside || left.abs_diff(right) > 2 + height / 40 || !is_even(scene, number) {
        return None;
    }
    let ground = scene.regions.all[object.ground as usize].color;
    // The border's colour is where it differs most from what would be smoothed between ground and fill.
    let beyond = (place.left..inset.left)
        .map(|x| {
            let [red, green, blue, _] = scene.picture.pixel(x, row);
            let color = [red, green, blue];
            let detour = Scene::contrast(color, ground) + Scene::contrast(color, fill.color);
            detour.saturating_sub(Scene::contrast(ground, fill.color))
        })
        .max();
    Some(Sheet { number, fill, is_outlined: beyond.unwrap_or(0) >= 20 })
}

/// Tells whether the ground is no more than a border: then what is outside of it is the whole.
fn is_framed(scene: &Scene, object: &Object) -> bool {
    scene.regions.all[object.ground as usize].place.width() <= object.place.width() + object.place.height() / 4
}

/// Tells whether the left and the right edge of a region mirror each other, and its upper and its lower half, and the middle is straight.
fn is_even(scene: &Scene, number: u32) -> bool {
    let place = scene.regions.all[number as usize].place;
    let slack = 2 + place.height() / 20;
    let reach = |y: u32| {
        let is_in = |x: &u32| scene.regions.at(*x, y) == number;
        let left = (place.left..place.right).find(is_in).unwrap_or(place.right);
        let right = (place.left..place.right).rev().find(is_in).unwrap_or(place.left);
        [left - place.left, place.right - 1 - right]
    };
    (0..4).all(|at| {
        let down = place.height() * at / 8;
        let ([a, b], [c, d]) = (reach(place.top + down), reach(place.bottom - 1 - down));
        let most = a.max(b).max(c).max(d);
        let is_mirrored = a.abs_diff(b).max(c.abs_diff(d)) <= slack && a.abs_diff(c).max(b.abs_diff(d)) <= 2 * slack;
        // A pill is as round as a rectangle gets.
        is_mirrored
            && most
                <= [place.height() / 2 + 2, place.height() / 4, place.height() / 6, place.height() / 12][at as usize]
                    + 2
    })
}

/// Tells buttons and text fields.
pub(super) fn wide(scene: &Scene, object: &Object) -> Option<Control> {
    let (width, height) = (object.place.width() as f32, object.place.height() as f32);
    let unit = scene.unit;
    if !(28.2 * unit..66.0 * unit).contains(&height)
        || width < 1.6 * height
        || width > 0.98 * scene.picture.width() as f32
    {
        return None;
    }
    let sheet = sheet(scene, object)?;
    let mut contents = scene.on(sheet.number);
    contents.retain(|content| content.place.width().max(content.place.height()) > 2);
    let kind = match contents.split_first() {
        None if is_blank_field(scene, object, &sheet) => ControlKind::TextField,
        None => return None,
        Some((first, rest)) => {
            let mut line = first.place;
            for content in rest {
                if content.place.left > line.right + height as u32 / 2 {
                    return None;
                }
                line = line.with(&content.place);
            }
            written(scene, object, &sheet, line, contents.len())?
        }
    };
    Some(Control { kind, place: object.place, confidence: 0.9 })
}

/// Tells an empty text field: outlined, or else wide and a little darker than a light ground, as no card is.
fn is_blank_field(scene: &Scene, object: &Object, sheet: &Sheet) -> bool {
    let (width, height) = (object.place.width() as f32, object.place.height() as f32);
    let ground = scene.regions.all[object.ground as usize].color;
    let is_wide = width > 4.0 * height && width > 0.45 * scene.picture.width() as f32;
    let is_card = luminance(ground) > 0.4 && luminance(sheet.fill.color) > luminance(ground);
    let is_filled = is_wide && !is_card && (8..180).contains(&Scene::contrast(ground, sheet.fill.color));
    is_neutral(sheet.fill.color) && width > 3.2 * height && (sheet.is_outlined || is_filled)
}

/// Tells what a rectangle with one line of text is.
fn written(scene: &Scene, object: &Object, sheet: &Sheet, line: Place, count: usize) -> Option<ControlKind> {
    let place = object.place;
    let (width, height) = (place.width() as f32, place.height() as f32);
    let (before, after) = ((line.left - place.left) as f32, (place.right - line.right) as f32);
    let off = (middle(line).1 - middle(place).1).abs();
    if line.height() as f32 > 0.5 * height || off > 0.1 * height || (line.height() as f32) < 0.14 * height {
        return None;
    }
    let ground = scene.regions.all[object.ground as usize].color;
    if (before - after).abs() <= 0.05 * width + 2.0 {
        let is_dark = luminance(sheet.fill.color) < 0.1 && is_neutral(sheet.fill.color) && !sheet.is_outlined;
        let is_toast = is_dark && is_neutral(ink(scene, sheet, line)) && width < 0.6 * scene.picture.width() as f32;
        let is_seen = sheet.is_outlined || Scene::contrast(ground, sheet.fill.color) >= 30;
        let is_button = (count > 1 || line.width() > 3 * line.height() / 2)
            && before > 0.1 * height
            && is_seen
            && !is_toast
            && 5 * line.width() > 7 * line.height();
        return is_button.then_some(ControlKind::Button);
    }
    let is_left =
        before >= 3.0 * scene.unit && before <= 28.0 * scene.unit && after >= (0.25 * width).max(2.0 * before);
    let is_field = is_left && width > 3.2 * height && is_neutral(sheet.fill.color) && is_pale(scene, sheet, line);
    let is_light = sheet.is_outlined || (6..180).contains(&Scene::contrast(ground, sheet.fill.color));
    (is_field && is_light).then_some(ControlKind::TextField)
}

fn is_neutral(color: [u8; 3]) -> bool {
    let (least, most) = (color.iter().min(), color.iter().max());
    least.zip(most).is_some_and(|(least, most)| most - least <= 24)
}

/// Returns the colour of a text: the one that is furthest from the fill.
fn ink(scene: &Scene, sheet: &Sheet, line: Place) -> [u8; 3] {
    (line.top..line.bottom)
        .flat_map(|y| scene.picture.row(y, line.left, line.right).chunks_exact(4))
        .map(|pixel| [pixel[0], pixel[1], pixel[2]])
        .max_by_key(|color| Scene::contrast(*color, sheet.fill.color))
        .unwrap_or(sheet.fill.color)
}

/// Tells whether a text has little contrast, as what is to be replaced by what is typed.
fn is_pale(scene: &Scene, sheet: &Sheet, line: Place) -> bool {
    let (ground, text) = (luminance(sheet.fill.color), luminance(ink(scene, sheet, line)));
    (1.25..8.5).contains(&((text.max(ground) + 0.05) / (text.min(ground) + 0.05)))
}

/// Returns the relative luminance of a colour, from 0 to 1.
fn luminance(color: [u8; 3]) -> f32 {
    let [red, green, blue] = color.map(|value| (f32::from(value) / 255.0).powf(2.2));
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// Tells small squares: with a check mark in them, or with nothing and a text to the right.
pub(super) fn checkbox(scene: &Scene, object: &Object) -> Option<Control> {
    let place = object.place;
    let (width, height) = (place.width() as f32, place.height() as f32);
    let is_small = height >= (11.0 * scene.unit).max(11.0) && height <= 30.0 * scene.unit;
    if !is_small || (width - height).abs() > 1.0 + 0.04 * height || (object.area as f32) < 0.9 * width * height {
        return None;
    }
    let sheet = sheet(scene, object)?;
    let ground = scene.regions.all[object.ground as usize].color;
    let is_filled = Scene::contrast(ground, sheet.fill.color) >= 60;
    let is_told = match scene.on(sheet.number)[..] {
        [] => sheet.is_outlined && sheet.fill.area as f32 > 0.55 * width * height && has_label(scene, object),
        [content] => (is_filled || sheet.is_outlined) && is_check(scene, content, place),
        _ => false,
    };
    is_told.then_some(Control { kind: ControlKind::Checkbox, place, confidence: 0.9 })
}

/// Tells whether a text follows to the right.
fn has_label(scene: &Scene, object: &Object) -> bool {
    let size = object.place.height() as f32;
    let beside: Vec<&Object> = scene
        .around(object.place, 0.0)
        .filter(|other| other.ground == object.ground && other.place != object.place)
        .filter(|other| gaps(object.place, other.place).0 < 2.5 * size)
        .collect();
    let is_near = |other: &&Object| gaps(object.place, other.place).0 < 0.25 * size;
    let is_letter =
        |other: &&&Object| other.place.left > object.place.right && (other.place.height() as f32) < 1.15 * size;
    beside.iter().filter(is_letter).count() > 1 && !beside.iter().any(is_near)
}

/// Tells a check mark in the middle of a place.
fn is_check(scene: &Scene, object: &Object, place: Place) -> bool {
    let (mark, whole) = (middle(object.place), middle(place));
    let share = object.place.width() as f32 / place.width() as f32;
    let off = (mark.0 - whole.0).hypot(mark.1 - whole.1);
    if !(0.35..0.9).contains(&share) || off > 0.15 * place.width() as f32 {
        return false;
    }
    let is_ground = |x, y| scene.regions.at(x, y) == object.ground;
    let Some(mask) = Mask::new(scene.picture, object.place, is_ground) else { return false };
    let (width, height) = mask.size();
    if !(1.05..1.8).contains(&(width / height)) {
        return false;
    }
    let likeness = [0.3, 0.36, 0.42].iter().fold(0.0_f32, |best, knee| {
        best.max(mask.best(|inset| {
            let [left, top, right, bottom] = inner(&mask, inset);
            let knee = left + knee * (right - left);
            vec![[left, bottom - (knee - left), knee, bottom], [knee, bottom, right, top]]
        }))
    });
    likeness > 0.68
}

/// Tells pills with a disc at one end.
pub(super) fn switch(scene: &Scene, object: &Object) -> Option<Control> {
    let place = object.place;
    let (width, height) = (place.width() as f32, place.height() as f32);
    let is_sized = height >= (13.0 * scene.unit).max(13.0) && height <= 42.0 * scene.unit;
    if !is_sized || !(1.35..2.5).contains(&(width / height)) || is_framed(scene, object) {
        return None;
    }
    let is_told = [false, true].iter().any(|is_right| is_knob(scene, object, *is_right));
    is_told.then_some(Control { kind: ControlKind::Switch, place, confidence: 0.9 })
}

/// Tells whether a disc of one colour is at one end of a pill, and the round end of another colour at the other.
fn is_knob(scene: &Scene, object: &Object, is_right: bool) -> bool {
    let place = object.place;
    let width = place.width() as f32;
    let spot = |x: f32, y: f32| {
        let x = if is_right { width - x } else { x } + place.left as f32;
        let (right, bottom) = (scene.picture.width() - 1, scene.picture.height() - 1);
        ((x.max(0.0) as u32).min(right), ((y + place.top as f32).max(0.0) as u32).min(bottom))
    };
    let color = |x: f32, y: f32| {
        let (x, y) = spot(x, y);
        let [red, green, blue, _] = scene.picture.pixel(x, y);
        [red, green, blue]
    };
    // A shadow of the disc makes the object larger at the bottom: the track tells how high the pill is.
    let half = place.height() as f32 / 2.0;
    let (x, y) = spot(width - half, half);
    let track = scene.regions.all[scene.regions.at(x, y) as usize].place;
    let border = track.top.saturating_sub(place.top);
    let height = (track.bottom + border).min(place.bottom).saturating_sub(place.top) as f32;
    if !(1.5..2.4).contains(&(width / height)) {
        return false;
    }
    // The track may be lower than its disc, and have a border.
    let thick = (track.height() as f32).min(height);
    let gap = if is_right { track.left.saturating_sub(place.left) } else { place.right.saturating_sub(track.right) };
    let gap = (gap as f32).min(0.2 * height);
    let (middle, away) = (height / 2.0, width - gap - thick / 2.0);
    let around = |x: f32, radius: f32, angle: f32| (x + radius * angle.cos(), middle + radius * angle.sin());
    let turns = |radius: f32, x: f32| (0..8).map(move |at| around(x, radius, at as f32 * FRAC_PI_4));
    // What is marked in the disc's middle is no disc.
    let numbers = turns(0.2 * height, middle).chain([(middle, middle)]).map(|(x, y)| spot(x, y));
    let numbers = numbers.map(|(x, y)| scene.regions.at(x, y)).filter(|number| *number != object.ground);
    let Some(number) = numbers.max_by_key(|number| scene.regions.all[*number as usize].area) else { return false };
    let (disc, track) = (&scene.regions.all[number as usize], color(away, middle));
    if Scene::contrast(disc.color, track) < 40 {
        return false;
    }
    let is_plain = turns(0.12 * thick, away).all(|(x, y)| Scene::contrast(color(x, y), track) < 24);
    let angles = || (-3..=3).map(|at| at as f32 * 0.36);
    let is_round = angles().all(|angle| {
        let within = around(away, 0.38 * thick, angle);
        let beyond = around(away, 0.5 * thick + gap + 0.12 * height, angle);
        let (x, y) = spot(beyond.0, beyond.1);
        Scene::contrast(color(within.0, within.1), track) < 24 && scene.regions.at(x, y) == object.ground
    });
    is_plain && is_round && is_disc(scene, number) && (0.36..1.02).contains(&(disc.place.height() as f32 / height)) && {
        let (x, y) = (self::middle(disc.place).0 - place.left as f32, self::middle(disc.place).1 - place.top as f32);
        let x = if is_right { width - x } else { x };
        (x - middle).abs() < 0.14 * height && (y - middle).abs() < 0.06 * height
    }
}

/// Tells whether a region is a disc; a check mark may be in it.
fn is_disc(scene: &Scene, number: u32) -> bool {
    let region = &scene.regions.all[number as usize];
    let (width, height) = (region.place.width() as f32, region.place.height() as f32);
    let marks = scene.on(number);
    let is_marked = match marks[..] {
        [] => true,
        [mark] => is_check(scene, mark, region.place),
        _ => false,
    };
    let area = region.area + marks.iter().map(|mark| mark.area).sum::<u32>();
    is_marked
        && (width - height).abs() <= 1.0 + 0.05 * height
        && (area as f32 / (width * height) - FRAC_PI_4).abs() < 0.04 + 1.0 / width
}
