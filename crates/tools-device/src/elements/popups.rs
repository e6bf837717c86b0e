//! Closing what pops up: dialogs over the app, one after the other, each by its least committing button.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_call::{ToolKind, Toolset};
use uixt_locate::dialog::{self, Dialog};
use uixt_locate::pixel_elements::Source;
use uixt_locate::stability::{SAMPLE, Stability};
use uixt_locate::{Error, Kind, screen_power};
use uixt_toolkit::pages::dialogs::{MAX, is_of_page, of_page};
use uixt_toolkit::wait::{self, Miss};
use uixt_toolkit::{ActionTool, Context, Reply, Tool, gestures};

use super::drawn_popups::{self, GOING};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<ClosePopups>()];

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
        uixt_toolkit::LIMIT + (MOTION + GOING + NEXT) * u32::try_from(MAX).unwrap_or(0)
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
            let gesture = gestures::tap(button.rect.center(), None);
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

/// Returns the dialog that is there once it stands still; after another one went, it may take a moment to come.
async fn next(cx: &Context, after_another: bool) -> Result<Option<Dialog>, Error> {
    let (began, mut waiting) = (Instant::now(), cx.waiting());
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
        waiting.pause(SAMPLE).await;
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
