//! The caller of requests that belong to no session: a [`Local`] that they share, and whose device none of them may choose for the others.

use rmcp::model::{CallToolRequestParams, CallToolResult, Tool};

use crate::caller::{Boxed, Call, Caller, Local};
use crate::tools::{self, Error, Kind, failure_result};

/// What a session alone can do.
const SELECT: &str = "select_device";

pub(in crate::cli) struct Sessionless(pub(in crate::cli) Local);

impl Caller for Sessionless {
    fn list(&self) -> Boxed<'_, Vec<Tool>> {
        self.0.list()
    }

    fn call(&self, request: CallToolRequestParams, call: Call) -> Boxed<'_, CallToolResult> {
        if tools::find(&request.name).is_some_and(|tool| tool.name == SELECT) {
            let message = "these requests belong to no session, so nothing can be selected: give `platform` and `serial` with each call";
            let refused = failure_result(&Error::new(Kind::Unsupported, message), SELECT);
            return Box::pin(std::future::ready(refused));
        }
        self.0.call(request, call)
    }
}
