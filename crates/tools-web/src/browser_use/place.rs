//! What page it is, and what stands on it.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_call::{Bound, Lacking, Shape, ToolKind, Toolset, for_pages};
use uixt_locate::wording::clip;
use uixt_locate::{Error, Kind};
use uixt_toolkit::relay::relay;
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<GetAxTree>(),
    ActionTool::of::<GetPageInfo>(),
    ActionTool::of::<GetCurrentUrl>(),
    ActionTool::of::<GetContent>(),
];

/// How long a page's script may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Return the page's accessibility tree, a line per element; the number of its ref is the index that other tools take.
#[derive(Deserialize, JsonSchema)]
struct GetAxTree {
    /// Most elements.
    #[schemars(range(min = 1, max = 5000))]
    number_of_elements: u32,
}

impl Tool for GetAxTree {
    const NAME: &'static str = "browser_get_ax_tree";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Look;
    const ALIAS_OF: Option<&'static str> = Some("snapshot");
    const PARAMS: Shape = Shape::Fields(&["number_of_elements"]);
    const MAIN: Option<&'static str> = Some("snapshot");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["snapshot"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let mut reply = relay(cx, "snapshot", json!({"max_tokens": 100_000})).await?;
        if let Some(Value::String(snapshot)) = reply.fields.get_mut("snapshot") {
            *snapshot = first(snapshot, self.number_of_elements as usize);
        }
        Ok(reply)
    }
}

/// Cuts a snapshot after as many elements, and says how many there are besides.
fn first(snapshot: &str, most: usize) -> String {
    let mut lines = snapshot.lines();
    let header = lines.next().unwrap_or_default();
    let (elements, rest): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with('e'));
    let left = elements.len().saturating_sub(most);
    let more = (left > 0).then(|| format!("… {left} more elements; ask with a larger number_of_elements"));
    let shown = elements.into_iter().take(most).map(str::to_owned);
    let all = std::iter::once(header.to_owned()).chain(shown).chain(more).chain(rest.into_iter().map(str::to_owned));
    all.collect::<Vec<_>>().join("\n")
}

/// Return the page's address and title, its tabs, and how far it is scrolled.
#[derive(Deserialize, JsonSchema)]
struct GetPageInfo {}

/// Size of the viewport and of the page, and how far it is scrolled, in CSS pixels.
const SIZES: &str = "() => [innerWidth, innerHeight, document.documentElement.scrollWidth, \
                     document.documentElement.scrollHeight, scrollX, scrollY].map(Math.round)";

impl Tool for GetPageInfo {
    const NAME: &'static str = "browser_get_page_info";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Read;
    const LACKING: &'static [Lacking] = &for_pages("it shows no pages");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] =
        &["url", "title", "count", "page_id", "width", "height", "page_width", "page_height", "scroll_x", "scroll_y"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.driver()?;
        let pages = driver.pages("tell of pages: it shows none; get_foreground_app tells what is in front")?;
        let (place, tabs) = (pages.place().await?, pages.tabs().await?);
        let sizes = driver.evaluate(SIZES, &[], TIMEOUT).await?;
        let reply = Reply::new(format!("\"{}\" at {}", clip(&place.title), place.url));
        let reply = reply.with("url", place.url).with("title", place.title).with("count", tabs.len());
        let reply = reply.with("page_id", tabs.iter().position(|tab| tab.is_front));
        let names = ["width", "height", "page_width", "page_height", "scroll_x", "scroll_y"];
        Ok((0..).zip(names).fold(reply, |reply, (at, name): (usize, _)| reply.with(name, sizes[at].clone())))
    }
}

/// Return the page's address.
#[derive(Deserialize, JsonSchema)]
struct GetCurrentUrl {}

impl Tool for GetCurrentUrl {
    const NAME: &'static str = "browser_get_current_url";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Read;
    const LACKING: &'static [Lacking] = &for_pages("it shows no pages");
    const MAIN: Option<&'static str> = Some("url");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["url"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let pages =
            cx.driver()?.pages("tell an address: it shows no pages; get_foreground_app tells what is in front")?;
        let url = pages.place().await?.url;
        Ok(Reply::new(format!("Address is {url}")).with("url", url))
    }
}

/// Return the text of the page, or of what a CSS selector selects, as a person reads it.
#[derive(Deserialize, JsonSchema)]
struct GetContent {
    /// CSS selector; all of the page by default.
    #[serde(default)]
    selector: Option<String>,
}

/// Returns the text of what is selected, or why not; at most a million characters.
const TEXT: &str = r#"(selector) => {
let found;
try { found = selector ? [...document.querySelectorAll(selector)] : [document.body ?? document.documentElement]; }
catch (error) { return { wrong: String(error.message) }; }
if (found.length === 0) return { absent: true };
let text = "";
for (const one of found) {
    text += (text ? "\n" : "") + (one.innerText ?? one.textContent ?? "");
    if (text.length > 1e6) break;
}
return { text: text.slice(0, 1e6), count: found.length, cut: text.length > 1e6 }; }"#;

impl Tool for GetContent {
    const NAME: &'static str = "browser_get_content";
    const SET: Option<Toolset> = Some(Toolset::BrowserUse);
    const KIND: ToolKind = ToolKind::Read;
    const LACKING: &'static [Lacking] = &for_pages("it shows no pages");
    const PARAMS: Shape = Shape::Fields(&["selector"]);
    const MAIN: Option<&'static str> = Some("content");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["content", "cut"];
    const BOUND: Option<Bound> = Some(Bound::Field { name: "content", more: "give a selector" });

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let selector = self.selector.filter(|selector| !selector.trim().is_empty());
        let mut answer = cx.driver()?.evaluate(TEXT, &[json!(selector)], TIMEOUT).await?;
        let named = selector.unwrap_or_default();
        if let Some(why) = answer["wrong"].as_str() {
            return Err(Error::new(Kind::BadArgument, format!("selector `{named}`: {}", clip(why))));
        }
        if answer["absent"] == true {
            return Err(Error::new(Kind::NotFound, format!("selector `{named}`: nothing on the page fits it")));
        }
        let Value::String(text) = answer["text"].take() else {
            return Err(Error::new(Kind::Device, "the page gave no text"));
        };
        let reply = Reply::new(format!("Content of {} characters", text.chars().count())).with("content", text);
        Ok(if answer["cut"] == true { reply.with("cut", "content is its beginning; give a selector") } else { reply })
    }
}

#[cfg(test)]
mod tests {
    use super::first;

    #[test]
    fn a_tree_is_cut_after_as_many_elements_as_are_asked_for() {
        let whole = "page · 10×10\ne1 heading \"A\"\ne2 button \"B\"\ne7 link \"C\"\n… off the screen: 2 below";
        assert_eq!(first(whole, 3), whole);
        assert_eq!(
            first(whole, 1),
            "page · 10×10\ne1 heading \"A\"\n… 2 more elements; ask with a larger number_of_elements\n… off the screen: 2 below"
        );
    }
}
