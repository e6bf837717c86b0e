//! Calls another row of the table, for tools that are other names and arguments of what is there already: the same finder, the same
//! wait, the same gesture.

use serde_json::Value;
use uixt_locate::{Error, Object};

use crate::{Context, Reply};

/// Calls a tool on the same device, as whoever called this one may.
pub async fn relay(cx: &Context, tool: &str, arguments: Value) -> Result<Reply, Error> {
    let invoke = cx.invoker()?;
    let arguments = match arguments {
        Value::Object(arguments) => arguments,
        _ => Object::new(),
    };
    invoke.invoke(tool, arguments, cx).await
}
