//! The video of a case → the strip of the viewer: pictures with their times, or films.

use std::io;

use serde_json::json;

use super::super::picture::Picture;
use super::{PAGE, Trace};

impl Trace<'_> {
    /// Adds what was filmed of the case.
    pub(super) fn video(&mut self) -> io::Result<()> {
        let Some(video) = self.video.take() else { return Ok(()) };
        for (path, at) in &video.frames {
            let Some((width, height)) = Picture::find(self.dir, path).and_then(|picture| picture.size) else {
                continue;
            };
            if self.archive.file(self.dir, path)? {
                self.push(&json!({
                    "type": "screencast-frame", "pageId": PAGE, "file": path, "width": width, "height": height,
                    "timestamp": self.time(*at),
                }));
            }
        }
        for (path, at, _) in &video.parts {
            if self.archive.file(self.dir, path)? {
                let (width, height) = self.first_size().unwrap_or((1080, 1920));
                self.push(&json!({
                    "type": "video", "pageId": PAGE, "file": path, "width": width, "height": height,
                    "timestamp": self.time(*at),
                }));
            }
        }
        Ok(())
    }
}
