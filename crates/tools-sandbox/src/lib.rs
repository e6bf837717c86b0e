//! Python behind walls, as tools: names, arguments and answers are those of the MCP server microsandbox; `docs/sandbox.md` says what was
//! added.

mod execution;
mod figures;
mod package;
mod session;
mod told;

use std::sync::Arc;

use uixt_sandbox::Sessions;

use uixt_toolkit::{ActionTool, Context, State};

/// The rows of all of them.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<execution::Execute>(),
    ActionTool::of::<package::InstallPackage>(),
    ActionTool::of::<session::ListSessions>(),
    ActionTool::of::<session::CloseSession>(),
    ActionTool::of::<session::CleanupExpired>(),
    ActionTool::of::<figures::GetPerformanceStats>(),
    ActionTool::of::<figures::GetHealthStatus>(),
];

/// The session of calls that name none.
const USUAL: &str = "default";

/// Whether packages may be installed, which needs the network; not by default.
#[derive(Default)]
pub struct AllowPackages(pub bool);

/// The sessions of Python of a caller, which end with it.
#[derive(Default)]
struct Sandbox(Sessions);

impl State for Sandbox {
    fn end(&self) {
        self.0.end();
    }
}

fn sandbox(cx: &Context) -> Arc<Sandbox> {
    cx.session.state::<Sandbox>()
}
