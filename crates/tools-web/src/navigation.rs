//! Through the history of a page.

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Lacking, ToolKind, Toolset, for_pages};
use uixt_locate::Error;
use uixt_toolkit::pages::{dialogs, leaving, pages};
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<Forward>(), ActionTool::of::<Reload>()];

/// Go forward in the page's history.
#[derive(Deserialize, JsonSchema)]
struct Forward {}

impl Tool for Forward {
    const NAME: &'static str = "forward";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Key;
    const LACKING: &'static [Lacking] = &for_pages("it shows no pages with a history");
    const ANSWER: &'static [&'static str] = &["url", "title", "dialog", "type"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        if let Some(asked) = leaving::or_asked(cx, "Went forward", cx.driver()?.go(1)).await? {
            return Ok(asked);
        }
        arrived(cx, "Went forward").await
    }
}

/// Load the page again.
#[derive(Deserialize, JsonSchema)]
struct Reload {}

impl Tool for Reload {
    const NAME: &'static str = "reload";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Key;
    const LACKING: &'static [Lacking] = &for_pages("it shows no pages with a history");
    const ALIASES: &'static [&'static str] = &["refresh"];
    const ANSWER: &'static [&'static str] = &["url", "title", "dialog", "type"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        if let Some(asked) = leaving::or_asked(cx, "Asked to load again", cx.driver()?.reload()).await? {
            return Ok(asked);
        }
        arrived(cx, "Loaded again").await
    }
}

/// Says where that led.
async fn arrived(cx: &Context, done: &str) -> Result<Reply, Error> {
    let place = match pages(cx, "tell its address")?.place().await {
        Ok(place) => place,
        Err(error) => return Ok(dialogs::told(Reply::new(done), &dialogs::shown_at_load(cx, error.into()).await?)),
    };
    Ok(Reply::new(format!("{done}: {}", place.url)).with("url", place.url).with("title", place.title))
}
