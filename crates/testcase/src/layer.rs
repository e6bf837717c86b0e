//! The variables that one place of a file defines, and their values so far.

use parking_lot::Mutex;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// Definitions, and the values of those that have been used.
#[derive(Debug, Default)]
pub(super) struct Layer {
    pub(super) definitions: Map<String, Value>,
    pub(super) settled: Mutex<HashMap<String, Value>>,
    /// The expression that its other variables come from.
    pub(super) whole: Option<VariablesExpression>,
    /// Whether this is a row of parameters, which wins over the variables of steps.
    pub(super) is_row: bool,
}

impl Layer {
    pub(super) fn of(definitions: Map<String, Value>, from: Option<&str>) -> Self {
        Layer { definitions, whole: from.map(VariablesExpression::of), ..Layer::default() }
    }

    /// Returns the same variables, to be evaluated anew.
    pub(super) fn anew(&self) -> Self {
        let whole = self.whole.as_ref().map(VariablesExpression::anew);
        Layer { definitions: self.definitions.clone(), whole, ..Layer::default() }
    }

    /// Returns the same variables with the values that they have.
    pub(super) fn as_it_stands(&self) -> Self {
        Layer {
            definitions: self.definitions.clone(),
            settled: Mutex::new(self.settled.lock().clone()),
            whole: self.whole.as_ref().map(VariablesExpression::as_it_stands),
            is_row: self.is_row,
        }
    }

    /// Tells whether it defines a variable, as far as that is known.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.definitions.contains_key(name) || (self.whole.is_some() && self.settled.lock().contains_key(name))
    }

    /// Returns the variables that it defines, as far as they are known.
    pub(super) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.definitions.keys().cloned().collect();
        if self.whole.is_some() {
            names.extend(self.settled.lock().keys().cloned());
        }
        names
    }

    /// Values are never evaluated again.
    pub(super) fn row(row: Map<String, Value>) -> Self {
        let settled = Mutex::new(row.clone().into_iter().collect());
        Layer { definitions: row, settled, whole: None, is_row: true }
    }
}

/// The expression that all variables of a layer come from, and whether its variables are among the layer's settled ones.
#[derive(Debug)]
pub(super) struct VariablesExpression {
    pub(super) source: Value,
    pub(super) is_settled: AtomicBool,
}

impl VariablesExpression {
    fn of(source: &str) -> Self {
        VariablesExpression { source: source.into(), is_settled: AtomicBool::new(false) }
    }

    /// Returns the same, to be evaluated anew.
    fn anew(&self) -> Self {
        VariablesExpression { source: self.source.clone(), is_settled: AtomicBool::new(false) }
    }

    /// Returns the same, settled where it is.
    fn as_it_stands(&self) -> Self {
        let is_settled = AtomicBool::new(self.is_settled.load(Ordering::Acquire));
        VariablesExpression { source: self.source.clone(), is_settled }
    }
}
