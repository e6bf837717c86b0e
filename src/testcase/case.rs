//! A testcase as the runner gets it: plain data, expressions unevaluated, every step with its place.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::scope::{Overrides, Scope};
use crate::action::{MobileAction, Span};

/// One testcase file.
#[derive(Clone, Debug)]
pub struct TestCase {
    /// The file.
    pub path: PathBuf,
    /// The file as it was given, with `/`, for people.
    pub file: String,
    pub config: Config,
    /// At least one.
    pub steps: Vec<Step>,
    /// What `uixt.yaml` beside the file or above it says.
    pub project: Arc<Project>,
}

impl TestCase {
    /// Returns the variables of one run of this case.
    pub fn scope(&self, overrides: &Overrides) -> Scope {
        Scope::of(self, overrides)
    }
}

/// The `config` of a testcase.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// May hold expressions; the file's name where none is given.
    pub name: String,
    pub variables: Map<String, Value>,
    /// Variables that win over `variables`, and what `${ENV(…)}` looks at before the environment.
    pub environs: Map<String, Value>,
    /// The devices that `android`, `ios`, `harmony` and `browser` name, in this order.
    pub devices: Vec<DeviceEntry>,
    pub tags: Vec<String>,
    /// Devices or programs without which the case is skipped.
    pub requires: Vec<String>,
    /// Seconds that the case may take, above 0.
    pub case_timeout: Option<f64>,
}

/// One device of a `config`.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceEntry {
    /// `android`, `ios`, `harmony` or `browser`.
    pub platform: String,
    /// `serial`, `adb_server_host`, …; may hold expressions.
    pub options: Vec<DeviceOption>,
    pub place: Span,
}

/// One option of a [`DeviceEntry`].
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceOption {
    pub key: String,
    pub value: Value,
    /// Where the value stands.
    pub place: Span,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// May hold expressions.
    pub name: Option<String>,
    pub place: Span,
    /// `android`, `ios`, `harmony` or `browser` where the step says so.
    pub platform: Option<String>,
    /// The device that the step is for; may hold expressions.
    pub serial: Option<String>,
    pub variables: Map<String, Value>,
    pub actions: Vec<MobileAction>,
    /// What of the last action's result is kept for later steps.
    pub saves: Vec<Save>,
    /// What must hold after the actions.
    pub validate: Vec<Check>,
}

/// One variable that a step's `save` sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Save {
    pub variable: String,
    /// Dotted path into the tool's result; none means the tool's main field.
    pub field: Option<String>,
}

/// One item of a step's `validate`.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// A call of an assertion tool.
    pub action: MobileAction,
    /// What to say when it does not hold; may hold expressions.
    pub message: Option<Value>,
}

/// What `uixt.yaml` says for the testcases of its folder and below.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Project {
    /// The folder that testcases name files in: that of `uixt.yaml`, `proj.json` or `debugtalk.*`, else the testcase's own.
    pub root: PathBuf,
    /// `uixt.yaml` as it is shown; none where there is none.
    pub file: Option<String>,
    /// What `.env` in `root` defines: secret, wins over `environs` of a config.
    pub environs: BTreeMap<String, String>,
    /// A device SPEC: `phone`, `android:SERIAL`, ….
    pub device: Option<String>,
    pub variables: Map<String, Value>,
    pub requires: Vec<String>,
}
