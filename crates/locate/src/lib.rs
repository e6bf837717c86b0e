//! What a step says of an element, and a screen → the element, or why it is none: not there, one of several, not seen, not still.
//!
//! A [`Target`](target::Target) is looked for by [`finder`]; what a person sees of it is told by [`visibility`], whether it stands
//! still by [`motion`], what may be meant instead by [`suggest`]. [`snapshot`] tells a screen to agents, with [`refs`] by which an
//! element is found again; [`naming`] goes the other way, from an element to the target that a testcase names it by.
//!
//! One screen goes in and nothing is waited for, so that all of it is tried without a device. Must not know tools, calls or files.

use serde_json::{Map, Value};
use uixt_driver as driver;

pub mod absence;
pub mod close_words;
pub mod description;
pub mod dialog;
mod error;
pub mod finder;
mod fingerprint;
pub mod hit;
pub mod listed;
pub mod motion;
pub mod moving_target;
pub mod naming;
mod near;
pub mod occlusion;
pub mod pattern;
pub mod pixel_elements;
pub mod refs;
pub mod role;
pub mod scope;
pub mod screen_power;
pub mod screen_texts;
pub mod selector;
pub mod snapshot;
pub mod stability;
pub mod stable_text;
pub mod suggest;
pub mod target;
pub mod test_screens;
pub mod tree;
pub mod visibility;
pub mod wording;

pub use error::{Error, Kind};

/// A JSON object.
pub type Object = Map<String, Value>;
