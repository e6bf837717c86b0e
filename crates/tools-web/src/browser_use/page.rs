//! From page to page, and keys.

use reqwest::Url;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use uixt_call::{Aim, Lacking, Shape, ToolKind, Toolset, for_pages};
use uixt_locate::{Error, Kind};
use uixt_toolkit::pages::address;
use uixt_toolkit::relay::relay;
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<Navigate>(),
    ActionTool::of::<SearchGoogle>(),
    ActionTool::of::<GoBack>(),
    ActionTool::of::<SendKeys>(),
];

/// Where Google searches.
const GOOGLE: &str = "https://www.google.com/search";

/// Open an address.
#[derive(Deserialize, JsonSchema)]
struct Navigate {
    /// Address, with its scheme.
    #[schemars(length(min = 1, max = 8000))]
    url: String,
}

impl Tool for Navigate {
    const NAME: &'static str = "browser_navigate";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Launch;
    const ALIAS_OF: Option<&'static str> = Some("open_url");
    const AIM: Aim = Aim::Address;
    const PARAMS: Shape = Shape::Fields(&["url"]);
    const ANSWER: &'static [&'static str] = &["url", "package_name", "foreground", "status", "dialog", "type"];

    fn check(&self) -> Result<(), String> {
        address::check(&self.url)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        relay(cx, "open_url", json!({"url": self.url})).await
    }
}

/// Search with Google.
#[derive(Deserialize, JsonSchema)]
struct SearchGoogle {
    /// What to search for.
    #[schemars(length(min = 1, max = 2000))]
    query: String,
}

impl Tool for SearchGoogle {
    const NAME: &'static str = "browser_search_google";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Launch;
    const LACKING: &'static [Lacking] = &for_pages("it shows no pages");
    const PARAMS: Shape = Shape::Fields(&["query"]);
    const ANSWER: &'static [&'static str] = &["url", "package_name", "foreground", "status", "dialog", "type"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let url = search(&self.query).map_err(|why| Error::new(Kind::BadArgument, why))?;
        relay(cx, "open_url", json!({"url": url})).await
    }
}

fn search(query: &str) -> Result<String, String> {
    let url = Url::parse_with_params(GOOGLE, [("q", query)]);
    url.map(String::from).map_err(|error| error.to_string())
}

/// Go back one page.
#[derive(Deserialize, JsonSchema)]
struct GoBack {}

impl Tool for GoBack {
    const NAME: &'static str = "browser_go_back";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Back;
    const ALIAS_OF: Option<&'static str> = Some("back");

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        relay(cx, "back", json!({})).await
    }
}

/// Press a special key or a combination.
#[derive(Deserialize, JsonSchema)]
struct SendKeys {
    /// Key: Enter, Escape, Control+c.
    #[schemars(length(min = 1))]
    keys: String,
}

impl Tool for SendKeys {
    const NAME: &'static str = "browser_send_keys";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Key;
    const ALIAS_OF: Option<&'static str> = Some("press_key");
    const PARAMS: Shape = Shape::Fields(&["keys"]);
    const ANSWER: &'static [&'static str] = &["key"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        relay(cx, "press_key", json!({"key": self.keys})).await
    }
}

#[cfg(test)]
mod tests {
    use super::search;

    #[test]
    fn what_is_searched_for_is_all_in_the_query() {
        let url = |query: &str| search(query).expect("an address");
        assert_eq!(url("Python 教程"), "https://www.google.com/search?q=Python+%E6%95%99%E7%A8%8B");
        assert_eq!(url("a&b=c#d\n"), "https://www.google.com/search?q=a%26b%3Dc%23d%0A");
    }
}
