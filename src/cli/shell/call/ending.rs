//! How a command ends by the answers of its calls.

use serde_json::Value;
use uixt_locate::Kind;

use crate::cli::exit::Exit;

/// Says that calls were not made, so that nobody takes them for done.
pub(in crate::cli) fn say_left(calls: usize) {
    match calls {
        0 => {}
        1 => eprintln!("the call after it was not made"),
        calls => eprintln!("the {calls} calls after it were not made"),
    }
}

/// Returns the exit code that an answer stands for.
pub(in crate::cli) fn exit(object: &Value) -> Exit {
    if object["success"] == Value::Bool(true) {
        return Exit::Passed;
    }
    let kind: Option<Kind> = serde_json::from_value(object["kind"].clone()).ok();
    kind.map_or(Exit::Errored, Exit::from)
}
