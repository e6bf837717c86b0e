//! Elements: touching them, reading them, waiting for them, and asserting what they are.

pub mod assertion;
mod drawn_popups;
pub mod element;
pub mod element_state;
pub mod find_element;
pub mod popups;
pub(crate) mod tap_text;
