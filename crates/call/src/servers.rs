//! Calls of other MCP servers' tools, by whoever speaks their protocol; this knows none.

use std::time::Duration;

use serde_json::Value;
use uixt_locate::{Error, Object};

use super::caller::Boxed;
use super::message::CallToolResult;
use super::progress::Progress;

/// Reaches other MCP servers.
pub trait Servers: Send + Sync {
    /// Calls a server's tool; where there is no `limit`, the server's own holds. Dropping the future cancels the call.
    fn call<'a>(
        &'a self,
        server: &'a str,
        tool: &'a str,
        arguments: Object,
        limit: Option<Duration>,
        progress: Progress,
    ) -> Boxed<'a, Result<CallToolResult, Error>>;

    /// Returns the arguments of a call, an object or a text with one in it, as the tool takes them; the error says what of them it
    /// does not take. Nothing is called.
    fn check<'a>(
        &'a self,
        server: &'a str,
        tool: &'a str,
        arguments: Value,
        limit: Option<Duration>,
    ) -> Boxed<'a, Result<Object, Error>>;

    /// Tells whether a file names a server so, be it that it can be called or not.
    fn names(&self, server: &str) -> bool;

    /// Tells whether there is a server of this name.
    fn has(&self, server: &str) -> bool;
}
