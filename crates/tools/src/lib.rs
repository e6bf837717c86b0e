//! The table: every action that a testcase or an agent can take, one row each.
//!
//! Groups of tools stand in crates of their own, upon what [`uixt_toolkit`] gives them; `groups` lists their rows, and [`Local`] runs a
//! request for one of them against device words. Must not know YAML, the runner, the protocol of agents or any particular driver.

#[cfg(test)]
mod arguments_tests;
mod audience;
mod batch;
mod groups;
mod listing;
mod local;
pub mod output;
#[cfg(test)]
mod schema_tests;
mod target_place;
#[cfg(feature = "ocr")]
mod text_models;
mod token_budget;
#[cfg(test)]
mod tool_needs_tests;
mod tools;
#[cfg(test)]
mod unsupported_tests;

pub use audience::Audience;
pub use groups::{all, coded, engines, find, table, tools};
pub use listing::Listing;
pub use local::Local;
pub use target_place::{TargetPlace, is_target_key, target_place};
pub use tools::Tools;
