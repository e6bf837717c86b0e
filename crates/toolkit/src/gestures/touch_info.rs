//! Touches → a server that is told of each just before it, as `HttpRunner` tells the one that it calls `evalpkgs`.
//!
//! The touch does not depend on it: a server that fails is told nothing more in this session, which is a warning of the call.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use uixt_call::TOUCH_SERVER;
use uixt_driver::{Gesture, Point};
use uixt_locate::Object;

use crate::{Context, State, other_servers};

/// The tool of the server that takes a touch's points.
const TOOL: &str = "set_touch_info_list";

/// How long the server may take.
const LIMIT: Duration = Duration::from_secs(10);

/// Set once the server that is told of touches has failed.
#[derive(Default)]
struct Untold(AtomicBool);

impl State for Untold {}

/// Tells the server of a gesture, where the call asks for that and there is such a server.
pub(crate) async fn tell(cx: &Context, gesture: &Gesture) {
    let Some(servers) = other_servers::of(cx).filter(|servers| cx.options.anti_risk && servers.has(TOUCH_SERVER))
    else {
        return;
    };
    cx.options.used.note("anti_risk");
    let untold = cx.session.state::<Untold>();
    if untold.0.load(Ordering::Relaxed) {
        return;
    }
    let telling = async {
        let arguments = arguments(cx, gesture).await;
        servers.call(TOUCH_SERVER, TOOL, arguments, Some(LIMIT), uixt_call::Progress::default()).await
    };
    let why = match tokio::time::timeout(LIMIT, telling).await {
        Ok(Ok(result)) if result.is_error != Some(true) => return,
        Ok(Ok(_)) => format!("{TOOL} of {TOUCH_SERVER} answered with an error"),
        Ok(Err(error)) => error.message.chars().take(LONGEST_REASON).collect(),
        Err(_) => format!("{TOUCH_SERVER} took longer than {} s", LIMIT.as_secs()),
    };
    if !untold.0.swap(true, Ordering::Relaxed) {
        cx.options.used.warn(format!("`anti_risk`: touches are not reported from here on: {why}"));
    }
}

/// Most characters of what is said of a server that failed.
const LONGEST_REASON: usize = 300;

/// Returns what the server is told; what the device does not say is left out.
async fn arguments(cx: &Context, gesture: &Gesture) -> Object {
    let mut told = Object::new();
    if let Some(device) = &cx.device {
        if let Ok(details) = device.details().await {
            told.insert("deviceModel".to_owned(), details.model.into());
        }
        told.insert("deviceSerial".to_owned(), device.info().serial.as_str().into());
        if let Ok(foreground) = device.foreground().await {
            told.insert("packageName".to_owned(), foreground.package.into());
        }
    }
    told.insert("points".to_owned(), points(gesture));
    told.insert("clean".to_owned(), true.into());
    told
}

/// Returns the points of a gesture, in pixels.
fn points(gesture: &Gesture) -> Value {
    let point = |point: &Point| json!({"x": point.x, "y": point.y});
    match gesture {
        Gesture::Tap { at, .. } | Gesture::DoubleTap { at } | Gesture::Pinch { at, .. } => json!([point(at)]),
        Gesture::Swipe { from, to, .. } | Gesture::Drag { from, to, .. } => json!([point(from), point(to)]),
        Gesture::Path(stops) => stops.iter().map(|stop| point(&stop.at)).collect(),
    }
}
