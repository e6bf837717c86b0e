//! Devices: how they are named and opened, and the commands that list them and serve the virtual one.

pub(super) mod browser;
pub(super) mod config;
pub(super) mod devices;
mod farm;
mod ios;
mod list;
mod phone;
pub(super) mod spec;
pub(super) mod uia2;

pub(super) use self::list::ListDevices;
pub(super) use self::phone::Phone;
