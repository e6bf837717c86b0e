//! A call → why a batch cannot have it among its steps.

use uixt_locate::Object;

use super::Table;

/// The tool that makes several calls.
pub const BATCH: &str = "batch";

impl Table {
    /// Says why a batch cannot have a call of a tool.
    pub fn problem_in_batch(&self, tool: &str, arguments: &Object) -> Option<String> {
        let Some(tool) = self.find(tool) else {
            return Some(self.unknown_tool_error(tool).message);
        };
        if tool.name == BATCH {
            return Some("a batch holds no batch: write its steps here".to_owned());
        }
        if tool.uses_devices && !tool.needs_device {
            return Some(format!("{}: a batch goes to one device; give `serial` to the batch", tool.name));
        }
        if ["serial", "platform"].iter().any(|key| arguments.contains_key(*key)) {
            return Some("`serial` and `platform` belong to the batch, whose steps go to one device".to_owned());
        }
        self.prepare(tool, arguments.clone()).err().map(|error| error.message)
    }
}
