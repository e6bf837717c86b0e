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
//! Who may know whom: `cli` → all; `testcase` → `action`; `tools` → `action`, `driver`; `caller` → `tools`, `driver`; `mcp` → `caller`,
//! `tools`, `uniform`; `recorder` → `caller`, `tools`, `action`; `runner` → `testcase`, `action`, `tools`, `caller`, `result`; `report`
//! → `result`; `driver` → `adb`; `phone` → `adb`, `instance`; `adb`, `instance`, `result`, `action` and `uniform` → nothing. Everybody may
//! make clients with `http`, find files with `host`, call Python with `functions`, compare values with `compare`, look into them
//! with `query`, hide what is secret with `secrets` and write YAML with `yaml`. A test reads every `crate::` path and holds the code to it.

pub mod action;
pub mod adb;
pub mod caller;
pub mod cli;
pub mod compare;
pub mod driver;
pub mod functions;
mod host;
mod http;
pub mod instance;
mod json_kind;
pub mod mcp;
pub mod phone;
pub mod query;
pub mod recorder;
pub mod report;
pub mod result;
pub mod runner;
pub mod secrets;
pub mod site;
pub mod testcase;
pub mod tools;
pub mod uniform;
mod yaml;
