//! What was read stays known: a screen that did not change is not looked at again, and of one that did, only what changed.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::Error;
use super::changes::{add, between};
use super::engine::Engine;
use super::lines::sort;
use super::recognition::Read;
use uixt_pictures::{Line, Picture, Place};

/// How far around what changed a line may reach, in pixels.
const MARGIN: u32 = 64;
/// From which share of a picture on all of it is looked at.
const MOST: f64 = 0.5;
/// The most lines that are remembered by their pixels.
const REMEMBERED: usize = 4_000;

/// Reads pictures of one screen, one after the other.
#[derive(Default)]
pub struct Reader {
    last: Option<(Picture, Vec<Line>)>,
    /// By their pixels.
    known: HashMap<u64, Read>,
}

impl Reader {
    /// Returns the lines of text on a picture, in the order in which they are read. Lines of which the model could read nothing are left
    /// out. Takes up to seconds, on all cores; far less where the last picture showed the same.
    pub fn read(&mut self, engine: &Engine, picture: Picture) -> Result<Vec<Line>, Error> {
        let (parts, mut lines) = match &self.last {
            Some((before, lines)) if before.whole() == picture.whole() => {
                let parts = grown(between(before, &picture), lines, &picture);
                let keeps = |line: &&Line| !parts.iter().any(|part| part.meets(&line.place));
                let kept = lines.iter().filter(keeps).cloned().collect();
                (parts, kept)
            }
            _ => (vec![picture.whole()], Vec::new()),
        };
        if !parts.is_empty() {
            for part in parts {
                let places = engine.places(&picture, part)?;
                lines.extend(self.texts(engine, &picture, &places)?);
            }
            sort(&mut lines);
        }
        self.last = Some((picture, lines.clone()));
        Ok(lines)
    }

    /// Reads the lines at places, as far as their pixels are not known.
    fn texts(&mut self, engine: &Engine, picture: &Picture, places: &[Place]) -> Result<Vec<Line>, Error> {
        let keys: Vec<u64> = places.iter().map(|place| key(picture, *place)).collect();
        let unknown: Vec<(u64, Place)> =
            keys.iter().copied().zip(places.iter().copied()).filter(|(key, _)| !self.known.contains_key(key)).collect();
        if self.known.len() + unknown.len() > REMEMBERED {
            self.known.retain(|key, _| keys.contains(key));
        }
        let places_of_unknown: Vec<Place> = unknown.iter().map(|(_, place)| *place).collect();
        for ((key, _), read) in unknown.iter().zip(engine.read(picture, &places_of_unknown)?) {
            self.known.insert(*key, read);
        }
        let line = |(key, place): (&u64, &Place)| {
            let Read { text, confidence, from, to } = self.known.get(key)?;
            let along = |share: f32| place.left + (place.width() as f32 * share) as u32;
            let place = Place { left: along(*from), right: along(*to), ..*place };
            Some(Line { text: text.clone(), place, confidence: *confidence })
        };
        Ok(keys.iter().zip(places).filter_map(line).filter(|line| !line.text.is_empty()).collect())
    }
}

/// Returns the parts in which lines are to be found anew: what changed, as far as lines may reach that stood or stand there.
fn grown(changed: Vec<Place>, lines: &[Line], picture: &Picture) -> Vec<Place> {
    let whole = picture.whole();
    let mut parts = Vec::new();
    for part in changed {
        let around = Place {
            left: part.left.saturating_sub(MARGIN),
            top: part.top.saturating_sub(MARGIN),
            right: (part.right + MARGIN).min(whole.right),
            bottom: (part.bottom + MARGIN).min(whole.bottom),
        };
        add(&mut parts, around);
    }
    // A line that stands in two parts makes them one, which may meet others then.
    let is_inside = |part: &Place, place: &Place| part.with(place) == *part;
    while let Some((at, line)) = parts.iter().enumerate().find_map(|(at, part)| {
        let cut = |line: &&Line| part.meets(&line.place) && !is_inside(part, &roomy(&line.place, &whole));
        lines.iter().find(cut).map(|line| (at, roomy(&line.place, &whole)))
    }) {
        let part = parts.swap_remove(at).with(&line);
        add(&mut parts, part);
    }
    let area = |place: &Place| f64::from(place.width()) * f64::from(place.height());
    match parts.iter().map(area).sum::<f64>() > area(&whole) * MOST {
        true => vec![whole],
        false => parts,
    }
}

/// Returns a line's place with what is needed around it to find it again: at an edge, signs would be lost.
fn roomy(line: &Place, whole: &Place) -> Place {
    let (beside, above) = (line.height(), line.height() / 4);
    Place {
        left: line.left.saturating_sub(beside),
        top: line.top.saturating_sub(above),
        right: (line.right + beside).min(whole.right),
        bottom: (line.bottom + above).min(whole.bottom),
    }
}

/// Returns a number that other pixels hardly have.
fn key(picture: &Picture, place: Place) -> u64 {
    let mut hasher = DefaultHasher::new();
    (place.width(), place.height()).hash(&mut hasher);
    (place.top..place.bottom).for_each(|y| hasher.write(picture.row(y, place.left, place.right)));
    hasher.finish()
}
