//! What is seen of the screen: `source` and `screenshot`. Source: `FBDebugCommands`, `FBScreenshotCommands`.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::super::launcher;
use super::super::screenshot::encoded;
use super::super::system::System;
use super::agent::Agent;
use super::answer::{Outcome, Refusal};
use super::call::Call;
use super::element::Element;
use super::source::{self, Writing};
use super::{apps, elements};
use crate::jobs::off_thread;

/// The greatest `snapshotMaxDepth` with which snapshots succeed.
const DEEPEST: f64 = 62.0;
/// Pixels per inch at which a pixel is a point.
const NORMAL_DENSITY: f64 = 160.0;
/// How long a screenshot that fails takes (`FBScreenshot`), in milliseconds.
const SCREENSHOT_MS: f64 = 20_000.0;

pub(super) async fn answer(agent: &Arc<Agent>, call: &Call<'_>) -> Outcome {
    match (call.method, call.path.as_slice()) {
        ("GET", ["source"]) => tell_source(agent, call).await,
        ("GET", ["screenshot"]) => screenshot(agent).await,
        ("GET", ["screenshot", id]) => elements::screenshot(agent, id).await,
        ("GET", ["wda", "accessibleSource"]) => {
            let (tree, writing) = look(agent).await?;
            Ok(accessible(&tree, &writing).unwrap_or_else(|| json!({})))
        }
        _ => Err(call.unknown()),
    }
}

async fn tell_source(agent: &Arc<Agent>, call: &Call<'_>) -> Outcome {
    let format = call.parameter("format").unwrap_or("xml").to_ascii_lowercase();
    if format == "json" && agent.faults.is("no_json_source") {
        return Err(call.unknown());
    }
    if !["xml", "json", "description"].contains(&format.as_str()) {
        return Err(Refusal::argument(format!(
            "Unknown source format '{format}'. Only (xml, json, description) source formats are supported."
        )));
    }
    let (tree, mut writing) = look(agent).await?;
    writing.scope = call.parameter("scope").map(str::to_owned);
    let excluded = call.parameter("excluded_attributes").unwrap_or_default();
    writing.excluded = excluded.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    agent.counts.add("sources", 1);
    Ok(match format.as_str() {
        "json" => source::json(&tree, &writing),
        "description" => json!(source::description(&tree, &writing)),
        _ => json!(source::xml(&tree, &writing)),
    })
}

/// Reads the tree of the active app once it is idle, with how it is to be told.
pub(super) async fn look(agent: &Agent) -> Result<(Element, Writing), Refusal> {
    agent.until_idle().await;
    let depth = agent.number_setting("snapshotMaxDepth");
    let most = agent.faults.number("ax_error_above").unwrap_or(DEEPEST);
    if depth > most {
        let message = "Error kAXErrorIllegalArgument getting snapshot for element";
        return Err(Refusal::stale(message));
    }
    let mut system = agent.handset.system.lock().await;
    system.catch_up();
    let name = apps::active(agent, &system)?;
    if system.is_hung() && name.is_some() {
        return Err(Refusal::unknown("Timed out while evaluating UI query: the app does not respond"));
    }
    let mut tree = system.tree(name.as_deref());
    bend(agent, &mut tree);
    let name = name.unwrap_or_else(|| launcher::PACKAGE.to_owned());
    let process = system.pid(&name).filter(|_| !agent.is_old()).map(|pid| (pid, agent.bundle(&name).to_owned()));
    Ok((tree, writing(agent, &system, depth, process)))
}

fn writing(agent: &Agent, system: &System, depth: f64, process: Option<(u32, String)>) -> Writing {
    let (width, height) = system.size();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
    let depth = depth.max(0.0) as usize;
    Writing {
        scale: points(system),
        depth,
        process,
        is_old: agent.is_old(),
        visible_wrong: agent.faults.is("visible_wrong"),
        stale_rects: agent.faults.is("stale_rects"),
        swapped: agent.faults.is("landscape_swapped") && width > height,
        hittable: agent.is_set("includeHittableInPageSource"),
        native_frame: agent.is_set("includeNativeFrameInPageSource"),
        ..Writing::default()
    }
}

/// Returns the pixels of a point.
pub(super) fn points(system: &System) -> f64 {
    f64::from(system.options().density) / NORMAL_DENSITY
}

/// Makes a tree deeper or larger where a fault says so.
fn bend(agent: &Agent, tree: &mut Element) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of elements")]
    let number = |name: &str| agent.faults.number(name).unwrap_or(0.0).max(0.0) as usize;
    for _ in 0..number("deep_tree").min(500) {
        let inner = std::mem::take(&mut tree.children);
        let mut around = Element { is_visible: true, seen: tree.area, ..Element::new("Other", tree.area) };
        around.children = inner;
        tree.children.push(around);
    }
    let bytes = number("huge_source");
    let text = "x".repeat(500);
    for number in 0..bytes / 700 {
        let text = Element { label: format!("{number} {text}"), ..Element::new("StaticText", tree.area) };
        tree.children.push(text);
    }
}

/// Tells only what assistive programs are told of.
fn accessible(element: &Element, writing: &Writing) -> Option<Value> {
    let mut told = if element.is_accessible {
        if !writing.is_visible(element) {
            return None;
        }
        json!({"value": element.value(), "label": element.label()})
    } else {
        let children: Vec<Value> = element.children.iter().filter_map(|child| accessible(child, writing)).collect();
        if children.is_empty() {
            return None;
        }
        json!({"children": children})
    };
    told["type"] = json!(element.kind);
    told["rawIdentifier"] = Some(element.id.as_str()).filter(|id| !id.is_empty()).into();
    told["name"] = element.name().into();
    Some(told)
}

async fn screenshot(agent: &Arc<Agent>) -> Outcome {
    if agent.faults.take("screenshot_timeout") {
        let ms = agent.faults.number("screenshot_timeout_ms").unwrap_or(SCREENSHOT_MS);
        tokio::time::sleep(Duration::from_secs_f64((ms / 1000.0).clamp(0.0, 60.0))).await;
        return Err(Refusal::no_capture("Timed out while waiting for a screenshot"));
    }
    let is_stale = agent.faults.is("screenshot_stale");
    if let Some(picture) = agent.device.lock().stale_picture.clone().filter(|_| is_stale) {
        return Ok(json!(picture));
    }
    agent.handset.now_ms().await;
    let (width, height, pixels) = agent.handset.system.lock().await.pixels();
    let picture = off_thread(Box::new(move || encoded(width, height, &pixels))).await;
    let picture = STANDARD.encode(picture.map_err(|error| Refusal::no_capture(error.to_string()))?);
    agent.counts.add("screenshots", 1);
    if is_stale {
        agent.device.lock().stale_picture = Some(picture.clone());
    }
    Ok(json!(picture))
}
