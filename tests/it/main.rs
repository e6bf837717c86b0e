//! The integration tests, in one binary: they drive the real program and its real counterparts.

mod ai;
mod cli;
mod instance;
mod language;
mod mcp;
mod page;
mod phone;
mod project;
mod record;
mod report;
mod run;
mod samples;
mod sandbox;
mod screen;
mod studio;
mod support;
