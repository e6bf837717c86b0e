//! Where the film of a screen goes while it is made: pictures one by one, or files of its parts. Knows no device and no report.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;

/// How pictures of a film are made, where the device leaves that open.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    /// The time between two pictures, at the least.
    pub every: Duration,
    /// The longest side of a picture in pixels.
    pub side: u32,
    /// In percent.
    pub quality: u32,
}

impl Manner {
    /// As a report keeps them: text of a page is still legible.
    pub const KEPT: Self = Self { every: Duration::from_millis(120), side: 960, quality: 60 };
    /// As somebody wants to see them who acts on the screen.
    pub const LIVE: Self = Self { every: Duration::from_millis(25), side: 1600, quality: 80 };
}

/// Takes in a film.
#[async_trait]
pub trait Reel: Send + Sync {
    /// Says how its pictures are to be made.
    fn manner(&self) -> Manner {
        Manner::KEPT
    }

    /// Returns once the film is to end.
    async fn ended(&self);

    /// Tells whether anybody wants what has been filmed, once it has ended.
    fn is_wanted(&self) -> bool;

    /// Takes a picture of the screen, a JPEG; false where there is no room for more.
    fn frame(&self, jpeg: &[u8], at: SystemTime) -> bool;

    /// Returns the file for the next part of the film, an MP4; none where there is no room for more.
    fn next_part(&self) -> Option<PathBuf>;

    /// Takes a part, once its file is whole.
    fn part(&self, file: &Path, began: SystemTime, lasted: Duration);
}
