//! Tools in the names and with the arguments of the MCP server `browser_use`: what they do is done by the rows that were there. An
//! element's index is the number of its ref: 5 is e5.

mod element;
mod page;
mod place;
mod save;
mod scrolling;
mod tabs;
mod task;

use serde_json::{Value, json};

use super::ActionTool;

pub(super) const GROUPS: [&[ActionTool]; 7] =
    [page::TOOLS, element::TOOLS, scrolling::TOOLS, tabs::TOOLS, place::TOOLS, save::TOOLS, task::TOOLS];

/// Returns the target that an index means.
fn indexed(index: u32) -> Value {
    json!({"ref": format!("e{index}")})
}
