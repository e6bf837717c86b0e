//! A picture of the screen → a screen of its own whose elements are the lines of text that are drawn.
//!
//! Whatever finds, waits for, asserts and touches elements does so with lines: `source: pixels` has a call read the screen so,
//! `source: auto` only where the tree of elements lacks what is meant.

use std::sync::Arc;

use parking_lot::Mutex;
use uixt_driver::{Element, Rect, Screen, Size};
use uixt_locate::{Error, pixel_elements};
use uixt_pictures::{Line, Picture, Place};

use super::capture;
use super::ocr_engines::ScreenReader;
use crate::{Context, State, TextModels};

/// A line that is read with less confidence counts as no text: what was read is told.
pub(crate) const CONFIDENCE: f32 = 0.6;

/// What a session has read of screens, the last first: of one device.
#[derive(Default)]
pub(crate) struct DrawnText(Mutex<Option<(String, Arc<ScreenReader>)>>);

impl State for DrawnText {}

impl DrawnText {
    fn reader(&self, serial: &str, models: Option<&dyn TextModels>) -> Arc<ScreenReader> {
        let mut readers = self.0.lock();
        match &*readers {
            Some((known, reader)) if known == serial => Arc::clone(reader),
            _ => Arc::clone(&readers.insert((serial.to_owned(), Arc::new(ScreenReader::new(models)))).1),
        }
    }
}

/// Reads the texts that are drawn on a picture of the screen. Whatever breaks is an error: it says nothing of what is there.
pub(crate) async fn look(cx: &Context, picture: Picture) -> Result<Screen, Error> {
    let size = size(&picture);
    let lines = lines(cx, picture).await?;
    let mut screen = bare(cx).await?;
    see(cx, &lines, size, screen.size);
    let certain = lines.iter().filter(|line| line.confidence >= CONFIDENCE);
    let children = certain.map(|line| element(line, size, screen.size)).collect();
    // All of them stand in one window, whatever windows there are.
    screen.roots.push(Element { role: "group", rect: screen.bounds(), enabled: true, children, ..Element::default() });
    Ok(screen)
}

/// Returns a screen of which nothing is known but its size and whose app is in front.
pub(crate) async fn bare(cx: &Context) -> Result<Screen, Error> {
    let device = cx.driver()?;
    let display = device.display().await?;
    let package = device.foreground().await.map(|front| front.package).unwrap_or_default();
    Ok(Screen { package, size: display.size, lit: display.lit, ..Screen::default() })
}

/// Returns the texts that are drawn, each with its place on the screen and its confidence, however little that is.
pub async fn told(cx: &Context) -> Result<Vec<(String, Rect, f32)>, Error> {
    let picture = capture::pixels(cx.driver()?).await?;
    let size = size(&picture);
    cx.options.used.look_at(&picture);
    let lines = lines(cx, picture).await?;
    let screen = cx.driver()?.screen_size().await?;
    see(cx, &lines, size, screen);
    Ok(lines.iter().map(|line| (line.text.clone(), placed(line.place, size, screen), line.confidence)).collect())
}

/// Lets the report frame what was read.
fn see(cx: &Context, lines: &[Line], picture: Size, screen: Size) {
    for line in lines {
        cx.options.used.see(&line.text, placed(line.place, picture, screen), screen, line.confidence);
    }
}

/// Returns the lines of text that are drawn on a picture.
async fn lines(cx: &Context, picture: Picture) -> Result<Vec<Line>, Error> {
    let reader = cx.session.state::<DrawnText>().reader(&cx.driver()?.info().serial, cx.engines.text_models);
    reader.lines(picture).await
}

/// Returns the size of a picture.
pub fn size(picture: &Picture) -> Size {
    Size { width: picture.width(), height: picture.height() }
}

/// Returns where a place of a picture is on the screen, whose pixels may be others than the picture's.
pub(crate) fn placed(place: Place, picture: Size, screen: Size) -> Rect {
    let scaled = |value: u32, from: u32, to: u32| {
        i32::try_from(u64::from(value) * u64::from(to) / u64::from(from.max(1))).unwrap_or(i32::MAX)
    };
    let x = |value| scaled(value, picture.width, screen.width);
    let y = |value| scaled(value, picture.height, screen.height);
    Rect { left: x(place.left), top: y(place.top), right: x(place.right), bottom: y(place.bottom) }
}

/// Returns where a rectangle of the screen is on a picture of it; what lies outside is cut off.
pub fn part(rect: Rect, screen: Size, picture: Size) -> Place {
    let scaled = |value: i32, from: u32, to: u32| {
        let value = u64::from(u32::try_from(value).unwrap_or(0)) * u64::from(to) / u64::from(from.max(1));
        u32::try_from(value).unwrap_or(to).min(to)
    };
    let x = |value| scaled(value, screen.width, picture.width);
    let y = |value| scaled(value, screen.height, picture.height);
    Place { left: x(rect.left), top: y(rect.top), right: x(rect.right), bottom: y(rect.bottom) }
}

fn element(line: &Line, picture: Size, screen: Size) -> Element {
    Element {
        role: "text",
        class: pixel_elements::TEXT.to_owned(),
        text: line.text.clone(),
        rect: placed(line.place, picture, screen),
        enabled: true,
        ..Element::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stands_where_the_screen_counts() {
        let place = Place { left: 100, top: 200, right: 300, bottom: 240 };
        let line = Line { text: "OK".to_owned(), place, confidence: 0.9 };
        let picture = Size { width: 1000, height: 2000 };
        let made = element(&line, picture, Size { width: 500, height: 1000 });
        assert_eq!(made.rect, Rect { left: 50, top: 100, right: 150, bottom: 120 });
        assert!(pixel_elements::is_line(&made) && made.enabled);
    }
}
