//! Tools in the names and with the arguments of the MCP server `browser_use`: what they do is done by the rows that were there. An
//! element's index is the number of its ref: 5 is e5.

pub mod element;
pub mod page;
pub mod place;
pub mod save;
pub mod tabs;
pub mod task;

use serde_json::{Value, json};

/// Returns the target that an index means.
fn indexed(index: u32) -> Value {
    json!({"ref": format!("e{index}")})
}
