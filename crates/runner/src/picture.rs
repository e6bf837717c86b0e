//! Pictures of what an action left on the screen.

use std::io;
use std::time::Duration;

use uixt_call::{Call, CallToolRequest};
use uixt_locate::Kind;

use super::context::StepContext;
use super::done::{Done, png_of};
use super::last_picture::LastPicture;
use super::{Keep, Screenshots};
use crate::result::Outcome;

/// How long a picture of a failure may take.
const LIMIT: Duration = Duration::from_secs(10);

/// The tool whose pictures are of something else than the screen as it is.
const OF_PARTS: &str = "assert_screenshot";

/// Takes in that something was done to the screen.
pub(super) fn outdate(cx: &StepContext<'_>) {
    if let Some(last) = cx.run.last_picture.lock().as_mut().filter(|last| last.is_of(cx)) {
        last.is_current = false;
    }
}

/// Takes in a picture that was kept of an action.
pub(super) fn note(cx: &StepContext<'_>, done: &Done, step: u32, path: Option<&str>) {
    let Some(path) = path.filter(|_| done.tool != OF_PARTS) else { return };
    if cx.run.tool(&done.tool).is_some_and(|tool| tool.needs_device) {
        // One that shows a gesture was taken just before that.
        let is_current = done.mark.is_none();
        *cx.run.last_picture.lock() = Some(LastPicture { path: path.to_owned(), step, device: device(cx), is_current });
    }
}

/// Takes a picture before an action that does something to the screen, where all evidence is kept and no picture shows it as it is.
pub(super) async fn before(cx: &StepContext<'_>, tool: &str, step: u32) -> io::Result<()> {
    let acts = cx.run.tool(tool).is_some_and(|tool| tool.needs_device && !tool.read_only);
    let is_shown = cx.run.last_picture.lock().as_ref().is_some_and(|last| last.is_current && last.is_of(cx));
    if cx.run.options.evidence != Keep::All || !acts || is_shown || cx.run.stop.is_asked() {
        return Ok(());
    }
    let named = device(cx).map(|serial| ("serial".to_owned(), serial.into()));
    if let Some(path) = taken(cx, named.into_iter().collect(), None).await? {
        *cx.run.last_picture.lock() = Some(LastPicture { path, step, device: device(cx), is_current: true });
    }
    Ok(())
}

/// Keeps the picture that an action brought, or takes one where the options ask for it.
pub(super) async fn of(cx: &StepContext<'_>, done: &Done, outcome: Outcome) -> io::Result<Option<String>> {
    let name = done.file_name.as_deref();
    if let [first, others @ ..] = &done.pictures[..] {
        let kept = cx.run.sink.picture(first, name)?;
        for other in others {
            let other = cx.run.sink.picture(other, name)?;
            cx.run.log("info", format!("{} was asked for another picture: {other}", done.tool))?;
        }
        return Ok(Some(kept));
    }
    let on_device = cx.run.tool(&done.tool).is_some_and(|tool| tool.needs_device);
    let wanted = match cx.run.options.screenshots {
        Screenshots::Never => false,
        Screenshots::Failure => outcome >= Outcome::Failed,
        Screenshots::Step => true,
    };
    let reachable = done.error.as_ref().is_none_or(|error| error.kind != Kind::Transport.name());
    if !on_device || !wanted || !reachable || cx.run.stop.is_asked() {
        return Ok(None);
    }
    let same_device = done.arguments.iter().filter(|(key, _)| matches!(key.as_str(), "platform" | "serial"));
    let arguments = same_device.map(|(key, value)| (key.clone(), value.clone())).collect();
    taken(cx, arguments, name).await
}

/// Returns the serial of the device that the steps here go to, where one is named.
fn device(cx: &StepContext<'_>) -> Option<String> {
    cx.device.map(|device| device.serial.to_owned())
}

/// Takes a picture of the screen and keeps it; none where there is none within a while.
async fn taken(
    cx: &StepContext<'_>,
    arguments: serde_json::Map<String, serde_json::Value>,
    name: Option<&str>,
) -> io::Result<Option<String>> {
    let request = CallToolRequest::new("screenshot").with_arguments(arguments);
    let taken = cx.run.caller.call(request, Call::default());
    let Ok(result) = tokio::time::timeout(LIMIT, taken).await else { return Ok(None) };
    match result.content.iter().find_map(png_of) {
        Some(png) => cx.run.sink.picture(&png, name).map(Some),
        None => Ok(None),
    }
}
