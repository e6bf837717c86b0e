//! The tools of the MCP server mcp-search-tool: lines of files, definitions in code, and which tools a task needs; names, arguments and
//! answers are that server's. Nothing is read but files, and nothing is installed.

mod known;
mod needs;
mod outline;
mod place;
mod proposals;
mod ranking;
mod registry;
mod room;
mod search;

pub use known::{KnownServer, OwnTool, Surroundings};
pub use needs::{Candidate, Ranked, is_enough, ranked};

use uixt_toolkit::ActionTool;

/// The rows of all of them.
pub const TOOLS: &[ActionTool] = &[
    ActionTool::of::<search::SearchFileContent>(),
    ActionTool::of::<outline::ListCodeDefinitions>(),
    ActionTool::of::<needs::AnalyzeToolNeeds>(),
    ActionTool::of::<proposals::SearchAndInstallTools>(),
];
