//! The tools for whatever has a screen, phones and browsers alike: gestures, elements, keys, apps, pictures of the screen.

pub mod apps;
pub mod by_ref;
pub mod device;
pub mod device_state;
pub mod elements;
pub mod file;
pub mod gestures;
pub mod keys;
pub mod screens;
pub mod surroundings;
