//! Which models a session asks, and where the environment says that they are.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use uixt_ai::{Model, Service, Usage};
use uixt_core::ai::AiOptions;
use uixt_locate::{Error, Kind};

/// What a model is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Planner,
    Asserter,
    Querier,
}

/// What all sessions of a run may spend on models together, and what they have spent.
#[derive(Debug, Default)]
pub struct Budget {
    most: Option<Most>,
    spent: Mutex<Spent>,
}

/// The most that may be spent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Most {
    Tokens(u64),
    /// In the currency of the services' prices.
    Cost(f64),
}

#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    calls: u64,
    tokens: u64,
    cost: f64,
}

impl Budget {
    pub fn of(most: Option<Most>) -> Self {
        Self { most, spent: Mutex::default() }
    }

    /// Fails where it is spent, or where what is spent on this service could not be told.
    pub(super) fn check(&self, service: &Service) -> Result<(), Error> {
        let spent = *self.spent.lock();
        let told = match self.most {
            Some(Most::Cost(_)) if service.price.is_none() => {
                let message = format!(
                    "`--ai-budget` is a cost, and no price of {} is known: set OPENAI_PRICE, or that of the service, to what a million tokens cost, of input and of output: 2.5/10",
                    service.name
                );
                return Err(Error::new(Kind::Service, message));
            }
            Some(Most::Tokens(most)) if spent.tokens >= most => format!("{} of {most} tokens", spent.tokens),
            Some(Most::Cost(most)) if spent.cost >= most => format!("{:.4} of {most}", spent.cost),
            _ => return Ok(()),
        };
        let message = format!("the model budget is spent: {told} in {} calls (`--ai-budget`)", spent.calls);
        Err(Error::new(Kind::Service, message).with("code", "AI_BUDGET_SPENT"))
    }

    pub(super) fn spend(&self, usage: &Usage, service: &Service) {
        let mut spent = self.spent.lock();
        spent.calls += u64::from(usage.calls);
        spent.tokens += usage.tokens();
        spent.cost += service.price.map_or(0.0, |price| price.of(usage));
    }
}

/// Looks up a variable of the environment.
type Variable = dyn Fn(&str) -> Option<String> + Send + Sync;

/// The models of a session.
#[derive(Clone)]
pub struct Models {
    names: AiOptions,
    variable: Arc<Variable>,
    pub(super) budget: Arc<Budget>,
    /// Those that were asked, by the services' names.
    known: Arc<Mutex<HashMap<Option<String>, Model>>>,
}

impl Default for Models {
    fn default() -> Self {
        Self::new(AiOptions::default(), |name| std::env::var(name).ok())
    }
}

impl Models {
    pub fn new(names: AiOptions, variable: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self { names, variable: Arc::new(variable), budget: Arc::default(), known: Arc::default() }
    }

    /// Spends of this.
    #[must_use]
    pub fn within(self, budget: Arc<Budget>) -> Self {
        Self { budget, ..self }
    }

    /// Returns the name of the service that a part asks; none for the usual one.
    fn name(&self, part: Part) -> Option<String> {
        let own = match part {
            Part::Planner => &self.names.planner,
            Part::Asserter => &self.names.asserter,
            Part::Querier => &self.names.querier,
        };
        own.clone().or_else(|| self.names.service.clone())
    }

    /// Tells whether anything says where a part's model is, be it right or wrong.
    pub(super) fn is_configured(&self, part: Part) -> bool {
        Service::has_address(self.name(part).as_deref(), |variable| (self.variable)(variable))
    }

    /// Returns the model of a part, or the one that a call names.
    pub(super) fn of(&self, part: Part, service: Option<&str>) -> Result<Model, Error> {
        let name = service.map(str::to_owned).or_else(|| self.name(part));
        let mut known = self.known.lock();
        if let Some(model) = known.get(&name) {
            return Ok(model.clone());
        }
        let found = Service::find(name.as_deref(), |variable| (self.variable)(variable)).and_then(Model::new);
        let model = found.map_err(|error| Error::new(Kind::Service, error.to_string()))?;
        known.insert(name, model.clone());
        Ok(model)
    }
}
