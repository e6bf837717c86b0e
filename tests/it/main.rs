//! The integration tests, in one binary: they drive the real program and its real counterparts.

mod adbd;
mod addresses;
mod bench;
mod borders;
mod check;
mod cli;
mod convert;
mod counterparts;
mod descriptions;
mod direct;
mod false_passes;
mod faults;
mod flow;
mod functions;
mod host;
mod httprunner;
mod journal;
mod leftovers;
mod limits;
mod mcp;
#[path = "../mutants/mod.rs"]
mod mutants;
mod options;
mod peers;
mod phone;
mod popups;
mod readme;
mod reports;
mod run;
mod samples;
mod secrets;
mod server;
mod setups;
mod support;
mod table;
mod uia2;
