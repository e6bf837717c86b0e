//! Attributes of a page's elements, as they stand in its HTML.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uixt_call::{Lacking, Shape, ToolKind, Toolset, for_pages};
use uixt_driver::Pages;
use uixt_locate::finder::{self, Purpose};
use uixt_locate::wording::{clip, describe};
use uixt_locate::{Error, Kind};
use uixt_toolkit::pages::place::PAUSE;
use uixt_toolkit::pages::{key, pages};
use uixt_toolkit::wait::{self, Miss, Waited};
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

use crate::pattern::Wanted;

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<GetAttribute>(), ActionTool::of::<AssertAttribute>()];

/// Returns an attribute's value, none where it is not there, and the names of all.
const READ: &str = "(element, name) => [element.getAttribute(name), element.getAttributeNames()]";

/// What a phone says to it.
const NONE: &str = "tell attributes: its elements have none; get_text and assert_state tell what they show";

async fn read(pages: &dyn Pages, key: u64, name: &str) -> Result<(Option<String>, Vec<Value>), Error> {
    let answer = pages.ask_element(key, READ, &[json!(name)]).await?;
    let names = answer[1].as_array().cloned().unwrap_or_default();
    Ok((answer[0].as_str().map(str::to_owned), names))
}

/// Says that an attribute is not there, and for how long it was waited for; `span` begins with a space, or is empty.
fn has_none(what: &str, name: &str, names: &[Value], span: &str) -> String {
    let names = names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ");
    format!("{what} has no attribute `{name}`{span}; it has: {}", clip(&names))
}

/// Return an attribute of an element, as it stands in the page's HTML.
#[derive(Deserialize, JsonSchema)]
struct GetAttribute {
    #[serde(flatten)]
    waited: Waited,
    /// Attribute's name, such as href.
    #[schemars(length(min = 1))]
    attribute: String,
}

impl Tool for GetAttribute {
    const NAME: &'static str = "get_attribute";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Read;
    const LACKING: &'static [Lacking] =
        &for_pages("its elements have no attributes; get_text and assert_state tell what they show");
    const PARAMS: Shape = Shape::Fields(&["text", "attribute"]);
    const MAIN: Option<&'static str> = Some("value");
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["element", "value"];

    fn check(&self) -> Result<(), String> {
        self.waited.check()
    }

    fn limit(&self) -> Duration {
        self.waited.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let pages = pages(cx, NONE)?;
        let element = wait::there(cx, &self.waited.target, self.waited.timeout(cx)).await?;
        let what = describe(&element);
        match read(pages, key(&element)?, &self.attribute).await? {
            (Some(value), _) => Ok(Reply::new(format!("{} is \"{}\"", self.attribute, clip(&value)))
                .with("element", what)
                .with("value", value)),
            (None, names) => Err(Error::new(Kind::NotFound, has_none(&what, &self.attribute, &names, ""))),
        }
    }
}

/// Assert an attribute of an element, or that it has none of this name.
#[derive(Deserialize, JsonSchema)]
struct AssertAttribute {
    #[serde(flatten)]
    waited: Waited,
    /// Attribute's name, such as href.
    #[schemars(length(min = 1))]
    attribute: String,
    #[serde(flatten)]
    wanted: Wanted,
    /// Whether the attribute is there at all.
    #[serde(default)]
    exists: Option<bool>,
}

impl AssertAttribute {
    /// Says what does not hold, with how long it was waited for; empty where all does.
    fn unmet(&self, what: &str, value: Option<&str>, names: &[Value], span: &str) -> String {
        match (value, self.exists) {
            (None, Some(false)) => String::new(),
            (None, _) => has_none(what, &self.attribute, names, span),
            (Some(value), Some(false)) => {
                format!("{what} has the attribute `{}`: \"{}\"{span}", self.attribute, clip(value))
            }
            (Some(value), _) => match self.wanted.unmet(value, |value, wanted| value == wanted) {
                unmet if unmet.is_empty() => unmet,
                unmet => format!("{what}: `{}` is \"{}\", which {unmet}{span}", self.attribute, clip(value)),
            },
        }
    }
}

impl Tool for AssertAttribute {
    const NAME: &'static str = "assert_attribute";
    const SET: Option<Toolset> = Some(Toolset::Web);
    const KIND: ToolKind = ToolKind::Assert;
    const LACKING: &'static [Lacking] =
        &for_pages("its elements have no attributes; get_text and assert_state tell what they show");
    const PURPOSE: Option<Purpose> = Some(Purpose::Read);
    const PARAMS: Shape = Shape::Fields(&["text", "attribute", "equals"]);
    const READ_ONLY: bool = true;
    const ANSWER: &'static [&'static str] = &["element"];

    fn check(&self) -> Result<(), String> {
        self.waited.check()?;
        match (self.exists, self.wanted.is_empty()) {
            (Some(_), true) => Ok(()),
            (None, true) => {
                Err("nothing to compare with: give equals, contains or matches, or `exists: false` for one that is not there"
                    .to_owned())
            }
            (Some(false), false) => {
                Err("an attribute that is not there equals nothing: leave `exists` out".to_owned())
            }
            _ => self.wanted.check(),
        }
    }

    fn limit(&self) -> Duration {
        self.waited.limit()
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let pages = pages(cx, NONE)?;
        let timeout = self.waited.timeout(cx);
        let (end, span) = (Instant::now() + timeout, format!(" {}", wait::span(cx, timeout)));
        // What holds from the first look on may be what stood there before the last act; what has come since then is its effect.
        let (settling, mut is_first) = (wait::Settling::begin(cx, timeout), true);
        let (target, refs, mut waiting) = (&self.waited.target, cx.refs(), cx.waiting());
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let (element, may_change) = wait::until(cx, left, |screen| {
                let found = finder::pick(target, Purpose::Read, screen, refs.as_ref())?;
                let element = found.ok_or(Miss::Absent(target))?;
                cx.found(element, screen, Purpose::Read);
                Ok((element.clone(), settling.bears(screen)))
            })
            .await?;
            let what = describe(&element);
            let unmet = match read(pages, key(&element)?, &self.attribute).await {
                Ok((value, names)) => self.unmet(&what, value.as_deref(), &names, &span),
                // A page may have replaced it just now.
                Err(error) if error.kind == Kind::NotFound => error.message + &span,
                Err(error) => return Err(error),
            };
            is_first &= unmet.is_empty();
            if unmet.is_empty() && !(is_first && may_change) {
                return Ok(Reply::new(format!("{what}: `{}` is as it should be", self.attribute)).with("element", what));
            }
            if Instant::now() >= end && !unmet.is_empty() {
                return Err(Error::new(Kind::Assertion, unmet));
            }
            waiting.pause(PAUSE).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_said_before_what_is() {
        let said = has_none("link \"b\"", "hrefx", &[json!("id"), json!("href")], " within 1 s");
        assert_eq!(said, "link \"b\" has no attribute `hrefx` within 1 s; it has: id, href");
    }
}
