//! Points of a window → pixels of the screen.
//!
//! A picture of the screen tells how many pixels a point is, once for each size of the window: the number that a phone calls its scale
//! is another one where the display is zoomed, and on the Plus models.

use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::driver::{Error, Point, Size};
use crate::fault::Miss;
use crate::picture;
use crate::wda::{Ask, Wda};

/// Pixels that a point may be.
const RATIOS: std::ops::RangeInclusive<f64> = 0.2..=8.0;

/// What part of a ratio that of the other side may differ by: bars that are drawn beside an old app.
const ALIKE: f64 = 0.12;

/// How the points of one window lie on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    /// The window's, in points.
    pub(crate) window: (f64, f64),
    /// The screen's, in pixels.
    pub(crate) size: Size,
    /// Pixels of a point.
    pub(crate) ratio: f64,
}

impl Scale {
    /// Reads the scale off a picture; none where that is of another shape, as midway through a turn.
    fn of(window: (f64, f64), picture: Size) -> Option<Self> {
        let (width, height) = window;
        let is_turned = (width > height) != (picture.width > picture.height);
        let size = match is_turned {
            true => Size { width: picture.height, height: picture.width },
            false => picture,
        };
        let (ratio, other) = (f64::from(size.width) / width, f64::from(size.height) / height);
        let is_alike = (ratio - other).abs() <= ratio.max(other) * ALIKE;
        (is_alike && RATIOS.contains(&ratio)).then_some(Self { window, size, ratio })
    }

    /// Returns the scale of a window that is a part of what a picture shows, or, where there is no such picture, of one that is all of
    /// the screen. Where the phone does not say how many pixels a point is, the side that is whole does.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is clamped")]
    fn told(window: (f64, f64), ratio: Option<f64>, picture: Option<Size>) -> Self {
        let (width, height) = window;
        let side = |size: Size| (f64::from(size.width) / width).min(f64::from(size.height) / height);
        let ratio =
            ratio.or_else(|| picture.map(side).filter(|side| *side >= 1.0)).filter(|ratio| RATIOS.contains(ratio));
        let ratio = ratio.unwrap_or(1.0);
        let pixels = |points: f64| (points * ratio).round().clamp(1.0, 1e5) as u32;
        let size = Size { width: pixels(width), height: pixels(height) };
        let is_part = |picture: &Size| picture.width >= size.width && picture.height >= size.height;
        Self { window, size: picture.filter(is_part).unwrap_or(size), ratio }
    }

    /// Returns where a point of the screen, in pixels, lies in the window.
    pub(crate) fn points(&self, pixel: Point) -> Result<(f64, f64), Error> {
        if !(pixel.x.is_finite() && pixel.y.is_finite()) {
            return Err(Error::Device { message: format!("({}, {}) is not a point on a screen", pixel.x, pixel.y) });
        }
        let side = |pixels: f64| (pixels / self.ratio * 100.0).round() / 100.0;
        Ok((side(pixel.x), side(pixel.y)))
    }
}

/// The scales that are known, by the window's size.
#[derive(Debug, Default)]
pub(crate) struct Scales {
    known: Mutex<Vec<Scale>>,
    /// That of the last look.
    last: Mutex<Option<Scale>>,
    /// When there was no picture.
    failed: Mutex<Option<Instant>>,
}

/// How long a picture may take that tells a scale, and after how long another is asked for where there was none.
const PICTURE: Duration = Duration::from_secs(5);
const AGAIN: Duration = Duration::from_secs(30);

/// Windows that are remembered: two ways up, and parts of a screen that is shared.
const MOST: usize = 8;

impl Scales {
    /// Returns the scale of a window of this size; a picture is taken where it is not known.
    pub(crate) async fn of(&self, wda: &Wda, window: (f64, f64)) -> Result<Scale, Miss> {
        let known = self.known.lock().iter().find(|scale| scale.window == window).copied();
        if let Some(scale) = known {
            *self.last.lock() = Some(scale);
            return Ok(scale);
        }
        let has_failed = self.failed.lock().is_some_and(|at| at.elapsed() < AGAIN);
        let picture = match has_failed {
            true => None,
            // Whoever takes no pictures may tell the scale all the same.
            false => picture::take_within(wda, PICTURE).await.ok().map(|picture| picture.size),
        };
        if picture.is_none() && !has_failed {
            *self.failed.lock() = Some(Instant::now());
        }
        let Some(scale) = picture.and_then(|picture| Scale::of(window, picture)) else {
            let scale = Scale::told(window, ratio(wda).await?, picture);
            tracing::debug!(?picture, ?scale, "the picture of the screen does not tell how many pixels a point is");
            *self.last.lock() = Some(scale);
            return Ok(scale);
        };
        *self.last.lock() = Some(scale);
        let mut known = self.known.lock();
        if known.len() == MOST {
            known.remove(0);
        }
        known.push(scale);
        Ok(scale)
    }

    /// Returns the scale of the last look, in whose pixels a gesture is told that came of it.
    pub(crate) fn last(&self) -> Option<Scale> {
        *self.last.lock()
    }

    /// Asks for the window as it is turned now, and returns its scale.
    pub(crate) async fn now(&self, wda: &Wda) -> Result<Scale, Miss> {
        let window = window(wda).await?;
        self.of(wda, window).await
    }
}

/// Asks for the size of the window as it is turned now, in points.
pub(crate) async fn window(wda: &Wda) -> Result<(f64, f64), Miss> {
    const WHAT: &str = "tell the window's size";
    let size = match wda.ask(Ask::look(WHAT, "/window/size")).await {
        Err(Miss::Refused(fault)) if fault.is_unknown() => {
            let refused = Miss::Refused(fault);
            let screen = wda.ask(Ask::look(WHAT, "/wda/screen")).await;
            screen.map(|mut screen| screen["screenSize"].take()).map_err(|_| refused)?
        }
        size => size?,
    };
    let side = |name: &str| size[name].as_f64().filter(|side| *side > 0.0);
    let window = side("width").zip(side("height"));
    let told = || format!("WebDriverAgent told {size} as the window's size");
    window.ok_or_else(|| Miss::Broken(Error::Device { message: told() }))
}

/// Asks how many pixels a point is, where no picture tells; none where the phone does not say.
async fn ratio(wda: &Wda) -> Result<Option<f64>, Miss> {
    match wda.ask(Ask::look("tell the screen's scale", "/wda/screen")).await {
        Err(Miss::Refused(_)) => Ok(None),
        screen => Ok(screen?["scale"].as_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_tells_how_many_pixels_a_point_is() {
        let plus = Scale::of((414.0, 736.0), Size { width: 1080, height: 1920 }).unwrap();
        assert!((plus.ratio - 2.6087).abs() < 0.001);
        assert_eq!(plus.points(Point { x: 540.0, y: 960.0 }).unwrap(), (207.0, 368.0));
        let turned = Scale::of((844.0, 390.0), Size { width: 1170, height: 2532 }).unwrap();
        assert_eq!((turned.size, turned.ratio), (Size { width: 2532, height: 1170 }, 3.0));
        assert_eq!(Scale::of((390.0, 844.0), Size { width: 9, height: 20 }), None);
        assert_eq!(Scale::of((390.0, 844.0), Size { width: 640, height: 480 }), None);
        let half = Scale::told((507.0, 768.0), None, Some(Size { width: 2048, height: 1536 }));
        assert_eq!((half.ratio, half.size), (2.0, Size { width: 2048, height: 1536 }), "a part of the screen");
        let told = Scale::told((390.0, 844.0), Some(3.0), Some(Size { width: 1, height: 1 }));
        assert_eq!((told.ratio, told.size), (3.0, Size { width: 1170, height: 2532 }));
        assert_eq!(Scale::told((390.0, 844.0), None, None).size, Size { width: 390, height: 844 });
        assert!(plus.points(Point { x: f64::NAN, y: 0.0 }).is_err());
    }
}
