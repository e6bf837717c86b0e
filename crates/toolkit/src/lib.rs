//! What tools share: what one has at hand, how it looks, waits and acts, what is kept of a session, and what is told of a failure.
//!
//! A tool's argument struct *is* the tool ([`Tool`]): its doc comment is the description, its fields are the schema, its
//! [`Tool::call`] is what happens. Groups of tools stand in crates of their own, and none is known here; what only one group needs
//! belongs there. Must not know YAML, the runner, the protocol of agents or any particular driver.

mod active_options;
mod context;
mod engines;
mod examine;
pub mod failures;
pub mod fetch;
pub mod gestures;
pub mod hidden;
mod look;
mod native_selectors;
pub mod other_servers;
pub mod pages;
pub mod pixels;
pub mod relay;
mod reply;
mod run;
mod session;
mod then;
pub mod tokens;
mod tool;
pub mod traces;
pub mod wait;

pub use active_options::{ActiveOptions, Used};
pub use context::{Context, Invoke};
pub use engines::{Chooser, Chosen, Engines, Located, Locator, TextModels, TextRecognizer};
pub use examine::examine;
pub use look::PATIENT;
pub use native_selectors::NativeSelectors;
pub use other_servers::OtherServers;
pub use reply::{Picture, Reply};
pub use session::{Session, SessionState, State};
pub use tool::{ActionTool, LIMIT, Tool};
