//! The Model Context Protocol, over any [`Caller`](crate::caller::Caller).

pub mod client;
pub mod fixtures;
pub mod http;
mod lines;
mod message;
pub mod server;
