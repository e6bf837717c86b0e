//! What agents are given: the server of tools, what hosts need to start it, a page that teaches them, and goals to reach.

mod explore;
pub(super) mod hosting;
mod mcp_server;
mod print_config;
pub(super) mod recording;
mod session_factory;
mod skill;
pub(in crate::cli) mod then;
mod translated;

pub(super) use self::explore::Explore;
pub(super) use self::mcp_server::McpServer;
pub(super) use self::skill::print_skill;
