//! Files of a folder → the lines that match a regular expression, and the definitions in source code. Nothing is read outside of the
//! folder, whatever links lie in it; what is asked takes bounded time and memory. Waits for nobody and knows no tools: whoever calls it
//! gives it a thread.

mod around;
mod definitions;
mod folder;
mod gather;
mod gitignore;
mod glob;
mod limits;
mod lines;
mod list;
mod outline;
mod pattern;
mod refused;
mod search;
mod source;
mod walk;

pub use definitions::{Defined, Definition, define};
pub use folder::Folder;
pub use gather::{Found, Skipped};
pub use glob::split as split_glob;
pub use limits::{Cancel, Limits};
pub use list::{Listed, list, read};
pub use outline::{Outline, is_source, languages, outline};
pub use pattern::check as check_pattern;
pub use refused::Refused;
pub use search::{Query, search};
pub use walk::Filter;
