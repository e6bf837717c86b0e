//! A step's action as it was written: plain data between the testcase format and the tool table.
//!
//! Knows neither YAML nor tools. Values may still hold variables (`$user`).

use serde_json::{Map, Value};

/// One action of a testcase, before its arguments are converted and its variables are replaced.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MobileAction {
    /// Name of the tool, in any accepted spelling.
    pub method: String,
    /// What stands under the name (short form) or under `params` (`HttpRunner`'s form); null where nothing does.
    pub params: Value,
    /// What stands under `options` or inline beside `method` in `HttpRunner`'s form; empty in the short form.
    pub options: Map<String, Value>,
    /// Where the action begins in its file.
    pub span: Span,
}

/// A stretch of a text file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
    /// Length in characters; 0 where only the beginning is known.
    pub length: u32,
}

/// What is wrong with an action's arguments, without knowing where in a file it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// JSON pointer into the action: `/method`, `/params`, `/params/timout`, `/params/0`, `/options/index`.
    pub path: String,
    /// Whether the key at `path` is meant, rather than its value.
    pub at_key: bool,
    /// One sentence without its end: "unknown argument `timout` of `tap_element`".
    pub message: String,
    /// What stands beside the caret: "did you mean `timeout`?".
    pub hint: Option<String>,
    /// What stands below: "valid: text, id, …".
    pub help: Option<String>,
}
