//! Completes arguments of prompts and of resource templates: devices, packages, refs, testcase files, numbers of calls.

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{CompleteRequestParams, CompletionInfo, Reference, ResourceTemplate};
use serde_json::{Value, json};
use uixt_call::{Call, CallToolRequest};
use uixt_locate::Object;

use super::prompts::{self, Sources};
use super::provider::{Answer, Asked, Provider};
use super::screens::Screens;
use super::screenshot_store::ScreenshotStore;

/// The other arguments, as far as they are given.
type Others<'a> = dyn Fn(&str) -> Option<String> + Send + Sync + 'a;

/// Knows what arguments may be.
pub(super) struct Completion {
    pub sources: Sources,
    pub screens: Arc<Screens>,
    pub screenshots: Arc<ScreenshotStore>,
}

impl Completion {
    /// Returns everything that an argument may be, given the others.
    async fn all(&self, argument: &str, others: &Others<'_>, asked: &Asked) -> Vec<String> {
        match argument {
            "platform" | "serial" => self.devices(argument, others).await,
            "package" => self.packages(others, asked).await,
            "ref" => self.sources.session_log.refs().into_iter().map(|(name, _)| name).collect(),
            "file" | "path" => {
                let files = self.sources.folder.get().map(|folder| folder.files());
                files.into_iter().flatten().map(|(path, _)| path).collect()
            }
            "call" => {
                let calls = self.sources.session_log.calls();
                calls.iter().rev().filter(|call| call.kind.is_some()).map(|call| call.number.to_string()).collect()
            }
            "number" => self.screenshots.numbers().iter().rev().map(u64::to_string).collect(),
            _ => Vec::new(),
        }
    }

    async fn devices(&self, argument: &str, others: &Others<'_>) -> Vec<String> {
        let (platform, serial) = (others("platform"), others("serial"));
        let devices = self.screens.devices().await.into_iter();
        let mut values: Vec<String> = match argument {
            "platform" => devices
                .filter(|[_, known, _]| serial.as_ref().is_none_or(|serial| serial == known))
                .map(|[platform, ..]| platform)
                .collect(),
            _ => devices
                .filter(|[known, ..]| platform.as_ref().is_none_or(|platform| platform == known))
                .map(|[_, serial, _]| serial)
                .collect(),
        };
        values.sort();
        values.dedup();
        values
    }

    async fn packages(&self, others: &Others<'_>, asked: &Asked) -> Vec<String> {
        let device =
            ["platform", "serial"].into_iter().filter_map(|key| Some((key.to_owned(), Value::from(others(key)?))));
        let arguments: Object = device.collect();
        let request = CallToolRequest::new("list_packages").with_arguments(arguments);
        let result = self.sources.caller.call(request, Call::until(asked.ct.clone())).await;
        let listed = result.structured_content.as_ref().and_then(|answer| answer.get("packages")?.as_array());
        listed.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Checks that what is completed is there, and has such an argument.
    fn check(request: &CompleteRequestParams) -> Result<(), ErrorData> {
        let name = &request.argument.name;
        let known: Vec<String> = match &request.r#ref {
            Reference::Prompt(prompt) => {
                prompts::arguments(&prompt.name).into_iter().flatten().map(str::to_owned).collect()
            }
            Reference::Resource(resource) => variables(&resource.uri),
            _ => Vec::new(),
        };
        match known.contains(name) {
            true => Ok(()),
            false => Err(ErrorData::invalid_params(
                format!("no argument {name} to complete; valid: {}", known.join(", ")),
                Some(json!({"argument": name})),
            )),
        }
    }
}

/// Returns the names that stand in a URI template.
fn variables(template: &str) -> Vec<String> {
    let parts = template.split('{').skip(1).filter_map(|part| part.split_once('}'));
    parts.map(|(name, _)| name.trim_start_matches('+').to_owned()).collect()
}

/// Returns those that begin with what was written, then those that have it elsewhere.
fn fitting(all: Vec<String>, written: &str) -> Vec<String> {
    let written = written.to_lowercase();
    let (first, rest): (Vec<String>, Vec<String>) =
        all.into_iter().partition(|value| value.to_lowercase().starts_with(&written));
    let others = rest.into_iter().filter(|value| value.to_lowercase().contains(&written));
    first.into_iter().chain(others).collect()
}

fn info(mut values: Vec<String>) -> CompletionInfo {
    let total = values.len();
    values.truncate(CompletionInfo::MAX_VALUES);
    let has_more = total > values.len();
    let total = u32::try_from(total).ok();
    CompletionInfo::with_pagination(values, total, has_more).unwrap_or_default()
}

impl Completion {
    /// Tells whether a prompt or a template is one of ours.
    fn is_ours(reference: &Reference, templates: &[ResourceTemplate]) -> bool {
        match reference {
            Reference::Prompt(prompt) => prompts::arguments(&prompt.name).is_some(),
            Reference::Resource(resource) => templates.iter().any(|template| template.uri_template == resource.uri),
            _ => false,
        }
    }

    fn our_templates(&self) -> Vec<ResourceTemplate> {
        let folder = self.sources.folder.get().map(|folder| folder.templates()).unwrap_or_default();
        [self.screens.templates(), self.screenshots.templates(), folder].concat()
    }
}

impl Provider for Completion {
    fn complete<'a>(&'a self, request: &'a CompleteRequestParams, asked: &'a Asked) -> Answer<'a, CompletionInfo> {
        if !Self::is_ours(&request.r#ref, &self.our_templates()) {
            return None;
        }
        Some(Box::pin(async move {
            Self::check(request)?;
            let given = request.context.as_ref().and_then(|context| context.arguments.as_ref());
            let others = |name: &str| given?.get(name).filter(|value| !value.is_empty()).cloned();
            let argument = &request.argument;
            let all = self.all(&argument.name, &others, asked).await;
            Ok(info(fitting(all, &argument.value)))
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_so_comes_first() {
        let all = ["com.android.settings", "com.uixt.shop", "org.shop.com"].map(str::to_owned).to_vec();
        assert_eq!(fitting(all.clone(), "COM.U"), ["com.uixt.shop"]);
        assert_eq!(fitting(all.clone(), "shop"), ["com.uixt.shop", "org.shop.com"]);
        assert_eq!(fitting(all, "org").first().map(String::as_str), Some("org.shop.com"));
        assert_eq!(variables("uixt://{platform}/{serial}/x/{+path}"), ["platform", "serial", "path"]);
    }

    #[test]
    fn there_are_a_hundred_at_most() {
        let many = (0..250).map(|number| number.to_string()).collect();
        let info = info(many);
        assert_eq!((info.values.len(), info.total, info.has_more), (100, Some(250), Some(true)));
    }
}
