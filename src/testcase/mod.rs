//! Text → [`TestCase`], with every error at its place.
//!
//! A file is read as a tree in which every key and value knows its place; from it come steps in the short form
//! (`tap_element: Sign in`) or in `HttpRunner`'s (`android: {actions: […]}`), their expressions unevaluated; a [`Scope`]
//! evaluates these when the step runs. Knows [`crate::action`] only: tools are handed in as a [`Vocabulary`].

mod case;
mod config;
mod cycles;
mod environs;
mod error;
mod evaluation;
mod expression;
mod functions;
mod httprunner;
mod keys;
mod load;
mod names;
mod nearest;
mod node;
mod parameters;
mod places;
mod project;
mod reader;
mod save;
mod scope;
mod source;
mod step;
mod table;
mod tags;
#[cfg(test)]
mod tests;
mod tokens;
mod validate;
mod vocabulary;
mod walk;
mod width;
mod yaml;

pub use case::{
    Actual, Body, Check, Condition, Config, DeviceEntry, DeviceOption, Extract, Hook, Project, Repeat, Retry, Save,
    Step, TestCase,
};
pub use environs::read_environs;
pub use error::Error;
pub use expression::ExpressionError;
pub use load::{load, parse, parse_in_place_of, read_value};
pub use parameters::{Parameters, Rows};
pub use scope::{Overrides, Scope};
pub use tags::TagExpression;
pub use vocabulary::{Check as CheckAction, Vocabulary};
