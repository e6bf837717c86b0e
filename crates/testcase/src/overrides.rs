//! What the command line says about variables.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What the command line says about variables.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// `--var`: taken as they are, no expressions.
    pub variables: Map<String, Value>,
    /// `--env-file`: secret, seen by `${ENV(…)}` and as variables.
    pub environs: BTreeMap<String, String>,
    /// `--seed`: what chance begins with.
    pub seed: Option<u64>,
    /// Whether the variables may be for other testcases, whose names were held to those already.
    pub are_for_others: bool,
}
