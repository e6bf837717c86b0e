//! Calls as models and people write them → arguments that a tool's definition allows, or a complaint that says what would be right.
//!
//! ```
//! use uixt_uniform::{Definition, Definitions, Lang, read_calls};
//! use serde_json::json;
//!
//! // From a remote server's `inputSchema`, or one of those that are shipped.
//! let schema = json!({"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]});
//! let navigate = Definition::from_schema("navigate", &schema);
//! assert!(navigate.check(json!({"url": "http://a/"})).is_ok());
//! assert!(navigate.check(r#"{"url": "http://a/"}"#).is_ok());
//! let refused = navigate.check(json!({"ulr": "http://a/"})).unwrap_err();
//! assert_eq!(refused.message(Lang::En), "navigate: missing: url; unknown: ulr (did you mean url?); valid: url");
//!
//! // The text form, of models that have no function calling.
//! let text = r#"I look it up. <browser_use><browser_search_google>{"query": "x"}</browser_search_google></browser_use>"#;
//! let shipped = Definitions::shipped();
//! let found = read_calls(text, &|name| shipped.names(name)).unwrap();
//! assert_eq!(shipped.check(&found.calls[0]).unwrap()["query"], "x");
//! ```
//!
//! A call that cannot be read refuses the whole text, so that none is lost without a word. Must not know the crate: neither the own
//! table, nor who sends the calls.

mod body;
mod coerce;
mod definition;
mod definitions;
mod given;
mod json;
mod kind;
mod placed;
mod problem;
mod quote;
mod schema;
mod tag;
mod text;
mod yaml;

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod shipped_tests;

pub use definition::{Definition, Parameter};
pub use definitions::{Definitions, Malformed, Unusable};
pub use given::read_arguments;
pub use json::read_object;
pub use kind::Kind;
pub use problem::{Invalid, Lang, Problem, Unknown};
pub use schema::Schema;
pub use text::{Call, Calls, Refused, read_calls};

/// A JSON object.
pub type Object = serde_json::Map<String, serde_json::Value>;

/// Largest text, in bytes, that is read as calls or as arguments.
pub const LARGEST: usize = 1 << 20;

/// Most calls in one text.
pub const MOST_CALLS: usize = 100;
