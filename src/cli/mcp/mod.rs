//! Other MCP servers: which there are, how their tools are defined, and `uixt mcp`.

mod asking;
mod call;
mod command;
pub(super) mod definitions;
pub(super) mod servers;
mod signature;
mod step_check;

pub(super) use self::command::Mcp;
