//! Text → [`TestCase`], with every error at its place.
//!
//! A file is read as a tree in which every key and value knows its place; from it come steps in the short form
//! (`tap_element: Sign in`) or in `HttpRunner`'s (`android: {actions: […]}`), their expressions unevaluated; a [`Scope`]
//! evaluates these when the step runs. Of the modules that not everybody may know it knows [`crate::action`] only: tools are
//! handed in as a [`Vocabulary`].

use uixt_core::action;
use uixt_core::compare;
use uixt_core::host;
use uixt_core::query;
use uixt_core::secrets;

mod body;
mod case;
mod case_scope;
mod case_settings;
mod command_line_variables;
mod comment_cuts;
mod comparison;
mod config;
mod control;
mod conversion;
mod cycles;
mod environs;
mod error;
mod evaluation;
mod expression;
mod extract;
mod filters;
mod formula;
mod formula_values;
mod functions;
mod guard;
mod hooks;
mod host_steps;
mod httprunner;
mod keys;
mod known;
mod layer;
mod library;
mod load;
mod missing_secrets;
mod model;
mod names;
mod nearest;
mod node;
mod ordering;
mod overrides;
mod own_tool;
mod own_tools;
mod parameters;
mod parts;
mod passed_variables;
mod places;
mod plain;
mod project;
mod python;
mod python_file;
mod reader;
mod references;
mod retarget;
mod save;
mod scanner;
mod scope;
mod scope_values;
mod shapes;
mod source;
mod step;
mod table;
mod tags;
#[cfg(test)]
mod tests;
mod texts;
mod tokens;
mod tool_file;
mod tool_steps;
mod validate;
mod variables_expression;
mod vocabulary;
mod walk;
mod width;
mod yaml;

pub use case::{
    Actual, Around, Body, Check, Condition, Config, DeviceEntry, DeviceOption, Extract, Hook, NamedFile, Project,
    Quarantine, Repeat, Research, Reset, Retry, Save, Step, TestCase,
};
pub use comment_cuts::CommentCut;
pub use environs::read_environs;
pub use error::Error;
pub use expression::{holds_variables, written_variables};
pub use load::{load, own_tools, parse, parse_in_place_of, read_text, read_value};
pub use overrides::Overrides;
pub use own_tool::{OwnTool, Parameter};
pub use parameters::{Parameters, Rows};
pub use parts::ExpressionError;
pub use places::complained;
pub use project::{marked_root, project, root, shown as shown_path};
pub use python::Python;
pub use retarget::{ActionPath, TargetAt, Unchanged, action_at, action_of, append, is_check_at, retarget, value_at};
pub use scope::Scope;
pub use tags::TagExpression;
pub use vocabulary::{Check as CheckAction, ToolFacts, Vocabulary};
pub use walk::{GOALS, files};
