//! An answer → the file of `--output`: its picture, or else its text, of which then only the rest is printed.

use std::path::Path;

use base64::Engine as _;

use super::super::session::Answer;
use crate::cli::exit::Failure;
use crate::tools;

/// Writes the file, where the answer has something for it; returns the line that stands for the answer where its text went there.
pub(super) fn keep(path: &Path, answer: &Answer) -> Result<Option<String>, Failure> {
    let write = |bytes: &[u8]| {
        std::fs::write(path, bytes)
            .map_err(|error| Failure::errored(format!("cannot write {}: {error}", path.display())))
    };
    let engine = base64::engine::general_purpose::STANDARD;
    if let Some(png) = answer.picture.as_ref().and_then(|picture| engine.decode(picture).ok()) {
        return write(&png).map(|()| None);
    }
    let tool = answer.object["action"].as_str().and_then(tools::find);
    let Some(main) = tool.and_then(|tool| tool.main).filter(|_| answer.object["success"] == true) else {
        return Ok(None);
    };
    let Some(text) = answer.object[main].as_str() else { return Ok(None) };
    write(format!("{}\n", text.trim_end_matches('\n')).as_bytes())?;
    let mut rest = answer.object.clone();
    if let Some(rest) = rest.as_object_mut() {
        rest.shift_remove(main);
        rest.insert("output".to_owned(), path.display().to_string().into());
    }
    Ok(Some(rest.to_string()))
}
