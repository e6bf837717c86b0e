//! The Model Context Protocol, over any [`Caller`](uixt_call::Caller); only here its library is known.

use uixt_core::json_kind;
use uixt_core::secrets;
use uixt_uniform as uniform;

pub mod client;
mod convert;
pub mod http;
mod lines;
mod message;
pub mod server;
