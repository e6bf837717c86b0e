//! A question in words → passages of a project's files and of pages, ranked, each with its source; and quotes, held to the passages that
//! they are said to come from. Nothing is told that was not read.
//!
//! Knows no model, no tool and no protocol of agents.

mod index;
mod lines;
mod page;
mod passage;
mod project;
mod quote;
mod ranking;
mod reach;
mod searxng;
mod source;
mod terms;

pub use lines::one_line;
pub use passage::{Document, Passage, Piece, split};
pub use project::{Advance, Finding, Project};
pub use quote::{Said, Unsupported, hold};
pub use ranking::{best_line, ranked};
pub use reach::Reach;
pub use searxng::Searxng;
pub use source::{Boxed, Found, Link, Source, Unread, links};
