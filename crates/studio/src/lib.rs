//! `uixt studio`: one page on which people see devices, point at what they show, record, try, run and look back.
//!
//! ```text
//! device ──► stage ──► frames, elements ──► page
//! page ──► act ──► driver, or a tool while it is recorded ──► step ──► page
//! page ──► text of a testcase ──► workshop ──► what is wrong with it, or a run ──► events ──► page
//! ```
//!
//! A [`Stage`] is a device on show; a [`Workshop`], which the program is, reads testcases and runs them. The page and what it says stand in
//! `said.rs`; everything lies below [`PATH`], and whom it is served to is decided by who serves the [`router`].

mod act;
mod agent;
mod asked;
mod changes;
mod complete;
mod drafts;
mod drawn;
mod elements;
mod files;
mod frames;
mod goal;
mod person;
mod picker;
mod point;
mod record;
mod results;
mod run;
mod said;
mod socket;
mod stage;
mod studio;

pub use self::agent::Watched;
pub use self::files::router;
pub use self::person::call_of;
pub use self::run::{Decision, Goal, Observer, Wish, Workshop};
pub use self::stage::Stage;
pub use self::studio::{Setup, Studio};

/// Where the page is.
pub const PATH: &str = "/studio/";
