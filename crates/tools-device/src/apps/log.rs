//! The device's log.

use schemars::JsonSchema;
use serde::Deserialize;
use uixt_call::{Lacking, Shape, ToolKind, Toolset};
use uixt_driver::{LogLevel, LogQuery};
use uixt_locate::Error;
use uixt_toolkit::{ActionTool, Context, Reply, Tool};

/// The rows of the table.
pub const TOOLS: &[ActionTool] = &[ActionTool::of::<Logcat>()];

/// Read the device's log: its newest lines, filtered.
#[derive(Deserialize, JsonSchema)]
struct Logcat {
    /// Only lines of this tag.
    #[serde(default)]
    #[schemars(length(min = 1))]
    tag: Option<String>,
    /// Only lines as grave as this.
    #[serde(default)]
    level: LogLevel,
    /// Only lines that hold this text.
    #[serde(default)]
    contains: Option<String>,
    /// How many of the newest lines.
    #[serde(default = "usual")]
    #[schemars(range(min = 1, max = 10_000))]
    lines: usize,
    /// Empty the log once it was read.
    #[serde(default)]
    clear: bool,
}

fn usual() -> usize {
    200
}

impl Tool for Logcat {
    const NAME: &'static str = "logcat";
    const SET: Option<Toolset> = Some(Toolset::Device);
    const KIND: ToolKind = ToolKind::Setup;
    const LACKING: &'static [Lacking] = &[Lacking::tool("ios", "`idevicesyslog`, or Console on a Mac, shows its log")];
    const PARAMS: Shape = Shape::Fields(&["contains"]);
    const MAIN: Option<&'static str> = Some("log");
    const ANSWER: &'static [&'static str] = &["count", "found", "log", "truncated"];

    fn check(&self) -> Result<(), String> {
        match &self.tag {
            Some(tag) if tag.contains(|c: char| c.is_whitespace() || ":*".contains(c)) => Err(format!(
                "`{tag}` is not a log tag: it must not hold spaces, `:` or `*`; `level` is an argument of its own"
            )),
            _ => Ok(()),
        }
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.driver()?;
        let mut lines = driver.log(&LogQuery { tag: self.tag, level: self.level }).await?;
        if self.clear {
            driver.clear_log().await?;
        }
        if let Some(part) = &self.contains {
            lines.retain(|line| line.contains(part.as_str()));
        }
        let found = lines.len();
        let newest = lines.split_off(found.saturating_sub(self.lines));
        let noun = if newest.len() == 1 { "line" } else { "lines" };
        Ok(Reply::new(format!("{} {noun} of {found}", newest.len()))
            .with("count", newest.len())
            .with("found", found)
            .with("log", newest.join("\n")))
    }
}
