//! Tools for pages: what they ask of a device are the [words for pages](uixt_driver::Pages), which phones refuse.

pub mod attribute;
pub mod browser_use;
pub mod cookies;
pub mod dialogs;
pub mod form;
pub mod login;
pub mod mouse;
pub mod navigation;
mod pattern;
pub mod place;
pub mod script;
pub mod tabs;
