//! Closing what pops up: dialogs over the app, one after the other, each by its least committing button.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_core::dialogs::Dialogs;

use super::dialog::{self, Dialog};
use super::drawn_popups::{self, GOING, MAX};
use super::pixel_elements::Source;
use super::stability::{SAMPLE, Stability};
use super::wait::Miss;
use super::{ActionTool, Context, Error, Kind, Reply, Tool, ToolKind, ToolRow, Toolset, screen_power, touch, wait};
use crate::driver::{self, Driver};

pub(super) const TOOLS: &[ActionTool] = &[ActionTool::of::<ClosePopups>()];

/// How long a dialog may move before it is touched where it is.
const MOTION: Duration = Duration::from_secs(2);
/// How long another dialog may take to come once one is gone.
const NEXT: Duration = Duration::from_millis(300);

/// Close dialogs that lie over the app, one after the other, without agreeing to anything; none is as good.
#[derive(Deserialize, JsonSchema)]
struct ClosePopups {
    /// What shows a dialog: `tree` (the elements; the usual), `pixels` (a close cross, or a drawn word such as Skip, 以后再说), `auto`
    /// (both).
    #[serde(default)]
    #[schemars(extend("x-unpublished" = true))]
    source: Option<Source>,
}

impl Tool for ClosePopups {
    const NAME: &'static str = "close_popups";
    const SET: Option<Toolset> = Some(Toolset::Core);
    const KIND: ToolKind = ToolKind::Popups;
    const MAIN: Option<&'static str> = Some("count");
    const ANSWER: &'static [&'static str] = &["closed", "count"];

    fn limit(&self) -> Duration {
        super::LIMIT + (MOTION + GOING + NEXT) * u32::try_from(MAX).unwrap_or(0)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let source = self.source.unwrap_or_default();
        // The elements are looked at as such; pixels come after.
        cx.options.asked.read_by(Source::Tree);
        let mut reply = Reply::default();
        let mut closed = of_page(cx.driver()?, false).await?;
        if source == Source::Pixels {
            return Ok(told(drawn_popups::close(cx, reply, closed).await?));
        }
        loop {
            let dialog = match next(cx, !closed.is_empty()).await {
                Ok(Some(dialog)) => dialog,
                Ok(None) => break,
                // A page may open another while it is looked at.
                Err(error) if closed.len() < MAX && is_of_page(&error) => {
                    closed.extend(of_page(cx.driver()?, false).await?);
                    continue;
                }
                Err(error) => return Err(error),
            };
            if closed.len() == MAX {
                let message = format!("{MAX} dialogs were closed, and there is yet another: {dialog}");
                return Err(Error::new(Kind::WaitTimeout, message).with("closed", json!(closed)));
            }
            let Some(button) = &dialog.button else { return Err(no_button(&dialog)) };
            let gesture = touch::tap(button.rect.center(), None);
            reply = reply.touched(cx.perform_as_it_is(None, gesture, dialog.screen).await?);
            gone(cx, &dialog, &button.name).await?;
            closed.push(json!({"dialog": dialog.title, "button": button.name}));
        }
        Ok(told(match source {
            Source::Auto => drawn_popups::close(cx, reply, closed).await?,
            _ => (reply, closed),
        }))
    }
}

/// Says how many were closed.
fn told((mut reply, closed): (Reply, Vec<Value>)) -> Reply {
    reply.message = match closed.len() {
        0 => "No dialog lies over the app".to_owned(),
        1 => "Closed 1 dialog".to_owned(),
        count => format!("Closed {count} dialogs"),
    };
    let count = closed.len();
    reply.with("closed", closed).with("count", count)
}

pub(super) fn is_of_page(error: &Error) -> bool {
    error.details.get("code").is_some_and(|code| code == driver::DIALOG_OPEN)
}

/// Answers the dialogs of a page that are open, as the testcase says of those that no step answers, and warns of it.
pub(super) async fn answer_unasked(tool: &ToolRow, cx: &Context) -> Result<(), Error> {
    let dialogs = cx.options.dialogs;
    let Some(device) = cx.device.as_deref().filter(|_| dialogs != Dialogs::Fail && tool.needs_device) else {
        return Ok(());
    };
    if device.pages("open dialogs").is_err() || matches!(tool.kind, ToolKind::Dialog | ToolKind::Popups) {
        return Ok(());
    }
    for closed in of_page(device, dialogs == Dialogs::Accept).await? {
        let (dialog, button) = (&closed["dialog"], closed["button"].as_str().unwrap_or_default());
        cx.options.used.warn(format!("`dialogs: {button}` answered the page's dialog {dialog}"));
    }
    Ok(())
}

/// Answers the dialogs that a page's script has opened, one after the other: while one is open, nothing of the page can be seen.
pub(super) async fn of_page(driver: &dyn Driver, accept: bool) -> Result<Vec<Value>, Error> {
    let mut closed = Vec::new();
    loop {
        let dialog = match driver.page_dialog().await {
            Ok(Some(dialog)) => dialog,
            Ok(None) | Err(driver::Error::Unsupported { .. }) => return Ok(closed),
            Err(error) => return Err(error.into()),
        };
        if closed.len() == MAX {
            let message = format!("{MAX} dialogs were closed, and there is yet another: \"{}\"", dialog.message);
            return Err(Error::new(Kind::WaitTimeout, message).with("closed", closed));
        }
        driver.answer_page_dialog(accept, None).await?;
        closed.push(json!({"dialog": dialog.message, "button": if accept { "accept" } else { "dismiss" }}));
        tokio::time::sleep(SAMPLE).await;
    }
}

/// Returns the dialog that is there once it stands still; after another one went, it may take a moment to come.
async fn next(cx: &Context, after_another: bool) -> Result<Option<Dialog>, Error> {
    let began = Instant::now();
    let mut stability = Stability::bearing(MOTION);
    loop {
        // A look that took long says nothing of its end.
        let is_late = began.elapsed() >= NEXT;
        let screen = cx.driver()?.screen_within(GOING).await?;
        screen_power::require_shown("whether a dialog lies over the app cannot be told", screen.display())?;
        match dialog::find(&screen) {
            None if !after_another || is_late => return Ok(None),
            None => stability.forget(),
            Some(found) => {
                if let Some(still) = stability.look(found) {
                    return Ok(Some(still.seen));
                }
            }
        }
        tokio::time::sleep(SAMPLE).await;
    }
}

/// Waits until a dialog whose button was touched is gone, or has given way to another.
async fn gone(cx: &Context, dialog: &Dialog, button: &str) -> Result<(), Error> {
    wait::until(cx, GOING, |screen| match dialog::find(screen) {
        Some(still) if still == *dialog => {
            let message = format!("{dialog} is still there {} s after a touch on \"{button}\"", GOING.as_secs());
            Err(Miss::Other(Error::new(Kind::WaitTimeout, message)))
        }
        _ => Ok(()),
    })
    .await
}

fn no_button(dialog: &Dialog) -> Error {
    let listed = dialog.buttons.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let has = if listed.is_empty() { "it has none with a name".to_owned() } else { format!("it has: {listed}") };
    let message =
        format!("{dialog} has no button that closes it without agreeing to something; {has}; tap the one you mean");
    Error::new(Kind::NotFound, message).with("code", "NO_CLOSE_BUTTON").with("buttons", json!(dialog.buttons))
}
