//! The project itself: its manual, its layers, its table of tools.

mod ci_examples;
mod layout;
mod manual;
mod packages;
mod tool_examples;
mod tool_table;
