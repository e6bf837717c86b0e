//! The virtual iPhone: the virtual phone with another face. A stand-in for `WebDriverAgent` (WDA) over the very same apps.
//!
//! [`Iphone`] is one with its ports. `http` reads requests and writes answers, `routes` finds who answers: `session`, `apps`,
//! `sight` (sources and screenshots), `elements`, `gestures` and `actions`, `typing`, `alerts`, `device`. What they see of the
//! screen is `tree`, made of the phone's own nodes; `find` and what lies under it look for elements in it. `faults` is what a
//! test wishes to go wrong, `counts` what was really done.
//!
//! Routes, answers and the tree follow appium/WebDriverAgent 16 (`WebDriverAgentLib/Commands`, `Routing`, `Utilities`).

mod actions;
mod agent;
mod alerts;
mod answer;
mod apps;
pub(super) mod bars;
mod call;
mod chain;
mod counts;
mod device;
pub(super) mod dialogs;
mod edges;
mod element;
mod elements;
mod faults;
mod find;
mod gestures;
mod http;
pub(super) mod keys;
mod lockdown;
pub(super) mod marks;
mod mjpeg;
mod options;
mod plist;
mod predicate;
mod routes;
mod running;
mod session;
mod settings;
mod sight;
mod source;
mod stand_in;
#[cfg(test)]
mod tests;
mod tree;
mod typing;
mod usbmuxd;
mod words;
mod xpath;

pub use options::{IphoneOptions, Manners};
pub use running::Iphone;
pub use usbmuxd::Usbmuxd;
