//! The MCP servers that a session reaches beside its own tools.

use std::sync::Arc;

use uixt_call::Servers;

use crate::Context;

/// The other MCP servers of a session; none by default.
#[derive(Clone, Default)]
pub struct OtherServers(pub Option<Arc<dyn Servers>>);

/// Returns the other MCP servers of a call's session.
pub fn of(cx: &Context) -> Option<Arc<dyn Servers>> {
    cx.session.setting::<OtherServers>().0.clone()
}
