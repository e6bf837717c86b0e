//! Pictures that targets name, such as icons → elements of a screen, one where each is seen; and what was found on the last picture,
//! controls by their look included.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use parking_lot::Mutex;
use serde_json::json;
use uixt_driver::{Element, Rect, Screen, Size};
use uixt_locate::target::Target;
use uixt_locate::{Error, Kind, pixel_elements};
use uixt_pictures::{Control, Match, Picture, Template};

use super::capture;
use super::drawn_text::{placed, size};
use super::image_query::{CONFIDENCE, ImageQuery};
use crate::{Context, State};

/// Sizes in which a picture is looked for, as multiples of its own: screens of other densities show it smaller or larger.
const SCALES: std::ops::RangeInclusive<f32> = 0.5..=2.0;

/// What a session has looked for on the last picture of a device.
#[derive(Default)]
pub(crate) struct Images(Mutex<Option<(String, Arc<Mutex<Seen>>)>>);

impl State for Images {}

impl Images {
    fn seen(&self, serial: &str) -> Arc<Mutex<Seen>> {
        let mut seen = self.0.lock();
        match &*seen {
            Some((known, seen)) if known == serial => Arc::clone(seen),
            _ => Arc::clone(&seen.insert((serial.to_owned(), Arc::default())).1),
        }
    }
}

#[derive(Default)]
struct Seen {
    picture: Option<Picture>,
    templates: HashMap<PathBuf, (SystemTime, Template)>,
    /// By file and confidence, what was found on the picture, the likest first.
    found: HashMap<(PathBuf, u32), Vec<Match>>,
    controls: Option<Vec<Control>>,
}

impl Seen {
    /// Takes in a picture; what was found on another is forgotten.
    fn look_at(&mut self, picture: &Picture) {
        if self.picture.as_ref() != Some(picture) {
            self.found.clear();
            self.controls = None;
            self.picture = Some(picture.clone());
        }
    }

    fn controls(&mut self, picture: &Picture) -> Vec<Control> {
        self.look_at(picture);
        self.controls.get_or_insert_with(|| uixt_pictures::controls(picture)).clone()
    }

    fn find(&mut self, picture: &Picture, path: &Path, confidence: f32) -> Result<Vec<Match>, String> {
        self.look_at(picture);
        let changed = path.metadata().and_then(|file| file.modified()).map_err(|error| error.to_string())?;
        if self.templates.get(path).is_none_or(|(known, _)| *known != changed) {
            let png = std::fs::read(path).map_err(|error| error.to_string())?;
            let template = Picture::decode(&png).and_then(Template::new).map_err(|error| error.to_string())?;
            self.templates.insert(path.to_path_buf(), (changed, template));
            self.found.retain(|(known, _), _| known != path);
        }
        let key = (path.to_path_buf(), confidence.to_bits());
        if let Some(found) = self.found.get(&key) {
            return Ok(found.clone());
        }
        let found = self.templates[path].1.find(picture, &SCALES, confidence);
        self.found.insert(key, found.clone());
        Ok(found)
    }
}

/// Adds to a screen, as the window that lies over all others, where the pictures are seen.
pub(crate) async fn add(
    cx: &Context,
    screen: &mut Screen,
    picture: &Picture,
    wanted: &[ImageQuery],
) -> Result<(), Error> {
    let size = size(picture);
    let mut children = Vec::new();
    for wanted in wanted {
        let matches = find(cx, picture, wanted).await?;
        let alike = matches.iter().filter(|found| found.confidence >= wanted.confidence);
        // Where nothing is like it, what is likest.
        for found in alike.clone().chain(matches.first().filter(|found| found.confidence < wanted.confidence)) {
            cx.options.used.see(&wanted.path, placed(found.place, size, screen.size), screen.size, found.confidence);
        }
        let mut places: Vec<Element> = alike.map(|found| element(found, wanted, size, screen.size)).collect();
        places.sort_by_key(|element| (element.rect.top, element.rect.left));
        children.append(&mut places);
    }
    screen.roots.push(window(screen, children));
    Ok(())
}

/// Returns a window over all of a screen for what was found in its pixels.
pub(crate) fn window(screen: &Screen, children: Vec<Element>) -> Element {
    let (class, rect) = (pixel_elements::WINDOW.to_owned(), screen.bounds());
    Element { role: "group", class, rect, enabled: true, children, ..Element::default() }
}

/// Returns the controls that are known by their look, which are looked for once on a picture.
pub(crate) async fn controls(cx: &Context, picture: &Picture) -> Result<Vec<Control>, Error> {
    let seen = cx.session.state::<Images>().seen(&cx.driver()?.info().serial);
    let picture = picture.clone();
    capture::apart(move || Ok(seen.lock().controls(&picture))).await
}

/// Returns where a picture is seen, and what is a little like it.
async fn find(cx: &Context, picture: &Picture, wanted: &ImageQuery) -> Result<Vec<Match>, Error> {
    let bad = |why: String| Error::new(Kind::BadArgument, format!("image {}: {why}", wanted.path));
    let path = path_of(cx, &wanted.path).map_err(bad)?;
    let seen = cx.session.state::<Images>().seen(&cx.driver()?.info().serial);
    let (picture, confidence) = (picture.clone(), wanted.confidence);
    capture::apart(move || Ok(seen.lock().find(&picture, &path, confidence))).await?.map_err(bad)
}

/// Returns the file of a picture: beside the testcase that names it, else in the project.
fn path_of(cx: &Context, path: &str) -> Result<PathBuf, String> {
    Ok(cx.files().asset(path)?)
}

fn element(found: &Match, wanted: &ImageQuery, picture: Size, screen: Size) -> Element {
    Element {
        role: "image",
        class: pixel_elements::IMAGE.to_owned(),
        label: wanted.path.clone(),
        rect: placed(found.place, picture, screen),
        enabled: true,
        ..Element::default()
    }
}

/// Builds the error of a picture that is not seen, with what is most like it.
pub(crate) fn absent(cx: &Context, target: &Target, image: &str, span: &str) -> Error {
    let wanted = target.confidence.unwrap_or(CONFIDENCE);
    let nearest = cx.driver().ok().and_then(|device| nearest(cx, &device.info().serial, image, wanted));
    let message = match nearest {
        Some((found, size)) => {
            let place = placed(found.place, size, size);
            let (width, height) = (place.right - place.left, place.bottom - place.top);
            let place = format!("of {width}×{height} pixels at {},{}", place.left, place.top);
            let percent = |share: f32| (share * 100.0).floor();
            match found.confidence >= wanted {
                true => format!("{target}: not there {span}; it is seen elsewhere, {place}"),
                false => format!(
                    "{target}: not there {span}; the closest match, {place}, is {} % alike; {} % needed",
                    percent(found.confidence),
                    percent(wanted + 0.0005)
                ),
            }
        }
        None => format!("{target}: not there {span}; nothing on the screen is like it"),
    };
    let nearest = nearest.map(
        |(found, _)| json!({"x": found.place.left, "y": found.place.top, "confidence": rounded(found.confidence)}),
    );
    Error::new(Kind::NotFound, message).with("nearest", json!(nearest.into_iter().collect::<Vec<_>>()))
}

fn nearest(cx: &Context, serial: &str, image: &str, confidence: f32) -> Option<(Match, Size)> {
    let path = path_of(cx, image).ok()?;
    let seen = cx.session.state::<Images>().seen(serial);
    let seen = seen.lock();
    let picture = seen.picture.as_ref()?;
    let size = size(picture);
    let found = seen.found.get(&(path, confidence.to_bits()))?.first()?;
    (found.confidence > 0.2).then_some((*found, size))
}

/// Rounds a confidence to what can be told.
pub fn rounded(confidence: f32) -> f64 {
    (f64::from(confidence) * 1000.0).round() / 1000.0
}

/// Returns where a picture is seen, and how much each place looks like it.
pub async fn confidences(cx: &Context, wanted: &ImageQuery) -> Result<Vec<(Rect, f32)>, Error> {
    let screen = cx.driver()?.screen_size().await?;
    let seen = cx.session.state::<Images>().seen(&cx.driver()?.info().serial);
    let path = path_of(cx, &wanted.path).map_err(|why| Error::new(Kind::BadArgument, why))?;
    let seen = seen.lock();
    let Some(picture) = &seen.picture else { return Ok(Vec::new()) };
    let size = size(picture);
    let found = seen.found.get(&(path, wanted.confidence.to_bits()));
    Ok(found.into_iter().flatten().map(|found| (placed(found.place, size, screen), found.confidence)).collect())
}
