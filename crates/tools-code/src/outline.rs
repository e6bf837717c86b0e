//! Definitions in code.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_code::{Definition, Filter, Found, Outline, is_source, languages, outline};
use uixt_locate::Error;
use uixt_toolkit::{Context, Reply, Tool};

use crate::place::{self, is_for_model};
use crate::room;
use crate::search::{cut_off, named, patience};

/// Definitions that are told where the call does not say how many.
const USUAL: u32 = 200;

/// List what source code defines: functions, methods, classes, types and constants.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ListCodeDefinitions {
    /// File, beside the testcase or below the project's folder (agents: below --allow-dir).
    #[serde(default)]
    #[schemars(length(min = 1))]
    file_path: Option<String>,
    /// Or folder, or glob.
    #[serde(default)]
    #[schemars(length(min = 1))]
    directory_path: Option<String>,
    /// Only those whose name holds this text, in any case.
    #[serde(default)]
    #[schemars(length(min = 1))]
    name: Option<String>,
    /// Only files of the folder that match: `*.{kt,java}`.
    #[serde(default)]
    glob: Option<String>,
    /// Most definitions; 200 by default.
    #[serde(default)]
    #[schemars(range(min = 1, max = 2000))]
    max_definitions: Option<u32>,
    /// Seconds; 30 by default.
    #[serde(default)]
    #[schemars(range(min = 1.0, max = 300.0))]
    timeout: Option<f64>,
}

impl ListCodeDefinitions {
    /// Returns the path that is given, of either kind.
    fn path(&self) -> Result<&str, String> {
        match (&self.file_path, &self.directory_path) {
            (Some(path), None) | (None, Some(path)) => Ok(path),
            (Some(_), Some(_)) => Err("`file_path` and `directory_path` are both given; give one of them".to_owned()),
            (None, None) => Err("nothing says where to look; give `file_path` or `directory_path`".to_owned()),
        }
    }

    fn asked(&self, glob: Option<&str>) -> Result<Outline, Error> {
        let filter = Filter::new(glob.or(self.glob.as_deref()), false).map_err(place::refused)?;
        let most = self.max_definitions.unwrap_or(USUAL) as usize;
        Ok(Outline { filter, name: self.name.as_deref().map(str::to_lowercase), most })
    }

    fn reply(found: Found<Definition>, is_bounded: bool) -> Reply {
        let length = |(file, one): &(PathBuf, Definition)| 60 + file.as_os_str().len() + one.signature.chars().count();
        let Found { items, .. } = found;
        let (kept, is_cut) = room::fitting(items, is_bounded, length);
        let found = Found { items: Vec::new(), ..found };
        let definitions: Vec<Value> = kept.iter().map(|(file, one)| told(file, one)).collect();
        let why = match (is_cut, found.has_more) {
            (true, _) => {
                Some("the answer has no room for more; ask with `max_definitions`, `name`, or for less".to_owned())
            }
            (_, true) => {
                Some(format!("there are more than {}; ask with a greater `max_definitions`", definitions.len()))
            }
            _ => None,
        };
        let more = if why.is_some() { ", and there are more" } else { "" };
        let count = definitions.len();
        let message = format!("{count} definitions in {} files{more}", found.files);
        let reply = Reply::new(message).with("definitions", definitions).with("count", count);
        room::tell(reply, &found, ("definitions", why))
    }
}

fn told(file: &std::path::Path, one: &Definition) -> Value {
    let mut told = json!({"type": one.kind, "name": one.name, "file": file.to_string_lossy(), "line": one.line, "signature": one.signature});
    if let Some(parent) = &one.parent {
        told["parent"] = parent.as_str().into();
    }
    told
}

impl Tool for ListCodeDefinitions {
    const NAME: &'static str = "list_code_definitions";
    const SET: Option<Toolset> = Some(Toolset::SearchTool);
    const KIND: ToolKind = ToolKind::Read;
    const NAMES_FILES: bool = true;
    const PARAMS: Shape = Shape::Fields(&["directory_path"]);
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;
    const MAIN: Option<&'static str> = Some("definitions");
    const ANSWER: &'static [&'static str] =
        &["definitions", "count", "searched", "skipped", "skipped_more", "truncated"];

    fn check(&self) -> Result<(), String> {
        self.path()?;
        Filter::new(self.glob.as_deref(), false).map(|_| ()).map_err(|why| format!("`glob`: {why}"))
    }

    fn limit(&self) -> Duration {
        patience(self.timeout) + Duration::from_secs(10)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let wrong = |error: Error| named(Self::NAME, error);
        let given = self.path().map_err(|why| wrong(Error::bad_argument(why)))?;
        let place = place::find(cx, given).map_err(wrong)?;
        let is_file = !place.is_folder && place.glob.is_none();
        if is_file && !is_source(given) {
            let message = format!("{given} is in no language that is known; known: {}", languages().join(", "));
            return Err(wrong(Error::bad_argument(message)));
        }
        let (asked, time) = (self.asked(place.glob.as_deref())?, patience(self.timeout));
        let found = place::look(time, move |limits| outline(&place.folder, &place.path, &asked, limits)).await;
        let found = found.map_err(wrong)?;
        if found.is_cut_off {
            let partly = found.items.iter().take(10).map(|(file, one)| told(file, one));
            return Err(wrong(cut_off(&found, time, partly.collect::<Vec<_>>().into())));
        }
        if let Some(skipped) = found.skipped.first().filter(|_| is_file) {
            let message = format!("{} is not read: {}", skipped.file.display(), skipped.why);
            return Err(wrong(Error::bad_argument(message)));
        }
        Ok(Self::reply(found, is_for_model(cx) && self.max_definitions.is_none()))
    }
}
