//! Servers that others wrote, named in an `mcpServers` file → callers of their tools.
//!
//! Nothing that a server does is trusted: it may die, hang, flood, lie and ask. Each is started when it is first needed, in a
//! process group of its own, and what goes wrong with one is no other's business. Secrets of the file stay in here.

mod address;
mod aggregate;
mod asking;
mod config;
mod connection;
mod definition_check;
mod diagnostics;
mod entry;
mod env_file;
mod expand;
mod handler;
mod http;
mod incoming;
mod jsonc;
mod keys;
mod lines;
mod output;
mod process;
mod remote;
mod schema_check;
mod secrets;
mod servers;
mod settings;
mod sse;
mod tool_list_cache;
mod transport;
mod variables;

pub use aggregate::Aggregate;
pub use config::{Config, ConfigError, Owner, RESERVED};
pub use definition_check::refused;
pub use remote::{About, Remote};
pub use servers::Servers;
pub use settings::{Elicitation, Settings};
pub use variables::Variables;
