//! A call that was read and found good, before it is made.

use uixt_call::CallToolRequest;

/// What is to be called, on this program's own table or on another server.
pub(in crate::cli) enum Request {
    Own(CallToolRequest),
    Remote(String, CallToolRequest),
}
