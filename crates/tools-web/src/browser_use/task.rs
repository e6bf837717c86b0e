//! The task that the calls are made for: waiting in it, its end, and the session's.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use uixt_call::{Bound, Lacking, Shape, ToolKind, Toolset, for_pages};
use uixt_locate::{Error, Kind};
use uixt_toolkit::relay::relay;
use uixt_toolkit::{ActionTool, Context, LIMIT, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] =
    &[ActionTool::of::<Wait>(), ActionTool::of::<Done>(), ActionTool::of::<CloseSession>()];

fn three() -> f64 {
    3.0
}

/// Wait for some seconds; clicks and typing wait for their elements by themselves.
#[derive(Deserialize, JsonSchema)]
struct Wait {
    /// How long.
    #[serde(default = "three")]
    #[schemars(range(min = 0.0, max = 3600.0))]
    seconds: f64,
}

impl Tool for Wait {
    const NAME: &'static str = "browser_wait";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Pause;
    const ALIAS_OF: Option<&'static str> = Some("sleep");
    const PARAMS: Shape = Shape::Fields(&["seconds"]);
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;
    const ANSWER: &'static [&'static str] = &["seconds"];

    fn limit(&self) -> Duration {
        LIMIT + Duration::from_secs_f64(self.seconds.clamp(0.0, 3600.0))
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        relay(cx, "sleep", json!({"seconds": self.seconds})).await
    }
}

/// Mark the task as done; one that did not succeed fails the call.
#[derive(Deserialize, JsonSchema)]
struct Done {
    /// What was done.
    text: String,
    /// Whether it succeeded.
    success: bool,
}

impl Tool for Done {
    const NAME: &'static str = "browser_done";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Model;
    const PARAMS: Shape = Shape::Fields(&["text", "success"]);
    const READ_ONLY: bool = true;
    const NEEDS_DEVICE: bool = false;
    const ANSWER: &'static [&'static str] = &["text"];
    const BOUND: Option<Bound> = Some(Bound::Echo);

    async fn call(self, _: &Context) -> Result<Reply, Error> {
        match self.success {
            true => Ok(Reply::new(format!("Done: {}", self.text)).with("text", self.text)),
            false => Err(Error::new(Kind::Assertion, format!("not done: {}", self.text))),
        }
    }
}

/// Close the browser with its tabs, cookies and storage; the next call begins another.
#[derive(Deserialize, JsonSchema)]
struct CloseSession {}

impl Tool for CloseSession {
    const NAME: &'static str = "browser_close_session";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] = &for_pages("it shows no pages");

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.driver()?;
        driver.pages("close a browser's session: it has none")?;
        driver.close().await;
        Ok(Reply::new("Closed the browser"))
    }
}
