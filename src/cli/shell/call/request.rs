//! A call that was read and found good, before it is made.

use uixt_call::CallToolRequest;

use crate::tools;

/// What is to be called, on this program's own table or on another server.
pub(in crate::cli) enum Request {
    Own(CallToolRequest),
    Remote(String, CallToolRequest),
}

impl Request {
    /// Tells whether it goes to a device that it does not name.
    pub(in crate::cli) fn needs_device(&self) -> bool {
        let Self::Own(request) = self else { return false };
        let names_one = request.arguments.as_ref().is_some_and(|given| given.contains_key("serial"));
        !names_one && tools::find(&request.name).is_none_or(|tool| tool.needs_device)
    }
}
