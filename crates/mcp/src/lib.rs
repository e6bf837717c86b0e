//! The Model Context Protocol, over any [`Caller`](crate::caller::Caller).

use uixt_core::json_kind;
use uixt_core::secrets;
use uixt_tools as tools;
use uixt_tools::caller;
use uixt_uniform as uniform;

pub mod client;
pub mod fixtures;
pub mod http;
mod lines;
mod message;
pub mod server;
