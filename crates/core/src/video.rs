//! The index of a case's video: what was filmed, line by line as it came, and read back whole.
//!
//! A video is a folder `videos/CASE` of the report: JPEGs of a page, or MP4 files of a phone's screen, and [`INDEX`]. It is written as the
//! screen is filmed, so that a run that is killed leaves what it has filmed.

use std::fs;
use std::path::Path;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The folder of videos in a report folder.
pub const FOLDER: &str = "videos";
/// The index's name.
pub const INDEX: &str = "index.jsonl";
/// Cases whose ids make the same name that are told apart, at most.
const NAMESAKES: u32 = 100;

/// A line of the index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// The case's id, first.
    Case(String),
    /// A picture, by its file in the folder, and when the screen looked so.
    Frame(String, DateTime<Utc>),
    /// A film, by its file in the folder; when it began, and how many milliseconds it lasts.
    Part(String, DateTime<Utc>, u64),
    /// Why there is no more.
    Cut(String),
}

/// A video as it was kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Video {
    /// Paths relative to the report's folder, the oldest first.
    pub frames: Vec<(String, DateTime<Utc>)>,
    pub parts: Vec<(String, DateTime<Utc>, u64)>,
    /// Why it does not show all of the case.
    pub cut: Option<String>,
}

/// Returns the folders in which a case's video may lie, relative to the report's folder, the likeliest first.
pub fn folders(case: &str) -> impl Iterator<Item = String> {
    let name = format!("{FOLDER}/{}", crate::result::file_name(case));
    let others = (2..NAMESAKES).map({
        let name = name.clone();
        move |number| format!("{name}-{number}")
    });
    std::iter::once(name).chain(others)
}

/// Tells whether a folder is that of a case's video; none where there is no video.
pub fn is_of(dir: &Path, folder: &str, case: &str) -> Option<bool> {
    let text = fs::read_to_string(dir.join(folder).join(INDEX)).ok()?;
    let first = text.lines().next().and_then(|line| serde_json::from_str(line).ok());
    Some(first == Some(Line::Case(case.to_owned())))
}

/// Returns the folder of a case's video, relative to the report's folder, where one was kept.
pub fn folder(dir: &Path, case: &str) -> Option<String> {
    Some(folders(case).map_while(|folder| Some((is_of(dir, &folder, case)?, folder))).find(|(is, _)| *is)?.1)
}

/// Reads the video of a case, where one was kept.
pub fn read(dir: &Path, case: &str) -> Option<Video> {
    let folder = folder(dir, case)?;
    let text = fs::read_to_string(dir.join(&folder).join(INDEX)).ok()?;
    let mut video = Video::default();
    let is_plain = |file: &str| !file.contains(['/', '\\', ':']);
    // A line without its end is the one that was being written as the run was killed.
    for line in text.lines().skip(1).filter_map(|line| serde_json::from_str(line).ok()) {
        match line {
            Line::Frame(file, at) if is_plain(&file) => video.frames.push((format!("{folder}/{file}"), at)),
            Line::Part(file, at, ms) if is_plain(&file) => video.parts.push((format!("{folder}/{file}"), at, ms)),
            Line::Cut(why) => video.cut = Some(why),
            _ => {}
        }
    }
    (!video.frames.is_empty() || !video.parts.is_empty()).then_some(video)
}
