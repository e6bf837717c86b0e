//! Which models a session asks, and where the environment says that they are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use uixt_ai::{Model, Service};

use crate::{Error, Kind};

/// What a model is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Planner,
    Asserter,
    Querier,
}

/// The services that a testcase names: for all it asks of models, or for a part of that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    pub service: Option<String>,
    pub planner: Option<String>,
    pub asserter: Option<String>,
    pub querier: Option<String>,
}

/// Looks up a variable of the environment.
type Variable = dyn Fn(&str) -> Option<String> + Send + Sync;

/// The models of a session.
#[derive(Clone)]
pub struct Models {
    names: Names,
    variable: Arc<Variable>,
    /// Those that were asked, by the services' names.
    known: Arc<Mutex<HashMap<Option<String>, Model>>>,
}

impl Default for Models {
    fn default() -> Self {
        Self::new(Names::default(), |name| std::env::var(name).ok())
    }
}

impl Models {
    pub fn new(names: Names, variable: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self { names, variable: Arc::new(variable), known: Arc::default() }
    }

    /// Returns the model of a part.
    pub(super) fn of(&self, part: Part) -> Result<Model, Error> {
        let own = match part {
            Part::Planner => &self.names.planner,
            Part::Asserter => &self.names.asserter,
            Part::Querier => &self.names.querier,
        };
        let name = own.clone().or_else(|| self.names.service.clone());
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = known.get(&name) {
            return Ok(model.clone());
        }
        let found = Service::find(name.as_deref(), |variable| (self.variable)(variable)).and_then(Model::new);
        let model = found.map_err(|error| Error::new(Kind::Service, error.to_string()))?;
        known.insert(name, model.clone());
        Ok(model)
    }
}
