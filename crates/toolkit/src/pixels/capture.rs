//! A device → the pixels of its screen.

use std::time::Duration;

use uixt_driver::Driver;
use uixt_locate::{Error, Kind};
use uixt_pictures::Picture;

/// How long a picture may take.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The shortest side of a picture that may be a screen's, in pixels.
const SMALLEST: u32 = 16;
/// How bright black may be, of 255.
const BLACK: u8 = 4;

/// Takes a picture of the screen, unpacked where the device gives it so. None within the time, or one that cannot be read, is an error.
pub async fn pixels(device: &dyn Driver) -> Result<Picture, Error> {
    let picture = tokio::time::timeout(TIMEOUT, taken(device)).await.unwrap_or_else(|_| {
        Err(Error::new(Kind::Device, format!("the device returned no screenshot within {} s", TIMEOUT.as_secs())))
    })?;
    let (width, height) = (picture.width(), picture.height());
    if width.min(height) < SMALLEST {
        let message = format!("the device returned a picture of {width}×{height} pixels, which is not its screen");
        return Err(Error::new(Kind::Device, message));
    }
    Ok(picture)
}

/// Tells whether a picture is black but for bars at its edges: a window that forbids pictures is, and nothing can be told of it.
pub fn is_black(picture: &Picture) -> bool {
    let (top, bottom) = (picture.height() / 10, picture.height() - picture.height() / 10);
    let is_black = |pixel: &[u8]| pixel[..3].iter().all(|part| *part <= BLACK);
    (top..bottom).all(|y| picture.row(y, 0, picture.width()).chunks_exact(4).all(is_black))
}

async fn taken(device: &dyn Driver) -> Result<Picture, Error> {
    let bad = |error: uixt_pictures::Error| Error::new(Kind::Device, error.to_string());
    if let Some(pixels) = device.pixels().await? {
        return Picture::new(pixels.size.width, pixels.size.height, pixels.rgba).map_err(bad);
    }
    let png = device.screenshot().await?.png;
    apart(move || Picture::decode(&png).map_err(bad)).await
}

/// Does what keeps a core busy for long, beside what else goes on.
pub async fn apart<T: Send + 'static>(work: impl FnOnce() -> Result<T, Error> + Send + 'static) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Error::new(Kind::Device, format!("the picture could not be analysed: {error}"))))
}
