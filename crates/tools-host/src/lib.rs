//! The tools that need no device: commands, requests and sockets of the host, Python functions, other MCP servers, values, pauses.

pub mod function;
mod guard;
pub mod request;
pub mod servers;
pub mod shell;
pub mod utility;
pub mod value;
pub mod websocket;
