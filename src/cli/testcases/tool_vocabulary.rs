//! What testcases may say of tools, by the table.

use uixt_call::{Aim, Exposure, ToolKind, ToolRow, unsupported};

use crate::testcase::{ToolFacts, Vocabulary};
use crate::tools;

/// What testcases may say of tools.
pub fn vocabulary() -> Vocabulary<'static> {
    Vocabulary {
        find: &|name| unsupported::known(tools::table(), name),
        facts: &tool_facts,
        check: &|action, holds| tools::table().check(action, holds),
    }
}

/// Returns what steps are read by of a tool.
pub(super) fn tool_facts(name: &str) -> Option<ToolFacts> {
    let facts = |tool: &ToolRow| ToolFacts {
        needs_device: tool.needs_device,
        asserts: tool.kind == ToolKind::Assert,
        takes_picture: tool.aim == Aim::Picture,
        for_agents: tool.exposure == Exposure::Everyone,
    };
    tools::find(name).map(facts)
}
