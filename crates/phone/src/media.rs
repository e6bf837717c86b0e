//! The media index: which files the gallery shows, and the gallery's page with them.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::instance::Instance;

use super::apps::gallery::{self, Medium};
use super::system::System;

/// Bytes of a picture that is shown; a larger one is only named.
const LARGEST: usize = 300 << 10;
/// Files that the index holds at most.
const FILES: usize = 1000;
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Ends of the names of what the index takes.
const PICTURES: [&str; 6] = ["png", "jpg", "jpeg", "gif", "webp", "heic"];
const FILMS: [&str; 4] = ["mp4", "mkv", "webm", "3gp"];

impl System {
    /// Takes a file into the index, where it is a picture or a film.
    pub(super) fn add_media(&mut self, path: &str, content: &[u8]) {
        if !is_medium(path) || (self.media.len() >= FILES && !self.media.contains_key(path)) {
            return;
        }
        let shown = content.starts_with(PNG) && content.len() <= LARGEST;
        let source = if shown { format!("data:image/png;base64,{}", STANDARD.encode(content)) } else { String::new() };
        self.media.insert(path.to_owned(), source);
        self.show_media();
    }

    /// Forgets files; paths that the index does not hold mean nothing.
    pub(super) fn forget_media(&mut self, paths: &[String]) {
        let before = self.media.len();
        self.media.retain(|path, _| !paths.contains(path));
        if self.media.len() != before {
            self.show_media();
        }
    }

    /// Returns the paths that the index holds, in order.
    pub(super) fn media(&self) -> impl Iterator<Item = &str> {
        self.media.keys().map(String::as_str)
    }

    /// Writes the gallery's page anew; one that is open changes before the user's eyes.
    fn show_media(&mut self) {
        let media: Vec<Medium> = self
            .media
            .iter()
            .map(|(path, source)| Medium { name: path.rsplit('/').next().unwrap_or(path), source })
            .collect();
        let Ok(page) = Instance::from_json(&gallery::page(&media)) else { return };
        if let Some(running) = self.running.get_mut(gallery::PACKAGE) {
            running.pages.insert(gallery::PAGE.to_owned(), page.clone());
        }
        if let Some(installed) = self.installed.get_mut(gallery::PACKAGE) {
            Arc::make_mut(installed).pages.insert(gallery::PAGE.to_owned(), page);
        }
    }
}

fn is_medium(path: &str) -> bool {
    let end = path.rsplit_once('.').map_or_else(String::new, |(_, end)| end.to_ascii_lowercase());
    PICTURES.contains(&end.as_str()) || FILMS.contains(&end.as_str())
}

/// Tells whether a path is a film's.
pub(super) fn is_film(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| FILMS.contains(&end.to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::Options;

    #[tokio::test]
    async fn the_open_gallery_changes_with_the_index() {
        let mut system = System::start(Options::default()).await.unwrap();
        system.launch(gallery::PACKAGE).await.unwrap();
        assert!(system.dump().contains("No pictures yet"));
        for path in ["/sdcard/DCIM/a.png", "/sdcard/DCIM/b.MP4", "/sdcard/DCIM/c.txt"] {
            system.add_media(path, b"no picture at all");
        }
        let dump = system.dump();
        assert!(dump.contains("a.png") && dump.contains("b.MP4") && !dump.contains("c.txt"), "{dump}");
        system.forget_media(&["/sdcard/DCIM/a.png".to_owned(), "/nowhere".to_owned()]);
        let dump = system.dump();
        assert!(dump.contains("1 item") && !dump.contains("a.png"), "{dump}");
    }
}
