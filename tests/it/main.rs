//! The integration tests, in one binary: they drive the real program and its real counterparts.

mod bench;
mod borders;
mod check;
mod cli;
mod convert;
mod counterparts;
mod descriptions;
mod false_passes;
mod flow;
mod functions;
mod host;
mod httprunner;
mod journal;
mod limits;
mod mcp;
mod options;
mod phone;
mod popups;
mod readme;
mod reports;
mod run;
mod samples;
mod secrets;
mod server;
mod support;
mod table;
