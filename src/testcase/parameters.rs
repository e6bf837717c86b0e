//! `parameters`: the rows of variables that a case or a step runs with.

use serde_json::{Map, Value};

use super::expression::ExpressionError;
use super::scope::Scope;

/// Where rows come from, and in which order and number they are taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    lists: Vec<Vec<Map<String, Value>>>,
}

impl Parameters {
    /// Returns the rows. Tables are read as the rows are taken, never whole.
    pub fn rows(&self, _scope: &Scope) -> Result<Rows, ExpressionError> {
        Ok(Rows { lists: self.lists.clone(), at: 0 })
    }
}

/// Rows of variables, one after the other.
#[derive(Debug)]
pub struct Rows {
    lists: Vec<Vec<Map<String, Value>>>,
    at: usize,
}

impl Rows {
    /// Returns how many rows there are in all.
    pub fn count(&self) -> u64 {
        self.lists.iter().map(|list| list.len() as u64).product()
    }
}

impl Iterator for Rows {
    type Item = Result<Map<String, Value>, ExpressionError>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at;
        self.at += 1;
        self.lists.first().and_then(|list| list.get(at)).cloned().map(Ok)
    }
}
