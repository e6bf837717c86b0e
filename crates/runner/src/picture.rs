//! Pictures of what an action left on the screen.

use std::io;
use std::time::Duration;

use rmcp::model::CallToolRequestParams;

use super::Screenshots;
use super::action::{Done, png_of};
use super::context::StepContext;
use crate::caller::Call;
use crate::result::Outcome;
use crate::tools::{self, Kind};

/// How long a picture of a failure may take.
const LIMIT: Duration = Duration::from_secs(10);

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
    let on_device = tools::find(&done.tool).is_some_and(|tool| tool.needs_device);
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
    let request = CallToolRequestParams::new("screenshot").with_arguments(arguments);
    let taken = cx.run.caller.call(request, Call::default());
    let Ok(result) = tokio::time::timeout(LIMIT, taken).await else { return Ok(None) };
    match result.content.into_iter().find_map(png_of) {
        Some(png) => cx.run.sink.picture(&png, name).map(Some),
        None => Ok(None),
    }
}
