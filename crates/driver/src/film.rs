//! Where the film of a screen goes while it is made: pictures one by one, or files of its parts. Knows no device and no report.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;

/// Takes in a film.
#[async_trait]
pub trait Reel: Send + Sync {
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
