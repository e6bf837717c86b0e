//! Whoever keeps UI instances outside of the phone.

use std::fmt::Debug;
use std::pin::Pin;

use serde_json::Value;

use crate::instance::{ActOutcome, Instance};

/// What becomes of an action.
pub type Acted<'a> = Pin<Box<dyn Future<Output = Result<ActOutcome, String>> + Send + 'a>>;

/// Whoever keeps UI instances. Errors are for a person to read.
pub trait Keeper: Debug + Send + Sync {
    /// Returns the id and title of each.
    fn list(&self) -> Result<Vec<(String, String)>, String>;

    /// Returns the version of one; none where there is none of this id.
    fn version(&self, id: &str) -> Result<Option<u64>, String>;

    /// Returns one and its version.
    fn get(&self, id: &str) -> Result<(u64, Instance), String>;

    /// Changes the value of a field, by its path.
    fn set(&self, id: &str, path: &str, value: Value) -> Result<(), String>;

    /// Runs an action, of a table's row where there is one.
    fn act<'a>(&'a self, id: &'a str, action: &'a str, row: Option<Value>) -> Acted<'a>;
}
