//! What devices of a platform cannot do of a tool, which is known before any of them is asked.

use serde_json::Value;
use uixt_locate::Object;

use super::ToolRow;

/// What devices of a platform lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lacking {
    /// `android`, `ios`, `harmony` or `browser`.
    pub platform: &'static str,
    /// The argument's value that means nothing there; none where the whole tool does not.
    pub value: Option<(&'static str, &'static str)>,
    /// Why, and what to write instead.
    pub reason: &'static str,
}

/// What is for pages alone, with the reason why there is none elsewhere.
pub const fn for_pages(reason: &'static str) -> [Lacking; 3] {
    [Lacking::tool("android", reason), Lacking::tool("ios", reason), Lacking::tool("harmony", reason)]
}

impl Lacking {
    /// The whole tool.
    pub const fn tool(platform: &'static str, reason: &'static str) -> Self {
        Self { platform, value: None, reason }
    }

    /// One value of an argument.
    pub const fn value(
        platform: &'static str,
        argument: &'static str,
        value: &'static str,
        reason: &'static str,
    ) -> Self {
        Self { platform, value: Some((argument, value)), reason }
    }
}

impl ToolRow {
    /// Tells whether devices of a platform have such a thing.
    pub fn is_on(&self, platform: &str) -> bool {
        !self.lacking.iter().any(|lacking| lacking.platform == platform && lacking.value.is_none())
    }

    /// Returns what a platform lacks for a call.
    pub fn lacks(&self, platform: &str, arguments: &Object) -> Option<&'static Lacking> {
        let is_given = |(argument, value): (&str, &str)| arguments.get(argument).and_then(Value::as_str) == Some(value);
        self.lacking.iter().find(|lacking| lacking.platform == platform && lacking.value.is_none_or(is_given))
    }
}
