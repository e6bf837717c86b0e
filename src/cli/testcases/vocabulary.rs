//! What testcases may say of tools, by the table.

use super::requires;
use crate::testcase::{ToolFacts, Vocabulary};
use crate::tools::{self, ActionTool, Aim, ToolKind};

/// What testcases may say of tools.
pub(in crate::cli) fn vocabulary() -> Vocabulary<'static> {
    Vocabulary { find: &tools::known, facts: &tool_facts, drives: &requires::drives, check: &tools::arguments::check }
}

/// Returns what steps are read by of a tool.
pub fn tool_facts(name: &str) -> Option<ToolFacts> {
    let facts = |tool: &ActionTool| ToolFacts {
        needs_device: tool.needs_device,
        asserts: tool.kind == ToolKind::Assert,
        takes_picture: tool.aim == Aim::Picture,
    };
    tools::find(name).map(facts)
}
