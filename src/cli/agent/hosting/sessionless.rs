//! The caller of requests that belong to no session: a [`Local`] that they share, and whose device none of them may choose for the others.
use uixt_call::{Boxed, Call, CallToolRequest, CallToolResult, Caller, ToolDefinition};
use uixt_locate::{Error, Kind};

use crate::tools::{self, Local};

/// What a session alone can do.
const SELECT: &str = "select_device";

pub(in crate::cli) struct Sessionless(pub(in crate::cli) Local);

impl Caller for Sessionless {
    fn list(&self) -> Boxed<'_, Vec<ToolDefinition>> {
        self.0.list()
    }

    fn call(&self, request: CallToolRequest, call: Call) -> Boxed<'_, CallToolResult> {
        if tools::find(&request.name).is_some_and(|tool| tool.name == SELECT) {
            let message =
                "these requests have no session to select a device in: give `platform` and `serial` with each call";
            let refused = CallToolResult::failure(&Error::new(Kind::Unsupported, message), SELECT);
            return Box::pin(std::future::ready(refused));
        }
        self.0.call(request, call)
    }
}
