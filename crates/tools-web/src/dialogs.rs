//! Dialogs that a page's script opens, and that keep it from going on: alert, confirm, prompt, and the question before leaving.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Lacking, Shape, ToolKind, Toolset, for_pages};
use uixt_driver::PageDialog;
use uixt_locate::wording::clip;
use uixt_locate::{Error, Kind};
use uixt_toolkit::pages::leaving;
use uixt_toolkit::pages::place::PAUSE;
use uixt_toolkit::{ActionTool, Context, Reply, Tool, wait};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<AcceptDialog>(), ActionTool::of::<DismissDialog>()];

const DIALOGS: &[Lacking] = &for_pages("it shows no dialogs of pages; tap a button of what it asks, or `close_popups`");

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
    const LACKING: &'static [Lacking] = DIALOGS;
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
                format!("the dialog is not a prompt ({}): \"{}\"; leave `text` out", dialog.kind, dialog.message);
            return Err(Error::new(Kind::Assertion, message));
        }
        match dialog.kind.as_str() {
            "beforeunload" => leaving::leave(cx).await?,
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
    const LACKING: &'static [Lacking] = DIALOGS;
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
        let (end, mut waiting) = (Instant::now() + timeout, cx.waiting());
        let dialog = loop {
            if let Some(dialog) = driver.page_dialog().await? {
                break dialog;
            }
            if Instant::now() >= end {
                let message = format!("the page's script opened no dialog {}", wait::span(cx, timeout));
                return Err(Error::new(Kind::NotFound, message));
            }
            waiting.pause(PAUSE).await;
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

fn answered(done: &str, dialog: &PageDialog) -> Reply {
    Reply::new(format!("{done} \"{}\"", clip(&dialog.message)))
        .with("dialog", dialog.message.as_str())
        .with("type", dialog.kind.as_str())
}
