//! Apps: which there are, starting and ending them, opening their links, reading their log.

pub mod app;
pub mod download;
mod installed;
pub mod link;
pub mod log;
pub mod package;
