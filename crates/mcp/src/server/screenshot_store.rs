//! The whole pictures of which a session's answers held smaller ones: the newest, for as long as there is room.

use std::collections::VecDeque;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parking_lot::Mutex;
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResponse, ReadResourceResult, ResourceContents, ResourceTemplate};
use uixt_call::ResourceLink;

use super::provider::{Answer, Asked, Provider};

/// What a picture's URI begins with; its number follows.
const PICTURES: &str = "uixt://session/pictures/";
/// Most pictures that are kept.
const MAX: usize = 16;
/// Most bytes of all of them.
const ROOM: usize = 32 << 20;

/// Pictures by the numbers that they were given, the oldest first.
#[derive(Default)]
pub(super) struct ScreenshotStore {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    pictures: VecDeque<(u64, Vec<u8>)>,
    last: u64,
}

impl ScreenshotStore {
    /// Returns the numbers of the pictures that are still there.
    pub(super) fn numbers(&self) -> Vec<u64> {
        self.kept.lock().pictures.iter().map(|(number, _)| *number).collect()
    }

    fn find(&self, uri: &str) -> Option<Vec<u8>> {
        let number: u64 = uri.strip_prefix(PICTURES)?.parse().ok()?;
        self.kept.lock().pictures.iter().find(|(known, _)| *known == number).map(|(_, png)| png.clone())
    }
}

impl uixt_call::ScreenshotStore for ScreenshotStore {
    fn keep(&self, png: Vec<u8>) -> ResourceLink {
        let mut kept = self.kept.lock();
        kept.last += 1;
        let (number, size) = (kept.last, png.len());
        kept.pictures.push_back((number, png));
        while kept.pictures.len() > MAX || kept.pictures.iter().map(|(_, png)| png.len()).sum::<usize>() > ROOM {
            kept.pictures.pop_front();
        }
        ResourceLink {
            uri: format!("{PICTURES}{number}"),
            name: format!("picture-{number}.png"),
            mime_type: Some("image/png".to_owned()),
            size: Some(size as u64),
            ..ResourceLink::default()
        }
    }
}

impl Provider for ScreenshotStore {
    fn templates(&self) -> Vec<ResourceTemplate> {
        let template = ResourceTemplate::new(format!("{PICTURES}{{number}}"), "picture");
        vec![
            template
                .with_description("A picture of an answer, whole; the newest 16 are kept.")
                .with_mime_type("image/png"),
        ]
    }

    fn read<'a>(&'a self, uri: &'a str, _: &'a Asked) -> Answer<'a, ReadResourceResponse> {
        if !self.knows(uri) {
            return None;
        }
        let answer = match self.find(uri) {
            Some(png) => {
                let contents = ResourceContents::blob(STANDARD.encode(png), uri).with_mime_type("image/png");
                Ok(ReadResourceResult::new(vec![contents]).into())
            }
            None => Err(ErrorData::resource_not_found(format!("{uri} is not kept: {}", self.held()), None)),
        };
        Some(Box::pin(std::future::ready(answer)))
    }

    fn knows(&self, uri: &str) -> bool {
        uri.starts_with(PICTURES)
    }
}

impl ScreenshotStore {
    /// Says which pictures there are.
    fn held(&self) -> String {
        match self.numbers()[..] {
            [] => "there is no picture yet".to_owned(),
            [first, .., last] => format!("there are {first} to {last}"),
            [only] => format!("there is {only}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uixt_call::ScreenshotStore as _;

    #[test]
    fn the_newest_are_kept_while_there_is_room() {
        let screenshots = ScreenshotStore::default();
        (0..20).for_each(|_| drop(screenshots.keep(vec![0; 10])));
        assert_eq!(screenshots.numbers(), (5..=20).collect::<Vec<_>>());
        drop(screenshots.keep(vec![1; ROOM]));
        assert_eq!(screenshots.numbers(), [21]);
        assert_eq!(screenshots.find("uixt://session/pictures/21").map(|png| png.len()), Some(ROOM));
        assert!(screenshots.find("uixt://session/pictures/5").is_none());
    }
}
