//! UI instances that agents, testcases and people change at once → kept in a store, with versions that can be taken back, and
//! drawn as a page that follows every change.
//!
//! [`Ui`] is the one way in: a patch, an action, an edit in the page all become a version of their instance. [`page`] draws them.

mod edit;
mod error;
pub mod page;
mod service;

pub use error::Error;
pub use service::{Acted, Changes, PatchRequest, Patched, Summary, Ui, Undone, Versioned};
pub use uixt_instance::{CRITERIA, Condition, Evaluation, Finding, Instance, Services, Skipped};
