//! `uixt ocr`: a picture → the lines of text on it.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::exit::{Done, Failure, print};
use super::models;
use uixt_ocr::{Engine, Line, Picture, Reader};

#[derive(Args)]
pub(super) struct Ocr {
    /// PNG to read, such as a screenshot.
    file: PathBuf,
    /// Print a list of objects: text, confidence, left, top, right, bottom.
    #[arg(long)]
    json: bool,
}

impl Ocr {
    pub(super) fn run(self) -> Done {
        let bytes = std::fs::read(&self.file).map_err(|error| unreadable(&self.file, &error))?;
        let picture = Picture::decode(&bytes).map_err(|error| unreadable(&self.file, &error))?;
        let engine = Engine::load(&models::known_folder()?).map_err(Failure::errored)?;
        let lines = Reader::default().read(&engine, picture).map_err(Failure::errored)?;
        print(&if self.json { as_json(&lines) } else { lines.iter().map(as_text).collect() })
    }
}

fn unreadable(file: &std::path::Path, why: &dyn std::fmt::Display) -> Failure {
    Failure::usage(format!("{}: {why}", file.display()))
}

fn as_text(line: &Line) -> String {
    let place = line.place;
    let corner = format!("{},{}", place.left, place.top);
    let size = format!("{}×{}", place.width(), place.height());
    format!("{corner:>9}  {size:<9} {:.2}  {}\n", line.confidence, line.text)
}

fn as_json(lines: &[Line]) -> String {
    let line = |line: &Line| {
        let (place, confidence) = (line.place, (f64::from(line.confidence) * 1000.0).round() / 1000.0);
        json!({
            "text": line.text, "confidence": confidence,
            "left": place.left, "top": place.top, "right": place.right, "bottom": place.bottom,
        })
    };
    serde_json::to_string_pretty(&lines.iter().map(line).collect::<Vec<Value>>()).unwrap_or_default()
}
