//! Refusals of the DevTools protocol → errors in the words of whoever tests a page.

use serde_json::Value;

use super::backend::LEAVING;
use super::connection::Refusal;
use super::tabs::exception;
use crate::driver::{DIALOG_OPEN, Error, LEAVE_ASKED, NO_PAGE, NOT_TAKEN, PageDialog, THREW};

/// Tells whether a command was not answered since the page was left or closed.
pub(super) fn is_about_leaving(said: &str) -> bool {
    const WORDS: &[&str] = &[
        "Execution context was destroyed",
        "Cannot find context with specified id",
        "Inspected target navigated or closed",
        "Cannot find default execution context",
        "Promise was collected",
        "No frame for given id found",
        "Session with given id not found",
    ];
    WORDS.iter().any(|word| said.contains(word))
}

pub(super) fn thrown(details: &Value) -> Error {
    let thrown = exception(details);
    let hint = match thrown.starts_with("SyntaxError") {
        true => "; a script is one expression or a function, which may hold statements: `() => { …; return … }`",
        false => "",
    };
    Error::Rejected { code: THREW.to_owned(), message: format!("the script threw: {thrown}{hint}") }
}

pub(super) fn unopened(url: &str, reason: &str) -> Error {
    let hint = match reason {
        reason if reason.contains("ERR_CERT") => {
            "; `ignore_https_errors: true` in the config's `browser` takes any certificate"
        }
        reason if reason.contains("ERR_INVALID_AUTH_CREDENTIALS") => {
            "; the server asks for a name and a password: `http_credentials: {username, password}` in the config's `browser`"
        }
        reason if reason.contains("ERR_ABORTED") => "; it is a download, or gave no page",
        _ => "",
    };
    Error::Rejected { code: reason.to_owned(), message: format!("{url} cannot be opened: {reason}{hint}") }
}

pub(super) fn failed(what: &str, refusal: &Refusal) -> Error {
    match refusal {
        Refusal::Gone => gone(),
        Refusal::Late(after) => {
            Error::Device { message: format!("the browser did not answer {what} within {} s", after.as_secs()) }
        }
        Refusal::Said(said) => Error::Device { message: format!("{what}: {said}") },
    }
}

pub(super) fn gone() -> Error {
    Error::Disconnected { message: "the browser is gone".to_owned() }
}

pub(super) fn closed() -> Error {
    Error::Disconnected { message: "the page was closed, and no other is open; `open_url` opens one".to_owned() }
}

pub(super) fn crashed() -> Error {
    Error::Device { message: "the page has crashed; `open_url` loads one again".to_owned() }
}

/// Says what a page does not take.
pub(super) fn not_taken(message: impl Into<String>) -> Error {
    Error::Rejected { code: NOT_TAKEN.to_owned(), message: message.into() }
}

/// Says that a page's history goes no further.
pub(super) fn no_page(delta: i32) -> Error {
    let side = if delta < 0 { "before" } else { "after" };
    let message = format!("there is no page {side} this one in its tab's history");
    Error::Rejected { code: NO_PAGE.to_owned(), message }
}

/// What is said of a page that asks whether it may be left.
const LEAVE_QUESTION: &str = "the page asks whether it may be left (beforeunload), and was not left: accept the dialog to leave it, dismiss \
                              it to stay";

/// Says that a page asks whether it may be left.
pub(super) fn leave_asked() -> Error {
    Error::Rejected { code: LEAVE_ASKED.to_owned(), message: LEAVE_QUESTION.to_owned() }
}

pub(super) fn in_the_way(dialog: &PageDialog) -> Error {
    let PageDialog { kind, message, .. } = dialog;
    let message = match kind.as_str() {
        LEAVING => LEAVE_QUESTION.to_owned(),
        _ => format!("a dialog of the page is open ({kind}): \"{message}\"; accept or dismiss it first"),
    };
    Error::Rejected { code: DIALOG_OPEN.to_owned(), message }
}
