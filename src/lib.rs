//! uixt runs UI tests written in YAML, on phones and in browsers, and serves the very same actions to AI agents over MCP.
//!
//! ```text
//! testcase.yaml ──► MobileAction ──► CallToolRequest ─┐
//!                                                     ├─► tool table ──► driver ──► CallToolResult ──► result ──► reports
//! AI agent ──────── MCP client ────► CallToolRequest ─┘       │
//!                                                             └──► other MCP servers (the step `mcp`)
//! ```
//!
//! `recorder` stands before the table and writes what agents and people do as a testcase; `uniform` reads a model's text with calls in it.
//!
//! The crates, each of which knows only those of the lines below its own:
//!
//! ```text
//! uixt                                                                          the command line, and the folder of pages
//! studio                                                                        the page on which people see devices, record and run
//! runner recorder mcp                                                           who calls tools: testcases, people and agents
//! tools                                                                         the table of all tools, and the way of a request through it
//! tools-ai tools-code tools-device tools-host tools-sandbox tools-ui tools-web  the tools, in groups that do not know each other
//! toolkit                                                                       what groups share: a session, looking, waiting, touching, causes
//! call                                                                          the contract of both: request, answer, and what a row says of its tool
//! ai locate ocr research ui                                                     what tools ask: models, elements, pictures, pages of instances, sources
//! android browser harmony ios phone                                             how devices are driven, and one to drive
//! report testcase uniform                                                       what is read and written
//! adb hdc instance canvas code lane pictures queue sandbox store                one protocol, format or store each
//! core driver schema                                                            the words that all share: values, devices, shapes
//! ```
//!
//! This crate is the program: its command line ([`cli`]) and the folder of pages that it serves ([`site`]). What it is made of are the
//! crates in `crates/`, here under their names.

pub mod cli;
pub mod site;

use uixt_core::yaml;

pub use uixt_adb as adb;
pub use uixt_core::{action, compare, functions, query, result, secrets};
pub use uixt_instance as instance;
pub use uixt_mcp as mcp;
pub use uixt_phone as phone;
pub use uixt_recorder as recorder;
pub use uixt_report as report;
pub use uixt_runner as runner;
pub use uixt_testcase as testcase;
pub use uixt_tools as tools;
pub use uixt_uniform as uniform;

/// What every device can do, and the devices that there are.
pub mod driver {
    pub use uixt_android as android;
    pub use uixt_browser as browser;
    pub use uixt_driver::*;
    pub use uixt_harmony as harmony;
    pub use uixt_ios as ios;
}
