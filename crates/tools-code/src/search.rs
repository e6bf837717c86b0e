//! Lines of files.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_code::{Filter, Found, Query, check_pattern, search};
use uixt_locate::{Error, Kind};
use uixt_toolkit::{Context, Reply, Tool};

use crate::place::{self, is_for_model};
use crate::room;

/// Lines that are told where the call does not say how many.
const USUAL: u32 = 100;

/// Search files, such as source code and logs, for lines that match a regular expression.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct SearchFileContent {
    /// File, folder or glob (`src/**/*.kt`), beside the testcase or below the project's folder (agents: below --allow-dir).
    #[schemars(length(min = 1))]
    file_path: String,
    /// Regular expression (Rust), for one line at a time; `(?i)` before it ignores case.
    #[schemars(length(min = 1))]
    regex_pattern: String,
    /// Only files of the folder that match, or with `!` do not: `*.{kt,java}`.
    #[serde(default)]
    glob: Option<String>,
    /// Lines shown before and behind each match.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10))]
    context: u32,
    /// Most matches; 100 by default.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1000))]
    max_matches: Option<u32>,
    /// Also files whose names begin with a dot.
    #[serde(default)]
    hidden: bool,
    /// Seconds; 30 by default.
    #[serde(default)]
    #[schemars(range(min = 1.0, max = 300.0))]
    timeout: Option<f64>,
}

pub(crate) fn patience(timeout: Option<f64>) -> Duration {
    Duration::from_secs_f64(timeout.unwrap_or(30.0).clamp(1.0, 300.0))
}

/// Says that not all was looked at, which is no answer.
pub(crate) fn cut_off<T>(found: &Found<T>, time: Duration, partly: serde_json::Value) -> Error {
    let message = format!(
        "not all files were searched within {} s, only {}; name a smaller folder or a `glob`, or a longer `timeout`",
        time.as_secs_f64(),
        found.files
    );
    Error::new(Kind::Service, message).with("searched", found.files).with("found", partly)
}

impl SearchFileContent {
    fn query(&self) -> Result<Query, Error> {
        let filter = Filter::new(self.glob.as_deref(), self.hidden).map_err(place::refused)?;
        let (context, most) = (self.context as usize, self.max_matches.unwrap_or(USUAL) as usize);
        Ok(Query { pattern: self.regex_pattern.clone(), filter, context, most })
    }

    fn reply(found: Found<String>, is_file: bool, is_bounded: bool) -> Reply {
        let length = |(file, text): &(PathBuf, String)| file.as_os_str().len() + text.chars().count();
        let Found { items, .. } = found;
        let (kept, is_cut) = room::fitting(items, is_bounded, length);
        let found = Found { items: Vec::new(), ..found };
        let files: BTreeSet<String> = kept.iter().map(|(file, _)| file.to_string_lossy().into_owned()).collect();
        let line = |(file, text): &(PathBuf, String)| match is_file {
            true => text.clone(),
            false => format!("{}: {text}", file.display()),
        };
        let matches: Vec<String> = kept.iter().map(line).collect();
        let why = match (is_cut, found.has_more) {
            (true, _) => Some("the answer has no room for more; ask with `max_matches`, or for less".to_owned()),
            (_, true) => Some(format!("there are more than {}; ask with a greater `max_matches`", matches.len())),
            _ => None,
        };
        let more = if why.is_some() { ", and there are more" } else { "" };
        let (count, searched) = (matches.len(), found.files);
        let message = match is_file {
            true => format!("{count} matches{more}"),
            false => format!("{count} matches in {} of {searched} files{more}", files.len()),
        };
        let reply = Reply::new(message).with("matches", matches).with("count", count);
        let reply = if is_file { reply } else { reply.with("files", files.into_iter().collect::<Vec<_>>()) };
        room::tell(reply, &found, ("matches", why))
    }
}

impl Tool for SearchFileContent {
    const NAME: &'static str = "search_file_content";
    const SET: Option<Toolset> = Some(Toolset::SearchTool);
    const KIND: ToolKind = ToolKind::Read;
    const NAMES_FILES: bool = true;
    const PARAMS: Shape = Shape::Fields(&["file_path", "regex_pattern"]);
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;
    const MAIN: Option<&'static str> = Some("matches");
    const ANSWER: &'static [&'static str] =
        &["matches", "count", "files", "searched", "skipped", "skipped_more", "truncated"];

    fn check(&self) -> Result<(), String> {
        check_pattern(&self.regex_pattern).map_err(|why| format!("`regex_pattern`: {why}"))?;
        Filter::new(self.glob.as_deref(), false).map(|_| ()).map_err(|why| format!("`glob`: {why}"))
    }

    fn limit(&self) -> Duration {
        patience(self.timeout) + Duration::from_secs(10)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let place = place::find(cx, &self.file_path).map_err(|error| named(Self::NAME, error))?;
        let (mut query, time) = (self.query()?, patience(self.timeout));
        if let Some(glob) = &place.glob {
            if self.glob.is_some() {
                return Err(named(
                    Self::NAME,
                    Error::bad_argument("`file_path` is a glob already; give a folder there, or no `glob`"),
                ));
            }
            query.filter = Filter::new(Some(glob), self.hidden).map_err(place::refused)?;
        }
        let is_file = !place.is_folder && place.glob.is_none();
        let found = place::look(time, move |limits| search(&place.folder, &place.path, &query, limits)).await;
        let found = found.map_err(|error| named(Self::NAME, error))?;
        if found.is_cut_off {
            let partly = found.items.iter().take(10).map(|(file, text)| format!("{}: {text}", file.display()));
            return Err(named(Self::NAME, cut_off(&found, time, partly.collect::<Vec<_>>().into())));
        }
        if let Some(skipped) = found.skipped.first().filter(|_| is_file) {
            let message = format!("{} is not searched: {}", skipped.file.display(), skipped.why);
            return Err(named(Self::NAME, Error::bad_argument(message)));
        }
        Ok(Self::reply(found, is_file, is_for_model(cx) && self.max_matches.is_none()))
    }
}

/// Names the tool before what an error says.
pub(crate) fn named(tool: &str, error: Error) -> Error {
    Error { message: format!("{tool}: {}", error.message), ..error }
}
