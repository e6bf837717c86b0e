//! Dialogs that a page's script opens, and that keep it from going on: alert, confirm, prompt, and the question before leaving.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_core::dialogs::Dialogs;

use super::place::PAUSE;
use crate::driver::{self, DIALOG_OPEN, LEAVE_ASKED, PageDialog};
use crate::wording::clip;
use crate::{ActionTool, Context, Error, Kind, Reply, Shape, Tool, ToolKind, Toolset, link, wait};

pub(crate) const TOOLS: &[ActionTool] = &[ActionTool::of::<AcceptDialog>(), ActionTool::of::<DismissDialog>()];

/// Accept the dialog that the page's script has opened, once it is there.
#[derive(Deserialize, JsonSchema)]
struct AcceptDialog {
    /// What is entered into a prompt.
    #[serde(default)]
    text: Option<String>,
    #[serde(flatten)]
    expected: Expected,
}

impl Tool for AcceptDialog {
    const NAME: &'static str = "accept_dialog";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Dialog;
    const IN_BROWSER_CORE: bool = true;
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const MAIN: Option<&'static str> = Some("dialog");
    const ANSWER: &'static [&'static str] = &["dialog", "type"];

    fn limit(&self) -> Duration {
        wait::limit(self.expected.timeout)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let dialog = self.expected.wait(cx).await?;
        if self.text.is_some() && !matches!(dialog.kind.as_str(), "prompt" | "dialog") {
            let message =
                format!("the dialog is no prompt ({}): \"{}\"; leave `text` out", dialog.kind, dialog.message);
            return Err(Error::new(Kind::Assertion, message));
        }
        match dialog.kind.as_str() {
            "beforeunload" => link::leave(cx).await?,
            _ => cx.driver()?.answer_page_dialog(true, self.text.as_deref()).await?,
        }
        Ok(answered("Accepted", &dialog))
    }
}

/// Dismiss the dialog that the page's script has opened, once it is there.
#[derive(Deserialize, JsonSchema)]
struct DismissDialog {
    #[serde(flatten)]
    expected: Expected,
}

impl Tool for DismissDialog {
    const NAME: &'static str = "dismiss_dialog";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Dialog;
    const MAIN: Option<&'static str> = Some("dialog");
    const ANSWER: &'static [&'static str] = &["dialog", "type"];

    fn limit(&self) -> Duration {
        wait::limit(self.expected.timeout)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let dialog = self.expected.wait(cx).await?;
        cx.driver()?.answer_page_dialog(false, None).await?;
        Ok(answered("Dismissed", &dialog))
    }
}

/// Which dialog is to be answered.
#[derive(Deserialize, JsonSchema)]
struct Expected {
    /// A part of what it must say.
    #[serde(default)]
    #[schemars(length(min = 1))]
    contains: Option<String>,
    /// Seconds to wait; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
}

impl Expected {
    async fn wait(&self, cx: &Context) -> Result<PageDialog, Error> {
        let driver = cx.driver()?;
        let timeout = wait::timeout(cx, self.timeout);
        let end = Instant::now() + timeout;
        let dialog = loop {
            if let Some(dialog) = driver.page_dialog().await? {
                break dialog;
            }
            if Instant::now() >= end {
                let message = format!("the page's script opened no dialog {}", wait::span(cx, timeout));
                return Err(Error::new(Kind::NotFound, message));
            }
            tokio::time::sleep(PAUSE).await;
        };
        match self.contains.as_deref().filter(|part| !dialog.message.contains(part)) {
            None => Ok(dialog),
            Some(part) => {
                let message = format!("the dialog does not say \"{part}\" but \"{}\"", clip(&dialog.message));
                Err(Error::new(Kind::Assertion, message).with("actual", dialog.message))
            }
        }
    }
}

/// Tells whether the page asks whether it may be left that was to be left just now.
pub(crate) fn asks_to_leave(error: &driver::Error) -> bool {
    matches!(error, driver::Error::Rejected { code, .. } if code == LEAVE_ASKED)
}

/// Says that the page asks whether it may be left: the next step answers that.
pub(crate) async fn asked(cx: &Context, done: String, error: driver::Error) -> Result<Reply, Error> {
    match cx.driver()?.page_dialog().await? {
        Some(dialog) => Ok(told(Reply::new(done), &dialog)),
        None => Err(error.into()),
    }
}

/// Does what leaves the page in front; where that asks whether it may be left, it is left only where the testcase says so for all, and
/// else says that it asks.
pub(crate) async fn or_asked(
    cx: &Context,
    done: &str,
    act: impl Future<Output = Result<(), driver::Error>>,
) -> Result<Option<Reply>, Error> {
    match act.await {
        Err(error) if asks_to_leave(&error) && cx.options.dialogs == Dialogs::Accept => {
            link::leave(cx).await.map(|()| None)
        }
        Err(error) if asks_to_leave(&error) => asked(cx, done.to_owned(), error).await.map(Some),
        other => Ok(other.map(|()| None)?),
    }
}

/// Returns the dialog that a page has opened while it was loaded, which kept a look from it; any other error is one.
pub(crate) async fn shown_at_load(cx: &Context, error: Error) -> Result<PageDialog, Error> {
    if error.details.get("code").is_none_or(|code| code != DIALOG_OPEN) {
        return Err(error);
    }
    // Whether the page before may be left is no question of the one that comes.
    match cx.driver()?.page_dialog().await {
        Ok(Some(dialog)) if dialog.kind != "beforeunload" => Ok(dialog),
        _ => Err(error),
    }
}

/// Adds to what was done that the page has opened a dialog meanwhile.
pub(crate) fn told(mut reply: Reply, dialog: &PageDialog) -> Reply {
    reply.message.push_str(&format!(": a dialog of the page is open ({}): \"{}\"", dialog.kind, clip(&dialog.message)));
    reply.with("dialog", dialog.message.as_str()).with("type", dialog.kind.as_str())
}

fn answered(done: &str, dialog: &PageDialog) -> Reply {
    Reply::new(format!("{done} \"{}\"", clip(&dialog.message)))
        .with("dialog", dialog.message.as_str())
        .with("type", dialog.kind.as_str())
}
