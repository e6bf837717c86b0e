//! A call that was read and found good, before it is made.

use rmcp::model::CallToolRequestParams;

/// What is to be called, on this program's own table or on another server.
pub(in crate::cli) enum Request {
    Own(CallToolRequestParams),
    Remote(String, CallToolRequestParams),
}
