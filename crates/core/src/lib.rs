//! What all of uixt knows: the action of a testcase, results, times of tools, files, HTTP clients, secrets, and values compared, searched
//! and written.

pub mod action;
pub mod ai;
pub mod compare;
pub mod dialogs;
pub mod fail_on;
pub mod functions;
pub mod host;
pub mod http;
pub mod json_kind;
pub mod page_fault;
pub mod query;
pub mod result;
pub mod secrets;
pub mod tool_times;
pub mod video;
pub mod written;
pub mod yaml;
