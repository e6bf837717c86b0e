//! Models behind any endpoint that speaks `OpenAI`'s chat completions → plans, answers and verdicts; what each call cost.
//!
//! [`Service`] says where a model is, [`Model`] asks it, [`reading`] makes actions of what it says. Knows texts and pictures: no
//! device, no testcase.

mod client;
mod error;
mod message;
pub mod reading;
mod service;
mod usage;

pub use client::{Model, Reply};
pub use error::Error;
pub use message::{Called, Message, Part, Request, Role};
pub use service::{Price, Service};
pub use usage::Usage;
