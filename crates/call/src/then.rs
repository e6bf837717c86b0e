//! The argument `then`: an acting call also tells what it changed on the screen.

use serde_json::{Value, json};
use uixt_locate::Object;

use super::kind::ToolKind;
use super::{ToolRow, Toolset, schema};

/// The argument that asks for it, with [`DIFF`] as its value.
pub(super) const THEN: &str = "then";
/// Its value, and the field of the answer that tells it.
pub const DIFF: &str = "diff";

impl ToolRow {
    /// Tells whether it takes `then`: it does something to the screen, or waits for something on it.
    pub fn takes_then(&self) -> bool {
        self.needs_device && (self.kind.acts() || matches!(self.kind, ToolKind::Wait | ToolKind::Other))
    }

    /// Asks what changed where the call does not; a wait changes nothing by itself.
    pub fn ask_then(&self, arguments: &mut Object) {
        if self.takes_then() && self.kind != ToolKind::Wait {
            arguments.entry(THEN).or_insert_with(|| DIFF.into());
        }
    }
}

/// Takes the question out of the arguments; tells whether it was there.
pub fn take_then(arguments: &mut Object) -> bool {
    arguments.shift_remove(THEN).is_some()
}

/// Returns the schema of the argument; sets with definitions of their own are published as these are.
pub(super) fn property(tool: &ToolRow) -> Value {
    let about = "diff: also tell what changed, with refs, once the screen rests.";
    let mut property = json!({"type": "string", "enum": [DIFF], "description": about});
    if tool.set.is_some_and(|set| matches!(set, Toolset::Browser | Toolset::BrowserUse)) {
        property[schema::UNPUBLISHED] = true.into();
    }
    property
}
