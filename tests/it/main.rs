//! The integration tests, in one binary: they drive the real program and its real counterparts.

mod borders;
mod check;
mod cli;
mod counterparts;
mod flow;
mod journal;
mod limits;
mod mcp;
mod phone;
mod readme;
mod reports;
mod run;
mod samples;
mod secrets;
mod support;
mod table;
