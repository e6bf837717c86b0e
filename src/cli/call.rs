//! `uixt call`: tool calls from the shell, one or those of a model's text.

mod chinese;
mod text;
mod words;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCandidates;
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock};
use serde_json::Value;

use super::completions;
use super::device::{DeviceArgs, Fleet};
use super::exit::{Done, Exit, Failure, print, runtime};
use super::uia2::Uia2Args;
use crate::caller::{self, Audience, Caller, Local};
use crate::driver::tidy;
use crate::functions::Functions;
use crate::tools::Kind;

#[derive(Args)]
pub(super) struct Call {
    /// Tool to call: `uixt tools` lists them. Or a model's text with calls in it, `<uixt><home>{}</home></uixt>`; `-` reads it
    /// from standard input.
    #[arg(add = ArgValueCandidates::new(completions::tool_names))]
    tool: String,
    /// Its arguments: a JSON object, a JSON string that holds one, or as in a testcase: `tap_xy 0.5 0.5`, `tap_element Sign timeout=5`.
    #[arg(value_name = "ARGUMENT", allow_negative_numbers = true)]
    arguments: Vec<String>,
    #[command(flatten)]
    devices: DeviceArgs,
    #[command(flatten)]
    uia2: Uia2Args,
    /// Writes the picture of `screenshot` to this file.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Language in which wrong arguments are named.
    #[arg(long, value_enum, default_value = "en")]
    lang: Language,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Language {
    En,
    Zh,
}

impl Call {
    pub(super) fn run(self) -> Done {
        let requests = match text::is_one(&self.tool) {
            false => vec![words::request(&self.tool, &self.arguments)?],
            true if self.arguments.is_empty() => self.checked(text::read(&self.tool)?)?,
            true => {
                return Err(Failure::usage("a text with calls in it holds their arguments; write nothing behind it"));
            }
        };
        if requests.is_empty() {
            return Ok(Exit::Usage);
        }
        if requests.len() > 1 && self.output.is_some() {
            return Err(Failure::usage("--output takes the picture of one call"));
        }
        runtime()?.block_on(self.make(requests))
    }

    /// Returns what is to be called; nothing where a call is wrong, which is said as its answer.
    fn checked(&self, calls: Vec<text::Checked>) -> Result<Vec<CallToolRequestParams>, Failure> {
        let count = calls.len();
        let (good, wrong): (Vec<_>, Vec<_>) = calls.into_iter().partition(Result::is_ok);
        for object in wrong.iter().filter_map(|call| call.as_ref().err()) {
            self.answer(object)?;
        }
        match wrong.len() {
            0 => Ok(good.into_iter().filter_map(Result::ok).collect()),
            wrong if count > 1 => {
                eprintln!("{wrong} of {count} calls cannot be made; none was");
                Ok(Vec::new())
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Makes calls in their order, up to the first that does not succeed.
    async fn make(&self, requests: Vec<CallToolRequestParams>) -> Done {
        let mut fleet = Fleet::default();
        let (registry, session) = fleet.session(&self.devices, &self.uia2).await?;
        let caller = Local::new(
            registry,
            Arc::new(session.with_functions(Functions::of_project(Path::new(".")))),
            Audience::Testcase,
        );
        let done = self.make_with(&caller, requests).await;
        fleet.close().await;
        tidy::finish().await;
        done
    }

    async fn make_with(&self, caller: &dyn Caller, requests: Vec<CallToolRequestParams>) -> Done {
        let mut left = requests.len();
        for request in requests {
            left -= 1;
            let result = caller.call(request, caller::Call::default()).await;
            self.keep_picture(&result)?;
            let object = result.structured_content.unwrap_or_default();
            self.answer(&object)?;
            let exit = exit(&object);
            if exit != Exit::Passed {
                say_left(left);
                return Ok(exit);
            }
        }
        Ok(Exit::Passed)
    }

    fn answer(&self, object: &Value) -> Result<(), Failure> {
        let translated = (self.lang == Language::Zh).then(|| chinese::translated(object)).flatten();
        print(&serde_json::to_string_pretty(translated.as_ref().unwrap_or(object)).unwrap_or_default()).map(|_| ())
    }

    fn keep_picture(&self, result: &CallToolResult) -> Result<(), Failure> {
        let Some(path) = &self.output else { return Ok(()) };
        let picture = result.content.iter().find_map(|content| match content {
            ContentBlock::Image(image) => base64::engine::general_purpose::STANDARD.decode(&image.data).ok(),
            _ => None,
        });
        let Some(png) = picture else { return Ok(()) };
        std::fs::write(path, png).map_err(|error| Failure::errored(format!("cannot write {}: {error}", path.display())))
    }
}

/// Says that calls were not made, so that nobody takes them for done.
fn say_left(calls: usize) {
    match calls {
        0 => {}
        1 => eprintln!("the call after it was not made"),
        calls => eprintln!("the {calls} calls after it were not made"),
    }
}

fn exit(object: &Value) -> Exit {
    if object["success"] == Value::Bool(true) {
        return Exit::Passed;
    }
    let kind: Option<Kind> = serde_json::from_value(object["kind"].clone()).ok();
    match kind {
        Some(Kind::BadArgument) => Exit::Usage,
        Some(kind) if kind.is_failure() => Exit::Failed,
        _ => Exit::Errored,
    }
}
