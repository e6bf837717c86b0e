//! Dialogs that a page's script opens, and that keep it from going on: those that no step answers, and what is told of one.

use serde_json::{Value, json};
use uixt_call::{ToolKind, ToolRow};
use uixt_core::dialogs::Dialogs;
use uixt_driver::{self as driver, DIALOG_OPEN, Driver, PageDialog};
use uixt_locate::stability::SAMPLE;
use uixt_locate::wording::clip;
use uixt_locate::{Error, Kind};

use crate::{Context, Reply};

/// How many dialogs may come one after the other.
pub const MAX: usize = 10;

/// Tells whether a dialog of the page kept it from being looked at or acted on.
pub fn is_of_page(error: &Error) -> bool {
    error.details.get("code").is_some_and(|code| code == driver::DIALOG_OPEN)
}

/// Answers the dialogs of a page that are open, as the testcase says of those that no step answers, and warns of it.
pub(crate) async fn answer_unasked(tool: &ToolRow, cx: &Context) -> Result<(), Error> {
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
pub async fn of_page(driver: &dyn Driver, accept: bool) -> Result<Vec<Value>, Error> {
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

/// Returns the dialog that a page has opened while it was loaded, which kept a look from it; any other error is one.
pub async fn shown_at_load(cx: &Context, error: Error) -> Result<PageDialog, Error> {
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
pub fn told(mut reply: Reply, dialog: &PageDialog) -> Reply {
    reply.message.push_str(&format!(": a dialog of the page is open ({}): \"{}\"", dialog.kind, clip(&dialog.message)));
    reply.with("dialog", dialog.message.as_str()).with("type", dialog.kind.as_str())
}
