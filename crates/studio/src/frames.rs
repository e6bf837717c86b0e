//! The pictures of a device's screen, as it changes: as the device itself sends them, or else taken in turns. Nothing is taken while nobody looks, and
//! nothing is told while nothing changes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use async_trait::async_trait;
use uixt_driver::{Error, Manner, Pixels, Reel, Size};
use uixt_pictures::Picture;

use crate::stage::Stage;

/// The longest side of a picture that is taken here, in pixels.
const SIDE: u32 = 1280;
/// How soon the next picture is taken: while the screen changes, while it stands still, and while a run has the device.
const QUICK: Duration = Duration::from_millis(40);
const STILL: Duration = Duration::from_millis(200);
const BUSY: Duration = Duration::from_millis(500);
/// How long a screen counts as changing after it was touched or has changed.
const LIVELY: Duration = Duration::from_secs(2);
/// How long a device that gives no picture is left alone.
const AGAIN: Duration = Duration::from_secs(1);

/// What a picture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Jpeg = 1,
    Png = 2,
}

/// A picture of a screen.
pub(crate) struct Frame {
    pub(crate) number: u32,
    /// The screen's, as it is turned now, in pixels of the device.
    pub(crate) size: Size,
    pub(crate) format: Format,
    pub(crate) bytes: Vec<u8>,
}

impl Frame {
    /// Writes it as pages are sent it: five numbers of four bytes each, and the picture.
    pub(crate) fn message(&self, device: usize) -> Vec<u8> {
        let device = u32::try_from(device).unwrap_or_default();
        let head = [device, self.number, self.size.width, self.size.height, self.format as u32];
        head.iter().flat_map(|number| number.to_be_bytes()).chain(self.bytes.iter().copied()).collect()
    }
}

/// Takes pictures for as long as the program runs.
pub(crate) async fn take(stage: Arc<Stage>) {
    loop {
        stage.looked_at().await;
        if stage.films() {
            // Without a size, no place on the first pictures is known.
            let _ = stage.measure().await;
            let began = Instant::now();
            match stage.driver.film(&Live(Arc::clone(&stage))).await {
                Ok(()) => {
                    // One that ends as soon as it begins is not begun again and again.
                    tokio::time::sleep(STILL.saturating_sub(began.elapsed())).await;
                    continue;
                }
                Err(Error::Unsupported { .. }) => {}
                Err(error) => {
                    stage.trouble(&error);
                    tokio::time::sleep(AGAIN).await;
                    continue;
                }
            }
        }
        in_turns(&stage).await;
    }
}

/// Takes picture after picture, until nobody looks any more.
async fn in_turns(stage: &Arc<Stage>) {
    let mut last = Taken::Nothing;
    let mut lively = Instant::now();
    while stage.is_looked_at() {
        let began = Instant::now();
        // A picture taken beside a run holds it up.
        if stage.is_given() {
            tokio::time::sleep(BUSY).await;
            continue;
        }
        match shot(stage).await {
            Ok(now) if now == last => {}
            Ok(now) => {
                last = now.clone();
                lively = began;
                let packed = tokio::task::spawn_blocking(move || now.packed()).await;
                if let Ok(Some((size, bytes))) = packed {
                    stage.show(size, Format::Png, bytes);
                }
            }
            Err(error) => {
                stage.trouble(&error);
                tokio::time::sleep(AGAIN).await;
            }
        }
        let pace = match () {
            () if stage.is_busy() => BUSY,
            () if lively.elapsed() < LIVELY => QUICK,
            () => STILL,
        };
        tokio::select! {
            () = tokio::time::sleep(pace.saturating_sub(began.elapsed())) => {}
            () = stage.stirred() => lively = Instant::now(),
        }
    }
}

/// A picture as the device gives it.
#[derive(Clone, PartialEq)]
enum Taken {
    Nothing,
    Raw(Picture),
    Png(Arc<Vec<u8>>, Size),
}

async fn shot(stage: &Stage) -> Result<Taken, Error> {
    if let Some(Pixels { size, rgba }) = stage.driver.pixels().await? {
        let broken = |error: uixt_pictures::Error| Error::Device { message: error.0 };
        return Picture::new(size.width, size.height, rgba).map(Taken::Raw).map_err(broken);
    }
    let screenshot = stage.driver.screenshot().await?;
    Ok(Taken::Png(Arc::new(screenshot.png), screenshot.size))
}

impl Taken {
    /// Returns the screen's size and a PNG that is no larger than needed; none of what is no picture.
    fn packed(self) -> Option<(Size, Vec<u8>)> {
        match self {
            Self::Nothing => None,
            Self::Png(png, size) => Some((size, Arc::unwrap_or_clone(png))),
            Self::Raw(picture) => {
                let size = Size { width: picture.width(), height: picture.height() };
                let times = size.width.max(size.height).div_ceil(SIDE).max(1);
                let small = if times > 1 { picture.shrunk(size.width / times, size.height / times) } else { picture };
                Some((size, small.encode_quickly().ok()?))
            }
        }
    }
}

/// Hands on what a device sends by itself.
struct Live(Arc<Stage>);

#[async_trait]
impl Reel for Live {
    fn manner(&self) -> Manner {
        Manner::LIVE
    }

    async fn ended(&self) {
        self.0.left_alone().await;
    }

    fn is_wanted(&self) -> bool {
        true
    }

    fn frame(&self, jpeg: &[u8], _: SystemTime) -> bool {
        self.0.show(self.0.size(), Format::Jpeg, jpeg.to_vec());
        true
    }

    fn next_part(&self) -> Option<PathBuf> {
        None
    }

    fn part(&self, _: &Path, _: SystemTime, _: Duration) {}
}
