//! Scrolling by pixels and to a text.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use uixt_call::{Shape, ToolKind, Toolset};
use uixt_locate::Error;
use uixt_toolkit::relay::relay;
use uixt_toolkit::{ActionTool, Context, LIMIT, Reply, Tool};

use super::scroll;

/// The rows of the table.
pub const TOOLS: &[ActionTool] =
    &[ActionTool::of::<ScrollDown>(), ActionTool::of::<ScrollUp>(), ActionTool::of::<ScrollToText>()];

/// Scrolling takes a while for each part of a long way.
const LONG: Duration = Duration::from_mins(3);

/// Scroll the page down.
#[derive(Deserialize, JsonSchema)]
struct ScrollDown {
    /// Pixels; a page by default.
    #[serde(default)]
    #[schemars(range(min = 1, max = 20_000))]
    amount: Option<u32>,
}

impl Tool for ScrollDown {
    const NAME: &'static str = "browser_scroll_down";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Scroll;
    const ALIAS_OF: Option<&'static str> = Some("scroll");
    const PARAMS: Shape = Shape::Fields(&["amount"]);
    const DESTRUCTIVE: bool = false;
    const ANSWER: &'static [&'static str] = &["direction", "amount", "moved", "end"];

    fn limit(&self) -> Duration {
        LONG
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        scroll::by_pixels(cx, scroll::Side::Down, self.amount).await
    }
}

/// Scroll the page up.
#[derive(Deserialize, JsonSchema)]
struct ScrollUp {
    /// Pixels; a page by default.
    #[serde(default)]
    #[schemars(range(min = 1, max = 20_000))]
    amount: Option<u32>,
}

impl Tool for ScrollUp {
    const NAME: &'static str = "browser_scroll_up";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Scroll;
    const ALIAS_OF: Option<&'static str> = Some("scroll");
    const PARAMS: Shape = Shape::Fields(&["amount"]);
    const DESTRUCTIVE: bool = false;
    const ANSWER: &'static [&'static str] = &["direction", "amount", "moved", "end"];

    fn limit(&self) -> Duration {
        LONG
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        scroll::by_pixels(cx, scroll::Side::Up, self.amount).await
    }
}

/// Scroll to an element that holds a text.
#[derive(Deserialize, JsonSchema)]
struct ScrollToText {
    /// Text, or a part of it.
    #[schemars(length(min = 1))]
    text: String,
}

impl Tool for ScrollToText {
    const NAME: &'static str = "browser_scroll_to_text";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Search;
    const ALIAS_OF: Option<&'static str> = Some("scroll_to");
    const PARAMS: Shape = Shape::Fields(&["text"]);
    const DESTRUCTIVE: bool = false;
    const IDEMPOTENT: bool = true;
    const TARGET_MAY_BE_ABSENT: bool = true;
    const ANSWER: &'static [&'static str] = &["element", "swipes", "rect"];

    fn check(&self) -> Result<(), String> {
        if self.text.trim().is_empty() { Err("`text` is empty".to_owned()) } else { Ok(()) }
    }

    fn limit(&self) -> Duration {
        LIMIT + LONG
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        relay(cx, "scroll_to", json!({"text": regex::escape(&self.text), "regex": true})).await
    }
}
