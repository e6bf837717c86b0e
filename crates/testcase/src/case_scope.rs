//! A case, and the steps of it → their variables.

use parking_lot::Mutex;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

use super::case::{Condition, Step, TestCase};
use super::evaluation::{Evaluation, View};
use super::layer::Layer;
use super::overrides::Overrides;
use super::parts::ExpressionError;
use super::scope::{Case, Scope, Shared};
use super::variables_expression;
use crate::host::Files;

impl TestCase {
    /// Returns the variables of one run of this case.
    pub fn scope(&self, overrides: &Overrides) -> Scope {
        Scope::of(self, overrides)
    }
}

impl Scope {
    fn of(case: &TestCase, overrides: &Overrides) -> Self {
        Scope::within(case, overrides.clone(), Arc::default(), None)
    }

    fn within(
        case: &TestCase,
        overrides: Overrides,
        shared: Arc<Shared>,
        outer: Option<(Scope, BTreeSet<String>)>,
    ) -> Self {
        let hidden = |name: &String| outer.as_ref().is_some_and(|(scope, _)| scope.defines(name));
        let project = case.project.variables.iter().filter(|(name, _)| !hidden(name));
        let mut definitions: Map<String, Value> = project.map(|(name, value)| (name.clone(), value.clone())).collect();
        definitions.extend(case.config.variables.clone());
        definitions.extend(case.config.environs.clone());
        let mut secret = case.project.environs.clone();
        secret.extend(overrides.environs);
        definitions.extend(secret.iter().map(|(name, value)| (name.clone(), escaped(value).into())));
        let folder = case.path.parent().map(std::path::Path::to_path_buf).unwrap_or_default();
        secret.values().for_each(|value| shared.add_secret(value));
        let case = Case {
            overrides: Arc::new(Overrides { environs: secret, ..overrides }),
            is_tool: case.tool.is_some(),
            environs: case.config.environs.clone(),
            config: Layer::of(definitions, case.config.variables_from.as_deref()),
            row: Map::new(),
            outer,
            saved: Mutex::default(),
            files: Files::of_project(&case.project.root).seen_from(folder),
            functions: case.functions.clone(),
            shared,
        };
        Scope { case: Arc::new(case), layers: Vec::new(), asked: None }
    }

    /// Returns the variables of a step, within those that are seen here; all others keep the values that they have.
    #[must_use]
    pub fn for_step(&self, step: &Step) -> Scope {
        self.with_layer(Layer::of(step.variables.clone(), step.variables_from.as_deref()))
    }

    /// Returns the same variables for a case that was read anew: expressions call the functions of that one.
    #[must_use]
    pub fn going_on_in(&self, case: &TestCase) -> Scope {
        let own = Case { functions: case.functions.clone(), ..self.case.as_it_stands() };
        Scope { case: Arc::new(own), layers: self.layers.clone(), asked: self.asked.clone() }
    }

    /// Returns the variables of a case that a step refers to: its own, over which those of the step win, and below them the ones
    /// that are seen here. What it saves stays there until it is [kept](Scope::keep).
    #[must_use]
    pub fn for_case(&self, case: &TestCase) -> Scope {
        // What goes wrong with them is said by the first that looks for a variable.
        let _ = variables_expression::settle(self);
        let rows = self.layers.iter().filter(|layer| layer.is_row);
        let own = self.layers.iter().rev().find(|layer| !layer.is_row);
        let names = rows.chain(own).flat_map(|layer| layer.names()).collect();
        let overrides = Overrides::clone(&self.case.overrides);
        Scope::within(case, overrides, Arc::clone(&self.case.shared), Some((self.clone(), names)))
    }

    /// Returns the variables of a tool's steps: its arguments, and below them what its project says. It sees nothing of whoever calls it.
    #[must_use]
    pub fn for_tool(&self, case: &TestCase, arguments: Map<String, Value>) -> Scope {
        let overrides = Overrides::clone(&self.case.overrides);
        let scope = Scope::within(case, overrides, Arc::clone(&self.case.shared), None);
        *scope.case.saved.lock() = arguments;
        scope
    }

    /// Tells whether a condition holds: a text that says `false`, `0` or nothing does not, as `--var` gives texts only.
    pub fn holds(&self, condition: &Condition) -> Result<bool, ExpressionError> {
        variables_expression::settle(self)?;
        Ok(match Evaluation::of(self).formula(&condition.expression, View::of(self))? {
            Value::Null => false,
            Value::Bool(flag) => flag,
            Value::Number(number) => number.as_f64() != Some(0.0),
            Value::String(text) => !super::comparison::denies(&text),
            Value::Array(items) => !items.is_empty(),
            Value::Object(map) => !map.is_empty(),
        })
    }
}

fn escaped(text: &str) -> String {
    text.replace('$', "$$")
}
