//! The Python functions that the expressions of a case may call.

use std::sync::Arc;

use uixt_core::functions::{Functions, Names};

/// The functions of a Python file.
#[derive(Clone, Debug)]
pub struct Python {
    pub functions: Functions,
    /// What can be called in it.
    pub names: Arc<Names>,
}

impl Python {
    /// Tells whether the file itself defines a function.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.names.iter().any(|known| known == name)
    }
}
