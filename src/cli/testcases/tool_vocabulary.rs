//! What testcases may say of tools, by the table.

use super::requires;
use crate::testcase::{ToolFacts, Vocabulary};
use crate::tools::{self, ActionTool, Aim, ToolKind};

/// What testcases may say of tools.
pub fn vocabulary() -> Vocabulary<'static> {
    Vocabulary {
        find: &|name| tools::known(tools::table(), name),
        facts: &tool_facts,
        drives: &requires::drives,
        check: &|action, holds| tools::table().check(action, holds),
    }
}

/// Returns what steps are read by of a tool.
pub(super) fn tool_facts(name: &str) -> Option<ToolFacts> {
    let facts = |tool: &ActionTool| ToolFacts {
        needs_device: tool.needs_device,
        asserts: tool.kind == ToolKind::Assert,
        takes_picture: tool.aim == Aim::Picture,
    };
    tools::find(name).map(facts)
}
