//! The device's log: which lines are wanted.

use schemars::JsonSchema;
use serde::Deserialize;

/// Which lines of the device's log are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogQuery {
    /// None means every tag. Without white space, `:` and `*`.
    pub tag: Option<String>,
    pub level: LogLevel,
}

/// How grave a line of the log is at least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum LogLevel {
    #[default]
    Verbose,
    Debug,
    Info,
    Warning,
    Error,
    Fatal,
}
