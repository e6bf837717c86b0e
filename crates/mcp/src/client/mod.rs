//! Servers that others wrote, named in an `mcpServers` file → callers of their tools.
//!
//! Nothing that a server does is trusted: it may die, hang, flood, lie and ask. Each is started when it is first needed, in a
//! process group of its own, and what goes wrong with one is no other's business. Secrets of the file stay in here.

mod address;
mod asking;
mod config;
mod connection;
mod diary;
mod entry;
mod env_file;
mod expand;
mod handler;
mod http;
mod intake;
mod joined;
mod jsonc;
mod keys;
mod known;
mod lines;
mod listed;
mod output;
mod process;
mod remote;
mod roster;
mod secrets;
mod servers;
mod settings;
mod sse;
mod variables;

pub use config::{Config, ConfigError, Owner, RESERVED};
pub use joined::Joined;
pub use known::refused;
pub use remote::{About, Remote};
pub use servers::Servers;
pub use settings::{Elicitation, Settings};
pub use variables::Variables;
