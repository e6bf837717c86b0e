//! What stands on devices, and what was done with them, as resources: pictures, element trees, snapshots of one element, the
//! session's report.
//!
//! All of it is asked of the caller, by the same tools that a model calls.

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::{Value, json};
use uixt_call::{Boxed, Call, CallToolRequest, CallToolResult, Caller, Content};
use uixt_locate::Object;

use super::provider::{Answer, Asked, Provider};
use super::session_log::{Device, SessionLog};
use super::table::said;
use super::uri::{self, SESSION};

pub(super) const REPORT: &str = "report";
const SCREEN: &str = "screen";
const TREE: &str = "tree";
const ELEMENTS: &str = "elements";

/// The parts of a device that change when it is touched.
pub(super) const PARTS: [&str; 2] = [SCREEN, TREE];

/// Most devices whose screens are listed.
const MOST_DEVICES: usize = 50;

/// Returns what may be another one after a call to a device, which some answers do not name.
pub(super) fn changed(device: Option<&Device>, log: &SessionLog) -> Vec<String> {
    let usual = device.is_none_or(|device| log.is_usual(device));
    let of_session = PARTS.iter().filter(|_| usual).map(|part| uri::of(&[SESSION, part]));
    let of_device = device
        .into_iter()
        .flat_map(|(platform, serial)| PARTS.iter().map(move |part| uri::of(&[platform, serial, part])));
    of_session.chain(of_device).collect()
}

/// Tells whether a URI names what changes when a device is touched.
pub(super) fn is_part(uri: &str) -> bool {
    matches!(named(uri), Some(Named::Part(..)))
}

/// Asks a caller for what can be seen.
pub(super) struct Screens {
    pub caller: Arc<dyn Caller>,
    pub session_log: Arc<SessionLog>,
}

/// What a URI of ours names.
#[derive(Debug, PartialEq)]
enum Named {
    Report,
    /// A part of a device, with the arguments that pick the device: none for the session's.
    Part(&'static str, Object),
    /// An element of the session's device, by its ref.
    Element(String),
}

fn named(uri: &str) -> Option<Named> {
    let segments = uri::segments(uri)?;
    let words: Vec<&str> = segments.iter().map(String::as_str).collect();
    let part = |name: &str| PARTS.into_iter().find(|part| *part == name);
    match words[..] {
        [SESSION, REPORT] => Some(Named::Report),
        [SESSION, name] => Some(Named::Part(part(name)?, Object::new())),
        [SESSION, ELEMENTS, reference] => Some(Named::Element(reference.to_owned())),
        [SESSION, ..] => None,
        [platform, serial, name] if !platform.is_empty() && !serial.is_empty() => {
            let of = [("platform", platform), ("serial", serial)];
            let arguments = of.into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect();
            Some(Named::Part(part(name)?, arguments))
        }
        _ => None,
    }
}

impl Screens {
    /// Returns the devices that can be used, each with its platform, serial and name: so many that a list has room for.
    pub(super) async fn devices(&self) -> Vec<[String; 3]> {
        let mut devices = self.all_devices().await;
        devices.truncate(MOST_DEVICES);
        devices
    }

    /// Returns the error of a subscription to a device that is not connected.
    pub(super) async fn check(&self, uri: &str) -> Result<(), ErrorData> {
        let Some(Named::Part(_, arguments)) = named(uri) else { return Ok(()) };
        let wanted = |key: &str| arguments.get(key).and_then(Value::as_str);
        let (Some(platform), Some(serial)) = (wanted("platform"), wanted("serial")) else { return Ok(()) };
        let devices = self.all_devices().await;
        if devices.iter().any(|[known, name, _]| known == platform && name == serial) {
            return Ok(());
        }
        let connected: Vec<String> =
            devices.iter().take(MOST_DEVICES).map(|[platform, serial, _]| format!("{platform}:{serial}")).collect();
        let message = format!("device {platform}:{serial} is not connected; connected: {}", connected.join(", "));
        Err(ErrorData::resource_not_found(message, Some(json!({"uri": uri}))))
    }

    async fn all_devices(&self) -> Vec<[String; 3]> {
        let request = CallToolRequest::new("list_available_devices");
        let result = self.caller.call(request, Call::default()).await;
        let listed = result.structured_content.as_ref().and_then(|answer| answer.get("devices")?.as_array());
        let online = listed.into_iter().flatten().filter(|device| device["status"] == "online");
        let text = |device: &Value, key: &str| device[key].as_str().unwrap_or_default().to_owned();
        online.map(|device| ["platform", "serial", "name"].map(|key| text(device, key))).collect()
    }

    async fn contents(&self, uri: &str, named: Named, asked: &Asked) -> Result<ResourceContents, ErrorData> {
        match named {
            Named::Report => {
                let report = serde_json::to_string_pretty(&self.session_log.json()).unwrap_or_default();
                Ok(ResourceContents::text(report, uri).with_mime_type("application/json"))
            }
            Named::Part(SCREEN, mut arguments) => {
                arguments.insert("max_image_px".to_owned(), 0.into());
                let result = self.call("screenshot", arguments, uri, asked).await?;
                let picture = result.content.into_iter().find_map(|content| match content {
                    Content::Image { data, mime_type, .. } => Some((data, mime_type)),
                    _ => None,
                });
                let (data, kind) =
                    picture.ok_or_else(|| ErrorData::internal_error("the device gave no picture", None))?;
                Ok(ResourceContents::blob(data, uri).with_mime_type(kind))
            }
            Named::Part(_, arguments) => {
                let result = self.call("get_source", arguments, uri, asked).await?;
                Ok(ResourceContents::text(said(&result, "source"), uri).with_mime_type("application/xml"))
            }
            Named::Element(reference) => {
                let within = json!({"within": {"ref": reference}}).as_object().cloned().unwrap_or_default();
                let result = self.call("snapshot", within, uri, asked).await?;
                Ok(ResourceContents::text(said(&result, "snapshot"), uri).with_mime_type("text/plain"))
            }
        }
    }

    async fn call(
        &self,
        tool: &'static str,
        arguments: Object,
        uri: &str,
        asked: &Asked,
    ) -> Result<CallToolResult, ErrorData> {
        let request = CallToolRequest::new(tool).with_arguments(arguments);
        let result = self.caller.call(request, Call { is_whole: true, ..Call::until(asked.ct.clone()) }).await;
        if result.is_failure() { Err(failure(&result, uri)) } else { Ok(result) }
    }
}

/// Returns why a resource cannot be read; a device or an element that is not there is a resource that is not there.
fn failure(result: &CallToolResult, uri: &str) -> ErrorData {
    let (message, kind) = (said(result, "message"), said(result, "kind"));
    let data = Some(json!({"uri": uri, "kind": kind}));
    match kind.as_str() {
        "Transport" | "NotFound" => ErrorData::resource_not_found(message, data),
        _ => ErrorData::internal_error(message, data),
    }
}

impl Provider for Screens {
    fn resources(&self, _: &Asked) -> Boxed<'_, Vec<Resource>> {
        Box::pin(async {
            let mut resources = vec![
                part(&uri::of(&[SESSION, SCREEN]), SCREEN, "Screen of the selected device"),
                part(&uri::of(&[SESSION, TREE]), TREE, "Element tree of the selected device"),
                Resource::new(uri::of(&[SESSION, REPORT]), REPORT)
                    .with_title("Report of this session: what was called, with outcomes")
                    .with_mime_type("application/json"),
            ];
            for [platform, serial, name] in self.devices().await {
                for (what, title) in [(SCREEN, "Screen"), (TREE, "Element tree")] {
                    let title = format!("{title} of {name} ({serial})");
                    resources.push(part(&uri::of(&[&platform, &serial, what]), what, &title));
                }
            }
            resources
        })
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        let of_device = |part: &str, title: &str| {
            ResourceTemplate::new(format!("uixt://{{platform}}/{{serial}}/{part}"), part).with_title(title)
        };
        vec![
            of_device(SCREEN, "Screen of a device").with_mime_type("image/png"),
            of_device(TREE, "Element tree of a device").with_mime_type("application/xml"),
            ResourceTemplate::new(format!("uixt://{SESSION}/{ELEMENTS}/{{ref}}"), "element")
                .with_title("What stands in an element of the last snapshot")
                .with_mime_type("text/plain"),
        ]
    }

    fn read<'a>(&'a self, uri: &'a str, asked: &'a Asked) -> Answer<'a, ReadResourceResponse> {
        let named = named(uri)?;
        Some(Box::pin(async move { Ok(ReadResourceResult::new(vec![self.contents(uri, named, asked).await?]).into()) }))
    }

    fn knows(&self, uri: &str) -> bool {
        named(uri).is_some()
    }
}

fn part(uri: &str, name: &str, title: &str) -> Resource {
    let kind = if name == SCREEN { "image/png" } else { "application/xml" };
    Resource::new(uri, name).with_title(title).with_mime_type(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_names_a_part_of_a_device_or_nothing() {
        let of = |platform: &str, serial: &str| match named(&uri::of(&[platform, serial, "screen"])) {
            Some(Named::Part("screen", arguments)) => Value::Object(arguments),
            other => panic!("{other:?}"),
        };
        assert_eq!(of("android", "a/b"), json!({"platform": "android", "serial": "a/b"}));
        assert_eq!(named("uixt://session/report"), Some(Named::Report));
        assert_eq!(named("uixt://session/elements/e4"), Some(Named::Element("e4".to_owned())));
        for nothing in ["uixt://session/x", "uixt://android/x", "uixt:///x/screen", "uixt://a/b/screen/c", "file:///a"]
        {
            assert_eq!(named(nothing), None, "{nothing}");
        }
    }
}
