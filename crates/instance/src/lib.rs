//! Schema-driven UI instances: JSON text → a checked page (state, blocks, actions) that is changed by patches only.
//!
//! An [`Instance`] is read once and checked whole; afterwards [`Instance::apply`] is the only way in, and a patch that would leave a
//! page that could not be read again is refused. An action ([`Instance::act`]) is something that computes patches. Knows nothing
//! of screens, phones or tools, and nothing else of this crate.

use uixt_core::http;
use uixt_core::json_kind;

mod act;
mod completion;
mod condition;
mod error;
mod handlers;
mod limits;
mod model;
mod patch;
mod path;
mod reader;
mod services;
mod template;
mod validation;

pub use act::{ActOutcome, Prepared, Resolved};
pub use completion::{CRITERIA, Evaluation, Finding};
pub use condition::Condition;
pub use error::Error;
pub use model::{
    ActionConfig, ActionType, Block, BlockProps, BlockType, Choice, Column, FieldConfig, FieldType, HandlerType,
    ImageFit, ImageProps, Instance, State, Style, text_of,
};
pub use patch::{Op, Patch, PatchReport, Skipped};
pub use services::Services;
