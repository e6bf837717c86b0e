//! Points of a window → pixels of the screen.
//!
//! A picture of the screen tells how many pixels a point is, once for each size of the window: the number that a phone calls its scale
//! is another one where the display is zoomed, and on the Plus models.

use parking_lot::Mutex;

use crate::driver::{Error, Point, Size};
use crate::fault::Miss;
use crate::picture;
use crate::wda::{Ask, Wda};

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
        let ratio = f64::from(size.width) / width;
        (ratio.is_finite() && (0.2..=8.0).contains(&ratio)).then_some(Self { window, size, ratio })
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
}

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
        let picture = picture::take(wda).await?.size;
        let odd = || Miss::Broken(odd(window, picture));
        let scale = Scale::of(window, picture).ok_or_else(odd)?;
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
    let size = wda.ask(Ask::look("tell the window's size", "/window/size")).await?;
    let side = |name: &str| size[name].as_f64().filter(|side| *side > 0.0);
    let window = side("width").zip(side("height"));
    let told = || format!("WebDriverAgent told {size} as the window's size");
    window.ok_or_else(|| Miss::Broken(Error::Device { message: told() }))
}

fn odd((width, height): (f64, f64), picture: Size) -> Error {
    let message = format!(
        "the screen's picture is {}×{} pixels, and the window {width}×{height} points: one of them cannot be right",
        picture.width, picture.height
    );
    Error::Device { message }
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
        assert!(plus.points(Point { x: f64::NAN, y: 0.0 }).is_err());
    }
}
