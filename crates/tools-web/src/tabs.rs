//! Tabs, counted from 0 in the order in which they were opened.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_call::{Aim, Lacking, Shape, ToolKind, Toolset, for_pages};
use uixt_driver::Pages;
use uixt_driver::pages::Tab;
use uixt_locate::{Error, Kind};
use uixt_toolkit::pages::place::PAUSE;
use uixt_toolkit::pages::{address, pages};
use uixt_toolkit::{ActionTool, Context, Reply, Tool, wait};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<ListTabs>(),
    ActionTool::of::<OpenTab>(),
    ActionTool::of::<SwitchTab>(),
    ActionTool::of::<CloseTab>(),
];

/// List the open tabs.
#[derive(Deserialize, JsonSchema)]
struct ListTabs {}

impl Tool for ListTabs {
    const NAME: &'static str = "list_tabs";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Read;
    const LACKING: &'static [Lacking] = &for_pages("it has no tabs");
    const MAIN: Option<&'static str> = Some("tabs");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["tabs", "count"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let tabs = pages(cx, "list tabs: it has none")?.tabs().await?;
        let noun = if tabs.len() == 1 { "tab" } else { "tabs" };
        Ok(Reply::new(format!("{} {noun}", tabs.len())).with("count", tabs.len()).with("tabs", listed(&tabs)))
    }
}

fn listed(tabs: &[Tab]) -> Value {
    let each = tabs.iter().enumerate();
    each.map(|(index, tab)| json!({"index": index, "url": tab.url, "title": tab.title, "front": tab.is_front}))
        .collect()
}

/// Open a tab, which is in front then.
#[derive(Deserialize, JsonSchema)]
struct OpenTab {
    /// Page to open; an empty one by default.
    #[serde(default)]
    #[schemars(length(min = 1, max = 8000))]
    url: Option<String>,
}

impl Tool for OpenTab {
    const NAME: &'static str = "open_tab";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Tab;
    const LACKING: &'static [Lacking] = &for_pages("it has no tabs");
    const AIM: Aim = Aim::Address;
    const ALIASES: &'static [&'static str] = &["new_tab"];
    const PARAMS: Shape = Shape::Fields(&["url"]);
    const ANSWER: &'static [&'static str] = &["tab_index", "url", "title"];

    fn check(&self) -> Result<(), String> {
        self.url.as_deref().map_or(Ok(()), address::check)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let url = match self.url {
            Some(url) => Some(address::whole(cx, &url).await?),
            None => None,
        };
        let pages = pages(cx, "open tabs: it has none")?;
        pages.open_tab().await?;
        if let Some(url) = &url {
            cx.driver()?.open_url(url, None).await?;
        }
        in_front(pages, "Opened").await
    }
}

/// Bring a tab to the front, once it is there.
#[derive(Deserialize, JsonSchema)]
struct SwitchTab {
    /// Its number from 0; -1 is the newest.
    #[serde(default)]
    #[schemars(range(min = -100, max = 1000))]
    tab_index: Option<i32>,
    /// Or a part of its title or address.
    #[serde(default)]
    #[schemars(length(min = 1))]
    title: Option<String>,
    /// Seconds to wait; 10 by default.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 3600.0))]
    timeout: Option<f64>,
}

impl SwitchTab {
    fn find(&self, tabs: &[Tab]) -> Result<usize, Error> {
        match &self.title {
            Some(part) => named(part, tabs),
            None => numbered(self.tab_index.unwrap_or(-1), tabs),
        }
    }
}

impl Tool for SwitchTab {
    const NAME: &'static str = "switch_tab";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Tab;
    const LACKING: &'static [Lacking] = &for_pages("it has no tabs");
    const IN_BROWSER_CORE: bool = true;
    const PARAMS: Shape = Shape::TextOrNumbers("title", &["tab_index"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("index", "tab_index")];
    const ANSWER: &'static [&'static str] = &["tab_index", "url", "title"];

    fn check(&self) -> Result<(), String> {
        match (self.tab_index, &self.title) {
            (Some(_), None) | (None, Some(_)) => Ok(()),
            _ => Err("give either `tab_index` or `title`".to_owned()),
        }
    }

    fn limit(&self) -> Duration {
        wait::limit(self.timeout)
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let pages = pages(cx, "switch tabs: it has none")?;
        let (end, mut waiting) = (Instant::now() + wait::timeout(cx, self.timeout), cx.waiting());
        let index = loop {
            match self.find(&pages.tabs().await?) {
                Ok(index) => break index,
                Err(error) if Instant::now() >= end => return Err(error),
                Err(_) => waiting.pause(PAUSE).await,
            }
        };
        drop(waiting);
        pages.show_tab(index).await?;
        in_front(pages, "In front").await
    }
}

/// Close a tab, by default the one in front.
#[derive(Deserialize, JsonSchema)]
struct CloseTab {
    /// Its number from 0; -1 is the newest.
    #[serde(default)]
    #[schemars(range(min = -100, max = 1000))]
    tab_index: Option<i32>,
}

impl Tool for CloseTab {
    const NAME: &'static str = "web_close_tab";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Tab;
    const LACKING: &'static [Lacking] = &for_pages("it has no tabs");
    const ALIASES: &'static [&'static str] = &["close_tab"];
    const PARAMS: Shape = Shape::Fields(&["tab_index"]);
    const ARGUMENT_ALIASES: &'static [(&'static str, &'static str)] = &[("index", "tab_index")];
    const MAIN: Option<&'static str> = Some("count");
    const ANSWER: &'static [&'static str] = &["tab_index", "count"];

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let pages = pages(cx, "close tabs: it has none")?;
        let tabs = pages.tabs().await?;
        let index = match self.tab_index {
            Some(index) => numbered(index, &tabs)?,
            None => tabs
                .iter()
                .position(|tab| tab.is_front)
                .ok_or_else(|| Error::new(Kind::NotFound, "no tab is in front"))?,
        };
        pages.close_tab(index).await?;
        let left = tabs.len() - 1;
        Ok(Reply::new(format!("Closed tab {index}, {left} left")).with("tab_index", index).with("count", left))
    }
}

/// Finds the tab of a number; negative ones count from the newest.
fn numbered(index: i32, tabs: &[Tab]) -> Result<usize, Error> {
    let place = match usize::try_from(index) {
        Ok(place) => Some(place),
        Err(_) => tabs.len().checked_sub(usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX)),
    };
    place.filter(|place| *place < tabs.len()).ok_or_else(|| missing(&format!("tab {index}"), tabs))
}

/// Finds the one tab whose title or address holds a text.
fn named(part: &str, tabs: &[Tab]) -> Result<usize, Error> {
    let holds = |tab: &Tab| tab.title.contains(part) || tab.url.contains(part);
    let found: Vec<usize> = (0..).zip(tabs).filter(|(_, tab)| holds(tab)).map(|(place, _)| place).collect();
    match found.as_slice() {
        [place] => Ok(*place),
        [] => Err(missing(&format!("a tab \"{part}\""), tabs)),
        several => {
            let message = format!("\"{part}\" means {} tabs: give `tab_index`", several.len());
            Err(Error::new(Kind::NotFound, message).with("tabs", listed(tabs)))
        }
    }
}

fn missing(what: &str, tabs: &[Tab]) -> Error {
    let names = (0..).zip(tabs).map(|(index, tab): (usize, _)| format!("{index}: \"{}\"", tab.title));
    let message = format!("{what} is not there; open: {}", names.collect::<Vec<_>>().join(", "));
    Error::new(Kind::NotFound, message).with("tabs", listed(tabs))
}

async fn in_front(pages: &dyn Pages, done: &str) -> Result<Reply, Error> {
    let tabs = pages.tabs().await?;
    let Some((index, tab)) = (0..).zip(&tabs).find(|(_, tab): &(usize, _)| tab.is_front) else {
        return Err(Error::new(Kind::Device, "no tab is in front"));
    };
    Ok(Reply::new(format!("{done}: tab {index}, \"{}\"", tab.title))
        .with("tab_index", index)
        .with("url", tab.url.as_str())
        .with("title", tab.title.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_are_found_by_number_and_title() {
        let tab = |title: &str| Tab { title: title.to_owned(), url: format!("http://x/{title}"), is_front: false };
        let tabs = [tab("One"), tab("Two"), tab("Two more")];
        let place = |found: Result<usize, Error>| found.map_err(|error| error.kind);
        assert_eq!((place(numbered(0, &tabs)), place(numbered(-1, &tabs))), (Ok(0), Ok(2)));
        assert_eq!((place(numbered(3, &tabs)), place(numbered(-4, &tabs))), (Err(Kind::NotFound), Err(Kind::NotFound)));
        assert_eq!((place(named("One", &tabs)), place(named("more", &tabs))), (Ok(0), Ok(2)));
        assert_eq!(
            (place(named("Two", &tabs)), place(named("Six", &tabs))),
            (Err(Kind::NotFound), Err(Kind::NotFound))
        );
    }
}
