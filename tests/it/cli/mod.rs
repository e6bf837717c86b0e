//! The commands beside `run`, at a shell and at a prompt.

mod calls_as_models_write_them;
mod check;
mod commands;
mod convert;
mod fix;
mod project;
mod repl;
mod session;
