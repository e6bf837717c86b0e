//! The variables at run time, and which definition wins. `scope_values` says what an expression evaluates to, `case_scope` what the
//! variables of a case and its steps are.
//!
//! `--var` wins over the rows of parameters, these over a step's variables, these over what steps have saved, this over
//! `--env-file`, `.env` and `environs`, these over the `variables` of the config, these over those of `uixt.yaml`. A step in a
//! group sees the group's variables below its own; a case that a step refers to sees the step's variables above its own, and
//! all others of that step below; a tool of the project sees none of these, and its arguments win over `--var`. A variable is
//! evaluated when it is first used, and keeps its value: for the case, or for the step that defines it. A step's variable that
//! mentions its own name means the one it hides; one that the step saves anew has the new value from then on.

use parking_lot::Mutex;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::layer::Layer;
use super::overrides::Overrides;
use super::python::Python;
use crate::host::Files;
use crate::secrets::Secrets;
use uixt_core::functions::{Asked, Asker};

/// The variables of one run of a case, or of one step of it.
#[derive(Clone, Debug)]
pub struct Scope {
    pub(super) case: Arc<Case>,
    /// Those of the step, and of the groups that it stands in, the innermost last.
    pub(super) layers: Vec<Arc<Layer>>,
    /// Who waits for the calls of Python functions, where somebody may stop to.
    pub(super) asked: Option<Asked>,
}

/// What all steps of a run share.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) overrides: Arc<Overrides>,
    /// Whether it is the steps of a project's tool, whose arguments and whatever its steps save win over `--var`.
    pub(super) is_tool: bool,
    pub(super) environs: Map<String, Value>,
    pub(super) config: Layer,
    /// The row that the case runs with.
    pub(super) row: Map<String, Value>,
    /// The step that refers to this case, and the variables of it that win here.
    pub(super) outer: Option<(Scope, BTreeSet<String>)>,
    /// What steps have saved; never evaluated again, since it comes from devices.
    pub(super) saved: Mutex<Map<String, Value>>,
    pub(super) files: Files,
    pub(super) functions: Option<Python>,
    pub(super) shared: Arc<Shared>,
}

/// What the cases of one run have in common with those that they refer to.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) sleep: Mutex<Duration>,
    pub(super) secrets: Mutex<Arc<Secrets>>,
}

impl Scope {
    /// Returns what chance begins with, where it was said.
    pub(super) fn seed(&self) -> Option<u64> {
        self.case.overrides.seed
    }

    pub(super) fn with_layer(&self, layer: Layer) -> Scope {
        let mut layers = self.layers.clone();
        layers.push(Arc::new(layer));
        Scope { case: Arc::clone(&self.case), layers, asked: self.asked.clone() }
    }

    /// Returns the same variables, for evaluations that make no more calls once this asker is gone.
    #[must_use]
    pub fn asked_by(&self, asker: &Asker) -> Scope {
        Scope { asked: Some(asker.asked()), ..self.clone() }
    }

    /// Returns the variables of a step, or of a case, that runs with a row of its parameters: the row wins over all but `--var`.
    ///
    /// A row of a step's parameters is given to what [`Scope::for_step`] returned. What depends on the row is evaluated anew: for
    /// a case, all of its variables, and nothing is saved yet; for a step, its own.
    #[must_use]
    pub fn with_row(&self, row: Map<String, Value>) -> Scope {
        let mut scope = self.clone();
        let Some(own) = scope.layers.pop() else {
            return Scope { case: Arc::new(self.case.anew(row)), layers: Vec::new(), asked: self.asked.clone() };
        };
        // The step's variables may name those of the row, which therefore lies below them; it wins all the same.
        scope.with_layer(Layer::row(row)).with_layer(own.anew())
    }

    /// Returns the variables of a case that runs again, with the row that it has: nothing is saved yet, and all is evaluated anew.
    #[must_use]
    pub fn anew(&self) -> Scope {
        Scope { case: Arc::new(self.case.anew(self.case.row.clone())), layers: Vec::new(), asked: self.asked.clone() }
    }

    /// Returns a copy of a case's variables as they stand: what is saved from here on changes only one of them.
    #[must_use]
    pub fn as_it_stands(&self) -> Scope {
        Scope { case: Arc::new(self.case.as_it_stands()), layers: self.layers.clone(), asked: self.asked.clone() }
    }

    /// Tells whether an evaluation may take long: whether functions of a file of the user's can be called.
    pub fn may_block(&self) -> bool {
        let case = &self.case;
        case.functions.is_some() || case.outer.as_ref().is_some_and(|(outer, _)| outer.may_block())
    }

    /// Returns how long `${sleep(…)}` asked to wait since this was last asked.
    pub fn take_pending_sleep(&self) -> Duration {
        std::mem::take(&mut *self.case.shared.sleep.lock())
    }

    /// Counts a value that was called a secret, however short, among those that must be masked from here on.
    pub fn add_secret(&self, value: &str) {
        Arc::make_mut(&mut self.case.shared.secrets.lock()).add_marked(value);
    }

    /// Returns the values that must be masked: those of `--env-file` and `.env`, what `${ENV(…)}` returned so far, and what
    /// was added.
    pub fn secrets(&self) -> Arc<Secrets> {
        Arc::clone(&self.case.shared.secrets.lock())
    }
}

impl Shared {
    /// Counts a value of the environment among the secrets, unless it is too short to be one.
    pub(super) fn add_secret(&self, value: &str) {
        Arc::make_mut(&mut self.secrets.lock()).add(value);
    }
}

impl Case {
    /// Returns the case with the values that it has.
    pub(super) fn as_it_stands(&self) -> Case {
        Case {
            config: self.config.as_it_stands(),
            saved: Mutex::new(self.saved.lock().clone()),
            outer: self.outer.clone(),
            ..self.anew(self.row.clone())
        }
    }

    /// Returns the case as it begins with a row.
    pub(super) fn anew(&self, row: Map<String, Value>) -> Case {
        Case {
            overrides: Arc::clone(&self.overrides),
            is_tool: self.is_tool,
            environs: self.environs.clone(),
            config: self.config.anew(),
            row,
            outer: self.outer.clone(),
            saved: Mutex::default(),
            files: self.files.clone(),
            functions: self.functions.clone(),
            shared: Arc::clone(&self.shared),
        }
    }
}
