//! Pages that ask whether they may be left (`beforeunload`), and what came in their place.

use std::borrow::Cow;

use parking_lot::Mutex;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use uixt_core::dialogs::Dialogs;
use uixt_driver::{self as driver, LEAVE_ASKED};
use uixt_locate::{Error, Kind};

use super::dialogs::told;
use crate::{Context, Reply, State};

/// How the address begins of the page that Chromium shows where it can open none.
const ERROR_PAGE: &str = "chrome-error:";

/// An address that was asked for, and is opened where the page in front may be left.
#[derive(Default)]
pub struct Leaving(Mutex<Option<(String, Option<Status>)>>);

impl State for Leaving {}

impl Leaving {
    /// Keeps what was asked for in the place of what was before, which it returns.
    pub fn put(&self, asked: Option<(String, Option<Status>)>) -> Option<(String, Option<Status>)> {
        std::mem::replace(&mut self.0.lock(), asked)
    }
}

/// Leaves the page that asks whether it may be left, and checks what comes as `open_url` does that asked for it.
pub async fn leave(cx: &Context) -> Result<(), Error> {
    let pages = cx.driver()?.pages("leave a page")?;
    let (asked, status) = (cx.session.state::<Leaving>().put(None), pages.leave().await?);
    let Some((url, wanted)) = asked else { return Ok(()) };
    let came = pages.place().await.map(|place| place.url);
    if came.is_ok_and(|came| came.starts_with(ERROR_PAGE)) {
        return Err(Error::new(
            Kind::Assertion,
            format!("{url} cannot be opened: the browser shows a page that says so"),
        ));
    }
    unwanted(&url, wanted, status).map_or(Ok(()), Err)
}

/// A status of HTTP, or any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Whatever it is.
    Any,
    /// This one.
    Of(u16),
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(any) if any == "any" => Ok(Self::Any),
            value => {
                let status = value.as_u64().and_then(|status| u16::try_from(status).ok());
                let status = status.filter(|status| (100..600).contains(status));
                let wrong =
                    || serde::de::Error::custom(format!("`status` is a number from 100 to 599, or any, not {value}"));
                status.map(Self::Of).ok_or_else(wrong)
            }
        }
    }
}

impl JsonSchema for Status {
    fn schema_name() -> Cow<'static, str> {
        "Status".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["integer", "string"]})
    }
}

/// Says why an answer is not the one that is wanted.
pub fn unwanted(url: &str, wanted: Option<Status>, came: Option<u16>) -> Option<Error> {
    let message = match (wanted, came) {
        (None, Some(status)) if status >= 400 => {
            format!("the server answered {status} for {url}; if that is expected, write `status: {status}`")
        }
        (Some(Status::Of(wanted)), Some(status)) if status != wanted => {
            format!("the server answered {status} for {url}, not {wanted}")
        }
        (Some(Status::Of(wanted)), None) => {
            let message = format!(
                "the HTTP status of {url} is not known: no server answered, or the browser does not tell it; expected {wanted}"
            );
            return Some(Error::new(Kind::Assertion, message));
        }
        _ => return None,
    };
    Some(Error::new(Kind::Assertion, message).with("status", came))
}

/// Tells whether the page asks whether it may be left that was to be left just now.
pub fn asks_to_leave(error: &driver::Error) -> bool {
    matches!(error, driver::Error::Rejected { code, .. } if code == LEAVE_ASKED)
}

/// Says that the page asks whether it may be left: the next step answers that.
pub async fn asked(cx: &Context, done: String, error: driver::Error) -> Result<Reply, Error> {
    match cx.driver()?.page_dialog().await? {
        Some(dialog) => Ok(told(Reply::new(done), &dialog)),
        None => Err(error.into()),
    }
}

/// Does what leaves the page in front; where that asks whether it may be left, it is left only where the testcase says so for all, and
/// else says that it asks.
pub async fn or_asked(
    cx: &Context,
    done: &str,
    act: impl Future<Output = Result<(), driver::Error>>,
) -> Result<Option<Reply>, Error> {
    match act.await {
        Err(error) if asks_to_leave(&error) && cx.options.dialogs == Dialogs::Accept => leave(cx).await.map(|()| None),
        Err(error) if asks_to_leave(&error) => asked(cx, done.to_owned(), error).await.map(Some),
        other => Ok(other.map(|()| None)?),
    }
}
