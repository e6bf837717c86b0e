//! Links.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use uixt_core::dialogs::Dialogs;

use super::app::{Looks, foreground_until};
use super::web::dialogs;
use super::{ActionTool, Aim, Context, Error, Kind, Reply, Shape, Tool, ToolKind, Toolset};
use crate::driver::Pages;
use crate::session::State;

pub(super) const TOOLS: &[ActionTool] = &[ActionTool::of::<OpenUrl>()];

/// The app that asks which app is to open a link, on Android.
const CHOOSER: &str = "android";

/// How the address begins of the page that Chromium shows where it can open none.
const ERROR_PAGE: &str = "chrome-error:";

/// How long the app that takes a link may take to come to the front.
const COMING: Duration = Duration::from_secs(3);

/// Open a web address or an app's deep link with the app that takes it.
#[derive(Deserialize, JsonSchema)]
struct OpenUrl {
    /// With its scheme, `https` or an app's own; `/path` of the config's `base_url` or the site that is served.
    #[schemars(length(min = 1, max = 8000))]
    url: String,
    /// App that is to open it.
    #[serde(default)]
    #[schemars(length(min = 1))]
    package_name: Option<String>,
    /// Status that a page's server must answer with, or `any`; without it, one of 400 and above fails.
    #[serde(default)]
    #[schemars(extend("x-unpublished" = true))]
    status: Option<Status>,
    /// Leaves a page that asks whether it may be left (`beforeunload`).
    #[serde(default)]
    #[schemars(extend("x-unpublished" = true))]
    leave: bool,
}

/// An address that was asked for, and is opened where the page in front may be left.
#[derive(Default)]
pub(super) struct Leaving(Mutex<Option<(String, Option<Status>)>>);

impl State for Leaving {}

impl Leaving {
    fn put(&self, asked: Option<(String, Option<Status>)>) -> Option<(String, Option<Status>)> {
        std::mem::replace(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner), asked)
    }
}

/// Leaves the page that asks whether it may be left, and checks what comes as `open_url` does that asked for it.
pub(super) async fn leave(cx: &Context) -> Result<(), Error> {
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
enum Status {
    Any,
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
fn unwanted(url: &str, wanted: Option<Status>, came: Option<u16>) -> Option<Error> {
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

impl Tool for OpenUrl {
    const NAME: &'static str = "open_url";
    const SET: Option<Toolset> = Some(Toolset::Apps);
    const KIND: ToolKind = ToolKind::Launch;
    const IN_GOALS: bool = true;
    const AIM: Aim = Aim::Address;
    const VERB: Option<&'static str> = Some("open");
    const IN_BROWSER_CORE: bool = true;
    const PARAMS: Shape = Shape::Fields(&["url"]);
    const ANSWER: &'static [&'static str] = &["url", "package_name", "foreground", "status", "dialog", "type"];

    fn check(&self) -> Result<(), String> {
        check(&self.url)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let (driver, url) = (cx.driver()?, whole(cx, &self.url).await?);
        let pages = driver.pages("tell the status of a page").map_err(Error::from);
        if self.status.is_some() {
            pages.as_ref().map_err(Clone::clone)?;
        }
        cx.session.state::<Leaving>().put(None);
        let taken = match driver.open_url(&url, self.package_name.as_deref()).await {
            Err(error) if dialogs::asks_to_leave(&error) => {
                cx.session.state::<Leaving>().put(Some((url.clone(), self.status)));
                if !self.leave && cx.options.dialogs != Dialogs::Accept {
                    return dialogs::asked(cx, format!("Asked for {url}"), error).await;
                }
                leave(cx).await?;
                Some(driver.info().serial.clone())
            }
            taken => taken?,
        };
        let status = pages.ok().and_then(Pages::status);
        if let Some(error) = unwanted(&url, self.status, status) {
            return Err(error);
        }
        let package = match taken {
            Some(package) => package,
            None => driver.foreground().await?.package,
        };
        let message = match package.as_str() {
            CHOOSER => format!("Opened {url}: the device asks which app is to take it"),
            _ => format!("Opened {url} with {package}"),
        };
        // An app may hand a link on to another.
        let looked = foreground_until(cx, COMING, Looks::One, |front| front.package == package).await;
        let (front, is_there) = match looked {
            Ok(front) => front,
            Err(error) => {
                let dialog = dialogs::shown_at_load(cx, error).await?;
                let reply = Reply::new(format!("Opened {url}")).with("url", url).with("package_name", package);
                return Ok(dialogs::told(reply, &dialog));
            }
        };
        let message = if is_there { message } else { format!("{message}; in front: {}", front.package) };
        let reply =
            Reply::new(message).with("url", url).with("package_name", package).with("foreground", front.package);
        Ok(match status.filter(|_| self.status.is_some()) {
            Some(status) => reply.with("status", status),
            None => reply,
        })
    }
}

/// Checks an address as testcases write it: whole, or a path of the site that the project serves.
pub(super) fn check(url: &str) -> Result<(), String> {
    if !has_scheme(url) && !is_path(url) {
        return Err(format!(
            "`url` needs a scheme: https://{0}; a path of `base_url` begins with /: /{0}",
            url.trim_start_matches('/')
        ));
    }
    match url.chars().find(|c| c.is_whitespace() || c.is_control()) {
        Some(c) => Err(format!("`url` holds {c:?}, which must be percent-encoded")),
        None => Ok(()),
    }
}

fn is_path(url: &str) -> bool {
    url.starts_with('/') && !url.starts_with("//")
}

/// Returns an address whole, where this caller may open it: a path continues the config's `base_url`, or else the site that the
/// project serves; a `base_url` that is a path itself is one of that site.
pub(super) async fn whole(cx: &Context, url: &str) -> Result<String, Error> {
    let base = cx.options.base_url.as_deref().filter(|_| is_path(url));
    let whole = base.map_or_else(|| url.to_owned(), |base| joined(base, url));
    if let Some(base) = base.filter(|base| !has_scheme(base) && !is_path(base)) {
        let message =
            format!("`base_url: {base}` needs a scheme: http://{base}, or begins with / where the project serves");
        return Err(Error::new(Kind::BadArgument, message));
    }
    match cx.session.site() {
        _ if !is_path(&whole) => cx.check_address(&whole).await.map(|()| whole),
        Some(site) => Ok(format!("{site}{whole}")),
        None => {
            let message = format!(
                "`{url}` is a path, and nothing says of what: write `base_url` in the config, `serve: FOLDER` in uixt.yaml, or a whole address with its scheme"
            );
            Err(Error::new(Kind::BadArgument, message))
        }
    }
}

/// Puts a path behind a base, whose own path it continues, as those of requests do.
fn joined(base: &str, path: &str) -> String {
    format!("{}/{}", base.trim_end_matches('/'), path.trim_start_matches('/'))
}

/// A scheme is a letter and letters, digits, `+`, `-` or `.` before the first colon (RFC 3986, 3.1).
fn has_scheme(url: &str) -> bool {
    url.split_once(':').is_some_and(|(scheme, rest)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
            && !rest.is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::{has_scheme, joined};

    #[test]
    fn a_path_continues_that_of_its_base() {
        assert_eq!(joined("http://h", "/login"), "http://h/login");
        assert_eq!(joined("http://h/app/", "/login?a=1"), "http://h/app/login?a=1");
        assert_eq!(joined("/shop", "/"), "/shop/");
    }

    #[test]
    fn links_begin_with_a_scheme() {
        for link in ["https://a.b", "tel:123", "uixt-shop://product/3", "market://details?id=x"] {
            assert!(has_scheme(link), "{link}");
        }
        for other in ["a.b/c", "//a.b", "://x", "3x://y", "https:", "-a://b", ""] {
            assert!(!has_scheme(other), "{other}");
        }
    }
}
