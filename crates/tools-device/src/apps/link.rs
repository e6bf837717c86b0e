//! Links.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Aim, Shape, ToolKind, Toolset};
use uixt_core::dialogs::Dialogs;
use uixt_driver::Pages;
use uixt_locate::Error;
use uixt_toolkit::pages::leaving::{Leaving, Status};
use uixt_toolkit::pages::{address, dialogs, leaving};
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

use super::app::{Looks, foreground_until};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<OpenUrl>()];

/// The app that asks which app is to open a link, on Android.
const CHOOSER: &str = "android";

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
        address::check(&self.url)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let (driver, url) = (cx.driver()?, address::whole(cx, &self.url).await?);
        let pages = driver.pages("tell the status of a page").map_err(Error::from);
        if self.status.is_some() {
            pages.as_ref().map_err(Clone::clone)?;
        }
        cx.session.state::<Leaving>().put(None);
        let taken = match driver.open_url(&url, self.package_name.as_deref()).await {
            Err(error) if leaving::asks_to_leave(&error) => {
                cx.session.state::<Leaving>().put(Some((url.clone(), self.status)));
                if !self.leave && cx.options.dialogs != Dialogs::Accept {
                    return leaving::asked(cx, format!("Asked for {url}"), error).await;
                }
                leaving::leave(cx).await?;
                Some(driver.info().serial.clone())
            }
            taken => taken?,
        };
        let status = pages.ok().and_then(Pages::status);
        if let Some(error) = leaving::unwanted(&url, self.status, status) {
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
