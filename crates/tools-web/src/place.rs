//! Assertions on where a page is and what it is called.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Lacking, Shape, ToolKind, Toolset, for_pages};
use uixt_driver::pages::Place;
use uixt_locate::wording::clip;
use uixt_locate::{Error, Kind};
use uixt_toolkit::pages::place::{is_address, until};
use uixt_toolkit::{ActionTool, Context, Reply, Tool, wait};

use crate::pattern::Wanted;

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<AssertUrl>(), ActionTool::of::<AssertTitle>()];

/// Assert the page's address.
#[derive(Deserialize, JsonSchema)]
struct AssertUrl {
    /// The whole address, or all behind its host from `/` on.
    #[serde(flatten)]
    wanted: Wanted,
    /// Seconds to wait; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
}

impl Tool for AssertUrl {
    const NAME: &'static str = "assert_url";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Assert;
    const LACKING: &'static [Lacking] = &for_pages("it shows no page with an address and a title");
    const PARAMS: Shape = Shape::Fields(&["equals"]);
    const READ_ONLY: bool = true;
    const MAIN: Option<&'static str> = Some("url");
    const ANSWER: &'static [&'static str] = &["url"];

    fn check(&self) -> Result<(), String> {
        self.wanted.check()
    }

    fn limit(&self) -> Duration {
        wait::limit(self.timeout)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let unmet = |place: &Place| self.wanted.unmet(&place.url, is_address);
        let (place, unmet) = until(cx, self.timeout, unmet).await?;
        match unmet.is_empty() {
            true => Ok(Reply::new(format!("Address is {}", place.url)).with("url", place.url)),
            false => Err(differs(cx, self.timeout, "the address", &place.url, &unmet)),
        }
    }
}

/// Assert the page's title.
#[derive(Deserialize, JsonSchema)]
struct AssertTitle {
    #[serde(flatten)]
    wanted: Wanted,
    /// Seconds to wait; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
}

impl Tool for AssertTitle {
    const NAME: &'static str = "assert_title";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Assert;
    const LACKING: &'static [Lacking] = &for_pages("it shows no page with an address and a title");
    const PARAMS: Shape = Shape::Fields(&["equals"]);
    const READ_ONLY: bool = true;
    const MAIN: Option<&'static str> = Some("title");
    const ANSWER: &'static [&'static str] = &["title"];

    fn check(&self) -> Result<(), String> {
        self.wanted.check()
    }

    fn limit(&self) -> Duration {
        wait::limit(self.timeout)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let unmet = |place: &Place| self.wanted.unmet(&place.title, |title, wanted| title == wanted);
        let (place, unmet) = until(cx, self.timeout, unmet).await?;
        match unmet.is_empty() {
            true => Ok(Reply::new(format!("Title is \"{}\"", clip(&place.title))).with("title", place.title)),
            false => Err(differs(cx, self.timeout, "the title", &place.title, &unmet)),
        }
    }
}

fn differs(cx: &Context, timeout: Option<f64>, what: &str, actual: &str, unmet: &str) -> Error {
    let span = wait::span(cx, wait::timeout(cx, timeout));
    Error::new(Kind::Assertion, format!("{what}: \"{}\" {unmet} {span}", clip(actual))).with("actual", actual)
}
