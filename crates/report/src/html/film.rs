//! The video of a case, and when its steps ran → what the page's filmstrip is made of, as an attribute of the case.
//!
//! Pictures of steps need none of it: the page's script finds them in the rows, once the case is opened.

use serde_json::{Value, json};
use uixt_core::video::{self, Video};

use super::{Folder, escape};
use crate::result::CaseResult;

/// What a page says that holds its pictures itself: each of a video would make it larger.
const UNSHOWN: &str = "the video lies beside the report, in the folder";

/// Appends the attribute ` data-film`; nothing where no video was kept.
pub(super) fn push(out: &mut String, case: &CaseResult, folder: &Folder) {
    let Some(video) = video::read(&folder.dir, &case.id) else { return };
    out.push_str(" data-film=\"");
    escape::push(out, &told(case, &video, folder.embed).to_string());
    out.push('"');
}

/// Tells the film: times are milliseconds since the case began.
fn told(case: &CaseResult, video: &Video, is_embedded: bool) -> Value {
    let ms = |at: chrono::DateTime<chrono::Utc>| (at - case.at).num_milliseconds();
    let first = video.frames.first().map(|(path, _)| path).or(video.parts.first().map(|(path, ..)| path));
    let folder = first.and_then(|path| path.rsplit_once('/')).map_or("", |(folder, _)| folder);
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let frames: Vec<Value> = video.frames.iter().map(|(path, at)| json!([name(path), ms(*at)])).collect();
    let parts: Vec<Value> = video.parts.iter().map(|(path, at, lasted)| json!([name(path), ms(*at), lasted])).collect();
    let steps: Vec<Value> = case.steps.iter().map(|step| json!([step.number, ms(step.at), step.elapsed_ms])).collect();
    let mut told = json!({"folder": folder, "ms": case.elapsed_ms, "steps": steps});
    if is_embedded {
        told["cut"] = format!("{UNSHOWN} {folder}").into();
        return told;
    }
    told["frames"] = frames.into();
    told["parts"] = parts.into();
    if let Some(cut) = &video.cut {
        told["cut"] = cut.as_str().into();
    }
    told
}
