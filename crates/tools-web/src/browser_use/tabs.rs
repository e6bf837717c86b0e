//! Tabs by `page_id`, counted from 0 in the order in which they were opened.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use uixt_call::{Aim, Lacking, Shape, ToolKind, Toolset, for_pages};
use uixt_locate::Error;
use uixt_toolkit::pages::address;
use uixt_toolkit::relay::relay;
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] =
    &[ActionTool::of::<SwitchTab>(), ActionTool::of::<OpenTab>(), ActionTool::of::<CloseTab>()];

/// Go to another tab.
#[derive(Deserialize, JsonSchema)]
struct SwitchTab {
    /// Number of the tab, from 0.
    #[schemars(range(min = 0, max = 1000))]
    page_id: u32,
}

impl Tool for SwitchTab {
    const NAME: &'static str = "browser_switch_tab";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Tab;
    const LACKING: &'static [Lacking] = &for_pages("it shows no pages");
    const ALIAS_OF: Option<&'static str> = Some("switch_tab");
    const PARAMS: Shape = Shape::Fields(&["page_id"]);
    const ANSWER: &'static [&'static str] = &["tab_index", "url", "title"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        relay(cx, "switch_tab", json!({"tab_index": self.page_id})).await
    }
}

/// Open an address in a new tab.
#[derive(Deserialize, JsonSchema)]
struct OpenTab {
    /// Address, with its scheme.
    #[schemars(length(min = 1, max = 8000))]
    url: String,
}

impl Tool for OpenTab {
    const NAME: &'static str = "browser_open_tab";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Tab;
    const LACKING: &'static [Lacking] = &for_pages("it shows no pages");
    const ALIAS_OF: Option<&'static str> = Some("open_tab");
    const AIM: Aim = Aim::Address;
    const PARAMS: Shape = Shape::Fields(&["url"]);
    const ANSWER: &'static [&'static str] = &["tab_index", "url", "title"];

    fn check(&self) -> Result<(), String> {
        address::check(&self.url)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        relay(cx, "open_tab", json!({"url": self.url})).await
    }
}

/// Close a tab.
#[derive(Deserialize, JsonSchema)]
struct CloseTab {
    /// Number of the tab, from 0.
    #[schemars(range(min = 0, max = 1000))]
    page_id: u32,
}

impl Tool for CloseTab {
    const NAME: &'static str = "browser_close_tab";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Tab;
    const LACKING: &'static [Lacking] = &for_pages("it shows no pages");
    const ALIAS_OF: Option<&'static str> = Some("web_close_tab");
    const PARAMS: Shape = Shape::Fields(&["page_id"]);
    const ANSWER: &'static [&'static str] = &["tab_index", "count"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        relay(cx, "web_close_tab", json!({"tab_index": self.page_id})).await
    }
}
