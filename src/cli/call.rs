//! `uixt call`: one tool call from the shell.

mod words;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use clap::Args;
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
    /// Tool to call: `uixt tools` lists them.
    #[arg(add = ArgValueCandidates::new(completions::tool_names))]
    tool: String,
    /// Its arguments: a JSON object, or as in a testcase: `tap_xy 0.5 0.5`, `tap_element Sign timeout=5`.
    #[arg(value_name = "ARGUMENT", allow_negative_numbers = true)]
    arguments: Vec<String>,
    #[command(flatten)]
    devices: DeviceArgs,
    #[command(flatten)]
    uia2: Uia2Args,
    /// Writes the picture of `screenshot` to this file.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Call {
    pub(super) fn run(self) -> Done {
        let request = words::request(&self.tool, &self.arguments)?;
        let result = runtime()?.block_on(self.answer(request))?;
        self.keep_picture(&result)?;
        let object = result.structured_content.unwrap_or_default();
        print(&serde_json::to_string_pretty(&object).unwrap_or_default())?;
        Ok(exit(&object))
    }

    async fn answer(&self, request: CallToolRequestParams) -> Result<CallToolResult, Failure> {
        let mut fleet = Fleet::default();
        let (registry, session) = fleet.session(&self.devices, &self.uia2).await?;
        let caller = Local::new(
            registry,
            Arc::new(session.with_functions(Functions::of_project(Path::new(".")))),
            Audience::Testcase,
        );
        let answer = caller.call(request, caller::Call::default()).await;
        fleet.close().await;
        tidy::finish().await;
        Ok(answer)
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
