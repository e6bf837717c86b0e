//! The device's log.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{ActionTool, Context, Error, Reply, Shape, Tool};
use crate::driver::{LogLevel, LogQuery};

pub(super) const TOOLS: &[ActionTool] = &[ActionTool::of::<Logcat>()];

/// Characters of a line that are returned at most.
const LONGEST_LINE: usize = 2000;

/// How grave a line is at least.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Level {
    #[default]
    Verbose,
    Debug,
    Info,
    Warning,
    Error,
    Fatal,
}

impl From<Level> for LogLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::Verbose => Self::Verbose,
            Level::Debug => Self::Debug,
            Level::Info => Self::Info,
            Level::Warning => Self::Warning,
            Level::Error => Self::Error,
            Level::Fatal => Self::Fatal,
        }
    }
}

/// Read the device's log: its newest lines, filtered.
#[derive(Deserialize, JsonSchema)]
struct Logcat {
    /// Only lines of this tag.
    #[serde(default)]
    #[schemars(length(min = 1))]
    tag: Option<String>,
    /// Only lines as grave as this.
    #[serde(default)]
    level: Level,
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
    const PARAMS: Shape = Shape::Fields(&["contains"]);
    const MAIN: Option<&'static str> = Some("log");

    fn check(&self) -> Result<(), String> {
        match &self.tag {
            Some(tag) if tag.contains(|c: char| c.is_whitespace() || ":*".contains(c)) => Err(format!(
                "`{tag}` is no tag of a log: it must not hold spaces, `:` or `*`; `level` is an argument of its own"
            )),
            _ => Ok(()),
        }
    }

    async fn call(self, cx: &Context) -> Result<Reply, Error> {
        let driver = cx.driver()?;
        let mut lines = driver.log(&LogQuery { tag: self.tag, level: self.level.into() }).await?;
        if self.clear {
            driver.clear_log().await?;
        }
        if let Some(part) = &self.contains {
            lines.retain(|line| line.contains(part.as_str()));
        }
        let found = lines.len();
        let newest: Vec<String> = lines.drain(found.saturating_sub(self.lines)..).map(shortened).collect();
        let noun = if newest.len() == 1 { "line" } else { "lines" };
        Ok(Reply::new(format!("{} {noun} of {found}", newest.len()))
            .with("count", newest.len())
            .with("found", found)
            .with("log", newest.join("\n")))
    }
}

fn shortened(line: String) -> String {
    if line.len() <= LONGEST_LINE {
        return line;
    }
    let kept: String = line.chars().take(LONGEST_LINE).collect();
    if kept.len() == line.len() { line } else { format!("{kept}…") }
}
